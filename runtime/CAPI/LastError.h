//===- LastError.h - What the last failed call has to say -------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CAPI_LASTERROR_H
#define FASTNORM_RUNTIME_CAPI_LASTERROR_H

#include "fastnorm-c/fastnorm.h"
#include "fastnorm/Support/Result.h"

#include <new>

namespace fastnorm::capi {

/// Keeps the sentence for this thread and gives the code back.
fastnorm_status fail(fastnorm_status status, std::string message) noexcept;
inline fastnorm_status fail(fastnorm_status status, Error error) noexcept {
  return fail(status, std::move(error.message));
}

/// "expected <what>, but got null".
fastnorm_status failNull(const char *what) noexcept;

/// Runs the body of a call; no exception leaves the library.
template <typename Body> fastnorm_status guarded(const Body &body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(FASTNORM_ERROR_OUT_OF_MEMORY, std::string("expected more host memory, but there is none"));
  } catch (const std::exception &exception) {
    return fail(FASTNORM_ERROR_INTERNAL, std::string(exception.what()));
  }
}

} // namespace fastnorm::capi

#endif // FASTNORM_RUNTIME_CAPI_LASTERROR_H
