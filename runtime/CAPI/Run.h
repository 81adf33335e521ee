//===- Run.h - One run on the caller's buffers and stream -------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CAPI_RUN_H
#define FASTNORM_RUNTIME_CAPI_RUN_H

#include "LoadedPlan.h"

namespace fastnorm::capi {

/// What the caller of a run gave: as many tensors as the plan has.
struct Request {
  const fastnorm_tensor *arguments;
  const fastnorm_tensor *results;
  void *workspace;
  size_t workspaceBytes;
  void *stream;
  int32_t smLimit = 0; ///< 0: all SMs of the device
};

/// fastnorm_plan_run on a plan that is prepared.
fastnorm_status run(PreparedPlan &prepared, const Request &request);

} // namespace fastnorm::capi

#endif // FASTNORM_RUNTIME_CAPI_RUN_H
