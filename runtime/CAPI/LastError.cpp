//===- LastError.cpp - What the last failed call has to say ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LastError.h"

namespace fastnorm::capi {

namespace {

thread_local std::string lastError;

} // namespace

fastnorm_status fail(fastnorm_status status, std::string message) noexcept {
  lastError = std::move(message);
  return status;
}

fastnorm_status failNull(const char *what) noexcept {
  return fail(FASTNORM_ERROR_ARGUMENT, "expected " + std::string(what) + ", but got null");
}

} // namespace fastnorm::capi

using namespace fastnorm::capi;

const char *fastnorm_last_error(void) { return lastError.c_str(); }

const char *fastnorm_version(void) { return FASTNORM_VERSION; }

const char *fastnorm_status_name(fastnorm_status status) {
  switch (status) {
  case FASTNORM_OK: return "FASTNORM_OK";
  case FASTNORM_ERROR_ARGUMENT: return "FASTNORM_ERROR_ARGUMENT";
  case FASTNORM_ERROR_FILE: return "FASTNORM_ERROR_FILE";
  case FASTNORM_ERROR_PLAN: return "FASTNORM_ERROR_PLAN";
  case FASTNORM_ERROR_DEVICE: return "FASTNORM_ERROR_DEVICE";
  case FASTNORM_ERROR_DRIVER: return "FASTNORM_ERROR_DRIVER";
  case FASTNORM_ERROR_LOAD: return "FASTNORM_ERROR_LOAD";
  case FASTNORM_ERROR_NOT_PREPARED: return "FASTNORM_ERROR_NOT_PREPARED";
  case FASTNORM_ERROR_TENSOR: return "FASTNORM_ERROR_TENSOR";
  case FASTNORM_ERROR_MEMORY: return "FASTNORM_ERROR_MEMORY";
  case FASTNORM_ERROR_WORKSPACE: return "FASTNORM_ERROR_WORKSPACE";
  case FASTNORM_ERROR_STREAM: return "FASTNORM_ERROR_STREAM";
  case FASTNORM_ERROR_LAUNCH: return "FASTNORM_ERROR_LAUNCH";
  case FASTNORM_ERROR_OUT_OF_MEMORY: return "FASTNORM_ERROR_OUT_OF_MEMORY";
  case FASTNORM_ERROR_INTERNAL: return "FASTNORM_ERROR_INTERNAL";
  }
  return "unknown status";
}
