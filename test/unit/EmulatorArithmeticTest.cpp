//===- EmulatorArithmeticTest.cpp - What single instructions yield --------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorHarness.h"
#include "runtime/Emulator/FloatFormats.h"
#include "runtime/Emulator/FusedMultiplyAdd.h"

#include <cmath>
#include <limits>
#include <random>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr uint32_t one = 0x3f800000;

TEST(EmulatorInteger, WrapsMultipliesAndDivides) {
  EXPECT_EQ(evaluateOne("add.s32 %r4, %r1, %r2;", 0x7fffffff, 1), 0x80000000u);
  EXPECT_EQ(evaluateOne("sub.s32 %r4, %r1, %r2;", 0, 1), 0xffffffffu);
  EXPECT_EQ(evaluateOne("mul.lo.s32 %r4, %r1, %r2;", 0x10001, 0x10001), 0x20001u);
  // -1 * 2 = -2, whose upper half is -1; unsigned it is 0x1fffffffe.
  EXPECT_EQ(evaluateOne("mul.hi.s32 %r4, %r1, %r2;", 0xffffffff, 2), 0xffffffffu);
  EXPECT_EQ(evaluateOne("mul.hi.u32 %r4, %r1, %r2;", 0xffffffff, 2), 1u);
  EXPECT_EQ(evaluateOne("mul.wide.s32 %rd5, %r1, %r2; shr.u64 %rd5, %rd5, 32; cvt.u32.u64 %r4, %rd5;", 0xffffffff, 2),
            0xffffffffu);
  EXPECT_EQ(evaluateOne("mad.lo.s32 %r4, %r1, %r2, %r3;", 7, 6, 5), 47u);
  EXPECT_EQ(evaluateOne("div.s32 %r4, %r1, %r2;", uint32_t(-7), 2), uint32_t(-3));
  EXPECT_EQ(evaluateOne("rem.s32 %r4, %r1, %r2;", uint32_t(-7), 2), uint32_t(-1));
  EXPECT_EQ(evaluateOne("div.u32 %r4, %r1, %r2;", 7, 2), 3u);
  EXPECT_EQ(evaluateOne("min.s32 %r4, %r1, %r2;", uint32_t(-7), 2), uint32_t(-7));
  EXPECT_EQ(evaluateOne("min.u32 %r4, %r1, %r2;", uint32_t(-7), 2), 2u);
  EXPECT_EQ(evaluateOne("abs.s32 %r4, %r1;", uint32_t(-7)), 7u);
}

TEST(EmulatorInteger, WhatCppLeavesUndefinedDoesNotTrap) {
  EXPECT_EQ(evaluateOne("div.u32 %r4, %r1, %r2;", 7, 0), 0xffffffffu);
  EXPECT_EQ(evaluateOne("div.s32 %r4, %r1, %r2;", 0x80000000, 0xffffffff), 0x80000000u);
  EXPECT_EQ(evaluateOne("rem.s32 %r4, %r1, %r2;", 0x80000000, 0xffffffff), 0u);
  EXPECT_EQ(evaluateOne("abs.s32 %r4, %r1;", 0x80000000), 0x80000000u);
  EXPECT_EQ(evaluateOne("shl.b32 %r4, %r1, %r2;", 1, 32), 0u);
  EXPECT_EQ(evaluateOne("shr.u32 %r4, %r1, %r2;", 0x80000000, 40), 0u);
  EXPECT_EQ(evaluateOne("shr.s32 %r4, %r1, %r2;", 0x80000000, 40), 0xffffffffu);
}

TEST(EmulatorInteger, FieldsAndBits) {
  EXPECT_EQ(evaluateOne("bfe.u32 %r4, %r1, 8, 8;", 0x12345678), 0x56u);
  EXPECT_EQ(evaluateOne("bfe.s32 %r4, %r1, 4, 4;", 0x000000f0), 0xffffffffu);
  // Past the top the sign bit fills: bits 28 to 35 of 0x80000000 are 0x08 with ones above.
  EXPECT_EQ(evaluateOne("bfe.s32 %r4, %r1, 28, 8;", 0x80000000), 0xfffffff8u);
  EXPECT_EQ(evaluateOne("bfe.u32 %r4, %r1, 3, 0;", 0xffffffff), 0u);
  EXPECT_EQ(evaluateOne("bfi.b32 %r4, %r1, %r2, 8, 8;", 0xab, 0x12345678), 0x1234ab78u);
  EXPECT_EQ(evaluateOne("prmt.b32 %r4, %r1, %r2, 0x5410;", 0x03020100, 0x07060504), 0x05040100u);
  EXPECT_EQ(evaluateOne("prmt.b32 %r4, %r1, %r2, 0x7632;", 0x03020100, 0x07060504), 0x07060302u);
  // Selector bit 3 spreads the sign of byte 3 (0x83).
  EXPECT_EQ(evaluateOne("prmt.b32 %r4, %r1, %r2, 0x000b;", 0x83020100, 0), 0x000000ffu);
  EXPECT_EQ(evaluateOne("popc.b32 %r4, %r1;", 0xf0f0), 8u);
  EXPECT_EQ(evaluateOne("clz.b32 %r4, %r1;", 1), 31u);
  EXPECT_EQ(evaluateOne("clz.b32 %r4, %r1;", 0), 32u);
  EXPECT_EQ(evaluateOne("brev.b32 %r4, %r1;", 1), 0x80000000u);
  EXPECT_EQ(evaluateOne("bfind.u32 %r4, %r1;", 0x100), 8u);
  // Table 0x96 is a ^ b ^ c.
  EXPECT_EQ(evaluateOne("lop3.b32 %r4, %r1, %r2, %r3, 0x96;", 0xf0, 0xcc, 0xaa), 0xf0u ^ 0xccu ^ 0xaau);
  EXPECT_EQ(evaluateOne("shf.l.wrap.b32 %r4, %r1, %r2, 8;", 0xaabbccdd, 0x11223344), 0x223344aau);
  EXPECT_EQ(evaluateOne("shf.r.wrap.b32 %r4, %r1, %r2, 8;", 0xaabbccdd, 0x11223344), 0x44aabbccu);
}

TEST(EmulatorInteger, PacksAndUnpacks) {
  EXPECT_EQ(evaluateOne("mov.b32 {%rs1, %rs2}, %r1; mov.b32 %r4, {%rs2, %rs1};", 0x12345678), 0x56781234u);
  EXPECT_EQ(evaluateOne("mov.b64 %rd5, {%r1, %r2}; mov.b64 {_, %r4}, %rd5;", 1, 2), 2u);
}

TEST(EmulatorFloat, FusedMultiplyAddRoundsOnce) {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: f32 drops the last term of the product, the fma keeps it.
  float a = 1.0f + 0x1p-12f;
  EXPECT_EQ(evaluateF32("fma.rn.f32 %r4, %r1, %r2, %r3;", a, a, -(1.0f + 0x1p-11f)), 0x1p-24f);
  EXPECT_EQ(evaluateF32("mul.rn.f32 %r5, %r1, %r2; add.rn.f32 %r4, %r5, %r3;", a, a, -(1.0f + 0x1p-11f)), 0.0f);
  // 2^-24 - 2^-70 is a little less than half of the last place of 1 + 2^-23; rounding to f64 first loses the little.
  EXPECT_EQ(
      evaluateF32("fma.rn.f32 %r4, %r1, %r2, %r3;", 0x1p-12f * (1 + 0x1p-23f), 0x1p-12f * (1 - 0x1p-23f), 1 + 0x1p-23f),
      1 + 0x1p-23f);
}

TEST(EmulatorFloat, FusedMultiplyAddIsTheSameOnEveryHost) {
  std::mt19937 random(7);
  alignas(32) float a[32], b[32], c[32], fast[32], portable[32];
  for (int round = 0; round < 2000; ++round) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      a[lane] = bitsOf<float>(uint32_t(random()));
      b[lane] = bitsOf<float>(uint32_t(random()));
      c[lane] = round % 2 ? -a[lane] * b[lane] : bitsOf<float>(uint32_t(random()));
    }
    emulator::chooseFusedMultiplyAddF32()(fast, a, b, c);
    emulator::portableFusedMultiplyAddF32()(portable, a, b, c);
    for (unsigned lane = 0; lane < 32; ++lane)
      if (!std::isnan(portable[lane])) {
        ASSERT_EQ(bitsOf<uint32_t>(fast[lane]), bitsOf<uint32_t>(portable[lane]));
      }
  }
}

TEST(EmulatorFloat, EveryFormOfFusedMultiplyAddRoundsOnce) {
  // All lanes at once, some lanes, flushing and saturating go different ways. The exact sum is as above.
  uint32_t a = bitsOf<uint32_t>(0x1p-12f * (1 + 0x1p-23f)), b = bitsOf<uint32_t>(0x1p-12f * (1 - 0x1p-23f));
  uint32_t c = bitsOf<uint32_t>(1 + 0x1p-23f);
  for (const char *form : {"fma.rn.f32", "fma.rn.ftz.f32", "@%p1 fma.rn.f32"}) {
    std::string text = "setp.ne.b32 %p1, %r100, 3;\nmov.b32 %r4, %r3;\n" + std::string(form) + " %r4, %r1, %r2, %r3;";
    for (uint32_t result :
         evaluate(text, std::vector<uint32_t>(32, a), std::vector<uint32_t>(32, b), std::vector<uint32_t>(32, c)))
      EXPECT_EQ(result, c) << form;
  }
  // (1 + 2^-30)^2 - (1 + 2^-29) = 2^-60 in f64, and 2^-60 * 2^60 = 1.
  EXPECT_EQ(evaluateF32(R"(cvt.f64.f32 %rd5, %r1;
    add.rn.f64 %rd5, %rd5, 0d3FF0000000000000;
    cvt.f64.f32 %rd6, %r2;
    add.rn.f64 %rd6, %rd6, 0dBFF0000000000000;
    fma.rn.f64 %rd7, %rd5, %rd5, %rd6;
    cvt.rn.f32.f64 %r4, %rd7;)",
                        0x1p-30f, -0x1p-29f),
            0x1p-60f);
}

TEST(EmulatorFloat, PairsOfF32InOneRegister) {
  // {a, b} * {b, a} + {1, 1} of 2 and 3; the upper half plus 100 times the lower.
  EXPECT_EQ(evaluateF32("mov.b64 %rd5, {%r1, %r2}; mov.b64 %rd6, {%r2, %r1}; mov.b64 %rd7, {%r3, %r1};"
                        "fma.rn.f32x2 %rd5, %rd5, %rd6, %rd7; mul.rn.f32x2 %rd5, %rd5, %rd5; add.rn.f32x2 %rd5, %rd5, "
                        "%rd7; mov.b64 {%r5, %r6}, %rd5; fma.rn.f32 %r4, %r5, 0f42C80000, %r6;",
                        2, 3, 1),
            100.0f * (7 * 7 + 1) + (8 * 8 + 2));
}

TEST(EmulatorFloat, ArithmeticAndExtremes) {
  EXPECT_EQ(evaluateF32("add.rn.f32 %r4, %r1, %r2;", 1, 0x1p-24f), 1.0f); // half way, to even
  EXPECT_EQ(evaluateF32("div.rn.f32 %r4, %r1, %r2;", 1, 3), 1.0f / 3.0f);
  EXPECT_EQ(evaluateF32("sqrt.rn.f32 %r4, %r1;", 2), std::sqrt(2.0f));
  float nan = std::nanf("");
  EXPECT_EQ(evaluateF32("min.f32 %r4, %r1, %r2;", nan, 2), 2.0f);
  EXPECT_TRUE(std::isnan(evaluateF32("min.NaN.f32 %r4, %r1, %r2;", nan, 2)));
  EXPECT_EQ(evaluateOne("max.f32 %r4, %r1, %r2;", 0x80000000, 0), 0u); // -0 is less than +0
  EXPECT_EQ(evaluateF32("neg.f32 %r4, %r1;", 3), -3.0f);
  EXPECT_EQ(evaluateF32("copysign.f32 %r4, %r1, %r2;", -1, 5), -5.0f);
  EXPECT_EQ(evaluateF32("add.sat.f32 %r4, %r1, %r2;", 1, 1), 1.0f);
  EXPECT_EQ(evaluateOne("add.ftz.f32 %r4, %r1, %r2;", 1, 0), 0u); // the smallest subnormal is flushed
  EXPECT_EQ(evaluateOne("add.f32 %r4, %r1, %r2;", 1, 0), 1u);
}

TEST(EmulatorFloat, ApproximationsAreTheRoundedTruth) {
  EXPECT_EQ(evaluateF32("rsqrt.approx.f32 %r4, %r1;", 4), 0.5f);
  EXPECT_EQ(evaluateF32("rsqrt.approx.ftz.f32 %r4, %r1;", 0), infinity);
  EXPECT_EQ(evaluateF32("rsqrt.approx.f32 %r4, %r1;", 3), float(1 / std::sqrt(3.0)));
  EXPECT_EQ(evaluateF32("rcp.approx.ftz.f32 %r4, %r1;", 3), 1.0f / 3.0f);
  EXPECT_EQ(evaluateF32("sqrt.approx.f32 %r4, %r1;", 9), 3.0f);
  EXPECT_EQ(evaluateF32("ex2.approx.ftz.f32 %r4, %r1;", 0.5f), float(std::exp2(0.5)));
  EXPECT_EQ(evaluateF32("ex2.approx.f32 %r4, %r1;", -infinity), 0.0f);
  EXPECT_EQ(evaluateF32("lg2.approx.f32 %r4, %r1;", 8), 3.0f);
  EXPECT_EQ(evaluateF32("tanh.approx.f32 %r4, %r1;", 1), float(std::tanh(1.0)));
  EXPECT_EQ(evaluateF32("sin.approx.f32 %r4, %r1;", 1), float(std::sin(1.0)));
  EXPECT_EQ(evaluateF32("cos.approx.f32 %r4, %r1;", 1), float(std::cos(1.0)));
  EXPECT_EQ(evaluateF32("div.approx.f32 %r4, %r1, %r2;", 1, 3), 1.0f / 3.0f);
  EXPECT_EQ(evaluateF32("div.full.f32 %r4, %r1, %r2;", 2, 3), 2.0f / 3.0f);
}

TEST(EmulatorConvert, Bf16RoundsToNearestEven) {
  // bf16 steps by 2^-7 above 1: 1 + 2^-8 is half way and goes to the even 0x3f80, 1 + 3 * 2^-8 to the even 0x3f82.
  auto round = [](float value) {
    return evaluateOne("cvt.rn.bf16.f32 %rs1, %r1; cvt.u32.u16 %r4, %rs1;", bitsOf<uint32_t>(value));
  };
  EXPECT_EQ(round(1.0f + 0x1p-8f), 0x3f80u);
  EXPECT_EQ(round(1.0f + 0x1p-8f + 0x1p-23f), 0x3f81u);
  EXPECT_EQ(round(1.0f + 3 * 0x1p-8f), 0x3f82u);
  EXPECT_EQ(round(-2.0f), 0xc000u);
  EXPECT_EQ(round(3.4e38f), 0x7f80u); // past the largest bf16, 3.39e38
  EXPECT_EQ(round(std::nanf("")), 0x7fffu);
  // The first source is the upper half.
  EXPECT_EQ(evaluateOne("cvt.rn.bf16x2.f32 %r4, %r1, %r2;", one, 0x40000000), 0x3f804000u);
  EXPECT_EQ(evaluateOne("mov.b32 {%rs1, %rs2}, %r1; cvt.f32.bf16 %r4, %rs2;", 0x3f800000), one);
}

TEST(EmulatorConvert, F16CoversItsWholeRange) {
  auto round = [](float value) {
    return evaluateOne("cvt.rn.f16.f32 %rs1, %r1; cvt.u32.u16 %r4, %rs1;", bitsOf<uint32_t>(value));
  };
  EXPECT_EQ(round(1.0f), 0x3c00u);
  EXPECT_EQ(round(65504.0f), 0x7bffu);
  EXPECT_EQ(round(65520.0f), 0x7c00u); // half way to 65536, to even, which is infinity
  EXPECT_EQ(round(0x1p-24f), 1u);      // the smallest subnormal
  EXPECT_EQ(round(0x1p-25f), 0u);      // half of it, to even
  EXPECT_EQ(round(0x1.8p-24f), 2u);    // half way between 1 and 2 of them, to even
  for (uint32_t bits = 0; bits < 0x7c00; bits += 13)
    ASSERT_EQ(emulator::f16Bits(emulator::f32OfF16(uint16_t(bits))), bits);
}

TEST(EmulatorConvert, BetweenFloatsAndIntegers) {
  auto bits = [](float value) { return bitsOf<uint32_t>(value); };
  EXPECT_EQ(evaluateOne("cvt.rni.s32.f32 %r4, %r1;", bits(2.5f)), 2u);
  EXPECT_EQ(evaluateOne("cvt.rzi.s32.f32 %r4, %r1;", bits(-2.7f)), uint32_t(-2));
  EXPECT_EQ(evaluateOne("cvt.rmi.s32.f32 %r4, %r1;", bits(-2.1f)), uint32_t(-3));
  EXPECT_EQ(evaluateOne("cvt.rpi.s32.f32 %r4, %r1;", bits(2.1f)), 3u);
  EXPECT_EQ(evaluateOne("cvt.rzi.s32.f32 %r4, %r1;", bits(3e9f)), 0x7fffffffu);
  EXPECT_EQ(evaluateOne("cvt.rzi.u32.f32 %r4, %r1;", bits(-1)), 0u);
  EXPECT_EQ(evaluateOne("cvt.rzi.s32.f32 %r4, %r1;", bits(std::nanf(""))), 0u);
  EXPECT_EQ(evaluateOne("cvt.rn.f32.s32 %r4, %r1;", uint32_t(-3)), bits(-3.0f));
  // 2^24 + 1 is half way between two f32 and goes to the even one.
  EXPECT_EQ(evaluateOne("cvt.rn.f32.u32 %r4, %r1;", 16777217), bits(16777216.0f));
  EXPECT_EQ(evaluateOne("cvt.rz.f32.u32 %r4, %r1;", 16777219), bits(16777218.0f));
  EXPECT_EQ(evaluateOne("cvt.s32.s8 %r4, %r1;", 0x80), 0xffffff80u);
  EXPECT_EQ(evaluateOne("cvt.rni.f32.f32 %r4, %r1;", bits(3.5f)), bits(4.0f));
  EXPECT_EQ(evaluateOne("cvt.sat.f32.f32 %r4, %r1;", bits(1.5f)), one);
  EXPECT_EQ(evaluateOne("cvt.f64.f32 %rd5, %r1; add.rn.f64 %rd5, %rd5, 0d3FF0000000000000; cvt.rn.f32.f64 %r4, %rd5;",
                        bits(1.5f)),
            bits(2.5f));
}

TEST(EmulatorHalf, ArithmeticRoundsOnce) {
  // bf16 1 is 0x3f80. 256 + 1 = 257 lies half way between 256 and 258: to the even 256 (0x4380).
  EXPECT_EQ(evaluateOne("add.rn.bf16x2 %r4, %r1, %r2;", 0x43803f80, 0x3f803f80), 0x43804000u);
  EXPECT_EQ(evaluateOne("mul.rn.bf16x2 %r4, %r1, %r2;", 0x40004040, 0x40404000), 0x40c040c0u);
  EXPECT_EQ(evaluateOne("fma.rn.bf16x2 %r4, %r1, %r2, %r3;", 0x40004000, 0x40404040, 0x3f803f80), 0x40e040e0u);
  EXPECT_EQ(evaluateOne("fma.rn.f16x2 %r4, %r1, %r2, %r3;", 0x3c004000, 0x3c004200, 0x3c003c00), 0x40004700u);
  EXPECT_EQ(evaluateOne("max.bf16x2 %r4, %r1, %r2;", 0x3f80c000, 0x40003f80), 0x40003f80u);
  EXPECT_EQ(evaluateOne("neg.bf16x2 %r4, %r1;", 0x3f803f80), 0xbf80bf80u);
  EXPECT_EQ(evaluateOne("abs.bf16x2 %r4, %r1;", 0xbf80bf80), 0x3f803f80u);
  // 7 * 37 = 259 is half way between 258 (0x4381) and 260 (0x4382, even); -2^-60 must decide, though f64 cannot hold
  // it.
  EXPECT_EQ(evaluateOne("fma.rn.bf16x2 %r4, %r1, %r2, %r3;", 0x40e040e0, 0x42144214, 0xa1800000), 0x43814382u);
}

TEST(EmulatorHalf, WidenedOperandsAreRoundedOnceToF32) {
  // The low half of %r1 is bf16 or f16 1.5; 2^-20 is lost in either of them, but not in f32.
  auto widened = [](const std::string &instruction, uint32_t half, float c) {
    return evaluateOne("cvt.u16.u32 %rs1, %r1; " + instruction, half, bitsOf<uint32_t>(c));
  };
  EXPECT_EQ(widened("add.rn.f32.bf16 %r4, %rs1, %r2;", 0x3fc0, 0x1p-20f), bitsOf<uint32_t>(1.5f + 0x1p-20f));
  EXPECT_EQ(widened("sub.rn.f32.f16 %r4, %rs1, %r2;", 0x3e00, 0x1p-20f), bitsOf<uint32_t>(1.5f - 0x1p-20f));
  // 1.5 * 1.5 is 2.25, so 2^-20 is left.
  EXPECT_EQ(widened("fma.rn.f32.f16 %r4, %rs1, %rs1, %r2;", 0x3e00, -2.25f + 0x1p-20f), bitsOf<uint32_t>(0x1p-20f));
}

TEST(EmulatorHalf, RoundToOddKeepsWhatDoubleRoundingLoses) {
  // 1 + 2^-8 (half way for bf16) + 2^-60: a plain f64 sum loses the last term and goes to even.
  double sum = emulator::addRoundToOdd(1.0 + 0x1p-8, 0x1p-60);
  EXPECT_EQ(emulator::narrowFromF64(sum, 8, 7), 0x3f81);
  EXPECT_EQ(emulator::narrowFromF64((1.0 + 0x1p-8) + 0x1p-60, 8, 7), 0x3f80);
  double below = emulator::addRoundToOdd(1.0 + 3 * 0x1p-8, -0x1p-60);
  EXPECT_EQ(emulator::narrowFromF64(below, 8, 7), 0x3f81);
}

TEST(EmulatorCompare, OrderedAndUnordered) {
  auto compare = [](const char *how, float a, float b) {
    return evaluateOne(std::string("setp.") + how + ".f32 %p1, %r1, %r2; selp.b32 %r4, 1, 0, %p1;", bitsOf<uint32_t>(a),
                       bitsOf<uint32_t>(b));
  };
  float nan = std::nanf("");
  EXPECT_EQ(compare("lt", 1, 2), 1u);
  EXPECT_EQ(compare("lt", nan, 2), 0u);
  EXPECT_EQ(compare("ltu", nan, 2), 1u);
  EXPECT_EQ(compare("ne", nan, 2), 0u);
  EXPECT_EQ(compare("neu", nan, 2), 1u);
  EXPECT_EQ(compare("num", 1, 2), 1u);
  EXPECT_EQ(compare("nan", nan, 2), 1u);
  EXPECT_EQ(compare("ge", -0.0f, 0.0f), 1u);
  // Two at once: (1, 2) and (2, NaN).
  const char *pairs = " %p1|%p2, %r1, %r2; selp.b32 %r4, 1, 0, %p1; selp.b32 %r5, 10, 0, %p2; add.u32 %r4, %r4, %r5;";
  EXPECT_EQ(evaluateOne(std::string("setp.lt.f16x2") + pairs, 0x40003c00u, 0x7e004000u), 1u);
  EXPECT_EQ(evaluateOne(std::string("setp.neu.bf16x2") + pairs, 0x40003f80u, 0x7fc03f80u), 10u);
  EXPECT_EQ(evaluateOne("setp.lt.s32 %p1, %r1, %r2; selp.b32 %r4, 1, 0, %p1;", uint32_t(-1), 1), 1u);
  EXPECT_EQ(evaluateOne("setp.lt.u32 %p1, %r1, %r2; selp.b32 %r4, 1, 0, %p1;", uint32_t(-1), 1), 0u);
  EXPECT_EQ(evaluateOne("setp.hi.u32 %p1, %r1, %r2; selp.b32 %r4, 1, 0, %p1;", uint32_t(-1), 1), 1u);
}

TEST(EmulatorCompare, JoinsWithAPredicateAndYieldsBoth) {
  // p = (a < b) and not c, q = not (a < b) and not c.
  const char *text = "setp.ne.b32 %p3, %r3, 0; setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3; selp.b32 %r5, 1, 0, %p1; "
                     "selp.b32 %r6, 2, 0, %p2; or.b32 %r4, %r5, %r6;";
  EXPECT_EQ(evaluateOne(text, 1, 2, 0), 1u);
  EXPECT_EQ(evaluateOne(text, 2, 1, 0), 2u);
  EXPECT_EQ(evaluateOne(text, 1, 2, 1), 0u);
  EXPECT_EQ(evaluateOne("testp.finite.f32 %p1, %r1; selp.b32 %r4, 1, 0, %p1;", 0x7f800000), 0u);
  EXPECT_EQ(evaluateOne("slct.b32.s32 %r4, %r1, %r2, %r3;", 5, 6, uint32_t(-1)), 6u);
}

} // namespace
