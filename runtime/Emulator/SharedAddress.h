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

/// Where a lane's address of an access of `bytes` points, after every check but those of what was written there. `verb`
/// begins messages: "reads ". `isAsync`: the access happens at a time of its own. Nothing after a finding.
std::optional<SharedPlace> locateShared(Warp &warp, unsigned lane, uint64_t address, StateSpace space, uint32_t bytes,
                                        const char *verb, bool isAsync = false);

/// "byte 4 of shared memory 'slots' of CTA 3", as seen from `reader`.
std::string describeShared(const Cta &reader, const Cta &owner, uint64_t address);

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_SHAREDADDRESS_H
