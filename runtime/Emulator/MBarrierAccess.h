//===- MBarrierAccess.h - Finding the mbarrier of an operand ----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instructions that work on mbarriers share: an address becomes an mbarrier
// of some CTA whose initialization the warp knows of, or a finding.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_MBARRIERACCESS_H
#define FASTNORM_RUNTIME_EMULATOR_MBARRIERACCESS_H

#include "MBarrier.h"
#include "SharedAddress.h"

namespace fastnorm::emulator {

/// The address that a lane names by a register of 4 or 8 bytes.
uint64_t addressOf(Warp &warp, OperandCode code, unsigned lane, uint8_t bytes, int64_t offset);
inline uint64_t addressOf(Warp &warp, const AddressOperand &operand, unsigned lane) {
  return addressOf(warp, operand.code, lane, operand.bytes, operand.offset);
}

/// The place of the mbarrier that a lane names; a generic address must be one of shared memory.
std::optional<SharedPlace> locateMBarrier(Warp &warp, unsigned lane, uint64_t address, StateSpace space,
                                          std::optional<unsigned> agent = std::nullopt);

/// The mbarrier at a place, once it is known to the warp; null after a finding.
MBarrier *findMBarrier(Warp &warp, unsigned lane, const SharedPlace &place);

/// Completes the phase if nothing is pending, and lets others know that something has changed.
void settle(Warp &warp, MBarrier &mbarrier);

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_MBARRIERACCESS_H
