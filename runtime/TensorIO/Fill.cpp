//===- Fill.cpp - Seeded data for tensors ---------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/Fill.h"

#include <cstring>
#include <numeric>
#include <utility>

namespace fastnorm {

namespace {

/// The finalizer of SplitMix64: every bit of the input moves every bit of the output.
uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// Random numbers addressed by a counter, for one seed and one name.
class CounterRandom {
public:
  CounterRandom(uint64_t seed, std::string_view name) {
    // FNV-1a.
    uint64_t hash = 0xcbf29ce484222325u;
    for (char letter : name)
      hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    key = mix(seed + 0x9e3779b97f4a7c15u) ^ mix(hash);
  }

  uint64_t bits(uint64_t counter) const { return mix(key + counter * 0x9e3779b97f4a7c15u); }

  /// In [0, 1).
  double uniform(uint64_t counter) const { return static_cast<double>(bits(counter) >> 11) * 0x1p-53; }

  /// In [0, bound).
  uint64_t below(uint64_t counter, uint64_t bound) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(bits(counter)) * bound) >> 64);
  }

  /// Nearly normal with mean 0: a sum of eight uniform numbers of 16 bits, which lies within 2^20 of 0 and has a
  /// deviation of kNormalDeviation. Sums of integers, unlike a logarithm, are the same on every machine.
  int32_t normalSum(uint64_t counter) const {
    int32_t sum = 0;
    for (uint64_t half : {2 * counter, 2 * counter + 1})
      for (uint64_t rest = bits(half), part = 0; part < 4; ++part, rest >>= 16)
        sum += static_cast<int32_t>(rest & 0xffff);
    return sum - 4 * 0xffff;
  }

  /// 2^16 sqrt(8 / 12).
  static constexpr float kNormalDeviation = 53509.953f;

private:
  uint64_t key = 0;
};

void fillNormal(HostTensor &tensor, const CounterRandom &random, float mean, float deviation) {
  int64_t count = tensor.elementCount();
  // 24 bits times 20 bits are exact in f64, so a machine that fuses this product into the sum gets the same value.
  double scale = deviation / CounterRandom::kNormalDeviation;
  for (int64_t index = 0; index < count; ++index) {
    float value = static_cast<float>(mean + scale * random.normalSum(static_cast<uint64_t>(index)));
    // Activations are most of all data; the general set() would take several times as long.
    if (tensor.dtype() == DType::BF16) {
      uint16_t bits = bf16FromF32(value);
      std::memcpy(tensor.data() + index * 2, &bits, sizeof(bits));
    } else if (tensor.dtype() == DType::F32) {
      std::memcpy(tensor.data() + index * 4, &value, sizeof(value));
    } else {
      tensor.set(index, value);
    }
  }
}

void fillGates(HostTensor &tensor, const CounterRandom &random) {
  int64_t slots = tensor.shape().empty() ? 1 : tensor.shape().back();
  auto weightAt = [&](int64_t index) { return 0.25 + random.uniform(static_cast<uint64_t>(index)); };
  for (int64_t first = 0; first < tensor.elementCount(); first += slots) {
    double sum = 0.0;
    for (int64_t slot = 0; slot < slots; ++slot)
      sum += weightAt(first + slot);
    for (int64_t slot = 0; slot < slots; ++slot)
      tensor.set(first + slot, weightAt(first + slot) / sum);
  }
}

void fillIndices(HostTensor &tensor, const CounterRandom &random, int64_t indexedCount) {
  int64_t count = tensor.elementCount();
  if (indexedCount <= 0) {
    for (int64_t index = 0; index < count; ++index)
      tensor.setInteger(index, -1);
    return;
  }
  for (int64_t index = 0; index < count; ++index)
    tensor.setInteger(index, count == indexedCount
                                 ? index
                                 : static_cast<int64_t>(random.below(static_cast<uint64_t>(index),
                                                                     static_cast<uint64_t>(indexedCount))));
  if (count != indexedCount)
    return;
  for (int64_t index = count - 1; index > 0; --index) {
    int64_t other = static_cast<int64_t>(random.below(static_cast<uint64_t>(index), static_cast<uint64_t>(index) + 1));
    int64_t moved = tensor.integerAt(index);
    tensor.setInteger(index, tensor.integerAt(other));
    tensor.setInteger(other, moved);
  }
}

bool endsIn(const std::string &text, std::string_view ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

void fill(HostTensor &tensor, FillRole role, uint64_t seed, std::string_view name, int64_t indexedCount) {
  CounterRandom random(seed, name);
  switch (role) {
  case FillRole::Activation: return fillNormal(tensor, random, 0.0f, tensor.dtype() == DType::I8 ? 32.0f : 1.0f);
  case FillRole::Weight: return fillNormal(tensor, random, 1.0f, 0.1f);
  case FillRole::OffsetWeight: return fillNormal(tensor, random, 0.0f, 0.1f);
  case FillRole::Gate: return fillGates(tensor, random);
  case FillRole::RowIndex: return fillIndices(tensor, random, indexedCount);
  }
}

} // namespace

FillRole guessFillRole(const TensorSpec &spec) {
  if (spec.indexes)
    return FillRole::RowIndex;
  if (endsIn(spec.name, "gate"))
    return FillRole::Gate;
  if (endsIn(spec.name, "weight"))
    return FillRole::Weight;
  return FillRole::Activation;
}

HostTensor fillTensor(FillRole role, DType dtype, const std::vector<int64_t> &shape, uint64_t seed,
                      std::string_view name, int64_t indexedCount) {
  HostTensor tensor(dtype, shape);
  fill(tensor, role, seed, name, indexedCount);
  return tensor;
}

Result<HostTensor> fillArgument(const TensorSpec &spec, const std::vector<int64_t> &symbolValues, uint64_t seed,
                                FillRole role) {
  if (role == FillRole::RowIndex && (!isIndex(spec.dtype) || !spec.indexes))
    return Error{"expected '" + spec.name + "' to index rows with integers, because it is filled as a row index, but " +
                 "it holds " + std::string(name(spec.dtype)) + (spec.indexes ? "" : " and indexes nothing")};
  std::vector<int64_t> shape;
  for (const Extent &extent : spec.shape)
    shape.push_back(extent.symbol ? symbolValues[static_cast<size_t>(*extent.symbol)] : extent.fixed);
  Result<HostTensor> tensor = allocateHostTensor(spec.dtype, shape);
  if (!tensor)
    return Error{"'" + spec.name + "': " + tensor.error()};
  fill(*tensor, role, seed, spec.name, spec.indexes ? symbolValues[static_cast<size_t>(*spec.indexes)] : 0);
  return tensor;
}

Result<HostTensor> fillArgument(const TensorSpec &spec, const std::vector<int64_t> &symbolValues, uint64_t seed) {
  return fillArgument(spec, symbolValues, seed, guessFillRole(spec));
}

} // namespace fastnorm
