//===- main.cpp - What a run costs on the host ----------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan of combine + residual + norm: five arguments, one result, one launch.
// RunOnNullDevice is our own cost. On a CUDA device RunOnCuda less
// LaunchKernelAlone is what a run costs over the driver's launch; the bar is
// 5 us. The kernel there is empty.
//
//===----------------------------------------------------------------------===//

#include "NullDevice.h"
#include "fastnorm/Plan/PlanJson.h"
#include "runtime/CAPI/Run.h"
#include "runtime/Cuda/CudaContext.h"
#include "runtime/Cuda/CudaDevice.h"
#include "runtime/Cuda/CudaStream.h"

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>

using namespace fastnorm;

namespace {

constexpr int64_t kRows = 256;
constexpr int64_t kHidden = 64;
constexpr size_t kTensors = 6;
/// Launches between two waits: fewer than a stream takes before it makes the host wait.
constexpr int kBatch = 256;

constexpr const char *kPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry combine_norm(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u64 e, .param .u64 f,
                             .param .u64 rows, .param .u64 expert_rows)
{
  ret;
}
)";

Plan makePlan() {
  auto rows = [](int64_t symbol, int64_t columns, DType dtype, const char *name) {
    return TensorSpec{name, dtype, {Extent{0, symbol}, Extent{columns, std::nullopt}}, 16, std::nullopt};
  };
  Plan plan;
  plan.producer = "fastnorm benchmark";
  plan.function = "combine_norm";
  plan.target = "a100";
  plan.chip = "sm_80";
  plan.symbols = {"rows", "expert_rows"};
  plan.arguments = {rows(1, kHidden, DType::BF16, "expert_rows"), rows(0, 8, DType::I64, "row_index"),
                    rows(0, 8, DType::F32, "gate"), rows(0, kHidden, DType::BF16, "residual"),
                    TensorSpec{"weight", DType::F32, {Extent{kHidden, std::nullopt}}, 16, std::nullopt}};
  plan.results = {rows(0, kHidden, DType::BF16, "y")};
  Launch launch;
  launch.kernel = "combine_norm";
  launch.grid = Expression::binary(Expression::Kind::CeilDivide, Expression::symbol(0), Expression::constant(2));
  launch.threads = 128;
  for (int64_t index = 0; index < 5; ++index)
    launch.arguments.push_back({LaunchArgument::Kind::Argument, index, Expression()});
  launch.arguments.push_back({LaunchArgument::Kind::Result, 0, Expression()});
  launch.arguments.push_back({LaunchArgument::Kind::I64, 0, Expression::symbol(0)});
  launch.arguments.push_back({LaunchArgument::Kind::I64, 0, Expression::symbol(1)});
  plan.variants.push_back(Variant{{}, kPtx, {}, {launch}});
  return plan;
}

/// Tensors for the plan at these addresses.
struct Tensors {
  explicit Tensors(const std::array<DeviceAddress, kTensors> &addresses) {
    const fastnorm_dtype dtypes[kTensors] = {FASTNORM_BF16, FASTNORM_I64, FASTNORM_F32,
                                             FASTNORM_BF16, FASTNORM_F32, FASTNORM_BF16};
    const int64_t *shapes[kTensors] = {expertShape, slotShape, slotShape, rowShape, weightShape, rowShape};
    for (size_t index = 0; index < kTensors; ++index)
      all[index] = {reinterpret_cast<void *>(addresses[index]), dtypes[index], index == 4 ? 1 : 2, shapes[index],
                    nullptr};
  }

  const int64_t expertShape[2] = {kRows * 8, kHidden}, slotShape[2] = {kRows, 8}, rowShape[2] = {kRows, kHidden},
                weightShape[1] = {kHidden};
  fastnorm_tensor all[kTensors];
};

void runOnNullDevice(benchmark::State &state) {
  auto device = std::make_unique<test::NullDevice>();
  Result<std::unique_ptr<Executor>> executor = Executor::create(makePlan(), *device);
  capi::PreparedPlan prepared(0, std::move(device), std::move(*executor));
  Tensors tensors({1 << 24, 2 << 24, 3 << 24, 4 << 24, 5 << 24, 6 << 24});
  for (auto _ : state)
    if (capi::run(prepared, {tensors.all, tensors.all + 5, nullptr, 0, nullptr}) != FASTNORM_OK)
      return state.SkipWithError(fastnorm_last_error());
}
BENCHMARK(runOnNullDevice)->Name("RunOnNullDevice");

/// A CUDA device with a stream and buffers.
class CudaSetup {
public:
  static Result<std::unique_ptr<CudaSetup>> create() {
    Result<std::unique_ptr<Device>> device = createCudaDevice(0);
    if (!device)
      return device.takeError();
    std::unique_ptr<CudaSetup> setup(new CudaSetup);
    setup->device = std::move(*device);
    Result<std::unique_ptr<Stream>> stream = setup->device->createStream();
    if (!stream)
      return stream.takeError();
    setup->stream = std::move(*stream);
    for (size_t index = 0; index < kTensors; ++index) {
      Result<std::unique_ptr<DeviceBuffer>> buffer = setup->device->allocate(1 << 20, "buffer");
      if (!buffer)
        return buffer.takeError();
      setup->addresses[index] = (*buffer)->address();
      setup->buffers.push_back(std::move(*buffer));
    }
    return setup;
  }

  void *handle() const { return static_cast<cuda::CudaStream &>(*stream).handle(); }

  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
  std::vector<std::unique_ptr<DeviceBuffer>> buffers;
  std::array<DeviceAddress, kTensors> addresses = {};
};

/// Times batches of calls and waits between them, untimed.
template <typename Call> void timeBatches(benchmark::State &state, Stream &stream, const Call &call) {
  for (auto _ : state) {
    auto start = std::chrono::steady_clock::now();
    for (int launch = 0; launch < kBatch; ++launch)
      if (!call())
        return state.SkipWithError("a launch failed");
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (!stream.synchronize())
      return state.SkipWithError("the stream failed");
  }
  state.counters["s_per_launch"] =
      benchmark::Counter(kBatch, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void runOnCuda(benchmark::State &state) {
  Result<std::unique_ptr<CudaSetup>> setup = CudaSetup::create();
  if (!setup)
    return state.SkipWithError(setup.error().c_str());
  std::string text = writePlanJson(makePlan());
  fastnorm_plan *plan = nullptr;
  if (fastnorm_plan_load_memory(text.data(), text.size(), &plan) != FASTNORM_OK ||
      fastnorm_plan_prepare(plan, 0) != FASTNORM_OK)
    return state.SkipWithError(fastnorm_last_error());
  Tensors tensors((*setup)->addresses);
  timeBatches(state, *(*setup)->stream, [&] {
    return fastnorm_plan_run(plan, tensors.all, 5, tensors.all + 5, 1, nullptr, 0, (*setup)->handle()) == FASTNORM_OK;
  });
  fastnorm_plan_destroy(plan);
}
BENCHMARK(runOnCuda)->Name("RunOnCuda")->UseManualTime();

void launchKernelAlone(benchmark::State &state) {
  Result<std::unique_ptr<CudaSetup>> setup = CudaSetup::create();
  if (!setup)
    return state.SkipWithError(setup.error().c_str());
  std::shared_ptr<const cuda::Driver> driver = std::move(*cuda::Driver::load(kCudaDriverLibrary));
  std::shared_ptr<const cuda::CudaContext> context = std::move(*cuda::CudaContext::retain(driver, 0, false));
  cuda::ContextScope scope(*context);
  cuda::CUmodule module = nullptr;
  cuda::CUfunction function = nullptr;
  if (driver->cuModuleLoadDataEx(&module, kPtx, 0, nullptr, nullptr).failed() ||
      driver->cuModuleGetFunction(&function, module, "combine_norm").failed())
    return state.SkipWithError("the kernel does not load");
  std::array<uint64_t, kTensors + 2> values = {};
  std::array<void *, kTensors + 2> pointers;
  for (size_t index = 0; index < values.size(); ++index)
    pointers[index] = &values[index];
  auto stream = static_cast<cuda::CUstream>((*setup)->handle());
  timeBatches(state, *(*setup)->stream, [&] {
    return !driver->cuLaunchKernel(function, kRows / 2, 1, 1, 128, 1, 1, 0, stream, pointers.data(), nullptr).failed();
  });
  (void)driver->cuModuleUnload(module);
}
BENCHMARK(launchKernelAlone)->Name("LaunchKernelAlone")->UseManualTime();

} // namespace

BENCHMARK_MAIN();
