//===- CentredPhase.cpp - Sums of distances from a mean -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/CentredPhase.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fastnorm;

/// What a map's body yields.
static Value yieldedBy(MapOp map) { return map.getBody().front().getTerminator()->getOperand(0); }

/// The argument of a body that a scalar is, as it is or widened; null where it is anything else.
static BlockArgument widenedArgument(Value scalar) {
  if (auto widen = scalar.getDefiningOp<arith::ExtFOp>())
    scalar = widen.getIn();
  return dyn_cast<BlockArgument>(scalar);
}

/// The value that another is, as it is or widened by a map of its own.
static Value sourceOf(Value value) {
  auto map = value.getDefiningOp<MapOp>();
  BlockArgument argument = map ? widenedArgument(yieldedBy(map)) : BlockArgument();
  return argument ? map.getInputs()[argument.getArgNumber()] : value;
}

/// Whether a map computes Σ f / hidden of a sum.
static bool isMeanOf(MapOp map, ReduceOp sum, int64_t hidden) {
  auto divide = yieldedBy(map).getDefiningOp<arith::DivFOp>();
  FloatAttr count;
  return divide && map.getInputs().size() == 1 && map.getInputs()[0] == sum.getResult() &&
         isa<BlockArgument>(divide.getLhs()) && matchPattern(divide.getRhs(), m_Constant(&count)) &&
         count.getValueAsDouble() == static_cast<double>(hidden);
}

/// 1 where a map computes f - c, 2 where (f - c)², else 0.
static int64_t powerOfDistance(MapOp map, Value source, Value centre) {
  if (!map)
    return 0;
  Value distance = yieldedBy(map);
  auto square = distance.getDefiningOp<arith::MulFOp>();
  if (square && square.getLhs() == square.getRhs())
    distance = square.getLhs();
  auto subtract = distance.getDefiningOp<arith::SubFOp>();
  BlockArgument from = subtract ? widenedArgument(subtract.getLhs()) : BlockArgument();
  auto taken = subtract ? dyn_cast<BlockArgument>(subtract.getRhs()) : BlockArgument();
  if (!from || !taken || map.getInputs()[from.getArgNumber()] != source ||
      map.getInputs()[taken.getArgNumber()] != centre || map.getInputs().size() != 2)
    return 0;
  return square ? 2 : 1;
}

/// The row reductions that end a phase.
static SmallVector<ReduceOp> reductionsOf(const AccessPattern &pattern, int64_t phase) {
  SmallVector<ReduceOp> reductions;
  for (ReduceOp reduce : pattern.rowReductions)
    if (pattern.phaseOfOp(reduce) == phase)
      reductions.push_back(reduce);
  return reductions;
}

/// Whether a phase stores or leaves anything that threads hold vector by vector.
static bool leavesVectors(const AccessPattern &pattern, int64_t phase) {
  auto isVector = [&](Value value) { return pattern.phaseOf(value) == phase && variesAlongHidden(axesOf(value)); };
  return llvm::any_of(pattern.kernel.getBody().front().getTerminator()->getOperands(), isVector) ||
         llvm::any_of(pattern.crossing, isVector);
}

static std::optional<CentredPhase> centredPhase(const AccessPattern &pattern, int64_t phase) {
  SmallVector<ReduceOp> first = reductionsOf(pattern, phase), second = reductionsOf(pattern, phase + 1);
  if (first.size() != 1 || second.empty() || first[0].getCombiner() != Combiner::Add ||
      leavesVectors(pattern, phase + 1))
    return std::nullopt;
  CentredPhase centred;
  centred.phase = phase;
  centred.sum = first[0];
  for (MapOp map : pattern.kernel.getBody().getOps<MapOp>())
    if (isMeanOf(map, centred.sum, pattern.hidden))
      centred.centre = map.getResult();
  Value source = sourceOf(centred.sum.getInput());
  for (ReduceOp reduce : second) {
    int64_t power = powerOfDistance(reduce.getInput().getDefiningOp<MapOp>(), source, centred.centre);
    if (!centred.centre || power == 0 || reduce.getCombiner() != Combiner::Add)
      return std::nullopt;
    centred.moments.push_back({reduce, power});
  }
  return centred;
}

SmallVector<CentredPhase> fastnorm::centredPhases(const AccessPattern &pattern) {
  SmallVector<CentredPhase> found;
  for (int64_t phase = 0; phase + 2 < pattern.phases; ++phase)
    if (std::optional<CentredPhase> centred = centredPhase(pattern, phase))
      found.push_back(*centred);
  return found;
}

bool fastnorm::meetsOnceForMoments(ScheduleAttr schedule) {
  bool hasScope = schedule.getScope() == RowScope::Cta || schedule.getScope() == RowScope::Cluster;
  return schedule.getKind() == ScheduleKind::PerRow && hasScope &&
         schedule.getThreadsPerRow() * schedule.getClusterCtas() > 32;
}

int64_t fastnorm::meetingsOfRow(const AccessPattern &pattern, ScheduleAttr schedule) {
  auto saved = meetsOnceForMoments(schedule) ? static_cast<int64_t>(centredPhases(pattern).size()) : 0;
  return pattern.phases - 1 - saved;
}

bool fastnorm::hasEqualWarps(const AccessPattern &pattern, ScheduleAttr schedule) {
  return !pattern.isShifted(schedule) && schedule.getColumnChunk() * schedule.getCtasPerRow() == pattern.hidden;
}

int64_t fastnorm::valuesPerWarp(const AccessPattern &pattern, ScheduleAttr schedule) {
  bool counts = meetsOnceForMoments(schedule) && !hasEqualWarps(pattern, schedule);
  return static_cast<int64_t>(pattern.rowSums.size() + (counts ? centredPhases(pattern).size() : 0));
}

int64_t fastnorm::valuesTold(const AccessPattern &pattern, ScheduleAttr schedule, int64_t phase) {
  auto reductions = static_cast<int64_t>(pattern.rowSumsOf(phase).size());
  if (!meetsOnceForMoments(schedule))
    return reductions;
  for (const CentredPhase &pair : centredPhases(pattern)) {
    if (pair.phase == phase)
      return 0;
    if (pair.phase + 1 == phase)
      return reductions + 1 + !hasEqualWarps(pattern, schedule);
  }
  return reductions;
}
