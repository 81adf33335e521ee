//===- VerifyTensors.cpp - Whether a plan's tensors make sense ------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyTensors.h"

#include <set>

namespace fastnorm {

namespace {

/// Device buffers are aligned to 256 bytes, so a plan can't ask for more.
constexpr int64_t kMaxAlignment = 256;

class TensorVerifier {
public:
  explicit TensorVerifier(const Plan &plan) : plan(plan) {}

  Status run() const;

private:
  Status list(const std::vector<TensorSpec> &specs, const char *role) const;
  Status tensor(const TensorSpec &spec, const std::string &place) const;
  Status extents(const std::vector<Extent> &extents, const char *what, const std::string &place) const;
  Status strides(const TensorSpec &spec, const std::string &place) const;
  Status alignment(const TensorSpec &spec, const std::string &place) const;
  Status indexes(const TensorSpec &spec, const std::string &place) const;
  Status ties() const;
  Status isNowhereZero(const TensorSpec &spec, const std::string &place) const;

  const Plan &plan;
};

/// "argument 'x'".
std::string describe(const char *role, const TensorSpec &spec) { return std::string(role) + " '" + spec.name + "'"; }

Status TensorVerifier::extents(const std::vector<Extent> &extents, const char *what, const std::string &place) const {
  for (size_t dimension = 0; dimension < extents.size(); ++dimension) {
    const Extent &extent = extents[dimension];
    std::string which = what + std::to_string(dimension) + " of " + place;
    if (extent.symbol && !isIndexOf(*extent.symbol, plan.symbols.size()))
      return Error{"expected " + which + " to name one of " + counted(plan.symbols.size(), "symbol") +
                   ", but it names number " + std::to_string(*extent.symbol)};
    if (extent.symbol && !isIndexOf(*extent.symbol, tensorSymbolCount(plan)))
      return Error{"expected " + which + " to be named otherwise than " + kSmLimitSymbol +
                   ", which counts the SMs that a run may fill"};
    if (!extent.symbol && extent.fixed < 0)
      return Error{"expected " + which + " not to be negative, but it is " + std::to_string(extent.fixed)};
  }
  return {};
}

Status TensorVerifier::strides(const TensorSpec &spec, const std::string &place) const {
  if (spec.strides.empty())
    return {};
  if (spec.strides.size() != spec.shape.size())
    return Error{"expected " + place + " to have a stride for each of its " + counted(spec.shape.size(), "dimension") +
                 ", but it has " + std::to_string(spec.strides.size())};
  if (Status status = extents(spec.strides, "stride ", place); !status)
    return status;
  const Extent &last = spec.strides.back();
  if (last.symbol || last.fixed != 1)
    return Error{"expected the last stride of " + place + " to be 1, but it is " +
                 (last.symbol ? plan.symbols[static_cast<size_t>(*last.symbol)] : std::to_string(last.fixed))};
  return {};
}

Status TensorVerifier::alignment(const TensorSpec &spec, const std::string &place) const {
  if (isPowerOfTwo(spec.alignment) && spec.alignment <= kMaxAlignment)
    return {};
  return Error{"expected the alignment of " + place + " to be a power of two up to " + std::to_string(kMaxAlignment) +
               ", but it is " + std::to_string(spec.alignment)};
}

Status TensorVerifier::indexes(const TensorSpec &spec, const std::string &place) const {
  if (!spec.indexes)
    return {};
  if (!isIndexOf(*spec.indexes, plan.symbols.size()))
    return Error{"expected " + place + " to index one of " + counted(plan.symbols.size(), "symbol") +
                 ", but it indexes number " + std::to_string(*spec.indexes)};
  if (!isIndex(spec.dtype))
    return Error{"expected " + place + " to hold i32 or i64, because it indexes rows, but it holds " +
                 std::string(name(spec.dtype))};
  return {};
}

Status TensorVerifier::tensor(const TensorSpec &spec, const std::string &place) const {
  if (spec.shape.empty() || spec.shape.size() > TensorSpec::kMaxRank)
    return Error{"expected " + place + " to have 1 to " + counted(TensorSpec::kMaxRank, "dimension") + ", but it has " +
                 std::to_string(spec.shape.size())};
  if (Status status = extents(spec.shape, "dimension ", place); !status)
    return status;
  if (Status status = strides(spec, place); !status)
    return status;
  if (Status status = alignment(spec, place); !status)
    return status;
  return indexes(spec, place);
}

Status TensorVerifier::list(const std::vector<TensorSpec> &specs, const char *role) const {
  std::set<std::string> seen;
  for (size_t index = 0; index < specs.size(); ++index) {
    if (specs[index].name.empty())
      return Error{"expected " + std::string(role) + " " + std::to_string(index) + " to have a name, but it is empty"};
    if (!seen.insert(specs[index].name).second)
      return Error{"expected the names of " + std::string(role) + "s to differ, but '" + specs[index].name +
                   "' stands twice"};
    if (Status status = tensor(specs[index], describe(role, specs[index])); !status)
      return status;
  }
  return {};
}

Status TensorVerifier::isNowhereZero(const TensorSpec &spec, const std::string &place) const {
  for (size_t dimension = 0; dimension < spec.strides.size(); ++dimension)
    if (!spec.strides[dimension].symbol && spec.strides[dimension].fixed == 0)
      return Error{"expected no stride of " + place + " to be 0, because it is written, but stride " +
                   std::to_string(dimension) + " is"};
  return {};
}

Status TensorVerifier::ties() const {
  std::set<int64_t> tied;
  for (const TensorSpec &spec : plan.arguments) {
    if (!spec.result)
      continue;
    std::string place = describe("argument", spec);
    if (!isIndexOf(*spec.result, plan.results.size()))
      return Error{"expected " + place + " to share the buffer of one of " + counted(plan.results.size(), "result") +
                   ", but it shares that of number " + std::to_string(*spec.result)};
    const TensorSpec &result = plan.results[static_cast<size_t>(*spec.result)];
    if (spec.dtype != result.dtype || spec.shape != result.shape)
      return Error{"expected " + place + " to have the dtype and shape of " + describe("result", result) +
                   ", whose buffer it shares, but they differ"};
    if (!tied.insert(*spec.result).second)
      return Error{"expected one argument to share the buffer of " + describe("result", result) + ", but " + place +
                   " is another"};
    if (Status status = isNowhereZero(spec, place); !status)
      return status;
  }
  return {};
}

Status TensorVerifier::run() const {
  if (Status status = list(plan.arguments, "argument"); !status)
    return status;
  if (Status status = list(plan.results, "result"); !status)
    return status;
  for (const TensorSpec &spec : plan.results)
    if (Status status = isNowhereZero(spec, describe("result", spec)); !status)
      return status;
  return ties();
}

} // namespace

std::string counted(size_t count, const char *noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

Status verifyTensors(const Plan &plan) { return TensorVerifier(plan).run(); }

} // namespace fastnorm
