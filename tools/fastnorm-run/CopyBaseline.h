//===- CopyBaseline.h - The copy that kernels are compared with -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that the compiler generates from an identity map, one for each
// schedule of a small search. The fastest is what 100 % means.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_COPYBASELINE_H
#define FASTNORM_TOOLS_RUN_COPYBASELINE_H

#include "Rotation.h"

namespace fastnorm::tool {

class CopyBaseline {
public:
  /// Compiles the copies for a target and binds them to buffers. Together a copy reads and writes at least
  /// `byteCount` bytes. Each has run once and was right.
  static Result<CopyBaseline> create(Device &device, const std::string &target, int64_t byteCount);

  /// One a schedule; its name says which.
  std::vector<BenchCandidate> candidates() const;
  /// What each candidate reads and writes.
  int64_t byteCount() const;

private:
  struct Copy {
    std::string name; ///< "copy, 8 vectors x 512 threads"
    std::unique_ptr<Executor> executor;
    std::optional<Rotation> rotation;
  };

  Status add(Device &device, const std::string &target, int64_t vectors, int64_t threads);
  Status bind();

  int64_t rows = 0;
  NamedTensors inputs;
  std::vector<Copy> copies;
  std::optional<RotatingSets> sets;
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_COPYBASELINE_H
