//===- Dialect.td - The fastnorm dialect -*- tablegen -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_IR_DIALECT_TD
#define FASTNORM_IR_DIALECT_TD

include "mlir/IR/OpBase.td"

def Fastnorm_Dialect : Dialect {
  let name = "fastnorm";
  let cppNamespace = "::fastnorm";
  let summary = "Gather, combine, reduce and normalize graphs, from what people write to what a kernel does";
  let description = [{
    Two levels over three axes, *row*, *slot* and *hidden*.

    **Graph level**: `fastnorm.gather`, `fastnorm.combine`, `fastnorm.residual_add`, `fastnorm.rms_norm`,
    `fastnorm.layer_norm` on ranked tensors. The last dimension is hidden and static; those before it are rows, the first static or `?`;
    without any, a norm's or a residual_add's tensor is one row.
    Storage is f32, bf16 or f16, results also f8E4M3FN; arithmetic and sums are f32; indices are i32 or i64.

    **Kernel level**: `fastnorm.map`, `fastnorm.reduce`, `fastnorm.gather` inside a `fastnorm.kernel`. Every value
    carries a subset of the axes and broadcasts along the rest. Every rounding is an explicit cast in a map.

    A row index below 0, or at or past the number of rows it points into, is a *dropped slot*: nothing is loaded and
    it adds nothing, whatever the gate or the unreferenced rows hold.

    What functions and modules carry beside ops:

    | attribute | on | meaning |
    |---|---|---|
    | `fastnorm.name` | function arguments and results | the name that files and Plans bind by |
    | `fastnorm.symbols` | function arguments and results | names of the `?` dimensions, in order; equal names are equal extents |
    | `fastnorm.result` | function arguments | the result whose buffer the argument shares: it is computed in place; of a lowered function, the result that the argument is |
    | `fastnorm.tied` | arguments of a lowered function | the result whose buffer the argument shares |
    | `fastnorm.single_row` | function arguments and results | the caller's tensor is one row of rank 1; the dimension of 1 before it is not there |
    | `fastnorm.no_gradient` | function arguments and results | `fastnorm-differentiate` asks for no gradient of the argument, or takes none of the result |
    | `fastnorm.gradient_of` | results of a backward function | the names of the arguments whose gradient the result is |
    | `fastnorm.indexes` | integer arguments | the symbol of the rows it points into |
    | `fastnorm.target` | the module | the `#fastnorm.target` that is compiled for |
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Fastnorm_Op<string mnemonic, list<Trait> traits = []> : Op<Fastnorm_Dialect, mnemonic, traits>;

#endif // FASTNORM_IR_DIALECT_TD
