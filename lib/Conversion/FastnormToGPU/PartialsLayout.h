//===- PartialsLayout.h - Where sums of columns pass -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_PARTIALSLAYOUT_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_PARTIALSLAYOUT_H

#include "fastnorm/Analysis/AccessPattern.h"

#include "mlir/IR/Builders.h"

#include <numeric>

namespace fastnorm {

/// The f32 that persistent CTAs leave for the second launch: [clusters][column chunk][column reduction][chunk]. A
/// cluster's part is one *set* of partials; its chunks are those of its CTAs, one each or, of tiles, several. Where
/// sums of heads are kept apart a set is that of as many clusters, of a head each. A chunk holds its columns not in
/// their order but in pieces, in the order [piece of a vector][vector of a thread][thread], so that a warp stores
/// neighbouring bytes.
struct PartialsLayout {
  PartialsLayout(const AccessPattern &pattern, ScheduleAttr schedule)
      : piece(std::min<int64_t>(4, schedule.getVectorWidth())), unit(std::gcd<int64_t>(4, schedule.getColumnChunk())),
        chunk(schedule.getColumnChunk()), reductions(pattern.columnReductions.size()),
        chunksOfRow(schedule.hasTiles() ? pattern.columnChunks(schedule) : schedule.getCtasPerRow()),
        chunks(chunksOfRow * pattern.columnHeads) {}

  int64_t piece;       ///< elements that lie together
  int64_t unit;        ///< elements that the launch behind reads at once: up to 16 bytes
  int64_t chunk;       ///< elements of a column chunk
  int64_t reductions;  ///< of columns
  int64_t chunksOfRow; ///< of a cluster
  int64_t chunks;      ///< of a set

  int64_t reductionBytes() const { return chunk * 4; }
  int64_t chunkBytes() const { return reductions * reductionBytes(); }
  int64_t setBytes() const { return chunks * chunkBytes(); }

  /// Which piece of a chunk is the first thread's `pieceOfVector`-th of a vector; the others' follow it.
  int64_t firstPiece(ScheduleAttr schedule, int64_t vector, int64_t pieceOfVector) const {
    return (pieceOfVector * schedule.getVectorsPerThread() + vector) * schedule.getThreadsPerRow();
  }

  /// The first column of a piece (an integer; its type is the result's), counted from that of its chunk.
  mlir::Value columnOf(mlir::OpBuilder &builder, mlir::Location loc, ScheduleAttr schedule, mlir::Value number) const;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_PARTIALSLAYOUT_H
