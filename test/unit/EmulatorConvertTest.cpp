//===- EmulatorConvertTest.cpp - Between the types that tensors have ------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions that LLVM emits for f16, f8E4M3FN and i8 tensors.
//
//===----------------------------------------------------------------------===//

#include "EmulatorHarness.h"
#include "fastnorm/Support/DType.h"

#include <cmath>
#include <limits>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

uint32_t bits(float value) { return bitsOf<uint32_t>(value); }

/// Two f32 as f8E4M3FN: the first is the upper byte.
uint32_t toE4M3(float high, float low, const char *instruction = "cvt.rn.satfinite.e4m3x2.f32") {
  return evaluateOne(std::string(instruction) + " %rs1, %r1, %r2; cvt.u32.u16 %r4, %rs1;", bits(high), bits(low));
}

TEST(EmulatorConvert, E4M3RoundsToNearestEvenAndSaturates) {
  // Three bits of fraction: 1 is 0x38, and steps above are 1/8. 1 + 1/16 and 1 + 3/16 are half way.
  EXPECT_EQ(toE4M3(1.0f, 1.125f), 0x3839u);
  EXPECT_EQ(toE4M3(1.0625f, 1.1875f), 0x383au);
  EXPECT_EQ(toE4M3(1.0625f + 0x1p-20f, -2.0f), 0x39c0u);
  // 448 is the largest; there is no infinity to go to.
  EXPECT_EQ(toE4M3(448.0f, 449.0f), 0x7e7eu);
  EXPECT_EQ(toE4M3(1e30f, -infinity), 0x7efeu);
  EXPECT_EQ(toE4M3(infinity, std::nanf("")), 0x7e7fu);
  // 2^-9 is the smallest subnormal; half of it goes to even, which is 0.
  EXPECT_EQ(toE4M3(0x1p-9f, 0x1p-10f), 0x0100u);
  EXPECT_EQ(toE4M3(0x1.8p-9f, -0.0f), 0x0280u);
  EXPECT_EQ(toE4M3(-3.0f, 1.0f, "cvt.rn.satfinite.relu.e4m3x2.f32"), 0x0038u);
}

TEST(EmulatorConvert, E4M3ComesBackAsF16) {
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t pair = evaluateOne("cvt.u16.u32 %rs1, %r1; cvt.rn.f16x2.e4m3x2 %r4, %rs1;", byte << 8 | 0x38);
    EXPECT_EQ(pair & 0xffff, 0x3c00u);
    if ((byte & 0x7f) == 0x7f) {
      EXPECT_EQ(pair >> 16, 0x7fffu);
    } else {
      EXPECT_EQ(f32FromF16(uint16_t(pair >> 16)), f32FromF8E4M3FN(uint8_t(byte)));
    }
  }
  // And from there: 1.0625 as f16 is 0x3c40, half way and to even.
  EXPECT_EQ(evaluateOne("cvt.rn.satfinite.e4m3x2.f16x2 %rs1, %r1; cvt.u32.u16 %r4, %rs1;", 0x3c405f00), 0x387eu);
}

TEST(EmulatorConvert, E4M3WithoutSaturationIsNotSupported) {
  EmulatorHarness harness;
  EXPECT_NE(harness.loadError(ptxKernel(0, "cvt.rn.e4m3x2.f32 %rs1, 0f00000000, 0f00000000;")), "");
  EXPECT_NE(harness.loadError(ptxKernel(0, "cvt.rn.satfinite.f16x2.f32 %r1, 0f00000000, 0f00000000;")), "");
}

TEST(EmulatorConvert, F16AndItsPairs) {
  EXPECT_EQ(evaluateOne("mov.b32 {%rs1, %rs2}, %r1; cvt.f32.f16 %r4, %rs2;", 0x3e000000), bits(1.5f));
  EXPECT_EQ(evaluateOne("mov.b32 {%rs1, %rs2}, %r1; cvt.f32.f16 %r4, %rs1;", 0x0001), bits(0x1p-24f));
  EXPECT_EQ(evaluateOne("cvt.rn.f16x2.f32 %r4, %r1, %r2;", bits(1.0f), bits(65520.0f)), 0x3c007c00u);
  EXPECT_EQ(evaluateOne("cvt.rn.relu.f16x2.f32 %r4, %r1, %r2;", bits(-1.0f), bits(2.0f)), 0x00004000u);
}

TEST(EmulatorConvert, IntegersOfEightBitsSaturate) {
  auto toS8 = [](const char *instruction, float value) {
    return evaluateOne(std::string(instruction) + " %r4, %r1;", bits(value));
  };
  EXPECT_EQ(toS8("cvt.rni.sat.s8.f32", 2.5f), 2u);
  EXPECT_EQ(toS8("cvt.rni.sat.s8.f32", 3.5f), 4u);
  EXPECT_EQ(toS8("cvt.rni.sat.s8.f32", 127.6f), 127u);
  EXPECT_EQ(toS8("cvt.rni.sat.s8.f32", -1000.0f), uint32_t(-128));
  EXPECT_EQ(toS8("cvt.rni.sat.s8.f32", std::nanf("")), 0u);
  EXPECT_EQ(toS8("cvt.rzi.s8.f32", -3.9f), uint32_t(-3));
  EXPECT_EQ(toS8("cvt.rni.sat.u8.f32", -3.0f), 0u);
  EXPECT_EQ(evaluateOne("cvt.rzi.s16.f32 %rs1, %r1; cvt.s32.s16 %r4, %rs1;", bits(-70000.0f)), uint32_t(-32768));
  EXPECT_EQ(evaluateOne("cvt.sat.s8.s32 %r4, %r1;", 300), 127u);
  EXPECT_EQ(evaluateOne("cvt.u16.u32 %rs1, %r1; cvt.rn.f32.s16 %r4, %rs1;", uint32_t(-7)), bits(-7.0f));
  EXPECT_EQ(evaluateOne("cvt.rn.f32.s8 %r4, %r1;", 0xfb), bits(-5.0f));
}

TEST(EmulatorConvert, BytesAreLoadedAndStoredAlone) {
  EmulatorHarness harness;
  uint64_t bytes = harness.filled("bytes", std::vector<uint8_t>{0x81, 2, 0xff, 4, 0, 0, 0, 0});
  std::string body = R"(ld.global.v4.s8 {%rs1, %rs2, %rs3, %rs4}, [%rd100];
    ld.global.u8 %r5, [%rd100];
    ld.global.s8 %r6, [%rd100];
    add.s16 %rs1, %rs1, %rs2;
    add.s16 %rs2, %rs3, %rs4;
    st.global.v2.b8 [%rd100+4], {%rs1, %rs2};
    add.s32 %r5, %r5, %r6;
    st.global.u8 [%rd100+7], %r5;)";
  EXPECT_EQ(harness.launch(ptxKernel(1, body), {1, 1, 0}, {bytes}), "");
  // -127 + 2, -1 + 4, and 129 - 127.
  EXPECT_EQ(harness.read<uint8_t>(bytes, 8), (std::vector<uint8_t>{0x81, 2, 0xff, 4, 0x83, 3, 0, 2}));
}

TEST(EmulatorConvert, BytesArePermutedAndExtended) {
  // As LLVM extends the bytes of a word: the selector's bit 3 spreads the sign.
  EXPECT_EQ(evaluateOne("prmt.b32 %r4, %r1, 0, 0x9991U;", 0x00008500), 0xffffff85u);
  EXPECT_EQ(evaluateOne("prmt.b32 %r4, %r1, %r2, 0x3340U;", 0x11, 0x22), 0x00002211u);
  EXPECT_EQ(evaluateOne("shf.l.clamp.b32 %r4, %r1, %r2, 40;", 0xaabbccdd, 0x11223344), 0xaabbccddu);
  EXPECT_EQ(evaluateOne("shf.r.clamp.b32 %r4, %r1, %r2, 40;", 0xaabbccdd, 0x11223344), 0x11223344u);
}

} // namespace
