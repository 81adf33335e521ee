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

def Fastnorm_Storage : AnyTypeOf<[F32, BF16, F16], "f32, bf16 or f16">;
/// What a result may also be rounded to.
def Fastnorm_ResultStorage : AnyTypeOf<[F32, BF16, F16, F8E4M3FN], "f32, bf16, f16 or f8E4M3FN">;
def Fastnorm_Index : AnyTypeOf<[I32, I64], "i32 or i64">;
class Fastnorm_TensorOf<Type element, list<int> ranks, string shape>
  : Type<And<[TensorRankOf<[element], ranks>.predicate]>, shape # " tensor of " # element.summary, "::mlir::RankedTensorType">;
// `rows` stands for one to three dimensions, of which only the first may be dynamic.
def Fastnorm_Rows : Fastnorm_TensorOf<Fastnorm_Storage, [2, 3, 4], "[rows, hidden]">;
def Fastnorm_ResultRows : Fastnorm_TensorOf<Fastnorm_ResultStorage, [2, 3, 4], "[rows, hidden]">;
// A norm and a residual_add also take one row, of rank 1.
def Fastnorm_RowOrRows : Fastnorm_TensorOf<Fastnorm_Storage, [1, 2, 3, 4], "[rows, hidden]">;
def Fastnorm_ResultRowOrRows : Fastnorm_TensorOf<Fastnorm_ResultStorage, [1, 2, 3, 4], "[rows, hidden]">;
def Fastnorm_Table : Fastnorm_TensorOf<Fastnorm_Storage, [2], "[expert_rows, hidden]">;
def Fastnorm_RowIndex : Fastnorm_TensorOf<Fastnorm_Index, [2, 3, 4], "[rows, top_k]">;
def Fastnorm_Gate : Fastnorm_TensorOf<Fastnorm_Storage, [2, 3, 4], "[rows, top_k]">;
def Fastnorm_Weight : Fastnorm_TensorOf<Fastnorm_Storage, [1, 2], "[hidden] or [heads, hidden]">;
def Fastnorm_RowStatistic : Fastnorm_TensorOf<F32, [1, 2, 3], "[rows]">;
/// Of rank 0 where someone asks for it beside one row; the verifier says what to write.
def Fastnorm_ResultStatistic : Fastnorm_TensorOf<F32, [0, 1, 2, 3], "[rows]">;

class Fastnorm_GraphOp<string mnemonic, list<Trait> traits = []>
  : Fastnorm_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<Fastnorm_RowOpInterface>,
      DeclareOpInterfaceMethods<Fastnorm_GraphOpInterface>], traits)> {
  let hasVerifier = 1;
}

def Fastnorm_CombineOp : Fastnorm_GraphOp<"combine",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<Fastnorm_DifferentiableOpInterface>]> {
  let summary = "weighted sum of the expert rows of each token";
  let description = [{
    `result[t, c] = round(Σₖ f32(expert_rows[row_index[t, k], c]) · f32(gate[t, k]) + f32(shared[t, c]))`

    Slots are added in ascending order in f32, each by one fused multiply-add, then the shared expert's row; the sum is
    rounded once to the result's type. Without a gate every factor is 1. A slot whose row index is below 0, or at or past
    the number of expert rows, is dropped: it adds nothing. `index_map` says what is known of the other indices; gradients
    make use of it (`fastnorm.scatter`).

    - C1: expert_rows, shared and result have the same hidden size.
    - C2: gate and row_index have the same shape.
    - C3: row_index, shared and result have the same row dimensions.
    - C4: hidden is static and from 1 to 2^24, top_k is static and from 1 to 64.

    ```mlir
    %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
       : tensor<?x3072xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x3072xbf16>
    %s = fastnorm.combine %expert_rows[%row_index] gate(%gate) shared(%shared)
       : tensor<?x3072xbf16>, tensor<?x8xi64>, tensor<?x8xf32>, tensor<?x3072xbf16> -> tensor<?x3072xbf16>
    ```
  }];
  let arguments = (ins
    Arg<Fastnorm_Table, "rows in expert order">:$expert_rows,
    Arg<Fastnorm_RowIndex, "for each token, its k rows in expert_rows">:$row_index,
    Arg<Optional<Fastnorm_Gate>, "the factor of each slot">:$gate,
    Arg<Optional<Fastnorm_Rows>, "the output of an expert that every token has">:$shared,
    DefaultValuedAttr<Fastnorm_IndexMapAttr, "::fastnorm::IndexMap::Any">:$index_map);
  let results = (outs Res<Fastnorm_ResultRows, "one row per token">:$result);
  let assemblyFormat = [{
    $expert_rows `[` $row_index `]` (`index_map` `(` $index_map^ `)`)? (`gate` `(` $gate^ `)`)? (`shared` `(` $shared^ `)`)? attr-dict `:` type(operands)
    `->` type(results)
  }];
}

def Fastnorm_ResidualAddOp : Fastnorm_GraphOp<"residual_add",
    [DeclareOpInterfaceMethods<Fastnorm_DifferentiableOpInterface>]> {
  let summary = "residual stream plus a block's output";
  let description = [{
    `result = round(f32(residual) + f32(input))`

    Where all three types are one, it is written once.

    - C1: residual, input and result have the same shape.
    - C2: hidden is static and from 1 to 2^24.

    ```mlir
    %s = fastnorm.residual_add %residual, %h : tensor<?x3072xbf16>
    %t = fastnorm.residual_add %stream, %h : tensor<?x3072xf32>, tensor<?x3072xbf16> -> tensor<?x3072xf32>
    ```
  }];
  let arguments = (ins
    Arg<Fastnorm_RowOrRows, "the stream">:$residual,
    Arg<Fastnorm_RowOrRows, "what is added to it">:$input);
  let results = (outs Res<Fastnorm_ResultRowOrRows, "the sum">:$result);
  let assemblyFormat = [{
    $residual `,` $input attr-dict `:` custom<OneOrEachType>(type($residual), type($input), type($result))
  }];
}

/// A norm's rows, affine parameters and where it rounds.
class Fastnorm_NormOp<string mnemonic> : Fastnorm_GraphOp<mnemonic,
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<Fastnorm_DifferentiableOpInterface>]> {
  let arguments = (ins
    Arg<Fastnorm_RowOrRows, "the rows, or one row of rank 1">:$input,
    Arg<Optional<Fastnorm_Weight>, "the factor of each column">:$weight,
    Arg<Optional<Fastnorm_Weight>, "what is added to each column">:$bias,
    F32Attr:$eps,
    DefaultValuedAttr<F32Attr, "0.0f">:$weight_offset,
    UnitAttr:$round_xhat);
  let assemblyFormat = [{
    $input (`weight` `(` $weight^ `)`)? (`bias` `(` $bias^ `)`)? attr-dict `:` type(operands) `->` type(results)
  }];
}

def Fastnorm_RmsNormOp : Fastnorm_NormOp<"rms_norm"> {
  let summary = "rows divided by their root mean square, times a weight";
  let description = [{
    `rstd[r] = 1 / √(mean over c of f32(input[r, c])² + eps)`

    `xhat[r, c] = f32(input[r, c]) · rstd[r]`

    `result[r, c] = round(xhat[r, c] · (f32(weight[c]) + weight_offset) + f32(bias[c]))`

    The products are taken from left to right in f32 and rounded once; the bias is added by a fused multiply-add. Without
    a weight its factor is left out, without a bias its addition. With `round_xhat`, xhat is rounded to the input's type
    before the weight multiplies it.

    - C1: input and result have the same shape.
    - C2: weight and bias have the hidden size of input and, where they have heads, the innermost row dimension of input.
    - C3: rstd has the row dimensions of input, which has one at least.
    - C4: eps is finite and not negative; weight_offset is finite.
    - C5: a weight_offset other than 0 needs a weight.
    - C6: hidden is static and from 1 to 2^24.

    ```mlir
    %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}
       : tensor<?x3072xbf16>, tensor<3072xf32> -> tensor<?x3072xbf16>
    %z, %rstd = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<?x3072xbf16> -> tensor<?x3072xbf16>, tensor<?xf32>
    ```
  }];
  let results = (outs
    Res<Fastnorm_ResultRowOrRows, "the normalized rows">:$result,
    Res<Optional<Fastnorm_ResultStatistic>, "the reciprocal root mean square of each row, for a backward pass">:$rstd);
}

def Fastnorm_LayerNormOp : Fastnorm_NormOp<"layer_norm"> {
  let summary = "rows less their mean, divided by their standard deviation, times a weight, plus a bias";
  let description = [{
    `mean[r] = mean over c of f32(input[r, c])`

    `rstd[r] = 1 / √(mean over c of (f32(input[r, c]) − mean[r])² + eps)`

    `xhat[r, c] = (f32(input[r, c]) − mean[r]) · rstd[r]`

    `result[r, c] = round(xhat[r, c] · (f32(weight[c]) + weight_offset) + f32(bias[c]))`

    The mean comes first, then the sum of the centred squares: never E[x²] − E[x]², which cancels. The rest is as in
    `fastnorm.rms_norm`.

    - C1: input and result have the same shape.
    - C2: weight and bias have the hidden size of input and, where they have heads, the innermost row dimension of input.
    - C3: statistics are none, or two: mean and rstd, with the row dimensions of input, which has one at least.
    - C4: eps is finite and not negative; weight_offset is finite.
    - C5: a weight_offset other than 0 needs a weight.
    - C6: hidden is static and from 1 to 2^24.

    ```mlir
    %y = fastnorm.layer_norm %x weight(%weight) bias(%bias) {eps = 1.0e-5 : f32}
       : tensor<?x1024xbf16>, tensor<1024xf32>, tensor<1024xf32> -> tensor<?x1024xbf16>
    %z, %mean, %rstd = fastnorm.layer_norm %x {eps = 1.0e-5 : f32}
       : tensor<?x1024xbf16> -> tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>
    ```
  }];
  let results = (outs
    Res<Fastnorm_ResultRowOrRows, "the normalized rows">:$result,
    Res<Variadic<Fastnorm_ResultStatistic>, "mean and rstd of each row, for a backward pass">:$statistics);
}

include "fastnorm/IR/BackwardOps.td"

#endif // FASTNORM_IR_GRAPHOPS_TD
