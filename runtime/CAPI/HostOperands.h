//===- HostOperands.h - Host memory for runs on the emulator ----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CAPI_HOSTOPERANDS_H
#define FASTNORM_RUNTIME_CAPI_HOSTOPERANDS_H

#include "runtime/Executor/Executor.h"

namespace fastnorm::capi {

/// Copies of the caller's tensors, which lie in host memory, in memory of the emulator: the same strides, and as far
/// past an aligned address, so that the same variant runs.
class HostOperands {
public:
  /// Copies every argument; results that are not tied are left as they are, unwritten.
  static Result<HostOperands> upload(const Plan &plan, Device &device, const OperandViews &host);

  /// The same tensors with addresses of the emulator.
  OperandViews views() const { return {arguments.data(), results.data()}; }
  /// Copies the elements of the results back.
  Status downloadResults(const OperandViews &host) const;

private:
  Result<OperandView> add(const OperandView &host, const std::string &label, bool isRead);

  Device *device = nullptr;
  std::vector<std::unique_ptr<DeviceBuffer>> buffers;
  std::vector<OperandView> arguments;
  std::vector<OperandView> results;
};

} // namespace fastnorm::capi

#endif // FASTNORM_RUNTIME_CAPI_HOSTOPERANDS_H
