//===- HostTensor.h - A dense row-major tensor in host memory ---*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What files are read into, what the reference computes, and what is compared.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_SUPPORT_HOSTTENSOR_H
#define FASTNORM_SUPPORT_HOSTTENSOR_H

#include "fastnorm/Support/DType.h"
#include "fastnorm/Support/Result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm {

/// Dense, row-major (the last dimension varies fastest), no padding.
class HostTensor {
public:
  HostTensor() = default;
  /// Elements start as zero. Extents are not negative.
  HostTensor(DType dtype, std::vector<int64_t> shape);

  DType dtype() const { return elementType; }
  const std::vector<int64_t> &shape() const { return extents; }
  int64_t elementCount() const;
  size_t byteCount() const { return storage.size(); }
  std::byte *data() { return storage.data(); }
  const std::byte *data() const { return storage.data(); }

  /// The element at a linear index, as f64 (exact for every dtype but i64 beyond 2^53).
  double at(int64_t index) const;
  /// The element of an integer tensor at a linear index.
  int64_t integerAt(int64_t index) const;
  /// Stores a value, rounded once to the dtype (to nearest even); integers and f8E4M3FN saturate, and an integer takes
  /// NaN as 0.
  void set(int64_t index, double value);
  void setInteger(int64_t index, int64_t value);

private:
  DType elementType = DType::F32;
  std::vector<int64_t> extents;
  std::vector<std::byte> storage;
};

/// Bytes of a dense tensor; nothing where an extent is negative or the product leaves 63 bits.
std::optional<int64_t> checkedByteCount(DType dtype, const std::vector<int64_t> &shape);

/// What this machine could still give. Linux lets a program ask for more, and ends it when it uses that.
int64_t availableMemoryBytes();

/// A tensor of zeros, or an error where the extents are no tensor or the memory is not to be had.
Result<HostTensor> allocateHostTensor(DType dtype, const std::vector<int64_t> &shape);

/// "3467x3072xbf16", as shapes are written in messages.
std::string describe(DType dtype, const std::vector<int64_t> &shape);

} // namespace fastnorm

#endif // FASTNORM_SUPPORT_HOSTTENSOR_H
