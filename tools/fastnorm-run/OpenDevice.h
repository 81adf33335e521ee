//===- OpenDevice.h - The device that is run on -----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_OPENDEVICE_H
#define FASTNORM_TOOLS_RUN_OPENDEVICE_H

#include "Options.h"

#include "runtime/Device.h"

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace fastnorm::tool {

/// As --device says. The emulator stands for a device of the chip.
Result<std::unique_ptr<Device>> openDevice(const Options &options, llvm::StringRef chip);

/// The known target that a device's name holds ("NVIDIA H200" is h200), else the card that stands for its chip; h200
/// for the emulator.
Result<std::string> targetOf(const DeviceInfo &device, mlir::MLIRContext &context);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_OPENDEVICE_H
