//===- Tensor.h - What a value holds while it is evaluated ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_REFERENCE_TENSOR_H
#define FASTNORM_LIB_REFERENCE_TENSOR_H

#include "fastnorm/Support/HostTensor.h"

#include <functional>
#include <memory>
#include <vector>

namespace fastnorm::reference {

/// A dense tensor whose elements are read as f64. Arguments and results of graph ops are kept in their dtype; results
/// of the algebra as f64, i1 among them as 0 and 1.
class Tensor {
public:
  Tensor() = default;
  /// Refers to a tensor that outlives this one.
  static Tensor refer(const HostTensor &tensor);
  static Tensor own(HostTensor tensor);
  static Tensor wide(std::vector<int64_t> shape);

  const std::vector<int64_t> &shape() const { return stored ? stored->shape() : wideShape; }
  /// The extent of the last dimension, and of all others.
  int64_t rowElements() const;
  int64_t rows() const;

  /// Copies elements to `values`.
  void read(int64_t first, int64_t count, double *values) const;
  /// Stores elements of a wide tensor.
  void write(int64_t first, int64_t count, const double *values);

  /// The elements in a dtype, rounded; a copy where they already are.
  HostTensor convert(DType dtype) const;

private:
  std::shared_ptr<const HostTensor> stored;
  std::vector<int64_t> wideShape;
  std::vector<double> wideElements;
};

/// Calls `work(begin, end)` for parts of [0, rows) on all cores, and waits. `rowElements` is what a row costs: little
/// work is not spread.
void forEachRow(int64_t rows, int64_t rowElements, const std::function<void(int64_t, int64_t)> &work);

} // namespace fastnorm::reference

#endif // FASTNORM_LIB_REFERENCE_TENSOR_H
