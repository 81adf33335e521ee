//===- GraphOpDecompositions.cpp - Graph ops in the kernel algebra -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each graph op states here what it computes as maps, reductions and gathers.
// Every rounding point is an explicit cast.
//
//===----------------------------------------------------------------------===//

#include "fastnorm/IR/GraphOps.h"
#include "fastnorm/IR/KernelOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fastnorm;

namespace {

/// A value and the axes it carries.
struct Placed {
  Value value;
  AxesAttr axes;
};

/// Writes algebra ops at the builder's place, and scalar ops in their bodies.
class AlgebraBuilder {
public:
  AlgebraBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  AxesAttr axes(ArrayRef<Axis> list) { return AxesAttr::get(builder.getContext(), list); }
  AxesAttr row() { return axes({Axis::Row}); }
  AxesAttr hidden() { return axes({Axis::Hidden}); }
  AxesAttr rowSlot() { return axes({Axis::Row, Axis::Slot}); }
  AxesAttr rowHidden() { return axes({Axis::Row, Axis::Hidden}); }
  AxesAttr rowSlotHidden() { return axes({Axis::Row, Axis::Slot, Axis::Hidden}); }

  using Body = llvm::function_ref<Value(ValueRange)>;

  Placed map(ArrayRef<Placed> inputs, AxesAttr resultAxes, RankedTensorType type, Body body) {
    SmallVector<Value> values;
    SmallVector<Attribute> operandAxes;
    SmallVector<Type> elements;
    for (Placed input : inputs) {
      values.push_back(input.value);
      operandAxes.push_back(input.axes);
      elements.push_back(cast<RankedTensorType>(input.value.getType()).getElementType());
    }
    auto op = MapOp::create(builder, loc, type, values, builder.getArrayAttr(operandAxes), resultAxes);
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&op.getBody(), {}, elements, SmallVector<Location>(elements.size(), loc));
    YieldOp::create(builder, loc, body(block->getArguments()));
    return {op.getResult(), resultAxes};
  }

  Placed reduce(Combiner combiner, Axis axis, Placed input) {
    auto type = cast<RankedTensorType>(input.value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + *input.axes.dimensionOf(axis));
    auto op = ReduceOp::create(builder, loc, RankedTensorType::get(shape, type.getElementType()), input.value, combiner,
                               axis, input.axes);
    return {op.getResult(), input.axes.without(axis)};
  }

  Value toF32(Value value) {
    return value.getType().isF32() ? value : arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  }
  Value fromF32(Value value, Type storage) {
    return storage.isF32() ? value : arith::TruncFOp::create(builder, loc, storage, value);
  }
  Value constant(double value) {
    return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(static_cast<float>(value)));
  }
  Value add(Value left, Value right) { return arith::AddFOp::create(builder, loc, left, right); }
  Value multiply(Value left, Value right) { return arith::MulFOp::create(builder, loc, left, right); }
  /// A product that the addition it feeds may contract with.
  Value contractible(Value left, Value right) {
    return arith::MulFOp::create(builder, loc, left, right, arith::FastMathFlags::contract);
  }
  /// left · right + addend, rounded once.
  Value fma(Value left, Value right, Value addend) {
    return arith::AddFOp::create(builder, loc, contractible(left, right), addend, arith::FastMathFlags::contract);
  }
  Value rsqrt(Value value) { return math::RsqrtOp::create(builder, loc, value); }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }

private:
  OpBuilder &builder;
  Location loc;
};

} // namespace

static RankedTensorType f32Like(RankedTensorType type) { return type.clone(Float32Type::get(type.getContext())); }

SmallVector<Value> CombineOp::decompose(OpBuilder &builder, ValueRange operands) {
  AlgebraBuilder algebra(builder, getLoc());
  auto resultType = cast<RankedTensorType>(getResult().getType());
  auto indexType = cast<RankedTensorType>(getRowIndex().getType());
  SmallVector<int64_t> gathered(indexType.getShape());
  gathered.push_back(resultType.getShape()[1]);
  auto gatheredType = RankedTensorType::get(gathered, resultType.getElementType());
  auto presentType = indexType.clone(builder.getI1Type());
  auto gather = GatherOp::create(builder, getLoc(), gatheredType, presentType, operands[0], operands[1]);
  Placed rows{gather.getResult(), algebra.rowSlotHidden()};
  Placed present{gather.getPresent(), algebra.rowSlot()};
  Placed gate{operands[2], algebra.rowSlot()};

  // A dropped slot adds nothing even where its gate is NaN or Inf: its rows are zeros and so is its factor.
  Placed factor = algebra.map({gate, present}, algebra.rowSlot(), f32Like(indexType), [&](ValueRange arguments) {
    return algebra.select(arguments[1], algebra.toF32(arguments[0]), algebra.constant(0.0));
  });
  Placed product =
      algebra.map({rows, factor}, algebra.rowSlotHidden(), f32Like(gatheredType), [&](ValueRange arguments) {
        return algebra.contractible(algebra.toF32(arguments[0]), arguments[1]);
      });
  Placed sum = algebra.reduce(Combiner::Add, Axis::Slot, product);
  if (resultType.getElementType().isF32())
    return {sum.value};
  return {algebra
              .map({sum}, algebra.rowHidden(), resultType,
                   [&](ValueRange arguments) { return algebra.fromF32(arguments[0], resultType.getElementType()); })
              .value};
}

SmallVector<Value> ResidualAddOp::decompose(OpBuilder &builder, ValueRange operands) {
  AlgebraBuilder algebra(builder, getLoc());
  auto type = cast<RankedTensorType>(getResult().getType());
  return {algebra
              .map({{operands[0], algebra.rowHidden()}, {operands[1], algebra.rowHidden()}}, algebra.rowHidden(), type,
                   [&](ValueRange arguments) {
                     return algebra.fromF32(algebra.add(algebra.toF32(arguments[0]), algebra.toF32(arguments[1])),
                                            type.getElementType());
                   })
              .value};
}

SmallVector<Value> RmsNormOp::decompose(OpBuilder &builder, ValueRange operands) {
  AlgebraBuilder algebra(builder, getLoc());
  auto type = cast<RankedTensorType>(getInput().getType());
  auto resultType = cast<RankedTensorType>(getResult().getType());
  auto statisticType = RankedTensorType::get({type.getShape()[0]}, builder.getF32Type());
  Placed input{operands[0], algebra.rowHidden()};

  Placed square = algebra.map({input}, algebra.rowHidden(), f32Like(type), [&](ValueRange arguments) {
    Value x = algebra.toF32(arguments[0]);
    return algebra.contractible(x, x);
  });
  Placed sum = algebra.reduce(Combiner::Add, Axis::Hidden, square);
  Placed rstd = algebra.map({sum}, algebra.row(), statisticType, [&](ValueRange arguments) {
    Value inverseHidden = algebra.constant(1.0 / type.getShape()[1]);
    return algebra.rsqrt(algebra.fma(arguments[0], inverseHidden, algebra.constant(getEps().convertToFloat())));
  });

  SmallVector<Placed> inputs{input, rstd};
  if (getWeight())
    inputs.push_back({operands[1], algebra.hidden()});
  Placed result = algebra.map(inputs, algebra.rowHidden(), resultType, [&](ValueRange arguments) {
    Value value = algebra.multiply(algebra.toF32(arguments[0]), arguments[1]);
    if (getWeight()) {
      Value weight = algebra.toF32(arguments[2]);
      if (!getWeightOffset().isZero())
        weight = algebra.add(weight, algebra.constant(getWeightOffset().convertToFloat()));
      value = algebra.multiply(value, weight);
    }
    return algebra.fromF32(value, resultType.getElementType());
  });
  if (getRstd())
    return {result.value, rstd.value};
  return {result.value};
}
