//===- EmulatorGridTest.cpp - CTAs and launches that wait for another -----===//
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

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// Word 0 counts arrivals; every CTA then reads what the one before it stored.
const char *const kGridBarrier = R"(mov.u32 %r1, %nctaid.x;
    mul.wide.u32 %rd1, %r101, 4;
    add.s64 %rd2, %rd100, %rd1;
    setp.ne.b32 %p1, %r100, 0;
    @%p1 bra MEET;
    st.global.b32 [%rd2+4], %r101;
    membar.gl;
    atom.add.release.gpu.global.u32 %r2, [%rd100], 1;
SPIN:
    ld.acquire.gpu.global.b32 %r3, [%rd100];
    setp.lt.u32 %p2, %r3, %r1;
    @%p2 bra SPIN;
MEET:
    bar.sync 0;
    @%p1 ret;
    add.s32 %r4, %r101, 1;
    rem.u32 %r4, %r4, %r1;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd100, %rd3;
    ld.global.b32 %r5, [%rd4+4];
    st.global.b32 [%rd2+4096], %r5;)";

std::string meet(const std::string &body, const LaunchShape &shape, unsigned hostThreads, uint32_t *last = nullptr) {
  EmulatorOptions options;
  options.hostThreads = hostThreads;
  EmulatorHarness harness(options);
  uint64_t words = harness.filled("words", std::vector<uint32_t>(2048, 0));
  std::string error = harness.launch(ptxKernel(1, body), shape, {words});
  if (last)
    *last = harness.read<uint32_t>(words, 2048)[1024 + size_t(shape.grid) - 2];
  return error;
}

TEST(EmulatorGrid, CtasThatWaitForEachOtherThroughGlobalMemoryMeet) {
  for (unsigned hostThreads : {1, 2, 5}) {
    uint32_t last = 0;
    EXPECT_EQ(meet(kGridBarrier, {200, 64, 0}, hostThreads, &last), "");
    EXPECT_EQ(last, 199u);
  }
  EXPECT_EQ(meet(kGridBarrier, {96, 64, 0, 4}, 2), "");
}

TEST(EmulatorGrid, WaitingForWhatDoesNotComeIsADeadlockOfTheLowestCta) {
  std::string body = replaced(kGridBarrier, "setp.lt.u32 %p2, %r3, %r1;", "setp.le.u32 %p2, %r3, %r1;");
  for (unsigned hostThreads : {1, 3})
    EXPECT_EQ(meet(body, {20, 64, 0}, hostThreads),
              "kernel 'k', CTA 0, 2 of 2 warps: deadlock: barrier 0 has 1 of 2 warps, and warp 1 waits at PTX line 33 "
              "'bar.sync 0', warp 0 waits at PTX line 29 'ld.acquire.gpu.global.b32 %r3, [%rd100]'");
}

TEST(EmulatorGrid, MoreCtasThanAreResidentCanNotMeet) {
  // An SM holds two CTAs of 1024 threads, and the device has 132 SMs.
  EXPECT_EQ(meet(kGridBarrier, {264, 1024, 0}, 2), "");
  EXPECT_TRUE(contains(meet(kGridBarrier, {300, 1024, 0}, 2), "deadlock"));
}

TEST(EmulatorGrid, AFailureIsReportedRatherThanThoseThatWaitForIt) {
  std::string body = replaced(kGridBarrier, "mov.u32 %r1, %nctaid.x;",
                              "mov.u32 %r1, %nctaid.x;\nsetp.eq.u32 %p3, "
                              "%r101, 7;\n@%p3 trap;");
  for (unsigned hostThreads : {1, 3})
    EXPECT_TRUE(contains(meet(body, {20, 64, 0}, hostThreads), "CTA 7, warp 0, lane 0"));
}

TEST(EmulatorGrid, ALockByAtomicsIsPassedOn) {
  const char *body = R"(ACQUIRE:
    atom.cas.acquire.gpu.global.b32 %r1, [%rd100], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra ACQUIRE;
    ld.volatile.global.b32 %r2, [%rd100+4];
    add.s32 %r2, %r2, 1;
    st.volatile.global.b32 [%rd100+4], %r2;
    atom.exch.release.gpu.global.b32 %r3, [%rd100], 0;)";
  EmulatorHarness harness;
  uint64_t words = harness.filled("words", std::vector<uint32_t>(2, 0));
  EXPECT_EQ(harness.launch(ptxKernel(1, body), {50, 1, 0}, {words}), "");
  EXPECT_EQ(harness.read<uint32_t>(words, 2)[1], 50u);
}

TEST(EmulatorGrid, LooksAndUpdatesThatChangeNothingAreNoDeadlock) {
  // Each CTA looks a few hundred times at a flag that nobody sets, and gives up.
  const std::string loop = R"(mov.b32 %r1, 0;
LOOP:
    LOOK
    add.s32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 300;
    @%p1 bra LOOP;)";
  for (const char *look : {"red.global.add.f32 [%rd100], 0f00000000;", "atom.global.or.b32 %r3, [%rd100+4], 0;",
                           "ld.volatile.global.b32 %r2, [%rd100+4];"})
    for (unsigned hostThreads : {1, 3})
      EXPECT_EQ(meet(replaced(loop, "LOOK", look), {20, 32, 0}, hostThreads), "") << look;
  // However often a sum adds nothing.
  EXPECT_EQ(
      meet(replaced(replaced(loop, "LOOK", "red.global.add.f32 [%rd100], 0f00000000;"), "300", "5000"), {20, 32, 0}, 2),
      "");
}

TEST(EmulatorGrid, ALoopMayWatchSeveralFlags) {
  // The last CTA sets both; the others look at one after the other.
  EXPECT_EQ(meet(R"(setp.eq.u32 %p1, %r101, 19;
    @%p1 st.relaxed.gpu.global.b32 [%rd100], 1;
    @%p1 st.relaxed.gpu.global.b32 [%rd100+4], 1;
LOOK:
    ld.relaxed.gpu.global.b32 %r1, [%rd100];
    ld.relaxed.gpu.global.b32 %r2, [%rd100+4];
    and.b32 %r1, %r1, %r2;
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra LOOK;)",
                 {20, 32, 0}, 1),
            "");
}

TEST(EmulatorGrid, TheLastToArriveByIncrementFinishes) {
  // atom.inc wraps to 0 at the grid's size, so that the next launch finds the counter as this one did.
  const char *body = R"(mov.u32 %r1, %nctaid.x;
    sub.s32 %r2, %r1, 1;
    red.relaxed.gpu.global.add.f32 [%rd100+4], 0f3F800000;
    atom.inc.acq_rel.gpu.global.u32 %r3, [%rd100], %r2;
    setp.ne.u32 %p1, %r3, %r2;
    @%p1 ret;
    ld.relaxed.gpu.global.f32 %r4, [%rd100+4];
    st.release.gpu.global.f32 [%rd100+8], %r4;)";
  EmulatorHarness harness;
  uint64_t words = harness.filled("words", std::vector<uint32_t>(3, 0));
  for (float expected : {30.0f, 60.0f}) {
    EXPECT_EQ(harness.launch(ptxKernel(1, body), {30, 1, 0}, {words}), "");
    EXPECT_EQ(harness.read<uint32_t>(words, 3)[0], 0u);
    EXPECT_EQ(harness.read<float>(words, 3)[2], expected);
  }
}

/// Two kernels: @first stores to word 0, @second copies word 0 to word 1.
class EmulatorDependence : public testing::Test {
protected:
  std::string run(const std::string &second, bool dependent, bool synchronizes = false) {
    uint64_t words = harness.filled("words", std::vector<uint32_t>(64, 1));
    auto first = harness.device->load(ptxKernel(1, "griddepcontrol.launch_dependents;\nst.global.b32 [%rd100], 7;"));
    auto then = harness.device->load(ptxKernel(1, second));
    if (!then)
      return then.error();
    EXPECT_TRUE(bool(harness.stream->launch(**(*first)->kernel("k"), {1, 1, 0}, {{words, 8}})));
    if (synchronizes)
      EXPECT_TRUE(bool(harness.stream->synchronize()));
    Status status = harness.stream->launch(**(*then)->kernel("k"), {1, 64, 0, 1, dependent}, {{words, 8}});
    return status ? "" : status.error();
  }
  EmulatorHarness harness;
  const std::string read = "ld.global.b32 %r1, [%rd100];";
};

TEST_F(EmulatorDependence, ReadingWhatTheLaunchBeforeWritesNeedsAWait) {
  EXPECT_EQ(run(read, false), "");
  EXPECT_EQ(run("griddepcontrol.wait;\n" + read, true), "");
  EXPECT_EQ(run(read, true),
            "kernel 'k', CTA 0, warp 0, lane 0, PTX line 20 'ld.global.b32 %r1, [%rd100]': reads 4 bytes at byte 0 of "
            "argument 'words', which has 256 bytes, which a launch before this dependent one writes, with no "
            "griddepcontrol.wait before");
  // What nobody writes may be read early, and everything once the host has waited.
  EXPECT_EQ(run("ld.global.b32 %r1, [%rd100+4];", true), "");
  EXPECT_EQ(run(read, true, true), "");
}

TEST_F(EmulatorDependence, WritingOverWhatTheLaunchBeforeWritesNeedsAWait) {
  EXPECT_TRUE(contains(run("st.global.b32 [%rd100], 8;", true), "writes 4 bytes at byte 0 of argument 'words'"));
  EXPECT_EQ(run("griddepcontrol.wait;\nst.global.b32 [%rd100], 8;", true), "");
}

TEST_F(EmulatorDependence, OneWarpMayWaitForTheOthersIfABarrierFollows) {
  std::string wait = "setp.lt.u32 %p1, %r100, 32;\n@%p1 griddepcontrol.wait;\n";
  EXPECT_EQ(run(wait + "bar.sync 0;\n" + read, true), "");
  EXPECT_TRUE(contains(run(wait + read, true), "with no griddepcontrol.wait before"));
}

} // namespace
