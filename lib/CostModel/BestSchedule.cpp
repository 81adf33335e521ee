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

#include "PersistentSchedule.h"
#include "ScheduleRules.h"

#include "fastnorm/Analysis/CentredPhase.h"
#include "fastnorm/Analysis/RowLayout.h"

#include "fastnorm/CostModel/RegisterEstimate.h"
#include "fastnorm/CostModel/ScheduleSpace.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

/// Threads that share a row which 512 can hold: 1024-thread CTAs were 20 to 30 % slower (docs/Schedules.md).
static constexpr int64_t kMostThreadsPerRow = 512;
/// Threads that share a wider row: 65536 bf16 over 1024 threads 38.4 us, over a cluster of 2 × 512 39.0, of 4 ×
/// 512 43.8. All of them, rather than as much as a thread keeps: 53248 over 1024 × 7 39.0, over 832 × 8 39.4.
static constexpr int64_t kMostThreadsPerWideRow = 1024;
/// Vectors of 16 bytes that a thread keeps at most: 8 take half of 64 registers.
static constexpr int64_t kMostVectorsPerThread = 8;
/// Narrower vectors that a thread keeps at most: each takes a register and an instruction of its own.
static constexpr int64_t kMostNarrowVectorsPerThread = 16;
/// Clusters of more CTAs need a mark on the kernel, and the hardware finds a place for them more rarely.
static constexpr int64_t kPortableClusterCtas = 8;
/// Vectors of 16 bytes that each CTA of a split row has at least: one for each of 256 threads.
static constexpr int64_t kVectorsPerSplitCta = 256;
/// Vectors of a row that is split for having few beside it at least: 16384 bf16 gained, 4096 lost.
static constexpr int64_t kVectorsWorthSplitting = 2048;
/// Threads of a CTA that holds several rows.
static constexpr int64_t kThreadsOfShortRows = 128;
/// Registers that may wait in [hidden] operands over the first reduction: 8 gained 2 % (combine at 3072), 16 lost 2 %
/// (norm at 16384; docs/Schedules.md).
static constexpr int64_t kMostEarlyInvariantRegisters = 12;
/// The same where all elements are f32, which need no registers to be unpacked in: 32 gained 1 % (f32 norm at 16384).
static constexpr int64_t kMostEarlyInvariantRegistersOfF32 = 32;
/// Slots whose loads are in flight together; of more, groups of half as many alternate.
static constexpr int64_t kMostSlotsInFlight = 8;
/// Registers that ptxas saves of each scattered slot in flight without a spill, and nothing is slower for it: 8 slots
/// wanted 94, with 80 they take 96.2 us at 3072, 298.4 at 2048; 4 slots of two vectors wanted 72, with 64 they
/// take 77.7 us at 4096 for 78.6 (gradients of combine).
static constexpr int64_t kSparedPerScatteredSlot = 2;
/// Vectors of a row of one slot that one vector a thread covers: of wider rows each takes two. (Combine and norm of one
/// slot at 2048: 256 x 1 25.6 us, 128 x 2 26.3; at 4096: 512 x 1 26.7, 256 x 2 26.6, and 27.9 with early operands.)
static constexpr int64_t kMostVectorsOfOneSlot = 256;
/// Vectors of a row whose slots are scattered that one vector a thread covers: of wider ones each takes two. (Gradients
/// of combine, 4 slots of 4096: 512 x 1 81.0 us, 256 x 2 77.7; 2 of 6144: 129.5 and 126.8; 8 of 3072: 96.2 and 95.7.)
static constexpr int64_t kMostScatteredVectors = 384;

/// 16 bytes of the narrowest element but 32 of the widest at most, or as much as is aligned in every row.
int64_t fastnorm::vectorWidthFor(const AccessPattern &pattern) {
  int64_t widest = std::min(16 / pattern.narrowestBytes, 32 / pattern.widestBytes);
  if (pattern.hasGroups)
    return std::min(std::max(widest, pattern.groupSize() / 32), pattern.groupSize());
  // What adds up at a row of its result is there as the result's threads have it.
  if (pattern.accumulatingScatter())
    return std::min(widest, pattern.alignedElements);
  // Rows that start anywhere: narrow accesses cost more than shifted vectors do, unless rows are as short as a few.
  bool isWorthShifting = pattern.alignedElements * pattern.narrowestBytes <= 4 && pattern.hidden >= 64;
  return isWorthShifting ? widest : std::min(widest, pattern.alignedElements);
}

/// Whole warps that cover a row with `vectors` vectors a thread.
static int64_t warpsFor(int64_t vectorsPerRow, int64_t vectors) {
  return llvm::alignTo(llvm::divideCeil(vectorsPerRow, vectors), 32);
}

/// Short rows: a power of two of lanes a row, no barrier.
static void layShortRows(ScheduleDraft &draft, int64_t vectorsPerRow) {
  draft.scope = RowScope::Lanes;
  draft.threadsPerRow = std::min<int64_t>(32, llvm::PowerOf2Ceil(vectorsPerRow));
  draft.vectorsPerThread = llvm::divideCeil(vectorsPerRow, draft.threadsPerRow);
  draft.rowsPerCta = kThreadsOfShortRows / draft.threadsPerRow;
}

/// Whether a CTA of 1024 threads has the registers for a row: 64 a thread, 32 of them for 8 vectors of one stream,
/// leave room for one weight of 16 bits. (An f32 weight, or a bias beside it, spilled on some chips.)
static bool fitsWideCta(const AccessPattern &pattern) {
  return pattern.gathers.empty() && pattern.invariantBytes() <= 2;
}

static bool isShifted(const ScheduleDraft &draft, const AccessPattern &pattern) {
  return pattern.isShifted(draft.attribute(pattern.kernel.getContext()));
}

/// Whether each row reads one row of a table: a stream, but for the index before it.
static bool gathersOneSlot(const AccessPattern &pattern) {
  return !pattern.gathers.empty() && pattern.slots == 1 && !scattersSlots(pattern);
}

/// Vectors a thread for a CTA a row. A gather wants the widest CTA, since its slots already are independent loads; a
/// plain stream wants two vectors a thread, and four where two reductions follow each other: fewer warps meet, and what
/// a thread does once is shared by more elements; so do shifted rows, for which each thread does more. (layer_norm at
/// 8192: 512 threads x 2 46.3 us, 256 x 4 37.0; rms_norm at 4097: 288 x 2 37.5, 160 x 4 35.2. Two at least with a mean
/// and distances from it, at 1024: 128 x 1 35.2, 64 x 2 34.6; and of shifted rows, at 769: 43.3 and 38.2.)
static int64_t vectorsWanted(const ScheduleDraft &draft, const AccessPattern &pattern, int64_t vectorsPerRow) {
  if (scattersSlots(pattern) && pattern.slots <= kMostSlotsInFlight)
    return vectorsPerRow > kMostScatteredVectors ? 2 : 1;
  if (gathersOneSlot(pattern))
    return vectorsPerRow > kMostVectorsOfOneSlot ? 2 : 1;
  if (!pattern.gathers.empty())
    return 1;
  bool shifts = isShifted(draft, pattern);
  if ((pattern.phases > 2 || shifts) && vectorsPerRow > 512)
    return 4;
  return vectorsPerRow <= 128 && centredPhases(pattern).empty() && !shifts ? 1 : 2;
}

/// A CTA a row.
static void layWideRows(ScheduleDraft &draft, const AccessPattern &pattern, int64_t vectorsPerRow) {
  int64_t vectors = vectorsWanted(draft, pattern, vectorsPerRow);
  bool isWide = vectorsPerRow > kMostThreadsPerRow * kMostVectorsPerThread && draft.ctasPerRow == 1;
  int64_t threads = isWide && fitsWideCta(pattern) ? kMostThreadsPerWideRow : kMostThreadsPerRow;
  while (warpsFor(vectorsPerRow, vectors) > threads)
    ++vectors;
  draft.vectorsPerThread = vectors;
  draft.threadsPerRow = warpsFor(vectorsPerRow, vectors);
}

/// CTAs that split the rows of a kernel with few of them, 1 where that gains nothing: 8 or 4, as long as each finds a
/// multiprocessor for itself. (16384 bf16, hot, beside one CTA: 8 rows over 8 CTAs 2.20 to 1.81 us, 32 rows over 4 2.35
/// to 2.14, 128 rows over 4 2.97 to 3.69. docs/Schedules.md.)
static int64_t ctasForFewRows(int64_t vectorsPerRow, std::optional<int64_t> rows, TargetAttr target) {
  if (!rows || vectorsPerRow < kVectorsWorthSplitting)
    return 1;
  for (int64_t ctas : {kPortableClusterCtas, kPortableClusterCtas / 2})
    if (ctas <= target.getClusterCtas() && *rows * ctas <= target.getMultiprocessors())
      return ctas;
  return 1;
}

/// CTAs that hold a row which is too wide for one: the fewest of 512 threads. Of rows that are light enough to keep 8
/// vectors a thread, half as many as of others, where 4 do not spill. (65536 bf16 over 2 CTAs of 512 x 8 39.0 us, over
/// 4 of 512 x 4 43.8.)
static int64_t ctasForWideRows(const AccessPattern &pattern, int64_t vectorsPerRow, TargetAttr target) {
  bool isLight = fitsWideCta(pattern);
  int64_t mostOfOneCta = (isLight ? kMostThreadsPerWideRow : kMostThreadsPerRow) * kMostVectorsPerThread;
  if (vectorsPerRow <= mostOfOneCta)
    return 1;
  int64_t mostOfPart = kMostThreadsPerRow * kMostVectorsPerThread;
  int64_t ctas = llvm::PowerOf2Ceil(llvm::divideCeil(vectorsPerRow, isLight ? mostOfPart : mostOfPart / 2));
  if (ctas > kPortableClusterCtas)
    ctas = std::max<int64_t>(kPortableClusterCtas, llvm::PowerOf2Ceil(llvm::divideCeil(vectorsPerRow, mostOfPart)));
  return ctas <= target.getClusterCtas() ? ctas : 1;
}

/// Rows that take a multiprocessor for themselves, behind one reduction of one stream: CTAs that walk over them, with
/// the next row on its way to shared memory while this one is reduced and written. (rms_norm of bf16 at 53248: a CTA a
/// row 39.1 us, a ring of two rows 37.2; at 65536, of which shared memory holds one, 38.2, and over a cluster of two
/// with three stages 37.4. At 32768 two CTAs share a multiprocessor, and a ring gained nothing.)
static std::optional<ScheduleAttr> ringForWideRows(const AccessPattern &pattern, TargetAttr target, int64_t vectorWidth,
                                                   int64_t vectorsPerRow) {
  if (!fitsWideCta(pattern) || pattern.phases > 2 || pattern.streamed.size() != 1 ||
      vectorsPerRow <= kMostThreadsPerRow * kMostVectorsPerThread)
    return std::nullopt;
  for (int64_t ctas : {1, 2}) {
    ScheduleDraft draft;
    draft.scope = ctas > 1 ? RowScope::Cluster : RowScope::Cta;
    draft.ctasPerRow = ctas;
    draft.vectorWidth = vectorWidth;
    draft.vectorsPerThread = draft.vectorsInFlight = kMostVectorsPerThread;
    draft.threadsPerRow = warpsFor(llvm::divideCeil(vectorsPerRow, ctas), kMostVectorsPerThread);
    draft.invariants = Invariants::Late;
    draft.persistentCtas = target.getMultiprocessors() / ctas * ctas;
    draft.stages = ctas + 1;
    ScheduleAttr schedule = draft.attribute(target.getContext());
    if (!whyIllegal(pattern, schedule, target))
      return schedule;
  }
  return std::nullopt;
}

/// CTAs of a grid for few rows that no cluster holds, the same for any few: a second launch costs less than one CTA
/// takes to read such a row by itself, twice. Estimated, not measured.
static int64_t ctasOfGrid(int64_t vectorsPerRow, std::optional<int64_t> rows, TargetAttr target) {
  constexpr int64_t kEnoughCtas = 16;
  int64_t mostOfPart = kMostThreadsPerRow * kMostVectorsPerThread;
  if (!rows || *rows > target.getMultiprocessors() / 2 || vectorsPerRow <= mostOfPart)
    return 1;
  int64_t least = llvm::divideCeil(vectorsPerRow, mostOfPart);
  int64_t most = llvm::bit_floor(static_cast<uint64_t>(vectorsPerRow / (2 * kVectorsPerSplitCta)));
  return std::max<int64_t>(llvm::PowerOf2Ceil(least), std::min(kEnoughCtas, most));
}

/// A row over several CTAs: each a part of its columns.
static void splitRow(ScheduleDraft &draft, RowScope scope, const AccessPattern &pattern, int64_t vectorsPerRow,
                     int64_t ctas) {
  draft.scope = scope;
  draft.ctasPerRow = ctas;
  int64_t vectorsPerCta = llvm::divideCeil(vectorsPerRow, ctas);
  layWideRows(draft, pattern, vectorsPerCta);
  // A part for which 256 threads suffice has one load each: nothing is left to hide its latency.
  if (vectorsPerCta <= kVectorsPerSplitCta) {
    draft.vectorsPerThread = 1;
    draft.threadsPerRow = warpsFor(vectorsPerCta, 1);
  }
}

/// Column chunks a thread comes back for: any row.
static void layChunks(ScheduleDraft &draft, const AccessPattern &pattern, int64_t vectorsPerRow) {
  draft.kind = ScheduleKind::TwoPass;
  draft.vectorsPerThread = pattern.gathers.empty() ? 2 : 1;
  draft.threadsPerRow = std::min(kMostThreadsPerRow, warpsFor(vectorsPerRow, draft.vectorsPerThread));
  // Short rows come here too, where a body keeps more than registers hold.
  draft.vectorsPerThread =
      std::min(draft.vectorsPerThread, static_cast<int64_t>(llvm::divideCeil(vectorsPerRow, draft.threadsPerRow)));
}

/// No reduction: neighbouring threads take neighbouring vectors.
static void layElements(ScheduleDraft &draft, const AccessPattern &pattern, int64_t vectorsPerRow) {
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

static void decideInFlight(ScheduleDraft &draft, const AccessPattern &pattern) {
  bool gathers = !pattern.gathers.empty();
  // Slots that are shifted take twice the registers. (combine at 4097: 8 of one CTA 125 us, 4 of two 109.)
  int64_t mostSlots = kMostSlotsInFlight / (isShifted(draft, pattern) ? 2 : 1);
  draft.slotsInFlight = gathers ? std::min(pattern.slots, mostSlots) : 1;
  draft.vectorsInFlight = gathers && !gathersOneSlot(pattern) ? 1 : draft.vectorsPerThread;
  // 1024 threads have enough in flight with half of their vectors, and then none spills on any chip.
  if (draft.threadsPerRow > kMostThreadsPerRow)
    draft.vectorsInFlight = std::min<int64_t>(draft.vectorsInFlight, 4);
}

/// The most CTAs that leave the registers a schedule wants; ptxas takes them only when told.
static int64_t ctasFor(const ScheduleDraft &draft, const AccessPattern &pattern, TargetAttr target) {
  int64_t threads = draft.threadsPerRow * draft.rowsPerCta;
  int64_t wanted = RegisterEstimate(pattern, draft.attribute(target.getContext())).wanted();
  if (scattersSlots(pattern))
    wanted -= draft.slotsInFlight * kSparedPerScatteredSlot;
  int64_t ctas = std::min(target.getCtas(), target.getThreads() / threads);
  // A lone CTA idles while it reduces; a second one is worth an eighth of the registers, more would spill. So would
  // that where rows are scattered by slots, which all hold something (ptxas 13.0: 16 bytes of 8 slots at 7168).
  if (ctas >= 2 && registersAvailable(target, threads, 2) < wanted)
    return !scattersSlots(pattern) && registersAvailable(target, threads, 2) * 8 >= wanted * 7 ? 2 : 1;
  return mostCtas(target, threads, wanted);
}

/// Registers that a kernel of one stream still does with when its [hidden] operands are loaded late, 0 for one that has
/// too much of its row to keep. Two vectors behind one reduction take 32; behind two they spilled (layer_norm at 2048
/// and 4096: 16 CTAs 36.9 and 37.1 us, 12 of 40 registers 34.7 and 35.2); four take 40 behind either. Shifted vectors
/// take 8 more, and 16 where more than two follow two reductions (ptxas 13.0 at 1025 to 16385).
static int64_t registersWhenLate(const RegisterEstimate &estimate, const AccessPattern &pattern, bool isShifted) {
  int64_t kept = estimate.keptPerVector * estimate.vectors;
  int64_t most = std::max({estimate.invariants, estimate.inFlight, kept});
  if (isShifted && most <= 24 && estimate.invariants <= 12)
    return 40 + (kept > 8 ? 8 : 0) + (pattern.phases > 2 ? 8 : 0);
  if (isShifted || most > 16 || estimate.invariants > 8)
    return 0;
  return most > 8 || pattern.phases > 2 ? 40 : 32;
}

/// CTAs of a kernel whose late operands leave room for more of them, where those of `draft` leave a quarter of the
/// threads' places empty; else 0. (bf16 norm at 7168, 448 threads: 3 CTAs 35.4 us, 4 with the weight late 34.1; at
/// 16384, 512 x 4: 2 of 48 registers 35.4, 3 of 40 34.7; layer_norm there 36.5 and 35.3, at 8192, 256 x 4: 4 of 48
/// 35.1, 6 of 40 34.9.)
static int64_t ctasWhenLate(const ScheduleDraft &draft, const AccessPattern &pattern, TargetAttr target) {
  ScheduleAttr schedule = draft.attribute(target.getContext());
  int64_t threads = draft.threadsPerRow * draft.rowsPerCta;
  if (draft.kind != ScheduleKind::PerRow || draft.scope != RowScope::Cta || draft.keep != Keep::Packed ||
      !pattern.gathers.empty() || draft.minCtas * threads * 4 >= target.getThreads() * 3)
    return 0;
  int64_t registers = registersWhenLate(RegisterEstimate(pattern, schedule), pattern, pattern.isShifted(schedule));
  int64_t ctas = registers ? target.getThreads() / threads : 0;
  while (ctas && registersAvailable(target, threads, ctas) < registers)
    --ctas;
  return ctas;
}

static void decideOccupancy(ScheduleDraft &draft, const AccessPattern &pattern, TargetAttr target) {
  // Two warps that wait for a mean unpack their rows once: 20 CTAs of 48 registers 34.81 us, 24 of 40 34.92
  // (layer_norm at 1024; at 2048 and 4096 1 and 3 % slower).
  if (!centredPhases(pattern).empty() && draft.kind == ScheduleKind::PerRow && draft.scope == RowScope::Cta &&
      draft.threadsPerRow <= 64)
    draft.keep = Keep::Computed;
  RegisterEstimate early(pattern, draft.attribute(target.getContext()));
  bool isF32 = pattern.narrowestBytes == 4;
  bool gathersShifted = !pattern.gathers.empty() && isShifted(draft, pattern);
  // Of one slot, others hide less: combine and norm at 1024 14.35 us, late 14.05; at 2048 26.04 and 25.62.
  if (gathersShifted || gathersOneSlot(pattern) ||
      early.invariants > (isF32 ? kMostEarlyInvariantRegistersOfF32 : kMostEarlyInvariantRegisters))
    draft.invariants = Invariants::Late;
  draft.minCtas = ctasFor(draft, pattern, target);
  // Late operands rather than one CTA, where they leave room for two. (f32 norm at 16384: 68.8 and 67.9 us.)
  if (draft.minCtas == 1 && draft.threadsPerRow <= kMostThreadsPerRow && draft.invariants == Invariants::Early) {
    ScheduleDraft late = draft;
    late.invariants = Invariants::Late;
    late.minCtas = ctasFor(late, pattern, target);
    if (late.minCtas > 1)
      draft = late;
  }
  // Fewer loads in flight rather than one: two CTAs make up for them.
  while (draft.minCtas == 1 && draft.vectorsInFlight > 2 && draft.threadsPerRow <= kMostThreadsPerRow) {
    draft.vectorsInFlight = llvm::divideCeil(draft.vectorsInFlight, 2);
    draft.minCtas = ctasFor(draft, pattern, target);
  }
  if (int64_t ctas = ctasWhenLate(draft, pattern, target); ctas > draft.minCtas) {
    draft.invariants = Invariants::Late;
    draft.minCtas = ctas;
  }
}

void fastnorm::decideTheRest(ScheduleDraft &draft, const AccessPattern &pattern, TargetAttr target) {
  decideInFlight(draft, pattern);
  decideOccupancy(draft, pattern, target);
}

/// Rows that each have a multiprocessor for themselves: no CTA beside one would hide the latency of loads that wait for
/// others, so none do. (Gradients of combine, cold: prototypes take 4.9 us for 128 x 8 x 3072, this 5.6 with 8 slots in
/// 80 registers.)
static void loadAllAtOnce(ScheduleDraft &draft, const AccessPattern &pattern, TargetAttr target) {
  draft.minCtas = 1;
  ScheduleDraft together = draft;
  together.vectorsInFlight = draft.vectorsPerThread;
  int64_t wanted = RegisterEstimate(pattern, together.attribute(target.getContext())).wanted();
  if (registersAvailable(target, draft.threadsPerRow * draft.rowsPerCta, 1) >= wanted)
    draft = together;
}

std::optional<ScheduleAttr> fastnorm::bestSchedule(const AccessPattern &pattern, TargetAttr target,
                                                   std::optional<int64_t> rows) {
  if (!pattern.unsupported.empty())
    return std::nullopt;
  if (rows)
    *rows *= innerRowsOf(pattern.kernel);
  if (!pattern.columnReductions.empty())
    return bestPersistentSchedule(pattern, target, rows);
  MLIRContext *context = target.getContext();
  auto finish = [&](ScheduleDraft draft) {
    decideTheRest(draft, pattern, target);
    bool hasFewRows = rows && *rows <= target.getMultiprocessors();
    if (hasFewRows && scattersSlots(pattern) && draft.kind == ScheduleKind::PerRow)
      loadAllAtOnce(draft, pattern, target);
    return draft.attribute(context);
  };
  ScheduleDraft draft;
  draft.vectorWidth = vectorWidthFor(pattern);
  int64_t columns = pattern.coveredColumns(draft.attribute(context));
  int64_t vectorsPerRow = llvm::divideCeil(columns, draft.vectorWidth);
  if (pattern.rowReductions.empty()) {
    layElements(draft, pattern, vectorsPerRow);
    return finish(draft);
  }
  int64_t wideVectors = llvm::divideCeil(columns * pattern.narrowestBytes, 16);
  int64_t mostVectors = wideVectors < vectorsPerRow ? kMostNarrowVectorsPerThread : kMostVectorsPerThread;
  int64_t ctas = std::max(ctasForFewRows(wideVectors, rows, target), ctasForWideRows(pattern, wideVectors, target));
  if (vectorsPerRow <= 96)
    layShortRows(draft, vectorsPerRow);
  else if (ctas > 1)
    splitRow(draft, RowScope::Cluster, pattern, vectorsPerRow, ctas);
  else
    layWideRows(draft, pattern, vectorsPerRow);
  if (ctas == 1)
    if (std::optional<ScheduleAttr> ring = ringForWideRows(pattern, target, draft.vectorWidth, vectorsPerRow))
      return ring;
  ScheduleAttr perRow = finish(draft);
  int64_t gridCtas = ctasOfGrid(wideVectors, rows, target);
  bool fits = draft.vectorsPerThread <= mostVectors && !whyIllegal(pattern, perRow, target);
  if (fits && (ctas > 1 || gridCtas == 1))
    return perRow;
  ScheduleDraft split;
  split.vectorWidth = draft.vectorWidth;
  if (gridCtas > 1) {
    splitRow(split, RowScope::Grid, pattern, vectorsPerRow, gridCtas);
    ScheduleAttr perGrid = finish(split);
    if (split.vectorsPerThread <= mostVectors && !whyIllegal(pattern, perGrid, target))
      return perGrid;
  }
  ScheduleDraft chunks;
  chunks.vectorWidth = draft.vectorWidth;
  layChunks(chunks, pattern, vectorsPerRow);
  return finish(chunks);
}
