//===- Tensor.cpp - What a value holds while it is evaluated --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include <algorithm>
#include <cstring>
#include <thread>

using namespace fastnorm;
using namespace fastnorm::reference;

static int64_t product(const std::vector<int64_t> &shape, size_t from) {
  int64_t count = 1;
  for (size_t dimension = from; dimension < shape.size(); ++dimension)
    count *= shape[dimension];
  return count;
}

Tensor Tensor::refer(const HostTensor &tensor) {
  Tensor result;
  result.stored = std::shared_ptr<const HostTensor>(&tensor, [](const HostTensor *) {});
  return result;
}

Tensor Tensor::own(HostTensor tensor) {
  Tensor result;
  result.stored = std::make_shared<const HostTensor>(std::move(tensor));
  return result;
}

Tensor Tensor::wide(std::vector<int64_t> shape) {
  Tensor result;
  result.wideElements.resize(product(shape, 0));
  result.wideShape = std::move(shape);
  return result;
}

int64_t Tensor::rowElements() const { return shape().empty() ? 1 : shape().back(); }

int64_t Tensor::rows() const { return product(shape(), 0) / std::max<int64_t>(1, rowElements()); }

/// Copies stored elements of type T, as `toDouble` sees them.
template <typename T, typename Function>
static void readAs(const std::byte *data, int64_t first, int64_t count, double *values, Function toDouble) {
  for (int64_t index = 0; index < count; ++index) {
    T element;
    std::memcpy(&element, data + (first + index) * sizeof(T), sizeof(T));
    values[index] = toDouble(element);
  }
}

void Tensor::read(int64_t first, int64_t count, double *values) const {
  if (!stored) {
    std::copy_n(wideElements.data() + first, count, values);
    return;
  }
  auto exact = [](auto element) { return static_cast<double>(element); };
  switch (stored->dtype()) {
  case DType::F32: return readAs<float>(stored->data(), first, count, values, exact);
  case DType::BF16: return readAs<uint16_t>(stored->data(), first, count, values, f32FromBf16);
  case DType::F16: return readAs<uint16_t>(stored->data(), first, count, values, f32FromF16);
  case DType::F8E4M3FN: return readAs<uint8_t>(stored->data(), first, count, values, f32FromF8E4M3FN);
  case DType::I8: return readAs<int8_t>(stored->data(), first, count, values, exact);
  case DType::I32: return readAs<int32_t>(stored->data(), first, count, values, exact);
  case DType::I64:
    // Inexact beyond 2^53, but no table has that many rows: such an index is out of range either way.
    return readAs<int64_t>(stored->data(), first, count, values, exact);
  }
}

void Tensor::write(int64_t first, int64_t count, const double *values) {
  std::copy_n(values, count, wideElements.data() + first);
}

HostTensor Tensor::convert(DType dtype) const {
  if (stored && stored->dtype() == dtype)
    return *stored;
  HostTensor result(dtype, shape());
  int64_t perRow = rowElements();
  forEachRow(rows(), perRow, [&](int64_t begin, int64_t end) {
    std::vector<double> row(perRow);
    for (int64_t index = begin; index < end; ++index) {
      read(index * perRow, perRow, row.data());
      for (int64_t column = 0; column < perRow; ++column)
        result.set(index * perRow + column, row[column]);
    }
  });
  return result;
}

void reference::forEachRow(int64_t rows, int64_t rowElements, const std::function<void(int64_t, int64_t)> &work) {
  // A thread is worth starting for some hundred thousand elements.
  constexpr int64_t kElementsPerThread = 1 << 18;
  int64_t cores = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  int64_t worthwhile = rows * std::max<int64_t>(rowElements, 1) / kElementsPerThread + 1;
  int64_t parts = std::min({cores, worthwhile, std::max<int64_t>(rows, 1)});
  std::vector<std::thread> threads;
  for (int64_t part = 1; part < parts; ++part)
    threads.emplace_back([&, part] { work(rows * part / parts, rows * (part + 1) / parts); });
  work(0, rows / parts);
  for (std::thread &thread : threads)
    thread.join();
}
