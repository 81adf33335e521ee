//===- HostTensor.cpp - A dense row-major tensor in host memory -----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Support/HostTensor.h"

#include <cassert>
#include <cmath>
#include <cstring>
#include <exception>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

namespace fastnorm {

namespace {

template <typename T> T load(const std::byte *storage, int64_t index) {
  T value;
  std::memcpy(&value, storage + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T> void store(std::byte *storage, int64_t index, T value) {
  std::memcpy(storage + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

/// The f32 to round to a narrower format in place of an f64. Rounding twice to nearest would be wrong at ties; the
/// first rounding is therefore to odd: toward zero, with the last bit set when anything was cut off.
float roundToOdd(double value) {
  float rounded = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(rounded) == value)
    return rounded;
  if (std::fabs(static_cast<double>(rounded)) > std::fabs(value))
    rounded = std::nextafter(rounded, 0.0f);
  uint32_t bits;
  std::memcpy(&bits, &rounded, sizeof(bits));
  bits |= 1u;
  std::memcpy(&rounded, &bits, sizeof(bits));
  return rounded;
}

/// The integer nearest to `value` that T holds; 0 for NaN.
template <typename T> T saturate(double value) {
  if (std::isnan(value))
    return 0;
  double rounded = std::nearbyint(value);
  if (rounded >= -static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::max();
  if (rounded <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(rounded);
}

} // namespace

std::optional<int64_t> checkedByteCount(DType dtype, const std::vector<int64_t> &shape) {
  bool hasZero = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    hasZero |= extent == 0;
  }
  if (hasZero)
    return 0;
  int64_t byteCount = byteWidth(dtype);
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(byteCount, extent, &byteCount))
      return std::nullopt;
  return byteCount;
}

int64_t availableMemoryBytes() {
  std::ifstream file("/proc/meminfo");
  std::string field;
  int64_t kibibytes;
  for (std::string unit; file >> field >> kibibytes && std::getline(file, unit);)
    if (field == "MemAvailable:")
      return kibibytes * 1024;
  return std::numeric_limits<int64_t>::max();
}

Result<HostTensor> allocateHostTensor(DType dtype, const std::vector<int64_t> &shape) {
  std::optional<int64_t> byteCount = checkedByteCount(dtype, shape);
  if (!byteCount)
    return Error{"expected a tensor whose bytes can be counted in 63 bits, but got " + describe(dtype, shape)};
  Error noMemory{"expected " + std::to_string(*byteCount) + " bytes of memory for a tensor of " +
                 describe(dtype, shape) + ", but they are not available"};
  if (*byteCount > availableMemoryBytes())
    return noMemory;
  try {
    return HostTensor(dtype, shape);
  } catch (const std::exception &) {
    return noMemory;
  }
}

std::string describe(DType dtype, const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + std::string(name(dtype));
}

HostTensor::HostTensor(DType dtype, std::vector<int64_t> shape) : elementType(dtype), extents(std::move(shape)) {
  std::optional<int64_t> byteCount = checkedByteCount(dtype, extents);
  assert(byteCount && "extents are negative or overflow");
  storage.resize(static_cast<size_t>(*byteCount));
}

int64_t HostTensor::elementCount() const { return static_cast<int64_t>(storage.size()) / byteWidth(elementType); }

double HostTensor::at(int64_t index) const {
  assert(index >= 0 && index < elementCount() && "element index out of range");
  switch (elementType) {
  case DType::F32: return load<float>(data(), index);
  case DType::BF16: return f32FromBf16(load<uint16_t>(data(), index));
  case DType::F16: return f32FromF16(load<uint16_t>(data(), index));
  case DType::F8E4M3FN: return f32FromF8E4M3FN(load<uint8_t>(data(), index));
  case DType::I8: return load<int8_t>(data(), index);
  case DType::I32: return load<int32_t>(data(), index);
  case DType::I64: return static_cast<double>(load<int64_t>(data(), index));
  }
  return 0.0;
}

int64_t HostTensor::integerAt(int64_t index) const {
  assert(isInteger(elementType) && "integerAt reads integer tensors");
  assert(index >= 0 && index < elementCount() && "element index out of range");
  switch (elementType) {
  case DType::I8: return load<int8_t>(data(), index);
  case DType::I32: return load<int32_t>(data(), index);
  default: return load<int64_t>(data(), index);
  }
}

void HostTensor::set(int64_t index, double value) {
  assert(index >= 0 && index < elementCount() && "element index out of range");
  switch (elementType) {
  case DType::F32: return store(data(), index, static_cast<float>(value));
  case DType::BF16: return store(data(), index, bf16FromF32(roundToOdd(value)));
  case DType::F16: return store(data(), index, f16FromF32(roundToOdd(value)));
  case DType::F8E4M3FN: return store(data(), index, f8E4M3FNFromF32(roundToOdd(value)));
  case DType::I8: return store(data(), index, saturate<int8_t>(value));
  case DType::I32: return store(data(), index, saturate<int32_t>(value));
  case DType::I64: return store(data(), index, saturate<int64_t>(value));
  }
}

void HostTensor::setInteger(int64_t index, int64_t value) {
  assert(isInteger(elementType) && "setInteger writes integer tensors");
  assert(index >= 0 && index < elementCount() && "element index out of range");
  switch (elementType) {
  case DType::I8: return store(data(), index, static_cast<int8_t>(value));
  case DType::I32: return store(data(), index, static_cast<int32_t>(value));
  default: return store(data(), index, value);
  }
}

} // namespace fastnorm
