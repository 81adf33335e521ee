//===- Result.h - A value or one sentence of error --------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors outside MLIR travel as Result<T>: either a value, or one sentence that
// says what was expected, what came, where, and what to do.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_SUPPORT_RESULT_H
#define FASTNORM_SUPPORT_RESULT_H

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace fastnorm {

/// One sentence: lower case, no full stop.
struct Error {
  std::string message;
};

/// A value of type T, or an Error. Check with `if (!result)` before `*result`.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }

  T &operator*() {
    assert(*this && "read the value of a failed Result");
    return std::get<0>(state);
  }
  const T &operator*() const {
    assert(*this && "read the value of a failed Result");
    return std::get<0>(state);
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

  const std::string &error() const {
    assert(!*this && "read the error of a Result that succeeded");
    return std::get<1>(state).message;
  }
  Error takeError() { return std::get<1>(std::move(state)); }

private:
  std::variant<T, Error> state;
};

/// Success, or an Error. `return {};` means success.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : failure(std::move(error)), failed(true) {}

  explicit operator bool() const { return !failed; }
  const std::string &error() const { return failure.message; }
  Error takeError() { return std::move(failure); }

private:
  Error failure;
  bool failed = false;
};

} // namespace fastnorm

#endif // FASTNORM_SUPPORT_RESULT_H
