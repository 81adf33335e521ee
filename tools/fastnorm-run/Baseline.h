//===- Baseline.h - What kernels are compared with --------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams that the compiler generates from a map: so many tensors read, their
// sum written so many times, one kernel for each schedule of a small search.
// One read and written is the copy, whose fastest is what 100 % means.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_BASELINE_H
#define FASTNORM_TOOLS_RUN_BASELINE_H

#include "Rotation.h"

namespace fastnorm::tool {

/// Tensors of one size that a stream reads and writes.
struct StreamMix {
  int64_t reads = 1;
  int64_t writes = 1;

  bool isCopy() const { return reads == 1 && writes == 1; }
  /// The mix of few tensors that comes nearest to a proportion of bytes.
  static StreamMix nearest(int64_t readBytes, int64_t writtenBytes);
};

class Baseline {
public:
  /// Compiles the streams for a target and binds them to buffers in a state of the L2. Each reads and writes at least
  /// `byteCount` bytes together, has run once and was right.
  static Result<Baseline> create(Device &device, const std::string &target, int64_t byteCount, StreamMix mix,
                                 CacheState state);

  /// One a schedule; its name says which.
  std::vector<BenchCandidate> candidates() const;
  int64_t readBytes() const { return mix.reads * rows * rowBytes(); }
  int64_t writtenBytes() const { return mix.writes * rows * rowBytes(); }
  /// What samples of one of them mean.
  Timed timed(BenchResult samples) const;

private:
  struct Kernel {
    std::string name; ///< "copy, 8 vectors x 512 threads"
    std::unique_ptr<Executor> executor;
    std::optional<Rotation> rotation;
  };

  int64_t rowBytes() const;
  std::string describe() const;
  Status fill();
  Status add(Device &device, const std::string &target, int64_t vectors, int64_t threads);
  Status checkResults(const std::string &name, const Plan &plan, const NamedTensors &outputs) const;
  Status bind(CacheState state);

  StreamMix mix;
  int64_t rows = 0;
  NamedTensors inputs;
  std::vector<float> expected; ///< of the first result
  std::vector<Kernel> kernels;
  std::optional<RotatingSets> sets;
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_BASELINE_H
