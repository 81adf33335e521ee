//===- TileSums.h - Row sums of a tile -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the warps of a CTA or cluster sum up of a tile's rows meets in shared
// memory (TileLayout). Tiles use two sets in turn: a warp that is ahead writes
// the next tile's sums while others still read these, and a set is written again
// only behind a barrier that comes after the last read of it.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_TILESUMS_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_TILESUMS_H

#include "RowPosition.h"
#include "SharedMemory.h"

#include "fastnorm/Analysis/TileLayout.h"

namespace fastnorm {

/// Where a warp stands in its CTA; i32.
struct WarpPlace {
  mlir::Value warp; ///< number in the CTA
  mlir::Value lane;
  mlir::Value rank; ///< of the CTA in its cluster; null without clusters
};

class TileSums {
public:
  TileSums(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
           const KernelInterface &interface, const WarpPlace &place);

  /// Starts the tile of a number (i64), counted by the CTA.
  void enterTile(mlir::Value number);
  /// Leaves what the warp has of a row (i64, counted in the tile): f32 for each row reduction of a phase.
  void leave(int64_t phase, mlir::Value row, llvm::ArrayRef<mlir::Value> values);
  /// All threads of the tile come here when they have left what a phase asks for of its rows (i64, how many).
  void meet(int64_t phase, mlir::Value rows);
  /// The sums of a row for each row reduction of a phase they have met in.
  llvm::SmallVector<mlir::Value> load(int64_t phase, mlir::Value row);

private:
  mlir::Value multiply(mlir::Value value, int64_t factor);
  mlir::Value add(mlir::Value left, mlir::Value right);
  mlir::Value narrowed(mlir::Value value);
  mlir::Value rowOfParts(mlir::Value row);
  void combineParts(int64_t number, mlir::Value row);
  mlir::Value loadFloat(mlir::Value pointer);
  void storeFloat(mlir::Value value, mlir::Value pointer);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  TileLayout layout;
  SharedMemory memory;
  WarpPlace place;
  mlir::Value base; ///< of the dynamic shared memory
  mlir::Value set;  ///< i32: bytes to that of the tile
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_TILESUMS_H
