//===- AlgebraBuilder.h - Writes the kernel algebra -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_IR_ALGEBRABUILDER_H
#define FASTNORM_LIB_IR_ALGEBRABUILDER_H

#include "fastnorm/IR/KernelOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace fastnorm {

/// Dense: strides say how arguments and results lie, not what is computed of them.
inline mlir::RankedTensorType like(mlir::RankedTensorType type, mlir::Type element) {
  return mlir::RankedTensorType::get(type.getShape(), element);
}

inline mlir::RankedTensorType f32Like(mlir::RankedTensorType type) {
  return like(type, mlir::Float32Type::get(type.getContext()));
}

/// A value and the axes it carries.
struct Placed {
  mlir::Value value;
  AxesAttr axes;
};

/// Writes algebra ops at the builder's place, and scalar ops in their bodies. `rows` is a tensor of [rows, hidden]: its
/// leading dimensions are the row dimensions of all values.
class AlgebraBuilder {
public:
  AlgebraBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value rows, bool hasHeads = false)
      : builder(builder), loc(loc),
        rowAxes(llvm::cast<mlir::RankedTensorType>(rows.getType()).getRank() - 1, Axis::Row) {
    // Heads that are the only row dimension are rows.
    if (hasHeads && rowAxes.size() > 1)
      rowAxes.back() = Axis::Head;
  }

  AxesAttr row() { return rowsAnd({}); }
  AxesAttr rowSlot() { return rowsAnd({Axis::Slot}); }
  AxesAttr rowHidden() { return rowsAnd({Axis::Hidden}); }
  AxesAttr rowSlotHidden() { return rowsAnd({Axis::Slot, Axis::Hidden}); }

  /// A parameter of [hidden] or [heads, hidden].
  Placed parameter(mlir::Value value) {
    if (llvm::cast<mlir::RankedTensorType>(value.getType()).getRank() == 1)
      return {value, AxesAttr::get(builder.getContext(), {Axis::Hidden})};
    return {value, AxesAttr::get(builder.getContext(), {rowAxes.back(), Axis::Hidden})};
  }

  using Body = llvm::function_ref<mlir::Value(mlir::ValueRange)>;

  Placed map(llvm::ArrayRef<Placed> inputs, AxesAttr resultAxes, mlir::RankedTensorType type, Body body) {
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<mlir::Attribute> operandAxes;
    llvm::SmallVector<mlir::Type> elements;
    for (Placed input : inputs) {
      values.push_back(input.value);
      operandAxes.push_back(input.axes);
      elements.push_back(llvm::cast<mlir::RankedTensorType>(input.value.getType()).getElementType());
    }
    auto op = MapOp::create(builder, loc, type, values, builder.getArrayAttr(operandAxes), resultAxes);
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *block =
        builder.createBlock(&op.getBody(), {}, elements, llvm::SmallVector<mlir::Location>(elements.size(), loc));
    YieldOp::create(builder, loc, body(block->getArguments()));
    return {op.getResult(), resultAxes};
  }

  Placed reduce(Combiner combiner, Axis axis, Placed input) {
    auto type = llvm::cast<mlir::RankedTensorType>(input.value.getType());
    llvm::SmallVector<int64_t> shape(type.getShape());
    auto first = shape.begin() + *input.axes.dimensionOf(axis);
    shape.erase(first, first + llvm::count(input.axes.getAxes(), axis));
    auto op = ReduceOp::create(builder, loc, mlir::RankedTensorType::get(shape, type.getElementType()), input.value,
                               combiner, axis, input.axes, /*group=*/mlir::IntegerAttr());
    return {op.getResult(), input.axes.without(axis)};
  }

  /// The sum of [row, hidden] over all rows, or over those of each head.
  Placed columnSum(Placed rows, bool byHead) {
    // Heads that are the only row dimension have one row each.
    if (byHead && rowAxes.size() == 1)
      return rows;
    return reduce(Combiner::Add, Axis::Row, {rows.value, byHead ? rows.axes : rows.axes.withoutHeadNames()});
  }

  /// The rows of a table that an index of [rows, top_k] names.
  struct Gathered {
    Placed rows;
    Placed present; ///< which slots are not dropped; null where nobody asks
  };
  Gathered gather(mlir::Value table, mlir::Value index, bool asksPresent) {
    auto indexType = llvm::cast<mlir::RankedTensorType>(index.getType());
    auto tableType = llvm::cast<mlir::RankedTensorType>(table.getType());
    llvm::SmallVector<int64_t> shape(indexType.getShape());
    shape.push_back(tableType.getShape().back());
    auto type = mlir::RankedTensorType::get(shape, tableType.getElementType());
    mlir::Type present = asksPresent ? mlir::Type(like(indexType, builder.getI1Type())) : mlir::Type();
    auto op = GatherOp::create(builder, loc, type, present, table, index);
    return {{op.getResult(), rowSlotHidden()}, {op.getPresent(), rowSlot()}};
  }

  mlir::Value toF32(mlir::Value value) {
    return value.getType().isF32() ? value : mlir::arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  }
  mlir::Value fromF32(mlir::Value value, mlir::Type storage) {
    return storage.isF32() ? value : mlir::arith::TruncFOp::create(builder, loc, storage, value);
  }
  mlir::Value constant(double value) {
    return mlir::arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(static_cast<float>(value)));
  }
  mlir::Value add(mlir::Value left, mlir::Value right) {
    return mlir::arith::AddFOp::create(builder, loc, left, right);
  }
  mlir::Value maximum(mlir::Value left, mlir::Value right) {
    return mlir::arith::MaximumFOp::create(builder, loc, left, right);
  }
  mlir::Value minimum(mlir::Value left, mlir::Value right) {
    return mlir::arith::MinimumFOp::create(builder, loc, left, right);
  }
  mlir::Value divide(mlir::Value left, mlir::Value right) {
    return mlir::arith::DivFOp::create(builder, loc, left, right);
  }
  mlir::Value subtract(mlir::Value left, mlir::Value right) {
    return mlir::arith::SubFOp::create(builder, loc, left, right);
  }
  mlir::Value multiply(mlir::Value left, mlir::Value right) {
    return mlir::arith::MulFOp::create(builder, loc, left, right);
  }
  /// A product that the addition it feeds may contract with.
  mlir::Value contractible(mlir::Value left, mlir::Value right) {
    return mlir::arith::MulFOp::create(builder, loc, left, right, mlir::arith::FastMathFlags::contract);
  }
  /// left · right + addend, rounded once.
  mlir::Value fma(mlir::Value left, mlir::Value right, mlir::Value addend) {
    return mlir::arith::AddFOp::create(builder, loc, contractible(left, right), addend,
                                       mlir::arith::FastMathFlags::contract);
  }
  /// minuend - left · right, rounded once.
  mlir::Value lessProduct(mlir::Value minuend, mlir::Value left, mlir::Value right) {
    return mlir::arith::SubFOp::create(builder, loc, minuend, contractible(left, right),
                                       mlir::arith::FastMathFlags::contract);
  }
  mlir::Value rsqrt(mlir::Value value) { return mlir::math::RsqrtOp::create(builder, loc, value); }
  mlir::Value isNumber(mlir::Value value) {
    return mlir::arith::CmpFOp::create(builder, loc, mlir::arith::CmpFPredicate::ORD, value, value);
  }
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return mlir::arith::SelectOp::create(builder, loc, condition, yes, no);
  }

private:
  AxesAttr rowsAnd(llvm::ArrayRef<Axis> inner) {
    llvm::SmallVector<Axis> axes(rowAxes);
    llvm::append_range(axes, inner);
    return AxesAttr::get(builder.getContext(), axes);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallVector<Axis> rowAxes;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_IR_ALGEBRABUILDER_H
