//===- AccessPattern.h - How a kernel reads and when -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_ANALYSIS_ACCESSPATTERN_H
#define FASTNORM_ANALYSIS_ACCESSPATTERN_H

#include "fastnorm/IR/KernelOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>

namespace fastnorm {

/// Elements of a group at most: the 32 lanes of a warp with 16 elements each.
inline constexpr int64_t kMostGroupSize = 512;

/// Facts of a kernel that schedules and lowerings build on; no decisions.
///
/// The *phase* of a value is the number of hidden reductions it depends on. A value that varies along row and hidden
/// and is used in a later phase than its own *crosses*.
struct AccessPattern {
  explicit AccessPattern(KernelOp kernel);

  /// Mutable: an op is a handle, and its accessors are not const.
  mutable KernelOp kernel;
  /// 1 where nothing carries the axis.
  int64_t hidden = 1;
  int64_t slots = 1;
  bool hasGroups = false;
  int64_t groups = 1; ///< of hidden
  int64_t phases = 1;

  /// A sum of a row over hidden, or another combination: one f32.
  struct RowSum {
    ReduceOp reduce;
    int64_t slot; ///< of a reduction of [row, slot, hidden], which has one for each; else 0
  };
  llvm::SmallVector<RowSum> rowSums; ///< of the row reductions, in order

  // Body arguments by how they are read. [row] stands for any row dimensions.
  llvm::SmallVector<mlir::BlockArgument> streamed;     ///< [row, hidden]
  llvm::SmallVector<mlir::BlockArgument> invariants;   ///< [hidden] and [head, hidden]
  llvm::SmallVector<mlir::BlockArgument> rowScalars;   ///< [row] and [head]
  llvm::SmallVector<mlir::BlockArgument> slotScalars;  ///< [row, slot]
  llvm::SmallVector<mlir::BlockArgument> groupScalars; ///< [row, group]
  llvm::SmallVector<mlir::BlockArgument> tables;       ///< gathered from
  llvm::SmallVector<GatherOp> gathers;                 ///< with an index of [row, slot]
  llvm::SmallVector<GatherOp> rowGathers;       ///< with an index of [row]: streamed, each row from its own place
  llvm::SmallVector<ReduceOp> rowReductions;    ///< over hidden, in order
  llvm::SmallVector<ScatterOp> scatters;        ///< that are yielded, in order
  llvm::SmallVector<ReduceOp> columnReductions; ///< over row, in order; each of a [row, hidden] value
  /// Sums over rows that are kept apart: row r adds to those of head r mod `columnHeads`. 1 where no result has heads.
  int64_t columnHeads = 1;
  /// [hidden] and [head, hidden] inputs that only what follows the column reductions reads.
  llvm::SmallVector<mlir::BlockArgument> columnOperands;
  /// Values with axes [row, hidden] or [row, group] that a later phase than their own uses, in order.
  llvm::SetVector<mlir::Value> crossing;
  /// What is computed from the column reductions, themselves included: known when all rows were worked on.
  llvm::DenseSet<mlir::Value> columns;
  /// Ops that no lowering can place, with the reason.
  llvm::SmallVector<std::pair<mlir::Operation *, std::string>> unsupported;

  /// Inputs that share the buffer of a result of the kernel, by its number. Each element is read by the thread that
  /// writes it, and read first.
  llvm::SmallVector<std::pair<mlir::BlockArgument, unsigned>> tied;
  /// The scatter that adds up slots which name one row; null where there is none. Its kernel yields nothing else.
  ScatterOp accumulatingScatter() const;
  /// Why a kernel that reads its rows again in each phase would read a tied input after its result was written over it;
  /// nothing where it does not.
  std::optional<std::string> whyNotReadAgain() const;

  /// Which of `rowSums` end a phase, by number.
  llvm::SmallVector<int64_t> rowSumsOf(int64_t phase) const;

  int64_t phaseOf(mlir::Value value) const { return phase.lookup(value); }
  /// The phase in which an op runs: that of its operands.
  int64_t phaseOfOp(mlir::Operation *op) const;
  /// Bytes of one element of each of the invariants, in sum.
  int64_t invariantBytes() const;
  /// Neighbours of hidden that share an element of group.
  int64_t groupSize() const { return hidden / groups; }
  /// Values that carry hidden or group and that the reductions and results of a phase are computed from, themselves
  /// included.
  llvm::DenseSet<mlir::Value> neededIn(int64_t phase) const;
  /// The same, and for what the phase computes for later ones that keep its row.
  llvm::DenseSet<mlir::Value> neededOrKeptIn(int64_t phase) const;
  /// Likewise, that the row reductions of a phase alone are computed from; and all results and column reductions.
  llvm::DenseSet<mlir::Value> neededForRowReductions(int64_t phase) const;
  llvm::DenseSet<mlir::Value> neededForOutputs() const;

  /// Bytes that bases and run-time strides are multiples of: 16, or 1 where the function says `fastnorm.alignment = 1`
  /// (then of an element).
  int64_t alignment = 16;
  /// Elements, a power of two, that vectors may have so that those of every operand are aligned: it divides hidden, and
  /// every row starts at a multiple of them or of 16 bytes. Wider vectors are shifted: the first of a row begins before
  /// its first column, so that those of `anchor` are aligned.
  int64_t alignedElements = 0;
  bool isShifted(ScheduleAttr schedule) const { return schedule.getVectorWidth() > alignedElements; }
  /// Columns that the vectors of a schedule must cover for every row to be in them.
  int64_t coveredColumns(ScheduleAttr schedule) const;
  /// Column chunks that a row has.
  int64_t columnChunks(ScheduleAttr schedule) const;
  /// The value with [row, hidden] that shifted vectors are aligned for: the first that is stored, else that is
  /// streamed.
  mlir::Value anchor() const;
  /// Whether vectors that are aligned in each row of the anchor are known to be in those of a value, too.
  bool liesAsAnchor(mlir::Value value, ScheduleAttr schedule) const;

  /// Bytes of the widest and the narrowest element that is streamed, gathered or stored with [row, hidden].
  int64_t widestBytes = 0;
  int64_t narrowestBytes = 0;

private:
  void classify(mlir::BlockArgument argument);
  void visit(mlir::Operation *op);
  void countRowSums(ReduceOp reduce);
  void visitReduction(ReduceOp reduce);
  void visitResult(mlir::Value result);
  void visitScatter(ScatterOp scatter);
  void checkAccumulation();
  void countElement(mlir::Type type);
  void countGroups(mlir::Value value);
  void visitColumnReduction(ReduceOp reduce);
  void checkColumnLayouts();
  void placeRows();
  void findTied();
  llvm::DenseSet<mlir::Value> neededFor(llvm::SmallVector<mlir::Value> values) const;
  bool isReadByWriter(mlir::BlockArgument argument, unsigned result) const;

  llvm::DenseMap<mlir::Value, int64_t> phase;
};

/// Whether a thread holds values with these axes (null: none) vector by vector: they have hidden, or group.
bool variesAlongHidden(AxesAttr axes);

/// 32-bit registers that one vector leaves for later phases in the form the schedule keeps it.
int64_t keptWords(const AccessPattern &pattern, ScheduleAttr schedule);

/// Vectors of a thread whose late operands are loaded by when `done` of them are finished: as many ahead as 8 registers
/// hold, and those that finished vectors no longer keep, but one. Two 16-byte vectors of a weight hide the L2. Where a
/// thread has 8 vectors of one stream two are ahead in up to 16 registers: such rows leave few warps to hide it.
/// (layer_norm at 32768: 37.4 us with one ahead, 36.9 with two; 2 to 5 % slower at 2048 and 4096; with a residual
/// beside the row two spilled. docs/Schedules.md.)
int64_t lateVectors(const AccessPattern &pattern, ScheduleAttr schedule, int64_t done);

/// Bytes an element takes in memory.
int64_t elementBytes(mlir::Type type);
/// The same of a tensor's.
int64_t elementBytes(mlir::Value tensor);

} // namespace fastnorm

#endif // FASTNORM_ANALYSIS_ACCESSPATTERN_H
