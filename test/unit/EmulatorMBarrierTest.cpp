//===- EmulatorMBarrierTest.cpp - mbarriers and asynchronous stores -------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorHarness.h"

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return text.replace(found, from.size(), to);
}

std::string run(const std::string &body, const LaunchShape &shape, std::vector<uint32_t> *words = nullptr,
                uint64_t seed = 0) {
  EmulatorOptions options;
  options.seed = seed;
  EmulatorHarness harness(options);
  uint64_t address = harness.filled("x", std::vector<uint32_t>(64, 0));
  std::string error = harness.launch(ptxKernel(1, body), shape, {address});
  if (words)
    *words = harness.read<uint32_t>(address, 64);
  return error;
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// Over a cluster: in each of three rounds every warp sends 10 * round + ctaid to the slot that stands for it in every
/// CTA; each thread adds up what came. Two buffers, as a kernel over many rows would have.
const char *const kExchange = R"(.shared .align 16 .b8 slots[512];
    .shared .align 8 .b8 full[8];
    mov.b32 %r1, slots;
    mov.b32 %r2, full;
    mov.u32 %r3, %cluster_ctarank;
    mov.u32 %r4, %cluster_nctarank;
    shr.u32 %r5, %r100, 5;
    mov.u32 %r6, %ntid.x;
    shr.u32 %r6, %r6, 5;
    mul.lo.s32 %r7, %r4, %r6;
    shl.b32 %r8, %r7, 2;
    and.b32 %r9, %r100, 31;
    setp.eq.u32 %p1, %r100, 0;
    setp.lt.u32 %p2, %r9, %r4;
    @%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
    @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], %r8;
    @%p1 fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mov.b32 %r20, 0;
    mov.b32 %r21, 0;
ROUND:
    and.b32 %r22, %r20, 1;
    shl.b32 %r23, %r22, 8;
    add.s32 %r24, %r1, %r23;
    mad.lo.s32 %r25, %r3, %r6, %r5;
    shl.b32 %r26, %r25, 2;
    add.s32 %r27, %r24, %r26;
    mapa.shared::cluster.u32 %r28, %r27, %r9;
    mapa.shared::cluster.u32 %r29, %r2, %r9;
    mad.lo.s32 %r30, %r20, 10, %r101;
    @%p2 st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r28], %r30, [%r29];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], %r22;
    @!%p3 bra WAIT;
    setp.lt.u32 %p5, %r20, 2;
    and.pred %p6, %p1, %p5;
    @%p6 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], %r8;
    mov.b32 %r31, 0;
SUM:
    shl.b32 %r32, %r31, 2;
    add.s32 %r33, %r24, %r32;
    ld.shared.b32 %r34, [%r33];
    add.s32 %r21, %r21, %r34;
    add.s32 %r31, %r31, 1;
    setp.lt.u32 %p4, %r31, %r7;
    @%p4 bra SUM;
    add.s32 %r20, %r20, 1;
    setp.lt.u32 %p5, %r20, 3;
    @%p5 bra ROUND;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    @!%p1 ret;
    mul.wide.u32 %rd1, %r101, 4;
    add.s64 %rd2, %rd100, %rd1;
    st.global.b32 [%rd2], %r21;)";

TEST(EmulatorMBarrier, AsyncStoresExchangeOverACluster) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    std::vector<uint32_t> words;
    ASSERT_EQ(run(kExchange, {8, 64, 0, 4}, &words, seed), "") << seed;
    // Rounds 0, 1, 2, two warps: 2 * (4 * 30 + 3 * (0 + 1 + 2 + 3)); the second cluster's CTAs are 4 higher.
    EXPECT_EQ(words[0], 2u * (120 + 18));
    EXPECT_EQ(words[3], 2u * (120 + 18));
    EXPECT_EQ(words[5], 2u * (120 + 18 + 3 * 16));
  }
}

TEST(EmulatorMBarrier, ReadingAnAsyncStoreWithoutWaitingIsReported) {
  std::string error = run(replaced(kExchange, "@!%p3 bra WAIT;", ""), {4, 64, 0, 4});
  EXPECT_TRUE(contains(error, "'ld.shared.b32 %r34, [%r33]': reads 4 bytes at byte ")) << error;
  // The warp's own store is no exception.
  std::string own = R"(.shared .align 8 .b8 full[8];
    .shared .align 4 .b8 slot[4];
    mbarrier.init.shared.b64 [full], 1;
    mov.b32 %r1, slot;
    mov.b32 %r2, full;
    mapa.shared::cluster.u32 %r3, %r1, 0;
    mapa.shared::cluster.u32 %r4, %r2, 0;
    mbarrier.arrive.expect_tx.shared.b64 %rd1, [full], 4;
    st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r3], 9, [%r4];
WAIT:
    mbarrier.try_wait.shared.b64 %p1, [full], %rd1;
    @!%p1 bra WAIT;
    ld.shared.b32 %r5, [slot];)";
  EXPECT_EQ(run(own, {1, 1, 0}), "");
  error = run(replaced(own, "mbarrier.try_wait.shared.b64 %p1, [full], %rd1;\n    @!%p1 bra WAIT;", ""), {1, 1, 0});
  EXPECT_TRUE(contains(error,
                       "which an asynchronous store of warp 0 at PTX line 28 'st.async.shared::cluster.mbarrier::"
                       "complete_tx::bytes.b32 [%r3], 9, [%r4]' wrote with no barrier between"))
      << error;
}

TEST(EmulatorMBarrier, WaitingForOneStoreOrdersNoLaterOne) {
  const std::string body = R"(.shared .align 8 .b8 first[8];
    .shared .align 8 .b8 second[8];
    .shared .align 8 .b8 slots[8];
    mbarrier.init.shared.b64 [first], 1;
    mbarrier.init.shared.b64 [second], 1;
    mapa.shared::cluster.u32 %r1, slots, 0;
    mapa.shared::cluster.u32 %r2, first, 0;
    mapa.shared::cluster.u32 %r3, second, 0;
    mbarrier.arrive.expect_tx.shared.b64 %rd1, [first], 4;
    mbarrier.arrive.expect_tx.shared.b64 %rd2, [second], 4;
    st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], 1, [%r2];
    st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1+4], 2, [%r3];
WAIT:
    mbarrier.try_wait.shared.b64 %p1, [WAITED], %rd1;
    @!%p1 bra WAIT;
    ld.shared.b32 %r4, [slots+4];)";
  EXPECT_EQ(run(replaced(body, "WAITED", "second"), {1, 1, 0}), "");
  EXPECT_TRUE(contains(run(replaced(body, "WAITED", "first"), {1, 1, 0}),
                       "which an asynchronous store of warp 0 at PTX line 31 "));
}

TEST(EmulatorMBarrier, AsyncStoresOfVectors) {
  std::vector<uint32_t> words;
  ASSERT_EQ(run(R"(.shared .align 8 .b8 full[8];
    .shared .align 16 .b8 slots[32];
    mbarrier.init.shared.b64 [full], 1;
    mov.b32 %r1, slots;
    mov.b32 %r2, full;
    mapa.shared::cluster.u32 %r3, %r1, 0;
    mapa.shared::cluster.u32 %r4, %r2, 0;
    mbarrier.arrive.expect_tx.shared.b64 %rd1, [full], 32;
    mov.b64 %rd2, 0x700000006;
    st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r3], {1, 2, 3, 4}, [%r4];
    st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r3+16], {5, 5}, [%r4];
    st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r3+24], %rd2, [%r4];
WAIT:
    mbarrier.try_wait.shared.b64 %p1, [full], %rd1, 1000;
    @!%p1 bra WAIT;
    ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [slots];
    ld.shared.v4.b32 {%r14, %r15, %r16, %r17}, [slots+16];
    st.global.v4.b32 [%rd100], {%r10, %r11, %r12, %r13};
    st.global.v4.b32 [%rd100+16], {%r14, %r15, %r16, %r17};)",
                {1, 1, 0}, &words),
            "");
  words.resize(8);
  EXPECT_EQ(words, (std::vector<uint32_t>{1, 2, 3, 4, 5, 5, 6, 7}));
}

TEST(EmulatorMBarrier, OneBufferInsteadOfTwoIsReported) {
  bool isReported = false;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::string error =
        run(replaced(kExchange, "shl.b32 %r23, %r22, 8;", "mov.b32 %r23, 0;"), {4, 64, 0, 4}, nullptr, seed);
    isReported |= contains(error, "'ld.shared.b32 %r34, [%r33]'") && contains(error, "with no barrier between");
  }
  EXPECT_TRUE(isReported);
}

TEST(EmulatorMBarrier, BytesThatDoNotComeAreADeadlock) {
  std::string error = run(replaced(kExchange, "setp.lt.u32 %p2, %r9, %r4;", "setp.lt.u32 %p2, %r9, 3;"), {4, 64, 0, 4});
  EXPECT_TRUE(contains(error, "deadlock: ")) << error;
  EXPECT_TRUE(contains(error, "waits at PTX line 53 'mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], %r22'"))
      << error;
}

TEST(EmulatorMBarrier, TheInitializationMustBePublished) {
  // Inside the CTA by its barrier, over the cluster by the fence too where the arrival is relaxed.
  std::string relaxed = replaced(kExchange, "barrier.cluster.arrive.aligned", "barrier.cluster.arrive.relaxed.aligned");
  EXPECT_EQ(run(relaxed, {4, 64, 0, 4}), "");
  std::string error = run(replaced(relaxed, "@%p1 fence.mbarrier_init.release.cluster;", ""), {4, 64, 0, 4});
  EXPECT_TRUE(contains(error, "uses an mbarrier at byte 0 of shared memory 'full'")) << error;
  EXPECT_TRUE(contains(error, "'@%p1 mbarrier.init.shared::cta.b64 [%r2], 1' initialized with no barrier between"))
      << error;
}

/// Warp 0 fills a slot and arrives; warp 1 waits and reads.
const char *const kProducer = R"(.shared .align 8 .b8 full[8];
    .shared .align 4 .b8 slot[4];
    setp.eq.u32 %p1, %r100, 0;
    setp.lt.u32 %p2, %r100, 32;
    @%p1 mbarrier.init.shared.b64 [full], 32;
    bar.sync 0;
    @!%p2 bra CONSUME;
    @%p1 st.shared.b32 [slot], 5;
    bar.warp.sync -1;
    mbarrier.arrive.shared.b64 %rd1, [full];
    bra.uni END;
CONSUME:
    mbarrier.test_wait.parity.shared.b64 %p3, [full], 0;
    @!%p3 bra CONSUME;
    ld.shared.b32 %r1, [slot];
END:)";

TEST(EmulatorMBarrier, ArrivalsOrderWhatWasWrittenBefore) {
  for (uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_EQ(run(kProducer, {1, 64, 0}, nullptr, seed), "");
  bool isReported = false;
  for (uint64_t seed = 0; seed < 4; ++seed)
    isReported |= contains(run(replaced(kProducer, "@!%p3 bra CONSUME;", ""), {1, 64, 0}, nullptr, seed),
                           "'ld.shared.b32 %r1, [slot]': reads 4 bytes at byte 0 of shared memory 'slot'");
  EXPECT_TRUE(isReported);
  EXPECT_TRUE(contains(run(replaced(kProducer, "bar.sync 0;", ""), {1, 64, 0}, nullptr, 0),
                       "initialized with no barrier between"));
}

TEST(EmulatorMBarrier, MisuseIsReported) {
  const std::string init = ".shared .align 8 .b8 full[8];\nmbarrier.init.shared.b64 [full], 2;\n";
  auto error = [&](const std::string &use) { return run(init + use, {1, 1, 0}); };
  EXPECT_EQ(error("mbarrier.arrive.shared.b64 %rd1, [full], 2;"), "");
  EXPECT_TRUE(contains(error("mbarrier.arrive.shared.b64 %rd1, [full], 3;"),
                       "PTX line 22 'mbarrier.arrive.shared.b64 %rd1, [full], 3': arrives 3 times, but 2 of 2 arrivals "
                       "are pending"));
  EXPECT_TRUE(contains(error("mbarrier.init.shared.b64 [full], 1;"),
                       "initializes the mbarrier at byte 0 of shared memory 'full', which is in use"));
  EXPECT_EQ(error("mbarrier.inval.shared.b64 [full];\nmbarrier.init.shared.b64 [full], 1;"), "");
  EXPECT_TRUE(contains(error("mbarrier.inval.shared.b64 [full];\nmbarrier.arrive.shared.b64 %rd1, [full];"),
                       "uses an mbarrier at byte 0 of shared memory 'full', but none was initialized there"));
  EXPECT_TRUE(contains(error("st.shared.b32 [full+4], 1;"),
                       "writes 4 bytes at byte 4 of shared memory 'full', where the mbarrier of PTX line 21 "
                       "'mbarrier.init.shared.b64 [full], 2' is"));
  EXPECT_TRUE(contains(error("mbarrier.test_wait.parity.shared.b64 %p1, [full], 2;"),
                       "expected a parity of 0 or 1, but got 2"));
  EXPECT_TRUE(contains(error("mbarrier.expect_tx.relaxed.cta.shared.b64 [full], 1048576;"),
                       "expected at most 1048575 bytes pending"));
  EXPECT_TRUE(contains(run("mbarrier.init.shared.b64 [s], 0;\n.shared .align 8 .b8 s[8];", {1, 1, 0}),
                       "expected a count of 1 to 1048575, but got 0"));
  EXPECT_TRUE(contains(run("mbarrier.init.shared.b64 [s+4], 1;\n.shared .align 8 .b8 s[16];", {1, 1, 0}),
                       "the address is not a multiple of 8"));
}

TEST(EmulatorMBarrier, ARemoteArrivalCounts) {
  // Every CTA of the cluster arrives at CTA 0's mbarrier, which waits for all and then reads what they stored there.
  const char *body = R"(.shared .align 8 .b8 full[8];
    .shared .align 16 .b8 slots[16];
    mov.u32 %r3, %cluster_ctarank;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 mbarrier.init.shared.b64 [full], 4;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mov.b32 %r1, slots;
    mov.b32 %r2, full;
    mapa.shared::cluster.u32 %r4, %r1, 0;
    mapa.shared::cluster.u32 %r5, %r2, 0;
    shl.b32 %r6, %r3, 2;
    add.s32 %r7, %r4, %r6;
    add.s32 %r8, %r3, 1;
    st.shared::cluster.b32 [%r7], %r8;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];
    @!%p1 ret;
WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [full], 0;
    @!%p2 bra WAIT;
    ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [slots];
    add.s32 %r10, %r10, %r11;
    add.s32 %r12, %r12, %r13;
    add.s32 %r10, %r10, %r12;
    st.global.b32 [%rd100], %r10;)";
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<uint32_t> words;
    ASSERT_EQ(run(body, {4, 1, 0, 4}, &words, seed), "");
    EXPECT_EQ(words[0], 10u);
  }
  EXPECT_NE(run(replaced(body, "@!%p2 bra WAIT;", ""), {4, 1, 0, 4}), "");
}

TEST(EmulatorMBarrier, AParityWaitTwoPhasesBehindIsADeadlock) {
  // Warp 0 completes one phase or two before warp 1 looks for the first.
  const std::string body = R"(.shared .align 8 .b8 full[8];
    setp.eq.u32 %p1, %r100, 0;
    setp.lt.u32 %p2, %r100, 32;
    @%p1 mbarrier.init.shared.b64 [full], 1;
    @%p1 mbarrier.arrive.shared.b64 _, [full];
    @%p1 mbarrier.arrive.shared.b64 _, [full];
    bar.sync 0;
    @%p2 bra END;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p3, [full], 0, 100;
    @!%p3 bra WAIT;
END:)";
  EXPECT_TRUE(contains(run(body, {1, 64, 0}),
                       "deadlock: the mbarrier at byte 0 of shared memory 'full' has completed 2 phases and lacks 1 "
                       "arrivals and 0 bytes, and warp 1 waits at PTX line 29 "));
  EXPECT_EQ(run(replaced(body, "    @%p1 mbarrier.arrive.shared.b64 _, [full];\n", ""), {1, 64, 0}), "");
  // A token says which phase is meant.
  EXPECT_TRUE(contains(run(R"(.shared .align 8 .b8 full[8];
    mbarrier.init.shared.b64 [full], 1;
    mbarrier.arrive.shared.b64 %rd1, [full];
    mbarrier.arrive.shared.b64 %rd2, [full];
    mbarrier.test_wait.shared.b64 %p1, [full], %rd2;
    mbarrier.test_wait.shared.b64 %p1, [full], %rd1;)",
                           {1, 1, 0}),
                       "waits for phase 0, but phase 1 is complete already"));
}

TEST(EmulatorMBarrier, ArrivalsAreDroppedAndBytesCompletedByHand) {
  const std::string body = R"(.shared .align 8 .b8 full[8];
    mbarrier.init.shared.b64 [full], 2;
    mbarrier.arrive.noComplete.shared.b64 %rd1, [full], 1;
    mbarrier.arrive_drop.shared.b64 _, [full];
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd2, [full], 64;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [full], 64;
    mbarrier.test_wait.acquire.cta.shared::cta.b64 %p1, [full], %rd2;
    selp.b32 %r1, 1, 0, %p1;
    st.global.b32 [%rd100], %r1;)";
  std::vector<uint32_t> words;
  EXPECT_EQ(run(body, {1, 1, 0}, &words), "");
  EXPECT_EQ(words[0], 1u);
  EXPECT_EQ(run(replaced(body, "complete_tx.relaxed.cta.shared::cta.b64 [full], 64",
                         "complete_tx.relaxed.cta.shared::cta.b64 [full], 48"),
                {1, 1, 0}, &words),
            "");
  EXPECT_EQ(words[0], 0u);
  EXPECT_TRUE(contains(
      run(replaced(body, "noComplete.shared.b64 %rd1, [full], 1", "noComplete.shared.b64 %rd1, [full], 2"), {1, 1, 0}),
      "expected not to complete the phase, but 2 of 2 arrivals are pending"));
  EXPECT_TRUE(contains(run(replaced(body, "[full], 2;", "[full], 1;"), {1, 1, 0}),
                       "expected not to complete the phase, but 1 of 1 arrivals are pending"));
  EXPECT_TRUE(contains(run("mbarrier.arrive.shared::cluster.b64 %rd1, [%r1];", {1, 1, 0}),
                       "expected '_' for the phase of an mbarrier in .shared::cluster"));
}

} // namespace
