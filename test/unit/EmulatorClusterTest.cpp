//===- EmulatorClusterTest.cpp - CTAs that share memory -------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every check is shown by a kernel that is right and by the same kernel with one
// thing broken.
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

/// Runs a kernel on 64 words of which nothing is written; returns the error and fills `words`.
std::string run(const std::string &body, const LaunchShape &shape, std::vector<uint32_t> *words = nullptr,
                uint64_t seed = 0, const std::string &variables = "") {
  EmulatorOptions options;
  options.seed = seed;
  EmulatorHarness harness(options);
  uint64_t address = harness.filled("x", std::vector<uint32_t>(1024, 0));
  std::string error = harness.launch(ptxKernel(1, body, variables), shape, {address});
  if (words)
    *words = harness.read<uint32_t>(address, 1024);
  return error;
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

const char *const kArrive = "barrier.cluster.arrive.aligned;\n";
const char *const kWait = "barrier.cluster.wait.aligned;\n";
const std::string kMeet = std::string(kArrive) + kWait;

/// Each CTA writes 100 * ctaid + tid into its own slots, and reads those of the next CTA of its cluster.
std::string neighbourExchange() {
  return R"(.shared .align 16 .b8 slots[256];
    mov.b32 %r1, slots;
    shl.b32 %r2, %r100, 2;
    add.s32 %r3, %r1, %r2;
    mad.lo.s32 %r4, %r101, 100, %r100;
    st.shared.b32 [%r3], %r4;
    mov.u32 %r5, %cluster_ctarank;
    mov.u32 %r6, %cluster_nctarank;
    add.s32 %r7, %r5, 1;
    rem.u32 %r7, %r7, %r6;
    mapa.shared::cluster.u32 %r8, %r3, %r7;
    //ready
    )" + kMeet +
         R"(    ld.shared::cluster.b32 %r9, [%r8];
    //read
    )" + kMeet +
         R"(    mov.u32 %r10, %ntid.x;
    mad.lo.s32 %r10, %r101, %r10, %r100;
    mul.wide.u32 %rd1, %r10, 4;
    add.s64 %rd2, %rd100, %rd1;
    st.global.b32 [%rd2], %r9;)";
}

TEST(EmulatorCluster, ValuesPassThroughSharedMemoryOfTheNeighbour) {
  for (int64_t cluster : {1, 2, 4, 8, 16}) {
    for (uint64_t seed : {0, 1, 2}) {
      std::vector<uint32_t> words;
      ASSERT_EQ(run(neighbourExchange(), {16, 64, 0, cluster}, &words, seed), "") << cluster;
      for (uint32_t cta = 0; cta < 16; ++cta) {
        auto first = uint32_t(cta / cluster * cluster);
        uint32_t neighbour = first + (cta - first + 1) % uint32_t(cluster);
        for (uint32_t thread = 0; thread < 64; ++thread)
          ASSERT_EQ(words[cta * 64 + thread], neighbour * 100 + thread) << cluster;
      }
    }
  }
}

TEST(EmulatorCluster, SpecialRegistersCountClusters) {
  std::vector<uint32_t> words;
  ASSERT_EQ(run(R"(mov.u32 %r1, %cluster_ctaid.x;
    mov.u32 %r2, %cluster_nctaid.x;
    mov.u32 %r3, %clusterid.x;
    mov.u32 %r4, %nclusterid.x;
    mov.u32 %r5, %cluster_nctaid.y;
    mad.lo.s32 %r1, %r2, 10, %r1;
    mad.lo.s32 %r1, %r3, 100, %r1;
    mad.lo.s32 %r1, %r4, 1000, %r1;
    mad.lo.s32 %r1, %r5, 10000, %r1;
    mul.wide.u32 %rd1, %r101, 4;
    add.s64 %rd2, %rd100, %rd1;
    st.global.b32 [%rd2], %r1;)",
                {12, 1, 0, 4}, &words),
            "");
  // CTA 6 is the third of the second of three clusters of four.
  EXPECT_EQ(words[6], 10000u + 3000 + 100 + 40 + 2);
}

TEST(EmulatorCluster, EachBarrierOfTheExchangeIsNeeded) {
  std::string withoutFirst = replaced(neighbourExchange(), "//ready\n    " + kMeet, "");
  std::string withoutLast = replaced(neighbourExchange(), "//read\n    " + kMeet, "");
  for (uint64_t seed : {0, 1, 2, 3}) {
    EXPECT_TRUE(contains(run(withoutFirst, {4, 64, 0, 4}, nullptr, seed),
                         "'ld.shared::cluster.b32 %r9, [%r8]': reads 4 bytes at byte "));
    std::string error = run(withoutLast, {4, 64, 0, 4}, nullptr, seed);
    EXPECT_TRUE(contains(error, "at its end: ") || contains(error, "but that CTA has ended")) << error;
    EXPECT_TRUE(contains(error, "'ld.shared::cluster.b32 %r9, [%r8]'")) << error;
  }
}

TEST(EmulatorCluster, AReadThatNoBarrierOrdersNamesTheWriterAndItsCta) {
  // The start is known through a relaxed arrival, which orders no memory.
  std::string relaxed = replaced(neighbourExchange(), kArrive, "barrier.cluster.arrive.relaxed.aligned;\n");
  EXPECT_EQ(
      run(relaxed, {2, 32, 0, 2}),
      "kernel 'k', CTA 1, warp 0, lane 0, PTX line 34 'ld.shared::cluster.b32 %r9, [%r8]': reads 4 bytes at byte "
      "0 of shared memory 'slots' of CTA 0, which warp 0 of CTA 0 at PTX line 25 'st.shared.b32 [%r3], %r4' wrote "
      "with no barrier between");
}

TEST(EmulatorCluster, AFenceBeforeARelaxedArrivalOrders) {
  std::string fenced =
      replaced(neighbourExchange(), kArrive, "fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed.aligned;\n");
  EXPECT_EQ(run(fenced, {4, 64, 0, 4}), "");
  // What is written after the fence is not ordered.
  std::string late =
      replaced(fenced, "fence.acq_rel.cluster;\n", "fence.acq_rel.cluster;\nst.shared.b32 [%r3], %r4;\n");
  EXPECT_TRUE(contains(run(late, {4, 64, 0, 4}), "with no barrier between"));
  EXPECT_TRUE(contains(run(replaced(fenced, "acq_rel.cluster", "acq_rel.cta"), {4, 64, 0, 4}), "no barrier between"));
}

TEST(EmulatorCluster, ARemoteWriteOverWhatTheOwnerReadsIsReported) {
  // Each CTA reads its own slot, and the neighbour then writes it.
  std::string body = R"(.shared .align 4 .b8 slot[4];
    mov.b32 %r1, slot;
    st.shared.b32 [%r1], 7;
    mov.u32 %r2, %cluster_ctarank;
    xor.b32 %r2, %r2, 1;
    mapa.shared::cluster.u32 %r3, %r1, %r2;
    )" + kMeet + R"(ld.shared.b32 %r4, [%r1];
    //between
    )" + kMeet + R"(st.shared::cluster.b32 [%r3], %r2;
    )" + kMeet;
  EXPECT_EQ(run(body, {2, 1, 0, 2}), "");
  std::string error = run(replaced(body, "//between\n    " + kMeet, ""), {2, 1, 0, 2});
  EXPECT_TRUE(contains(error, "'st.shared::cluster.b32 [%r3], %r2'")) << error;
  EXPECT_TRUE(contains(error, "'ld.shared.b32 %r4, [%r1]'")) << error;
  EXPECT_TRUE(contains(error, "with no barrier between")) << error;
}

TEST(EmulatorCluster, AnOwnerWritingOverWhatANeighbourReadsIsReported) {
  std::string body = replaced(neighbourExchange(), "//read\n    " + kMeet, "//read\nst.shared.b32 [%r3], 5;\n" + kMeet);
  std::string error = run(body, {2, 32, 0, 2});
  EXPECT_TRUE(contains(error, "'ld.shared::cluster.b32 %r9, [%r8]'")) << error;
  EXPECT_TRUE(contains(error, "'st.shared.b32 [%r3], 5'")) << error;
  EXPECT_TRUE(contains(error, " of CTA ")) << error;
}

/// CTA 1 reads what CTA 0 stored in its own slot; CTA 1 runs first after the barrier.
const std::string kOneReads = R"(mov.b32 %r1, slot;
    st.shared.b32 [%r1], 7;
    mapa.shared::cluster.u32 %r2, %r1, 0;
    setp.eq.u32 %p1, %r101, 0;
    )" + kMeet + R"(@!%p1 ld.shared::cluster.b32 %r3, [%r2];
    //then
    .shared .align 4 .b8 slot[4];)";

TEST(EmulatorCluster, AnOwnerWritingAfterANeighboursReadIsReported) {
  std::string error = run(replaced(kOneReads, "//then", "@%p1 st.shared.b32 [%r1], 5;\n" + kMeet), {2, 1, 0, 2});
  EXPECT_TRUE(contains(error,
                       "CTA 0, warp 0, lane 0, PTX line 27 '@%p1 st.shared.b32 [%r1], 5': writes 4 bytes at byte 0 of "
                       "shared memory 'slot', which warp 0 of CTA 1 at PTX line 26 '@!%p1 ld.shared::cluster.b32 "
                       "%r3, [%r2]' read with no barrier between"))
      << error;
  EXPECT_EQ(run(replaced(kOneReads, "//then", kMeet + "@%p1 st.shared.b32 [%r1], 5;"), {2, 1, 0, 2}), "");
}

TEST(EmulatorCluster, AnEndThatNoBarrierOrdersAfterAnAccessIsReported) {
  EXPECT_EQ(run(kOneReads, {2, 1, 0, 2}),
            "kernel 'k', CTA 0, at its end: warp 0 of CTA 1 accesses its shared memory at PTX line 26 '@!%p1 "
            "ld.shared::cluster.b32 %r3, [%r2]' with no cluster barrier between that and the end");
  EXPECT_EQ(run(replaced(kOneReads, "//then", kMeet), {2, 1, 0, 2}), "");
}

TEST(EmulatorCluster, AnAccessBeforeTheOtherCtaIsKnownToRunIsReported) {
  std::string body = "mov.b32 %r1, slot;\nmapa.shared::cluster.u32 %r2, %r1, 1;\n//start\n"
                     "st.shared::cluster.b32 [%r2], 1;\n" +
                     kMeet + ".shared .align 4 .b8 slot[4];";
  EXPECT_TRUE(contains(run(body, {2, 1, 0, 2}), "warp 0, lane 0, PTX line 23 'st.shared::cluster.b32 [%r2], 1': writes "
                                                "4 bytes at byte 0 of shared memory 'slot' of CTA 1, but that CTA may "
                                                "not have started: no cluster barrier was passed before"));
  // A relaxed arrival is enough to know that it runs.
  body = replaced(body, "st.shared::cluster", "setp.eq.u32 %p1, %r101, 0;\n@%p1 st.shared::cluster");
  EXPECT_EQ(
      run(replaced(body, "//start", "barrier.cluster.arrive.relaxed.aligned;\n" + std::string(kWait)), {2, 1, 0, 2}),
      "");
}

TEST(EmulatorCluster, AnAccessAfterTheOtherCtaHasEndedIsReported) {
  // CTA 1 ends at once after the start; CTA 0 stores later.
  std::string body = kMeet + R"(setp.eq.u32 %p1, %r101, 1;
    @%p1 ret;
    mov.b32 %r1, slot;
    mapa.shared::cluster.u32 %r2, %r1, 1;
    mov.b32 %r3, 0;
LOOP:
    add.s32 %r3, %r3, 1;
    bar.sync 0;
    setp.lt.u32 %p2, %r3, 5;
    @%p2 bra LOOP;
    st.shared::cluster.b32 [%r2], 1;
    .shared .align 4 .b8 slot[4];)";
  bool sawEnded = false;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::string error = run(body, {2, 32, 0, 2}, nullptr, seed);
    EXPECT_TRUE(contains(error, "'st.shared::cluster.b32 [%r2], 1'")) << error;
    sawEnded |= contains(error, "of CTA 1, but that CTA has ended");
  }
  EXPECT_TRUE(sawEnded);
}

TEST(EmulatorCluster, BoundsAndRanksOfTheOtherCtaAreChecked) {
  std::string body =
      kMeet + "mov.b32 %r1, slot;\nmapa.shared::cluster.u32 %r2, %r1, 1;\n"
              "setp.eq.u32 %p1, %r101, 0;\n@%p1 st.shared::cluster.b32 [%r2+8], 1;\n.shared .align 4 .b8 slot[8];";
  EXPECT_TRUE(contains(run(body, {2, 1, 0, 2}),
                       "writes 4 bytes at shared address 1032 of CTA 1, where the CTA has 1024 "
                       "to 1032, which is past the CTA's 8 bytes"));
  EXPECT_TRUE(contains(run(replaced(body, "%r2+8", "%r2+2"), {2, 1, 0, 2}), "the address is not a multiple of 4"));
  EXPECT_TRUE(contains(run(replaced(body, "%r1, 1;", "%r1, 2;"), {2, 1, 0, 2}),
                       "a shared address of the CTA of rank 2, but the cluster has 2 CTAs"));
  // An address of another CTA is none of the own shared memory.
  EXPECT_TRUE(contains(run(replaced(body, "st.shared::cluster.b32 [%r2+8]", "st.shared.b32 [%r2]"), {2, 1, 0, 2}),
                       "which is past the CTA's 8 bytes"));
  EXPECT_TRUE(contains(run(kMeet + "mov.b32 %r1, 0x9000400;\nst.shared::cluster.b32 [%r1], 1;", {2, 1, 0, 2}),
                       "a shared address of the CTA of rank 8, but the cluster has 2 CTAs"));
}

TEST(EmulatorCluster, GenericAddressesReachTheOtherCta) {
  std::vector<uint32_t> words;
  std::string body = R"(.shared .align 16 .b8 slots[16];
    mov.b32 %r1, slots;
    st.shared.b32 [%r1], %r101;
    st.shared.b32 [%r1+4], 3;
    st.shared.b32 [%r1+8], 4;
    st.shared.b32 [%r1+12], 5;
    mov.u32 %r2, %cluster_ctarank;
    xor.b32 %r2, %r2, 1;
    cvt.u64.u32 %rd1, %r1;
    cvta.shared.u64 %rd2, %rd1;
    mapa.u64 %rd3, %rd2, %r2;
    mapa.shared::cluster.u64 %rd4, slots, %r2;
    )" + kMeet + R"(ld.v4.b32 {%r3, %r4, %r5, %r6}, [%rd3];
    ld.shared::cluster.v2.b32 {%r7, %r8}, [%rd4];
    getctarank.u64 %r11, %rd3;
    )" + kMeet + R"(add.s32 %r9, %r3, %r5;
    add.s32 %r9, %r9, %r6;
    add.s32 %r9, %r9, %r8;
    mad.lo.s32 %r9, %r7, 100, %r9;
    mad.lo.s32 %r9, %r11, 1000, %r9;
    mul.wide.u32 %rd5, %r101, 4;
    add.s64 %rd6, %rd100, %rd5;
    st.global.b32 [%rd6], %r9;)";
  body = replaced(body, "getctarank.u64", "getctarank.u32");
  ASSERT_EQ(run(body, {2, 1, 0, 2}, &words), "");
  // CTA 0 sees 1 in CTA 1: 1 + 4 + 5 + 3, and 100 for the other way, and 1000 for the rank.
  EXPECT_EQ(words[0], 1000u + 100 + 13);
  EXPECT_EQ(words[1], 12u);
}

TEST(EmulatorCluster, AMissingArrivalIsADeadlockThatNamesCtasAndLines) {
  std::string body = "setp.eq.u32 %p1, %r101, 0;\n@%p1 bra MEET;\nbar.sync 0, 64;\nMEET:\n" + kMeet;
  EXPECT_EQ(run(body, {2, 64, 0, 2}), "");
  // CTA 1 waits at a barrier of its own that one of its warps never reaches.
  body = "setp.eq.u32 %p1, %r101, 0;\n@%p1 bra MEET;\nsetp.ge.u32 %p2, %r100, 32;\n@%p2 bra MEET;\nbar.sync 1, "
         "64;\nMEET:\n" +
         kMeet;
  EXPECT_EQ(run(body, {2, 64, 0, 2}),
            "kernel 'k', CTA 0, 2 of 2 warps: deadlock: the cluster barrier has 3 of 4 warps, and warp 0 waits at PTX "
            "line 27 'barrier.cluster.wait.aligned'; in CTA 1 barrier 1 has 1 of 2 warps, and warp 0 waits at PTX line "
            "24 'bar.sync 1, 64', the cluster barrier has 3 of 4 warps, and warp 1 waits at PTX line 27 "
            "'barrier.cluster.wait.aligned'");
}

TEST(EmulatorCluster, CtasThatHaveEndedAreNotWaitedFor) {
  EXPECT_EQ(run("setp.eq.u32 %p1, %r101, 1;\n@%p1 ret;\n" + kMeet, {2, 32, 0, 2}), "");
}

TEST(EmulatorCluster, ArrivalsAndWaitsAlternate) {
  EXPECT_TRUE(contains(run(std::string(kArrive) + kArrive + kWait, {2, 32, 0, 2}),
                       "PTX line 21 'barrier.cluster.arrive.aligned': the warp arrives twice at the cluster barrier "
                       "without a wait between"));
  EXPECT_TRUE(contains(run(kWait, {2, 32, 0, 2}), "PTX line 20 'barrier.cluster.wait.aligned': the warp waits at the "
                                                  "cluster barrier without having arrived"));
  EXPECT_TRUE(contains(run("setp.lt.u32 %p1, %r100, 8;\n@%p1 barrier.cluster.arrive.aligned;", {2, 32, 0, 2}),
                       "divergent barrier: only lanes 0x000000ff of 0xffffffff take part"));
}

TEST(EmulatorCluster, ManyPhasesOfTheBarrierKeepOrder) {
  // In turn each CTA adds 1 to a word in CTA 0.
  std::string body = R"(.shared .align 4 .b8 word[4];
    mov.b32 %r1, word;
    mov.u32 %r2, %cluster_ctarank;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 st.shared.b32 [%r1], 0;
    mapa.shared::cluster.u32 %r3, %r1, 0;
    mov.b32 %r4, 0;
LOOP:
    )" + kMeet + R"(setp.eq.u32 %p2, %r4, %r2;
    @%p2 ld.shared::cluster.b32 %r5, [%r3];
    @%p2 add.s32 %r5, %r5, 1;
    @%p2 st.shared::cluster.b32 [%r3], %r5;
    add.s32 %r4, %r4, 1;
    setp.lt.u32 %p3, %r4, 4;
    @%p3 bra LOOP;
    )" + kMeet + R"(@!%p1 ret;
    ld.shared.b32 %r6, [%r1];
    mul.wide.u32 %rd1, %r101, 4;
    add.s64 %rd2, %rd100, %rd1;
    st.global.b32 [%rd2], %r6;)";
  for (uint64_t seed : {0, 1, 2, 3}) {
    std::vector<uint32_t> words;
    ASSERT_EQ(run(body, {8, 1, 0, 4}, &words, seed), "");
    EXPECT_EQ(words[0], 4u);
    EXPECT_EQ(words[4], 4u);
  }
}

TEST(EmulatorCluster, TheClusterBarrierOrdersGlobalMemoryWithinTheCluster) {
  std::string body = R"(setp.eq.u32 %p1, %r101, 0;
    @%p1 st.global.b32 [%rd100], 7;
    )" + kMeet + "ld.global.b32 %r1, [%rd100];";
  EXPECT_EQ(run(body, {2, 1, 0, 2}), "");
  std::string error = run(body, {4, 1, 0, 2});
  EXPECT_TRUE(contains(error, "which the cluster of CTA 0 writes in the same launch")) << error;
}

TEST(EmulatorCluster, LaunchesThatHardwareRefusesAreRefused) {
  EXPECT_EQ(run("", {6, 32, 0, 4}), "kernel 'k': expected a grid of whole clusters of 4 CTAs, but got 6 CTAs");
  EXPECT_EQ(run("", {34, 32, 0, 17}), "kernel 'k': expected 1 to 16 CTAs a cluster, but got 17");
  EXPECT_EQ(run("", {34, 32, 0, 0}), "kernel 'k': expected 1 to 16 CTAs a cluster, but got 0");
  EmulatorHarness harness;
  std::string required =
      replaced(ptxKernel(0, ""), ".maxntid", ".explicitcluster\n.reqnctapercluster 4, 1, 1\n.maxntid");
  EXPECT_EQ(harness.launch(required, {8, 32, 0, 4}, {}), "");
  EXPECT_EQ(harness.launch(required, {8, 32, 0, 2}, {}),
            "kernel 'k': expected clusters of the 4 CTAs of its .reqnctapercluster, but got 2");
  std::string most = replaced(ptxKernel(0, ""), ".maxntid", ".maxclusterrank 2\n.maxntid");
  EXPECT_EQ(harness.launch(most, {8, 32, 0, 4}, {}),
            "kernel 'k': expected clusters of at most the 2 CTAs of its .maxclusterrank, but got 4");
  EmulatorOptions options;
  options.chip = "sm_80";
  EmulatorHarness older(options);
  EXPECT_FALSE(older.device->info().hasClusters);
  EXPECT_EQ(older.launch(replaced(ptxKernel(0, ""), "sm_90", "sm_80"), {8, 32, 0, 2}, {}),
            "kernel 'k': expected a chip of sm_90 or newer to launch clusters of 2 CTAs, but the emulator runs as an "
            "older one");
}

} // namespace
