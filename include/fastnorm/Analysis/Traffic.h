//===- Traffic.h - Bytes a kernel moves -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_ANALYSIS_TRAFFIC_H
#define FASTNORM_ANALYSIS_TRAFFIC_H

#include "fastnorm/Analysis/AccessPattern.h"

namespace fastnorm {

/// Bytes as a sum: `fixed` + `perRow` × the kernel's rows.
struct ByteCount {
  int64_t fixed = 0;
  int64_t perRow = 0;

  int64_t of(int64_t rows) const { return fixed + perRow * rows; }
};

/// Distinct bytes that a kernel reads of an argument of its body; of a table, the rows that it gathers.
ByteCount bytesRead(mlir::BlockArgument argument);

/// Distinct bytes: what must cross the memory bus once, however often the kernel reads it. Gathered and scattered rows
/// count once per slot, as if no slot were dropped and no row named twice.
struct Traffic {
  Traffic() = default;

  /// Of a kernel's launch. Where it reduces over rows: of the launch that works on them; what it leaves for the next is
  /// not counted, since it need not leave the caches.
  static Traffic ofRows(const AccessPattern &pattern);
  /// Of what follows the column reductions of a kernel: it reads and writes [hidden] alone, however many rows there
  /// are.
  static Traffic ofColumns(const AccessPattern &pattern);

  /// Of the launch that carries out one phase, where a kernel has a launch per phase: what the phase needs, and f32
  /// partial sums that `ctasPerRow` CTAs leave for each reduction.
  Traffic(const AccessPattern &pattern, int64_t phase, int64_t ctasPerRow);

  ByteCount read;
  ByteCount written;
};

} // namespace fastnorm

#endif // FASTNORM_ANALYSIS_TRAFFIC_H
