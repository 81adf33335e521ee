//===- ScheduleSpace.cpp - Which schedules a kernel may have -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/ScheduleSpace.h"

#include "fastnorm/Analysis/ColumnSums.h"
#include "fastnorm/Analysis/RowLayout.h"
#include "fastnorm/Analysis/SharedLayout.h"
#include "fastnorm/Analysis/TileLayout.h"
#include "fastnorm/CostModel/RegisterEstimate.h"
#include "fastnorm/Target/Capabilities.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

using Reason = std::optional<std::string>;

static Reason whyColumnsIllegal(const AccessPattern &pattern, ScheduleAttr schedule) {
  int64_t held = schedule.getColumnChunk() * schedule.getCtasPerRow();
  int64_t columns = pattern.coveredColumns(schedule);
  if (schedule.getKind() == ScheduleKind::PerRow && held < columns)
    return llvm::formatv("holds {0} elements of a row in registers, but hidden is {1}{2}: use more threads_per_row or "
                         "vectors_per_thread, or two_pass",
                         held, pattern.hidden,
                         columns == pattern.hidden ? "" : " and rows that are not aligned need a vector more")
        .str();
  int64_t ofCta = schedule.getColumnChunk() * (schedule.hasTiles() ? TileLayout(pattern, schedule).chunksOfCta : 1);
  if (schedule.getCtasPerRow() > 1 && (schedule.getCtasPerRow() - 1) * ofCta >= columns)
    return llvm::formatv("splits a row over {0} CTAs of {1} elements, but hidden {2} ends before the last of them",
                         schedule.getCtasPerRow(), ofCta, pattern.hidden)
        .str();
  int64_t lastVector = schedule.getColumnChunk() - schedule.getThreadsPerRow() * schedule.getVectorWidth();
  if (lastVector >= columns)
    return llvm::formatv("gives a thread {0} vectors of a row, but hidden {1} ends before the last of them",
                         schedule.getVectorsPerThread(), pattern.hidden)
        .str();
  return std::nullopt;
}

/// A group lies in neighbouring lanes of a warp, which meet by shuffles.
static Reason whyGroupsIllegal(const AccessPattern &pattern, ScheduleAttr schedule) {
  if (!pattern.hasGroups)
    return std::nullopt;
  int64_t lanes = pattern.groupSize() / schedule.getVectorWidth();
  if (pattern.groupSize() % schedule.getVectorWidth() || lanes > 32 || schedule.getThreadsPerRow() % lanes)
    return llvm::formatv("needs groups of {0} elements to be whole vectors of at most 32 lanes that divide "
                         "threads_per_row, but has vector_width {1} and threads_per_row {2}",
                         pattern.groupSize(), schedule.getVectorWidth(), schedule.getThreadsPerRow())
        .str();
  if (schedule.getThreads() % 32)
    return llvm::formatv("needs whole warps for its groups, but a CTA has {0} threads", schedule.getThreads()).str();
  return std::nullopt;
}

static Reason whyKindIllegal(const AccessPattern &pattern, ScheduleAttr schedule) {
  if (schedule.getKind() == ScheduleKind::PerElement && !pattern.rowReductions.empty())
    return "is per_element, but the kernel reduces rows: use per_row or two_pass";
  if (schedule.getKind() == ScheduleKind::TwoPass && !schedule.hasTiles() && schedule.getScope() != RowScope::Cta)
    return "is two_pass, which needs scope cta, or persistent_ctas and scope cluster";
  // The passes over a tile go from chunk to chunk and from row to row, never from slot to slot.
  bool worksOnSlots = !pattern.scatters.empty() || llvm::any_of(pattern.rowReductions, [](ReduceOp reduce) {
    return reduce.getOperandAxes().contains(Axis::Slot);
  });
  if (schedule.hasTiles() && worksOnSlots)
    return "takes tiles of rows, but the kernel scatters rows or reduces those of each slot: use kind per_row";
  // Of a tile results are written in the last pass only, and elements by the threads that read them there.
  bool readsAgain =
      (schedule.getKind() == ScheduleKind::TwoPass && !schedule.hasTiles()) || schedule.getScope() == RowScope::Grid;
  if (std::optional<std::string> reason = readsAgain ? pattern.whyNotReadAgain() : std::nullopt)
    return *reason + ": use a schedule that keeps its row, per_row with scope lanes, cta or cluster";
  return std::nullopt;
}

static Reason whyTargetIllegal(ScheduleAttr schedule, TargetAttr target) {
  if (schedule.getClusterCtas() > 1 && schedule.getClusterCtas() > target.getClusterCtas())
    return llvm::formatv("needs a cluster of {0} CTAs, but target {1} {2}", schedule.getClusterCtas(), target.getName(),
                         target.getClusterCtas() ? llvm::formatv("allows {0}", target.getClusterCtas()).str()
                                                 : std::string("has no clusters: use scope grid"))
        .str();
  if (schedule.getDependentLaunch() && !target.supportsDependentLaunch())
    return llvm::formatv("needs dependent launches, but target {0} has none", target.getName()).str();
  return std::nullopt;
}

/// The threads of a row of the result add up what they store.
static Reason whyAccumulationIllegal(const AccessPattern &pattern, ScheduleAttr schedule) {
  if (!pattern.accumulatingScatter())
    return std::nullopt;
  if (schedule.getKind() == ScheduleKind::PerElement && !schedule.isPersistent() && !pattern.isShifted(schedule))
    return std::nullopt;
  return llvm::formatv(
             "is {0} with vectors of {1} elements, but the kernel adds up slots that name one row of its result: "
             "use per_element without persistent_ctas and vector_width {2} at most",
             stringifyScheduleKind(schedule.getKind()), schedule.getVectorWidth(), pattern.alignedElements)
      .str();
}

/// Sums over rows stay with a thread, which has the same columns in every row.
static Reason whyColumnSumsIllegal(const AccessPattern &pattern, ScheduleAttr schedule) {
  if (pattern.columnReductions.empty()) {
    if (schedule.addsAtomically())
      return "accumulates sums over rows, but the kernel reduces over none: use accumulate partials";
    if (schedule.sumsInSharedMemory())
      return "keeps sums over rows in shared memory, but the kernel reduces over none: use accumulators registers";
    return std::nullopt;
  }
  if (!schedule.isPersistent())
    return "works on a part of the rows, but the kernel reduces over all of them: use persistent_ctas";
  if (schedule.hasTiles() && pattern.columnHeads > 1)
    return llvm::formatv("takes tiles of neighbouring rows, but the kernel keeps the sums of {0} heads apart, which "
                         "neighbouring rows are of: use kind per_row",
                         pattern.columnHeads)
        .str();
  if (pattern.isShifted(schedule))
    return llvm::formatv("has vectors of {0} elements, which rows that start at multiples of {1} shift, but the kernel "
                         "reduces over rows and its threads keep their columns: use vector_width {1}",
                         schedule.getVectorWidth(), pattern.alignedElements)
        .str();
  if (Reason reason = schedule.addsAtomically() ? whyNotAddedInPlace(pattern) : std::nullopt)
    return *reason + ": use accumulate partials";
  return std::nullopt;
}

/// Bytes that a row of a streamed input starts at a multiple of, at most 16.
static int64_t rowAlignment(const AccessPattern &pattern, BlockArgument argument) {
  int64_t bytes = elementBytes(argument);
  return RowLayout::of(pattern.kernel, argument).alignmentBytes(bytes, pattern.alignment);
}

/// Each thread's vector comes in copies of 4, 8 or 16 bytes.
static Reason whyOwnCopiesIllegal(const AccessPattern &pattern, ScheduleAttr schedule, TargetAttr target) {
  if (!supportsAsyncCopies(target))
    return llvm::formatv("has {0} stages of asynchronous copies, but target {1} ({2}) has none: use stages 0",
                         schedule.getStages(), target.getName(), target.getChip())
        .str();
  for (BlockArgument argument : pattern.streamed) {
    int64_t bytes = elementBytes(argument);
    if (pattern.isShifted(schedule) || schedule.getVectorWidth() * bytes < 4)
      return llvm::formatv(
                 "has {0} stages, to which threads copy vectors of 4 bytes or more that start at multiples of "
                 "their size, but those of input {1} have {2} bytes and rows start at multiples of {3}: use "
                 "stages 0",
                 schedule.getStages(), argument.getArgNumber(), schedule.getVectorWidth() * bytes,
                 rowAlignment(pattern, argument))
          .str();
  }
  return std::nullopt;
}

/// Bulk copies move whole 16 bytes between places that are multiples of 16.
static Reason whyStagesIllegal(const AccessPattern &pattern, ScheduleAttr schedule, TargetAttr target) {
  if (schedule.getStages() == 0)
    return std::nullopt;
  if (pattern.streamed.empty())
    return llvm::formatv("has {0} stages, but the kernel reads no rows that they could hold: use stages 0",
                         schedule.getStages())
        .str();
  if (schedule.getCopies() == Copies::ByThread)
    return whyOwnCopiesIllegal(pattern, schedule, target);
  if (!supportsBulkCopies(target))
    return llvm::formatv(
               "has {0} stages of bulk copies, but target {1} ({2}) has none: use copies by_thread or stages 0",
               schedule.getStages(), target.getName(), target.getChip())
        .str();
  for (BlockArgument argument : pattern.streamed) {
    int64_t bytes = elementBytes(argument);
    int64_t chunk = schedule.getColumnChunk();
    int64_t last = pattern.hidden - (schedule.getCtasPerRow() - 1) * chunk;
    bool hasWholeParts = last * bytes % 16 == 0 && (schedule.getCtasPerRow() == 1 || chunk * bytes % 16 == 0);
    if (rowAlignment(pattern, argument) < 16 || !hasWholeParts)
      return llvm::formatv("has {0} stages, whose bulk copies need rows of whole 16 bytes that start at multiples of "
                           "16, but those of input {1} are {2} bytes long, of which a CTA has {3}, and start at "
                           "multiples of {4}: use copies by_thread or stages 0",
                           schedule.getStages(), argument.getArgNumber(), pattern.hidden * bytes,
                           std::min(chunk, pattern.hidden) * bytes, rowAlignment(pattern, argument))
          .str();
  }
  return std::nullopt;
}

/// A CTA may have this much less shared memory than its multiprocessor, which takes as much for each CTA.
static constexpr int64_t kSharedBytesOfSystem = 1024;

static Reason whySharedMemoryIllegal(const AccessPattern &pattern, ScheduleAttr schedule, TargetAttr target) {
  int64_t bytes = reductionSlots(pattern, schedule) * 4;
  if (schedule.isPersistent())
    bytes += SharedLayout(pattern, schedule).totalBytes;
  if (bytes > target.getSharedBytes())
    return llvm::formatv("needs {0} bytes of shared memory per CTA, but target {1} allows {2}", bytes, target.getName(),
                         target.getSharedBytes())
        .str();
  int64_t ctas = schedule.getMinCtas();
  if (schedule.isPersistent() && ctas * (bytes + kSharedBytesOfSystem) > target.getSharedBytes() + kSharedBytesOfSystem)
    return llvm::formatv(
               "needs {0} bytes of shared memory for each of {1} CTAs of a multiprocessor, but target {2} has "
               "{3} for all of them",
               bytes, ctas, target.getName(), target.getSharedBytes() - (ctas - 1) * kSharedBytesOfSystem)
        .str();
  return std::nullopt;
}

static Reason whyResourcesIllegal(const AccessPattern &pattern, ScheduleAttr schedule, TargetAttr target) {
  int64_t threads = schedule.getThreads();
  int64_t ctas = schedule.getMinCtas();
  if (threads * ctas > target.getThreads() || ctas > target.getCtas())
    return llvm::formatv("needs {0} CTAs of {1} threads per multiprocessor, but target {2} holds {3} CTAs and {4} "
                         "threads",
                         ctas, threads, target.getName(), target.getCtas(), target.getThreads())
        .str();
  int64_t needed = RegisterEstimate(pattern, schedule).needed();
  int64_t available = registersAvailable(target, threads, ctas);
  if (needed > available)
    return llvm::formatv("needs {0} registers per thread to keep its vectors, but target {1} allows {2} at {3} CTAs of "
                         "{4} threads per multiprocessor",
                         needed, target.getName(), available, ctas, threads)
        .str();
  return whySharedMemoryIllegal(pattern, schedule, target);
}

Reason fastnorm::whyIllegal(const AccessPattern &pattern, ScheduleAttr schedule, TargetAttr target) {
  if (Reason reason = whyKindIllegal(pattern, schedule))
    return reason;
  if (Reason reason = whyColumnsIllegal(pattern, schedule))
    return reason;
  if (Reason reason = whyTargetIllegal(schedule, target))
    return reason;
  if (Reason reason = whyGroupsIllegal(pattern, schedule))
    return reason;
  if (Reason reason = whyColumnSumsIllegal(pattern, schedule))
    return reason;
  if (Reason reason = whyAccumulationIllegal(pattern, schedule))
    return reason;
  if (Reason reason = whyStagesIllegal(pattern, schedule, target))
    return reason;
  return whyResourcesIllegal(pattern, schedule, target);
}
