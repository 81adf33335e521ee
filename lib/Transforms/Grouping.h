//===- Grouping.h - Which kernels share a launch ----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TRANSFORMS_GROUPING_H
#define FASTNORM_LIB_TRANSFORMS_GROUPING_H

#include "fastnorm/IR/KernelOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <string>
#include <vector>

namespace fastnorm {

/// A producer and a reader of its results among the kernels of a grouping, and why they cannot be one; empty: they can.
struct KernelPair {
  // Mutable: an op is a handle, and its accessors are not const.
  mutable KernelOp producer;
  mutable KernelOp consumer;
  std::string whyNot;
};

/// One way to lay the kernels of a function, which are numbered in their order, over fewer of them: a copy of the
/// function in which they are merged so.
class Grouping {
public:
  /// Every kernel by itself.
  explicit Grouping(mlir::func::FuncOp original);

  mlir::func::FuncOp function() const { return *copy; }
  llvm::SmallVector<KernelOp> kernels() const;
  /// The numbers of the kernels that became this one, ascending.
  llvm::ArrayRef<unsigned> members(KernelOp kernel) const { return membersOf.find(kernel)->second; }
  bool areTogether(unsigned first, unsigned second) const { return groupOf[first] == groupOf[second]; }
  /// For each kernel the lowest number of its group: equal for equal groupings.
  llvm::ArrayRef<unsigned> groups() const { return groupOf; }
  /// "combine,residual_add+rms_norm": what `fuse=plan:` takes.
  std::string str() const;
  /// What the kernels of a function are called there: their names, with #2, #3, … behind one that others have before
  /// it.
  static std::vector<std::string> namesOf(mlir::func::FuncOp original);

  /// Every kernel with each kernel whose results it reads, in order. Fails, with a diagnostic, where symbols contradict
  /// each other.
  mlir::FailureOr<std::vector<KernelPair>> pairs() const;
  /// This grouping with a pair of it made one; nothing where no schedule of the target runs it, or where an argument
  /// would be read after a result was written over it.
  std::optional<Grouping> with(const KernelPair &pair, TargetAttr target) const;

private:
  Grouping() = default;

  mlir::OwningOpRef<mlir::func::FuncOp> copy;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> membersOf;
  llvm::SmallVector<unsigned> groupOf;
  std::vector<std::string> names;
};

/// What a grouping costs, in any unit.
using GroupingCost = std::function<double(const Grouping &)>;

/// Groupings of a function from the one of single kernels on, which is the first: all that pairs lead to. Of many
/// kernels only those that come of fusing, pair by pair in order, what does not raise one of the costs; of many
/// groupings those that the cheapest by the first cost lead to.
mlir::FailureOr<std::vector<Grouping>> enumerateGroupings(mlir::func::FuncOp function, TargetAttr target,
                                                          llvm::ArrayRef<GroupingCost> costs);

/// The grouping in which everything is fused that can be, pair by pair in order; with a cost, what does not raise it.
mlir::FailureOr<Grouping> fuseInOrder(mlir::func::FuncOp function, TargetAttr target, const GroupingCost &cost = {});

/// The grouping that a text names: groups apart by commas, kernels of one group by +; kernels that are not named stay
/// by themselves. A diagnostic says what the text has wrong, or why kernels of a group cannot share a launch.
mlir::FailureOr<Grouping> parseGrouping(mlir::func::FuncOp function, TargetAttr target, llvm::StringRef text);

} // namespace fastnorm

#endif // FASTNORM_LIB_TRANSFORMS_GROUPING_H
