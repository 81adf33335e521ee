//===- BodyValues.cpp - What a kernel's body computes -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of BodyEmitter, computed when they are first asked for.
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "MapBody.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fastnorm;

Value BodyEmitter::scalar(Value value) {
  if (Value known = scalars.lookup(value))
    return known;
  // Reductions were made known by finishPhase, inputs by enterRow.
  auto map = value.getDefiningOp<MapOp>();
  SmallVector<Value> operands = llvm::map_to_vector(map.getInputs(), [&](Value input) { return scalar(input); });
  return scalars[value] = emitMapBody(builder, map, operands, /*width=*/0, target);
}

ArrayRef<Value> BodyEmitter::slotScalars(Value value) {
  auto known = slotValues.find(value);
  if (known != slotValues.end())
    return known->second;
  SmallVector<Value> computed;
  if (auto map = value.getDefiningOp<MapOp>()) {
    for (int64_t slot = 0; slot < slotCount(); ++slot) {
      SmallVector<Value> operands;
      for (Value input : map.getInputs())
        operands.push_back(axesOf(input).contains(Axis::Slot) ? slotScalars(input)[slot] : scalar(input));
      computed.push_back(emitMapBody(builder, map, operands, /*width=*/0, target));
    }
  }
  return slotValues[value] = computed;
}

Value BodyEmitter::vectorValue(Value value, int64_t vector) {
  VectorKey key{value, vector};
  settle(value, vector);
  if (Value known = vectors.lookup(key)) {
    if (waiting.erase(key))
      known = vectors[key] = access.opaque(known);
    return known;
  }
  if (auto reduce = value.getDefiningOp<ReduceOp>())
    return vectors[key] = reduceSlots(reduce, vector);
  auto map = value.getDefiningOp<MapOp>();
  SmallVector<Value> operands;
  for (Value input : map.getInputs())
    operands.push_back(axesOf(input).contains(Axis::Hidden)  ? vectorValue(input, vector)
                       : axesOf(input).contains(Axis::Group) ? groupValue(input, vector)
                                                             : scalar(input));
  SmallVector<int64_t> forms =
      llvm::map_to_vector(map.getInputs(), [&](Value input) -> int64_t { return timesWidened(input); });
  return vectors[key] = emitMapBody(builder, map, operands, schedule.getVectorWidth(), target, forms);
}

/// How often a value that is kept packed was widened in earlier phases. Two vectors behind one reduction may stay f32
/// where the schedule has registers for early operands, too: ptxas then saves to unpack them again.
int64_t BodyEmitter::timesWidened(Value value) {
  bool mayStayWide =
      pattern.phases == 2 && schedule.getVectorsPerThread() <= 2 && schedule.getInvariants() == Invariants::Early;
  bool isKept = pattern.crossing.contains(value) && schedule.getKeep() == Keep::Packed && !mayStayWide;
  return isKept ? currentPhase - pattern.phaseOf(value) : 0;
}

Value BodyEmitter::slotVector(Value value, int64_t vector, int64_t slot) {
  AxesAttr axes = axesOf(value);
  if (!axes.contains(Axis::Hidden))
    return axes.contains(Axis::Slot) ? slotScalars(value)[slot] : scalar(value);
  if (!axes.contains(Axis::Slot))
    return vectorValue(value, vector);
  if (value.getDefiningOp<GatherOp>()) {
    settle(value, vector, slot);
    return gathered.lookup({{value, vector}, slot});
  }
  auto map = value.getDefiningOp<MapOp>();
  SmallVector<Value> operands;
  for (Value input : map.getInputs())
    operands.push_back(slotVector(input, vector, slot));
  return emitMapBody(builder, map, operands, schedule.getVectorWidth(), target);
}

/// Slots in ascending order; two groups of loads are in flight while there are more than fit.
Value BodyEmitter::reduceSlots(ReduceOp reduce, int64_t vector) {
  auto type = VectorType::get({schedule.getVectorWidth()}, builder.getF32Type());
  Value total = vector::BroadcastOp::create(builder, loc, type, emitIdentity(builder, loc, reduce.getCombiner()));
  for (int64_t slot = 0; slot < slotCount(); ++slot) {
    Value element = slotVector(reduce.getInput(), vector, slot);
    total = emitCombine(builder, loc, reduce.getCombiner(), total, element, /*contract=*/true);
    issueNextSlots(vector, slot);
  }
  return total;
}

void BodyEmitter::issueNextSlots(int64_t vector, int64_t doneSlot) {
  int64_t group = slotGroup(), done = doneSlot + 1;
  if (done % group)
    return;
  for (int64_t next = done + group; next < std::min(slotCount(), done + 2 * group); ++next)
    for (GatherOp gather : pattern.gathers)
      if (!gathered.contains({{gather.getResult(), vector}, next}) &&
          !pending.contains({{gather.getResult(), vector}, next}))
        issueSlot(gather, vector, next);
}
