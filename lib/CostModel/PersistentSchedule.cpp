//===- PersistentSchedule.cpp - Schedules of kernels that reduce over rows -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of docs/Schedules.md for gradients of norms: one persistent CTA a
// multiprocessor, its threads in row groups, with enough rows on their way.
// What is not said to be measured was not.
//
//===----------------------------------------------------------------------===//

#include "PersistentSchedule.h"

#include "ScheduleDraft.h"

#include "fastnorm/CostModel/RegisterEstimate.h"
#include "fastnorm/CostModel/ScheduleSpace.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

/// Threads of a CTA with 2 vectors each; with 4, half of them have the registers, which was slower (layer_norm over
/// clusters at 8192 and 16384: 53.7 and 54.3 us with 2, 57.3 and 59.6 with 4). More threads were 0.1 to 8 us slower.
static constexpr int64_t kThreads = 512;
/// Threads that are left of a CTA for few rows.
static constexpr int64_t kFewestThreads = 128;
/// Threads of a CTA of short rows, which have no stages: several such CTAs hide their loads.
static constexpr int64_t kThreadsOfShortRows = 256;
/// Vectors of 16 bytes of a row that neighbouring lanes have; of more a warp has its own row.
static constexpr int64_t kMostVectorsOfLanes = 32;
static constexpr int64_t kMostCtasOfGrid = 1024;
/// Rows of a tile: of one a CTA idles at two barriers a row, with 8 what it does once a tile is little beside them,
/// more than 32 gain nothing. Not measured.
static constexpr int64_t kFewestRowsOfTile = 2;
static constexpr int64_t kEnoughRowsOfTile = 8;
static constexpr int64_t kMostRowsOfTile = 32;
/// Bytes that all row groups of a CTA have on their way at least: 60 to 96 KB were best.
static constexpr int64_t kBytesInFlight = 60 * 1024;

namespace {

class PersistentRules {
public:
  PersistentRules(const AccessPattern &pattern, TargetAttr target, std::optional<int64_t> rows)
      : pattern(pattern), target(target), rows(rows),
        vectorWidth(std::min({16 / pattern.narrowestBytes, 32 / pattern.widestBytes, pattern.alignedElements})),
        wideVectors(llvm::divideCeil(pattern.hidden * pattern.narrowestBytes, 16)) {
    if (pattern.hasGroups)
      vectorWidth = std::min(std::max(vectorWidth, pattern.groupSize() / 32), pattern.groupSize());
  }

  std::optional<ScheduleAttr> best() const {
    if (wideVectors <= kMostVectorsOfLanes)
      if (std::optional<ScheduleAttr> schedule = withLanes())
        return schedule;
    // As few elements a thread as the registers of a cluster allow, then as small a cluster.
    for (const SmallVector<int64_t> &sizes : {SmallVector<int64_t>{2, 4}, SmallVector<int64_t>{6, 8}})
      for (int64_t ctas = fewestCtas(); ctas <= std::max<int64_t>(1, target.getClusterCtas()); ctas *= 2)
        for (int64_t wideVectorsOfThread : sizes)
          if (std::optional<ScheduleAttr> schedule = withRowGroups(ctas, wideVectorsOfThread))
            return schedule;
    // A tile keeps as many multiprocessors busy as there are rows at most; over a grid few rows do, too.
    if (!rows || *rows > target.getMultiprocessors() / 2)
      if (std::optional<ScheduleAttr> schedule = withTilesInL2())
        return schedule;
    for (int64_t threads : {256, 512, 1024})
      for (int64_t vectors : {2, 4, 8})
        if (std::optional<ScheduleAttr> schedule = overGrid(threads, vectors))
          return schedule;
    for (int64_t threads : {kThreads, kThreads / 2})
      for (int64_t wideVectorsOfThread : {2, 1})
        if (std::optional<ScheduleAttr> schedule =
                withTiles(/*ctas=*/1, Accumulators::Registers, threads, wideVectorsOfThread))
          return schedule;
    return std::nullopt;
  }

private:
  /// CTAs that share a row: each has up to 512 vectors, and of wider rows 256, so that several row groups fit beside
  /// each other (1 at 4096, 2 at 5120, 4 at 8192, 8 at 16384 bf16).
  int64_t fewestCtas() const {
    int64_t wanted = wideVectors <= 512 ? 1 : wideVectors < 1024 ? 2 : wideVectors < 2048 ? 4 : 8;
    return std::max<int64_t>(1, std::min(wanted, target.getClusterCtas()));
  }

  /// Clusters that are resident at once, a CTA a multiprocessor. Larger ones leave multiprocessors over, because they
  /// lie within a part of the chip: 30 of 4 and 15 of 8 CTAs on the 132 of an H200.
  int64_t residentClusters(int64_t ctas) const {
    int64_t usable = target.getMultiprocessors();
    if (ctas > 2)
      usable = usable * 10 / 11;
    return std::max<int64_t>(1, usable / ctas);
  }

  ScheduleDraft start() const {
    ScheduleDraft draft;
    draft.vectorWidth = vectorWidth;
    // Default stores were faster than streaming ones between bulk copies.
    draft.stores = Stores::Cached;
    // 64 to 128 CTAs for each result.
    draft.finalizeWidth = pattern.hidden <= 2048 ? 4 : pattern.hidden <= 4096 ? 8 : pattern.hidden < 8192 ? 16 : 32;
    return draft;
  }

  int64_t wantedRegisters(const ScheduleDraft &draft) const {
    return RegisterEstimate(pattern, draft.attribute(target.getContext())).wanted();
  }

  /// With fewer rows than all row groups would take at once, fewer groups on as many multiprocessors. (1024 rows of
  /// 1024: 8 groups of 2 warps 6.3 us, 4 6.1; 256 rows: 2 groups 4.8, 1 5.0; 256 rows of 4096, layer_norm: 2 groups of
  /// 8 warps 7.9, 1 7.7.)
  void spreadFewRows(ScheduleDraft &draft, int64_t clusters, int64_t fewestGroups) const {
    while (rows && draft.rowsPerCta / 2 >= fewestGroups && *rows < draft.rowsPerCta * clusters)
      draft.rowsPerCta /= 2;
  }

  std::optional<ScheduleAttr> ifLegal(ScheduleDraft draft) const {
    draft.slotsInFlight = pattern.gathers.empty() ? 1 : std::min<int64_t>(pattern.slots, 8);
    ScheduleAttr schedule = draft.attribute(target.getContext());
    return whyIllegal(pattern, schedule, target) ? std::nullopt : std::optional(schedule);
  }

  /// Short rows: a power of two of lanes each, loads to registers.
  std::optional<ScheduleAttr> withLanes() const {
    ScheduleDraft draft = start();
    draft.scope = RowScope::Lanes;
    int64_t vectors = llvm::divideCeil(pattern.hidden, vectorWidth);
    int64_t mostOfThread = std::max<int64_t>(1, 32 / pattern.narrowestBytes / vectorWidth);
    draft.threadsPerRow = std::min<int64_t>(32, llvm::PowerOf2Ceil(llvm::divideCeil(vectors, mostOfThread)));
    draft.vectorsPerThread = llvm::divideCeil(vectors, draft.threadsPerRow);
    draft.vectorsInFlight = draft.vectorsPerThread;
    draft.rowsPerCta = kThreadsOfShortRows / draft.threadsPerRow;
    draft.persistentCtas = target.getMultiprocessors();
    draft.minCtas = mostCtas(target, kThreadsOfShortRows, wantedRegisters(draft));
    draft.persistentCtas *= draft.minCtas;
    spreadFewRows(draft, draft.persistentCtas, std::max<int64_t>(1, 32 / draft.threadsPerRow));
    return ifLegal(draft);
  }

  /// Wider rows: row groups of whole warps, over a cluster of `ctas`; each thread has `wideVectorsOfThread` times 16
  /// bytes.
  std::optional<ScheduleAttr> withRowGroups(int64_t ctas, int64_t wideVectorsOfThread) const {
    ScheduleDraft draft = start();
    draft.scope = ctas > 1 ? RowScope::Cluster : RowScope::Cta;
    draft.ctasPerRow = ctas;
    int64_t vectors = llvm::divideCeil(llvm::divideCeil(pattern.hidden, vectorWidth), ctas);
    int64_t mostOfThread = std::max<int64_t>(1, wideVectorsOfThread * 16 / pattern.narrowestBytes / vectorWidth);
    draft.threadsPerRow = llvm::alignTo(llvm::divideCeil(vectors, mostOfThread), 32);
    draft.vectorsPerThread = llvm::divideCeil(vectors, draft.threadsPerRow);
    draft.vectorsInFlight = draft.vectorsPerThread;
    int64_t threads = wideVectorsOfThread <= 2 ? kThreads : kThreads / 2;
    draft.rowsPerCta = std::min(ScheduleAttr::kMostRowGroups, threads / draft.threadsPerRow);
    draft.persistentCtas = residentClusters(ctas) * ctas;
    int64_t wanted = wantedRegisters(draft);
    while (draft.rowsPerCta > 0 && registersAvailable(target, draft.threadsPerRow * draft.rowsPerCta, 1) < wanted)
      --draft.rowsPerCta;
    if (draft.rowsPerCta == 0)
      return std::nullopt;
    draft.stages = stagesOf(draft);
    spreadFewRows(draft, residentClusters(ctas), llvm::divideCeil(kFewestThreads, draft.threadsPerRow));
    if (std::optional<ScheduleAttr> schedule = ifLegal(draft))
      return schedule;
    draft.copies = Copies::ByThread;
    if (std::optional<ScheduleAttr> schedule = ifLegal(draft))
      return schedule;
    draft.copies = Copies::Bulk;
    draft.stages = 0;
    return ifLegal(draft);
  }

  /// Rows that no CTA or cluster can keep, but whose sums lie in its shared memory: tiles that are read again from the
  /// L2, over as few CTAs as leave room there for eight rows of each. (3 tensors from memory and 2 from the L2; over a
  /// grid 5 from memory. By bytes, not measured.)
  std::optional<ScheduleAttr> withTilesInL2() const {
    std::optional<ScheduleAttr> widest;
    for (int64_t ctas = 1; ctas <= std::max<int64_t>(1, target.getClusterCtas()); ctas *= 2)
      if (std::optional<ScheduleAttr> schedule = withTiles(ctas, Accumulators::Shared, kThreads, 2)) {
        widest = schedule;
        if (schedule->getRowsPerCta() >= kEnoughRowsOfTile)
          break;
      }
    return widest;
  }

  /// Rows of all clusters' tiles that half of the L2 holds, for each of them.
  int64_t rowsInL2(int64_t clusters) const {
    int64_t rowBytes = pattern.hidden * bytesOfStreams();
    return target.getL2Bytes() / 2 / std::max<int64_t>(1, clusters * rowBytes);
  }

  std::optional<ScheduleAttr> withTiles(int64_t ctas, Accumulators accumulators, int64_t threads,
                                        int64_t wideVectorsOfThread) const {
    ScheduleDraft draft = start();
    draft.kind = ScheduleKind::TwoPass;
    draft.scope = ctas > 1 ? RowScope::Cluster : RowScope::Cta;
    draft.ctasPerRow = ctas;
    draft.accumulators = accumulators;
    int64_t vectors = llvm::divideCeil(llvm::divideCeil(pattern.hidden, vectorWidth), ctas);
    int64_t mostOfThread = std::max<int64_t>(1, wideVectorsOfThread * 16 / pattern.narrowestBytes / vectorWidth);
    draft.vectorsPerThread = std::min(mostOfThread, vectors);
    draft.threadsPerRow =
        std::min<int64_t>(threads, llvm::alignTo(llvm::divideCeil(vectors, draft.vectorsPerThread), 32));
    draft.vectorsInFlight = draft.vectorsPerThread;
    int64_t clusters = residentClusters(ctas);
    draft.persistentCtas = clusters * ctas;
    int64_t fit = rowsInL2(clusters);
    if (accumulators == Accumulators::Shared && fit < kFewestRowsOfTile)
      return std::nullopt;
    // Beside partials that each tile's sums are added to, lower tiles are too little, whatever the L2 holds.
    int64_t fewest = accumulators == Accumulators::Shared ? kFewestRowsOfTile : kEnoughRowsOfTile;
    draft.rowsPerCta = std::clamp<int64_t>(fit, fewest, kMostRowsOfTile);
    return ifLegal(draft);
  }

  /// Rows that no CTA or cluster can keep: each CTA keeps a part of the columns, and reads it again in each phase.
  std::optional<ScheduleAttr> overGrid(int64_t threads, int64_t vectors) const {
    ScheduleDraft draft = start();
    draft.scope = RowScope::Grid;
    draft.threadsPerRow = threads;
    draft.vectorsPerThread = vectors;
    draft.vectorsInFlight = vectors;
    draft.ctasPerRow = llvm::divideCeil(pattern.hidden, threads * vectorWidth * vectors);
    if (draft.ctasPerRow < 2 || draft.ctasPerRow > kMostCtasOfGrid)
      return std::nullopt;
    draft.minCtas = mostCtas(target, threads, wantedRegisters(draft));
    int64_t clusters = std::max<int64_t>(1, target.getMultiprocessors() * draft.minCtas / draft.ctasPerRow);
    draft.persistentCtas = clusters * draft.ctasPerRow;
    return ifLegal(draft);
  }

  /// Of an element of each streamed input, in sum.
  int64_t bytesOfStreams() const {
    int64_t bytes = 0;
    for (BlockArgument argument : pattern.streamed)
      bytes += elementBytes(argument);
    return bytes;
  }

  /// The fewest that have enough on its way.
  int64_t stagesOf(const ScheduleDraft &draft) const {
    int64_t columns = llvm::divideCeil(pattern.hidden, draft.ctasPerRow);
    int64_t stageBytes = std::max<int64_t>(1, draft.rowsPerCta * bytesOfStreams() * columns);
    return std::clamp<int64_t>(llvm::divideCeil(kBytesInFlight, stageBytes), 2, ScheduleAttr::kMostStages);
  }

  const AccessPattern &pattern;
  TargetAttr target;
  std::optional<int64_t> rows;
  int64_t vectorWidth;
  int64_t wideVectors; ///< of 16 bytes, that a row has of its narrowest elements
};

} // namespace

std::optional<ScheduleAttr> fastnorm::bestPersistentSchedule(const AccessPattern &pattern, TargetAttr target,
                                                             std::optional<int64_t> rows) {
  return PersistentRules(pattern, target, rows).best();
}
