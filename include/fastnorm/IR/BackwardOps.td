//===- BackwardOps.td - Gradients of the norms -*- tablegen -*-===//
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

#endif // FASTNORM_IR_BACKWARDOPS_TD
