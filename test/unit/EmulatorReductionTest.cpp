//===- EmulatorReductionTest.cpp - red and atom on vectors ----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorHarness.h"

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// Runs a body over a zeroed buffer of 64 words; returns them, or fails.
std::string run(const std::string &body, const LaunchShape &shape, std::vector<uint32_t> *words = nullptr) {
  EmulatorHarness harness;
  uint64_t address = harness.filled("sums", std::vector<uint32_t>(64, 0));
  std::string error = harness.launch(ptxKernel(1, body), shape, {address});
  if (words)
    *words = harness.read<uint32_t>(address, 64);
  return error;
}

/// What 64 threads leave that each do one reduction with 1.0, 2.0, 0.5 and -1.0 in %r1 to %r4, as f32, and twice 1.0 as
/// two halves in %r5 (bf16) and %r6 (f16), once in %rs5.
std::vector<uint32_t> reduced(const std::string &instruction, size_t count) {
  std::vector<uint32_t> words;
  std::string error = run("mov.b32 %r1, 0f3F800000;\nmov.b32 %r2, 0f40000000;\nmov.b32 %r3, 0f3F000000;\nmov.b32 %r4, "
                          "0fBF800000;\nmov.b32 %r5, 0x3F803F80;\nmov.b32 %r6, 0x3C003C00;\nmov.b16 %rs5, "
                          "0x3F80;\nmov.b64 %rd1, 0;\n" +
                              instruction,
                          {1, 64, 0}, &words);
  EXPECT_EQ(error, "") << instruction;
  words.resize(count);
  return words;
}

using Words = std::vector<uint32_t>;
constexpr uint32_t f64 = 0x42800000, f128 = 0x43000000, f32 = 0x42000000, fMinus64 = 0xC2800000;

TEST(EmulatorReduction, VectorsOfF32AreAdded) {
  EXPECT_EQ(reduced("red.global.add.f32 [%rd100], %r1;", 2), (Words{f64, 0}));
  EXPECT_EQ(reduced("red.global.add.v2.f32 [%rd100], {%r1, %r2};", 3), (Words{f64, f128, 0}));
  EXPECT_EQ(reduced("red.global.add.v4.f32 [%rd100+16], {%r1, %r2, %r3, %r4};", 8),
            (Words{0, 0, 0, 0, f64, f128, f32, fMinus64}));
  EXPECT_EQ(reduced("red.relaxed.gpu.global.v4.f32.add [%rd100], {%r1, %r2, %r3, %r4};", 4),
            (Words{f64, f128, f32, fMinus64}));
  EXPECT_EQ(reduced("red.global.add.L2::cache_hint.v4.f32 [%rd100], {%r1, %r2, %r3, %r4}, %rd1;", 4),
            (Words{f64, f128, f32, fMinus64}));
  EXPECT_EQ(reduced("atom.global.add.f32 %r7, [%rd100], %r1;", 1), (Words{f64}));
  EXPECT_EQ(reduced("atom.global.v2.f32.add {%r7, %r8}, [%rd100], {%r1, %r2};", 2), (Words{f64, f128}));
}

TEST(EmulatorReduction, VectorsOfHalvesAreAdded) {
  const uint32_t bf64 = 0x42804280, h64 = 0x54005400;
  EXPECT_EQ(reduced("red.global.add.noftz.bf16x2 [%rd100], %r5;", 2), (Words{bf64, 0}));
  EXPECT_EQ(reduced("red.global.add.noftz.f16x2 [%rd100], %r6;", 2), (Words{h64, 0}));
  EXPECT_EQ(reduced("red.global.v2.bf16x2.add.noftz [%rd100], {%r5, %r5};", 3), (Words{bf64, bf64, 0}));
  EXPECT_EQ(reduced("red.global.v4.f16x2.add.noftz [%rd100], {%r6, %r6, %r6, %r6};", 4), (Words{h64, h64, h64, h64}));
  EXPECT_EQ(reduced("red.global.add.noftz.v8.bf16 [%rd100], {%rs5, %rs5, %rs5, %rs5, %rs5, %rs5, %rs5, %rs5};", 4),
            (Words{bf64, bf64, bf64, bf64}));
}

TEST(EmulatorReduction, SharedMemoryOfAnotherCta) {
  // Both CTAs of a cluster add to CTA 0's sum.
  const std::string body = R"(.shared .align 4 .b8 sum[4];
    mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.shared.b32 [sum], 0;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mov.b32 %r2, sum;
    mapa.shared::cluster.u32 %r3, %r2, 0;
    mov.b32 %r4, 0f3F800000;
    red.shared::cluster.add.f32 [%r3], %r4;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    @%p1 ld.shared.b32 %r5, [sum];
    @%p1 st.global.b32 [%rd100], %r5;)";
  std::vector<uint32_t> words;
  ASSERT_EQ(run(body, {2, 32, 0, 2}, &words), "");
  EXPECT_EQ(words[0], f64);
}

TEST(EmulatorReduction, WhatIsNotThereIsRefused) {
  EXPECT_TRUE(contains(run("red.global.add.v4.f32 [%rd100+4], {%r1, %r1, %r1, %r1};", {1, 1, 0}), "is read before it"));
  EXPECT_TRUE(
      contains(run("mov.b32 %r1, 0;\nred.global.add.v4.f32 [%rd100+4], {%r1, %r1, %r1, %r1};", {1, 1, 0}),
               "updates 16 bytes at byte 4 of argument 'sums', which has 256 bytes: the address is not a multiple "
               "of 16"));
  EXPECT_TRUE(contains(run("red.global.add.v4.f32 [%rd100], {%r1, %r1};", {1, 1, 0}), "to have 4 elements"));
  EXPECT_TRUE(contains(run("red.global.add.v4.u32 [%rd100], {%r1, %r1, %r1, %r1};", {1, 1, 0}), "is not supported"));
  EXPECT_TRUE(
      contains(run("red.global.add.v4.f64 [%rd100], {%rd1, %rd1, %rd1, %rd1};", {1, 1, 0}), "is not supported"));
}

TEST(EmulatorReduction, AddingOrdersNothingElse) {
  // A reduction tells its thread nothing, so what CTAs store to one place beside it is a race.
  const std::string body =
      "mov.b32 %r1, 0f3F800000;\nred.global.add.f32 [%rd100], %r1;\nst.global.b32 [%rd100+64], %r101;";
  EXPECT_TRUE(contains(run(body, {8, 1, 0}), "where another CTA has written something else in the same launch"));
}

TEST(EmulatorWarpWide, OneLaneIsElected) {
  std::vector<uint32_t> words;
  ASSERT_EQ(run(R"(setp.lt.u32 %p1, %r100, 5;
    @%p1 bra END;
    elect.sync %r1|%p2, 0xffffffe0;
    elect.sync _|%p3, -32;
    @!%p2 bra END;
    st.global.b32 [%rd100], %r1;
    st.global.b32 [%rd100+4], %r100;
END:)",
                {1, 32, 0}, &words),
            "");
  EXPECT_EQ(words[0], 5u);
  EXPECT_EQ(words[1], 5u);
  EXPECT_TRUE(contains(run("setp.lt.u32 %p1, %r100, 5;\n@%p1 bra END;\nelect.sync _|%p3, 1;\nEND:", {1, 32, 0}),
                       "expected the member mask to name the lanes that take part"));
}

TEST(EmulatorControl, HintsMustBeWellFormed) {
  EXPECT_EQ(run("setmaxnreg.inc.sync.aligned.u32 232;\nsetmaxnreg.dec.sync.aligned.u32 24;\nmov.u64 %rd1, "
                "%clock64;\nmov.u64 %rd2, %globaltimer;\ncreatepolicy.fractional.L2::evict_first.b64 %rd3, 1.0;",
                {1, 32, 0}),
            "");
  EXPECT_TRUE(contains(run("setmaxnreg.inc.sync.aligned.u32 100;", {1, 32, 0}),
                       "expected a multiple of 8 from 24 to 256 registers, but got 100"));
  EXPECT_TRUE(contains(run("setmaxnreg.sync.aligned.u32 96;", {1, 32, 0}),
                       "expected 'setmaxnreg' to be .inc.sync.aligned or .dec.sync.aligned"));
  EXPECT_TRUE(contains(run("mov.u32 %r1, %clock64;", {1, 32, 0}), "but '%clock64' has 64 bits"));
  EXPECT_TRUE(contains(run("fence.proxy.tensormap::generic.acquire.gpu [%rd100], 128;", {1, 32, 0}), "expected '"));
  EXPECT_EQ(run("fence.proxy.async;\nfence.proxy.async.global;\nfence.proxy.async.shared::cta;\n"
                "fence.proxy.async.shared::cluster;\nfence.proxy.alias;\nfence.acq_rel.cluster;\nfence.sc.gpu;\n"
                "fence.acq_rel.cta;\nmembar.gl;\nmembar.cta;",
                {1, 32, 0}),
            "");
}

TEST(EmulatorControl, NamedBarriersOfSomeWarps) {
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2; warp 3 also arrives at barrier 3, where warp 0 waits.
  const std::string body = R"(.shared .align 4 .b8 slots[512];
    shr.u32 %r1, %r100, 6;
    add.s32 %r2, %r1, 1;
    shr.u32 %r3, %r100, 5;
    shl.b32 %r4, %r100, 2;
    mov.b32 %r5, slots;
    add.s32 %r6, %r5, %r4;
    xor.b32 %r7, %r4, 128;
    add.s32 %r7, %r5, %r7;
    st.shared.b32 [%r6], %r100;
    barrier.sync %r2, 64;
    ld.shared.b32 %r8, [%r7];
    setp.eq.u32 %p1, %r3, 3;
    setp.eq.u32 %p2, %r3, 0;
    @%p1 bra ARRIVE;
    @!%p2 bra END;
    bar.sync 3, 64;
    ld.shared.b32 %r9, [%r5+508];
    st.global.b32 [%rd100], %r9;
    bra.uni END;
ARRIVE:
    bar.arrive 3, 64;
END:)";
  std::vector<uint32_t> words;
  ASSERT_EQ(run(body, {1, 128, 0}, &words), "");
  EXPECT_EQ(words[0], 127u);
  std::string apart = body;
  apart.replace(apart.find("bar.arrive 3, 64;"), 17, "bar.arrive 4, 64;");
  EXPECT_TRUE(contains(run(apart, {1, 128, 0}), "deadlock: barrier 3 has 1 of 2 warps"));
}

} // namespace
