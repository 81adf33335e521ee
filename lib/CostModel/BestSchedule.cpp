//===- BestSchedule.cpp - The schedule for a kernel -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of docs/Schedules.md, each from measured kernels: as many threads
// as hide the latency of a row's loads, as few vectors as a thread can keep.
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/BestSchedule.h"

#include "fastnorm/CostModel/RegisterEstimate.h"
#include "fastnorm/CostModel/ScheduleSpace.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

namespace {

/// The parameters of a schedule while a rule decides them.
struct Draft {
  ScheduleKind kind = ScheduleKind::PerRow;
  RowScope scope = RowScope::Cta;
  int64_t threadsPerRow = 1;
  int64_t rowsPerCta = 1;
  int64_t vectorWidth = 1;
  int64_t vectorsPerThread = 1;
  int64_t vectorsInFlight = 1;
  int64_t slotsInFlight = 1;
  int64_t minCtas = 1;
  Invariants invariants = Invariants::Early;

  ScheduleAttr attribute(MLIRContext *context) const {
    return ScheduleAttr::get(context, kind, scope, threadsPerRow, rowsPerCta, /*ctasPerRow=*/1, vectorWidth,
                             vectorsPerThread, vectorsInFlight, slotsInFlight, minCtas, invariants, Keep::Packed,
                             Stores::Streaming,
                             /*dependentLaunch=*/false);
  }
};

} // namespace

/// Threads that share a row at most: 1024-thread CTAs were 20 to 30 % slower (docs/Schedules.md).
static constexpr int64_t kMostThreadsPerRow = 512;
/// Vectors of 16 bytes that a thread keeps at most: 8 take half of 64 registers.
static constexpr int64_t kMostVectorsPerThread = 8;
/// Threads of a CTA that holds several rows.
static constexpr int64_t kThreadsOfShortRows = 128;
/// Registers that may wait in [hidden] operands over the first reduction: 8 gained 2 % (combine at 3072), 16 lost 2 %
/// (norm at 16384; docs/Schedules.md).
static constexpr int64_t kMostEarlyInvariantRegisters = 12;
/// Slots whose loads are in flight together; of more, groups of half as many alternate.
static constexpr int64_t kMostSlotsInFlight = 8;

/// 16 bytes of the narrowest element but 32 of the widest at most, or as much as is aligned in every row.
static int64_t vectorWidthFor(const AccessPattern &pattern) {
  int64_t widest = std::min(16 / pattern.narrowestBytes, 32 / pattern.widestBytes);
  if (pattern.hasGroups)
    return std::min(std::max(widest, pattern.groupSize() / 32), pattern.groupSize());
  return std::min(widest, pattern.alignedElements);
}

/// Whole warps that cover a row with `vectors` vectors a thread.
static int64_t warpsFor(int64_t vectorsPerRow, int64_t vectors) {
  return llvm::alignTo(llvm::divideCeil(vectorsPerRow, vectors), 32);
}

/// Short rows: a power of two of lanes a row, no barrier.
static void layShortRows(Draft &draft, int64_t vectorsPerRow) {
  draft.scope = RowScope::Lanes;
  draft.threadsPerRow = std::min<int64_t>(32, llvm::PowerOf2Ceil(vectorsPerRow));
  draft.vectorsPerThread = llvm::divideCeil(vectorsPerRow, draft.threadsPerRow);
  draft.rowsPerCta = kThreadsOfShortRows / draft.threadsPerRow;
}

/// A CTA a row. A gather wants the widest CTA, since its slots already are independent loads; a plain stream wants two
/// vectors a thread.
static void layWideRows(Draft &draft, const AccessPattern &pattern, int64_t vectorsPerRow) {
  bool gathers = !pattern.gathers.empty();
  int64_t vectors = gathers || vectorsPerRow <= 128 ? 1 : 2;
  while (warpsFor(vectorsPerRow, vectors) > kMostThreadsPerRow)
    ++vectors;
  draft.vectorsPerThread = vectors;
  draft.threadsPerRow = warpsFor(vectorsPerRow, vectors);
}

/// Column chunks a thread comes back for: any row.
static void layChunks(Draft &draft, const AccessPattern &pattern, int64_t vectorsPerRow) {
  draft.kind = ScheduleKind::TwoPass;
  draft.vectorsPerThread = pattern.gathers.empty() ? 2 : 1;
  draft.threadsPerRow = std::min(kMostThreadsPerRow, warpsFor(vectorsPerRow, draft.vectorsPerThread));
  // Short rows come here too, where a body keeps more than registers hold.
  draft.vectorsPerThread =
      std::min(draft.vectorsPerThread, static_cast<int64_t>(llvm::divideCeil(vectorsPerRow, draft.threadsPerRow)));
}

/// No reduction: neighbouring threads take neighbouring vectors.
static void layElements(Draft &draft, const AccessPattern &pattern, int64_t vectorsPerRow) {
  constexpr int64_t kThreads = 256;
  draft.kind = ScheduleKind::PerElement;
  // The lanes of a group meet by shuffles, which want whole warps.
  if (pattern.hasGroups)
    vectorsPerRow = std::min<int64_t>(kThreads, llvm::PowerOf2Ceil(vectorsPerRow));
  draft.threadsPerRow = std::min(vectorsPerRow, kThreads);
  draft.rowsPerCta = std::max<int64_t>(1, kThreads / draft.threadsPerRow);
  // Whole chunks where the row allows it, so that no CTA idles in its tail.
  for (int64_t threads = 384; vectorsPerRow > kThreads && threads >= 128; threads -= 32)
    if (vectorsPerRow % threads == 0) {
      draft.threadsPerRow = threads;
      break;
    }
}

static void decideInFlight(Draft &draft, const AccessPattern &pattern) {
  bool gathers = !pattern.gathers.empty();
  draft.slotsInFlight = gathers ? std::min(pattern.slots, kMostSlotsInFlight) : 1;
  draft.vectorsInFlight = gathers ? 1 : draft.vectorsPerThread;
}

/// As many CTAs as leave the registers that the loads in flight want; ptxas takes them only when told.
static void decideOccupancy(Draft &draft, const AccessPattern &pattern, TargetAttr target) {
  MLIRContext *context = target.getContext();
  int64_t threads = draft.threadsPerRow * draft.rowsPerCta;
  RegisterEstimate early(pattern, draft.attribute(context));
  if (early.invariants > kMostEarlyInvariantRegisters)
    draft.invariants = Invariants::Late;
  int64_t wanted = RegisterEstimate(pattern, draft.attribute(context)).wanted();
  int64_t mostCtas = std::min(target.getCtas(), target.getThreads() / threads);
  draft.minCtas = std::clamp<int64_t>(target.getRegisters() / (threads * wanted), 1, mostCtas);
  // A lone CTA idles while it reduces; a second one is worth an eighth of the registers, more would spill.
  if (draft.minCtas == 1 && mostCtas >= 2 && registersAvailable(target, threads, 2) * 8 >= wanted * 7)
    draft.minCtas = 2;
}

std::optional<ScheduleAttr> fastnorm::bestSchedule(const AccessPattern &pattern, TargetAttr target) {
  if (!pattern.unsupported.empty())
    return std::nullopt;
  MLIRContext *context = target.getContext();
  auto finish = [&](Draft draft) {
    decideInFlight(draft, pattern);
    decideOccupancy(draft, pattern, target);
    return draft.attribute(context);
  };
  Draft draft;
  draft.vectorWidth = vectorWidthFor(pattern);
  int64_t vectorsPerRow = pattern.hidden / draft.vectorWidth;
  if (pattern.rowReductions.empty()) {
    layElements(draft, pattern, vectorsPerRow);
    return finish(draft);
  }
  if (vectorsPerRow <= 96)
    layShortRows(draft, vectorsPerRow);
  else
    layWideRows(draft, pattern, vectorsPerRow);
  ScheduleAttr perRow = finish(draft);
  if (draft.vectorsPerThread <= kMostVectorsPerThread && !whyIllegal(pattern, perRow, target))
    return perRow;
  Draft chunks;
  chunks.vectorWidth = draft.vectorWidth;
  layChunks(chunks, pattern, vectorsPerRow);
  return finish(chunks);
}
