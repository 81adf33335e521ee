//===- Variants.h - A function once per row range ---------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TRANSFORMS_VARIANTS_H
#define FASTNORM_LIB_TRANSFORMS_VARIANTS_H

#include "fastnorm/Analysis/Symbols.h"
#include "fastnorm/IR/KernelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace fastnorm {

/// Nothing is decided anew beyond so many rows.
inline constexpr int64_t kManyRows = int64_t(1) << 20;

/// Calls `change` at the row counts behind `low`, ascending, from which on a decision does not hold any more: `isKept`
/// says whether the one made last does for so many rows. Looks at each doubling up to `last`, and then closer.
void forEachChange(int64_t low, int64_t last, llvm::function_ref<bool(int64_t)> isKept,
                   llvm::function_ref<void(int64_t)> change);

/// Reads name=value texts, values from 0; a diagnostic says what is wrong with one.
mlir::FailureOr<llvm::StringMap<int64_t>> parseKnownSymbols(mlir::MLIRContext *context,
                                                            llvm::ArrayRef<std::string> texts);

/// The symbol that counts the rows of a function's first kernel that has a dynamic number of them; empty: none has.
std::string rowsSymbolOf(mlir::func::FuncOp function, const Symbols &symbols);

/// The range of a symbol that a function serves.
RangeAttr servedRange(mlir::func::FuncOp function, llvm::StringRef symbol);

/// The parts of `range` that begin at its start and at each further one of `starts`, ascending; where the symbol's
/// value is known, only the part that holds it.
llvm::SmallVector<RangeAttr> splitRange(RangeAttr range, llvm::ArrayRef<int64_t> starts,
                                        const llvm::StringMap<int64_t> &known);

/// A copy of `function` behind it, a variant of the same graph.
mlir::func::FuncOp cloneBehind(mlir::ModuleOp module, mlir::func::FuncOp function);

/// Lets a function stand once per range, itself for the first of them, the others behind it; all of them, in order.
llvm::SmallVector<mlir::func::FuncOp> standPerRange(mlir::ModuleOp module, mlir::func::FuncOp function,
                                                    llvm::ArrayRef<RangeAttr> ranges);

/// " for rows from 4 to 7", " for rows from 8 on".
std::string describeRange(RangeAttr range);

} // namespace fastnorm

#endif // FASTNORM_LIB_TRANSFORMS_VARIANTS_H
