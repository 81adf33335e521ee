//===- Nvml.h - The management library, loaded at run time ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device's clocks, power and users are while something is measured on
// it. Nothing needs it: where the library is missing, a report says so.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_NVML_H
#define FASTNORM_RUNTIME_BENCH_NVML_H

#include "fastnorm/Support/Result.h"
#include "runtime/Bench/DeviceReading.h"

#include <memory>
#include <string>

namespace fastnorm {

/// As the dynamic linker finds it.
inline constexpr const char *kNvmlLibrary = "libnvidia-ml.so.1";

class Nvml {
public:
  /// Finds a device by its bus id ("0000:3b:00.0"). An error is one sentence that says what is missing.
  static Result<Nvml> open(const std::string &busId, const std::string &library = kNvmlLibrary);
  ~Nvml();
  Nvml(Nvml &&);
  Nvml &operator=(Nvml &&);

  /// What the device is like now; figures that it does not give are left out.
  DeviceReading read() const;

private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);

  std::unique_ptr<Library> library;
};

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_NVML_H
