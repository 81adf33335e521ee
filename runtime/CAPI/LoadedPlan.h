//===- LoadedPlan.h - What a plan handle stands for -------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CAPI_LOADEDPLAN_H
#define FASTNORM_RUNTIME_CAPI_LOADEDPLAN_H

#include "LastError.h"
#include "runtime/Executor/Executor.h"

#include <atomic>
#include <mutex>

namespace fastnorm::capi {

/// All that one run at a time writes to.
struct RunSlot {
  explicit RunSlot(const Plan &plan);

  BoundRun run;
  std::vector<OperandView> arguments;
  std::vector<OperandView> results;
  /// The addresses that the device knew last time, arguments first, the workspace last: those that come again are
  /// not looked up again.
  std::vector<DeviceAddress> knownAddresses;
};

/// A plan on a device.
class PreparedPlan {
public:
  PreparedPlan(int32_t ordinal, std::unique_ptr<Device> device, std::unique_ptr<Executor> executor);

  /// The number it was prepared for; FASTNORM_EMULATOR for the emulator.
  int32_t ordinal() const { return number; }
  Device &device() const { return *owned; }
  const Executor &executor() const { return *loaded; }

  /// A slot for one run, which goes back by returnSlot. Allocates only where all are taken.
  std::unique_ptr<RunSlot> takeSlot();
  void returnSlot(std::unique_ptr<RunSlot> slot);

  /// Slots that are there from the start: this many runs at once allocate nothing.
  static constexpr size_t kSlots = 8;

private:
  int32_t number;
  std::unique_ptr<Device> owned;
  std::unique_ptr<Executor> loaded;
  std::mutex mutex; ///< guards slots
  std::vector<std::unique_ptr<RunSlot>> slots;
};

/// The C type of a dtype.
fastnorm_dtype dtypeToC(DType dtype);
/// The inverse; nothing for a number that is none.
std::optional<DType> dtypeFromC(fastnorm_dtype dtype);

} // namespace fastnorm::capi

struct fastnorm_plan {
  fastnorm::Plan plan;
  std::string contentHash;
  std::atomic<int32_t> smLimit{0}; ///< of later runs; 0: all SMs of the device
  std::mutex mutex;                ///< lets one thread prepare
  std::unique_ptr<fastnorm::capi::PreparedPlan> owned;
  /// What `owned` holds, once it is complete.
  std::atomic<fastnorm::capi::PreparedPlan *> prepared{nullptr};
};

#endif // FASTNORM_RUNTIME_CAPI_LOADEDPLAN_H
