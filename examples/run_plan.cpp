//===- run_plan.cpp - Run a compiled plan from C++ ------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: run_plan PLAN.json [ROWS]
//
// Runs a plan of f32 or bf16 tensors on the emulator, every element of every
// argument one, and prints what came out. On a GPU three things differ: the
// number of the device in prepare, pointers to device memory, and the stream.
//
//   fastnorm-run examples/rms_norm.mlir --target=h200 --emit=plan -o norm.json
//   run_plan norm.json 4
//
//===----------------------------------------------------------------------===//

#include "fastnorm-c/fastnorm.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(fastnorm_status status) {
  if (status != FASTNORM_OK)
    throw std::runtime_error(fastnorm_last_error());
}

struct PlanDeleter {
  void operator()(fastnorm_plan *plan) const { fastnorm_plan_destroy(plan); }
};
using PlanHandle = std::unique_ptr<fastnorm_plan, PlanDeleter>;

PlanHandle load(const char *path) {
  fastnorm_plan *plan = nullptr;
  check(fastnorm_plan_load_file(path, &plan));
  return PlanHandle(plan);
}

/// A dense tensor in host memory.
struct Tensor {
  Tensor(const fastnorm_tensor_info &info, const std::vector<int64_t> &symbols) : name(info.name), dtype(info.dtype) {
    for (int dimension = 0; dimension < info.rank; ++dimension) {
      int32_t symbol = info.shape_symbols[dimension];
      shape.push_back(symbol >= 0 ? symbols[static_cast<size_t>(symbol)] : info.shape[dimension]);
      count *= static_cast<size_t>(shape.back());
    }
    if (dtype != FASTNORM_F32 && dtype != FASTNORM_BF16)
      throw std::runtime_error(name + ": this example has f32 and bf16 only");
    // The bytes of 1.0: 3f80 as bf16, 3f800000 as f32.
    elements.assign(count * (dtype == FASTNORM_F32 ? 2 : 1), 0x3f80);
    for (size_t half = 0; dtype == FASTNORM_F32 && half < elements.size(); half += 2)
      elements[half] = 0;
  }

  float at(size_t index) const {
    uint32_t bits = static_cast<uint32_t>(elements[dtype == FASTNORM_F32 ? 2 * index + 1 : index]) << 16;
    if (dtype == FASTNORM_F32)
      bits |= elements[2 * index];
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }

  fastnorm_tensor view() { return {elements.data(), dtype, static_cast<int32_t>(shape.size()), shape.data(), nullptr}; }

  std::string name;
  fastnorm_dtype dtype;
  std::vector<int64_t> shape;
  size_t count = 1;
  std::vector<uint16_t> elements;
};

void run(const char *path, int64_t rows) {
  PlanHandle plan = load(path);
  fastnorm_plan_info info = {};
  info.struct_size = sizeof(info);
  check(fastnorm_plan_describe(plan.get(), &info));
  std::printf("%s, compiled for %s\n", info.function, info.target);

  std::vector<int64_t> symbols(info.symbol_count, rows);
  std::vector<Tensor> arguments, results;
  fastnorm_tensor_info tensor = {};
  tensor.struct_size = sizeof(tensor);
  for (size_t index = 0; index < info.argument_count; ++index) {
    check(fastnorm_plan_argument(plan.get(), index, &tensor));
    arguments.emplace_back(tensor, symbols);
  }
  for (size_t index = 0; index < info.result_count; ++index) {
    check(fastnorm_plan_result(plan.get(), index, &tensor));
    results.emplace_back(tensor, symbols);
  }
  std::vector<fastnorm_tensor> argumentViews, resultViews;
  for (Tensor &argument : arguments)
    argumentViews.push_back(argument.view());
  for (Tensor &result : results)
    resultViews.push_back(result.view());

  check(fastnorm_plan_prepare(plan.get(), FASTNORM_EMULATOR));
  size_t bytes = 0;
  check(fastnorm_plan_workspace_size(plan.get(), symbols.data(), symbols.size(), &bytes));
  bytes = (bytes + FASTNORM_WORKSPACE_ALIGNMENT - 1) / FASTNORM_WORKSPACE_ALIGNMENT * FASTNORM_WORKSPACE_ALIGNMENT;
  std::unique_ptr<void, decltype(&std::free)> workspace(std::aligned_alloc(FASTNORM_WORKSPACE_ALIGNMENT, bytes),
                                                        &std::free);
  check(fastnorm_plan_run(plan.get(), argumentViews.data(), argumentViews.size(), resultViews.data(),
                          resultViews.size(), workspace.get(), bytes, /*stream=*/nullptr));

  for (const Tensor &result : results) {
    double squares = 0.0;
    for (size_t index = 0; index < result.count; ++index)
      squares += static_cast<double>(result.at(index)) * static_cast<double>(result.at(index));
    std::printf("%s: %zu elements, root mean square %.2f\n", result.name.c_str(), result.count,
                result.count == 0 ? 0.0 : std::sqrt(squares / static_cast<double>(result.count)));
  }
}

} // namespace

int main(int count, char **arguments) {
  if (count != 2 && count != 3) {
    std::fprintf(stderr, "usage: run_plan PLAN.json [ROWS]\n");
    return 2;
  }
  try {
    run(arguments[1], count == 3 ? std::atoll(arguments[2]) : 4);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "run_plan: error: %s\n", error.what());
    return 1;
  }
  return 0;
}
