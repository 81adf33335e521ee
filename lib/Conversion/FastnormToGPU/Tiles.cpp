//===- Tiles.cpp - Persistent CTAs that read tiles of rows again -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile has so few rows that the L2 still holds them when they are read again,
// and so many that what is left of their sums is little beside them. Its
// reduction passes sum up rows and nothing else, a warp a row; its output pass
// goes through the column chunks, in each through the rows, with threads that
// keep the chunk's columns. docs/Schedules.md, "Tiles".
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "ClusterReduction.h"
#include "ColumnPartials.h"
#include "SharedColumns.h"
#include "Strategies.h"
#include "TileSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fastnorm;

namespace {

/// The tiles of a CTA: of clusters c and height h, tile k of cluster i begins at row (k · c + i) · h. i64.
struct TileWalk {
  Value cluster, clusters, height;
  Value count; ///< at least 1; a tile may have no rows
};

class TilesEmitter {
public:
  TilesEmitter(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
               const KernelInterface &interface)
      : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), interface(interface),
        layout(pattern, schedule), ofWarps(schedule.ofWarps()),
        // Read again by the output pass: the lines should stay in the L2.
        sweep(builder, pattern, ofWarps, interface, LoadPolicy::Ordered),
        body(builder, pattern, schedule, interface, LoadPolicy::Streaming) {}

  void run() {
    enter();
    if (schedule.getClusterCtas() > 1 && sums) {
      emitClusterStarts(builder, loc);
      emitClusterStarted(builder, loc);
    }
    if (columns)
      forEachChunk([&](const Chunk &chunk) {
        columns->enterChunk(chunk.number);
        columns->initialize();
      });
    forEach(i64(0), walk.count, 1, [&](Value number) { emitTile(number); });
    if (columns)
      forEachChunk([&](const Chunk &chunk) {
        columns->enterChunk(chunk.number);
        storePartials(chunk, columns->loadAll());
      });
  }

private:
  /// A column chunk of the CTA's: its number, and its first column; i64.
  struct Chunk {
    Value number, column;
  };
  /// A tile of the CTA's: its number, its first row and how many it has; i64.
  struct Tile {
    Value number, first, rows;
  };

  Value i64(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value)); }
  Value i32(int64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value add(Value left, Value right) { return arith::AddIOp::create(builder, loc, left, right); }
  Value subtract(Value left, Value right) { return arith::SubIOp::create(builder, loc, left, right); }
  Value multiply(Value left, Value right) { return arith::MulIOp::create(builder, loc, left, right); }
  Value least(Value left, Value right) { return arith::MinSIOp::create(builder, loc, left, right); }
  Value most(Value left, Value right) { return arith::MaxSIOp::create(builder, loc, left, right); }
  /// Of what is not negative, by what is positive.
  Value divideUp(Value value, Value by) {
    return arith::DivUIOp::create(builder, loc, subtract(add(value, by), i64(1)), by);
  }
  Value widened(Value value) { return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), value); }

  void forEach(Value begin, Value end, int64_t step, llvm::function_ref<void(Value)> emit) {
    auto loop = scf::ForOp::create(builder, loc, begin, end, i64(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emit(loop.getInductionVar());
  }

  void enter() {
    auto number = [&](auto op) -> Value { return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), op); };
    auto divide = [&](Value value, int64_t by) -> Value {
      return arith::DivUIOp::create(builder, loc, value, i32(by));
    };
    auto remainder = [&](Value value, int64_t by) -> Value {
      return arith::RemUIOp::create(builder, loc, value, i32(by));
    };
    auto range = [&](int64_t value) { return builder.getIndexAttr(value); };
    Value cta =
        number(gpu::BlockIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x, range(INT32_MAX)));
    Value ctas =
        number(gpu::GridDimOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x, range(INT32_MAX)));
    Value own = number(
        gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x, range(schedule.getThreads())));
    thread = widened(own);
    place.warp = divide(own, 32);
    place.lane = remainder(own, 32);
    enterWalk(widened(divide(cta, schedule.getCtasPerRow())), widened(divide(ctas, schedule.getCtasPerRow())));
    chunks = i64(layout.chunks);
    if (schedule.getCtasPerRow() > 1) {
      place.rank = remainder(cta, schedule.getCtasPerRow());
      Value before = multiply(widened(place.rank), i64(layout.chunksOfCta));
      firstColumn = multiply(before, i64(schedule.getColumnChunk()));
      chunks = least(subtract(chunks, before), i64(layout.chunksOfCta));
    }
    endColumn = multiply(chunks, i64(schedule.getColumnChunk()));
    endColumn = least(firstColumn ? add(firstColumn, endColumn) : endColumn, i64(pattern.hidden));
    if (!pattern.rowReductions.empty())
      sums.emplace(builder, pattern, schedule, interface, place);
    if (schedule.sumsInSharedMemory())
      columns.emplace(builder, pattern, schedule, interface, positionOf(Value(), Value()));
  }

  /// As few rounds as the height allows, and in these tiles of equal height: with few rows, one for each cluster.
  void enterWalk(Value cluster, Value clusters) {
    walk.cluster = cluster;
    walk.clusters = clusters;
    Value atOnce = multiply(clusters, i64(layout.rows));
    Value rounds = divideUp(interface.rows, atOnce);
    walk.height = divideUp(interface.rows, multiply(clusters, rounds));
    Value left = subtract(interface.rows, multiply(cluster, walk.height));
    walk.count = divideUp(most(left, i64(1)), multiply(clusters, walk.height));
  }

  RowPosition positionOf(Value row, Value column) {
    RowPosition position;
    position.row = row;
    position.lane = thread;
    position.columnBase = column;
    return position;
  }

  void forEachChunk(llvm::function_ref<void(const Chunk &)> emit) {
    forEach(i64(0), chunks, 1, [&](Value number) {
      Value column = multiply(number, i64(schedule.getColumnChunk()));
      emit({number, firstColumn ? add(firstColumn, column) : column});
    });
  }

  void emitTile(Value number) {
    Value place = add(multiply(number, walk.clusters), walk.cluster);
    Tile tile{number, multiply(place, walk.height), Value()};
    tile.rows = most(least(subtract(interface.rows, tile.first), walk.height), i64(0));
    if (sums)
      sums->enterTile(number);
    for (int64_t phase = 0; phase + 1 < pattern.phases; ++phase) {
      reducePhase(phase, tile);
      sums->meet(phase, tile.rows);
    }
    forEachChunk([&](const Chunk &chunk) { emitOutputs(tile, chunk); });
  }

  /// A reduction pass: warps take the tile's rows in turn.
  void reducePhase(int64_t phase, const Tile &tile) {
    Value first = widened(arith::DivUIOp::create(builder, loc, place.warp, i32(layout.warpsOfRow)));
    forEach(first, tile.rows, layout.warps / layout.warpsOfRow, [&](Value row) {
      RowPosition position;
      position.row = add(tile.first, row);
      position.lane = widened(place.lane);
      sweep.enterRow(position);
      enterTotals(sweep, phase, row);
      sums->leave(phase, row, sweep.reducePartials(phase, sweepRow(phase)));
    });
  }

  void enterTotals(BodyEmitter &emitter, int64_t phases, Value row) {
    for (int64_t phase = 0; phase < phases; ++phase)
      emitter.enterTotals(phase, sums->load(phase, row));
  }

  /// What a lane sums up of a row: pieces of a warp's width, every so-manieth where several warps share the row.
  SmallVector<Value> sweepRow(int64_t phase) {
    int64_t piece = ofWarps.getColumnChunk();
    Value turn = widened(arith::RemUIOp::create(builder, loc, place.warp, i32(layout.warpsOfRow)));
    Value begin = multiply(turn, i64(piece));
    begin = firstColumn ? add(firstColumn, begin) : begin;
    auto loop =
        scf::ForOp::create(builder, loc, begin, endColumn, i64(piece * layout.warpsOfRow), sweep.startPartials(phase));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    sweep.enterChunk(loop.getInductionVar());
    SmallVector<Value> partials(loop.getRegionIterArgs());
    llvm::DenseSet<Value> needed = pattern.neededForRowReductions(phase);
    forEachGroup([&](int64_t begin, int64_t end) {
      issue(sweep, begin, end, needed);
      for (int64_t vector = begin; vector < end; ++vector)
        sweep.accumulateRows(phase, vector, partials);
    });
    scf::YieldOp::create(builder, loc, partials);
    sweep.enterChunk(Value());
    return SmallVector<Value>(loop.getResults());
  }

  /// Vectors whose loads are in flight together.
  void forEachGroup(llvm::function_ref<void(int64_t begin, int64_t end)> emit) {
    int64_t vectors = schedule.getVectorsPerThread(), inFlight = schedule.getVectorsInFlight();
    for (int64_t begin = 0; begin < vectors; begin += inFlight)
      emit(begin, std::min(vectors, begin + inFlight));
  }

  void issue(BodyEmitter &emitter, int64_t begin, int64_t end, const llvm::DenseSet<Value> &needed) {
    for (int64_t vector = begin; vector < end; ++vector)
      emitter.issueLoads(vector, &needed);
    for (int64_t vector = begin; vector < end; ++vector)
      emitter.issueInvariants(vector, LoadPolicy::Ordered, &needed);
  }

  /// The output pass over a chunk: its sums over the tile's rows go through the loop over these.
  void emitOutputs(const Tile &tile, const Chunk &chunk) {
    if (columns)
      columns->enterChunk(chunk.number);
    SmallVector<Value> before = sumsBefore(tile, chunk);
    if (isEarly())
      body.holdInvariants(positionOf(Value(), chunk.column));
    auto loop = scf::ForOp::create(builder, loc, i64(0), tile.rows, i64(1), before);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      body.setColumns(SmallVector<Value>(loop.getRegionIterArgs()));
      emitRow(tile, loop.getInductionVar(), chunk);
      // A loop that carries nothing was made with its terminator.
      if (!before.empty())
        scf::YieldOp::create(builder, loc, body.getColumns());
    }
    SmallVector<Value> after(loop.getResults());
    if (columns)
      columns->storeAll(after);
    else if (!after.empty())
      storePartials(chunk, after);
  }

  bool isEarly() const { return schedule.getInvariants() == Invariants::Early && !pattern.isShifted(schedule); }

  /// What the CTA's tiles before have added to the columns.
  SmallVector<Value> sumsBefore(const Tile &tile, const Chunk &chunk) {
    if (columns)
      return columns->loadAll();
    // Atomic additions need no sum of sums.
    if (pattern.columnReductions.empty() || schedule.addsAtomically())
      return body.startColumns();
    Value isLater = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, tile.number, i64(0));
    return emitLoadPartials(builder, pattern, schedule, interface, positionOf(Value(), chunk.column), chunk.number,
                            isLater);
  }

  void storePartials(const Chunk &chunk, ArrayRef<Value> values) {
    emitStorePartials(builder, pattern, schedule, interface, positionOf(Value(), chunk.column), values,
                      /*phase=*/std::nullopt, chunk.number);
  }

  void emitRow(const Tile &tile, Value row, const Chunk &chunk) {
    body.enterRow(positionOf(add(tile.first, row), chunk.column));
    llvm::DenseSet<Value> needed = pattern.neededForOutputs();
    forEachGroup([&](int64_t begin, int64_t end) {
      issue(body, begin, end, needed);
      if (begin == 0) {
        body.storeRowResults(/*phase=*/0);
        for (int64_t phase = 0; phase + 1 < pattern.phases; ++phase) {
          body.enterTotals(phase, sums->load(phase, row));
          body.storeRowResults(phase + 1);
        }
      }
      for (int64_t vector = begin; vector < end; ++vector)
        body.computeOutputs(vector);
    });
  }

  OpBuilder &builder;
  Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  const KernelInterface &interface;
  TileLayout layout;
  ScheduleAttr ofWarps;
  BodyEmitter sweep; ///< of the reduction passes
  BodyEmitter body;  ///< of the output pass
  WarpPlace place;
  Value thread; ///< i64
  TileWalk walk;
  Value firstColumn;            ///< i64: of this CTA; null: 0
  Value endColumn;              ///< i64: behind its last
  Value chunks;                 ///< i64: of this CTA
  std::optional<TileSums> sums; ///< none where no row is reduced
  std::optional<SharedColumns> columns;
};

} // namespace

void fastnorm::emitTiles(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                         const KernelInterface &interface) {
  TilesEmitter(builder, pattern, schedule, interface).run();
}
