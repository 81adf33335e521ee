//===- ScheduleCandidates.cpp - Schedules worth measuring -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes are drawn wider than the rules of BestSchedule choose them, and the
// rules decide the rest; neighbours leave the rules one step at a time.
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/ScheduleCandidates.h"

#include "ScheduleRules.h"

#include "fastnorm/CostModel/BestSchedule.h"
#include "fastnorm/CostModel/CostEstimate.h"
#include "fastnorm/CostModel/RegisterEstimate.h"
#include "fastnorm/CostModel/ScheduleSpace.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

/// Vectors that a thread may have of a row: more never kept within the registers.
static constexpr int64_t kMostVectors = 16;
static constexpr int64_t kMostThreads = 1024;
static constexpr int64_t kWarp = 32;

namespace {

/// Collects legal schedules, each once.
class Collector {
public:
  Collector(const AccessPattern &pattern, TargetAttr target, int64_t rows)
      : pattern(pattern), target(target), rows(rows) {}

  void add(const ScheduleDraft &draft) {
    ScheduleAttr schedule = draft.attributeIfAny(target.getContext());
    if (schedule && !whyIllegal(pattern, schedule, target))
      found.insert(schedule);
  }

  /// The fastest by the cost model first; of equal ones, in the order they were added.
  std::vector<ScheduleCandidate> ranked() const {
    std::vector<ScheduleCandidate> candidates;
    llvm::DenseMap<ScheduleAttr, size_t> order;
    for (ScheduleAttr schedule : found) {
      order[schedule] = candidates.size();
      candidates.push_back({schedule, estimateCost(pattern, schedule, target, rows).totalUs});
    }
    llvm::sort(candidates, [&](const ScheduleCandidate &left, const ScheduleCandidate &right) {
      return std::make_pair(left.modelUs, order.lookup(left.schedule)) <
             std::make_pair(right.modelUs, order.lookup(right.schedule));
    });
    return candidates;
  }

  const AccessPattern &pattern;
  TargetAttr target;
  int64_t rows;

private:
  llvm::SetVector<ScheduleAttr> found;
};

} // namespace

static int64_t vectorsOfRow(const AccessPattern &pattern, const ScheduleDraft &draft) {
  return llvm::divideCeil(pattern.coveredColumns(draft.attribute(pattern.kernel.getContext())), draft.vectorWidth);
}

/// Whole warps that hold `vectors` of a row with so many a thread.
static int64_t warpsFor(int64_t vectors, int64_t ofThread) {
  return llvm::alignTo(llvm::divideCeil(vectors, ofThread), kWarp);
}

/// Kernels without reductions: neighbouring threads along hidden, one row or several a CTA.
static void addElements(Collector &collector, ScheduleDraft draft) {
  draft.kind = ScheduleKind::PerElement;
  int64_t vectors = vectorsOfRow(collector.pattern, draft);
  for (int64_t ofThread : {1, 2, 4})
    for (int64_t threads = kWarp; threads <= 512; threads += kWarp) {
      draft.vectorsPerThread = ofThread;
      draft.threadsPerRow = std::min(threads, vectors);
      draft.rowsPerCta = std::max<int64_t>(1, threads / draft.threadsPerRow);
      // Whole chunks, so that no thread idles; or the widths that any row can have.
      bool isWhole = vectors % (draft.threadsPerRow * ofThread) == 0;
      if (!isWhole && !llvm::isPowerOf2_64(threads))
        continue;
      decideTheRest(draft, collector.pattern, collector.target);
      collector.add(draft);
    }
}

/// Rows that lanes share, several a CTA.
static void addLanes(Collector &collector, ScheduleDraft draft) {
  draft.scope = RowScope::Lanes;
  int64_t vectors = vectorsOfRow(collector.pattern, draft);
  for (int64_t lanes = 1; lanes <= kWarp; lanes *= 2)
    for (int64_t threads : {64, 128, 256}) {
      draft.threadsPerRow = lanes;
      draft.vectorsPerThread = llvm::divideCeil(vectors, lanes);
      draft.rowsPerCta = threads / lanes;
      if (draft.vectorsPerThread > kMostVectors)
        continue;
      decideTheRest(draft, collector.pattern, collector.target);
      collector.add(draft);
    }
}

/// A row over the threads of one CTA, or of several that meet as `scope` says.
static void addCtas(Collector &collector, ScheduleDraft draft, RowScope scope, int64_t ctas) {
  draft.scope = scope;
  draft.ctasPerRow = ctas;
  int64_t vectors = llvm::divideCeil(vectorsOfRow(collector.pattern, draft), ctas);
  for (int64_t ofThread = 1; ofThread <= kMostVectors; ++ofThread) {
    draft.vectorsPerThread = ofThread;
    draft.threadsPerRow = warpsFor(vectors, ofThread);
    if (draft.threadsPerRow > kMostThreads || (ofThread > 1 && vectors <= ofThread * kWarp / 2))
      continue;
    ScheduleDraft plain = draft;
    decideTheRest(plain, collector.pattern, collector.target);
    collector.add(plain);
    if (scope == RowScope::Grid || !collector.pattern.gathers.empty())
      continue;
    // The same as persistent CTAs with the next rows on their way.
    for (int64_t stages : {2, 3, 4}) {
      ScheduleDraft ring = draft;
      ring.vectorsInFlight = ofThread;
      ring.invariants = Invariants::Late;
      ring.persistentCtas = collector.target.getMultiprocessors() / ctas * ctas;
      ring.stages = stages;
      collector.add(ring);
    }
  }
}

/// One sweep over column chunks per phase.
static void addChunks(Collector &collector, ScheduleDraft draft) {
  draft.kind = ScheduleKind::TwoPass;
  int64_t vectors = vectorsOfRow(collector.pattern, draft);
  for (int64_t ofThread : {1, 2, 4})
    for (int64_t threads : {256, 512, 1024}) {
      draft.vectorsPerThread = ofThread;
      draft.threadsPerRow = std::min(threads, warpsFor(vectors, ofThread));
      decideTheRest(draft, collector.pattern, collector.target);
      collector.add(draft);
    }
}

/// Kernels that reduce over rows: what the rules chose, with other clusters, vectors, row groups and stages.
static void addPersistent(Collector &collector, ScheduleAttr best) {
  ScheduleDraft draft(best);
  if (draft.kind != ScheduleKind::PerRow || draft.scope == RowScope::Lanes || draft.scope == RowScope::Grid)
    return;
  int64_t row = llvm::divideCeil(collector.pattern.hidden, draft.vectorWidth);
  int64_t multiprocessors = collector.target.getMultiprocessors();
  for (int64_t ctas = 1; ctas <= std::max<int64_t>(1, collector.target.getClusterCtas()); ctas *= 2)
    for (int64_t ofThread : {1, 2, 3, 4, 6, 8})
      for (int64_t threads : {128, 256, 384, 512, 768})
        for (int64_t stages : {0, 2, 3, 4}) {
          draft.scope = ctas > 1 ? RowScope::Cluster : RowScope::Cta;
          draft.ctasPerRow = ctas;
          draft.vectorsPerThread = draft.vectorsInFlight = ofThread;
          draft.threadsPerRow = warpsFor(llvm::divideCeil(row, ctas), ofThread);
          draft.rowsPerCta = threads / draft.threadsPerRow;
          draft.stages = stages;
          draft.copies = stages ? ScheduleDraft(best).copies : Copies::Bulk;
          // Clusters of more than two CTAs leave multiprocessors over, since they lie within a part of the chip.
          draft.persistentCtas = (ctas > 2 ? multiprocessors * 10 / 11 : multiprocessors) / ctas * ctas;
          if (draft.rowsPerCta >= 1)
            collector.add(draft);
        }
}

std::vector<ScheduleCandidate> fastnorm::scheduleShapes(const AccessPattern &pattern, TargetAttr target, int64_t rows) {
  Collector collector(pattern, target, rows);
  std::optional<ScheduleAttr> best = bestSchedule(pattern, target, rows);
  if (!best)
    return {};
  collector.add(ScheduleDraft(*best));
  ScheduleDraft draft;
  draft.vectorWidth = best->getVectorWidth();
  if (!pattern.columnReductions.empty()) {
    addPersistent(collector, *best);
    return collector.ranked();
  }
  if (pattern.rowReductions.empty()) {
    addElements(collector, draft);
    return collector.ranked();
  }
  addLanes(collector, draft);
  addCtas(collector, draft, RowScope::Cta, 1);
  for (int64_t ctas = 2; ctas <= target.getClusterCtas(); ctas *= 2)
    addCtas(collector, draft, RowScope::Cluster, ctas);
  if (rows <= target.getMultiprocessors())
    for (int64_t ctas : {2, 4, 8, 16})
      addCtas(collector, draft, RowScope::Grid, ctas);
  addChunks(collector, draft);
  return collector.ranked();
}

/// The draft with a number halved, doubled, and one less and more of it.
static void stepNumber(Collector &collector, const ScheduleDraft &draft, int64_t ScheduleDraft::*number, int64_t most,
                       bool isPowerOfTwo = false) {
  int64_t now = draft.*number;
  for (int64_t next : {now - 1, now + 1, now / 2, now * 2}) {
    if (next < 1 || next > most || next == now || (isPowerOfTwo && !llvm::isPowerOf2_64(next)))
      continue;
    ScheduleDraft other = draft;
    other.*number = next;
    collector.add(other);
  }
}

/// Two words that are each other's alternative.
template <typename Word>
static void stepWord(Collector &collector, const ScheduleDraft &draft, Word ScheduleDraft::*word, Word one, Word two) {
  ScheduleDraft other = draft;
  other.*word = draft.*word == one ? two : one;
  collector.add(other);
}

/// More vectors of fewer threads, and fewer of more.
static void stepVectors(Collector &collector, const ScheduleDraft &draft) {
  if (draft.kind != ScheduleKind::PerRow || draft.scope == RowScope::Lanes)
    return;
  int64_t vectors = llvm::divideCeil(vectorsOfRow(collector.pattern, draft), draft.ctasPerRow);
  for (int64_t ofThread : {draft.vectorsPerThread - 1, draft.vectorsPerThread + 1}) {
    if (ofThread < 1 || ofThread > kMostVectors)
      continue;
    ScheduleDraft other = draft;
    other.vectorsPerThread = ofThread;
    other.vectorsInFlight =
        draft.vectorsInFlight == draft.vectorsPerThread ? ofThread : std::min(draft.vectorsInFlight, ofThread);
    other.threadsPerRow = warpsFor(vectors, ofThread);
    other.minCtas = std::max<int64_t>(1, draft.minCtas * draft.threadsPerRow / other.threadsPerRow);
    collector.add(other);
  }
}

static void stepPersistent(Collector &collector, const ScheduleDraft &draft) {
  stepNumber(collector, draft, &ScheduleDraft::stages, ScheduleAttr::kMostStages);
  stepNumber(collector, draft, &ScheduleDraft::rowsPerCta, kWarp);
  if (!collector.pattern.columnReductions.empty())
    stepNumber(collector, draft, &ScheduleDraft::finalizeWidth, 32, /*isPowerOfTwo=*/true);
  // Whole clusters, for each multiprocessor more or fewer.
  int64_t multiprocessors = collector.target.getMultiprocessors();
  for (int64_t ctas : {multiprocessors / 2, multiprocessors * 10 / 11, multiprocessors, 2 * multiprocessors}) {
    ScheduleDraft other = draft;
    other.persistentCtas = std::max<int64_t>(1, ctas / draft.ctasPerRow) * draft.ctasPerRow;
    collector.add(other);
  }
}

std::vector<ScheduleCandidate> fastnorm::scheduleNeighbours(const AccessPattern &pattern, TargetAttr target,
                                                            int64_t rows, ScheduleAttr schedule) {
  Collector collector(pattern, target, rows);
  ScheduleDraft draft(schedule);
  stepNumber(collector, draft, &ScheduleDraft::minCtas, target.getCtas());
  stepWord(collector, draft, &ScheduleDraft::invariants, Invariants::Early, Invariants::Late);
  stepWord(collector, draft, &ScheduleDraft::stores, Stores::Streaming, Stores::Cached);
  if (!pattern.crossing.empty())
    stepWord(collector, draft, &ScheduleDraft::keep, Keep::Packed, Keep::Computed);
  stepNumber(collector, draft, &ScheduleDraft::vectorsInFlight, draft.vectorsPerThread);
  if (!pattern.gathers.empty())
    stepNumber(collector, draft, &ScheduleDraft::slotsInFlight, pattern.slots);
  stepVectors(collector, draft);
  if (schedule.isPersistent())
    stepPersistent(collector, draft);
  else if (draft.kind == ScheduleKind::PerElement || draft.scope == RowScope::Lanes)
    stepNumber(collector, draft, &ScheduleDraft::rowsPerCta, kMostThreads, /*isPowerOfTwo=*/true);
  if (draft.stages)
    stepWord(collector, draft, &ScheduleDraft::copies, Copies::Bulk, Copies::ByThread);
  // Only a kernel of several launches has one that another of its own is waited for by.
  if (draft.scope == RowScope::Grid || !pattern.columnReductions.empty())
    stepWord(collector, draft, &ScheduleDraft::dependentLaunch, false, true);
  return collector.ranked();
}
