//===- L2Flush.h - Reads that leave nothing else in the L2 ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_L2FLUSH_H
#define FASTNORM_TOOLS_RUN_L2FLUSH_H

#include "runtime/Executor/Executor.h"

#include <memory>
#include <string>

namespace fastnorm::tool {

/// A kernel that reads three times as much as the L2 holds, and writes next to nothing: what was in the L2 is out, and
/// nothing is left to be written back. Copies share it; the device must outlive them.
class L2Flush {
public:
  static Result<L2Flush> create(Device &device, const std::string &target);

  Status launch(Stream &stream) const;

private:
  struct Parts;
  std::shared_ptr<const Parts> parts;
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_L2FLUSH_H
