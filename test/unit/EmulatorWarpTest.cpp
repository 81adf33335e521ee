//===- EmulatorWarpTest.cpp - Lanes that part, meet and exchange ----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorHarness.h"

#include <numeric>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

constexpr const char *storeR4 = R"(
    mul.wide.u32 %rd0, %r100, 4;
    add.s64 %rd1, %rd100, %rd0;
    st.global.b32 [%rd1], %r4;)";

/// %r4 of each thread of one CTA.
std::vector<uint32_t> runThreads(const std::string &body, unsigned threads, const EmulatorOptions &options = {}) {
  EmulatorHarness harness(options);
  uint64_t result = harness.empty("result", threads * 4);
  EXPECT_EQ(harness.launch(ptxKernel(1, body + storeR4), {1, threads, 0}, {result}), "");
  return harness.read<uint32_t>(result, threads);
}

/// The error of one CTA that runs a body.
std::string runError(const std::string &body, unsigned threads) {
  EmulatorHarness harness;
  return harness.launch(ptxKernel(0, body), {1, threads, 0}, {});
}

TEST(EmulatorWarp, LanesTakeTheirOwnSideOfABranch) {
  std::vector<uint32_t> result = runThreads(R"(
    setp.lt.u32 %p1, %r100, 10;
    @%p1 bra LOW;
    add.s32 %r4, %r100, 1000;
    bra JOIN;
LOW:
    add.s32 %r4, %r100, 1;
JOIN:)",
                                            32);
  for (uint32_t thread = 0; thread < 32; ++thread)
    EXPECT_EQ(result[thread], thread < 10 ? thread + 1 : thread + 1000);
}

TEST(EmulatorWarp, EachLaneLoopsAsOftenAsItWants) {
  // The sum of 1 to thread.
  std::vector<uint32_t> result = runThreads(R"(
    mov.b32 %r4, 0;
    mov.b32 %r1, %r100;
LOOP:
    setp.eq.b32 %p1, %r1, 0;
    @%p1 bra DONE;
    add.s32 %r4, %r4, %r1;
    add.s32 %r1, %r1, -1;
    bra.uni LOOP;
DONE:)",
                                            40);
  for (uint32_t thread = 0; thread < 40; ++thread)
    EXPECT_EQ(result[thread], thread * (thread + 1) / 2);
}

TEST(EmulatorWarp, MeetsAtABarrierThatStandsBeforeTheOtherSide) {
  // The taken side lies behind the barrier in the text and jumps back: lowest program counter first alone would run
  // the other lanes into the barrier without it.
  std::vector<uint32_t> result = runThreads(R"(
    mov.b32 %r4, 5;
    setp.lt.u32 %p1, %r100, 7;
    @%p1 bra COLD;
MEET:
    bar.sync 0;
    shfl.sync.idx.b32 %r4, %r4, 0, 31, -1;
    bra.uni STORE;
COLD:
    mov.b32 %r4, 9;
    bra.uni MEET;
STORE:)",
                                            64);
  EXPECT_EQ(result, [] {
    std::vector<uint32_t> expected(64, 5);
    std::fill_n(expected.begin(), 32, 9);
    return expected;
  }());
}

TEST(EmulatorWarp, PredicatedInstructionsLeaveOtherLanesAlone) {
  std::vector<uint32_t> result = runThreads(R"(
    mov.b32 %r4, 3;
    setp.gt.u32 %p1, %r100, 15;
    @%p1 mov.b32 %r4, 4;
    @!%p1 add.s32 %r4, %r4, 10;)",
                                            32);
  EXPECT_EQ(result[15], 13u);
  EXPECT_EQ(result[16], 4u);
}

TEST(EmulatorWarp, InlineAssemblyScopesRegistersAndLabels) {
  // Both blocks have a predicate p and a label DONE of their own.
  std::vector<uint32_t> result = runThreads(R"(
    mov.b32 %r4, 0;
    {.reg .pred p; setp.ne.b32 p, %r100, 0; @p bra DONE; add.s32 %r4, %r4, 1; DONE: add.s32 %r4, %r4, 10; }
    {.reg .pred p; setp.ne.b32 p, %r100, 1; @p bra DONE; add.s32 %r4, %r4, 2; DONE: add.s32 %r4, %r4, 20; })",
                                            32);
  EXPECT_EQ(result[0], 31u);
  EXPECT_EQ(result[1], 32u);
  EXPECT_EQ(result[2], 30u);
}

TEST(EmulatorWarp, APredicatedOffLoadReadsNothing) {
  EmulatorHarness harness;
  uint64_t result = harness.empty("result", 4);
  // What a dropped slot compiles to: the address is wild, the load is off.
  std::string error = harness.launch(ptxKernel(1, R"(
    mov.b32 %r1, 0;
    mov.b64 %rd5, 0x123456789abc;
    {.reg .pred p; setp.ne.b32 p, %r1, 0; mov.b32 %r4, 0; @p ld.global.cs.b32 %r4, [%rd5];}
    st.global.b32 [%rd100], %r4;)"),
                                     {1, 1, 0}, {result});
  EXPECT_EQ(error, "");
  EXPECT_EQ(harness.read<uint32_t>(result, 1)[0], 0u);
}

TEST(EmulatorWarp, ShufflesInEveryMode) {
  std::vector<uint32_t> butterfly = runThreads("shfl.sync.bfly.b32 %r4, %r100, 5, 31, -1;", 32);
  std::vector<uint32_t> index = runThreads("shfl.sync.idx.b32 %r4, %r100, 7, 31, -1;", 32);
  // Segments of 8: c is 31 clamped, with the segment mask 0x18 in bits 8 to 12.
  std::vector<uint32_t> down = runThreads("shfl.sync.down.b32 %r4|%p1, %r100, 2, 0x181f, -1;"
                                          "@!%p1 mov.b32 %r4, 99;",
                                          32);
  std::vector<uint32_t> up = runThreads("shfl.sync.up.b32 %r4|%p1, %r100, 2, 0x1800, -1;"
                                        "@!%p1 mov.b32 %r4, 99;",
                                        32);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(butterfly[lane], lane ^ 5);
    EXPECT_EQ(index[lane], 7u);
    EXPECT_EQ(down[lane], lane % 8 < 6 ? lane + 2 : 99);
    EXPECT_EQ(up[lane], lane % 8 >= 2 ? lane - 2 : 99);
  }
}

TEST(EmulatorWarp, ButterflySumsAWarp) {
  std::vector<uint32_t> result = runThreads(R"(
    mov.b32 %r4, %r100;
    shfl.sync.bfly.b32 %r1, %r4, 16, 31, -1;
    add.s32 %r4, %r4, %r1;
    shfl.sync.bfly.b32 %r1, %r4, 8, 31, -1;
    add.s32 %r4, %r4, %r1;
    shfl.sync.bfly.b32 %r1, %r4, 4, 31, -1;
    add.s32 %r4, %r4, %r1;
    shfl.sync.bfly.b32 %r1, %r4, 2, 31, -1;
    add.s32 %r4, %r4, %r1;
    shfl.sync.bfly.b32 %r1, %r4, 1, 31, -1;
    add.s32 %r4, %r4, %r1;)",
                                            64);
  EXPECT_EQ(result[5], 31u * 32 / 2);
  EXPECT_EQ(result[40], 31u * 32 / 2 + 32 * 32);
}

TEST(EmulatorWarp, VotesReducesAndAsksWhoIsActive) {
  EXPECT_EQ(runThreads("setp.lt.u32 %p1, %r100, 3; vote.sync.ballot.b32 %r4, %p1, -1;", 32)[9], 7u);
  EXPECT_EQ(runThreads("setp.lt.u32 %p1, %r100, 3; vote.sync.any.pred %p2, %p1, -1; selp.b32 %r4, 1, 0, %p2;", 32)[9],
            1u);
  EXPECT_EQ(runThreads("setp.lt.u32 %p1, %r100, 3; vote.sync.all.pred %p2, %p1, -1; selp.b32 %r4, 1, 0, %p2;", 32)[9],
            0u);
  EXPECT_EQ(runThreads("redux.sync.add.s32 %r4, %r100, -1;", 32)[3], 496u);
  EXPECT_EQ(runThreads("redux.sync.max.u32 %r4, %r100, -1;", 32)[3], 31u);
  EXPECT_EQ(runThreads("setp.lt.u32 %p1, %r100, 3; mov.b32 %r4, 0; @%p1 activemask.b32 %r4;", 32)[1], 7u);
}

TEST(EmulatorWarp, AShuffleFromALaneThatIsAwayIsReported) {
  EXPECT_EQ(runError("shfl.sync.idx.b32 %r4, %r100, 20, 31, 0xffff;", 16),
            "kernel 'k', CTA 0, warp 0, lane 0, PTX line 20 'shfl.sync.idx.b32 %r4, %r100, 20, 31, 0xffff': reads lane "
            "20, which does not take part");
}

TEST(EmulatorWarp, AShuffleThatSomeLanesNeverReachIsReported) {
  std::string error = runError(R"(setp.lt.u32 %p1, %r100, 8;
    @%p1 bra LOW;
    shfl.sync.bfly.b32 %r4, %r100, 1, 31, -1;
    bra.uni END;
LOW:
    bar.warp.sync -1;
END:)",
                               32);
  EXPECT_EQ(error, "kernel 'k', CTA 0, warp 0, PTX line 22 'shfl.sync.bfly.b32 %r4, %r100, 1, 31, -1': lanes that must "
                   "meet have diverged: lanes 0xffffff00 wait here, lanes 0x000000ff at PTX line 25");
}

TEST(EmulatorWarp, TheMemberMaskOfAPredicatedOffLaneDoesNotCount) {
  // Lanes 16 to 31 sum up, of which 24 to 31 come later; what lower lanes hold as a mask is not read.
  std::vector<uint32_t> result = runThreads(R"(
    mov.b32 %r4, 1;
    setp.gt.u32 %p1, %r100, 15;
    setp.gt.u32 %p2, %r100, 23;
    selp.b32 %r1, 0xffff0000, 1, %p1;
    @%p2 bra LATE;
SUM:
    @%p1 redux.sync.add.s32 %r4, %r4, %r1;
    bra.uni STORE;
LATE:
    mov.b32 %r4, 2;
    bra.uni SUM;
STORE:)",
                                            32);
  EXPECT_EQ(result[3], 1u);
  EXPECT_EQ(result[20], 8u + 16);
  EXPECT_EQ(result[30], 8u + 16);
}

TEST(EmulatorWarp, LanesThatEndedAreNotWaitedFor) {
  std::vector<uint32_t> result = runThreads(R"(
    mov.b32 %r4, 1;
    mul.wide.u32 %rd0, %r100, 4;
    add.s64 %rd1, %rd100, %rd0;
    setp.gt.u32 %p1, %r100, 3;
    @%p1 st.global.b32 [%rd1], 0;
    @%p1 ret;
    bar.sync 0;
    redux.sync.add.s32 %r4, %r4, 0xf;)",
                                            64);
  EXPECT_EQ(result[0], 4u);
  EXPECT_EQ(result[63], 0u);
}

TEST(EmulatorWarp, AnUnwrittenRegisterIsReported) {
  EXPECT_EQ(runError("setp.lt.u32 %p1, %r100, 5;\n@%p1 mov.b32 %r1, 1;\nadd.s32 %r2, %r1, 1;", 32),
            "kernel 'k', CTA 0, warp 0, lane 5, PTX line 22 'add.s32 %r2, %r1, 1': register '%r1' is read before it is "
            "written");
  // The back end marks values that do not matter.
  EXPECT_EQ(runError("// implicit-def: %r1\nadd.s32 %r2, %r1, 1;", 32), "");
}

TEST(EmulatorWarp, AnEndlessLoopAndATrapAreReported) {
  EmulatorOptions options;
  options.maxWarpInstructions = 1000;
  EmulatorHarness harness(options);
  EXPECT_NE(harness.launch(ptxKernel(0, "L: bra.uni L;"), {1, 32, 0}, {}).find("is there an endless loop"),
            std::string::npos);
  EXPECT_EQ(runError("setp.eq.b32 %p1, %r100, 6;\n@%p1 trap;", 32),
            "kernel 'k', CTA 0, warp 0, lane 6, PTX line 21 '@%p1 trap': the kernel trapped");
}

TEST(EmulatorWarp, LocalMemoryIsEachThreadsOwn) {
  std::vector<uint32_t> result = runThreads(R"(
    .local .align 8 .b8 __local_depot0[8];
    .reg .b64 %SP;
    .reg .b64 %SPL;
    mov.b64 %SPL, __local_depot0;
    cvta.local.u64 %SP, %SPL;
    st.b32 [%SP+4], %r100;
    ld.local.b32 %r4, [%SPL+4];)",
                                            64);
  for (uint32_t thread = 0; thread < 64; ++thread)
    EXPECT_EQ(result[thread], thread);
}

TEST(EmulatorWarp, AtomicsAddUpInGlobalAndSharedMemory) {
  EmulatorHarness harness;
  uint64_t sum = harness.filled("sum", std::vector<float>{0.0f});
  uint64_t old = harness.filled("old", std::vector<uint32_t>{0});
  ASSERT_EQ(harness.launch(ptxKernel(2, R"(
    .shared .align 4 .b8 count[4];
    setp.eq.b32 %p1, %r100, 0;
    @%p1 st.shared.b32 [count], 0;
    bar.sync 0;
    atom.shared.add.u32 %r1, [count], 1;
    bar.sync 0;
    ld.shared.b32 %r2, [count];
    cvt.rn.f32.u32 %r3, %r2;
    @%p1 red.global.add.f32 [%rd100], %r3;
    atom.global.max.u32 %r5, [%rd101], %r1;)"),
                           {50, 64, 0}, {sum, old}),
            "");
  EXPECT_EQ(harness.read<float>(sum, 1)[0], 50 * 64.0f);
  EXPECT_EQ(harness.read<uint32_t>(old, 1)[0], 63u);
}

} // namespace
