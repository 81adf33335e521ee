//===- Compatibility.cpp - Whether a plan can run on a device -------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compatibility.h"

#include <cstdlib>
#include <string_view>

namespace fastnorm::capi {

namespace {

/// "12.8" and PTX's "8.7": a major and a minor number.
struct Version {
  int major = 0;
  int minor = 0;

  bool operator<(const Version &other) const {
    return major != other.major ? major < other.major : minor < other.minor;
  }
  std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

Version parseVersion(const std::string &text) {
  Version version;
  size_t dot = text.find('.');
  version.major = std::atoi(text.c_str());
  version.minor = dot == std::string::npos ? 0 : std::atoi(text.c_str() + dot + 1);
  return version;
}

/// The version in the PTX text's ".version" directive; 0.0 where it has none, which the device will complain about.
Version ptxVersion(const std::string &ptx) {
  constexpr std::string_view kDirective = ".version";
  size_t found = ptx.find(kDirective);
  return found == std::string::npos ? Version() : parseVersion(ptx.substr(found + kDirective.size(), 16));
}

/// The first CUDA release whose driver reads that PTX version (PTX ISA, "Release Notes").
Version firstDriver(Version ptx) {
  if (ptx.major == 7)
    return {11, ptx.minor};
  if (ptx.major == 8 && ptx.minor <= 5)
    return {12, ptx.minor};
  if (ptx.major == 8) // 8.6 came with 12.7
    return {12, ptx.minor + 1};
  return {ptx.major + 4, ptx.minor};
}

/// 90 of "sm_90" and "sm_90a".
int chipNumber(const std::string &chip) { return chip.rfind("sm_", 0) == 0 ? std::atoi(chip.c_str() + 3) : 0; }

bool isOfOneChip(const std::string &chip) { return !chip.empty() && chip.back() >= 'a' && chip.back() <= 'z'; }

} // namespace

Status checkChip(const Plan &plan, const DeviceInfo &device) {
  int wanted = chipNumber(plan.chip), has = chipNumber(device.chip);
  if (isOfOneChip(plan.chip) ? has == wanted : has >= wanted)
    return {};
  return Error{"expected a device of chip " + plan.chip + (isOfOneChip(plan.chip) ? "" : " or newer") +
               ", which plan '" + plan.function + "' was compiled for, but " + device.name + " is " + device.chip +
               "; compile the graph for it"};
}

Status checkDriver(const Plan &plan, const DeviceInfo &device) {
  Version newest;
  for (const Variant &variant : plan.variants)
    if (newest < ptxVersion(variant.ptx))
      newest = ptxVersion(variant.ptx);
  if (!(parseVersion(device.driver) < firstDriver(newest)))
    return {};
  return Error{"expected a driver of CUDA " + firstDriver(newest).text() + " or newer, which reads the PTX " +
               newest.text() + " of plan '" + plan.function + "', but this one is of CUDA " + device.driver +
               "; update the NVIDIA driver"};
}

} // namespace fastnorm::capi
