//===- ExecutorTest.cpp - Plans on a device of lambdas --------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExamplePlan.h"
#include "FakeDevice.h"
#include "runtime/Executor/HostRun.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

float *floats(const KernelArgument &argument) { return reinterpret_cast<float *>(argument.bits); }

/// A device on which the example's kernels double x: "scale" in one step, "first" and "second" by a workspace.
class ExecutorTest : public testing::Test {
protected:
  ExecutorTest() {
    auto doubleRows = [](const LaunchShape &, const std::vector<KernelArgument> &arguments) {
      for (uint64_t index = 0; index < arguments[2].bits * 4; ++index)
        floats(arguments[1])[index] = 2.0f * floats(arguments[0])[index];
    };
    device.state.bodies["scale"] = doubleRows;
    device.state.bodies["first"] = doubleRows;
    device.state.bodies["second"] = [](const LaunchShape &, const std::vector<KernelArgument> &arguments) {
      for (uint64_t index = 0; index < arguments[2].bits * 4; ++index)
        floats(arguments[1])[index] = floats(arguments[0])[index];
    };
  }

  static NamedTensors inputs(int64_t rows) {
    NamedTensors tensors;
    HostTensor x(DType::F32, {rows, 4});
    for (int64_t index = 0; index < x.elementCount(); ++index)
      x.set(index, static_cast<double>(index));
    tensors["x"] = std::move(x);
    tensors["row_index"] = HostTensor(DType::I64, {rows, 2});
    return tensors;
  }

  static std::vector<Operand> arguments(int64_t rows) {
    return {Operand{"x", 4096, DType::F32, {rows, 4}}, Operand{"row_index", 8192, DType::I64, {rows, 2}}};
  }
  static std::vector<Operand> results(int64_t rows) { return {Operand{"y", 12288, DType::F32, {rows, 4}}}; }

  std::unique_ptr<Executor> executor(Plan plan = examplePlan()) {
    Result<std::unique_ptr<Executor>> created = Executor::create(std::move(plan), device);
    EXPECT_TRUE(created) << (created ? "" : created.error());
    return created ? std::move(*created) : nullptr;
  }

  std::string prepareError(const std::vector<Operand> &arguments, const std::vector<Operand> &results,
                           const SymbolValues &given = {{"picked_rows", 9}}) {
    Result<Execution> execution = executor()->prepare(arguments, results, given);
    EXPECT_FALSE(execution);
    return execution ? "" : execution.error();
  }

  FakeDevice device;
};

TEST_F(ExecutorTest, RunsOneKernel) {
  Result<HostRunResult> run = runOnHost(examplePlan(), device, inputs(3), {{"picked_rows", 9}});
  ASSERT_TRUE(run) << run.error();
  const HostTensor &y = run->outputs.at("y");
  EXPECT_EQ(y.shape(), (std::vector<int64_t>{3, 4}));
  for (int64_t index = 0; index < 12; ++index)
    EXPECT_EQ(y.at(index), 2.0 * static_cast<double>(index));
  ASSERT_EQ(device.state.launches.size(), 1u);
  EXPECT_EQ(device.state.launches[0].shape.grid, 2);
  EXPECT_EQ(device.state.launches[0].shape.threads, 128);
  EXPECT_EQ(device.state.launches[0].shape.dynamicSharedBytes, 64);
}

TEST_F(ExecutorTest, OtherVariantPassesWorkspaceFromKernelToKernel) {
  Result<HostRunResult> run = runOnHost(examplePlan(), device, inputs(200), {{"picked_rows", 9}});
  ASSERT_TRUE(run) << run.error();
  EXPECT_EQ(run->outputs.at("y").at(799), 1598.0);
  ASSERT_EQ(device.state.launches.size(), 2u);
  EXPECT_EQ(device.state.launches[0].kernel, "first");
  EXPECT_EQ(device.state.launches[0].arguments[1].bits, device.state.launches[1].arguments[0].bits);
}

TEST_F(ExecutorTest, ClusterAndDependenceReachTheDevice) {
  Result<HostRunResult> run = runOnHost(examplePlan(), device, inputs(200), {{"picked_rows", 9}});
  ASSERT_TRUE(run) << run.error();
  ASSERT_EQ(device.state.launches.size(), 2u);
  EXPECT_EQ(device.state.launches[0].shape.cluster, 1);
  EXPECT_FALSE(device.state.launches[0].shape.dependent);
  EXPECT_EQ(device.state.launches[1].shape.grid, 400);
  EXPECT_EQ(device.state.launches[1].shape.cluster, 4);
  EXPECT_TRUE(device.state.launches[1].shape.dependent);
  EXPECT_EQ(run->launches[1].cluster, 4);
}

TEST_F(ExecutorTest, GridThatIsNoWholeClusters) {
  Plan plan = examplePlan();
  plan.variants[1].launches[1].cluster = 16;
  plan.variants[1].launches[1].grid = symbol(0);
  Result<HostRunResult> run = runOnHost(plan, device, inputs(200), {{"picked_rows", 9}});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error(), "kernel @second: expected a grid of whole clusters of 16 CTAs, but got 200 CTAs");
}

TEST_F(ExecutorTest, ArgumentsHaveTheSizeAndValueThePlanSays) {
  ASSERT_TRUE(runOnHost(examplePlan(), device, inputs(3), {{"picked_rows", 9}}));
  const std::vector<KernelArgument> &arguments = device.state.launches[0].arguments;
  ASSERT_EQ(arguments.size(), 4u);
  EXPECT_EQ(arguments[0].byteCount, 8);
  EXPECT_EQ(arguments[2].byteCount, 4);
  EXPECT_EQ(arguments[2].bits, 3u);
  EXPECT_EQ(arguments[3].byteCount, 8);
  EXPECT_EQ(arguments[3].bits, 9u);
}

TEST_F(ExecutorTest, ZeroRowsLaunchNothing) {
  Result<HostRunResult> run = runOnHost(examplePlan(), device, inputs(0), {{"picked_rows", 0}});
  ASSERT_TRUE(run) << run.error();
  EXPECT_EQ(run->outputs.at("y").shape(), (std::vector<int64_t>{0, 4}));
  EXPECT_TRUE(device.state.launches.empty());
  EXPECT_EQ(run->launches[0].grid, 0);
}

TEST_F(ExecutorTest, RunsAfterARunOfNoRows) {
  for (int64_t rows : {0, 3, 0}) {
    Result<HostRunResult> run = runOnHost(examplePlan(), device, inputs(rows), {{"picked_rows", 3 * rows}});
    ASSERT_TRUE(run) << run.error();
    EXPECT_EQ(run->outputs.at("y").shape(), (std::vector<int64_t>{rows, 4}));
  }
  EXPECT_EQ(device.state.launches.size(), 1u);
}

TEST_F(ExecutorTest, FactsForTheTable) {
  Result<HostRunResult> run = runOnHost(examplePlan(), device, inputs(3), {{"picked_rows", 9}});
  ASSERT_TRUE(run) << run.error();
  ASSERT_EQ(run->launches.size(), 1u);
  const LaunchFacts &facts = run->launches[0];
  EXPECT_EQ(facts.kernel, "scale");
  EXPECT_EQ(facts.grid, 2);
  EXPECT_EQ(facts.threads, 128);
  EXPECT_EQ(facts.readBytes, 48);
  EXPECT_EQ(facts.writtenBytes, 48);
  EXPECT_EQ(facts.schedule, "#fastnorm.schedule<per_row>");
  EXPECT_EQ(facts.facts.registers, 40);
}

TEST_F(ExecutorTest, NothingIsLoadedOrAllocatedAfterPrepare) {
  std::unique_ptr<Executor> loaded = executor();
  EXPECT_EQ(device.state.modulesLoaded, 2);
  Result<OperandSet> operands = OperandSet::create(loaded->plan(), device, inputs(200), {{"picked_rows", 9}});
  ASSERT_TRUE(operands) << operands.error();
  Result<Execution> execution = loaded->prepare(operands->arguments(), operands->results(), {{"picked_rows", 9}});
  ASSERT_TRUE(execution) << execution.error();
  EXPECT_EQ(execution->workspaceBytes(), 3200);
  size_t allocations = device.state.allocations.size();
  Result<std::unique_ptr<Stream>> stream = device.createStream();
  EXPECT_TRUE(execution->launch(**stream));
  EXPECT_TRUE(execution->launch(**stream));
  EXPECT_EQ(device.state.launches.size(), 4u);
  EXPECT_EQ(device.state.allocations.size(), allocations);
  EXPECT_EQ(device.state.modulesLoaded, 2);
}

TEST_F(ExecutorTest, BuffersAreLabelledAndFreed) {
  ASSERT_TRUE(runOnHost(examplePlan(), device, inputs(200), {{"picked_rows", 9}}));
  EXPECT_EQ(device.state.allocations,
            (std::vector<std::string>{"argument 'x'", "argument 'row_index'", "result 'y'", "workspace 0"}));
  EXPECT_EQ(device.state.liveBytes, 0);
}

TEST_F(ExecutorTest, OperandsBindByNameInAnyOrder) {
  std::vector<Operand> reversed = arguments(3);
  std::swap(reversed[0], reversed[1]);
  Result<Execution> execution = executor()->prepare(reversed, results(3), {{"picked_rows", 9}});
  ASSERT_TRUE(execution) << execution.error();
}

TEST_F(ExecutorTest, OperandsBindByOrderWithoutNames) {
  std::vector<Operand> unnamed = arguments(3);
  unnamed[0].name = unnamed[1].name = "";
  EXPECT_TRUE(executor()->prepare(unnamed, results(3), {{"picked_rows", 9}}));
}

TEST_F(ExecutorTest, OperandThatIsMissing) {
  EXPECT_EQ(prepareError({arguments(3)[0]}, results(3)), "expected 2 arguments (x, row_index), but got 1");
  std::vector<Operand> misnamed = arguments(3);
  misnamed[1].name = "rowindex";
  EXPECT_EQ(prepareError(misnamed, results(3)), "expected argument 'row_index', but none of the 2 given has that name; "
                                                "the plan has x, row_index");
}

TEST_F(ExecutorTest, DTypeRankAndExtentAreChecked) {
  std::vector<Operand> operands = arguments(3);
  operands[0].dtype = DType::BF16;
  EXPECT_EQ(prepareError(operands, results(3)), "expected argument 'x' to be rowsx4xf32, but got 3x4xbf16");
  operands = arguments(3);
  operands[0].shape = {12};
  EXPECT_EQ(prepareError(operands, results(3)), "expected argument 'x' to be rowsx4xf32, but got 12xf32");
  operands[0].shape = {3, 5};
  EXPECT_EQ(prepareError(operands, results(3)), "expected argument 'x' to be rowsx4xf32, but got 3x5xf32");
  operands[0].shape = {-3, 4};
  EXPECT_EQ(prepareError(operands, results(3)), "expected argument 'x' to be rowsx4xf32, but got -3x4xf32");
}

TEST_F(ExecutorTest, SymbolsThatDifferNameBothPlaces) {
  std::vector<Operand> operands = arguments(3);
  operands[1].shape = {5, 2};
  EXPECT_EQ(prepareError(operands, results(3)),
            "expected rows to be the same everywhere, but it is 3 in dimension 0 of argument 'x' and 5 in dimension 0 "
            "of argument 'row_index'");
  EXPECT_EQ(prepareError(arguments(3), results(4)),
            "expected rows to be the same everywhere, but it is 3 in dimension 0 of argument 'x' and 4 in dimension 0 "
            "of result 'y'");
  EXPECT_EQ(prepareError(arguments(3), results(3), {{"picked_rows", 9}, {"rows", 7}}),
            "expected rows to be the same everywhere, but it is 7 in the value given and 3 in dimension 0 of argument "
            "'x'");
}

TEST_F(ExecutorTest, SymbolValuesGivenAreChecked) {
  EXPECT_EQ(prepareError(arguments(3), results(3), {}),
            "expected a value for picked_rows, but no argument of 'scale_rows' that was given has it as a dimension; "
            "give picked_rows = N");
  EXPECT_EQ(prepareError(arguments(3), results(3), {{"experts", 9}}),
            "expected a symbol of 'scale_rows' (it has rows, picked_rows), but got experts = 9");
  EXPECT_EQ(prepareError(arguments(3), results(3), {{"picked_rows", -1}}),
            "expected picked_rows not to be negative, but got -1");
}

TEST_F(ExecutorTest, BaseAddressIsChecked) {
  std::vector<Operand> operands = arguments(3);
  operands[0].address += 4;
  EXPECT_EQ(prepareError(operands, results(3)),
            "expected the address of argument 'x' to be a multiple of 16 bytes, but it is 4 past one");
  std::vector<Operand> shifted = results(3);
  shifted[0].address += 8;
  EXPECT_EQ(prepareError(arguments(3), shifted),
            "expected the address of result 'y' to be a multiple of 16 bytes, but it is 8 past one");
}

TEST_F(ExecutorTest, AddressOfNoElementsIsFree) {
  std::vector<Operand> operands = arguments(0);
  operands[0].address = 3;
  EXPECT_TRUE(executor()->prepare(operands, results(0), {{"picked_rows", 9}}));
}

TEST_F(ExecutorTest, GridOutsideTheHardwaresIsRefused) {
  Plan plan = examplePlan();
  plan.variants[0].launches[0].grid = constant(int64_t(1) << 31);
  EXPECT_EQ(executor(plan)->prepare(arguments(3), results(3), {{"picked_rows", 9}}).error(),
            "kernel @scale: expected a grid of 0 to 2147483647 CTAs, but got 2147483648");
  plan.variants[0].launches[0].grid = constant(-1);
  EXPECT_FALSE(executor(plan)->prepare(arguments(3), results(3), {{"picked_rows", 9}}));
  plan.variants[0].launches[0].grid = constant((int64_t(1) << 31) - 1);
  EXPECT_TRUE(executor(plan)->prepare(arguments(3), results(3), {{"picked_rows", 9}}));
}

TEST_F(ExecutorTest, ValueThatDoesNotFitI32IsRefused) {
  Plan plan = examplePlan();
  plan.variants[0].launches[0].arguments[2].value = symbol(1);
  EXPECT_EQ(executor(plan)->prepare(arguments(3), results(3), {{"picked_rows", int64_t(1) << 31}}).error(),
            "kernel @scale, argument 2: expected a value of 32 bits, but got 2147483648");
}

TEST_F(ExecutorTest, OverflowInAPlanIsAnError) {
  Plan plan = examplePlan();
  plan.variants[1].workspaces[0].bytes = binary(Expression::Kind::Multiply, symbol(1), constant(INT64_MAX));
  EXPECT_EQ(executor(plan)->prepare(arguments(200), results(200), {{"picked_rows", 9}}).error(),
            "the size of workspace 0: expected a value of 64 bits, but 9 multiply 9223372036854775807 overflows");
}

TEST_F(ExecutorTest, NoVariantForTheseSizes) {
  Plan plan = examplePlan();
  plan.variants.pop_back();
  EXPECT_FALSE(executor(plan)->prepare(arguments(101), results(101), {{"picked_rows", 9}}));
}

TEST_F(ExecutorTest, BrokenPlanPtxOrKernelFailsAtCreate) {
  Plan plan = examplePlan();
  plan.variants[0].launches[0].threads = 0;
  EXPECT_EQ(Executor::create(plan, device).error(), "the plan is broken: expected launch 0 of variant 0 to have 1 to "
                                                    "1024 threads per CTA, but it has 0");
  plan = examplePlan();
  plan.variants[1].ptx = "oops";
  EXPECT_EQ(Executor::create(plan, device).error(), "the PTX of 'scale_rows' does not load: the text has no kernel");
  plan = examplePlan();
  plan.variants[1].launches[1].kernel = "third";
  EXPECT_EQ(Executor::create(plan, device).error(), "no kernel @third");
}

TEST_F(ExecutorTest, FailureOfTheDeviceIsPassedOnAndFreesAll) {
  device.state.synchronizeError = "the kernel went astray";
  EXPECT_EQ(runOnHost(examplePlan(), device, inputs(3), {{"picked_rows", 9}}).error(), "the kernel went astray");
  device.state.launchError = "no launch today";
  EXPECT_EQ(runOnHost(examplePlan(), device, inputs(3), {{"picked_rows", 9}}).error(), "no launch today");
  EXPECT_EQ(device.state.liveBytes, 0);
  device.state.launchError = device.state.synchronizeError = "";
  EXPECT_TRUE(runOnHost(examplePlan(), device, inputs(3), {{"picked_rows", 9}}));
}

TEST_F(ExecutorTest, ResultThatIsNotWrittenIsNan) {
  device.state.bodies["scale"] = nullptr;
  device.state.bodies.erase("scale");
  Result<HostRunResult> run = runOnHost(examplePlan(), device, inputs(3), {{"picked_rows", 9}});
  ASSERT_TRUE(run) << run.error();
  for (int64_t index = 0; index < 12; ++index)
    EXPECT_TRUE(std::isnan(run->outputs.at("y").at(index)));
}

TEST_F(ExecutorTest, WriteAfterABufferIsReported) {
  device.state.bodies["scale"] = [](const LaunchShape &, const std::vector<KernelArgument> &arguments) {
    floats(arguments[1])[13] = 1.0f; // 12 elements; bytes 4 to 7 after the last
  };
  EXPECT_EQ(runOnHost(examplePlan(), device, inputs(3), {{"picked_rows", 9}}).error(),
            "expected no kernel to write outside result 'y' (48 bytes), but byte 5 after it was overwritten; run with "
            "--device=emulator to find the instruction");
}

TEST_F(ExecutorTest, WriteBeforeABufferIsReported) {
  device.state.bodies["scale"] = [](const LaunchShape &, const std::vector<KernelArgument> &arguments) {
    floats(arguments[0])[-1] = 1.0f;
  };
  EXPECT_EQ(runOnHost(examplePlan(), device, inputs(3), {{"picked_rows", 9}}).error(),
            "expected no kernel to write outside argument 'x' (48 bytes), but byte 1 before it was overwritten; run "
            "with --device=emulator to find the instruction");
}

TEST_F(ExecutorTest, NoGuardsOnTheEmulatorWhichKnowsBounds) {
  device.facts.isEmulator = true;
  ASSERT_TRUE(OperandSet::create(examplePlan(), device, inputs(3), {{"picked_rows", 9}}));
  Result<OperandSet> guarded =
      OperandSet::create(examplePlan(), device, inputs(3), {{"picked_rows", 9}}, OperandSetOptions{512});
  ASSERT_TRUE(guarded);
  EXPECT_EQ(device.state.liveBytes, 3 * 1024 + 48 + 48 + 48);
}

TEST_F(ExecutorTest, OffsetsMoveATensorPastAnAlignedAddress) {
  OperandSetOptions options;
  options.offsetElements = {{"x", 4}, {"y", 1}};
  Result<OperandSet> set = OperandSet::create(examplePlan(), device, inputs(3), {{"picked_rows", 9}}, options);
  ASSERT_TRUE(set) << set.error();
  EXPECT_EQ(set->arguments()[0].address % 256, 16u);
  EXPECT_EQ(set->arguments()[1].address % 256, 0u);
  EXPECT_EQ(set->results()[0].address % 256, 4u);
  // y holds 16 bytes aligned vectors.
  EXPECT_EQ(runOnHost(examplePlan(), device, inputs(3), {{"picked_rows", 9}}, options).error(),
            "expected the address of result 'y' to be a multiple of 16 bytes, but it is 4 past one");
  options.offsetElements = {{"x", int64_t(1) << 61}};
  EXPECT_EQ(runOnHost(examplePlan(), device, inputs(3), {{"picked_rows", 9}}, options).error(),
            "expected argument 'x' to fit an address space of 63 bits, but it is 3x4xf32, 2305843009213693952 elements "
            "past an aligned address");
}

TEST_F(ExecutorTest, SetsMayShareAllButSomeArguments) {
  Result<OperandSet> first = OperandSet::create(examplePlan(), device, inputs(3), {{"picked_rows", 9}});
  ASSERT_TRUE(first) << first.error();
  OperandSetOptions options;
  options.sharesWith = &*first;
  options.ownArguments = {"row_index"};
  std::optional<OperandSet> second;
  {
    Result<OperandSet> made = OperandSet::create(examplePlan(), device, inputs(3), {{"picked_rows", 9}}, options);
    ASSERT_TRUE(made) << made.error();
    second.emplace(std::move(*made));
  }
  EXPECT_EQ(second->arguments()[0].address, first->arguments()[0].address);
  EXPECT_NE(second->arguments()[1].address, first->arguments()[1].address);
  EXPECT_EQ(second->results()[0].address, first->results()[0].address);
  // What it shares lives on with it.
  first = Error{"gone"};
  EXPECT_TRUE(second->checkGuards());
}

TEST_F(ExecutorTest, WriteBetweenTheAlignedAddressAndATensorIsReportedOnTheEmulator) {
  device.facts.isEmulator = true;
  OperandSetOptions options;
  options.offsetElements = {{"x", 4}};
  device.state.bodies["scale"] = [](const LaunchShape &, const std::vector<KernelArgument> &arguments) {
    EXPECT_TRUE(std::isnan(floats(arguments[0])[-1]));
    floats(arguments[0])[-4] = 1.0f;
  };
  EXPECT_EQ(runOnHost(examplePlan(), device, inputs(3), {{"picked_rows", 9}}, options).error(),
            "expected no kernel to write outside argument 'x' (48 bytes), but byte 13 before it was overwritten; run "
            "with --device=emulator to find the instruction");
}

TEST_F(ExecutorTest, HostInputsAreChecked) {
  NamedTensors tensors = inputs(3);
  tensors.erase("x");
  EXPECT_EQ(runOnHost(examplePlan(), device, tensors, {{"picked_rows", 9}}).error(),
            "expected a tensor for argument 'x' of 'scale_rows', but none was given");
  tensors = inputs(3);
  tensors["z"] = HostTensor(DType::F32, {1});
  EXPECT_EQ(runOnHost(examplePlan(), device, tensors, {{"picked_rows", 9}}).error(),
            "expected tensors for the arguments of 'scale_rows' (x, row_index), but got one for 'z'");
  tensors = inputs(3);
  tensors["x"] = HostTensor(DType::F32, {4, 4});
  EXPECT_FALSE(runOnHost(examplePlan(), device, tensors, {{"picked_rows", 9}}));
}

TEST_F(ExecutorTest, LaunchesCanBeCaptured) {
  std::unique_ptr<Executor> loaded = executor();
  Result<OperandSet> operands = OperandSet::create(loaded->plan(), device, inputs(200), {{"picked_rows", 9}});
  Result<Execution> execution = loaded->prepare(operands->arguments(), operands->results(), {{"picked_rows", 9}});
  ASSERT_TRUE(execution);
  Result<std::unique_ptr<Stream>> stream = device.createStream();
  ASSERT_TRUE(device.beginCapture(**stream));
  ASSERT_TRUE(execution->launch(**stream));
  Result<std::unique_ptr<Graph>> graph = device.endCapture(**stream);
  EXPECT_TRUE(device.state.launches.empty());
  ASSERT_TRUE((*graph)->replay(**stream));
  EXPECT_EQ(operands->downloadResults()->at("y").at(799), 1598.0);
}

} // namespace
