//===- SharedAddress.h - Whose shared memory an address names ---*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared::cluster address may name another CTA of the cluster, which must have
// started and not ended.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_SHAREDADDRESS_H
#define FASTNORM_RUNTIME_EMULATOR_SHAREDADDRESS_H

#include "Program.h"

#include <optional>
#include <string>

namespace fastnorm::emulator {

class Cta;

struct SharedPlace {
  Cta *cta = nullptr;
  uint32_t address = 0; ///< in that CTA
};

/// What a lane asks for at an address.
struct MemoryRange {
  uint64_t address = 0;
  StateSpace space = StateSpace::Shared;
  uint32_t bytes = 0;
  uint32_t alignment = 0; ///< 0: that of `bytes`
};

/// Where a range is, after every check but those of what was written there. `verb` begins messages: "reads ". `agent`
/// is who accesses; nothing stands for the warp itself. Nothing after a finding.
std::optional<SharedPlace> locateShared(Warp &warp, unsigned lane, const MemoryRange &range, const char *verb,
                                        std::optional<unsigned> agent = std::nullopt);

/// "byte 4 of shared memory 'slots' of CTA 3", as seen from `reader`.
std::string describeShared(const Cta &reader, const Cta &owner, uint64_t address);

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_SHAREDADDRESS_H
