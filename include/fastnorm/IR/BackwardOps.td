//===- BackwardOps.td - Gradients of graph ops -*- tablegen -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_IR_BACKWARDOPS_TD
#define FASTNORM_IR_BACKWARDOPS_TD

include "fastnorm/IR/GraphOps.td"

/// The gradients of a norm's input and parameters, each where it is asked for.
class Fastnorm_NormBackwardOp<string mnemonic, dag statistics, string statisticsFormat>
  : Fastnorm_GraphOp<mnemonic, [AttrSizedOperandSegments, AttrSizedResultSegments]> {
  let arguments = !con(
    (ins Arg<Fastnorm_Rows, "the gradient of the norm's result">:$grad_output,
         Arg<Fastnorm_Rows, "the rows that were normalized, such as a saved residual_out">:$input),
    statistics,
    (ins Arg<Optional<Fastnorm_Weight>, "the weight of the norm">:$weight,
         Arg<Optional<Fastnorm_Rows>, "what else is known of the gradient of input; it is added">:$grad_residual,
         Arg<Optional<Fastnorm_Weight>, "the gradient of weight so far; it is added">:$old_grad_weight,
         Arg<Optional<Fastnorm_Weight>, "the gradient of bias so far; it is added">:$old_grad_bias,
         DefaultValuedAttr<F32Attr, "0.0f">:$weight_offset,
         UnitAttr:$round_xhat));
  let results = (outs
    Res<Optional<Fastnorm_Rows>, "the gradient of input">:$grad_input,
    Res<Optional<Fastnorm_Weight>, "the gradient of weight">:$grad_weight,
    Res<Optional<Fastnorm_Weight>, "the gradient of bias">:$grad_bias);
  let assemblyFormat = "$grad_output `,` $input " # statisticsFormat # [{
    (`weight` `(` $weight^ `)`)? (`residual` `(` $grad_residual^ `)`)?
    (`accumulate_weight` `(` $old_grad_weight^ `)`)? (`accumulate_bias` `(` $old_grad_bias^ `)`)?
    attr-dict `:` type(operands) `->`
    (`input` `(` type($grad_input)^ `)`)? (`weight` `(` type($grad_weight)^ `)`)?
    (`bias` `(` type($grad_bias)^ `)`)?
  }];
}

def Fastnorm_RmsNormBackwardOp : Fastnorm_NormBackwardOp<"rms_norm_backward",
    (ins Arg<Fastnorm_RowStatistic, "the reciprocal root mean square of each row">:$rstd), "`rstd` `(` $rstd `)`"> {
  let summary = "gradients of rms_norm";
  let description = [{
    `xhat[r, c] = f32(input[r, c]) · rstd[r]`

    `wdy[r, c] = (f32(weight[c]) + weight_offset) · f32(grad_output[r, c])`

    `mean_xhat_wdy[r] = mean over c of wdy[r, c] · xhat[r, c]`

    `grad_input[r, c] = round(rstd[r] · (wdy[r, c] − xhat[r, c] · mean_xhat_wdy[r]) + f32(grad_residual[r, c]))`

    `grad_weight[c] = round(Σ over r of f32(grad_output[r, c]) · xhat[r, c] + f32(old_grad_weight[c]))`

    `grad_bias[c] = round(Σ over r of f32(grad_output[r, c]) + f32(old_grad_bias[c]))`

    They follow from `result = xhat · (weight + weight_offset) + bias` by the chain rule: rstd depends on input by
    `∂rstd/∂input[c] = −rstd³ · input[c] / hidden`, which eps does not enter. Without a weight its factor is 1, and what
    is optional and absent is not added. Sums are f32; each gradient is rounded once to its type.

    A gradient that is not among the results is not computed. With heads, `grad_weight[h, c]` and `grad_bias[h, c]` sum
    the rows of head h. With `round_xhat`, grad_weight takes xhat as it was rounded to the input's type; grad_input takes
    that rounding for none.

    - C1: grad_output, grad_residual and grad_input have the shape of input.
    - C2: weight and the gradients of weight and bias have the hidden size of input and, where they have heads, the
      innermost row dimension of input; grad_weight has the shape of weight.
    - C3: statistics have the row dimensions of input.
    - C4: an old gradient is there only with the gradient that it is added to and has its shape; so has grad_residual.
    - C5: at least one gradient is a result.
    - C6: weight_offset is finite; one other than 0 needs a weight.
    - C7: hidden is static and from 1 to 2^24.

    ```mlir
    %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
      : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?xf32>, tensor<64xf32> -> input(tensor<?x64xbf16>) weight(tensor<64xf32>)
    %dw2 = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) accumulate_weight(%dw)
      : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?xf32>, tensor<64xf32> -> weight(tensor<64xbf16>)
    ```
  }];
}

def Fastnorm_LayerNormBackwardOp : Fastnorm_NormBackwardOp<"layer_norm_backward",
    (ins Arg<Fastnorm_RowStatistic, "the mean of each row">:$mean,
         Arg<Fastnorm_RowStatistic, "the reciprocal deviation of each row">:$rstd),
    "`mean` `(` $mean `)` `rstd` `(` $rstd `)`"> {
  let summary = "gradients of layer_norm";
  let description = [{
    `xhat[r, c] = (f32(input[r, c]) − mean[r]) · rstd[r]`

    `wdy[r, c] = (f32(weight[c]) + weight_offset) · f32(grad_output[r, c])`

    `mean_wdy[r] = mean over c of wdy[r, c]`

    `mean_xhat_wdy[r] = mean over c of wdy[r, c] · xhat[r, c]`

    `grad_input[r, c] = round(rstd[r] · (wdy[r, c] − mean_wdy[r] − xhat[r, c] · mean_xhat_wdy[r]) +
    f32(grad_residual[r, c]))`

    The rest, and the constraints, are as in `fastnorm.rms_norm_backward`; mean_wdy is what the mean's dependence on input
    adds.

    ```mlir
    %dx, %dw, %db = fastnorm.layer_norm_backward %dy, %x mean(%mean) rstd(%rstd) weight(%weight) residual(%dres)
      : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<64xf32>, tensor<?x64xbf16>
      -> input(tensor<?x64xbf16>) weight(tensor<64xf32>) bias(tensor<64xf32>)
    ```
  }];
}

def Fastnorm_CombineBackwardOp : Fastnorm_GraphOp<"combine_backward",
    [AttrSizedOperandSegments, AttrSizedResultSegments]> {
  let summary = "gradients of combine";
  let description = [{
    `grad_expert_rows[e, c] = round(Σ over t, k with row_index[t, k] = e of f32(grad_output[t, c]) · f32(gate[t, k]))`

    `grad_gate[t, k] = round(Σ over c of f32(grad_output[t, c]) · f32(expert_rows[row_index[t, k], c]) +
    f32(old_grad_gate[t, k]))`

    Without a gate its factor is 1. A dropped slot reaches no expert row, and the sum of its grad_gate is 0; an expert row
    that no slot names has zeros. Slots that name one expert row are added up in ascending order of t and then of k. Sums are
    f32, each gradient is rounded once to its type. The gradient of combine's shared operand is grad_output.

    A gradient that is not among the results is not computed, and what it alone is computed from is not read. grad_gate may be
    asked for where there is no gate. `index_map` says what is known of row_index (`fastnorm.scatter`).

    - C1: expert_rows and grad_expert_rows have one shape, with the hidden size of grad_output.
    - C2: gate, old_grad_gate and grad_gate have the shape of row_index.
    - C3: row_index has the row dimensions of grad_output.
    - C4: at least one gradient is a result; old_grad_gate goes with grad_gate, and grad_gate needs expert_rows.
    - C5: hidden is static and from 1 to 2^24, top_k is static and from 1 to 64.

    ```mlir
    %drows, %dgate = fastnorm.combine_backward %dy[%row_index] index_map(bijective) expert_rows(%expert_rows) gate(%gate)
      : tensor<?x64xbf16>, tensor<?x8xi64>, tensor<?x64xbf16>, tensor<?x8xf32>
      -> expert_rows(tensor<?x64xbf16>) gate(tensor<?x8xf32>)
    %dplain = fastnorm.combine_backward %dy[%row_index]
      : tensor<?x64xbf16>, tensor<?x8xi64> -> expert_rows(tensor<?x64xbf16>)
    ```
  }];
  let arguments = (ins
    Arg<Fastnorm_Rows, "the gradient of combine's result">:$grad_output,
    Arg<Fastnorm_RowIndex, "for each token, its k rows in expert_rows">:$row_index,
    Arg<Optional<Fastnorm_Table>, "rows in expert order">:$expert_rows,
    Arg<Optional<Fastnorm_Gate>, "the factor of each slot">:$gate,
    Arg<Optional<Fastnorm_Gate>, "the gradient of gate so far; it is added">:$old_grad_gate,
    DefaultValuedAttr<Fastnorm_IndexMapAttr, "::fastnorm::IndexMap::Any">:$index_map);
  let results = (outs
    Res<Optional<Fastnorm_Table>, "the gradient of expert_rows">:$grad_expert_rows,
    Res<Optional<Fastnorm_Gate>, "the gradient of gate">:$grad_gate);
  let extraClassDeclaration = [{
    ::llvm::SmallVector<std::pair<::mlir::Value, ::mlir::Value>> getEqualTables();
  }];
  let assemblyFormat = [{
    $grad_output `[` $row_index `]` (`index_map` `(` $index_map^ `)`)? (`expert_rows` `(` $expert_rows^ `)`)?
    (`gate` `(` $gate^ `)`)? (`accumulate_gate` `(` $old_grad_gate^ `)`)? attr-dict `:` type(operands) `->`
    (`expert_rows` `(` type($grad_expert_rows)^ `)`)? (`gate` `(` type($grad_gate)^ `)`)?
  }];
}

#endif // FASTNORM_IR_BACKWARDOPS_TD
