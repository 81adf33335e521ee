//===- EmulatorBulkCopyTest.cpp - cp.async.bulk ---------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingHarness.h"

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

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
  EXPECT_EQ(runCopyBody(kLoad, one), "");
  EXPECT_EQ(runCopyBody(replaced(kLoad, "shared::cluster.global", "shared::cta.global"), one), "");
  EXPECT_EQ(
      runCopyBody(replaced(kLoad, load,
                           "createpolicy.fractional.L2::evict_first.b64 %rd1, 1.0;\n"
                           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [stage], "
                           "[%rd100], 256, [full], %rd1;"),
                  one),
      "");
  EXPECT_TRUE(contains(runCopyBody(replaced(kLoad, "complete_tx::bytes", "complete_tx::bytes.multicast::cluster"), one),
                       "is not supported"));
  EXPECT_EQ(runCopyBody("cp.async.bulk.prefetch.L2.global [%rd100], 256;", one), "");
  for (const char *refused :
       {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd100], [%r1], 16;",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 16, [%r3];",
        "cp.async.bulk.global.shared::cluster.bulk_group [%rd100], [%r1], 16;",
        "cp.async.bulk.shared::cluster.global.bulk_group [%r1], [%rd100], 16;"})
    EXPECT_TRUE(contains(runCopyBody(refused, one), "is not supported")) << refused;
}

TEST(EmulatorBulkCopy, AddressesAndSizesAreMultiplesOf16) {
  const LaunchShape one{1, 1, 0};
  EXPECT_TRUE(contains(runCopyBody(replaced(kLoad, "[stage], [%rd100], 256", "[stage], [%rd100], 248"), one),
                       "expected a multiple of 16 bytes above 0 to copy, but got 248"));
  EXPECT_TRUE(contains(runCopyBody(replaced(kLoad, "[stage], [%rd100], 256", "[stage], [%rd100], 0"), one),
                       "expected a multiple of 16 bytes above 0 to copy, but got 0"));
  EXPECT_TRUE(
      contains(runCopyBody(replaced(kLoad, "[%rd100], 256", "[%rd100+8], 16"), one),
               "reads 16 bytes at byte 8 of argument 'from', which has 4096 bytes: the address is not a multiple "
               "of 16"));
  EXPECT_TRUE(contains(runCopyBody(replaced(kLoad, "[stage], [%rd100], 256", "[stage+8], [%rd100], 16"), one),
                       "writes 16 bytes at byte 8 of shared memory 'stage': the address is not a multiple of 16"));
}

TEST(EmulatorBulkCopy, BothSidesMustLieInOneBuffer) {
  const LaunchShape one{1, 1, 0};
  EXPECT_TRUE(contains(runCopyBody(replaced(kLoad, "[%rd100], 256", "[%rd100+3856], 256"), one),
                       "reads 256 bytes at byte 3856 of argument 'from', which has 4096 bytes"));
  EXPECT_TRUE(
      contains(runCopyBody(replaced(kLoad, "[%rd100], 256", "[%rd101], 256"), one),
               "reads 256 bytes at byte 0 of argument 'to', which has 4096 bytes, but nothing was written there"));
  EXPECT_TRUE(contains(runCopyBody(replaced(kLoad, "[stage], [%rd100], 256", "[stage], [%rd100], 1024"), one),
                       "writes 1024 bytes at byte 0 of shared memory 'stage', which is past the CTA's 272 bytes"));
  EXPECT_TRUE(contains(runCopyBody(replaced(kLoad, "[stage], [%rd100], 256", "[stage+16], [%rd100], 256"), one),
                       "writes 256 bytes at byte 16 of shared memory 'stage', where the mbarrier of PTX line 24 "
                       "'mbarrier.init.shared.b64 [other], 1' is"));
}

TEST(EmulatorBulkCopy, ReadingWithoutWaitingIsReported) {
  const LaunchShape one{1, 1, 0};
  std::string error = runCopyBody(replaced(kLoad, "@!%p1 bra WAIT;", ""), one);
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
  EXPECT_TRUE(contains(runCopyBody(two, one), "with no wait for it between that and the end"));
  EXPECT_TRUE(contains(runCopyBody(replaced(two, "shared.b64 %p1, [full], 0", "shared.b64 %p1, [other], 0"), one),
                       "which a bulk copy at PTX line 27 "));
}

TEST(EmulatorBulkCopy, WhatTheGenericProxyWroteIsFencedBeforeACopyOverwritesIt) {
  const LaunchShape one{1, 1, 0};
  std::string zeroed = replaced(kLoad, "    mbarrier.init.shared.b64 [full], 1;",
                                "    st.shared.b32 [stage+16], 0;\n    mbarrier.init.shared.b64 [full], 1;");
  EXPECT_EQ(runCopyBody(zeroed, one), "");
  std::string late = replaced(kLoad, "fence.proxy.async;", "fence.proxy.async;\nst.shared.b32 [stage+16], 0;");
  EXPECT_TRUE(contains(runCopyBody(late, one),
                       "writes 256 bytes at byte 16 of shared memory 'stage', which warp 0 at PTX line 26 "
                       "'st.shared.b32 [stage+16], 0' wrote with no fence.proxy.async between"))
      << runCopyBody(late, one);
}

TEST(EmulatorBulkCopy, AStageInFlightIsNotFilledAgain) {
  std::string twice = replaced(kLoad, "[stage], [%rd100], 256, [full];",
                               "[stage], [%rd100], 128, [full];\ncp.async.bulk.shared::cluster.global.mbarrier::"
                               "complete_tx::bytes [stage+64], [%rd100], 128, [full];");
  EXPECT_TRUE(contains(runCopyBody(twice, {1, 1, 0}), "which a bulk copy at PTX line 27 "));
  EXPECT_TRUE(contains(runCopyBody(twice, {1, 1, 0}), "wrote too with no barrier between"));
}

TEST(EmulatorBulkCopy, AnMBarrierThatACopyCompletesOnIsNotEnded) {
  std::string ended = replaced(kLoad, "WAIT:", "mbarrier.inval.shared.b64 [full];\nWAIT:");
  EXPECT_TRUE(
      contains(runCopyBody(ended, {1, 1, 0}),
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
    ASSERT_EQ(runCopies(ptxKernel(2, body), {2, 1, 0, 2}, &words, seeded(seed)), "");
    EXPECT_EQ(words[0], 0u);
    EXPECT_EQ(words[1], 64u);
  }
  EXPECT_TRUE(
      contains(runCopyBody(replaced(body, "[%rd100+256], 256, [%r5]", "[%rd100+256], 256, [%r3]"), {2, 1, 0, 2}),
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
  EXPECT_EQ(runCopyBody(kStore, one), "");
  EXPECT_EQ(runCopyBody(replaced(kStore, "bulk_group [%rd101], [row], 16;",
                                 "bulk_group.L2::cache_hint [%rd101], [row], 16, %rd1;")
                            .insert(0, "mov.b64 %rd1, 0;\n"),
                        one),
            "");
  // To have read the source is not to have written.
  EXPECT_TRUE(
      contains(runCopyBody(replaced(kStore, "wait_group 0", "wait_group.read 0"), one),
               "reads 4 bytes at byte 4 of argument 'to', which has 4096 bytes, which the copy of PTX line 23 "));
  EXPECT_EQ(runCopyBody(replaced(replaced(kStore, "wait_group 0", "wait_group.read 0"),
                                 "ld.global.b32 %r1, [%rd101+4];", "mov.b32 %r1, 0;"),
                        one),
            "");
  EXPECT_TRUE(contains(runCopyBody(replaced(kStore, "wait_group 0", "wait_group 1"), one), "the copy of PTX line 23 "));
  EXPECT_TRUE(contains(runCopyBody(replaced(kStore, "fence.proxy.async;", ""), one),
                       "which warp 0 at PTX line 21 'st.shared.v4.b32 [row], {5, 6, 7, 8}' wrote with no "
                       "fence.proxy.async between"));
  EXPECT_TRUE(contains(runCopyBody(replaced(kStore, "st.shared.v4.b32 [row], {5, 6, 7, 8};", ""), one),
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

} // namespace
