//===- EmulatorRingTest.cpp - Rings of bulk copies and their faults -------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingHarness.h"
#include "RingPtx.h"

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

TEST(EmulatorRing, RowsFlowThroughTwoStages) {
  for (uint64_t seed = 0; seed < 8; ++seed)
    for (int64_t grid : {1, 2}) {
      std::vector<uint32_t> words;
      ASSERT_EQ(runCopies(kRingPtx, {grid, 64, 0}, &words, seeded(seed)), "") << seed;
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
    std::string error = runCopies(replaced(kRingPtx, fault.from, fault.to), {1, 64, 0}, nullptr, seeded(seed));
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
  ASSERT_EQ(runCopies(kReadRingPtx, {1, 64, 0}, &words), "");
  EXPECT_EQ(words[5 * 64 + 3], 5u * 64 + 3);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::string error = runCopies(replaced(kReadRingPtx, "bar.sync 1, 64;", ""), {1, 64, 0}, nullptr, seeded(seed));
    EXPECT_TRUE(contains(error, "with no barrier between") && contains(error, "cp.async.bulk")) << seed << error;
  }
  // So are the barrier and the mbarrier that threads arrive at when they have read.
  EXPECT_EQ(runCopies(kEmptyRingPtx, {1, 64, 0}, &words), "");
  EXPECT_EQ(words[5 * 64 + 3], 5u * 64 + 3);
  // Where all have arrived before thread 0 looks, nothing is wrong.
  bool isReported = false;
  for (uint64_t seed = 0; seed < 4; ++seed)
    isReported |=
        contains(runCopies(replaced(kEmptyRingPtx, "@!%p4 bra EMPTY;", ""), {1, 64, 0}, nullptr, seeded(seed)),
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
  EXPECT_EQ(runCopyBody(kWarpRing), "");
  std::string error = runCopyBody(replaced(kWarpRing, "bar.warp.sync -1; // read", ""));
  EXPECT_TRUE(contains(error, "which warp 0 at PTX line 37 'ld.shared.b32 %r4, [%r3]' read with no barrier between"))
      << error;
  error = runCopyBody(replaced(kWarpRing, "bar.warp.sync -1; // written", ""));
  EXPECT_TRUE(contains(error, "which warp 0 at PTX line 46 'st.shared.b32 [%r3], %r4' wrote with no barrier between"))
      << error;
  // Another CTA in the same memory is another warp.
  std::string readLast = std::string(kWarpRing).substr(0, std::string(kWarpRing).find("END:")) + "END:";
  EXPECT_EQ(runCopyBody(readLast, {8, 32, 0}), "");
  // A vote or a shuffle is a meeting too.
  EXPECT_EQ(runCopyBody(replaced(kWarpRing, "bar.warp.sync -1; // read", "vote.sync.ballot.b32 %r9, %p1, -1;")), "");
}

/// to[i] of kClusterRingPtx where the words count up.
uint32_t expectedInCluster(uint32_t i) { return i + i / 128 * 128 * 128 + 127 * 64; }

TEST(EmulatorClusterRing, RowsFlowAndTheirSumsMeet) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<uint32_t> words;
    ASSERT_EQ(runCopies(kClusterRingPtx, {2, 64, 0, 2}, &words, seeded(seed)), "") << seed;
    for (uint32_t i = 0; i < 4 * 128; ++i)
      ASSERT_EQ(words[i], expectedInCluster(i)) << i;
  }
}

class EmulatorClusterRingFault : public testing::TestWithParam<RingFault> {};

TEST_P(EmulatorClusterRingFault, IsFound) {
  const RingFault &fault = GetParam();
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::string ptx = replaced(kClusterRingPtx, fault.from, fault.to);
    std::string error = runCopies(ptx, {2, 64, 0, 2}, nullptr, seeded(seed));
    EXPECT_TRUE(contains(error, fault.finding)) << seed << ": " << error;
  }
}

constexpr RingFault kClusterRingFaults[] = {
    {"NoBarrierOfTheClusterAtTheStart",
     "barrier.cluster.arrive.aligned; // start\n  barrier.cluster.wait.aligned; // start", "bar.sync 0;",
     "but that CTA may not have started"},
    {"NoExpectedBytesOfTheNextSums", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r25], 16; // again", "",
     "deadlock: "},
    {"NoWaitForTheSums", "@!%p4 bra SUMS;", "", "of shared memory 'sums', "},
    {"OnePlaceForAllSums", "shl.b32 %r28, %r21, 4; // which sums", "mov.u32 %r28, 0;", "of shared memory 'sums', "},
    {"NoWaitForTheStage", "@!%p3 bra WAIT;", "", "of shared memory 'stages', "},
};

INSTANTIATE_TEST_SUITE_P(, EmulatorClusterRingFault, testing::ValuesIn(kClusterRingFaults),
                         [](const testing::TestParamInfo<RingFault> &info) { return info.param.name; });

} // namespace
