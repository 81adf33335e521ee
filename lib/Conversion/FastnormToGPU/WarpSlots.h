//===- WarpSlots.h - What the warps of a row tell each other -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_WARPSLOTS_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_WARPSLOTS_H

#include "RowPosition.h"

namespace fastnorm {

class ClusterExchange;

/// Slots in shared memory: one f32 for each warp of a row and value they tell each other, for scope cluster in the
/// memory of each CTA, CTA after CTA. Row groups of persistent CTAs have slots each, and two sets of them.
class WarpSlots {
public:
  /// Up to `mostDirect` slots of a number every thread reads all, four at a time; beyond, lanes share them.
  /// Row groups of a cluster meet through `exchange`, else null.
  WarpSlots(mlir::OpBuilder &builder, const KernelInterface &interface, ScheduleAttr schedule,
            const RowPosition &position, ClusterExchange *exchange, int64_t mostDirect);

  /// A value of this warp, the same in all of its lanes, and the number of the slots it goes to.
  struct Entry {
    int64_t number;
    mlir::Value value;
  };
  /// What a thread has read of the slots of a number: all of them, or one for each 32 with the lane it belongs to.
  struct Held {
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<mlir::Value> exists; ///< i1: the lane has such a slot; null: every lane has
  };

  /// Warps that share a row.
  int64_t count() const { return filled; }
  /// Gives the values of every warp of the row to all of them, behind one barrier.
  void exchange(llvm::ArrayRef<Entry> entries);
  /// Reads a number's slots.
  Held read(int64_t number);
  /// Combines what threads hold of the slots, so that every thread has the total: as a tree what it read by itself,
  /// else in ascending order and over the lanes in a butterfly.
  mlir::Value meet(Combiner combiner, const Held &held);

private:
  mlir::Value index(int64_t value);
  /// Element `number` of the slots of this row.
  mlir::Value slotAt(mlir::Value number);
  mlir::Value slotAt(int64_t number) { return slotAt(index(number)); }
  void writeOwn(llvm::ArrayRef<Entry> entries);
  void writePeers(llvm::ArrayRef<Entry> entries);
  void sendToPeers(llvm::ArrayRef<Entry> entries);
  void writePadding(llvm::ArrayRef<Entry> entries);
  Held readAll(int64_t first);
  Held readByLanes(int64_t first);
  int64_t firstSlot(int64_t number) const { return number * slotsPerReduction(schedule); }
  /// Lanes that share the slots: a power of two.
  int64_t lanesOfSlots() const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value slots;
  ScheduleAttr schedule;
  RowPosition position;
  ClusterExchange *means; ///< null: barriers
  int64_t warps;          ///< of a CTA that share a row
  int64_t filled;         ///< slots of a number that hold a warp's value
  bool isDirect;          ///< every thread reads all slots
  mlir::Value thread, lane;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_WARPSLOTS_H
