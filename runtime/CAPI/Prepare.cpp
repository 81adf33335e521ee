//===- Prepare.cpp - A plan onto a device ---------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever could be slow or put off happens here, so that it does not happen in
// a run.
//
//===----------------------------------------------------------------------===//

#include "Compatibility.h"
#include "LoadedPlan.h"

#include "runtime/Cuda/CudaDevice.h"
#include "runtime/Emulator/EmulatorDevice.h"

namespace fastnorm::capi {

RunSlot::RunSlot(const Plan &plan)
    : run(plan), arguments(plan.arguments.size()), results(plan.results.size()),
      knownAddresses(plan.arguments.size() + plan.results.size() + 1) {}

PreparedPlan::PreparedPlan(int32_t ordinal, std::unique_ptr<Device> device, std::unique_ptr<Executor> executor)
    : number(ordinal), owned(std::move(device)), loaded(std::move(executor)) {
  slots.reserve(kSlots);
  for (size_t index = 0; index < kSlots; ++index)
    slots.push_back(std::make_unique<RunSlot>(loaded->plan()));
}

std::unique_ptr<RunSlot> PreparedPlan::takeSlot() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!slots.empty()) {
      std::unique_ptr<RunSlot> slot = std::move(slots.back());
      slots.pop_back();
      return slot;
    }
  }
  return std::make_unique<RunSlot>(loaded->plan());
}

void PreparedPlan::returnSlot(std::unique_ptr<RunSlot> slot) {
  std::lock_guard<std::mutex> lock(mutex);
  // What was made beyond the first slots is freed again: there is room for those only.
  if (slots.size() < kSlots)
    slots.push_back(std::move(slot));
}

namespace {

Result<std::unique_ptr<Device>> openDevice(const Plan &plan, int32_t ordinal) {
  if (ordinal != FASTNORM_EMULATOR)
    return createCudaDevice(ordinal);
  EmulatorOptions options;
  options.chip = plan.chip;
  return createEmulatorDevice(options);
}

/// Asks the device about every kernel, which makes a driver that loads lazily load it, and grants what its launches
/// need.
Status loadKernels(const Executor &executor) {
  for (size_t index = 0; index < executor.plan().variants.size(); ++index) {
    const std::vector<Launch> &launches = executor.plan().variants[index].launches;
    for (size_t position = 0; position < launches.size(); ++position) {
      const Launch &launch = launches[position];
      LaunchShape shape{launch.cluster, launch.threads, launch.dynamicSharedBytes, launch.cluster, launch.dependent};
      Result<KernelFacts> facts = executor.kernel(index, position).facts(shape);
      if (!facts)
        return facts.takeError();
    }
  }
  return {};
}

fastnorm_status prepare(fastnorm_plan &plan, int32_t ordinal) {
  Result<std::unique_ptr<Device>> device = openDevice(plan.plan, ordinal);
  if (!device)
    return fail(FASTNORM_ERROR_DEVICE, device.takeError());
  if (Status status = checkChip(plan.plan, (*device)->info()); !status)
    return fail(FASTNORM_ERROR_DEVICE, status.takeError());
  if (!(*device)->info().isEmulator)
    if (Status status = checkDriver(plan.plan, (*device)->info()); !status)
      return fail(FASTNORM_ERROR_DRIVER, status.takeError());
  Result<std::unique_ptr<Executor>> executor = Executor::create(plan.plan, **device);
  if (!executor)
    return fail(FASTNORM_ERROR_LOAD, executor.takeError());
  if (Status status = loadKernels(**executor); !status)
    return fail(FASTNORM_ERROR_LOAD, status.takeError());
  plan.owned = std::make_unique<PreparedPlan>(ordinal, std::move(*device), std::move(*executor));
  plan.prepared.store(plan.owned.get(), std::memory_order_release);
  return FASTNORM_OK;
}

} // namespace

} // namespace fastnorm::capi

using namespace fastnorm;
using namespace fastnorm::capi;

fastnorm_status fastnorm_plan_prepare(fastnorm_plan *plan, int32_t device) {
  return guarded([&] {
    if (!plan)
      return failNull("a plan");
    if (device < FASTNORM_EMULATOR)
      return fail(FASTNORM_ERROR_DEVICE,
                  "expected the number of a CUDA device, or FASTNORM_EMULATOR (-1), but got " + std::to_string(device));
    std::lock_guard<std::mutex> lock(plan->mutex);
    if (!plan->owned)
      return prepare(*plan, device);
    if (plan->owned->ordinal() == device)
      return FASTNORM_OK;
    return fail(FASTNORM_ERROR_DEVICE, "expected the device that plan '" + plan->plan.function +
                                           "' is prepared on, number " + std::to_string(plan->owned->ordinal()) +
                                           ", but got " + std::to_string(device) + "; load the plan once a device");
  });
}

fastnorm_status fastnorm_plan_workspace_size(const fastnorm_plan *plan, const int64_t *symbols, size_t symbol_count,
                                             size_t *byte_count) {
  return guarded([&] {
    if (!plan || !byte_count)
      return failNull(plan ? "a place for the size" : "a plan");
    if (!symbols && symbol_count != 0)
      return failNull("the values of the symbols");
    const std::vector<std::string> &names = plan->plan.symbols;
    if (symbol_count != tensorSymbolCount(plan->plan))
      return fail(FASTNORM_ERROR_ARGUMENT, "expected a value for each of " +
                                               std::to_string(tensorSymbolCount(plan->plan)) + " symbols of plan '" +
                                               plan->plan.function + "', but got " + std::to_string(symbol_count));
    for (size_t index = 0; index < symbol_count; ++index)
      if (symbols[index] < 0)
        return fail(FASTNORM_ERROR_ARGUMENT,
                    "expected " + names[index] + " not to be negative, but got " + std::to_string(symbols[index]));
    std::vector<int64_t> values(symbols, symbols + symbol_count);
    values.resize(names.size()); // sm_limit, on which no size depends
    Result<int64_t> bytes = largestWorkspaceBytes(plan->plan, values);
    if (!bytes)
      return fail(FASTNORM_ERROR_ARGUMENT, bytes.takeError());
    *byte_count = static_cast<size_t>(*bytes);
    return FASTNORM_OK;
  });
}

fastnorm_status fastnorm_plan_set_sm_limit(fastnorm_plan *plan, int32_t sm_count) {
  return guarded([&] {
    if (!plan)
      return failNull("a plan");
    if (sm_count < 0)
      return fail(FASTNORM_ERROR_ARGUMENT,
                  "expected a number of SMs, or 0 for all of the device's, but got " + std::to_string(sm_count));
    plan->smLimit.store(sm_count, std::memory_order_relaxed);
    return FASTNORM_OK;
  });
}
