//===- OpenDevice.cpp - The device that is run on -------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenDevice.h"

#include "fastnorm/Target/KnownTargets.h"
#include "runtime/Cuda/CudaDevice.h"
#include "runtime/Emulator/EmulatorDevice.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

using namespace fastnorm;

Result<std::unique_ptr<Device>> tool::openDevice(const Options &options, llvm::StringRef chip) {
  if (options.device != DeviceKind::Emulator) {
    Result<std::unique_ptr<Device>> cuda = createCudaDevice(static_cast<int>(options.cudaOrdinal));
    if (cuda || options.device == DeviceKind::Cuda)
      return cuda;
  }
  EmulatorOptions emulator;
  emulator.seed = options.emulatorSeed;
  emulator.chip = chip.str();
  return createEmulatorDevice(emulator);
}

Result<std::string> tool::targetOf(const DeviceInfo &device, mlir::MLIRContext &context) {
  if (device.isEmulator)
    return std::string("h200");
  // "NVIDIA A100-SXM4-80GB" holds a100, "NVIDIA GeForce RTX 5090" holds rtx5090.
  std::string name = llvm::StringRef(device.name).lower();
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(name, words, " -");
  for (size_t index = 0; index < words.size(); ++index)
    for (std::string candidate : {words[index].str(), index ? (words[index - 1] + words[index]).str() : std::string()})
      if (Result<TargetAttr> target = findTarget(&context, candidate); target && target->getChip() == device.chip)
        return candidate;
  if (llvm::StringRef card = cardOfChip(device.chip); !card.empty())
    return card.str();
  return Error{"expected a device of a known chip, but " + device.name + " is " + device.chip +
               "; pass --target with the target to compile for"};
}
