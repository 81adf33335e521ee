//===- LaunchConfig.cpp - A launch shape as the driver takes it -----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/LaunchConfig.h"

#include <algorithm>

namespace fastnorm::cuda {

LaunchConfig::LaunchConfig(const LaunchShape &shape, CUstream stream) {
  config.grid[0] = static_cast<unsigned>(shape.grid);
  config.threads[0] = static_cast<unsigned>(shape.threads);
  config.sharedBytes = static_cast<unsigned>(shape.dynamicSharedBytes);
  config.stream = stream;
  config.attributes = attributes.data();
  if (shape.cluster > 1)
    add(CUlaunchAttribute::Id::ClusterDimension, {static_cast<unsigned>(shape.cluster), 1, 1});
  if (shape.dependent)
    add(CUlaunchAttribute::Id::ProgrammaticStreamSerialization, {1, 0, 0});
}

void LaunchConfig::add(CUlaunchAttribute::Id id, std::array<unsigned, 3> values) {
  CUlaunchAttribute &attribute = attributes[config.attributeCount++];
  attribute.id = id;
  std::copy(values.begin(), values.end(), attribute.value);
}

std::string describeLaunch(const std::string &kernel, const LaunchShape &shape) {
  std::string text =
      "kernel @" + kernel + ", grid " + std::to_string(shape.grid) + ", cta " + std::to_string(shape.threads);
  if (shape.cluster > 1)
    text += ", cluster " + std::to_string(shape.cluster);
  if (shape.dynamicSharedBytes != 0)
    text += ", " + std::to_string(shape.dynamicSharedBytes) + " bytes of dynamic shared memory";
  return text;
}

} // namespace fastnorm::cuda
