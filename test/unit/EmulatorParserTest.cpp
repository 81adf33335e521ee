//===- EmulatorParserTest.cpp - PTX text, good and bad --------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorHarness.h"
#include "EmulatorKernels.h"
#include "runtime/Emulator/PtxParser.h"

#include <random>

using namespace fastnorm;
using namespace fastnorm::test;
using emulator::parsePtx;

namespace {

std::string parseError(const std::string &ptx) {
  auto module = parsePtx(ptx);
  return module ? "" : module.error();
}

const std::string head = ".version 7.8\n.target sm_90\n.address_size 64\n";

TEST(EmulatorParser, ReadsAWholeKernel) {
  auto module = parsePtx(rmsForward1024);
  ASSERT_TRUE(bool(module)) << module.error();
  EXPECT_EQ(module->version, "7.8");
  EXPECT_EQ(module->target, "sm_90");
  ASSERT_EQ(module->kernels.size(), 1u);
  const emulator::PtxKernel &kernel = module->kernels[0];
  EXPECT_EQ(kernel.name, "rms_forward_1024");
  EXPECT_EQ(kernel.maxThreads, 128u);
  ASSERT_EQ(kernel.parameters.size(), 4u);
  EXPECT_EQ(kernel.parameters[3].offset, 24u);
  ASSERT_EQ(kernel.variables.size(), 1u);
  EXPECT_EQ(kernel.variables[0].byteCount, 16u);
  EXPECT_EQ(kernel.labels.size(), 2u);
}

TEST(EmulatorParser, NamesTheLineOfAMissingSemicolon) {
  EXPECT_EQ(parseError(head + ".entry k()\n{\n.reg .b32 %r<3>;\nadd.s32 %r1, %r2, %r2\n}\n"),
            "PTX line 8: expected ';' after the operands of 'add.s32', but got '}'");
}

TEST(EmulatorParser, NamesAnUnknownInstructionModifierAndDirective) {
  EmulatorHarness harness;
  EXPECT_EQ(harness.loadError(ptxKernel(0, "frobnicate.b32 %r1, %r2;")),
            "PTX line 20: instruction 'frobnicate.b32' is not supported, in 'frobnicate.b32 %r1, %r2'");
  EXPECT_EQ(harness.loadError(ptxKernel(0, "add.rz.f32 %r1, %r2, %r3;")),
            "PTX line 20: modifier '.rz' of 'add' is not supported, in 'add.rz.f32 %r1, %r2, %r3'");
  EXPECT_EQ(harness.loadError(ptxKernel(0, ".frob %r1;")),
            "PTX line 20: directive '.frob' in a kernel is not supported");
  EXPECT_EQ(harness.loadError(head + ".frob 3\n"), "PTX line 4: directive '.frob' is not supported");
}

TEST(EmulatorParser, RefusesUndeclaredAndMisfittingRegisters) {
  EmulatorHarness harness;
  EXPECT_EQ(harness.loadError(ptxKernel(0, "mov.b32 %r1, %nothing;")),
            "PTX line 20: '%nothing' is neither a declared register nor a known special register, in 'mov.b32 %r1, "
            "%nothing'");
  EXPECT_EQ(
      harness.loadError(ptxKernel(0, "mov.b32 %r1, %r128;")),
      "PTX line 20: '%r128' is neither a declared register nor a known special register, in 'mov.b32 %r1, %r128'");
  EXPECT_EQ(harness.loadError(ptxKernel(0, "add.s32 %r1, %r2, %rd3;")),
            "PTX line 20: expected a .b32 operand of 'add.s32', but got the .b64 register '%rd3', in 'add.s32 %r1, "
            "%r2, %rd3'");
}

TEST(EmulatorParser, RefusesAJumpToNowhere) {
  EmulatorHarness harness;
  EXPECT_EQ(harness.loadError(ptxKernel(0, "bra $L__nowhere;")),
            "PTX line 20: label '$L__nowhere' is not defined in this block or around it, in 'bra $L__nowhere'");
}

TEST(EmulatorParser, RefusesFunctionsAndCalls) {
  EmulatorHarness harness;
  EXPECT_EQ(parseError(head + ".extern .func (.param .b32 r) f();\n"),
            "PTX line 4: functions are not supported; every call must be inlined into its entry");
  EXPECT_NE(harness.loadError(ptxKernel(0, "call.uni f;")).find("calls are not supported"), std::string::npos);
}

TEST(EmulatorParser, HugeCountsCostNothing) {
  EXPECT_EQ(parseError(head + ".entry k()\n{\n.reg .b32 %r<4294967295>;\nmov.b32 %r4294967294, 1;\nret;\n}\n"), "");
  EXPECT_EQ(
      parseError(head + ".entry k()\n{\n.reg .b32 %r<4294967296>;\n}\n"),
      "PTX line 6: expected the number of registers to be an integer of at most 4294967295, but got '4294967296'");
  EXPECT_EQ(parseError(head + ".global .b8 x[99999999999999999999];\n"),
            "PTX line 4: expected a number, but got '99999999999999999999'");
  EXPECT_NE(parseError(head + ".global .b8 x[999999999999];\n").find("PTX line 4: expected the size of 'x'"),
            std::string::npos);
}

TEST(EmulatorParser, DeepNestingIsAnErrorNotACrash) {
  std::string deep = head + ".entry k()\n" + std::string(100000, '{');
  EXPECT_EQ(parseError(deep), "PTX line 5: expected at most 64 nested blocks, but got '{'");
}

TEST(EmulatorParser, TooMuchSharedOrLocalMemoryIsAnError) {
  EmulatorHarness harness;
  EXPECT_EQ(harness.loadError(ptxKernel(0, ".shared .b8 s[232449];")),
            "kernel 'k' needs 232449 bytes of shared memory, but a CTA has 232448");
  EXPECT_NE(harness.loadError(ptxKernel(0, ".local .b8 l[100000000];")).find("bytes of local memory a thread"),
            std::string::npos);
}

TEST(EmulatorParser, RefusesPtxOfALaterChip) {
  EmulatorHarness harness;
  EXPECT_EQ(harness.loadError(".version 8.7\n.target sm_100\n.address_size 64\n"),
            "expected PTX for sm_90 or an earlier chip, but got .target sm_100");
  EXPECT_EQ(harness.loadError(".version 7.0\n.target sm_80\n.address_size 64\n"), "");
}

TEST(EmulatorParser, CommentsDebugLinesAndSectionsAreSkipped) {
  EXPECT_EQ(parseError(head + ".file 1 \"a.mlir\"\n/* two\nlines */\n.entry k()\n{\n.loc 1 2 3, function_name x, "
                              "inlined_at 1 2 3\n.pragma \"nounroll\";\nret; // done\n}\n.section .debug_str\n{\n.b8 "
                              "1,2\n}\n"),
            "");
}

/// A kernel with a block of inline assembly, for texts to be broken.
std::string sampleText() {
  return std::string(rmsForward1024) + ptxKernel(1, R"(
    .shared .align 16 .b8 slots[64];
    .local .align 8 .b8 frame[16];
    {.reg .pred p; setp.ne.b32 p, %r100, 0; mov.b32 %r1, 0; @p ld.global.cs.v2.b32 {%r1, %r2}, [%rd100+-8];}
    { WAIT: setp.lt.and.f32 %p1|%p2, %r1, 0f3F800000, !%p3; @!%p1 bra.uni DONE; bra WAIT; DONE: }
    shfl.sync.bfly.b32 %r4|%p4, %r3, 16, 31, -1;
    mov.b64 {%r5, _}, %rd100;
    mov.b64 %rd1, {%r5, 7};
    cvt.rn.bf16x2.f32 %r6, 1.5, %r5;
    atom.global.add.f32 %r7, [%rd100], 0f3F800000;
    bar.sync 1, 64;)");
}

TEST(EmulatorParser, NoTruncationCrashes) {
  std::string text = sampleText();
  EmulatorHarness harness;
  for (size_t length = 0; length < text.size(); length += 3)
    (void)harness.device->load(std::string_view(text).substr(0, length));
}

TEST(EmulatorParser, NoMutationCrashes) {
  const std::string text = sampleText();
  EmulatorOptions options;
  options.hostThreads = 1;
  options.maxWarpInstructions = 2000;
  EmulatorHarness harness(options);
  uint64_t buffer = harness.filled("x", std::vector<uint32_t>(256, 1));
  std::mt19937 random(1);
  const std::string interesting = "{}[]();,.:|!@%_-+0123456789\"/*\n\xff\0abcdefxp";
  unsigned loaded = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string mutated = text;
    for (unsigned edits = 1 + random() % 2; edits > 0; --edits) {
      size_t at = random() % mutated.size(), length = 1 + random() % 12;
      switch (random() % 4) {
      case 0: mutated[at] = interesting[random() % interesting.size()]; break;
      case 1: mutated.erase(at, length); break;
      case 2: mutated.insert(at, mutated.substr(random() % mutated.size(), length)); break;
      case 3: mutated.insert(at, "99999999999999999999"); break;
      }
    }
    auto module = harness.device->load(mutated);
    if (!module)
      continue;
    ++loaded;
    // What still loads must also run, or say why not.
    for (const char *name : {"k", "rms_forward_1024"})
      if (auto kernel = (*module)->kernel(name))
        (void)bool(harness.stream->launch(**kernel, {2, 64, 0},
                                          std::vector<KernelArgument>(name[0] == 'k' ? 1 : 4, {buffer, 8})));
  }
  // Most edits break the text, many only a name or a number.
  EXPECT_GT(loaded, 100u);
}

} // namespace
