//===- ScheduleSearch.h - Which schedule is tried next ----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TUNING_SCHEDULESEARCH_H
#define FASTNORM_LIB_TUNING_SCHEDULESEARCH_H

#include "fastnorm/CostModel/ScheduleCandidates.h"
#include "fastnorm/CostModel/ScheduleTable.h"
#include "fastnorm/Tuning/IsolatedKernel.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/DenseSet.h"

#include <deque>
#include <memory>

namespace fastnorm {

/// Walks over the schedules that a kernel can have. First come those that an older table has for it, then shapes and
/// the neighbours of the cost model's choice, by its predictions; whenever a better schedule was found, the neighbours
/// of that one. What the model says is far slower than its choice is never tried.
class ScheduleSearch {
public:
  /// `known`: a table that may have the kernel, or null.
  static Result<ScheduleSearch> create(const IsolatedKernel &kernel, const CompileOptions &options,
                                       const ScheduleTable *known);

  /// The cost model's choice, which next() leaves out.
  const std::string &modelChoice() const { return choice; }
  /// Whether more rows than the kernel's change nothing but the time: they do not fit into the L2.
  bool servesMore() const { return areManyRows; }
  /// The next schedules to try, at most so many; none: all were.
  std::vector<std::string> next(size_t most);
  /// The fastest so far is that.
  void improved(const std::string &schedule);

private:
  ScheduleSearch() = default;
  void enqueue(std::vector<ScheduleCandidate> candidates, bool areFirst);
  ScheduleAttr attributeOf(const std::string &schedule) const;

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<AccessPattern> pattern;
  TargetAttr target;
  int64_t rows = 0;
  std::string choice;
  bool areManyRows = false;
  double mostModelUs = 0;
  std::deque<ScheduleAttr> queue;
  llvm::DenseSet<ScheduleAttr> seen;
};

/// A context that knows every dialect, for one thread.
std::unique_ptr<mlir::MLIRContext> createTuningContext();

/// The kernel of the text of an isolated one that was parsed.
KernelOp isolatedKernelIn(mlir::ModuleOp module);

} // namespace fastnorm

#endif // FASTNORM_LIB_TUNING_SCHEDULESEARCH_H
