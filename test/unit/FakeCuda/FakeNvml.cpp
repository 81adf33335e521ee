//===- FakeNvml.cpp - A stand-in for the management library ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device at full clocks that nobody else uses, unless the environment says
// otherwise: FAKE_NVML_CLOCK=MHZ, FAKE_NVML_SLOWDOWNS=BITS,
// FAKE_NVML_PROCESSES=N with ours, FAKE_NVML_FAIL=1 (nothing but its start and
// the device's handle works).
//
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <cstring>

namespace {

unsigned number(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? static_cast<unsigned>(std::atoi(text)) : otherwise;
}

constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;

int give(unsigned *value, unsigned figure) {
  if (number("FAKE_NVML_FAIL", 0))
    return kNotSupported;
  *value = figure;
  return 0;
}

struct Process {
  unsigned pid;
  unsigned long long usedBytes;
  unsigned instances[2];
};

int device;

} // namespace

extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlSystemGetDriverVersion(char *text, unsigned length) {
  std::strncpy(text, "580.159.03", length);
  return number("FAKE_NVML_FAIL", 0) ? kNotSupported : 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *busId, void **handle) {
  *handle = &device;
  return std::strcmp(busId, "0000:00:00.0") == 0 ? 0 : kNotFound;
}
int nvmlDeviceGetClockInfo(void *, int which, unsigned *megahertz) {
  return give(megahertz, which == 1 ? number("FAKE_NVML_CLOCK", 1980) : 3201);
}
int nvmlDeviceGetMaxClockInfo(void *, int which, unsigned *megahertz) {
  return give(megahertz, which == 1 ? 1980 : 3201);
}
int nvmlDeviceGetPowerUsage(void *, unsigned *milliwatts) { return give(milliwatts, 412500); }
int nvmlDeviceGetEnforcedPowerLimit(void *, unsigned *milliwatts) { return give(milliwatts, 700000); }
int nvmlDeviceGetTemperature(void *, int, unsigned *celsius) { return give(celsius, 41); }
int nvmlDeviceGetCurrentClocksThrottleReasons(void *, unsigned long long *bits) {
  *bits = number("FAKE_NVML_SLOWDOWNS", 1);
  return number("FAKE_NVML_FAIL", 0) ? kNotSupported : 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *, unsigned *count, Process *) {
  return give(count, number("FAKE_NVML_PROCESSES", 1));
}
}
