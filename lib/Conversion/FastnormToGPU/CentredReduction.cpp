//===- CentredReduction.cpp - A mean and what lies around it -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CentredReduction.h"

#include "RowReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

/// Up to this many warps every thread moves the moments of all, each in five instructions; beyond, lanes share them. A
/// division a warp, which unequal parts need, is for lanes alone.
static int64_t mostMovedDirectly(const WarpElements &elements) {
  constexpr int64_t kMostWarps = 4;
  return llvm::isPowerOf2_64(elements.ofEach) ? kMostWarps : 0;
}

CentredReduction::CentredReduction(OpBuilder &builder, const AccessPattern &pattern, const KernelInterface &interface,
                                   ScheduleAttr schedule, const RowPosition &position, ClusterExchange *exchange,
                                   WarpElements elements, int64_t pair)
    : builder(builder), loc(interface.function->getLoc()), elements(elements),
      slots(builder, interface, schedule, position, exchange, mostMovedDirectly(elements)),
      numberOfCounts(static_cast<int64_t>(pattern.rowSums.size()) + pair) {}

Value CentredReduction::constant(double value) {
  return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(static_cast<float>(value)));
}

/// Divided, so that the mean of equal elements is the element.
Value CentredReduction::meanOf(Value sum, Value elements) {
  if (!this->elements.ofEach)
    elements = arith::MaximumFOp::create(builder, loc, elements, constant(1.0));
  return arith::DivFOp::create(builder, loc, sum, elements);
}

Value CentredReduction::meanOfWarp(int64_t number, Value value) {
  sum = {number, emitButterfly(builder, loc, Combiner::Add, value, 32)};
  return meanOf(sum.value, elements.own);
}

Value CentredReduction::sumOfRow(ArrayRef<Moment> partials) {
  moments.assign(partials.begin(), partials.end());
  SmallVector<WarpSlots::Entry> entries{sum};
  for (const Moment &moment : moments)
    entries.push_back({moment.number, emitButterfly(builder, loc, Combiner::Add, moment.value, 32)});
  if (!elements.ofEach)
    entries.push_back({numberOfCounts, elements.own});
  slots.exchange(entries);
  sums = slots.read(sum.number);
  if (!elements.ofEach)
    counts = slots.read(numberOfCounts);
  return slots.meet(Combiner::Add, sums);
}

CentredReduction::Part CentredReduction::part(size_t index, Value mean) {
  Part part;
  part.elements = elements.ofEach ? elements.own : counts.values[index];
  Value own = meanOf(sums.values[index], part.elements);
  part.distance = arith::SubFOp::create(builder, loc, own, mean);
  if (!rests.values.empty())
    part.rest = rests.values[index];
  else if (!llvm::isPowerOf2_64(elements.ofEach))
    part.rest =
        math::FmaOp::create(builder, loc, arith::NegFOp::create(builder, loc, part.elements), own, sums.values[index]);
  return part;
}

Value CentredReduction::moved(const Part &part, int64_t power, Value moment) {
  if (power == 1)
    return math::FmaOp::create(builder, loc, part.elements, part.distance, moment);
  Value factor;
  if (part.rest) {
    Value twice = arith::AddFOp::create(builder, loc, part.rest, part.rest);
    factor = math::FmaOp::create(builder, loc, part.elements, part.distance, twice);
  } else {
    factor = arith::MulFOp::create(builder, loc, part.elements, part.distance);
  }
  // One rounding: where the moment is Inf it stays so.
  return math::FmaOp::create(builder, loc, factor, part.distance, moment);
}

SmallVector<Value> CentredReduction::momentsOfRow(Value mean) {
  SmallVector<WarpSlots::Held> held;
  for (const Moment &moment : moments) {
    held.push_back(slots.read(moment.number));
    if (moment.power == 1)
      rests = held.back();
  }
  for (size_t index = 0; index < sums.values.size(); ++index) {
    Part warp = part(index, mean);
    for (auto [moment, ofWarps] : llvm::zip(moments, held))
      ofWarps.values[index] = moved(warp, moment.power, ofWarps.values[index]);
  }
  return llvm::map_to_vector(held, [&](const WarpSlots::Held &all) { return slots.meet(Combiner::Add, all); });
}
