//===- ScheduleSpace.cpp - Which schedules a kernel may have -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/ScheduleSpace.h"

#include "fastnorm/Analysis/CentredPhase.h"
#include "fastnorm/CostModel/RegisterEstimate.h"

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
  if (schedule.getCtasPerRow() > 1 && held - schedule.getColumnChunk() >= columns)
    return llvm::formatv("splits a row over {0} CTAs of {1} elements, but hidden {2} ends before the last of them",
                         schedule.getCtasPerRow(), schedule.getColumnChunk(), pattern.hidden)
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
  if (schedule.getKind() == ScheduleKind::TwoPass && schedule.getScope() != RowScope::Cta)
    return "is two_pass, which needs scope cta";
  bool readsAgain = schedule.getKind() == ScheduleKind::TwoPass || schedule.getScope() == RowScope::Grid;
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

/// Bytes of shared memory that row sums meet in: one f32 per warp that takes part, and value it leaves.
static int64_t reductionBytes(const AccessPattern &pattern, ScheduleAttr schedule) {
  int64_t warps = schedule.getThreads() / 32 * schedule.getClusterCtas();
  return valuesPerWarp(pattern, schedule) * static_cast<int64_t>(llvm::alignTo(warps, 4)) * 4;
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
  int64_t sharedBytes = reductionBytes(pattern, schedule);
  if (sharedBytes > target.getSharedBytes())
    return llvm::formatv("needs {0} bytes of shared memory per CTA, but target {1} allows {2}", sharedBytes,
                         target.getName(), target.getSharedBytes())
        .str();
  return std::nullopt;
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
  return whyResourcesIllegal(pattern, schedule, target);
}
