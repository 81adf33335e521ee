//===- TileLayout.cpp - How a tile lies over warps and CTAs -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/TileLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

TileLayout::TileLayout(const AccessPattern &pattern, ScheduleAttr schedule)
    : warps(schedule.getThreads() / 32), warpsOfRow(1), chunks(pattern.columnChunks(schedule)),
      chunksOfCta(llvm::divideCeil(chunks, schedule.getCtasPerRow())), rows(schedule.getRowsPerCta()),
      reductions(static_cast<int64_t>(pattern.rowReductions.size())) {
  while (warps % warpsOfRow || warps / warpsOfRow > rows)
    ++warpsOfRow;
  parts = warpsOfRow * schedule.getCtasPerRow();
}
