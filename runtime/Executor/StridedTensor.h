//===- StridedTensor.h - Tensors whose rows are not side by side -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EXECUTOR_STRIDEDTENSOR_H
#define FASTNORM_RUNTIME_EXECUTOR_STRIDEDTENSOR_H

#include "fastnorm/Plan/Plan.h"
#include "fastnorm/Support/HostTensor.h"

#include <optional>
#include <vector>

namespace fastnorm {

/// Where the elements of a tensor lie in a buffer. The gaps between them belong to others.
struct StridedTensor {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< in elements, one per dimension

  /// As a plan declares a tensor, once the symbols have values: by its strides, or dense.
  static StridedTensor of(const TensorSpec &spec, const std::vector<int64_t> &symbolValues);

  /// Bytes from the first element to the end of the last; nothing where they leave 63 bits.
  std::optional<int64_t> spanBytes() const;
  bool isDense() const;

  /// Writes a dense tensor's elements to their places in a buffer of spanBytes(). Of elements with one place the last
  /// stays.
  void scatter(const HostTensor &tensor, std::byte *buffer) const;
  /// The dense tensor of the elements in a buffer of spanBytes().
  Result<HostTensor> gather(const std::byte *buffer) const;
  /// For each element of a buffer whether it is one of the tensor's.
  std::vector<bool> places() const;
};

/// What a tensor holds after it was laid by the strides: another where elements with one place differ.
Result<HostTensor> throughMemory(const StridedTensor &layout, const HostTensor &tensor);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_EXECUTOR_STRIDEDTENSOR_H
