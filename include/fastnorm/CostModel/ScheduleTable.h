//===- ScheduleTable.h - Schedules that were measured -----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_COSTMODEL_SCHEDULETABLE_H
#define FASTNORM_COSTMODEL_SCHEDULETABLE_H

#include "fastnorm/Support/Result.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm {

/// The fastest schedule that was found for a kernel at a number of rows, and the rows around it that it serves.
struct TunedSchedule {
  int64_t low = 1;
  int64_t high = INT64_MAX;
  int64_t rows = 1;     ///< it was measured with: the first extent of the kernel's rows
  std::string schedule; ///< "#fastnorm.schedule<…>"
  double us = 0;        ///< of a launch of the kernel with it
  double modelUs = 0;   ///< of one with the cost model's choice, in turns with it
  std::string date;     ///< "2026-12-02"

  /// How much longer the cost model's choice takes; at least 1.
  double regret() const { return modelUs > us && us > 0 ? modelUs / us : 1.0; }
};

struct TunedKernel {
  std::string name;                     ///< of one that was measured, for people
  std::string signature;                ///< kernelSignature
  std::vector<TunedSchedule> schedules; ///< by rows, ascending; what they serve does not overlap
};

/// What was measured on one kind of GPU, as a JSON file holds it (docs/Tuning.md).
struct ScheduleTable {
  /// Files of another format are refused.
  static constexpr int64_t kFormat = 1;

  std::string target; ///< "h200"
  std::string chip;   ///< "sm_90"
  std::vector<TunedKernel> kernels;

  /// Strict: a text that is damaged, of another format or version of the compiler, or that holds what this reader does
  /// not know, is refused with a sentence that says what and where.
  static Result<ScheduleTable> parse(llvm::StringRef text);
  /// Reads a file; errors begin with its path.
  static Result<ScheduleTable> read(const std::string &path);
  /// The table that the compiler brings for a target; nothing where it has none.
  static const ScheduleTable *shipped(llvm::StringRef target);

  /// Whether every schedule is an attribute of this compiler; the error names the first that is not.
  Status checkSchedules(mlir::MLIRContext &context) const;

  const TunedKernel *find(llvm::StringRef signature) const;
  /// Puts a measurement in the place of an older one at the same rows, and lets each of the kernel's schedules serve
  /// the rows around its own: half as many and twice as many, up to the geometric mean with a neighbour's.
  /// `servesMore`: it serves all rows from there on, as long as it is the one of the most.
  void add(const std::string &name, const std::string &signature, TunedSchedule measured, bool servesMore);
  /// Adds all of another table's schedules that this one has none at the same rows for.
  void merge(const ScheduleTable &older);

  /// The text of the file.
  std::string str() const;
};

/// The schedule of a kernel that serves a number of rows; without one (of many, or of any), that which serves any from
/// some on. Nothing where there is none.
const TunedSchedule *findTuned(const TunedKernel &kernel, std::optional<int64_t> rows);

} // namespace fastnorm

#endif // FASTNORM_COSTMODEL_SCHEDULETABLE_H
