//===- Expression.cpp - Integer arithmetic over symbols -------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Plan/Plan.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace fastnorm {

namespace {

Error overflow(int64_t left, const char *operation, int64_t right) {
  return Error{"expected a value of 64 bits, but " + std::to_string(left) + " " + operation + " " +
               std::to_string(right) + " overflows"};
}

/// The smallest integer not below left / right.
Result<int64_t> ceilDivide(int64_t left, int64_t right) {
  if (right == 0)
    return Error{"expected a divisor other than 0, but got " + std::to_string(left) + " ceil_divide 0"};
  if (left == std::numeric_limits<int64_t>::min() && right == -1)
    return overflow(left, "ceil_divide", right);
  int64_t quotient = left / right;
  // C++ truncates toward zero, which is already the ceiling where the quotient is negative.
  if (left % right != 0 && (left < 0) == (right < 0))
    ++quotient;
  return quotient;
}

Result<int64_t> apply(Expression::Kind kind, int64_t left, int64_t right) {
  int64_t value = 0;
  switch (kind) {
  case Expression::Kind::Add:
    if (__builtin_add_overflow(left, right, &value))
      return overflow(left, "add", right);
    return value;
  case Expression::Kind::Multiply:
    if (__builtin_mul_overflow(left, right, &value))
      return overflow(left, "multiply", right);
    return value;
  case Expression::Kind::CeilDivide: return ceilDivide(left, right);
  case Expression::Kind::Minimum: return std::min(left, right);
  case Expression::Kind::Maximum: return std::max(left, right);
  case Expression::Kind::Constant:
  case Expression::Kind::Symbol: break;
  }
  return Error{"expected a binary operation, but the expression is a leaf with operands"};
}

} // namespace

Expression Expression::constant(int64_t value) {
  Expression expression;
  expression.number = value;
  return expression;
}

Expression Expression::symbol(int64_t index) {
  Expression expression;
  expression.operation = Kind::Symbol;
  expression.number = index;
  return expression;
}

Expression Expression::binary(Kind kind, Expression left, Expression right) {
  assert(kind != Kind::Constant && kind != Kind::Symbol && "a leaf has no operands");
  Expression expression;
  expression.operation = kind;
  expression.children.reserve(2);
  expression.children.push_back(std::move(left));
  expression.children.push_back(std::move(right));
  return expression;
}

Result<int64_t> Expression::evaluate(const std::vector<int64_t> &symbolValues) const {
  if (operation == Kind::Constant)
    return number;
  if (operation == Kind::Symbol) {
    if (number < 0 || number >= static_cast<int64_t>(symbolValues.size()))
      return Error{"expected a symbol index below " + std::to_string(symbolValues.size()) +
                   ", but the expression uses " + std::to_string(number)};
    return symbolValues[static_cast<size_t>(number)];
  }
  Result<int64_t> left = children[0].evaluate(symbolValues);
  if (!left)
    return left;
  Result<int64_t> right = children[1].evaluate(symbolValues);
  if (!right)
    return right;
  return apply(operation, *left, *right);
}

} // namespace fastnorm
