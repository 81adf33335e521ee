//===- OperandsTest.cpp - Strides, ties, alignment, overlap ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExamplePlan.h"
#include "FakeDevice.h"
#include "runtime/Executor/HostRun.h"
#include "runtime/Executor/OperandLayout.h"

#include <gtest/gtest.h>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

float *floats(const KernelArgument &argument) { return reinterpret_cast<float *>(argument.bits); }

/// Kernels of stridedPlan: sum += x, row by row.
class OperandsTest : public testing::Test {
protected:
  OperandsTest() {
    device.state.bodies["add"] =
        device.state.bodies["add_unaligned"] = [](const LaunchShape &, const std::vector<KernelArgument> &arguments) {
          for (uint64_t row = 0; row < arguments[2].bits; ++row)
            for (uint64_t column = 0; column < 4; ++column)
              floats(arguments[1])[row * 4 + column] += floats(arguments[0])[row * arguments[3].bits + column];
        };
  }

  static std::vector<Operand> arguments(int64_t rows, int64_t stride) {
    return {Operand{"x", 1 << 20, DType::F32, {rows, 4}, {stride, 1}},
            Operand{"old", 1 << 21, DType::F32, {rows, 4}, {}}};
  }
  static std::vector<Operand> results(int64_t rows) { return {Operand{"sum", 1 << 21, DType::F32, {rows, 4}, {}}}; }

  std::unique_ptr<Executor> executor(Plan plan = stridedPlan()) {
    Result<std::unique_ptr<Executor>> created = Executor::create(std::move(plan), device);
    EXPECT_TRUE(created) << (created ? "" : created.error());
    return created ? std::move(*created) : nullptr;
  }
  std::string error(const std::vector<Operand> &arguments, const std::vector<Operand> &results,
                    Plan plan = stridedPlan()) {
    Result<Execution> execution = executor(std::move(plan))->prepare(arguments, results);
    EXPECT_FALSE(execution);
    return execution ? "" : execution.error();
  }
  /// The kernel that runs for these operands.
  std::string kernelFor(const std::vector<Operand> &arguments, const std::vector<Operand> &results) {
    device.state.bodies.clear();
    std::unique_ptr<Executor> loaded = executor();
    Result<Execution> execution = loaded->prepare(arguments, results);
    EXPECT_TRUE(execution) << (execution ? "" : execution.error());
    FakeStream stream(device.state);
    EXPECT_TRUE(execution && execution->launch(stream));
    return device.state.launches.empty() ? "none" : device.state.launches.back().kernel;
  }

  FakeDevice device;
};

TEST_F(OperandsTest, StrideOfTheOperandIsTheSymbolsValue) {
  EXPECT_EQ(kernelFor(arguments(3, 20), results(3)), "add");
  EXPECT_EQ(device.state.launches.back().arguments[3].bits, 20u);
}

TEST_F(OperandsTest, DenseOperandHasTheStrideOfItsRows) {
  std::vector<Operand> operands = arguments(3, 0);
  operands[0].strides = {};
  EXPECT_EQ(kernelFor(operands, results(3)), "add");
  EXPECT_EQ(device.state.launches.back().arguments[3].bits, 4u);
}

TEST_F(OperandsTest, SameRowAgainWhereItIsOnlyRead) {
  EXPECT_EQ(kernelFor(arguments(3, 0), results(3)), "add");
  EXPECT_EQ(device.state.launches.back().arguments[3].bits, 0u);
}

TEST_F(OperandsTest, LastStrideMustBeOne) {
  std::vector<Operand> operands = arguments(3, 20);
  operands[0].strides[1] = 2;
  EXPECT_EQ(error(operands, results(3)), "expected stride 1 of argument 'x' to be 1 element, but it is 2");
}

TEST_F(OperandsTest, NegativeStrideIsRefused) {
  EXPECT_EQ(error(arguments(3, -20), results(3)),
            "expected stride 0 of argument 'x' not to be negative, but it is -20");
}

TEST_F(OperandsTest, DenseTensorTakesNoOtherStride) {
  std::vector<Operand> wide = results(3);
  wide[0].strides = {8, 1};
  EXPECT_EQ(error(arguments(3, 20), wide),
            "expected stride 0 of result 'sum' to be 4 elements, because it is dense, but it is 8");
  wide[0].strides = {4, 1};
  EXPECT_EQ(kernelFor(arguments(3, 20), wide), "add");
}

TEST_F(OperandsTest, FixedStrideMustMatch) {
  Plan plan = stridedPlan();
  plan.results[0].strides = plan.arguments[1].strides = {fixed(8), fixed(1)};
  EXPECT_EQ(error(arguments(3, 20), results(3), plan),
            "expected stride 0 of argument 'old' to be 8 elements, but it is 4");
}

TEST_F(OperandsTest, StrideOfOneRowIsFree) {
  std::vector<Operand> one = results(1);
  one[0].strides = {77, 1};
  EXPECT_EQ(kernelFor(arguments(1, 3), one), "add");
}

TEST_F(OperandsTest, WrittenRowsMustNotOverlap) {
  Plan plan = stridedPlan();
  plan.symbols.push_back("sum_stride_0");
  plan.results[0].strides = {dynamic(2), fixed(1)};
  plan.arguments[1].result.reset();
  std::vector<Operand> narrow{Operand{"sum", 1 << 22, DType::F32, {3, 4}, {3, 1}}};
  EXPECT_EQ(error(arguments(3, 20), narrow, plan),
            "expected the rows of result 'sum' not to overlap, because it is written, but with its strides they do");
  narrow[0].strides = {0, 1};
  EXPECT_EQ(error(arguments(3, 20), narrow, plan),
            "expected the rows of result 'sum' not to overlap, because it is written, but with its strides they do");
}

TEST_F(OperandsTest, StridesPastTheAddressSpaceAreRefused) {
  EXPECT_EQ(error(arguments(int64_t(1) << 40, int64_t(1) << 40), results(int64_t(1) << 40)),
            "expected argument 'x' to fit an address space of 63 bits, but from its first to its last element it does "
            "not");
}

TEST_F(OperandsTest, MoreElementsThan32BitsCount) {
  int64_t rows = int64_t(1) << 31;
  std::vector<Operand> operands = arguments(rows, 4), sums = results(rows);
  operands[1].address = sums[0].address = uint64_t(1) << 40;
  Plan plan = stridedPlan();
  for (Variant &variant : plan.variants)
    variant.launches[0].grid = constant(132);
  Result<Execution> execution = executor(plan)->prepare(operands, sums);
  EXPECT_TRUE(execution) << execution.error();
}

TEST_F(OperandsTest, AddressThatIsNotAlignedPicksTheOtherVariant) {
  std::vector<Operand> operands = arguments(3, 20);
  operands[0].address += 4;
  EXPECT_EQ(kernelFor(operands, results(3)), "add_unaligned");
}

TEST_F(OperandsTest, StrideThatIsNotAlignedPicksTheOtherVariant) {
  EXPECT_EQ(kernelFor(arguments(3, 21), results(3)), "add_unaligned");
  EXPECT_EQ(kernelFor(arguments(1, 21), results(1)), "add");
}

TEST_F(OperandsTest, WithoutTheOtherVariantTheOperandIsNamed) {
  Plan plan = stridedPlan();
  plan.variants.pop_back();
  EXPECT_EQ(error(arguments(3, 21), results(3), plan),
            "expected stride 0 in bytes of argument 'x' to be a multiple of 16 bytes, but it is 4 past one");
}

TEST_F(OperandsTest, NoVariantTakesLessThanAnElement) {
  std::vector<Operand> operands = arguments(3, 20);
  operands[0].address += 2;
  EXPECT_EQ(error(operands, results(3)),
            "expected the address of argument 'x' to be a multiple of 4 bytes, the size of "
            "an element, but it is 2 past one");
}

TEST_F(OperandsTest, NullIsNoAddress) {
  std::vector<Operand> operands = arguments(3, 20);
  operands[0].address = 0;
  EXPECT_EQ(error(operands, results(3)), "expected an address for argument 'x', but got null");
}

TEST_F(OperandsTest, TiedOperandsAreOneBuffer) {
  std::vector<Operand> elsewhere = results(3);
  elsewhere[0].address += 4096;
  EXPECT_EQ(error(arguments(3, 20), elsewhere),
            "expected argument 'old' and result 'sum' to be one buffer with the same strides, because the plan ties "
            "them, but they differ");
}

TEST_F(OperandsTest, ResultMustNotOverlapWhatIsNotTiedToIt) {
  std::vector<Operand> operands = arguments(3, 4);
  operands[0].address = operands[1].address + 32;
  EXPECT_EQ(error(operands, results(3)),
            "expected result 'sum' not to overlap argument 'x', but it does; only arguments "
            "that the plan ties to a result may");
}

TEST_F(OperandsTest, ColumnsOfOneBufferDoNotOverlap) {
  OperandView left{4096, DType::F32, 2, nullptr, nullptr}, right = left;
  const int64_t shape[2] = {3, 4}, strides[2] = {20, 1};
  left.shape = right.shape = shape;
  left.strides = right.strides = strides;
  right.address = left.address + 16; // the next four columns
  EXPECT_FALSE(mayOverlap(left, right));
  EXPECT_FALSE(mayOverlap(right, left));
  right.address = left.address + 12; // one column is both's
  EXPECT_TRUE(mayOverlap(left, right));
  EXPECT_TRUE(mayOverlap(right, left));
  right.address = left.address + 80 + 68; // over the end of a row, into the next
  EXPECT_TRUE(mayOverlap(left, right));
  right.address = left.address + 256; // past the last row
  EXPECT_FALSE(mayOverlap(left, right));
}

TEST_F(OperandsTest, HostTensorsAreLaidOutAsTheStridesSay) {
  NamedTensors inputs;
  for (const char *name : {"x", "old"}) {
    HostTensor tensor(DType::F32, {3, 4});
    for (int64_t index = 0; index < 12; ++index)
      tensor.set(index, name == std::string("x") ? static_cast<double>(index) : 100.0);
    inputs[name] = std::move(tensor);
  }
  for (int64_t stride : {4, 7, 20}) {
    Result<HostRunResult> run = runOnHost(stridedPlan(), device, inputs, {{"x_stride_0", stride}});
    ASSERT_TRUE(run) << run.error();
    for (int64_t index = 0; index < 12; ++index)
      EXPECT_EQ(run->outputs.at("sum").at(index), 100.0 + static_cast<double>(index));
    EXPECT_EQ(device.state.launches.back().arguments[3].bits, static_cast<uint64_t>(stride));
  }
  EXPECT_EQ(device.state.liveBytes, 0);
}

TEST_F(OperandsTest, WriteBetweenTheRowsIsReported) {
  device.state.bodies["add"] = [](const LaunchShape &, const std::vector<KernelArgument> &arguments) {
    floats(arguments[0])[5] = 1.0f; // row 0 ends at 4, row 1 begins at 8
  };
  NamedTensors inputs;
  inputs["x"] = HostTensor(DType::F32, {3, 4});
  inputs["old"] = HostTensor(DType::F32, {3, 4});
  EXPECT_EQ(runOnHost(stridedPlan(), device, inputs, {{"x_stride_0", 8}}).error(),
            "expected no kernel to write between the rows of argument 'x', but element 5 behind its base, in a gap, "
            "was overwritten");
}

} // namespace
