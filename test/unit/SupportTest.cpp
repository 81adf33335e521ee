//===- SupportTest.cpp - Element types and host tensors -------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Support/HostTensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace fastnorm;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kHasAddressSanitizer = true;
#elif defined(__has_feature)
constexpr bool kHasAddressSanitizer = __has_feature(address_sanitizer);
#else
constexpr bool kHasAddressSanitizer = false;
#endif

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(DType, NamesAndWidthsOfAllTypes) {
  EXPECT_EQ(name(DType::BF16), "bf16");
  EXPECT_EQ(name(DType::F8E4M3FN), "f8E4M3FN");
  EXPECT_EQ(byteWidth(DType::F8E4M3FN), 1);
  EXPECT_EQ(byteWidth(DType::I8), 1);
  EXPECT_EQ(byteWidth(DType::F16), 2);
  EXPECT_EQ(byteWidth(DType::BF16), 2);
  EXPECT_EQ(byteWidth(DType::F32), 4);
  EXPECT_EQ(byteWidth(DType::I32), 4);
  EXPECT_EQ(byteWidth(DType::I64), 8);
  for (DType dtype : kAllDTypes)
    EXPECT_EQ(parseDType(name(dtype)), dtype);
  EXPECT_EQ(parseDType("f64"), std::nullopt);
  EXPECT_EQ(allDTypeNames(), "f32, bf16, f16, f8E4M3FN, i8, i32 or i64");
}

TEST(Bf16, RoundsToNearestEven) {
  // 1 is 0x3f80, and bf16 steps by 2^-7 above it: 1 + 2^-8 is half way and goes to the even 1, 1 + 3 * 2^-8 to the
  // even 1 + 2^-6; a little more than half way goes up.
  EXPECT_EQ(bf16FromF32(1.0f), 0x3f80);
  EXPECT_EQ(bf16FromF32(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(bf16FromF32(1.0f + 0x1p-8f + 0x1p-20f), 0x3f81);
  EXPECT_EQ(bf16FromF32(1.0f + 3 * 0x1p-8f), 0x3f82);
  EXPECT_EQ(bf16FromF32(-1.0f), 0xbf80);
}

TEST(Bf16, SpecialValues) {
  EXPECT_EQ(bf16FromF32(kInfinity), 0x7f80);
  EXPECT_EQ(bf16FromF32(-kInfinity), 0xff80);
  EXPECT_EQ(bf16FromF32(-0.0f), 0x8000);
  // The largest f32 lies past the middle between the largest bf16 and the next power of two.
  EXPECT_EQ(bf16FromF32(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(bf16FromF32(std::nanf("")), 0x7fc0);
  EXPECT_EQ(bf16FromF32(-std::nanf("1")), 0xffc0);
  // A NaN whose payload lies in the cut bits alone must not become Inf.
  EXPECT_TRUE(std::isnan(f32FromBf16(bf16FromF32(std::nanf("1")))));
}

TEST(Bf16, EveryValueSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    float value = f32FromBf16(static_cast<uint16_t>(bits));
    if (!std::isnan(value)) {
      EXPECT_EQ(bf16FromF32(value), bits);
    }
  }
}

/// Between every two neighbouring positive values of a format: the middle goes to the one with even bits, what is just
/// beside it to the nearer one.
template <typename Bits>
void expectNearestEven(uint32_t lastFinite, float (*widen)(Bits), Bits (*narrow)(float), uint32_t sign) {
  for (uint32_t low = 0; low < lastFinite; ++low) {
    float below = widen(static_cast<Bits>(low));
    float above = widen(static_cast<Bits>(low + 1));
    ASSERT_LT(below, above);
    float middle = (below + above) / 2;
    EXPECT_EQ(narrow(middle), (low & 1) != 0 ? low + 1 : low) << middle;
    EXPECT_EQ(narrow(std::nextafter(middle, below)), low) << middle;
    EXPECT_EQ(narrow(std::nextafter(middle, above)), low + 1) << middle;
    EXPECT_EQ(narrow(-above), (low + 1) | sign) << above;
  }
}

TEST(F16, ValuesByTheirBits) {
  EXPECT_EQ(f32FromF16(0x3c00), 1.0f);
  EXPECT_EQ(f32FromF16(0xc000), -2.0f);
  EXPECT_EQ(f32FromF16(0x0001), 0x1p-24f);
  EXPECT_EQ(f32FromF16(0x0400), 0x1p-14f);
  EXPECT_EQ(f32FromF16(0x7bff), 65504.0f);
  EXPECT_EQ(f32FromF16(0xfc00), -kInfinity);
  EXPECT_TRUE(std::isnan(f32FromF16(0x7c01)));
}

TEST(F16, RoundsToNearestEvenBetweenAllNeighbours) { expectNearestEven(0x7bff, f32FromF16, f16FromF32, 0x8000); }

TEST(F16, SpecialValues) {
  // 65520 is the middle of the largest f16 and the next power of two.
  EXPECT_EQ(f16FromF32(65520.0f), 0x7c00);
  EXPECT_EQ(f16FromF32(std::nextafter(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(f16FromF32(-kInfinity), 0xfc00);
  EXPECT_EQ(f16FromF32(-std::numeric_limits<float>::max()), 0xfc00);
  EXPECT_EQ(f16FromF32(std::nanf("1")), 0x7e00);
  EXPECT_EQ(f16FromF32(-0.0f), 0x8000);
  EXPECT_EQ(f16FromF32(std::numeric_limits<float>::denorm_min()), 0);
}

TEST(F8E4M3FN, ValuesByTheirBits) {
  EXPECT_EQ(f32FromF8E4M3FN(0x38), 1.0f);
  EXPECT_EQ(f32FromF8E4M3FN(0xc0), -2.0f);
  EXPECT_EQ(f32FromF8E4M3FN(0x01), 0x1p-9f);
  EXPECT_EQ(f32FromF8E4M3FN(0x08), 0x1p-6f);
  EXPECT_EQ(f32FromF8E4M3FN(0x7e), 448.0f);
  EXPECT_TRUE(std::isnan(f32FromF8E4M3FN(0x7f)));
  EXPECT_TRUE(std::isnan(f32FromF8E4M3FN(0xff)));
}

TEST(F8E4M3FN, RoundsToNearestEvenBetweenAllNeighbours) {
  expectNearestEven(0x7e, f32FromF8E4M3FN, f8E4M3FNFromF32, 0x80);
}

TEST(F8E4M3FN, SaturatesAndKeepsNan) {
  EXPECT_EQ(f8E4M3FNFromF32(449.0f), 0x7e);
  EXPECT_EQ(f8E4M3FNFromF32(1e30f), 0x7e);
  EXPECT_EQ(f8E4M3FNFromF32(kInfinity), 0x7e);
  EXPECT_EQ(f8E4M3FNFromF32(-kInfinity), 0xfe);
  EXPECT_EQ(f8E4M3FNFromF32(std::nanf("")), 0x7f);
  EXPECT_EQ(f8E4M3FNFromF32(-0.0f), 0x80);
}

TEST(HostTensor, StartsAsZeroAndStoresEveryDtype) {
  for (DType dtype : kAllDTypes) {
    HostTensor tensor(dtype, {2, 3});
    EXPECT_EQ(tensor.elementCount(), 6);
    EXPECT_EQ(tensor.byteCount(), static_cast<size_t>(6 * byteWidth(dtype)));
    EXPECT_EQ(tensor.at(5), 0.0);
    tensor.set(4, -7.0);
    EXPECT_EQ(tensor.at(4), -7.0);
    EXPECT_EQ(tensor.at(5), 0.0);
  }
}

TEST(HostTensor, F64IsRoundedToBf16Once) {
  // 1 + 2^-8 + 2^-40 lies above the middle of 1 and 1 + 2^-7. Rounded to f32 first it would be the middle itself, and
  // then go to the even 1.
  HostTensor tensor(DType::BF16, {2});
  tensor.set(0, 1.0 + 0x1p-8 + 0x1p-40);
  EXPECT_EQ(tensor.at(0), 1.0 + 0x1p-7);
  // 1 + 3 * 2^-8 - 2^-40 lies below the middle of 1 + 2^-7 and 1 + 2^-6.
  tensor.set(1, 1.0 + 3 * 0x1p-8 - 0x1p-40);
  EXPECT_EQ(tensor.at(1), 1.0 + 0x1p-7);
}

TEST(HostTensor, F64IsRoundedToNarrowFloatsOnce) {
  // As above: just above the middle of 1 and its successor, where a rounding to f32 in between would reach the middle.
  HostTensor half(DType::F16, {2});
  half.set(0, 1.0 + 0x1p-11 + 0x1p-40);
  EXPECT_EQ(half.at(0), 1.0 + 0x1p-10);
  half.set(1, 1e300);
  EXPECT_EQ(half.at(1), std::numeric_limits<double>::infinity());
  HostTensor quarter(DType::F8E4M3FN, {3});
  quarter.set(0, 1.0 + 0x1p-4 + 0x1p-40);
  EXPECT_EQ(quarter.at(0), 1.125);
  quarter.set(1, -1e300);
  EXPECT_EQ(quarter.at(1), -448.0);
  quarter.set(2, std::nan(""));
  EXPECT_TRUE(std::isnan(quarter.at(2)));
}

TEST(HostTensor, I8RoundsToNearestEvenAndSaturates) {
  HostTensor tensor(DType::I8, {6});
  double values[] = {2.5, 3.5, -2.5, 127.6, -1000.0, std::nan("")};
  int64_t expected[] = {2, 4, -2, 127, -128, 0};
  for (int64_t index = 0; index < 6; ++index) {
    tensor.set(index, values[index]);
    EXPECT_EQ(tensor.integerAt(index), expected[index]) << values[index];
  }
  tensor.setInteger(0, -3);
  EXPECT_EQ(tensor.integerAt(0), -3);
  EXPECT_EQ(tensor.at(0), -3.0);
}

TEST(HostTensor, IntegersSaturateAndNanIsZero) {
  HostTensor narrow(DType::I32, {3});
  narrow.set(0, 1e10);
  narrow.set(1, -1e10);
  narrow.set(2, std::nan(""));
  EXPECT_EQ(narrow.integerAt(0), 2147483647);
  EXPECT_EQ(narrow.integerAt(1), -2147483648LL);
  EXPECT_EQ(narrow.integerAt(2), 0);
  HostTensor wide(DType::I64, {1});
  wide.setInteger(0, (int64_t(1) << 53) + 1);
  EXPECT_EQ(wide.integerAt(0), (int64_t(1) << 53) + 1);
}

TEST(HostTensor, ScalarHasOneElementAndEmptyHasNone) {
  EXPECT_EQ(HostTensor(DType::F32, {}).elementCount(), 1);
  EXPECT_EQ(HostTensor(DType::F32, {0, 3072}).elementCount(), 0);
  EXPECT_EQ(HostTensor().elementCount(), 0);
}

TEST(HostTensor, ExtentsThatOverflowAreRefused) {
  int64_t big = int64_t(1) << 40;
  EXPECT_EQ(checkedByteCount(DType::BF16, {big, 3}), big * 6);
  EXPECT_EQ(checkedByteCount(DType::BF16, {big, big}), std::nullopt);
  EXPECT_EQ(checkedByteCount(DType::BF16, {-1}), std::nullopt);
  EXPECT_EQ(checkedByteCount(DType::BF16, {big, big, 0}), 0);
  Result<HostTensor> tensor = allocateHostTensor(DType::F32, {big, big});
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error(), "expected a tensor whose bytes can be counted in 63 bits, but got "
                            "1099511627776x1099511627776xf32");
}

TEST(HostTensor, MemoryThatIsNotThereIsAnError) {
  if (kHasAddressSanitizer)
    GTEST_SKIP() << "AddressSanitizer ends the process where malloc would fail";
  Result<HostTensor> tensor = allocateHostTensor(DType::F32, {int64_t(1) << 60});
  ASSERT_FALSE(tensor);
  EXPECT_NE(tensor.error().find("bytes of memory"), std::string::npos) << tensor.error();
}

TEST(Describe, ShapesAsInMessages) {
  EXPECT_EQ(describe(DType::BF16, {3467, 3072}), "3467x3072xbf16");
  EXPECT_EQ(describe(DType::F32, {}), "f32");
}

} // namespace
