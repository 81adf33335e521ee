//===- LaunchConfig.h - A launch shape as the driver takes it ---*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CUDA_LAUNCHCONFIG_H
#define FASTNORM_RUNTIME_CUDA_LAUNCHCONFIG_H

#include "runtime/Cuda/Driver.h"
#include "runtime/Device.h"

#include <array>

namespace fastnorm::cuda {

/// What cuLaunchKernelEx and cuOccupancyMaxActiveClusters are given. Points into itself.
class LaunchConfig {
public:
  LaunchConfig(const LaunchShape &shape, CUstream stream);
  LaunchConfig(const LaunchConfig &) = delete;
  LaunchConfig &operator=(const LaunchConfig &) = delete;

  const CUlaunchConfig *get() const { return &config; }

private:
  void add(CUlaunchAttribute::Id id, std::array<unsigned, 3> values);

  std::array<CUlaunchAttribute, 2> attributes = {};
  CUlaunchConfig config;
};

/// "kernel @norm, grid 132, cta 256".
std::string describeLaunch(const std::string &kernel, const LaunchShape &shape);

} // namespace fastnorm::cuda

#endif // FASTNORM_RUNTIME_CUDA_LAUNCHCONFIG_H
