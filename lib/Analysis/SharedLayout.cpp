//===- SharedLayout.cpp - Shared memory of persistent CTAs -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/SharedLayout.h"

#include "fastnorm/Analysis/CentredPhase.h"
#include "fastnorm/Analysis/TileLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

/// Bulk copies want 16 bytes; 128 keep a stage's lines apart.
static constexpr int64_t kRingAlignment = 128;

SharedLayout::SharedLayout(const AccessPattern &pattern, ScheduleAttr schedule)
    : stages(schedule.getStages()), exchangePhases(schedule.getClusterCtas() > 1 ? pattern.phases - 1 : 0) {
  if (!schedule.hasTiles()) {
    placeRing(pattern, schedule);
    placeColumns(pattern, schedule, /*chunks=*/1);
    return;
  }
  TileLayout tile(pattern, schedule);
  columnsOffset = llvm::alignTo(tile.bytes(), 16);
  placeColumns(pattern, schedule, tile.chunksOfCta);
}

void SharedLayout::placeRing(const AccessPattern &pattern, ScheduleAttr schedule) {
  int64_t groups = schedule.getRowsPerCta();
  exchangeStart = schedule.getCopies() == Copies::Bulk ? 8 * groups * stages : 0;
  ringOffset = llvm::alignTo(exchangeStart + 8 * 2 * groups * exchangePhases, kRingAlignment);
  if (stages > 0) {
    for (BlockArgument argument : pattern.streamed) {
      streamOffsets[argument] = stageBytes;
      stageBytes += llvm::alignTo(schedule.getColumnChunk() * elementBytes(argument), 16);
    }
    groupBytes = stageBytes * stages;
  }
  totalBytes = ringOffset + groups * groupBytes;
  columnsOffset = schedule.sumsInSharedMemory() ? llvm::alignTo(totalBytes, 16) : ringOffset;
}

void SharedLayout::placeColumns(const AccessPattern &pattern, ScheduleAttr schedule, int64_t chunks) {
  int64_t groups = schedule.getRowsAtOnce();
  bool isShared = schedule.sumsInSharedMemory();
  columnReductionBytes = isShared ? schedule.getColumnChunk() * 4 : 0;
  columnChunkBytes = isShared ? static_cast<int64_t>(pattern.columnReductions.size()) * columnReductionBytes
                              : schedule.getColumnChunk() * 4;
  columnGroupBytes = isShared ? chunks * columnChunkBytes : columnChunkBytes;
  bool areNeeded = isShared || (!pattern.columnReductions.empty() && groups > 1);
  totalBytes = std::max(totalBytes, columnsOffset + (areNeeded ? groups * columnGroupBytes : 0));
}

bool fastnorm::addsInSharedMemory(ScheduleAttr schedule) {
  return schedule.sumsInSharedMemory() && !schedule.hasTiles();
}

int64_t fastnorm::slotsPerReduction(ScheduleAttr schedule) {
  return llvm::alignTo(schedule.getThreadsPerRow() / 32 * schedule.getClusterCtas(), 4);
}

int64_t fastnorm::slotSets(ScheduleAttr schedule) { return schedule.isPersistent() ? 2 * schedule.getRowsPerCta() : 1; }

int64_t fastnorm::reductionSlots(const AccessPattern &pattern, ScheduleAttr schedule) {
  if (schedule.hasTiles() || schedule.getScope() == RowScope::Lanes ||
      schedule.getThreadsPerRow() * schedule.getClusterCtas() <= 32)
    return 0;
  return slotSets(schedule) * valuesPerWarp(pattern, schedule) * slotsPerReduction(schedule);
}

int64_t fastnorm::persistentClusters(ScheduleAttr schedule) {
  return schedule.getPersistentCtas() / schedule.getCtasPerRow();
}
