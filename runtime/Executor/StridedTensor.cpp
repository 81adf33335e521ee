//===- StridedTensor.cpp - Tensors whose rows are not side by side --------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor/StridedTensor.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace fastnorm {

static int64_t valueOf(const Extent &extent, const std::vector<int64_t> &symbolValues) {
  return extent.symbol ? symbolValues[static_cast<size_t>(*extent.symbol)] : extent.fixed;
}

static std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t dimension = shape.size(); dimension-- > 1;)
    strides[dimension - 1] = strides[dimension] * std::max<int64_t>(1, shape[dimension]);
  return strides;
}

StridedTensor StridedTensor::of(const TensorSpec &spec, const std::vector<int64_t> &symbolValues) {
  StridedTensor tensor{spec.dtype, {}, {}};
  for (const Extent &extent : spec.shape)
    tensor.shape.push_back(valueOf(extent, symbolValues));
  for (const Extent &stride : spec.strides)
    tensor.strides.push_back(valueOf(stride, symbolValues));
  if (spec.strides.empty() && checkedByteCount(spec.dtype, tensor.shape))
    tensor.strides = denseStrides(tensor.shape);
  return tensor;
}

bool StridedTensor::isDense() const { return strides == denseStrides(shape); }

std::optional<int64_t> StridedTensor::spanBytes() const {
  if (!checkedByteCount(dtype, shape))
    return std::nullopt;
  int64_t last = 0, bytes = 0;
  for (size_t dimension = 0; dimension < shape.size(); ++dimension) {
    if (shape[dimension] == 0)
      return 0;
    int64_t reach = 0;
    if (__builtin_mul_overflow(shape[dimension] - 1, strides[dimension], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return std::nullopt;
  }
  if (__builtin_add_overflow(last, 1, &last) || __builtin_mul_overflow(last, byteWidth(dtype), &bytes))
    return std::nullopt;
  return bytes;
}

/// Calls `visit(row, place)` for each run of elements along the last dimension, in elements of the dense tensor and of
/// the buffer.
static void forEachRun(const StridedTensor &tensor, const std::function<void(int64_t, int64_t)> &visit) {
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end())
    return;
  size_t outer = tensor.shape.empty() ? 0 : tensor.shape.size() - 1;
  int64_t length = tensor.shape.empty() ? 1 : tensor.shape.back();
  std::vector<int64_t> index(outer, 0);
  for (int64_t dense = 0;; dense += length) {
    int64_t place = 0;
    for (size_t dimension = 0; dimension < outer; ++dimension)
      place += index[dimension] * tensor.strides[dimension];
    visit(dense, place);
    size_t dimension = outer;
    while (dimension > 0 && ++index[dimension - 1] == tensor.shape[dimension - 1])
      index[--dimension] = 0;
    if (dimension == 0)
      return;
  }
}

void StridedTensor::scatter(const HostTensor &tensor, std::byte *buffer) const {
  int64_t width = byteWidth(dtype);
  int64_t length = shape.empty() ? 1 : shape.back();
  forEachRun(*this, [&](int64_t dense, int64_t place) {
    std::memcpy(buffer + place * width, tensor.data() + dense * width, static_cast<size_t>(length * width));
  });
}

Result<HostTensor> StridedTensor::gather(const std::byte *buffer) const {
  Result<HostTensor> tensor = allocateHostTensor(dtype, shape);
  if (!tensor)
    return tensor;
  int64_t width = byteWidth(dtype);
  int64_t length = shape.empty() ? 1 : shape.back();
  forEachRun(*this, [&](int64_t dense, int64_t place) {
    std::memcpy(tensor->data() + dense * width, buffer + place * width, static_cast<size_t>(length * width));
  });
  return tensor;
}

std::vector<bool> StridedTensor::places() const {
  std::vector<bool> taken(static_cast<size_t>(*spanBytes() / byteWidth(dtype)), false);
  int64_t length = shape.empty() ? 1 : shape.back();
  forEachRun(*this, [&](int64_t, int64_t place) { std::fill_n(taken.begin() + place, length, true); });
  return taken;
}

Result<HostTensor> throughMemory(const StridedTensor &layout, const HostTensor &tensor) {
  std::optional<int64_t> bytes = layout.spanBytes();
  if (!bytes)
    return Error{"expected a tensor whose strides stay within an address space of 63 bits, but got " +
                 describe(layout.dtype, layout.shape)};
  std::vector<std::byte> buffer(static_cast<size_t>(*bytes));
  layout.scatter(tensor, buffer.data());
  return layout.gather(buffer.data());
}

} // namespace fastnorm
