//===- Timing.cpp - How fast a GPU answers --------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Target/Timing.h"

#include "fastnorm/Target/KnownTargets.h"

using namespace fastnorm;

TimingAttr fastnorm::timingOf(TargetAttr target) {
  if (TimingAttr stated = target.getTiming())
    return stated;
  Result<TargetAttr> measured = findTarget(target.getContext(), "h200");
  assert(measured && measured->getTiming() && measured->getTiming().getMeasured() && "the card that was measured");
  TimingAttr timing = measured->getTiming();
  auto scaled = [&](int64_t rate) {
    return std::max<int64_t>(1, rate * target.getBandwidth() / measured->getBandwidth());
  };
  // A multiprocessor moves 64 bytes a clock on all of these chips, and their clocks are within a fifth of each other.
  return TimingAttr::get(target.getContext(), scaled(timing.getReadBandwidth()), scaled(timing.getWriteBandwidth()),
                         scaled(timing.getL2Bandwidth()), timing.getMultiprocessorBandwidth(), timing.getLaunchNs(),
                         timing.getLoadNs(), timing.getL2LoadNs(), timing.getDependentNs(), timing.getRoundNs(),
                         timing.getReduceNs(), timing.getClusterNs(),
                         /*measured=*/false);
}
