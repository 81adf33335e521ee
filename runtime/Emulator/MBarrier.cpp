//===- MBarrier.cpp - The mbarriers in a CTA's shared memory --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MBarrier.h"

#include <utility>

namespace fastnorm::emulator {

bool MBarrier::completeIfDone() {
  if (pendingArrivals != 0 || pendingBytes != 0)
    return false;
  pendingArrivals = expectedArrivals;
  passed = std::exchange(arriving, {});
  ++phase;
  return true;
}

} // namespace fastnorm::emulator
