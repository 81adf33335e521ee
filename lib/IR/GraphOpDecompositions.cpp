//===- GraphOpDecompositions.cpp - Graph ops in the kernel algebra -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each graph op states here what it computes as maps, reductions and gathers.
// Every rounding point is an explicit cast.
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"

#include "fastnorm/IR/GraphOps.h"

#include <limits>

using namespace mlir;
using namespace fastnorm;

SmallVector<Value> CombineOp::decompose(OpBuilder &builder, ValueRange operands) {
  AlgebraBuilder algebra(builder, getLoc(), getResult());
  auto resultType = cast<RankedTensorType>(getResult().getType());
  auto indexType = cast<RankedTensorType>(getRowIndex().getType());
  // Without gates nothing has to be kept from a dropped slot: its rows are zeros.
  AlgebraBuilder::Gathered gathered =
      algebra.gather(operands[0], operands[1], /*asksPresent=*/static_cast<bool>(getGate()));
  SmallVector<Placed> factors{gathered.rows};
  if (getGate()) {
    Placed gate{operands[2], algebra.rowSlot()};
    // A dropped slot adds nothing even where its gate is NaN or Inf: its rows are zeros and so is its factor.
    factors.push_back(
        algebra.map({gate, gathered.present}, algebra.rowSlot(), f32Like(indexType), [&](ValueRange arguments) {
          return algebra.select(arguments[1], algebra.toF32(arguments[0]), algebra.constant(0.0));
        }));
  }
  auto productType = f32Like(cast<RankedTensorType>(gathered.rows.value.getType()));
  Placed product = algebra.map(factors, algebra.rowSlotHidden(), productType, [&](ValueRange arguments) {
    Value row = algebra.toF32(arguments[0]);
    return arguments.size() == 1 ? row : algebra.contractible(row, arguments[1]);
  });
  SmallVector<Placed> terms{algebra.reduce(Combiner::Add, Axis::Slot, product)};
  if (getShared())
    terms.push_back({operands.back(), algebra.rowHidden()});
  else if (resultType.getElementType().isF32())
    return {terms[0].value};
  return {algebra
              .map(terms, algebra.rowHidden(), resultType,
                   [&](ValueRange arguments) {
                     Value sum = arguments[0];
                     if (getShared())
                       sum = algebra.add(sum, algebra.toF32(arguments[1]));
                     return algebra.fromF32(sum, resultType.getElementType());
                   })
              .value};
}

SmallVector<Value> ResidualAddOp::decompose(OpBuilder &builder, ValueRange operands) {
  AlgebraBuilder algebra(builder, getLoc(), getResult());
  auto type = cast<RankedTensorType>(getResult().getType());
  return {algebra
              .map({{operands[0], algebra.rowHidden()}, {operands[1], algebra.rowHidden()}}, algebra.rowHidden(), type,
                   [&](ValueRange arguments) {
                     return algebra.fromF32(algebra.add(algebra.toF32(arguments[0]), algebra.toF32(arguments[1])),
                                            type.getElementType());
                   })
              .value};
}

/// What both norms are made of. A layer_norm takes its mean first; an rms_norm has none.
template <typename NormOp> class NormDecomposition {
public:
  NormDecomposition(NormOp op, OpBuilder &builder, ValueRange operands)
      : op(op), builder(builder), algebra(builder, op.getLoc(), op.getInput(), hasHeads(op)), operands(operands),
        type(cast<RankedTensorType>(op.getInput().getType())), input{operands[0], algebra.rowHidden()} {}

  /// The mean over hidden of each row, less what `centre` takes from the rows first.
  Placed mean(ArrayRef<Placed> centre) {
    Placed wide = algebra.map(with(centre), algebra.rowHidden(), f32Like(type),
                              [&](ValueRange arguments) { return centred(arguments, centre.size()); });
    Placed sum = algebra.reduce(Combiner::Add, Axis::Hidden, wide);
    // Divided, not multiplied by an inverse that is rounded: the mean of a constant row is that constant.
    return algebra.map({sum}, algebra.row(), statisticType(), [&](ValueRange arguments) {
      return algebra.divide(arguments[0], algebra.constant(static_cast<double>(type.getShape().back())));
    });
  }

  /// 1 / √(mean of squares + eps), of the rows less `centre`; `rest` is the mean of those, where it was taken, whose
  /// square does not belong to the variance.
  Placed rstd(ArrayRef<Placed> centre, ArrayRef<Placed> rest) {
    Placed square = algebra.map(with(centre), algebra.rowHidden(), f32Like(type), [&](ValueRange arguments) {
      Value x = centred(arguments, centre.size());
      return algebra.contractible(x, x);
    });
    SmallVector<Placed> sums{algebra.reduce(Combiner::Add, Axis::Hidden, square)};
    llvm::append_range(sums, rest);
    return algebra.map(sums, algebra.row(), statisticType(), [&](ValueRange arguments) {
      Value inverseHidden = algebra.constant(1.0 / type.getShape().back());
      Value eps = algebra.constant(op.getEps().convertToFloat());
      if (rest.empty())
        return algebra.rsqrt(algebra.fma(arguments[0], inverseHidden, eps));
      // Where both leave f32 the variance has, too: no Inf is taken from Inf.
      Value ofRest = algebra.minimum(algebra.multiply(arguments[1], arguments[1]),
                                     algebra.constant(std::numeric_limits<float>::max()));
      Value variance = algebra.subtract(algebra.multiply(arguments[0], inverseHidden), ofRest);
      return algebra.rsqrt(algebra.add(algebra.maximum(variance, algebra.constant(0.0)), eps));
    });
  }

  /// The mean and the rest that its rounding left, which is no number where the mean is Inf.
  Placed total(Placed mean, Placed rest) {
    return algebra.map({mean, rest}, algebra.row(), statisticType(), [&](ValueRange arguments) {
      return algebra.select(algebra.isNumber(arguments[1]), algebra.add(arguments[0], arguments[1]), arguments[0]);
    });
  }

  bool readsF32() const { return type.getElementType().isF32(); }

  Value result(ArrayRef<Placed> centre, Placed rstd) {
    auto resultType = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<Placed> inputs = with(centre);
    unsigned rstdNumber = inputs.size();
    inputs.push_back(rstd);
    // The weight is the operand behind the input, the bias the last.
    if (op.getWeight())
      inputs.push_back(algebra.parameter(operands[1]));
    if (op.getBias())
      inputs.push_back(algebra.parameter(operands.back()));
    Placed value = algebra.map(inputs, algebra.rowHidden(), resultType, [&](ValueRange arguments) {
      Value xhat = algebra.multiply(centred(arguments, centre.size()), arguments[rstdNumber]);
      if (op.getRoundXhat())
        xhat = algebra.toF32(algebra.fromF32(xhat, type.getElementType()));
      return algebra.fromF32(affine(xhat, arguments.drop_front(rstdNumber + 1)), resultType.getElementType());
    });
    return value.value;
  }

private:
  static bool hasHeads(NormOp op) {
    return llvm::any_of(ArrayRef<Value>{op.getWeight(), op.getBias()}, [](Value parameter) {
      return parameter && cast<RankedTensorType>(parameter.getType()).getRank() == 2;
    });
  }

  RankedTensorType statisticType() { return RankedTensorType::get(type.getShape().drop_back(), builder.getF32Type()); }

  SmallVector<Placed> with(ArrayRef<Placed> centre) {
    SmallVector<Placed> inputs{input};
    llvm::append_range(inputs, centre);
    return inputs;
  }

  /// The row less the scalars behind it, one after the other. It is taken again in each map, so that what waits between
  /// them is the row as it is stored.
  Value centred(ValueRange arguments, size_t scalars) {
    Value x = algebra.toF32(arguments[0]);
    for (Value scalar : arguments.slice(1, scalars))
      x = algebra.subtract(x, scalar);
    return x;
  }

  Value affine(Value xhat, ValueRange parameters) {
    Value value = xhat;
    Value weight;
    if (op.getWeight()) {
      weight = algebra.toF32(parameters.front());
      if (!op.getWeightOffset().isZero())
        weight = algebra.add(weight, algebra.constant(op.getWeightOffset().convertToFloat()));
    }
    if (!op.getBias())
      return weight ? algebra.multiply(value, weight) : value;
    Value bias = algebra.toF32(parameters.back());
    return weight ? algebra.fma(value, weight, bias) : algebra.add(value, bias);
  }

  NormOp op;
  OpBuilder &builder;
  AlgebraBuilder algebra;
  ValueRange operands;
  RankedTensorType type;
  Placed input;
};

SmallVector<Value> RmsNormOp::decompose(OpBuilder &builder, ValueRange operands) {
  NormDecomposition<RmsNormOp> norm(*this, builder, operands);
  Placed rstd = norm.rstd({}, {});
  SmallVector<Value> results{norm.result({}, rstd)};
  if (getRstd())
    results.push_back(rstd.value);
  return results;
}

SmallVector<Value> LayerNormOp::decompose(OpBuilder &builder, ValueRange operands) {
  NormDecomposition<LayerNormOp> norm(*this, builder, operands);
  Placed mean = norm.mean({});
  SmallVector<Placed> centre{mean};
  SmallVector<Placed> rest;
  // An f32 mean is off by its own rounding, which is much where f32 rows lie close together far from zero. What it left
  // is summed along with the squares, at no further barrier. Rows of fewer bits are coarser than that rounding.
  if (norm.readsF32())
    rest.push_back(norm.mean(centre));
  Placed rstd = norm.rstd(centre, rest);
  llvm::append_range(centre, rest);
  SmallVector<Value> results{norm.result(centre, rstd)};
  if (!getStatistics().empty())
    results.append({rest.empty() ? mean.value : norm.total(mean, rest[0]).value, rstd.value});
  return results;
}
