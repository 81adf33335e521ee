//===- RegisterEstimate.cpp - Registers a schedule asks for -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/RegisterEstimate.h"

#include "fastnorm/Analysis/CentredPhase.h"
#include "fastnorm/Analysis/SharedLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

/// Addresses and the reduction; the unpacked elements of the vector in work. With these the sums below meet what
/// ptxas 13.0 takes, unconstrained, for the kernels of docs/Schedules.md (40 at 8192, 56 at 16384, 64 at 32768, 56 for
/// the combine at 3072) within 8.
static constexpr int64_t kBaseRegisters = 12;
static constexpr int64_t kArithmeticRegisters = 12;
/// Where vectors are shifted: which columns are in the row, how far words are shifted (ptxas 13.0, at 257 to 65537).
static constexpr int64_t kShiftRegisters = 4;
/// Where any vector may be at either end (ptxas 13.0: 96 bytes spilled without at 16385).
static constexpr int64_t kShiftRegistersOfChunks = 8;
/// Of each operand or slot whose rows lie by themselves: its address, and how far.
static constexpr int64_t kShiftRegistersPerOperand = 4;
/// No kernel of this family was seen to need fewer.
static constexpr int64_t kLeastRegisters = 40;

/// Of persistent CTAs: the row, its stage, where the next ones lie and their scalars (the kernels of docs/Schedules.md
/// that sum columns take 96 to 106 with 16 sums a thread, 113 to 124 with 32 and a second row reduction).
static constexpr int64_t kWalkRegisters = 24;

/// Of tiles: the tile, its height, and the chunk beside the row (64 registers spilled 4 bytes at 8 sums a thread).
static constexpr int64_t kTileRegisters = 12;

/// Row scalars that a reduction behind the first leaves for later phases, and what it works in.
static constexpr int64_t kRegistersPerFurtherReduction = 4;

/// Of each slot that is scattered: where its row lies, and its factor.
static constexpr int64_t kRegistersPerScatteredSlot = 3;

bool fastnorm::scattersSlots(const AccessPattern &pattern) {
  return llvm::any_of(pattern.scatters, [](ScatterOp scatter) {
    return !scatter.accumulates() && axesOf(scatter.getIndex()).contains(Axis::Slot);
  });
}

/// Registers that hold something for each slot of a row at once, what scatters need of it and its sums, and what one is
/// unpacked and multiplied in while others are in flight (ptxas 13.0, unconstrained: 94 for 92 with 8 slots in flight,
/// 72 for 76 with 4, 61 for 60 of 4 slots, 48 for 44 of 2; with two vectors a thread 118 for 116 of 8 slots, 72 for 72
/// of 4, 48 for 50 of 2, with both in flight 127 for 128, 80 for 80, 50 for 56).
static int64_t registersOfSlots(const AccessPattern &pattern, ScheduleAttr schedule) {
  int64_t sums = static_cast<int64_t>(pattern.rowSums.size() - pattern.rowReductions.size());
  if (!scattersSlots(pattern))
    return sums;
  int64_t rounds = llvm::divideCeil(schedule.getVectorsPerThread(), schedule.getVectorsInFlight());
  return sums + kRegistersPerScatteredSlot * pattern.slots * rounds + kArithmeticRegisters;
}

/// Registers that one vector of a value takes in its storage type.
static int64_t words(Value value, ScheduleAttr schedule) {
  // A vector lies within one group.
  AxesAttr axes = axesOf(value);
  if (axes && axes.contains(Axis::Group))
    return 1;
  return llvm::divideCeil(elementBytes(value) * schedule.getVectorWidth(), 4);
}

/// Registers that the loads of one vector of an input arrive in: a vector that is shifted into place comes with a
/// granule of 8 bytes more.
static int64_t loadWords(const AccessPattern &pattern, Value value, ScheduleAttr schedule) {
  int64_t aligned = words(value, schedule);
  return pattern.isShifted(schedule) && !pattern.liesAsAnchor(value, schedule) ? aligned + 2 : aligned;
}

/// Registers that say where the rows of streamed operands lie.
static int64_t shiftRegisters(const AccessPattern &pattern, ScheduleAttr schedule) {
  if (!pattern.isShifted(schedule))
    return 0;
  int64_t apart = static_cast<int64_t>(pattern.rowGathers.size());
  for (BlockArgument argument : pattern.streamed)
    apart += !pattern.liesAsAnchor(argument, schedule);
  int64_t ofChunks = schedule.getKind() == ScheduleKind::TwoPass ? kShiftRegistersOfChunks : 0;
  return kShiftRegisters + ofChunks + kShiftRegistersPerOperand * apart;
}

RegisterEstimate::RegisterEstimate(const AccessPattern &pattern, ScheduleAttr schedule) {
  int64_t perVector = 0;
  for (BlockArgument argument : pattern.streamed)
    perVector += loadWords(pattern, argument, schedule);
  for (GatherOp gather : pattern.rowGathers)
    perVector += loadWords(pattern, gather.getTable(), schedule);
  int64_t perSlot = pattern.isShifted(schedule) ? kShiftRegistersPerOperand : 0;
  for (GatherOp gather : pattern.gathers)
    perVector += (loadWords(pattern, gather.getTable(), schedule) + perSlot) *
                 std::min(pattern.slots, schedule.getSlotsInFlight());
  // From shared memory a vector comes when it is asked for.
  inFlight = perVector * (schedule.getStages() > 0 ? 1 : schedule.getVectorsInFlight());
  // Sums in shared memory come a vector at a time, too.
  columnSums = static_cast<int64_t>(pattern.columnReductions.size()) * schedule.getVectorWidth() *
               (addsInSharedMemory(schedule) ? 1 : schedule.getVectorsPerThread());

  // Over a grid nothing waits for a later phase: its launch reads again.
  bool keeps = schedule.getKind() == ScheduleKind::PerRow && schedule.getScope() != RowScope::Grid;
  keptPerVector = keeps ? keptWords(pattern, schedule) : 0;
  slots = registersOfSlots(pattern, schedule);
  base = kBaseRegisters + shiftRegisters(pattern, schedule) + (schedule.isPersistent() ? kWalkRegisters : 0) +
         (schedule.hasTiles() ? kTileRegisters : 0) +
         kRegistersPerFurtherReduction * std::max<int64_t>(0, meetingsOfRow(pattern, schedule) - 1);
  vectors = schedule.getVectorsPerThread();
  vectorsInFlight = schedule.getVectorsInFlight();

  int64_t invariantVectors = schedule.getInvariants() == Invariants::Early
                                 ? schedule.getVectorsPerThread()
                                 : std::min(lateVectors(pattern, schedule, /*done=*/0), schedule.getVectorsPerThread());
  // A sweep loads those of a group of vectors together; over the rows of a tile early ones wait.
  bool waits = schedule.hasTiles() && schedule.getInvariants() == Invariants::Early;
  if (schedule.getKind() == ScheduleKind::TwoPass && !waits)
    invariantVectors = schedule.getVectorsInFlight();
  for (BlockArgument argument : pattern.invariants)
    invariants += loadWords(pattern, argument, schedule) * invariantVectors;
}

int64_t RegisterEstimate::whileLoading() const {
  // What earlier groups left is kept.
  return base + columnSums + slots + invariants + inFlight + keptPerVector * (vectors - vectorsInFlight);
}

int64_t RegisterEstimate::wanted() const {
  // After the loads all is kept while one vector is unpacked.
  int64_t whileComputing = base + columnSums + slots + invariants + keptPerVector * vectors + kArithmeticRegisters;
  return std::max({kLeastRegisters, whileLoading(), whileComputing});
}

int64_t RegisterEstimate::needed() const { return base + columnSums + keptPerVector * vectors; }

int64_t fastnorm::registersAvailable(TargetAttr target, int64_t threads, int64_t ctas) {
  // A multiprocessor is four partitions, each with a quarter of the registers and of the warps; ptxas counts so too.
  constexpr int64_t kPartitions = 4;
  int64_t warps = llvm::divideCeil(llvm::divideCeil(threads, 32) * ctas, kPartitions);
  return std::min<int64_t>(255, llvm::alignDown(target.getRegisters() / kPartitions / (warps * 32), 8));
}

int64_t fastnorm::mostCtas(TargetAttr target, int64_t threads, int64_t registers) {
  int64_t ctas = std::min(target.getCtas(), target.getThreads() / threads);
  while (ctas > 1 && registersAvailable(target, threads, ctas) < registers)
    --ctas;
  return ctas;
}
