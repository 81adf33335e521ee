//===- OperandLayout.cpp - Where the elements of a view lie ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor/OperandLayout.h"

#include <array>
#include <utility>

namespace fastnorm {

namespace {

/// Bytes that the dimensions from `first` on reach, from the first element to the end of the last.
std::optional<int64_t> reach(const OperandView &view, size_t first) {
  int64_t elements = 1;
  for (size_t dimension = first; dimension < view.rank; ++dimension) {
    int64_t steps = 0;
    if (view.shape[dimension] > 1 &&
        (__builtin_mul_overflow(view.shape[dimension] - 1, view.stride(dimension), &steps) ||
         __builtin_add_overflow(elements, steps, &elements)))
      return std::nullopt;
  }
  int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, view.elementBytes(), &bytes))
    return std::nullopt;
  return bytes;
}

/// The first dimension with more than one element.
size_t outermost(const OperandView &view) {
  size_t dimension = 0;
  while (dimension < view.rank && view.shape[dimension] == 1)
    ++dimension;
  return dimension;
}

/// Whether the views are columns side by side: rows of both lie the same distance apart, and within that distance,
/// which is a circle, the rows of one end before those of the other begin.
bool areSideBySide(const OperandView &left, const OperandView &right) {
  size_t leftOuter = outermost(left), rightOuter = outermost(right);
  if (leftOuter >= left.rank || rightOuter >= right.rank)
    return false;
  int64_t leftStep = left.stride(leftOuter) * left.elementBytes();
  int64_t rightStep = right.stride(rightOuter) * right.elementBytes();
  int64_t leftBytes = *reach(left, leftOuter + 1), rightBytes = *reach(right, rightOuter + 1);
  if (leftStep != rightStep || leftBytes > leftStep || rightBytes > rightStep || leftStep == 0)
    return false;
  uint64_t step = static_cast<uint64_t>(leftStep);
  int64_t distance = static_cast<int64_t>((left.address % step + step - right.address % step) % step);
  return distance >= rightBytes && distance + leftBytes <= leftStep;
}

} // namespace

bool isEmpty(const OperandView &view) {
  for (size_t dimension = 0; dimension < view.rank; ++dimension)
    if (view.shape[dimension] == 0)
      return true;
  return false;
}

std::optional<int64_t> spanBytes(const OperandView &view) {
  if (isEmpty(view))
    return 0;
  return reach(view, 0);
}

bool isInjective(const OperandView &view) {
  std::array<std::pair<int64_t, int64_t>, TensorSpec::kMaxRank> dimensions; // stride, extent; smaller strides first
  size_t count = 0;
  for (size_t dimension = 0; dimension < view.rank; ++dimension) {
    if (view.shape[dimension] <= 1)
      continue;
    size_t place = count++;
    for (; place > 0 && dimensions[place - 1].first > view.stride(dimension); --place)
      dimensions[place] = dimensions[place - 1];
    dimensions[place] = {view.stride(dimension), view.shape[dimension]};
  }
  int64_t reached = 0;
  for (size_t index = 0; index < count; ++index) {
    if (dimensions[index].first <= reached)
      return false;
    reached += dimensions[index].first * (dimensions[index].second - 1);
  }
  return true;
}

bool mayOverlap(const OperandView &left, const OperandView &right) {
  if (isEmpty(left) || isEmpty(right))
    return false;
  uint64_t leftEnd = left.address + static_cast<uint64_t>(*spanBytes(left));
  uint64_t rightEnd = right.address + static_cast<uint64_t>(*spanBytes(right));
  if (left.address >= rightEnd || right.address >= leftEnd)
    return false;
  return !areSideBySide(left, right);
}

} // namespace fastnorm
