//===- EmulatorAsyncCopyTest.cpp - cp.async -------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncCopyPtx.h"
#include "RingHarness.h"

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

/// A kernel over 384 words that count up from 0, and as many zeros.
std::string run(const std::string &ptx, const LaunchShape &shape, std::vector<uint32_t> *words = nullptr,
                EmulatorOptions options = {}) {
  EmulatorHarness harness(options);
  std::vector<uint32_t> values(384);
  std::iota(values.begin(), values.end(), 0u);
  uint64_t from = harness.filled("from", values), to = harness.filled("to", std::vector<uint32_t>(384, 0));
  std::string error = harness.launch(ptx, shape, {from, to});
  if (words)
    *words = harness.read<uint32_t>(to, 384);
  return error;
}

std::string runBody(const std::string &body, std::vector<uint32_t> *words = nullptr, LaunchShape shape = {1, 1, 0}) {
  return run(ptxKernel(2, body), shape, words);
}

TEST(EmulatorAsyncCopy, TwoStagesOneRowAhead) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    std::vector<uint32_t> words;
    ASSERT_EQ(run(kCpAsyncPtx, {1, 64, 0}, &words, seeded(seed)), "") << seed;
    for (uint32_t i = 0; i < 384; ++i)
      ASSERT_EQ(words[i], i / 64 * 128 + i % 64 + (i + 1) % 64) << i;
  }
}

struct CopyFault {
  const char *name;
  const char *from;
  const char *to;
};

class EmulatorAsyncCopyFault : public testing::TestWithParam<CopyFault> {};

TEST_P(EmulatorAsyncCopyFault, IsFoundInEveryOrder) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::string error = run(replaced(kCpAsyncPtx, GetParam().from, GetParam().to), {1, 64, 0}, nullptr, seeded(seed));
    EXPECT_TRUE(contains(error, "of shared memory 'stages', ")) << seed << ": " << error;
    EXPECT_TRUE(contains(error, "with no barrier between") || contains(error, "nothing was written there")) << error;
  }
}

constexpr CopyFault kCopyFaults[] = {
    {"NoWait", "cp.async.wait_group 1;", ""},
    {"WaitForTooFewGroups", "cp.async.wait_group 1;", "cp.async.wait_group 2;"},
    {"NoCommitOfTheFirstGroup", "cp.async.commit_group;\n  mov.u32 %r20, 0;", "mov.u32 %r20, 0;"},
    {"NoCommitOfLaterGroups", "cp.async.commit_group;\n  cp.async.wait_group 1;", "cp.async.wait_group 1;"},
    {"NoBarrierBetweenTheWaitAndReadsOfOthers", "bar.sync 0; // all copies", "//"},
    {"NoBarrierBetweenReadsAndTheNextCopies", "bar.sync 0; // all reads", "//"},
};

INSTANTIATE_TEST_SUITE_P(, EmulatorAsyncCopyFault, testing::ValuesIn(kCopyFaults),
                         [](const testing::TestParamInfo<CopyFault> &info) { return info.param.name; });

/// One thread copies 16 bytes and stores the four words that came.
const char *const kCopy = R"(.shared .align 16 .b8 stage[32];
    mov.b32 %r9, 8;
    mov.b64 %rd9, 0;
    setp.eq.u32 %p1, %r9, 8;
    cp.async.cg.shared.global [stage], [%rd100+16], 16;
    cp.async.wait_all;
    ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [stage];
    st.global.v4.b32 [%rd101], {%r1, %r2, %r3, %r4};)";

std::vector<uint32_t> copied(const std::string &operands, const char *kind = "cg") {
  std::vector<uint32_t> words;
  std::string body = replaced(kCopy, "cp.async.cg.shared.global [stage], [%rd100+16], 16;",
                              std::string("cp.async.") + kind + ".shared.global" + operands + ";");
  EXPECT_EQ(runBody(body, &words), "") << operands;
  words.resize(4);
  return words;
}

using Words = std::vector<uint32_t>;

TEST(EmulatorAsyncCopy, SourcesMayBeShorterOrIgnored) {
  EXPECT_EQ(copied(" [stage], [%rd100+16], 16"), (Words{4, 5, 6, 7}));
  EXPECT_EQ(copied(" [stage], [%rd100+16], 16", "ca"), (Words{4, 5, 6, 7}));
  EXPECT_EQ(copied(".L2::128B [stage], [%rd100+16], 16, 4"), (Words{4, 0, 0, 0}));
  EXPECT_EQ(copied(" [stage], [%rd100+16], 16, %r9"), (Words{4, 5, 0, 0}));
  EXPECT_EQ(copied(" [stage], [%rd100+16], 16, %p1"), (Words{0, 0, 0, 0}));
  EXPECT_EQ(copied(".L2::cache_hint [stage], [%rd100+16], 16, %rd9"), (Words{4, 5, 6, 7}));
  EXPECT_EQ(copied(".L2::cache_hint [stage], [%rd100+16], 16, %r9, %rd9"), (Words{4, 5, 0, 0}));
  // Nothing is read where the source has no bytes, even past the buffer.
  EXPECT_EQ(copied(" [stage], [%rd100+1536], 16, 0"), (Words{0, 0, 0, 0}));
}

TEST(EmulatorAsyncCopy, SizesAndAddresses) {
  auto error = [](const std::string &operands) {
    return runBody(replaced(kCopy, "cp.async.cg.shared.global [stage], [%rd100+16], 16;", operands + ";"));
  };
  EXPECT_TRUE(contains(error("cp.async.cg.shared.global [stage], [%rd100], 8"),
                       "expected 'cp.async' to copy 16 bytes, but got 8"));
  EXPECT_TRUE(contains(error("cp.async.ca.shared.global [stage], [%rd100], 12"),
                       "expected 'cp.async' to copy 4, 8 or 16 bytes, but got 12"));
  EXPECT_TRUE(
      contains(error("cp.async.ca.shared.global [stage], [%rd100+4], 8"),
               "reads 8 bytes at byte 4 of argument 'from', which has 1536 bytes: the address is not a multiple of 8"));
  EXPECT_TRUE(contains(error("cp.async.cg.shared.global [stage+8], [%rd100], 16"),
                       "writes 16 bytes at byte 8 of shared memory 'stage': the address is not a multiple of 16"));
  EXPECT_TRUE(contains(error("cp.async.cg.shared.global [stage], [%rd100+1536], 16"),
                       "reads 16 bytes at byte 1536 of argument 'from'"));
  EXPECT_TRUE(contains(error("cp.async.cg.shared.global [stage], [%rd100], 16, 20"),
                       "expected to read at most the 16 bytes that are written, but got 20"));
}

TEST(EmulatorAsyncCopy, EachThreadWaitsForItsOwn) {
  // Lane 1 copies too, and only lane 0 waits.
  std::string body = R"(.shared .align 16 .b8 stage[32];
    shl.b32 %r1, %r100, 4;
    mov.b32 %r2, stage;
    add.s32 %r2, %r2, %r1;
    setp.eq.u32 %p1, %r100, 0;
    cp.async.cg.shared.global [%r2], [%rd100], 16;
    cp.async.commit_group;
    @%p1 cp.async.wait_group 0;
    bar.warp.sync -1;
    ld.shared.b32 %r3, [%r2];)";
  EXPECT_TRUE(contains(runBody(body, nullptr, {1, 2, 0}), "which an asynchronous copy of warp 0 at PTX line 25 "));
  EXPECT_EQ(runBody(replaced(body, "@%p1 cp.async.wait_group 0;", "cp.async.wait_group 0;"), nullptr, {1, 2, 0}), "");
}

/// Warp 0 copies and arrives when that is done; warp 1 waits and reads.
const char *const kArrive = R"(.shared .align 16 .b8 stage[128];
    .shared .align 8 .b8 full[8];
    setp.eq.u32 %p1, %r100, 0;
    setp.lt.u32 %p2, %r100, 32;
    @%p1 mbarrier.init.shared.b64 [full], 32;
    bar.sync 0;
    and.b32 %r1, %r100, 31;
    mul.wide.u32 %rd1, %r1, 4;
    add.s64 %rd2, %rd100, %rd1;
    add.s64 %rd3, %rd101, %rd1;
    mov.b32 %r2, stage;
    shl.b32 %r3, %r1, 2;
    add.s32 %r2, %r2, %r3;
    @!%p2 bra WAIT;
    cp.async.ca.shared.global [%r2], [%rd2+64], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [full];
    bra.uni END;
WAIT:
    mbarrier.test_wait.parity.shared.b64 %p3, [full], 0;
    @!%p3 bra WAIT;
    ld.shared.b32 %r4, [%r2];
    st.global.b32 [%rd3], %r4;
END:)";

TEST(EmulatorAsyncCopy, ArrivesAtAnMBarrierWhenDone) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<uint32_t> words;
    ASSERT_EQ(run(ptxKernel(2, kArrive), {1, 64, 0}, &words, seeded(seed)), "");
    EXPECT_EQ(words[7], 23u);
    // Without .noinc the arrival is one more, so that the threads have to arrive too.
    std::string counted = replaced(kArrive, "arrive.noinc.shared.b64 [full];",
                                   "arrive.shared.b64 [full];\nmbarrier.arrive.shared.b64 %rd5, [full];");
    ASSERT_EQ(run(ptxKernel(2, counted), {1, 64, 0}, &words, seeded(seed)), "");
    EXPECT_EQ(words[7], 23u);
    std::string error = run(ptxKernel(2, replaced(counted, "mbarrier.arrive.shared.b64 %rd5, [full];", "")), {1, 64, 0},
                            nullptr, seeded(seed));
    EXPECT_TRUE(contains(error, "has completed 0 phases and lacks 32 arrivals and 0 bytes, and warp 1 waits")) << error;
    error = run(ptxKernel(2, replaced(kArrive, "@!%p3 bra WAIT;", "")), {1, 64, 0}, nullptr, seeded(seed));
    EXPECT_TRUE(error.empty() || contains(error, "of shared memory 'stage', ")) << error;
  }
  EXPECT_TRUE(contains(runBody(replaced(kArrive, "[full], 32", "[full], 31"), nullptr, {1, 64, 0}),
                       "arrives once more than the 31 times that are expected"));
}

} // namespace
