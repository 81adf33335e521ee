//===- ScalarBody.cpp - The body of a map, for many elements --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarBody.h"

#include "Types.h"

#include "fastnorm/Support/HostTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace fastnorm;
using namespace fastnorm::reference;

using Elements = std::vector<double>;

template <typename Function> static void apply(Elements &result, const Elements &a, Function function) {
  for (size_t index = 0; index < result.size(); ++index)
    result[index] = function(a[index]);
}
template <typename Function>
static void apply(Elements &result, const Elements &a, const Elements &b, Function function) {
  for (size_t index = 0; index < result.size(); ++index)
    result[index] = function(a[index], b[index]);
}
template <typename Function>
static void apply(Elements &result, const Elements &a, const Elements &b, const Elements &c, Function function) {
  for (size_t index = 0; index < result.size(); ++index)
    result[index] = function(a[index], b[index], c[index]);
}

/// The larger, or the smaller, of two values; NaN where either is, and +0 above -0.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nan("");
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
static double minimum(double a, double b) { return -maximum(-a, -b); }

/// Rounds every element to bf16.
/// To a type that is stored.
static void roundTo(DType dtype, Elements &elements) {
  HostTensor rounded(dtype, {static_cast<int64_t>(elements.size())});
  for (size_t index = 0; index < elements.size(); ++index) {
    rounded.set(index, elements[index]);
    elements[index] = rounded.at(index);
  }
}

/// Toward zero; saturates, and NaN becomes 0.
static double toInteger(double value, DType dtype) {
  double limit = std::ldexp(1.0, 8 * byteWidth(dtype) - 1);
  return std::isnan(value) ? 0.0 : std::clamp(std::trunc(value), -limit, limit - 1);
}

/// The relations that a predicate names, as bits: equal 1, greater 2, less 4, unordered 8.
static unsigned relationsOf(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse: return 0;
  case arith::CmpFPredicate::OEQ: return 1;
  case arith::CmpFPredicate::OGT: return 2;
  case arith::CmpFPredicate::OGE: return 2 | 1;
  case arith::CmpFPredicate::OLT: return 4;
  case arith::CmpFPredicate::OLE: return 4 | 1;
  case arith::CmpFPredicate::ONE: return 4 | 2;
  case arith::CmpFPredicate::ORD: return 4 | 2 | 1;
  case arith::CmpFPredicate::UEQ: return 8 | 1;
  case arith::CmpFPredicate::UGT: return 8 | 2;
  case arith::CmpFPredicate::UGE: return 8 | 2 | 1;
  case arith::CmpFPredicate::ULT: return 8 | 4;
  case arith::CmpFPredicate::ULE: return 8 | 4 | 1;
  case arith::CmpFPredicate::UNE: return 8 | 4 | 2;
  case arith::CmpFPredicate::UNO: return 8;
  case arith::CmpFPredicate::AlwaysTrue: return 8 | 4 | 2 | 1;
  }
  llvm_unreachable("a predicate that is none of MLIR's");
}

static double compare(arith::CmpFPredicate predicate, double a, double b) {
  unsigned relation = std::isnan(a) || std::isnan(b) ? 8 : a < b ? 4 : a > b ? 2 : 1;
  return (relationsOf(predicate) & relation) != 0;
}

static double constantValue(arith::ConstantOp constant) {
  if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
    return number.getValueAsDouble();
  return !cast<IntegerAttr>(constant.getValue()).getValue().isZero();
}

/// Whether the op is known.
static bool evaluateFunction(Operation *op, Elements &result, ArrayRef<const Elements *> inputs) {
  bool known = true;
  std::optional<DType> stored = dtypeOf(op->getResult(0).getType());
  auto unary = [&](auto function) { apply(result, *inputs[0], function); };
  auto binary = [&](auto function) { apply(result, *inputs[0], *inputs[1], function); };
  auto ternary = [&](auto function) { apply(result, *inputs[0], *inputs[1], *inputs[2], function); };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](arith::ConstantOp constant) { std::fill(result.begin(), result.end(), constantValue(constant)); })
      .Case([&](arith::AddFOp) { binary([](double a, double b) { return a + b; }); })
      .Case([&](arith::SubFOp) { binary([](double a, double b) { return a - b; }); })
      .Case([&](arith::MulFOp) { binary([](double a, double b) { return a * b; }); })
      .Case([&](arith::DivFOp) { binary([](double a, double b) { return a / b; }); })
      .Case([&](arith::NegFOp) { unary([](double a) { return -a; }); })
      .Case([&](arith::MaximumFOp) { binary(maximum); })
      .Case([&](arith::MinimumFOp) { binary(minimum); })
      .Case([&](arith::CmpFOp cmp) { binary([&](double a, double b) { return compare(cmp.getPredicate(), a, b); }); })
      .Case([&](arith::SelectOp) { ternary([](double a, double b, double c) { return a != 0.0 ? b : c; }); })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp>([&](Operation *) { unary([](double a) { return a; }); })
      .Case([&](math::RsqrtOp) { unary([](double a) { return 1.0 / std::sqrt(a); }); })
      .Case([&](math::SqrtOp) { unary([](double a) { return std::sqrt(a); }); })
      .Case([&](math::AbsFOp) { unary([](double a) { return std::fabs(a); }); })
      .Case([&](math::FmaOp) { ternary([](double a, double b, double c) { return std::fma(a, b, c); }); })
      .Case([&](math::Exp2Op) { unary([](double a) { return std::exp2(a); }); })
      .Case([&](math::Log2Op) { unary([](double a) { return std::log2(a); }); })
      .Case([&](math::RoundEvenOp) { unary([](double a) { return std::nearbyint(a); }); })
      .Case([&](arith::FPToSIOp) { unary([&](double a) { return toInteger(a, *stored); }); })
      .Default([&](Operation *) { known = false; });
  // f32 is what the reference is wider than.
  if (known && stored && !isInteger(*stored) && *stored != DType::F32)
    roundTo(*stored, result);
  return known;
}

static bool isKnown(Operation *op) {
  Elements none;
  return evaluateFunction(op, none, {&none, &none, &none});
}

Result<ScalarBody> ScalarBody::of(MapOp map) {
  ScalarBody body;
  Block &block = map.getBody().front();
  llvm::DenseMap<Value, size_t> entries;
  for (BlockArgument argument : block.getArguments())
    entries[argument] = body.argumentCount++;
  for (Operation &op : block.without_terminator()) {
    if (!isKnown(&op))
      return Error{"expected scalar functions that the reference knows in the body of fastnorm.map, but got '" +
                   op.getName().getStringRef().str() + "'"};
    Step step{&op, {}};
    for (Value operand : op.getOperands())
      step.operands.push_back(entries.at(operand));
    entries[op.getResult(0)] = body.argumentCount + body.steps.size();
    body.steps.push_back(std::move(step));
  }
  body.yielded = entries.at(block.getTerminator()->getOperand(0));
  return body;
}

const Elements &ScalarBody::evaluate(size_t count, std::vector<Elements> &values) const {
  values.resize(argumentCount + steps.size());
  for (auto [number, step] : llvm::enumerate(steps)) {
    llvm::SmallVector<const Elements *, 3> inputs;
    for (size_t entry : step.operands)
      inputs.push_back(&values[entry]);
    Elements &result = values[argumentCount + number];
    result.resize(count);
    evaluateFunction(step.op, result, inputs);
  }
  return values[yielded];
}
