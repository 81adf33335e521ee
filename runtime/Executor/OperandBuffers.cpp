//===- OperandBuffers.cpp - Where operands lie, checked -------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of OperandSolver that looks at addresses: their alignment, which
// picks the variant, and which buffers may be one and which may not.
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor/OperandLayout.h"
#include "runtime/Executor/OperandSolver.h"

#include <algorithm>
#include <limits>

namespace fastnorm {

namespace {

/// The largest power of two that divides a value; the largest there is for 0.
int64_t largestAlignment(uint64_t value) {
  uint64_t lowestBit = value & (~value + 1);
  return lowestBit == 0 ? int64_t(1) << 62 : static_cast<int64_t>(std::min(lowestBit, uint64_t(1) << 62));
}

/// Calls `visit(what, bytes)` for the address of an operand and for its strides that are known only at run time, in
/// bytes. What has no elements is aligned to anything.
template <typename Visitor>
void visitAligned(const TensorSpec &spec, const OperandView &operand, const Visitor &visit) {
  if (isEmpty(operand))
    return;
  visit(-1, operand.address);
  for (size_t dimension = 0; dimension < spec.strides.size(); ++dimension)
    if (spec.strides[dimension].symbol && operand.shape[dimension] > 1)
      visit(static_cast<int64_t>(dimension),
            static_cast<uint64_t>(operand.stride(dimension)) * static_cast<uint64_t>(operand.elementBytes()));
}

bool isSameBuffer(const OperandView &left, const OperandView &right) {
  if (left.address != right.address)
    return false;
  for (size_t dimension = 0; dimension < left.rank; ++dimension)
    if (left.shape[dimension] > 1 && left.stride(dimension) != right.stride(dimension))
      return false;
  return true;
}

} // namespace

int64_t OperandSolver::alignmentOf(const TensorSpec &spec, const OperandView &operand) const {
  int64_t alignment = std::numeric_limits<int64_t>::max();
  visitAligned(spec, operand, [&](int64_t, uint64_t bytes) {
    // A tensor that asks for less than a variant does is not what decides.
    int64_t has = largestAlignment(bytes);
    if (has < spec.alignment)
      alignment = std::min(alignment, has);
  });
  return alignment;
}

Error OperandSolver::explainAlignment(const OperandViews &operands, int64_t alignment) const {
  Error error{"expected operands aligned to " + std::to_string(alignment) + " bytes"};
  auto explain = [&](const TensorSpec &spec, const OperandView &operand, OperandRole role) {
    visitAligned(spec, operand, [&](int64_t dimension, uint64_t bytes) {
      uint64_t wanted = static_cast<uint64_t>(std::min(alignment, spec.alignment));
      std::string what = dimension < 0 ? "the address" : "stride " + std::to_string(dimension) + " in bytes";
      if (bytes % wanted != 0)
        error.message = "expected " + what + " of " + describe(role, spec.name) + " to be a multiple of " +
                        std::to_string(wanted) + " bytes, but it is " + std::to_string(bytes % wanted) + " past one";
    });
  };
  // The last one that is found stands: the first in order.
  for (size_t index = plan.results.size(); index-- > 0;)
    explain(plan.results[index], operands.results[index], OperandRole::Result);
  for (size_t index = plan.arguments.size(); index-- > 0;)
    explain(plan.arguments[index], operands.arguments[index], OperandRole::Argument);
  return error;
}

Result<const Variant *> OperandSolver::select(const OperandViews &operands) const {
  int64_t alignment = std::numeric_limits<int64_t>::max();
  for (size_t index = 0; index < plan.arguments.size(); ++index)
    alignment = std::min(alignment, alignmentOf(plan.arguments[index], operands.arguments[index]));
  for (size_t index = 0; index < plan.results.size(); ++index)
    alignment = std::min(alignment, alignmentOf(plan.results[index], operands.results[index]));
  Result<const Variant *> variant = selectVariant(plan, symbolValues, alignment);
  if (variant)
    return variant;
  // With the best of alignments there may be one; then it is the alignment that is wrong.
  Result<const Variant *> aligned = selectVariant(plan, symbolValues, std::numeric_limits<int64_t>::max());
  if (!aligned)
    return aligned;
  return explainAlignment(operands, (*aligned)->alignment);
}

Status OperandSolver::checkPlace(const TensorSpec &spec, const OperandView &operand, OperandRole role) const {
  if (isEmpty(operand))
    return {};
  if (operand.address == 0)
    return Error{"expected an address for " + describe(role, spec.name) + ", but got null"};
  uint64_t past = operand.address % static_cast<uint64_t>(operand.elementBytes());
  if (past != 0)
    return Error{"expected the address of " + describe(role, spec.name) + " to be a multiple of " +
                 std::to_string(operand.elementBytes()) + " bytes, the size of an element, but it is " +
                 std::to_string(past) + " past one"};
  uint64_t end = 0;
  if (__builtin_add_overflow(operand.address, static_cast<uint64_t>(*spanBytes(operand)), &end))
    return Error{"expected " + describe(role, spec.name) + " to end in the address space, but it does not"};
  return {};
}

Status OperandSolver::checkTie(const TensorSpec &argument, const OperandView &operand,
                               const OperandViews &operands) const {
  size_t index = static_cast<size_t>(*argument.result);
  if (isEmpty(operand) || isSameBuffer(operand, operands.results[index]))
    return {};
  return Error{"expected " + describe(OperandRole::Argument, argument.name) + " and " +
               describe(OperandRole::Result, plan.results[index].name) +
               " to be one buffer with the same strides, because the plan ties them, but they differ"};
}

Status OperandSolver::checkOverlaps(size_t result, const OperandViews &operands) const {
  const OperandView &written = operands.results[result];
  auto refuse = [&](OperandRole role, const TensorSpec &other) {
    return Error{"expected " + describe(OperandRole::Result, plan.results[result].name) + " not to overlap " +
                 describe(role, other.name) + ", but it does; only arguments that the plan ties to a result may"};
  };
  for (size_t index = 0; index < plan.arguments.size(); ++index)
    if (plan.arguments[index].result != static_cast<int64_t>(result) && mayOverlap(written, operands.arguments[index]))
      return refuse(OperandRole::Argument, plan.arguments[index]);
  for (size_t index = result + 1; index < plan.results.size(); ++index)
    if (mayOverlap(written, operands.results[index]))
      return refuse(OperandRole::Result, plan.results[index]);
  return {};
}

Status OperandSolver::checkBuffers(const OperandViews &operands) const {
  for (size_t index = 0; index < plan.arguments.size(); ++index)
    if (Status status = checkPlace(plan.arguments[index], operands.arguments[index], OperandRole::Argument); !status)
      return status;
  for (size_t index = 0; index < plan.results.size(); ++index)
    if (Status status = checkPlace(plan.results[index], operands.results[index], OperandRole::Result); !status)
      return status;
  for (size_t index = 0; index < plan.arguments.size(); ++index)
    if (plan.arguments[index].result)
      if (Status status = checkTie(plan.arguments[index], operands.arguments[index], operands); !status)
        return status;
  for (size_t index = 0; index < plan.results.size(); ++index)
    if (Status status = checkOverlaps(index, operands); !status)
      return status;
  return {};
}

} // namespace fastnorm
