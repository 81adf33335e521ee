//===- EmulatorBulkCopyTest.cpp - cp.async.bulk and rings of it -----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorHarness.h"
#include "RingPtx.h"

#include <numeric>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return text.replace(found, from.size(), to);
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// A kernel over 1024 words that count up, and as many that nothing was written to.
std::string run(const std::string &ptx, const LaunchShape &shape, std::vector<uint32_t> *words = nullptr,
                EmulatorOptions options = {}) {
  EmulatorHarness harness(options);
  std::vector<uint32_t> values(1024);
  std::iota(values.begin(), values.end(), 0u);
  uint64_t from = harness.filled("from", values), to = harness.empty("to", 4096);
  std::string error = harness.launch(ptx, shape, {from, to});
  if (words && error.empty())
    *words = harness.read<uint32_t>(to, 1024);
  return error;
}

std::string runBody(const std::string &body, const LaunchShape &shape = {1, 32, 0},
                    std::vector<uint32_t> *words = nullptr) {
  return run(ptxKernel(2, body), shape, words);
}

EmulatorOptions seeded(uint64_t seed) {
  EmulatorOptions options;
  options.seed = seed;
  return options;
}

TEST(EmulatorRing, RowsFlowThroughTwoStages) {
  for (uint64_t seed = 0; seed < 8; ++seed)
    for (int64_t grid : {1, 2}) {
      std::vector<uint32_t> words;
      ASSERT_EQ(run(kRingPtx, {grid, 64, 0}, &words, seeded(seed)), "") << seed;
      for (uint32_t i = 0; i < 6 * 64 * uint32_t(grid); ++i)
        ASSERT_EQ(words[i], i / 64 * 128 + i % 64 + (i + 1) % 64) << i;
    }
}

/// Something that a ring must have, taken out or done wrongly.
struct RingFault {
  const char *name;
  const char *from;
  const char *to;
  const char *finding;
};

class EmulatorRingFault : public testing::TestWithParam<RingFault> {};

TEST_P(EmulatorRingFault, IsFoundInEveryOrder) {
  const RingFault &fault = GetParam();
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::string error = run(replaced(kRingPtx, fault.from, fault.to), {1, 64, 0}, nullptr, seeded(seed));
    EXPECT_TRUE(contains(error, fault.finding)) << seed << ": " << error;
    EXPECT_TRUE(contains(error, "PTX line ")) << error;
  }
}

constexpr RingFault kRingFaults[] = {
    {"NoFenceOfTheInitialization", "fence.mbarrier_init.release.cluster;", "",
     "with neither fence.mbarrier_init nor fence.proxy.async between"},
    {"NoBarrierAfterTheInitialization", "bar.sync 0;", "", "uses an mbarrier at byte 0 of shared memory 'full', "},
    {"NoExpectedBytesAtTheStart", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 256; // first", "",
     "deadlock: "},
    {"NoExpectedBytesAtTheRefill", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r23], 256; // refill", "",
     "deadlock: "},
    {"TooManyExpectedBytes", "[%r23], 256; // refill", "[%r23], 512;", "deadlock: "},
    {"NoWaitForTheStage", "@!%p2 bra WAIT;", "", "a bulk copy at PTX line "},
    {"TheParityNeverChanges", "and.b32 %r22, %r22, 1;", "mov.b32 %r22, 0;", "PTX line "},
    {"WaitForTheOtherStage", "add.s32 %r23, %r3, %r23; // wait", "xor.b32 %r23, %r23, 8; add.s32 %r23, %r3, %r23;",
     "PTX line "},
    {"RefillOfTheOtherStage", "[%r25], [%rd5], 256, [%r23]; // refill", "[%r36], [%rd5], 256, [%r23];", "PTX line "},
    {"NoWaitBeforeTheResultIsOverwritten", "@%p1 cp.async.bulk.wait_group.read 1;", "",
     "a bulk copy of warp 0 at PTX line "},
    {"WaitForTooFewGroups", "wait_group.read 1;", "wait_group.read 2;", "a bulk copy of warp 0 at PTX line "},
    {"NoCommit", "cp.async.bulk.commit_group;", "", "a bulk copy of warp 0 at PTX line "},
    {"NoBarrierAfterTheWaitForTheResult", "bar.sync 1, 64;", "", "a bulk copy of warp 0 at PTX line "},
    {"NoProxyFence", "fence.proxy.async.shared::cta;", "", "wrote with no fence.proxy.async between"},
    {"AFenceOfGlobalMemoryOnly", "fence.proxy.async.shared::cta;", "fence.proxy.async.global;",
     "wrote with no fence.proxy.async between"},
    {"NoBarrierBeforeTheStore", "bar.sync 2, 64;", "", "of shared memory 'results', "},
    {"NoWaitAtTheEnd", "@%p1 cp.async.bulk.wait_group.read 0;", "", "with no wait for it between that and the end"},
};

INSTANTIATE_TEST_SUITE_P(, EmulatorRingFault, testing::ValuesIn(kRingFaults),
                         [](const testing::TestParamInfo<RingFault> &info) { return info.param.name; });

TEST(EmulatorRing, AStageThatOthersMayStillReadIsNotRefilled) {
  // The results go straight to global memory: only one barrier stands between the reads and the refill.
  std::vector<uint32_t> words;
  ASSERT_EQ(run(kReadRingPtx, {1, 64, 0}, &words), "");
  EXPECT_EQ(words[5 * 64 + 3], 5u * 64 + 3);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::string error = run(replaced(kReadRingPtx, "bar.sync 1, 64;", ""), {1, 64, 0}, nullptr, seeded(seed));
    EXPECT_TRUE(contains(error, "with no barrier between") && contains(error, "cp.async.bulk")) << seed << error;
  }
  // So are the barrier and the mbarrier that threads arrive at when they have read.
  EXPECT_EQ(run(kEmptyRingPtx, {1, 64, 0}, &words), "");
  EXPECT_EQ(words[5 * 64 + 3], 5u * 64 + 3);
  // Where all have arrived before thread 0 looks, nothing is wrong.
  bool isReported = false;
  for (uint64_t seed = 0; seed < 4; ++seed)
    isReported |= contains(run(replaced(kEmptyRingPtx, "@!%p4 bra EMPTY;", ""), {1, 64, 0}, nullptr, seeded(seed)),
                           "with no barrier between");
  EXPECT_TRUE(isReported);
}

TEST(EmulatorRing, WithoutChecksWhoeverDoesNotWaitReadsWhatWasThereBefore) {
  EmulatorOptions unchecked;
  unchecked.checkRaces = false;
  std::string body = R"(.shared .align 16 .b8 stage[128];
    .shared .align 8 .b8 full[8];
    shl.b32 %r1, %r100, 2;
    mov.b32 %r2, stage;
    add.s32 %r2, %r2, %r1;
    mov.b32 %r3, 7777;
    st.shared.b32 [%r2], %r3;
    setp.eq.u32 %p1, %r100, 0;
    @%p1 mbarrier.init.shared.b64 [full], 1;
    fence.proxy.async;
    bar.sync 0;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [full], 128;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [stage], [%rd100+256], 128, [full];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;
    @!%p2 bra WAIT;
    ld.shared.b32 %r4, [%r2];
    mul.wide.u32 %rd1, %r100, 4;
    add.s64 %rd2, %rd101, %rd1;
    st.global.b32 [%rd2], %r4;)";
  // 992 words are not written, which only the host would see.
  auto first = [&](const std::string &text) {
    EmulatorHarness harness(unchecked);
    std::vector<uint32_t> values(1024);
    std::iota(values.begin(), values.end(), 0u);
    uint64_t from = harness.filled("from", values), to = harness.empty("to", 128);
    EXPECT_EQ(harness.launch(ptxKernel(2, text), {1, 32, 0}, {from, to}), "");
    return harness.read<uint32_t>(to, 32)[3];
  };
  EXPECT_EQ(first(body), 67u);
  EXPECT_EQ(first(replaced(body, "mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;\n    @!%p2 bra WAIT;", "")),
            7777u);
}

/// One thread copies a row to shared memory and reads a word of it.
const char *const kLoad = R"(.shared .align 16 .b8 stage[256];
    .shared .align 8 .b8 full[8];
    .shared .align 8 .b8 other[8];
    mbarrier.init.shared.b64 [full], 1;
    mbarrier.init.shared.b64 [other], 1;
    fence.proxy.async;
    mbarrier.arrive.expect_tx.shared.b64 _, [full], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [stage], [%rd100], 256, [full];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p1, [full], 0;
    @!%p1 bra WAIT;
    ld.shared.b32 %r1, [stage+8];
    st.global.b32 [%rd101], %r1;)";

TEST(EmulatorBulkCopy, AllSpellingsOfALoad) {
  const LaunchShape one{1, 1, 0};
  const std::string load =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [stage], [%rd100], 256, [full];";
  EXPECT_EQ(runBody(kLoad, one), "");
  EXPECT_EQ(runBody(replaced(kLoad, "shared::cluster.global", "shared::cta.global"), one), "");
  EXPECT_EQ(
      runBody(replaced(kLoad, load,
                       "createpolicy.fractional.L2::evict_first.b64 %rd1, 1.0;\n"
                       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [stage], "
                       "[%rd100], 256, [full], %rd1;"),
              one),
      "");
  EXPECT_TRUE(contains(runBody(replaced(kLoad, "complete_tx::bytes", "complete_tx::bytes.multicast::cluster"), one),
                       "is not supported"));
}

TEST(EmulatorBulkCopy, AddressesAndSizesAreMultiplesOf16) {
  const LaunchShape one{1, 1, 0};
  EXPECT_TRUE(contains(runBody(replaced(kLoad, "[stage], [%rd100], 256", "[stage], [%rd100], 248"), one),
                       "expected a multiple of 16 bytes above 0 to copy, but got 248"));
  EXPECT_TRUE(contains(runBody(replaced(kLoad, "[stage], [%rd100], 256", "[stage], [%rd100], 0"), one),
                       "expected a multiple of 16 bytes above 0 to copy, but got 0"));
  EXPECT_TRUE(
      contains(runBody(replaced(kLoad, "[%rd100], 256", "[%rd100+8], 16"), one),
               "reads 16 bytes at byte 8 of argument 'from', which has 4096 bytes: the address is not a multiple "
               "of 16"));
  EXPECT_TRUE(contains(runBody(replaced(kLoad, "[stage], [%rd100], 256", "[stage+8], [%rd100], 16"), one),
                       "writes 16 bytes at byte 8 of shared memory 'stage': the address is not a multiple of 16"));
}

TEST(EmulatorBulkCopy, BothSidesMustLieInOneBuffer) {
  const LaunchShape one{1, 1, 0};
  EXPECT_TRUE(contains(runBody(replaced(kLoad, "[%rd100], 256", "[%rd100+3856], 256"), one),
                       "reads 256 bytes at byte 3856 of argument 'from', which has 4096 bytes"));
  EXPECT_TRUE(
      contains(runBody(replaced(kLoad, "[%rd100], 256", "[%rd101], 256"), one),
               "reads 256 bytes at byte 0 of argument 'to', which has 4096 bytes, but nothing was written there"));
  EXPECT_TRUE(contains(runBody(replaced(kLoad, "[stage], [%rd100], 256", "[stage], [%rd100], 1024"), one),
                       "writes 1024 bytes at byte 0 of shared memory 'stage', which is past the CTA's 272 bytes"));
  EXPECT_TRUE(contains(runBody(replaced(kLoad, "[stage], [%rd100], 256", "[stage+16], [%rd100], 256"), one),
                       "writes 256 bytes at byte 16 of shared memory 'stage', where the mbarrier of PTX line 24 "
                       "'mbarrier.init.shared.b64 [other], 1' is"));
}

TEST(EmulatorBulkCopy, ReadingWithoutWaitingIsReported) {
  const LaunchShape one{1, 1, 0};
  std::string error = runBody(replaced(kLoad, "@!%p1 bra WAIT;", ""), one);
  EXPECT_TRUE(contains(error, "PTX line 31 'ld.shared.b32 %r1, [stage+8]': reads 4 bytes at byte 8 of shared memory "
                              "'stage', which a bulk copy at PTX line 27 "))
      << error;
  // Another copy that was issued later and has come says nothing of this one.
  std::string two = replaced(kLoad, "[stage], [%rd100], 256, [full];",
                             "[stage], [%rd100], 256, [full];\n"
                             "mbarrier.arrive.expect_tx.shared.b64 _, [other], 128;\n"
                             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [stage+128], [%rd100], "
                             "128, [other];");
  two = replaced(two, "[stage], [%rd100], 256", "[stage], [%rd100], 128");
  two = replaced(two, "[full], 256;", "[full], 128;");
  EXPECT_TRUE(contains(runBody(two, one), "with no wait for it between that and the end"));
  EXPECT_TRUE(contains(runBody(replaced(two, "shared.b64 %p1, [full], 0", "shared.b64 %p1, [other], 0"), one),
                       "which a bulk copy at PTX line 27 "));
}

TEST(EmulatorBulkCopy, WhatTheGenericProxyWroteIsFencedBeforeACopyOverwritesIt) {
  const LaunchShape one{1, 1, 0};
  std::string zeroed = replaced(kLoad, "    mbarrier.init.shared.b64 [full], 1;",
                                "    st.shared.b32 [stage+16], 0;\n    mbarrier.init.shared.b64 [full], 1;");
  EXPECT_EQ(runBody(zeroed, one), "");
  std::string late = replaced(kLoad, "fence.proxy.async;", "fence.proxy.async;\nst.shared.b32 [stage+16], 0;");
  EXPECT_TRUE(contains(runBody(late, one),
                       "writes 256 bytes at byte 16 of shared memory 'stage', which warp 0 at PTX line 26 "
                       "'st.shared.b32 [stage+16], 0' wrote with no fence.proxy.async between"))
      << runBody(late, one);
}

TEST(EmulatorBulkCopy, AStageInFlightIsNotFilledAgain) {
  std::string twice = replaced(kLoad, "[stage], [%rd100], 256, [full];",
                               "[stage], [%rd100], 128, [full];\ncp.async.bulk.shared::cluster.global.mbarrier::"
                               "complete_tx::bytes [stage+64], [%rd100], 128, [full];");
  EXPECT_TRUE(contains(runBody(twice, {1, 1, 0}), "which a bulk copy at PTX line 27 "));
  EXPECT_TRUE(contains(runBody(twice, {1, 1, 0}), "wrote too with no barrier between"));
}

TEST(EmulatorBulkCopy, AnMBarrierThatACopyCompletesOnIsNotEnded) {
  std::string ended = replaced(kLoad, "WAIT:", "mbarrier.inval.shared.b64 [full];\nWAIT:");
  EXPECT_TRUE(
      contains(runBody(ended, {1, 1, 0}),
               "ends the mbarrier at byte 0 of shared memory 'full' while copies that complete on it are under way"));
}

TEST(EmulatorBulkCopy, IntoAnotherCtaOfTheCluster) {
  // CTA 0 fills the stage of both, on the mbarrier of each.
  const std::string body = R"(.shared .align 16 .b8 stage[256];
    .shared .align 8 .b8 full[8];
    mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p1, %r1, 0;
    mbarrier.init.shared.b64 [full], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [full], 256;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mov.b32 %r2, stage;
    mov.b32 %r3, full;
    mapa.shared::cluster.u32 %r4, %r2, 1;
    mapa.shared::cluster.u32 %r5, %r3, 1;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd100], 256, [%r3];
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd100+256], 256, [%r5];
WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [full], 0, 1000;
    @!%p2 bra WAIT;
    ld.shared.b32 %r6, [stage];
    mul.wide.u32 %rd1, %r1, 4;
    add.s64 %rd2, %rd101, %rd1;
    st.global.b32 [%rd2], %r6;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;)";
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<uint32_t> words;
    ASSERT_EQ(run(ptxKernel(2, body), {2, 1, 0, 2}, &words, seeded(seed)), "");
    EXPECT_EQ(words[0], 0u);
    EXPECT_EQ(words[1], 64u);
  }
  EXPECT_TRUE(contains(runBody(replaced(body, "[%rd100+256], 256, [%r5]", "[%rd100+256], 256, [%r3]"), {2, 1, 0, 2}),
                       "copies to another CTA than that of the mbarrier"));
}

/// One thread writes a row and copies it to global memory.
const char *const kStore = R"(.shared .align 16 .b8 row[16];
    st.shared.v4.b32 [row], {5, 6, 7, 8};
    fence.proxy.async;
    cp.async.bulk.global.shared::cta.bulk_group [%rd101], [row], 16;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ld.global.b32 %r1, [%rd101+4];
    st.shared.b32 [row], %r1;)";

TEST(EmulatorBulkCopy, StoresComeWhenTheyAreWaitedFor) {
  const LaunchShape one{1, 1, 0};
  std::vector<uint32_t> words;
  EXPECT_EQ(runBody(kStore, one), "");
  EXPECT_EQ(runBody(replaced(kStore, "bulk_group [%rd101], [row], 16;",
                             "bulk_group.L2::cache_hint [%rd101], [row], 16, %rd1;")
                        .insert(0, "mov.b64 %rd1, 0;\n"),
                    one),
            "");
  // To have read the source is not to have written.
  EXPECT_TRUE(
      contains(runBody(replaced(kStore, "wait_group 0", "wait_group.read 0"), one),
               "reads 4 bytes at byte 4 of argument 'to', which has 4096 bytes, which the copy of PTX line 23 "));
  EXPECT_EQ(runBody(replaced(replaced(kStore, "wait_group 0", "wait_group.read 0"), "ld.global.b32 %r1, [%rd101+4];",
                             "mov.b32 %r1, 0;"),
                    one),
            "");
  EXPECT_TRUE(contains(runBody(replaced(kStore, "wait_group 0", "wait_group 1"), one), "the copy of PTX line 23 "));
  EXPECT_TRUE(contains(runBody(replaced(kStore, "fence.proxy.async;", ""), one),
                       "which warp 0 at PTX line 21 'st.shared.v4.b32 [row], {5, 6, 7, 8}' wrote with no "
                       "fence.proxy.async between"));
  EXPECT_TRUE(contains(runBody(replaced(kStore, "st.shared.v4.b32 [row], {5, 6, 7, 8};", ""), one),
                       "but nothing was written there"));
}

TEST(EmulatorBulkCopy, AnEndedKernelHasStoredWhatItReadTheSourceOf) {
  EmulatorHarness harness;
  uint64_t to = harness.empty("to", 16);
  std::string body = replaced(kStore, "wait_group 0", "wait_group.read 0");
  body = replaced(body, "ld.global.b32 %r1, [%rd101+4];\n    st.shared.b32 [row], %r1;", "");
  ASSERT_EQ(harness.launch(ptxKernel(2, body), {1, 1, 0}, {to, to}), "");
  EXPECT_EQ(harness.read<uint32_t>(to, 4), (std::vector<uint32_t>{5, 6, 7, 8}));
}

/// One warp: each lane reads its word of a stage that lane 0 then fills again.
const char *const kWarpRing = R"(.shared .align 16 .b8 stage[128];
    .shared .align 8 .b8 full[8];
    mov.b32 %r2, stage;
    shl.b32 %r1, %r100, 2;
    add.s32 %r3, %r2, %r1;
    setp.eq.u32 %p1, %r100, 0;
    mov.b32 %r5, 0;
    @%p1 mbarrier.init.shared.b64 [full], 1;
    @%p1 fence.proxy.async;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [full], 128;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd100], 128, [full];
    bar.warp.sync -1;
LOOP:
    and.b32 %r6, %r5, 1;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [full], %r6;
    @!%p2 bra WAIT;
    ld.shared.b32 %r4, [%r3];
    add.s32 %r5, %r5, 1;
    setp.eq.u32 %p3, %r5, 2;
    @%p3 bra END;
    bar.warp.sync -1; // read
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [full], 128;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd100+128], 128, [full];
    bra.uni LOOP;
END:
    st.shared.b32 [%r3], %r4;
    fence.proxy.async;
    bar.warp.sync -1; // written
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd101], [%r2], 128;
    @%p1 cp.async.bulk.commit_group;
    @%p1 cp.async.bulk.wait_group.read 0;)";

TEST(EmulatorRing, LanesMeetBeforeOneOfThemCopiesForAll) {
  std::vector<uint32_t> words;
  EXPECT_EQ(runBody(kWarpRing), "");
  std::string error = runBody(replaced(kWarpRing, "bar.warp.sync -1; // read", ""));
  EXPECT_TRUE(contains(error, "which warp 0 at PTX line 37 'ld.shared.b32 %r4, [%r3]' read with no barrier between"))
      << error;
  error = runBody(replaced(kWarpRing, "bar.warp.sync -1; // written", ""));
  EXPECT_TRUE(contains(error, "which warp 0 at PTX line 46 'st.shared.b32 [%r3], %r4' wrote with no barrier between"))
      << error;
  // Another CTA in the same memory is another warp.
  std::string readLast = std::string(kWarpRing).substr(0, std::string(kWarpRing).find("END:")) + "END:";
  EXPECT_EQ(runBody(readLast, {8, 32, 0}), "");
  // A vote or a shuffle is a meeting too.
  EXPECT_EQ(runBody(replaced(kWarpRing, "bar.warp.sync -1; // read", "vote.sync.ballot.b32 %r9, %p1, -1;")), "");
}

} // namespace
