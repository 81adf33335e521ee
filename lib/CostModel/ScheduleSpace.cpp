//===- ScheduleSpace.cpp - Which schedules a kernel may have -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/ScheduleSpace.h"

#include "fastnorm/CostModel/RegisterEstimate.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fastnorm;

using Reason = std::optional<std::string>;

static Reason whyColumnsIllegal(const AccessPattern &pattern, ScheduleAttr schedule) {
  if (pattern.hidden % schedule.getVectorWidth())
    return llvm::formatv("needs a vector_width that divides hidden {0}, but has {1}", pattern.hidden,
                         schedule.getVectorWidth())
        .str();
  if (schedule.getKind() == ScheduleKind::PerRow && schedule.getColumnChunk() < pattern.hidden)
    return llvm::formatv("holds {0} elements of a row in registers, but hidden is {1}: use more threads_per_row or "
                         "vectors_per_thread, or two_pass",
                         schedule.getColumnChunk(), pattern.hidden)
        .str();
  int64_t lastVector = schedule.getColumnChunk() - schedule.getThreadsPerRow() * schedule.getVectorWidth();
  if (lastVector >= pattern.hidden)
    return llvm::formatv("gives a thread {0} vectors of a row, but hidden {1} ends before the last of them",
                         schedule.getVectorsPerThread(), pattern.hidden)
        .str();
  return std::nullopt;
}

static Reason whyKindIllegal(const AccessPattern &pattern, ScheduleAttr schedule) {
  if (schedule.getKind() == ScheduleKind::PerElement && !pattern.rowReductions.empty())
    return "is per_element, but the kernel reduces rows: use per_row or two_pass";
  if (schedule.getKind() == ScheduleKind::TwoPass && schedule.getScope() != RowScope::Cta)
    return "is two_pass, which needs scope cta";
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
  // One f32 a warp and reduction.
  int64_t sharedBytes = static_cast<int64_t>(pattern.rowReductions.size()) * (threads / 32) * 4;
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
  return whyResourcesIllegal(pattern, schedule, target);
}
