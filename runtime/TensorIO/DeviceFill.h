//===- DeviceFill.h - Seeded data made where it is used ---------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that computes what fillTensor does, bit for bit, in device memory:
// tensors too large for the host, of which the host can still make any row.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_TENSORIO_DEVICEFILL_H
#define FASTNORM_RUNTIME_TENSORIO_DEVICEFILL_H

#include "runtime/Device.h"
#include "runtime/TensorIO/Fill.h"

namespace fastnorm {

class DeviceFill {
public:
  /// Loads the kernels. The device must outlive them.
  static Result<DeviceFill> create(Device &device);

  /// Whether a role's values can be made on a device in that dtype.
  static bool canFill(const FillRole &role, DType dtype);

  /// Fills a buffer as fillTensor fills a tensor of so many elements, and waits. canFill must hold.
  Status fill(DeviceAddress address, int64_t elementCount, const FillRole &role, DType dtype, uint64_t seed,
              std::string_view name) const;

private:
  Device *device = nullptr;
  std::unique_ptr<Module> module;
};

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_TENSORIO_DEVICEFILL_H
