//===- EmulatorChecksTest.cpp - What the emulator reports -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorHarness.h"

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

/// Launches with one buffer x of 64 words.
std::string runOnWords(const std::string &body, const LaunchShape &shape, const EmulatorOptions &options = {},
                       const std::string &variables = "") {
  EmulatorHarness harness(options);
  uint64_t words = harness.filled("x", std::vector<uint32_t>(64, 1));
  return harness.launch(ptxKernel(1, body, variables), shape, {words});
}

TEST(EmulatorRegisterChecks, ReadingAnUnwrittenRegisterIsReported) {
  EXPECT_EQ(runOnWords("add.s32 %r1, %r2, 1;", {1, 32, 0}),
            "kernel 'k', CTA 0, warp 0, lane 0, PTX line 20 'add.s32 %r1, %r2, 1': register '%r2' is read before it is "
            "written");
  EXPECT_EQ(runOnWords("setp.lt.u32 %p1, %r100, 7;\n@%p1 mov.b32 %r1, 5;\nadd.s32 %r2, %r1, 1;", {1, 32, 0}),
            "kernel 'k', CTA 0, warp 0, lane 7, PTX line 22 'add.s32 %r2, %r1, 1': register '%r1' is read before it is "
            "written");
}

TEST(EmulatorRegisterChecks, AnUnwrittenHalfMayBePackedButNotRead) {
  const std::string high = "mov.b64 %rd1, {%r1, %r100};\n", low = "mov.b64 %rd1, {%r100, %r1};\n";
  const std::string store = "st.global.b32 [%rd100], %r2;";
  EXPECT_EQ(runOnWords(high + "mov.b64 {_, %r2}, %rd1;\n" + store, {1, 1, 0}), "");
  EXPECT_EQ(runOnWords(low + "mov.b64 {%r2, _}, %rd1;\n" + store, {1, 1, 0}), "");
  auto found = [&](const std::string &text, const char *name) {
    return "kernel 'k', CTA 0, warp 0, lane 0, PTX line 21 '" + text + "': register '" + name +
           "' is read before it is written";
  };
  EXPECT_EQ(runOnWords(high + "mov.b64 {%r2, _}, %rd1;", {1, 1, 0}), found("mov.b64 {%r2, _}, %rd1", "%rd1"));
  EXPECT_EQ(runOnWords(high + "mov.b64 {%r3, %r2}, %rd1;\n" + store, {1, 1, 0}), "");
  EXPECT_EQ(runOnWords(high + "mov.b64 {%r3, %r2}, %rd1;\nadd.s32 %r4, %r3, 1;", {1, 1, 0}),
            "kernel 'k', CTA 0, warp 0, lane 0, PTX line 22 'add.s32 %r4, %r3, 1': register '%r3' is read before it is "
            "written");
  EXPECT_EQ(runOnWords(high + "add.s64 %rd2, %rd1, 1;", {1, 1, 0}), found("add.s64 %rd2, %rd1, 1", "%rd1"));
  // Packed again as a whole, and the other way round, it is as if nothing had been missing.
  EXPECT_EQ(runOnWords(high + "mov.b64 %rd1, {%r100, %r100};\nadd.s64 %rd2, %rd1, 1;", {1, 1, 0}), "");
  EXPECT_EQ(
      runOnWords("mov.b64 %rd1, {%r1, %r2};", {1, 1, 0}),
      "kernel 'k', CTA 0, warp 0, lane 0, PTX line 20 'mov.b64 %rd1, {%r1, %r2}': register '%r1' is read before it "
      "is written");
}

TEST(EmulatorRegisterChecks, AnUnwrittenHalfMayBeShiftedAndMaskedAway) {
  const std::string packed = "mov.b32 %r1, {%rs1, %rs2};\n", written = "mov.b16 %rs2, 7;\n";
  for (const char *use : {"shr.u32 %r2, %r1, 16;", "and.b32 %r2, %r1, -65536;", "bfe.u32 %r2, %r1, 16, 8;",
                          "prmt.b32 %r2, %r1, 0, 0x4432U;", "cvt.u16.u32 %rs3, %r1;",
                          "mov.b64 %rd1, {%r1, %r100};\nshr.u64 %rd2, %rd1, 32;"}) {
    EXPECT_EQ(runOnWords(written + packed + use, {1, 1, 0}), "") << use;
    EXPECT_NE(runOnWords(packed + use, {1, 1, 0}), "") << use;
  }
  EXPECT_EQ(runOnWords(written + packed + "add.s32 %r2, %r1, 1;", {1, 1, 0}),
            "kernel 'k', CTA 0, warp 0, lane 0, PTX line 22 'add.s32 %r2, %r1, 1': register '%r1' is read before it is "
            "written");
}

TEST(EmulatorRegisterChecks, HalvesOfAPairAreWorkedOnApart) {
  const std::string product = "mov.b32 %r1, {%rs1, %rs2};\nmul.rn.f16x2 %r2, %r1, %r1;\n";
  EXPECT_EQ(
      runOnWords("mov.b16 %rs1, 7;\n" + product + "mov.b32 {%rs3, %rs4}, %r2;\nadd.u16 %rs5, %rs3, 1;", {1, 1, 0}), "");
  EXPECT_NE(
      runOnWords("mov.b16 %rs1, 7;\n" + product + "mov.b32 {%rs3, %rs4}, %r2;\nadd.u16 %rs5, %rs4, 1;", {1, 1, 0}), "");
  EXPECT_NE(runOnWords(product, {1, 1, 0}), "");
}

TEST(EmulatorGlobalChecks, OutOfBoundsNamesTheFirstLaneAndTheBuffer) {
  const char *load = "mul.wide.u32 %rd1, %r100, 4;\nadd.s64 %rd2, %rd100, %rd1;\nld.global.nc.b32 %r1, [%rd2+192];";
  // Byte 192 + 4 * 16 is the first past 256; a warp of contiguous lanes and a lone thread go different ways.
  EXPECT_EQ(runOnWords(load, {1, 32, 0}),
            "kernel 'k', CTA 0, warp 0, lane 16, PTX line 22 'ld.global.nc.b32 %r1, [%rd2+192]': reads 4 bytes at byte "
            "256 of argument 'x', which has 256 bytes");
  EXPECT_EQ(runOnWords(load, {1, 17, 0}),
            "kernel 'k', CTA 0, warp 0, lane 16, PTX line 22 'ld.global.nc.b32 %r1, [%rd2+192]': reads 4 bytes at byte "
            "256 of argument 'x', which has 256 bytes");
  EXPECT_EQ(runOnWords(load, {1, 16, 0}), "");
  EXPECT_EQ(runOnWords("st.global.b32 [%rd100+-4], %r100;", {1, 1, 0}),
            "kernel 'k', CTA 0, warp 0, lane 0, PTX line 20 'st.global.b32 [%rd100+-4], %r100': writes 4 bytes at byte "
            "-4 of argument 'x', which has 256 bytes");
  EXPECT_EQ(runOnWords("mov.b64 %rd1, 4096;\nld.b32 %r1, [%rd1];", {1, 1, 0}),
            "kernel 'k', CTA 0, warp 0, lane 0, PTX line 21 'ld.b32 %r1, [%rd1]': reads 4 bytes at address 0x1000, "
            "which is in no buffer");
}

TEST(EmulatorGlobalChecks, AddressArithmeticIn32BitsDoesNotPass) {
  EmulatorHarness harness;
  uint64_t words = harness.filled("x", std::vector<uint32_t>(4096, 1));
  std::string error = harness.launch(ptxKernel(1, R"(
    mov.b64 {%r1, %r2}, %rd100;
    add.s32 %r1, %r1, 8192;
    mov.b64 %rd1, {%r1, %r2};
    ld.global.b32 %r3, [%rd1];)"),
                                     {1, 1, 0}, {words});
  EXPECT_NE(error, "");
}

TEST(EmulatorGlobalChecks, MisalignedAccessIsReported) {
  EXPECT_EQ(runOnWords("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd100+8];", {1, 1, 0}),
            "kernel 'k', CTA 0, warp 0, lane 0, PTX line 20 'ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd100+8]': reads "
            "16 bytes at byte 8 of argument 'x', which has 256 bytes: the address is not a multiple of 16");
}

TEST(EmulatorGlobalChecks, ReadingWhatNobodyWroteIsReported) {
  EmulatorHarness harness;
  uint64_t words = harness.empty("workspace", 256);
  std::string error =
      harness.launch(ptxKernel(1, "st.global.b32 [%rd100], 1;\nld.global.b32 %r1, [%rd100+4];"), {1, 1, 0}, {words});
  EXPECT_EQ(error, "kernel 'k', CTA 0, warp 0, lane 0, PTX line 21 'ld.global.b32 %r1, [%rd100+4]': reads 4 bytes at "
                   "byte 4 of argument 'workspace', which has 256 bytes, but nothing was written there");
  ASSERT_TRUE(bool(harness.device->fill(words, 0, 256)));
  EXPECT_EQ(harness.launch(ptxKernel(1, "ld.global.b32 %r1, [%rd100+4];"), {1, 1, 0}, {words}), "");
}

TEST(EmulatorGlobalChecks, ReadingFreedMemoryIsReported) {
  EmulatorHarness harness;
  uint64_t words = harness.filled("x", std::vector<uint32_t>(64, 1));
  harness.buffers.clear();
  std::string error = harness.launch(ptxKernel(1, "ld.global.b32 %r1, [%rd100];"), {1, 1, 0}, {words});
  EXPECT_NE(error.find("byte 0 of freed argument 'x'"), std::string::npos) << error;
}

TEST(EmulatorGlobalChecks, TwoCtasThatWriteDifferentValuesAreReported) {
  EmulatorOptions options;
  options.hostThreads = 1;
  EXPECT_EQ(runOnWords("st.global.b32 [%rd100], %r101;", {2, 1, 0}, options),
            "kernel 'k', CTA 1, warp 0, lane 0, PTX line 20 'st.global.b32 [%rd100], %r101': writes 4 bytes at byte 0 "
            "of argument 'x', which has 256 bytes, where another CTA has written something else in the same launch");
  // The same value, or neighbours, are no conflict.
  EXPECT_EQ(runOnWords("st.global.b32 [%rd100], 7;", {8, 1, 0}, options), "");
  EXPECT_EQ(runOnWords("mul.wide.u32 %rd1, %r101, 2;\nadd.s64 %rd2, %rd100, %rd1;\ncvt.u16.u32 %rs1, %r101;\n"
                       "st.global.b16 [%rd2], %rs1;",
                       {64, 1, 0}),
            "");
}

TEST(EmulatorGlobalChecks, ReadingWhatAnotherCtaWritesIsReported) {
  EmulatorOptions options;
  options.hostThreads = 1;
  std::string body = "setp.eq.b32 %p1, %r101, 0;\n@%p1 st.global.b32 [%rd100], 7;\n@!%p1 ld.global.b32 %r1, [%rd100];";
  std::string error = runOnWords(body, {2, 1, 0}, options);
  EXPECT_NE(error.find("which CTA 0 writes in the same launch"), std::string::npos) << error;
  options.checkRaces = false;
  EXPECT_EQ(runOnWords(body, {2, 1, 0}, options), "");
}

TEST(EmulatorGlobalChecks, AReadOnlyLoadOfWhatTheKernelWritesIsReported) {
  std::string error = runOnWords("st.global.b32 [%rd100], 7;\nld.global.nc.b32 %r1, [%rd100];", {1, 1, 0});
  EXPECT_NE(error.find("so .nc may not be used"), std::string::npos) << error;
}

/// Thread t writes word t, then reads the word of the thread a warp further on; `between` stands in the middle.
std::string exchange(const std::string &between, const std::string &after = "") {
  return ".shared .align 16 .b8 slots[256];\n"
         "mov.b32 %r1, slots;\nshl.b32 %r2, %r100, 2;\nadd.s32 %r3, %r1, %r2;\nxor.b32 %r4, %r2, 128;\n"
         "add.s32 %r5, %r1, %r4;\nst.shared.b32 [%r3], %r100;\n" +
         between + "\nld.shared.b32 %r6, [%r5];\n" + after;
}

TEST(EmulatorSharedChecks, ABarrierBetweenWriteAndReadIsEnough) {
  EXPECT_EQ(runOnWords(exchange("bar.sync 0;"), {4, 64, 0}), "");
  EXPECT_EQ(runOnWords(exchange("barrier.sync.aligned 3, 64;"), {4, 64, 0}), "");
}

TEST(EmulatorSharedChecks, AMissingBarrierIsReportedInEveryOrder) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EmulatorOptions options;
    options.seed = seed;
    std::string error = runOnWords(exchange("", ""), {1, 64, 0}, options);
    // Whichever warp runs first reads words that nobody wrote yet.
    EXPECT_NE(error.find("PTX line 28 'ld.shared.b32 %r6, [%r5]': reads 4 bytes at byte"), std::string::npos) << error;
  }
}

TEST(EmulatorSharedChecks, ReadAfterWriteNamesTheWriter) {
  // Warp 0 runs first; nothing orders the read of warp 1 after its write.
  EXPECT_EQ(
      runOnWords(R"(.shared .align 16 .b8 slots[256];
    setp.lt.u32 %p1, %r100, 32;
    @%p1 st.shared.b32 [slots], 1;
    @!%p1 ld.shared.b32 %r1, [slots];)",
                 {1, 64, 0}),
      "kernel 'k', CTA 0, warp 1, lane 0, PTX line 23 '@!%p1 ld.shared.b32 %r1, [slots]': reads 4 bytes at byte 0 "
      "of shared memory 'slots', which warp 0 at PTX line 22 '@%p1 st.shared.b32 [slots], 1' wrote with no "
      "barrier between");
}

TEST(EmulatorSharedChecks, WriteAfterReadNamesTheReader) {
  // Warp 0 runs first and reads what both may read; warp 1 then writes there.
  EXPECT_EQ(runOnWords(R"(.shared .align 16 .b8 slots[256];
    setp.lt.u32 %p1, %r100, 32;
    @!%p1 st.shared.b32 [slots], 1;
    bar.sync 0;
    @%p1 ld.shared.b32 %r1, [slots];
    @!%p1 st.shared.b32 [slots], 2;)",
                       {1, 64, 0}),
            "kernel 'k', CTA 0, warp 1, lane 0, PTX line 25 '@!%p1 st.shared.b32 [slots], 2': writes 4 bytes at byte 0 "
            "of shared memory 'slots', which warp 0 at PTX line 24 '@%p1 ld.shared.b32 %r1, [slots]' read with no "
            "barrier between");
}

TEST(EmulatorSharedChecks, AMissingTrailingBarrierOfALoopIsReported) {
  // The second row's write races with the first row's read.
  const char *rows = R"(.shared .align 16 .b8 slots[256];
    mov.b32 %r1, slots;
    shl.b32 %r2, %r100, 2;
    add.s32 %r3, %r1, %r2;
    xor.b32 %r4, %r2, 128;
    add.s32 %r5, %r1, %r4;
    mov.b32 %r7, 0;
ROW:
    st.shared.b32 [%r3], %r7;
    bar.sync 0;
    ld.shared.b32 %r6, [%r5];
    TRAILING
    add.s32 %r7, %r7, 1;
    setp.lt.u32 %p1, %r7, 3;
    @%p1 bra ROW;)";
  std::string missing = rows, present = rows;
  missing.replace(missing.find("TRAILING"), 8, "");
  present.replace(present.find("TRAILING"), 8, "bar.sync 0;");
  for (uint64_t seed = 0; seed < 4; ++seed) {
    EmulatorOptions options;
    options.seed = seed;
    std::string error = runOnWords(missing, {1, 64, 0}, options);
    // Which of the two comes second depends on the order; both are named.
    EXPECT_NE(error.find("PTX line 28 'st.shared.b32 [%r3], %r7'"), std::string::npos) << error;
    EXPECT_NE(error.find("PTX line 30 'ld.shared.b32 %r6, [%r5]'"), std::string::npos) << error;
    EXPECT_NE(error.find("with no barrier between"), std::string::npos) << error;
    EXPECT_EQ(runOnWords(present, {1, 64, 0}, options), "");
  }
}

TEST(EmulatorSharedChecks, TwoWarpsThatWriteOneWordAreReported) {
  std::string error = runOnWords(".shared .align 4 .b8 flag[4];\nst.shared.b32 [flag], %r100;", {1, 64, 0});
  EXPECT_NE(error.find("wrote too with no barrier between"), std::string::npos) << error;
  // Halves of one word are not the same place.
  EXPECT_EQ(runOnWords(R"(.shared .align 4 .b8 halves[128];
    mov.b32 %r1, halves;
    shr.u32 %r2, %r100, 5;
    and.b32 %r3, %r100, 31;
    shl.b32 %r3, %r3, 2;
    shl.b32 %r2, %r2, 1;
    add.s32 %r4, %r1, %r2;
    add.s32 %r4, %r4, %r3;
    mov.b16 %rs1, 1;
    st.shared.b16 [%r4], %rs1;)",
                       {1, 64, 0}),
            "");
}

TEST(EmulatorSharedChecks, NamedBarriersOrderOnlyTheWarpsThatMeet) {
  // Warps 0 and 1 meet at barrier 1; warp 2 reads what warp 0 wrote and met nobody.
  const char *body = R"(.shared .align 4 .b8 slot[4];
    setp.lt.u32 %p1, %r100, 32;
    setp.ge.u32 %p2, %r100, READERS;
    @%p1 st.shared.b32 [slot], 5;
    setp.lt.u32 %p3, %r100, 64;
    @!%p3 bra SKIP;
    bar.sync 1, 64;
SKIP:
    @%p2 ld.shared.b32 %r1, [slot];)";
  std::string third = body, second = body;
  third.replace(third.find("READERS"), 7, "64");
  second.replace(second.find("READERS"), 7, "32");
  EXPECT_NE(runOnWords(third, {1, 96, 0}).find("wrote with no barrier between"), std::string::npos);
  EXPECT_EQ(runOnWords(second, {1, 64, 0}), "");
}

TEST(EmulatorSharedChecks, UninitializedReadsAreReportedForEveryCta) {
  EXPECT_EQ(runOnWords(".shared .align 4 .b8 s[8];\nst.shared.b32 [s], 1;\nld.shared.b32 %r1, [s+4];", {1, 1, 0}),
            "kernel 'k', CTA 0, warp 0, lane 0, PTX line 22 'ld.shared.b32 %r1, [s+4]': reads 4 bytes at byte 4 of "
            "shared memory 's', but nothing was written there");
  // CTA 1 must not see what CTA 0 left behind.
  EmulatorOptions options;
  options.hostThreads = 1;
  std::string error = runOnWords(".shared .align 4 .b8 s[4];\nsetp.eq.b32 %p1, %r101, 0;\n@%p1 st.shared.b32 [s], 1;\n"
                                 "ld.shared.b32 %r1, [s];",
                                 {2, 1, 0}, options);
  EXPECT_NE(error.find("CTA 1"), std::string::npos) << error;
  EXPECT_NE(error.find("nothing was written there"), std::string::npos) << error;
}

TEST(EmulatorSharedChecks, BoundsOfStaticAndDynamicMemory) {
  EXPECT_EQ(
      runOnWords(".shared .align 4 .b8 s[8];\nmov.b32 %r1, s;\nst.shared.b32 [%r1+8], 1;", {1, 1, 0}),
      "kernel 'k', CTA 0, warp 0, lane 0, PTX line 22 'st.shared.b32 [%r1+8], 1': writes 4 bytes at shared address "
      "1032, where the CTA has 1024 to 1032, which is past the CTA's 8 bytes");
  const char *dynamic = "mov.b32 %r1, ring;\nst.shared.b32 [%r1+60], 1;\nst.shared.b32 [s], 2;\nld.shared.b32 %r2, "
                        "[%r1+60];\n.shared .align 4 .b8 s[4];";
  const char *variable = ".extern .shared .align 16 .b8 ring[];";
  EXPECT_EQ(runOnWords(dynamic, {1, 1, 64}, {}, variable), "");
  EXPECT_NE(runOnWords(dynamic, {1, 1, 60}, {}, variable).find("byte 60 of shared memory 'ring'"), std::string::npos);
}

TEST(EmulatorBarriers, DivergentBarrierIsReported) {
  EXPECT_EQ(runOnWords("setp.lt.u32 %p1, %r100, 8;\n@%p1 bra LOW;\nbar.sync 0;\nbra.uni END;\nLOW:\nbar.sync 1;\nEND:",
                       {1, 32, 0}),
            "kernel 'k', CTA 0, warp 0, PTX line 22 'bar.sync 0': divergent barrier: lanes 0xffffff00 wait here, lanes "
            "0x000000ff at PTX line 25");
  EXPECT_EQ(runOnWords("setp.lt.u32 %p1, %r100, 8;\n@%p1 bar.sync 0;", {1, 32, 0}),
            "kernel 'k', CTA 0, warp 0, PTX line 21 '@%p1 bar.sync 0': divergent barrier: only lanes 0x000000ff of "
            "0xffffffff take part");
}

TEST(EmulatorBarriers, ADeadlockNamesBarriersAndWarps) {
  EXPECT_EQ(runOnWords("setp.lt.u32 %p1, %r100, 32;\n@%p1 bra LOW;\nbar.sync 0;\nbra.uni END;\nLOW:\nbar.sync 1;\nEND:",
                       {1, 64, 0}),
            "kernel 'k', CTA 0, 2 of 2 warps: deadlock: barrier 0 has 1 of 2 warps, and warp 1 waits at PTX line 22 "
            "'bar.sync 0', barrier 1 has 1 of 2 warps, and warp 0 waits at PTX line 25 'bar.sync 1'");
  EXPECT_EQ(runOnWords("bar.sync 2, 64;", {1, 32, 0}),
            "kernel 'k', CTA 0, warp 0, PTX line 20 'bar.sync 2, 64': expected a thread count that is a multiple of 32 "
            "of at most 32, but got 64");
}

TEST(EmulatorBarriers, ArriveDoesNotWait) {
  // Warp 0 produces and goes on, warp 1 waits for it.
  EXPECT_EQ(runOnWords(R"(.shared .align 4 .b8 slot[4];
    setp.lt.u32 %p1, %r100, 32;
    @!%p1 bra CONSUME;
    st.shared.b32 [slot], 5;
    bar.arrive 1, 64;
    bra.uni END;
CONSUME:
    bar.sync 1, 64;
    ld.shared.b32 %r1, [slot];
END:)",
                       {1, 64, 0}),
            "");
}

} // namespace
