//===- Run.cpp - One run on the caller's buffers and stream ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The path that programs take thousands of times a second: it allocates nothing
// unless something is wrong. On the emulator, where time does not matter, the
// tensors are copied in and out.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "HostOperands.h"

#include "runtime/Executor/OperandLayout.h"

#include <algorithm>

namespace fastnorm::capi {

namespace {

/// A slot for the time of a run.
class SlotLease {
public:
  explicit SlotLease(PreparedPlan &prepared) : prepared(prepared), slot(prepared.takeSlot()) {}
  SlotLease(const SlotLease &) = delete;
  SlotLease &operator=(const SlotLease &) = delete;
  ~SlotLease() { prepared.returnSlot(std::move(slot)); }

  RunSlot &operator*() { return *slot; }

private:
  PreparedPlan &prepared;
  std::unique_ptr<RunSlot> slot;
};

/// Whether the tensors can be looked at, and what they are.
fastnorm_status readTensors(const std::vector<TensorSpec> &specs, OperandRole role, const fastnorm_tensor *tensors,
                            std::vector<OperandView> &views) {
  for (size_t index = 0; index < specs.size(); ++index) {
    const fastnorm_tensor &tensor = tensors[index];
    std::optional<DType> dtype = dtypeFromC(tensor.dtype);
    if (!dtype)
      return fail(FASTNORM_ERROR_TENSOR, "expected a dtype for " + describe(role, specs[index].name) +
                                             ", but got the number " + std::to_string(int(tensor.dtype)));
    if (tensor.rank < 1 || tensor.rank > FASTNORM_MAX_RANK)
      return fail(FASTNORM_ERROR_TENSOR, "expected " + describe(role, specs[index].name) + " to have " +
                                             std::to_string(specs[index].shape.size()) + " dimensions, but got " +
                                             std::to_string(tensor.rank));
    if (!tensor.shape)
      return fail(FASTNORM_ERROR_TENSOR,
                  "expected a shape for " + describe(role, specs[index].name) + ", but got null");
    views[index] = OperandView{reinterpret_cast<DeviceAddress>(tensor.data), *dtype, static_cast<size_t>(tensor.rank),
                               tensor.shape, tensor.strides};
  }
  return FASTNORM_OK;
}

/// Asks the device about addresses that were others last time.
fastnorm_status checkAddresses(Device &device, OperandRole role, const std::vector<TensorSpec> &specs,
                               const std::vector<OperandView> &views, DeviceAddress *known) {
  for (size_t index = 0; index < views.size(); ++index) {
    if (known[index] == views[index].address || isEmpty(views[index]))
      continue;
    if (Status status = device.checkAddress(views[index].address); !status)
      return fail(FASTNORM_ERROR_MEMORY, inContext(describe(role, specs[index].name), status.takeError()));
    known[index] = views[index].address;
  }
  return FASTNORM_OK;
}

/// Whether the workspace is there, large enough, and nobody else's.
fastnorm_status checkWorkspace(const RunSlot &slot, const Request &request) {
  Result<int64_t> needed = totalWorkspaceBytes(slot.run.variant(), slot.run.symbolValues());
  if (!needed)
    return fail(FASTNORM_ERROR_TENSOR, needed.takeError());
  if (*needed == 0)
    return FASTNORM_OK;
  if (static_cast<uint64_t>(*needed) > request.workspaceBytes)
    return fail(FASTNORM_ERROR_WORKSPACE, "expected a workspace of " + std::to_string(*needed) + " bytes, but got " +
                                              std::to_string(request.workspaceBytes));
  DeviceAddress address = reinterpret_cast<DeviceAddress>(request.workspace);
  uint64_t past = address % FASTNORM_WORKSPACE_ALIGNMENT;
  if (address == 0 || past != 0)
    return fail(FASTNORM_ERROR_WORKSPACE,
                "expected the address of the workspace to be a multiple of " +
                    std::to_string(FASTNORM_WORKSPACE_ALIGNMENT) + " bytes, but it is " +
                    (address == 0 ? std::string("null") : std::to_string(past) + " past one"));
  OperandView workspace{address, DType::I8, 1, &*needed, nullptr};
  for (const std::vector<OperandView> *views : {&slot.arguments, &slot.results})
    for (const OperandView &view : *views)
      if (mayOverlap(workspace, view))
        return fail(FASTNORM_ERROR_WORKSPACE,
                    std::string("expected the workspace not to overlap an argument or a result, but it does"));
  return FASTNORM_OK;
}

/// Asks the device about the workspace, where the run has one that was another last time.
fastnorm_status checkWorkspaceAddress(Device &device, const RunSlot &slot, const Request &request,
                                      DeviceAddress &known) {
  DeviceAddress address = reinterpret_cast<DeviceAddress>(request.workspace);
  if (slot.run.variant().workspaces.empty() || known == address)
    return FASTNORM_OK;
  if (Status status = device.checkAddress(address); !status)
    return fail(FASTNORM_ERROR_MEMORY, inContext("workspace", status.takeError()));
  known = address;
  return FASTNORM_OK;
}

fastnorm_status launchAll(const PreparedPlan &prepared, RunSlot &slot, const OperandViews &operands, void *stream) {
  if (Status status = prepared.executor().bind(operands, slot.run); !status)
    return fail(FASTNORM_ERROR_TENSOR, status.takeError());
  for (size_t index = 0; index < slot.run.launchCount(); ++index) {
    const BoundLaunch &bound = slot.run.launches()[index];
    if (bound.shape.grid == 0)
      continue;
    if (Status status = prepared.device().launch(stream, *bound.kernel, bound.shape, bound.arguments); !status)
      return fail(FASTNORM_ERROR_LAUNCH, status.takeError());
  }
  return FASTNORM_OK;
}

fastnorm_status runOnEmulator(const PreparedPlan &prepared, RunSlot &slot, const OperandViews &host) {
  Device &device = prepared.device();
  Result<int64_t> bytes = totalWorkspaceBytes(slot.run.variant(), slot.run.symbolValues());
  if (!bytes)
    return fail(FASTNORM_ERROR_TENSOR, bytes.takeError());
  Result<std::unique_ptr<DeviceBuffer>> workspace = device.allocate(static_cast<size_t>(*bytes), "workspace");
  if (!workspace)
    return fail(FASTNORM_ERROR_OUT_OF_MEMORY, workspace.takeError());
  if (Status status = slot.run.placeWorkspaces((*workspace)->address()); !status)
    return fail(FASTNORM_ERROR_TENSOR, status.takeError());
  Result<HostOperands> copies = HostOperands::upload(prepared.executor().plan(), device, host);
  if (!copies)
    return fail(FASTNORM_ERROR_OUT_OF_MEMORY, copies.takeError());
  if (fastnorm_status status = launchAll(prepared, slot, copies->views(), nullptr); status != FASTNORM_OK)
    return status;
  if (Status status = copies->downloadResults(host); !status)
    return fail(FASTNORM_ERROR_LAUNCH, status.takeError());
  return FASTNORM_OK;
}

} // namespace

fastnorm_status run(PreparedPlan &prepared, const Request &request) {
  const Plan &plan = prepared.executor().plan();
  SlotLease lease(prepared);
  RunSlot &slot = *lease;
  fastnorm_status status = readTensors(plan.arguments, OperandRole::Argument, request.arguments, slot.arguments);
  if (status == FASTNORM_OK)
    status = readTensors(plan.results, OperandRole::Result, request.results, slot.results);
  if (status != FASTNORM_OK)
    return status;
  OperandViews operands{slot.arguments.data(), slot.results.data()};
  slot.run.solver().reset();
  int64_t sms = prepared.device().info().multiprocessors;
  slot.run.solver().limitSms(request.smLimit ? std::min<int64_t>(request.smLimit, sms) : sms);
  if (Status chosen = slot.run.choose(operands); !chosen)
    return fail(FASTNORM_ERROR_TENSOR, chosen.takeError());
  Device &device = prepared.device();
  if (Status known = device.checkStream(request.stream); !known)
    return fail(FASTNORM_ERROR_STREAM, known.takeError());
  status = checkWorkspace(slot, request);
  if (status != FASTNORM_OK)
    return status;
  if (device.info().isEmulator)
    return runOnEmulator(prepared, slot, operands);
  status = checkAddresses(device, OperandRole::Argument, plan.arguments, slot.arguments, slot.knownAddresses.data());
  if (status == FASTNORM_OK)
    status = checkAddresses(device, OperandRole::Result, plan.results, slot.results,
                            slot.knownAddresses.data() + plan.arguments.size());
  if (status == FASTNORM_OK)
    status = checkWorkspaceAddress(device, slot, request, slot.knownAddresses.back());
  if (status != FASTNORM_OK)
    return status;
  if (Status placed = slot.run.placeWorkspaces(reinterpret_cast<DeviceAddress>(request.workspace)); !placed)
    return fail(FASTNORM_ERROR_TENSOR, placed.takeError());
  return launchAll(prepared, slot, operands, request.stream);
}

namespace {

fastnorm_status checkCount(const std::vector<TensorSpec> &specs, const char *role, const fastnorm_tensor *tensors,
                           size_t count) {
  if (count == specs.size())
    return tensors || count == 0 ? FASTNORM_OK : failNull(("the " + std::string(role) + "s").c_str());
  std::string names;
  for (const TensorSpec &spec : specs)
    names += (names.empty() ? "" : ", ") + spec.name;
  return fail(FASTNORM_ERROR_ARGUMENT, "expected " + std::to_string(specs.size()) + " " + role + "s (" + names +
                                           "), but got " + std::to_string(count));
}

} // namespace

} // namespace fastnorm::capi

using namespace fastnorm;
using namespace fastnorm::capi;

fastnorm_status fastnorm_plan_run(const fastnorm_plan *plan, const fastnorm_tensor *arguments, size_t argument_count,
                                  const fastnorm_tensor *results, size_t result_count, void *workspace,
                                  size_t workspace_byte_count, void *stream) {
  return guarded([&] {
    if (!plan)
      return failNull("a plan");
    PreparedPlan *prepared = plan->prepared.load(std::memory_order_acquire);
    if (!prepared)
      return fail(FASTNORM_ERROR_NOT_PREPARED, "expected plan '" + plan->plan.function +
                                                   "' to be prepared on a device before it runs; call "
                                                   "fastnorm_plan_prepare");
    fastnorm_status status = checkCount(plan->plan.arguments, "argument", arguments, argument_count);
    if (status == FASTNORM_OK)
      status = checkCount(plan->plan.results, "result", results, result_count);
    if (status != FASTNORM_OK)
      return status;
    return run(*prepared, {arguments, results, workspace, workspace_byte_count, stream,
                           plan->smLimit.load(std::memory_order_relaxed)});
  });
}
