//===- IntegerShifts.h - Shifts by any count --------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX defines shifts by the width and more, C++ does not.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_INTEGERSHIFTS_H
#define FASTNORM_RUNTIME_EMULATOR_INTEGERSHIFTS_H

#include <cstdint>
#include <type_traits>

namespace fastnorm::emulator {

template <typename T> constexpr unsigned bitsOf = sizeof(T) * 8;

struct ShiftLeft {
  template <typename T> static T apply(T a, uint32_t count) {
    return count >= bitsOf<T> ? T(0) : T(uint64_t(a) << count);
  }
};

struct ShiftRight {
  template <typename T> static T apply(T a, uint32_t count) {
    if (count >= bitsOf<T>)
      return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
    return T(a >> count);
  }
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_INTEGERSHIFTS_H
