//===- SharedLayout.h - Shared memory of persistent CTAs -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_ANALYSIS_SHAREDLAYOUT_H
#define FASTNORM_ANALYSIS_SHAREDLAYOUT_H

#include "fastnorm/Analysis/AccessPattern.h"

namespace fastnorm {

/// The dynamic shared memory of a persistent CTA, in bytes. First one 8-byte barrier for each row group and stage of
/// bulk copies, and two for each row group and phase whose sums are exchanged in a cluster; then the ring: [row
/// group][stage][streamed input], each place as long as the CTA's part of a row. When the rows are done the ring's
/// memory is where row groups add up their columns, one column reduction after the other: [row group][column chunk] of
/// f32. With `accumulators = shared` all sums lie there from the start, behind the ring: [row group][column
/// chunk][column reduction][columns] of f32. Of tiles the sums of rows come first (TileLayout).
struct SharedLayout {
  SharedLayout(const AccessPattern &pattern, ScheduleAttr schedule);

  int64_t barrierOffset(int64_t group, int64_t stage) const { return 8 * (group * stages + stage); }
  int64_t exchangeOffset(int64_t group, int64_t buffer, int64_t phase) const {
    return exchangeStart + 8 * ((2 * group + buffer) * exchangePhases + phase);
  }
  int64_t exchangeStart = 0;
  int64_t ringOffset = 0;
  int64_t stageBytes = 0; ///< of all streamed inputs
  int64_t groupBytes = 0; ///< of all stages
  /// Where the part of a streamed input begins in a stage.
  int64_t streamOffset(mlir::BlockArgument argument) const { return streamOffsets.lookup(argument); }
  // Sums of columns.
  int64_t columnsOffset = 0;
  int64_t columnReductionBytes = 0; ///< from one column reduction to the next; 0: they take turns
  int64_t columnChunkBytes = 0;     ///< of all column reductions
  int64_t columnGroupBytes = 0;     ///< of a row group
  int64_t totalBytes = 0;

private:
  void placeRing(const AccessPattern &pattern, ScheduleAttr schedule);
  void placeColumns(const AccessPattern &pattern, ScheduleAttr schedule, int64_t chunks);

  int64_t stages;
  int64_t exchangePhases;
  llvm::DenseMap<mlir::Value, int64_t> streamOffsets;
};

/// Whether each row's values are added to sums in shared memory. Of a tile those of a chunk's rows are added up in
/// registers first.
bool addsInSharedMemory(ScheduleAttr schedule);

/// Elements of the slots in shared memory that one value of a row's warps takes: a multiple of four, so that each
/// starts 16-byte aligned.
int64_t slotsPerReduction(ScheduleAttr schedule);

/// Sets of slots: row groups of persistent CTAs have slots each, and a second set, so that a row may begin while the
/// one before it is read.
int64_t slotSets(ScheduleAttr schedule);

/// Elements of f32 of the slots that the warps of a CTA's rows meet in; 0 where no two warps share a row.
int64_t reductionSlots(const AccessPattern &pattern, ScheduleAttr schedule);

/// The clusters, or CTAs, that take rows in turn, at most: each leaves one set of partials.
int64_t persistentClusters(ScheduleAttr schedule);

} // namespace fastnorm

#endif // FASTNORM_ANALYSIS_SHAREDLAYOUT_H
