//===- TileLayout.h - How a tile lies over warps and CTAs -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_ANALYSIS_TILELAYOUT_H
#define FASTNORM_ANALYSIS_TILELAYOUT_H

#include "fastnorm/Analysis/AccessPattern.h"

namespace fastnorm {

/// Of a schedule with tiles (two_pass of persistent CTAs). A tile's columns are divided over the CTAs of a cluster in
/// contiguous parts of whole column chunks. In the reduction pass a warp has a row of the CTA's part to itself, or,
/// where a tile has fewer rows than a CTA warps, neighbouring warps have every so-manieth piece of it each. What they
/// sum up lies at the start of the dynamic shared memory, in two sets that tiles take in turn:
/// [set][row reduction][row][part] of f32; where a row has several parts, behind them what these add up to:
/// [row reduction][row] of f32.
struct TileLayout {
  TileLayout(const AccessPattern &pattern, ScheduleAttr schedule);

  int64_t warps;       ///< of a CTA
  int64_t warpsOfRow;  ///< that share a row, a divisor of warps
  int64_t parts;       ///< of a row: of all CTAs of the cluster
  int64_t chunks;      ///< of a row
  int64_t chunksOfCta; ///< at most; the last CTA of a cluster may have fewer
  int64_t rows;        ///< of a tile at most

  int64_t reductionBytes() const { return rows * parts * 4; } ///< of a set
  int64_t setBytes() const { return reductions * reductionBytes(); }
  int64_t totalsOffset() const { return 2 * setBytes(); }
  int64_t totalsOffset(int64_t reduction) const { return totalsOffset() + reduction * rows * 4; }
  int64_t bytes() const { return totalsOffset() + (parts > 1 ? reductions * rows * 4 : 0); }

private:
  int64_t reductions; ///< of rows
};

} // namespace fastnorm

#endif // FASTNORM_ANALYSIS_TILELAYOUT_H
