//===- GraphOps.td - What people write -*- tablegen -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_IR_GRAPHOPS_TD
#define FASTNORM_IR_GRAPHOPS_TD

include "fastnorm/IR/Attributes.td"
include "fastnorm/IR/Interfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Fastnorm_Storage : AnyTypeOf<[F32, BF16], "f32 or bf16">;
def Fastnorm_Index : AnyTypeOf<[I32, I64], "i32 or i64">;
class Fastnorm_TensorOf<Type element, int rank, string shape>
  : Type<And<[TensorRankOf<[element], [rank]>.predicate]>, shape # " tensor of " # element.summary, "::mlir::RankedTensorType">;
def Fastnorm_Rows : Fastnorm_TensorOf<Fastnorm_Storage, 2, "[rows, hidden]">;
def Fastnorm_RowIndex : Fastnorm_TensorOf<Fastnorm_Index, 2, "[rows, top_k]">;
def Fastnorm_Gate : Fastnorm_TensorOf<Fastnorm_Storage, 2, "[rows, top_k]">;
def Fastnorm_Weight : Fastnorm_TensorOf<Fastnorm_Storage, 1, "[hidden]">;
def Fastnorm_RowStatistic : Fastnorm_TensorOf<F32, 1, "[rows]">;

class Fastnorm_GraphOp<string mnemonic, list<Trait> traits = []>
  : Fastnorm_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<Fastnorm_RowOpInterface>,
      DeclareOpInterfaceMethods<Fastnorm_GraphOpInterface>], traits)> {
  let hasVerifier = 1;
}

def Fastnorm_CombineOp : Fastnorm_GraphOp<"combine"> {
  let summary = "weighted sum of the expert rows of each token";
  let description = [{
    `result[t, c] = round(Σₖ f32(expert_rows[row_index[t, k], c]) · f32(gate[t, k]))`

    Slots are added in ascending order in f32, each by one fused multiply-add; the sum is rounded once to the storage
    type. A slot whose row index is below 0, or at or past the number of expert rows, is dropped: it adds nothing.

    - C1: expert_rows and result have the same hidden size and element type.
    - C2: gate and row_index have the same shape.
    - C3: row_index and result have the same number of rows.
    - C4: hidden is static and from 1 to 2^24, top_k is static and from 1 to 64.

    ```mlir
    %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
       : tensor<?x3072xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x3072xbf16>
    ```
  }];
  let arguments = (ins
    Arg<Fastnorm_Rows, "rows in expert order">:$expert_rows,
    Arg<Fastnorm_RowIndex, "for each token, its k rows in expert_rows">:$row_index,
    Arg<Fastnorm_Gate, "the factor of each slot">:$gate);
  let results = (outs Res<Fastnorm_Rows, "one row per token">:$result);
  let assemblyFormat = [{
    $expert_rows `[` $row_index `]` `gate` `(` $gate `)` attr-dict `:` type($expert_rows) `,` type($row_index) `,`
    type($gate) `->` type($result)
  }];
}

def Fastnorm_ResidualAddOp : Fastnorm_GraphOp<"residual_add", [SameOperandsAndResultType]> {
  let summary = "residual stream plus a block's output";
  let description = [{
    `result = round(f32(residual) + f32(input))`

    - C1: hidden is static and from 1 to 2^24.

    ```mlir
    %s = fastnorm.residual_add %residual, %h : tensor<?x3072xbf16>
    ```
  }];
  let arguments = (ins
    Arg<Fastnorm_Rows, "the stream">:$residual,
    Arg<Fastnorm_Rows, "what is added to it">:$input);
  let results = (outs Res<Fastnorm_Rows, "the sum">:$result);
  let assemblyFormat = "$residual `,` $input attr-dict `:` type($result)";
}

def Fastnorm_RmsNormOp : Fastnorm_GraphOp<"rms_norm"> {
  let summary = "rows divided by their root mean square, times a weight";
  let description = [{
    `rstd[r] = 1 / √(mean over c of f32(input[r, c])² + eps)`

    `result[r, c] = round(f32(input[r, c]) · rstd[r] · (f32(weight[c]) + weight_offset))`

    The products are taken from left to right in f32 and rounded once. Without a weight its factor is left out.

    - C1: input and result have the same shape.
    - C2: weight has the hidden size of input.
    - C3: rstd has the rows of input.
    - C4: eps is finite and not negative; weight_offset is finite.
    - C5: a weight_offset other than 0 needs a weight.
    - C6: hidden is static and from 1 to 2^24.

    ```mlir
    %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}
       : tensor<?x3072xbf16>, tensor<3072xf32> -> tensor<?x3072xbf16>
    %z, %rstd = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<?x3072xbf16> -> tensor<?x3072xbf16>, tensor<?xf32>
    ```
  }];
  let arguments = (ins
    Arg<Fastnorm_Rows, "the rows">:$input,
    Arg<Optional<Fastnorm_Weight>, "the factor of each column">:$weight,
    F32Attr:$eps,
    DefaultValuedAttr<F32Attr, "0.0f">:$weight_offset);
  let results = (outs
    Res<Fastnorm_Rows, "the normalized rows">:$result,
    Res<Optional<Fastnorm_RowStatistic>, "the reciprocal root mean square of each row, for a backward pass">:$rstd);
  let assemblyFormat = [{
    $input (`weight` `(` $weight^ `)`)? attr-dict `:` type($input) (`,` type($weight)^)? `->` type($result)
    (`,` type($rstd)^)?
  }];
}

#endif // FASTNORM_IR_GRAPHOPS_TD
