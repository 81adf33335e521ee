//===- KernelOps.td - The kernel algebra -*- tablegen -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_IR_KERNELOPS_TD
#define FASTNORM_IR_KERNELOPS_TD

include "fastnorm/IR/Attributes.td"
include "fastnorm/IR/Interfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Fastnorm_Element : AnyTypeOf<[F32, BF16, F16, F8E4M3FN, I1, I8, I32, I64],
  "f32, bf16, f16, f8E4M3FN, i1, i8, i32 or i64">;
def Fastnorm_Tensor : Type<And<[TensorRankOf<[Fastnorm_Element], [1, 2, 3, 4, 5]>.predicate]>,
  "tensor of f32, bf16, f16, f8E4M3FN, i1, i8, i32 or i64 of rank 1 to 5", "::mlir::RankedTensorType">;

class Fastnorm_KernelAlgebraOp<string mnemonic, list<Trait> traits = []>
  : Fastnorm_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<Fastnorm_RowOpInterface>], traits)> {
  let hasVerifier = 1;
}

def Fastnorm_MapOp : Fastnorm_KernelAlgebraOp<"map", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "a scalar function of values that broadcast over the axes they lack";
  let description = [{
    `result[i] = body(operand₀[i restricted to its axes], …)` for every index i of the result's axes.

    The body holds scalar `arith` and `math` ops only. A rounding happens exactly where it has a cast. A multiply and an
    add are contracted to one fused multiply-add only where both carry `fastmath<contract>`.

    - C1: one axes attribute per operand, of the operand's rank; the result's axes have the result's rank.
    - C2: the axes of each operand are among the result's, or group where the result has hidden: each element then stands
      for its group. Of row dimensions an operand has all of the result's, or the head alone, or all but the head; where a
      row stands for the head of another value it lies as that value does.
    - C3: dimensions of one axis agree.
    - C4: the body has one argument per operand, of its element type, and yields the result's element type.
    - C5: the body uses only its arguments and these ops: `arith.constant`, `addf`, `subf`, `mulf`, `divf`, `negf`,
      `maximumf`, `minimumf`, `cmpf`, `select`; `math.rsqrt`, `sqrt`, `absf`, `fma`, `exp2`, `log2`, `roundeven`; and the
      conversions `arith.extf`, `truncf`, `sitofp`, `fptosi`. Arithmetic is on f32 and i1, conversions between f32 and
      bf16, f16, f8E4M3FN, i8 or i32.

    `truncf` rounds to nearest even, and to f8E4M3FN saturates at ±448. `fptosi` rounds toward zero and saturates; NaN
    becomes 0.

    ```mlir
    %y = fastnorm.map(%x [row, hidden], %rstd [row]) -> [row, hidden]
       : (tensor<?x64xbf16>, tensor<?xf32>) -> tensor<?x64xf32> {
    ^bb0(%a: bf16, %r: f32):
      %f = arith.extf %a : bf16 to f32
      %n = arith.mulf %f, %r : f32
      fastnorm.yield %n : f32
    }
    ```
  }];
  let arguments = (ins
    Arg<Variadic<Fastnorm_Tensor>, "what the body reads, one element at a time">:$inputs,
    Fastnorm_AxesArrayAttr:$operand_axes,
    Fastnorm_AxesAttr:$result_axes);
  let results = (outs Res<Fastnorm_Tensor, "one element per index of the result's axes">:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` custom<OperandsWithAxes>($inputs, $operand_axes) `)` `->` custom<BareAxes>($result_axes) attr-dict `:`
    functional-type($inputs, $result) $body
  }];
}

def Fastnorm_ReduceOp : Fastnorm_KernelAlgebraOp<"reduce"> {
  let summary = "combination of all elements along one axis";
  let description = [{
    `result = identity ⊕ input[0] ⊕ input[1] ⊕ …` along the axis. With `group = g`, hidden is combined in runs of g
    neighbours, and the result has the axis group, of hidden / g elements, in its place.

    Along slot the order is ascending. Along hidden and along row the order is fixed by the schedule and does not change
    from run to run (along row, with the number of rows). Where several dimensions are rows all of them are reduced, but
    for a head, which stays: a kernel can reduce [row, hidden] to [hidden] and [row, head, hidden] to [head, hidden].
    Where the input is a map that ends in a multiply with `fastmath<contract>`, `add` contracts with it.

    | combiner | identity | NaN |
    |---|---|---|
    | add | 0 | travels |
    | max, min | −∞, +∞ | travels |

    - C1: the axes have the input's rank and include the reduced axis.
    - C2: the result has the input's shape without the reduced dimension, or with the number of groups in its place; both
      are f32.
    - C3: the axis is row, slot or hidden.
    - C4: a group is a run along hidden of at least 1 that divides it.

    ```mlir
    %sum = fastnorm.reduce add hidden (%x [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    %column = fastnorm.reduce add row (%x [row, hidden]) : tensor<?x64xf32> -> tensor<64xf32>
    %most = fastnorm.reduce max hidden (%x [row, hidden]) {group = 16 : i64} : tensor<?x64xf32> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins
    Arg<Fastnorm_Tensor, "what is combined">:$input,
    Fastnorm_CombinerAttr:$combiner,
    Fastnorm_AxisAttr:$axis,
    Fastnorm_AxesAttr:$operand_axes,
    OptionalAttr<I64Attr>:$group);
  let results = (outs Res<Fastnorm_Tensor, "one element per index of the remaining axes">:$result);
  let extraClassDeclaration = [{
    /// The operand's axes without the reduced one, or with group in its place.
    AxesAttr getResultAxes();
  }];
  let assemblyFormat = [{
    $combiner $axis `(` $input custom<BareAxes>($operand_axes) `)` attr-dict `:` type($input) `->` type($result)
  }];
}

def Fastnorm_GatherOp : Fastnorm_KernelAlgebraOp<"gather",
    [DeclareOpInterfaceMethods<Fastnorm_DifferentiableOpInterface>]> {
  let summary = "rows of a table, chosen by an index";
  let description = [{
    `result[r, k, :] = table[index[r, k], :]` and `present[r, k] = 1`; for a dropped slot, whose index is below 0 or at or
    past the table's rows, zeros and 0, and nothing is loaded. An index of axes [row] chooses one row each. `index_map` says
    what is known of the index; the gradient of the table makes use of it (`fastnorm.scatter`).

    - C1: the result's shape is the index's followed by the table's hidden size, with the table's element type.
    - C2: present has the index's shape.
    - C3: the index has the axes [row], or [row, slot] with any number of row dimensions.

    ```mlir
    %rows, %present = fastnorm.gather %table[%index]
       : tensor<?x64xbf16>, tensor<?x8xi64> -> tensor<?x8x64xbf16>, tensor<?x8xi1>
    %chosen = fastnorm.gather %table[%order] : tensor<?x64xbf16>, tensor<?xi32> -> tensor<?x64xbf16>
    ```
  }];
  let arguments = (ins
    Arg<Fastnorm_Tensor, "the rows to choose from">:$table,
    Arg<Fastnorm_Tensor, "which row each slot takes">:$index,
    DefaultValuedAttr<Fastnorm_IndexMapAttr, "::fastnorm::IndexMap::Any">:$index_map);
  let results = (outs
    Res<Fastnorm_Tensor, "the chosen rows">:$result,
    Res<Optional<Fastnorm_Tensor>, "which slots are not dropped">:$present);
  let assemblyFormat = [{
    $table `[` $index `]` (`index_map` `(` $index_map^ `)`)? attr-dict `:` type($table) `,` type($index) `->` type($result) (`,` type($present)^)?
  }];
}

def Fastnorm_ScatterOp : Fastnorm_KernelAlgebraOp<"scatter"> {
  let summary = "rows put to where an index says";
  let description = [{
    `result[e, :] = round(Σ over r, k with index[r, k] = e of f32(rows[r, k, :]))`

    A slot whose index is below 0, or at or past the result's rows, is dropped: it is stored nowhere. A row of the result that
    no slot names is that of `into`, or zeros without it. Slots that name one row are added up in f32 in ascending order of r
    and then of k, a multiply with `fastmath<contract>` that ends in the rows' map by a fused multiply-add; the sum is rounded
    once to the result's type.

    | index_map | promises that | then |
    |---|---|---|
    | any | nothing | slots that name one row are found first, in launches of their own |
    | injective | no two slots that are not dropped name one row | rows of the result are filled, and then stored to |
    | bijective | each row of the result is named by one slot | rows are stored to |

    A promise that does not hold leaves rows of the result undefined.

    - C1: rows have the shape of the index, followed by the result's hidden size; they are f32, bf16 or f16, and so is the
      result, of rank 2.
    - C2: into has the result's type and goes with index_map injective.
    - C3: the index has the axes [row], or [row, slot] with any number of row dimensions.

    ```mlir
    %moved = fastnorm.scatter %rows[%order] index_map(bijective) : tensor<?x64xbf16>, tensor<?xi32> -> tensor<?x64xbf16>
    %grad = fastnorm.scatter %slots[%index] : tensor<?x8x64xf32>, tensor<?x8xi64> -> tensor<?x64xbf16>
    ```
  }];
  let arguments = (ins
    Arg<Fastnorm_Tensor, "the rows, one for each slot">:$rows,
    Arg<Fastnorm_Tensor, "which row of the result each slot goes to">:$index,
    Arg<Optional<Fastnorm_Tensor>, "what the rows are that no slot names">:$into,
    DefaultValuedAttr<Fastnorm_IndexMapAttr, "::fastnorm::IndexMap::Any">:$index_map);
  let results = (outs Res<Fastnorm_Tensor, "one row for each value that an index may have">:$result);
  let extraClassDeclaration = [{
    /// Whether slots may name the same row.
    bool accumulates() { return getIndexMap() == IndexMap::Any; }
    ::llvm::SmallVector<std::pair<::mlir::Value, ::mlir::Value>> getEqualTables();
  }];
  let assemblyFormat = [{
    $rows `[` $index `]` (`index_map` `(` $index_map^ `)`)? (`into` `(` $into^ `)`)? attr-dict `:` type(operands) `->`
    type($result)
  }];
}

def Fastnorm_KernelOp : Fastnorm_Op<"kernel", [IsolatedFromAbove, SingleBlock, Pure,
    DeclareOpInterfaceMethods<Fastnorm_RowOpInterface>]> {
  let summary = "ops of the kernel algebra that run as one launch";
  let description = [{
    The body sees the inputs as its block arguments and yields the results. One kernel becomes one launch.

    - C1: one body argument per input, of its type; the body yields the results' types.
    - C2: the body holds only fastnorm.map, reduce, gather and scatter.
    - C3: every argument is used with the same axes everywhere; a table is only a table. What a scatter goes into is an
      argument that nothing else uses, and its result is yielded and used by nothing else.
    - C4: results are computed in the body and carry [row], [row, slot], [row, hidden] or [row, group], with all row
      dimensions, or are computed from a reduction over row and carry [hidden] or [head, hidden], or are scattered.
    - C5: all values that carry hidden have the same hidden size, from 1 to 2^24, all that carry slot the same top_k, from
      1 to 64, all that carry group the same number of groups, which divides hidden. Row dimensions agree; of them only
      the first may be dynamic.
    - C6: what carries row is not computed from a reduction over row.

    ```mlir
    %s = fastnorm.kernel "residual_add" (%a = %x, %b = %h) : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32> {
      %0 = fastnorm.map(%a [row, hidden], %b [row, hidden]) -> [row, hidden]
         : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32> {
      ^bb0(%c: f32, %d: f32):
        %1 = arith.addf %c, %d : f32
        fastnorm.yield %1 : f32
      }
      fastnorm.yield %0 : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<Variadic<Fastnorm_Tensor>, "what the body reads">:$inputs,
    StrAttr:$name,
    OptionalAttr<Fastnorm_ScheduleAttr>:$schedule);
  let results = (outs Res<Variadic<Fastnorm_Tensor>, "what the body yields">:$results);
  let regions = (region SizedRegion<1>:$body);
  let extraClassDeclaration = [{
    ::llvm::SmallVector<std::pair<::mlir::Value, ::mlir::Value>> getEqualTables();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def Fastnorm_YieldOp : Fastnorm_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["MapOp", "KernelOp"]>]> {
  let summary = "the values a map's or kernel's body computes";
  let description = [{
    ```mlir
    fastnorm.yield %0 : f32
    ```
  }];
  let arguments = (ins Arg<Variadic<AnyType>, "one value per result">:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{}]>];
}

#endif // FASTNORM_IR_KERNELOPS_TD
