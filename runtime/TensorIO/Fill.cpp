//===- Fill.cpp - Seeded data for tensors ---------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/Fill.h"

#include "runtime/TensorIO/CounterRandom.h"

#include <cstring>
#include <numeric>
#include <string>
#include <utility>

namespace fastnorm {

namespace {

/// Elements `first` and on of a tensor's values, stored from element `at` on.
struct Range {
  int64_t at = 0;
  int64_t first = 0;
  int64_t count = 0;
};

void fillNormal(HostTensor &tensor, const Range &range, const CounterRandom &random, const NormalValues &values) {
  for (int64_t index = 0; index < range.count; ++index) {
    int32_t sum = random.normalSum(static_cast<uint64_t>(range.first + index));
    float value = static_cast<float>(values.mean + values.scale * sum);
    int64_t at = range.at + index;
    // Activations are most of all data; the general set() would take several times as long.
    if (tensor.dtype() == DType::BF16) {
      uint16_t bits = bf16FromF32(value);
      std::memcpy(tensor.data() + at * 2, &bits, sizeof(bits));
    } else if (tensor.dtype() == DType::F32) {
      std::memcpy(tensor.data() + at * 4, &value, sizeof(value));
    } else {
      tensor.set(at, value);
    }
  }
}

/// The range holds whole groups of `slots`.
void fillGates(HostTensor &tensor, const Range &range, const CounterRandom &random, int64_t slots) {
  auto weightAt = [&](int64_t index) { return 0.25 + random.uniform(static_cast<uint64_t>(index)); };
  for (int64_t group = 0; group < range.count; group += slots) {
    double sum = 0.0;
    for (int64_t slot = 0; slot < slots; ++slot)
      sum += weightAt(range.first + group + slot);
    for (int64_t slot = 0; slot < slots; ++slot)
      tensor.set(range.at + group + slot, weightAt(range.first + group + slot) / sum);
  }
}

/// All kinds that give an element without knowing the others.
void fillRange(HostTensor &tensor, const Range &range, const FillRole &role, const CounterRandom &random) {
  switch (role.kind) {
  case FillRole::Kind::Normal: return fillNormal(tensor, range, random, NormalValues::of(role));
  case FillRole::Kind::Gate:
    return fillGates(tensor, range, random, tensor.shape().empty() ? 1 : tensor.shape().back());
  default:
    for (int64_t index = 0; index < range.count; ++index)
      tensor.set(range.at + index, role.mean);
  }
}

/// The first elements of a random permutation of [0, rows).
void fillPermutation(HostTensor &tensor, const CounterRandom &random, int64_t rows) {
  std::vector<int64_t> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  for (size_t index = order.size(); index-- > 1;)
    std::swap(order[index], order[random.below(index, index + 1)]);
  for (int64_t index = 0; index < tensor.elementCount(); ++index)
    tensor.setInteger(index, order[static_cast<size_t>(index)]);
}

void fillUniform(HostTensor &tensor, const CounterRandom &random, int64_t rows, bool inPairs) {
  for (int64_t index = 0; index < tensor.elementCount(); ++index) {
    uint64_t counter = static_cast<uint64_t>(inPairs ? index / 2 * 2 : index);
    tensor.setInteger(index, static_cast<int64_t>(random.below(counter, static_cast<uint64_t>(rows))));
  }
}

/// Replaces a share of the indices by ones that name no row.
void dropIndices(HostTensor &tensor, const CounterRandom &random, int64_t rows, double share) {
  for (int64_t index = 0; index < tensor.elementCount(); ++index) {
    uint64_t counter = static_cast<uint64_t>(index);
    if (random.uniform(2 * counter) < share)
      tensor.set(index, random.bits(2 * counter + 1) & 1 ? -1.0 : static_cast<double>(rows));
  }
}

Status fillIndices(HostTensor &tensor, const FillRole &role, uint64_t seed, std::string_view name, int64_t rows) {
  int64_t count = tensor.elementCount();
  CounterRandom random(seed, name);
  if (role.kind == FillRole::Kind::Permutation && count > rows)
    return Error{"expected a permutation in '" + std::string(name) + "' to name at least as many rows as it has " +
                 "elements, " + std::to_string(count) + ", but there are " + std::to_string(rows)};
  if (rows <= 0) {
    for (int64_t index = 0; index < count; ++index)
      tensor.setInteger(index, -1);
    return {};
  }
  if (role.kind == FillRole::Kind::Permutation || (role.kind == FillRole::Kind::Indices && count == rows))
    fillPermutation(tensor, random, rows);
  else
    fillUniform(tensor, random, rows, role.kind == FillRole::Kind::Duplicates);
  if (role.dropped > 0)
    dropIndices(tensor, CounterRandom(seed, std::string(name) + " dropped"), rows, role.dropped);
  return {};
}

} // namespace

NormalValues NormalValues::of(const FillRole &role) {
  // A quotient of f32 values: 24 bits.
  return {role.mean, static_cast<float>(role.deviation) / CounterRandom::kNormalDeviation};
}

Result<HostTensor> fillTensor(const FillRole &role, DType dtype, const std::vector<int64_t> &shape, uint64_t seed,
                              std::string_view name, int64_t indexedCount) {
  Result<HostTensor> tensor = allocateHostTensor(dtype, shape);
  if (!tensor)
    return Error{"'" + std::string(name) + "': " + tensor.error()};
  if (!role.isIndex())
    fillRange(*tensor, {0, 0, tensor->elementCount()}, role, CounterRandom(seed, name));
  else if (Status filled = fillIndices(*tensor, role, seed, name, indexedCount); !filled)
    return filled.takeError();
  return tensor;
}

Result<HostTensor> fillRows(const FillRole &role, DType dtype, const std::vector<int64_t> &shape,
                            const std::vector<int64_t> &rows, uint64_t seed, std::string_view name) {
  std::vector<int64_t> someShape = shape;
  someShape[0] = static_cast<int64_t>(rows.size());
  Result<HostTensor> tensor = allocateHostTensor(dtype, someShape);
  if (!tensor)
    return Error{"'" + std::string(name) + "': " + tensor.error()};
  int64_t rowElements = std::accumulate(shape.begin() + 1, shape.end(), int64_t(1), std::multiplies<int64_t>());
  CounterRandom random(seed, name);
  for (size_t index = 0; index < rows.size(); ++index)
    fillRange(*tensor, {static_cast<int64_t>(index) * rowElements, rows[index] * rowElements, rowElements}, role,
              random);
  return tensor;
}

Result<HostTensor> fillArgument(const TensorSpec &spec, const std::vector<int64_t> &symbolValues, uint64_t seed,
                                const FillRole &role) {
  if (Status possible = checkFillRole(spec, role); !possible)
    return possible.takeError();
  std::vector<int64_t> shape;
  for (const Extent &extent : spec.shape)
    shape.push_back(extent.symbol ? symbolValues[static_cast<size_t>(*extent.symbol)] : extent.fixed);
  int64_t indexedCount = spec.indexes ? symbolValues[static_cast<size_t>(*spec.indexes)] : role.rows.value_or(0);
  return fillTensor(role, spec.dtype, shape, seed, spec.name, indexedCount);
}

} // namespace fastnorm
