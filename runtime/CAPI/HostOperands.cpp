//===- HostOperands.cpp - Host memory for runs on the emulator ------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostOperands.h"

#include "runtime/Executor/OperandLayout.h"
#include "runtime/Executor/StridedTensor.h"

namespace fastnorm::capi {

namespace {

/// Addresses keep their place within this many bytes; no plan asks for more alignment.
constexpr uint64_t kAlignment = 256;

std::byte *hostMemory(const OperandView &host) { return reinterpret_cast<std::byte *>(host.address); }

StridedTensor layoutOf(const OperandView &view) {
  StridedTensor layout{view.dtype, std::vector<int64_t>(view.shape, view.shape + view.rank), {}};
  for (size_t dimension = 0; dimension < view.rank; ++dimension)
    layout.strides.push_back(view.stride(dimension));
  return layout;
}

} // namespace

Result<OperandView> HostOperands::add(const OperandView &host, const std::string &label, bool isRead) {
  size_t byteCount = static_cast<size_t>(*spanBytes(host));
  uint64_t past = host.address % kAlignment;
  Result<std::unique_ptr<DeviceBuffer>> buffer = device->allocate(byteCount + past, label);
  if (!buffer)
    return buffer.takeError();
  OperandView copy = host;
  copy.address = (*buffer)->address() + past;
  buffers.push_back(std::move(*buffer));
  if (!isRead || byteCount == 0)
    return copy;
  if (!host.strides) {
    if (Status status = device->upload(copy.address, hostMemory(host), byteCount); !status)
      return status.takeError();
    return copy;
  }
  // Only elements are the caller's to read; between them may lie anything.
  std::vector<std::byte> span(byteCount);
  Result<HostTensor> elements = layoutOf(host).gather(hostMemory(host));
  if (!elements)
    return elements.takeError();
  layoutOf(host).scatter(*elements, span.data());
  if (Status status = device->upload(copy.address, span.data(), byteCount); !status)
    return status.takeError();
  return copy;
}

Result<HostOperands> HostOperands::upload(const Plan &plan, Device &device, const OperandViews &host) {
  HostOperands copies;
  copies.device = &device;
  copies.results.resize(plan.results.size());
  std::vector<bool> isTied(plan.results.size());
  for (size_t index = 0; index < plan.arguments.size(); ++index) {
    const TensorSpec &spec = plan.arguments[index];
    Result<OperandView> copy = copies.add(host.arguments[index], "argument '" + spec.name + "'", /*isRead=*/true);
    if (!copy)
      return copy.takeError();
    copies.arguments.push_back(*copy);
    if (!spec.result)
      continue;
    size_t result = static_cast<size_t>(*spec.result);
    isTied[result] = true;
    copies.results[result] = host.results[result];
    copies.results[result].address = copy->address;
  }
  for (size_t index = 0; index < plan.results.size(); ++index) {
    if (isTied[index])
      continue;
    Result<OperandView> copy =
        copies.add(host.results[index], "result '" + plan.results[index].name + "'", /*isRead=*/false);
    if (!copy)
      return copy.takeError();
    copies.results[index] = *copy;
  }
  return copies;
}

Status HostOperands::downloadResults(const OperandViews &host) const {
  for (size_t index = 0; index < results.size(); ++index) {
    std::vector<std::byte> span(static_cast<size_t>(*spanBytes(results[index])));
    if (Status status = device->download(span.data(), results[index].address, span.size()); !status)
      return status;
    StridedTensor layout = layoutOf(host.results[index]);
    Result<HostTensor> elements = layout.gather(span.data());
    if (!elements)
      return elements.takeError();
    layout.scatter(*elements, hostMemory(host.results[index]));
  }
  return {};
}

} // namespace fastnorm::capi
