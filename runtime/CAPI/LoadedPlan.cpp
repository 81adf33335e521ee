//===- LoadedPlan.cpp - Plans loaded, described, freed --------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedPlan.h"

#include "fastnorm/Plan/PlanJson.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace fastnorm::capi {

namespace {

constexpr std::pair<DType, fastnorm_dtype> kDTypes[] = {
    {DType::F32, FASTNORM_F32},           {DType::BF16, FASTNORM_BF16}, {DType::F16, FASTNORM_F16},
    {DType::F8E4M3FN, FASTNORM_F8E4M3FN}, {DType::I8, FASTNORM_I8},     {DType::I32, FASTNORM_I32},
    {DType::I64, FASTNORM_I64},
};

fastnorm_status load(std::string_view text, const std::string &context, fastnorm_plan **plan) {
  Result<Plan> read = readPlanJson(text);
  if (!read)
    return fail(FASTNORM_ERROR_PLAN, inContext(context, read.takeError()));
  auto loaded = std::make_unique<fastnorm_plan>();
  loaded->plan = std::move(*read);
  loaded->contentHash = contentHash(loaded->plan);
  *plan = loaded.release();
  return FASTNORM_OK;
}

int64_t fixedOrUnknown(const Extent &extent) { return extent.symbol ? -1 : extent.fixed; }
int32_t symbolOrNone(const Extent &extent) { return extent.symbol ? static_cast<int32_t>(*extent.symbol) : -1; }

/// The strides of a dense tensor where the inner extents are fixed, -1 elsewhere.
void describeDenseStrides(const TensorSpec &spec, fastnorm_tensor_info &info) {
  int64_t stride = 1;
  for (size_t dimension = spec.shape.size(); dimension-- > 0;) {
    info.strides[dimension] = stride;
    bool isKnown = stride >= 0 && !spec.shape[dimension].symbol;
    if (!isKnown || __builtin_mul_overflow(stride, spec.shape[dimension].fixed, &stride))
      stride = -1;
  }
}

fastnorm_status describe(const std::vector<TensorSpec> &specs, const char *role, size_t index,
                         fastnorm_tensor_info *info) {
  if (!info)
    return failNull("a struct for the description");
  if (info->struct_size != sizeof(*info))
    return fail(FASTNORM_ERROR_ARGUMENT, "expected struct_size to be " + std::to_string(sizeof(*info)) + ", but got " +
                                             std::to_string(info->struct_size) +
                                             "; the header and the library are of different versions");
  if (index >= specs.size())
    return fail(FASTNORM_ERROR_ARGUMENT, "expected the number of an " + std::string(role) + " below " +
                                             std::to_string(specs.size()) + ", but got " + std::to_string(index));
  const TensorSpec &spec = specs[index];
  fastnorm_tensor_info described = {};
  described.struct_size = sizeof(described);
  described.name = spec.name.c_str();
  described.dtype = dtypeToC(spec.dtype);
  described.rank = static_cast<int32_t>(spec.shape.size());
  described.is_dense = spec.strides.empty();
  described.alignment = spec.alignment;
  described.tied_result = spec.result ? static_cast<int32_t>(*spec.result) : -1;
  if (spec.strides.empty())
    describeDenseStrides(spec, described);
  for (size_t dimension = 0; dimension < FASTNORM_MAX_RANK; ++dimension) {
    bool isThere = dimension < spec.shape.size();
    bool hasStride = dimension < spec.strides.size();
    described.shape[dimension] = isThere ? fixedOrUnknown(spec.shape[dimension]) : 0;
    described.shape_symbols[dimension] = isThere ? symbolOrNone(spec.shape[dimension]) : -1;
    described.stride_symbols[dimension] = hasStride ? symbolOrNone(spec.strides[dimension]) : -1;
    if (hasStride)
      described.strides[dimension] = fixedOrUnknown(spec.strides[dimension]);
  }
  *info = described;
  return FASTNORM_OK;
}

} // namespace

fastnorm_dtype dtypeToC(DType dtype) {
  for (const auto &[ours, theirs] : kDTypes)
    if (ours == dtype)
      return theirs;
  return FASTNORM_F32; // not reached: the table has every dtype
}

std::optional<DType> dtypeFromC(fastnorm_dtype dtype) {
  for (const auto &[ours, theirs] : kDTypes)
    if (theirs == dtype)
      return ours;
  return std::nullopt;
}

} // namespace fastnorm::capi

using namespace fastnorm;
using namespace fastnorm::capi;

fastnorm_status fastnorm_plan_load_file(const char *path, fastnorm_plan **plan) {
  return guarded([&] {
    if (!path || !plan)
      return failNull(path ? "a place for the plan" : "the path of a plan");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text, chunk(size_t(1) << 16, '\0');
    while (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), file.gcount() > 0)
      text.append(chunk, 0, static_cast<size_t>(file.gcount()));
    if (!file.is_open() || file.bad())
      return fail(FASTNORM_ERROR_FILE, "expected a file to read, but '" + std::string(path) +
                                           "' can't be read: " + (errno ? std::strerror(errno) : "reading failed"));
    return load(text, "'" + std::string(path) + "'", plan);
  });
}

fastnorm_status fastnorm_plan_load_memory(const void *text, size_t byte_count, fastnorm_plan **plan) {
  return guarded([&] {
    if (!text || !plan)
      return failNull(text ? "a place for the plan" : "the text of a plan");
    return load(std::string_view(static_cast<const char *>(text), byte_count), "the text", plan);
  });
}

void fastnorm_plan_destroy(fastnorm_plan *plan) { delete plan; }

fastnorm_status fastnorm_plan_describe(const fastnorm_plan *plan, fastnorm_plan_info *info) {
  return guarded([&] {
    if (!plan || !info)
      return failNull(plan ? "a struct for the description" : "a plan");
    if (info->struct_size != sizeof(*info))
      return fail(FASTNORM_ERROR_ARGUMENT, "expected struct_size to be " + std::to_string(sizeof(*info)) +
                                               ", but got " + std::to_string(info->struct_size) +
                                               "; the header and the library are of different versions");
    *info = {sizeof(*info),
             plan->plan.function.c_str(),
             plan->plan.producer.c_str(),
             plan->plan.target.c_str(),
             plan->plan.chip.c_str(),
             plan->contentHash.c_str(),
             tensorSymbolCount(plan->plan),
             plan->plan.arguments.size(),
             plan->plan.results.size()};
    return FASTNORM_OK;
  });
}

fastnorm_status fastnorm_plan_symbol(const fastnorm_plan *plan, size_t index, const char **name) {
  return guarded([&] {
    if (!plan || !name)
      return failNull(plan ? "a place for the name" : "a plan");
    if (index >= tensorSymbolCount(plan->plan))
      return fail(FASTNORM_ERROR_ARGUMENT, "expected the number of a symbol below " +
                                               std::to_string(tensorSymbolCount(plan->plan)) + ", but got " +
                                               std::to_string(index));
    *name = plan->plan.symbols[index].c_str();
    return FASTNORM_OK;
  });
}

fastnorm_status fastnorm_plan_argument(const fastnorm_plan *plan, size_t index, fastnorm_tensor_info *info) {
  return guarded([&] { return plan ? describe(plan->plan.arguments, "argument", index, info) : failNull("a plan"); });
}

fastnorm_status fastnorm_plan_result(const fastnorm_plan *plan, size_t index, fastnorm_tensor_info *info) {
  return guarded([&] { return plan ? describe(plan->plan.results, "result", index, info) : failNull("a plan"); });
}
