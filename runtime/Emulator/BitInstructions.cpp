//===- BitInstructions.cpp - Fields, counts and permutations of bits ------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PTX has beside shifts to take words apart.
//
//===----------------------------------------------------------------------===//

#include "InstructionDecoder.h"
#include "IntegerShifts.h"
#include "Lanes.h"

namespace fastnorm::emulator {

namespace {

struct PopCount {
  template <typename T> static uint32_t apply(T a) { return uint32_t(__builtin_popcountll(a)); }
};

struct LeadingZeros {
  template <typename T> static uint32_t apply(T a) {
    return a == 0 ? bitsOf<T> : uint32_t(__builtin_clzll(a)) - (64 - bitsOf<T>);
  }
};

struct ReverseBits {
  template <typename T> static T apply(T a) {
    T reversed = 0;
    for (unsigned bit = 0; bit < bitsOf<T>; ++bit)
      reversed = T(reversed | (a >> bit & 1) << (bitsOf<T> - 1 - bit));
    return reversed;
  }
};

struct FindHighestBit {
  template <typename T> static uint32_t apply(T a) {
    using U = std::make_unsigned_t<T>;
    U bits = std::is_signed_v<T> && a < 0 ? U(~U(a)) : U(a);
    return bits == 0 ? UINT32_MAX : bitsOf<T> - 1 - LeadingZeros::apply(bits);
  }
};

struct ExtractBits {
  template <typename T> static T apply(T a, uint32_t position, uint32_t length) {
    using U = std::make_unsigned_t<T>;
    position &= 0xff;
    length &= 0xff;
    if (length == 0)
      return 0;
    unsigned top = position + length - 1;
    bool negative = std::is_signed_v<T> && (U(a) >> (top < bitsOf<T> ? top : bitsOf<T> - 1) & 1);
    U field = ShiftRight::apply(U(a), position);
    if (length >= bitsOf<T>)
      return negative
                 ? T(field | U(ShiftLeft::apply(U(~U(0)), bitsOf<T> - (position < bitsOf<T> ? position : bitsOf<T>))))
                 : T(field);
    U mask = U((U(1) << length) - 1);
    // The sign fills from the field's last bit that the source has.
    unsigned have = position >= bitsOf<T> ? 0 : (bitsOf<T> - position < length ? bitsOf<T> - position : length);
    U sign = negative ? ShiftLeft::apply(U(~U(0)), have) : U(0);
    return T((field & mask) | sign);
  }
};

struct InsertBits {
  template <typename T> static T apply(T a, T b, uint32_t position, uint32_t length) {
    position &= 0xff;
    length &= 0xff;
    T mask = length >= bitsOf<T> ? T(~T(0)) : T((T(1) << length) - 1);
    mask = ShiftLeft::apply(mask, position);
    return T((ShiftLeft::apply(a, position) & mask) | (b & T(~mask)));
  }
};

struct Permute {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t selectors) {
    uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t permuted = 0;
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t selector = selectors >> (4 * i) & 0xf;
      auto byte = uint8_t(bytes >> (8 * (selector & 7)));
      if (selector & 8)
        byte = byte & 0x80 ? 0xff : 0;
      permuted |= uint32_t(byte) << (8 * i);
    }
    return permuted;
  }
};

struct LogicTable {
  template <typename T> static T apply(T a, T b, T c, uint32_t table) {
    T combined = 0;
    for (unsigned row = 0; row < 8; ++row)
      if (table >> row & 1)
        combined |= (row & 4 ? a : T(~a)) & (row & 2 ? b : T(~b)) & (row & 1 ? c : T(~c));
    return combined;
  }
};

template <bool left, bool wrap> struct FunnelShift {
  static uint32_t apply(uint32_t low, uint32_t high, uint32_t count) {
    count = wrap ? count & 31 : (count > 32 ? 32 : count);
    uint64_t both = uint64_t(high) << 32 | low;
    if (left)
      return count == 32 ? low : uint32_t(both << count >> 32);
    return uint32_t(both >> count);
  }
};

/// Four neighbouring bytes of two registers: `prmt.f4e`.
struct ExtractForward {
  static uint32_t apply(uint32_t low, uint32_t high, uint32_t first) {
    return uint32_t((uint64_t(high) << 32 | low) >> 8 * (first & 3));
  }
};

} // namespace

bool decodeBits(InstructionDecoder &decoder) {
  const std::string &name = decoder.name;
  if (name != "popc" && name != "clz" && name != "bfind" && name != "brev" && name != "bfe" && name != "bfi" &&
      name != "prmt" && name != "lop3" && name != "shf")
    return false;
  bool extractsForward = name == "prmt" && decoder.take("f4e");
  bool left = decoder.take("l"), right = decoder.take("r"), wrap = decoder.take("wrap");
  decoder.take("clamp");
  PtxType type = decoder.takeType();
  bool is64 = bytesOf(type) == 8;
  Handler &run = decoder.result.run;
  size_t typed = 1, plain = 0;
  PtxType resultType = type;
  if (name == "popc" || name == "clz" || name == "bfind") {
    resultType = PtxType::U32;
    if (name == "popc")
      run = is64 ? unary<uint32_t, uint64_t, PopCount> : Handler(unary<uint32_t, uint32_t, PopCount>);
    else if (name == "clz")
      run = is64 ? unary<uint32_t, uint64_t, LeadingZeros> : Handler(unary<uint32_t, uint32_t, LeadingZeros>);
    else if (isSigned(type))
      run = is64 ? unary<uint32_t, int64_t, FindHighestBit> : Handler(unary<uint32_t, int32_t, FindHighestBit>);
    else
      run = is64 ? unary<uint32_t, uint64_t, FindHighestBit> : Handler(unary<uint32_t, uint32_t, FindHighestBit>);
  } else if (name == "brev") {
    run = is64 ? unary<uint64_t, uint64_t, ReverseBits> : Handler(unary<uint32_t, uint32_t, ReverseBits>);
  } else if (name == "bfe") {
    plain = 2;
    if (isSigned(type))
      run = is64 ? ternary<int64_t, int64_t, uint32_t, uint32_t, ExtractBits>
                 : Handler(ternary<int32_t, int32_t, uint32_t, uint32_t, ExtractBits>);
    else
      run = is64 ? ternary<uint64_t, uint64_t, uint32_t, uint32_t, ExtractBits>
                 : Handler(ternary<uint32_t, uint32_t, uint32_t, uint32_t, ExtractBits>);
  } else if (name == "bfi") {
    typed = plain = 2;
    run = is64 ? quaternary<uint64_t, uint64_t, uint64_t, uint32_t, uint32_t, InsertBits>
               : Handler(quaternary<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, InsertBits>);
  } else if (name == "prmt") {
    typed = 3;
    run = extractsForward ? ternary<uint32_t, uint32_t, uint32_t, uint32_t, ExtractForward>
                          : ternary<uint32_t, uint32_t, uint32_t, uint32_t, Permute>;
  } else if (name == "lop3") {
    typed = 3;
    plain = 1;
    run = quaternary<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, LogicTable>;
  } else { // shf
    typed = 3;
    if (left == right)
      decoder.fail("expected 'shf' to have either .l or .r");
    run = left ? (wrap ? ternary<uint32_t, uint32_t, uint32_t, uint32_t, FunnelShift<true, true>>
                       : ternary<uint32_t, uint32_t, uint32_t, uint32_t, FunnelShift<true, false>>)
               : (wrap ? ternary<uint32_t, uint32_t, uint32_t, uint32_t, FunnelShift<false, true>>
                       : ternary<uint32_t, uint32_t, uint32_t, uint32_t, FunnelShift<false, false>>);
  }
  bool only32 = name == "prmt" || name == "lop3" || name == "shf";
  if (isFloat(type) || !(bytesOf(type) == 4 || (is64 && !only32)))
    return decoder.unsupportedType(type), true;
  decoder.addOperands(resultType, type, typed, plain);
  return true;
}

} // namespace fastnorm::emulator
