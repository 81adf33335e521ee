//===- CudaDeviceTest.cpp - How calls to the driver fail ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on any machine, against a stand-in for the driver library. What real
// hardware does is the conformance suite's.
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/CudaDevice.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <filesystem>

using namespace fastnorm;

namespace {

/// A library beside the test's binary.
std::string libraryPath(const char *name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

class CudaDeviceTest : public testing::Test {
protected:
  explicit CudaDeviceTest(const char *name = "fastnorm-fake-cuda.so")
      : library(libraryPath(name)), handle(dlopen(library.c_str(), RTLD_NOW)) {
    EXPECT_NE(handle, nullptr) << dlerror();
    call<void()>("fakeCudaReset")();
  }
  ~CudaDeviceTest() override {
    device.reset();
    fail("cuInit", 0);
    EXPECT_EQ(call<int()>("fakeCudaLiveObjects")(), 0);
    EXPECT_EQ(call<int()>("fakeCudaHasCurrentContext")(), 0);
  }

  template <typename Function> Function *call(const char *name) {
    return reinterpret_cast<Function *>(dlsym(handle, name));
  }
  void fail(const char *symbol, int code) { call<void(const char *, int)>("fakeCudaFail")(symbol, code); }
  int calls(const char *symbol) { return call<int(const char *)>("fakeCudaCalls")(symbol); }

  void open() {
    Result<std::unique_ptr<Device>> created = createCudaDevice(0, library);
    ASSERT_TRUE(created) << created.error();
    device = std::move(*created);
  }
  std::string openError(int ordinal = 0) {
    Result<std::unique_ptr<Device>> created = createCudaDevice(ordinal, library);
    EXPECT_FALSE(created);
    return created ? "" : created.error();
  }
  std::unique_ptr<Module> loadNorm() { return std::move(*device->load(".visible .entry norm(.param .u32 a)")); }
  const std::vector<KernelArgument> arguments{{7, 4}, {8, 8}};

  std::string library;
  void *handle;
  std::unique_ptr<Device> device;
};

TEST_F(CudaDeviceTest, InfoIsWhatTheDriverSays) {
  open();
  const DeviceInfo &info = device->info();
  EXPECT_EQ(info.name, "Fake H200");
  EXPECT_EQ(info.chip, "sm_90");
  EXPECT_EQ(info.multiprocessors, 132);
  EXPECT_EQ(info.registersPerMultiprocessor, 65536);
  EXPECT_EQ(info.maxThreadsPerMultiprocessor, 2048);
  EXPECT_EQ(info.maxSharedBytesPerCta, 232448);
  EXPECT_EQ(info.l2Bytes, 50 << 20);
  EXPECT_EQ(info.memoryBytes, int64_t(140) << 30);
  EXPECT_EQ(info.driver, "13.0");
  EXPECT_FALSE(info.isEmulator);
}

TEST_F(CudaDeviceTest, ProfilingIsOnAsLongAsItsRange) {
  open();
  {
    Result<std::unique_ptr<ProfileRange>> range = device->beginProfile("norm");
    ASSERT_TRUE(range) << range.error();
    EXPECT_EQ(calls("cuProfilerStart"), 1);
    EXPECT_EQ(calls("cuProfilerStop"), 0);
  }
  EXPECT_EQ(calls("cuProfilerStop"), 1);
  fail("cuProfilerStart", 1);
  Result<std::unique_ptr<ProfileRange>> refused = device->beginProfile("norm");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("cuProfilerStart failed: "), std::string::npos) << refused.error();
  EXPECT_EQ(calls("cuProfilerStop"), 1);
}

TEST_F(CudaDeviceTest, LibraryThatIsMissing) {
  Result<std::unique_ptr<Device>> created = createCudaDevice(0, "libcuda-that-is-missing.so.1");
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error(),
            "no CUDA device: the driver library can't be loaded (libcuda-that-is-missing.so.1: cannot open shared "
            "object file: No such file or directory); install the NVIDIA driver, or run with --device=emulator");
}

TEST_F(CudaDeviceTest, LibraryThatIsTooOld) {
  std::string old = libraryPath("fastnorm-old-fake-cuda.so");
  Result<std::unique_ptr<Device>> created = createCudaDevice(0, old);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error(), "expected a driver of CUDA 11.4 or newer, but " + old +
                                 " has no cuGraphInstantiateWithFlags; update the NVIDIA driver, or run with "
                                 "--device=emulator");
}

TEST_F(CudaDeviceTest, DriverWithoutDevice) {
  fail("cuInit", 100);
  EXPECT_EQ(openError(), "no CUDA device: cuInit failed with CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected; "
                         "run with --device=emulator");
}

TEST_F(CudaDeviceTest, NoDeviceCounted) {
  call<void(int)>("fakeCudaSetDeviceCount")(0);
  EXPECT_EQ(openError(), "no CUDA device: the driver is there, but it finds none; run with --device=emulator");
}

TEST_F(CudaDeviceTest, OrdinalThatIsNotThere) {
  call<void(int)>("fakeCudaSetDeviceCount")(2);
  EXPECT_EQ(openError(2), "expected a CUDA device of number 0 to 1, but got 2");
  EXPECT_EQ(openError(-1), "expected a CUDA device of number 0 to 1, but got -1");
}

TEST_F(CudaDeviceTest, ErrorTheDriverDoesNotKnow) {
  fail("cuDeviceGetCount", 12345);
  EXPECT_EQ(openError(), "cuDeviceGetCount failed: CUDA error 12345, which the driver does not know");
}

TEST_F(CudaDeviceTest, EveryCallOfOpeningIsCheckedAndFreesWhatWasOpened) {
  for (const char *symbol : {"cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName",
                             "cuDeviceTotalMem_v2", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain",
                             "cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuStreamCreate"}) {
    fail(symbol, 2);
    std::string entryPoint(symbol);
    entryPoint = entryPoint.substr(0, entryPoint.find("_v2"));
    EXPECT_EQ(openError().rfind(entryPoint + " failed: CUDA_ERROR_OUT_OF_MEMORY: what went wrong", 0), 0u) << symbol;
    EXPECT_EQ(call<int()>("fakeCudaLiveObjects")(), 0) << symbol;
    fail(symbol, 0);
  }
}

TEST_F(CudaDeviceTest, AllocationNamesTheBuffer) {
  open();
  fail("cuMemAlloc_v2", 2);
  EXPECT_EQ(device->allocate(4096, "argument 'residual'").error(),
            "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY: what went wrong (argument 'residual', 4096 bytes)");
}

TEST_F(CudaDeviceTest, NoBytesCanBeAllocatedCopiedAndFilled) {
  open();
  Result<std::unique_ptr<DeviceBuffer>> buffer = device->allocate(0, "empty");
  ASSERT_TRUE(buffer) << buffer.error();
  EXPECT_EQ((*buffer)->byteCount(), 0u);
  EXPECT_TRUE(device->upload((*buffer)->address(), nullptr, 0));
  EXPECT_TRUE(device->download(nullptr, (*buffer)->address(), 0));
  EXPECT_TRUE(device->fill((*buffer)->address(), 1, 0));
}

TEST_F(CudaDeviceTest, CopiesAndFillsAreCheckedAndWaitedFor) {
  open();
  Result<std::unique_ptr<DeviceBuffer>> buffer = device->allocate(16, "x");
  ASSERT_TRUE(buffer);
  DeviceAddress address = (*buffer)->address();
  char bytes[16] = {};
  int waits = calls("cuStreamSynchronize");
  ASSERT_TRUE(device->fill(address, 0xa5, 16));
  ASSERT_TRUE(device->download(bytes, address, 16));
  EXPECT_EQ(static_cast<unsigned char>(bytes[15]), 0xa5);
  EXPECT_EQ(calls("cuStreamSynchronize"), waits + 2);
  for (const char *symbol : {"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemsetD8Async", "cuStreamSynchronize"})
    fail(symbol, 1);
  EXPECT_EQ(device->upload(address, bytes, 16).error(),
            "cuMemcpyHtoDAsync failed: CUDA_ERROR_INVALID_VALUE: what went wrong (16 bytes)");
  EXPECT_FALSE(device->download(bytes, address, 16));
  EXPECT_FALSE(device->fill(address, 0, 16));
}

TEST_F(CudaDeviceTest, JitLogIsInTheError) {
  open();
  call<void(const char *)>("fakeCudaSetJitLog")("ptxas application ptx input, line 3; error   : Syntax error\n");
  fail("cuModuleLoadDataEx", 218);
  EXPECT_EQ(device->load("oops").error(), "cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX: what went wrong; the JIT "
                                          "compiler says: ptxas application ptx input, line 3; error   : Syntax error");
}

TEST_F(CudaDeviceTest, UnknownKernelNamesThoseThereAre) {
  open();
  std::unique_ptr<Module> module = std::move(*device->load(".visible .entry norm(\n) .entry finalize_2(\n)"));
  EXPECT_EQ(module->kernel("nrom").error(), "expected a kernel @nrom in the PTX, but it has @norm, @finalize_2");
}

TEST_F(CudaDeviceTest, FactsOfAKernel) {
  open();
  std::unique_ptr<Module> module = loadNorm();
  Result<Kernel *> kernel = module->kernel("norm");
  ASSERT_TRUE(kernel) << kernel.error();
  EXPECT_EQ(*kernel, *module->kernel("norm"));
  Result<KernelFacts> facts = (*kernel)->facts(LaunchShape{1, 256, 0});
  ASSERT_TRUE(facts) << facts.error();
  EXPECT_EQ(facts->registers, 40);
  EXPECT_EQ(facts->staticSharedBytes, 1024);
  EXPECT_EQ(facts->spillBytes, 0);
  EXPECT_EQ(facts->ctasPerMultiprocessor, 8);
}

TEST_F(CudaDeviceTest, LaunchPassesShapeAndArguments) {
  open();
  std::unique_ptr<Module> module = loadNorm();
  std::unique_ptr<Stream> stream = std::move(*device->createStream());
  Status status = stream->launch(**module->kernel("norm"), LaunchShape{132, 256, 512}, arguments);
  ASSERT_TRUE(status) << status.error();
  unsigned launch[4] = {};
  call<void(unsigned *, unsigned *, unsigned *, unsigned *)>("fakeCudaLastLaunch")(&launch[0], &launch[1], &launch[2],
                                                                                   &launch[3]);
  EXPECT_EQ(launch[0], 132u);
  EXPECT_EQ(launch[1], 256u);
  EXPECT_EQ(launch[2], 512u);
  EXPECT_EQ(launch[3], 7u);
}

/// The one kernel of a device, and a stream.
class CudaClusterTest : public CudaDeviceTest {
protected:
  explicit CudaClusterTest(const char *name = "fastnorm-fake-cuda.so") : CudaDeviceTest(name) {}
  ~CudaClusterTest() override {
    stream.reset();
    module.reset();
  }

  void openWithClusters(bool hasClusters) {
    call<void(int)>("fakeCudaSetClusters")(hasClusters);
    open();
    EXPECT_EQ(device->info().hasClusters, hasClusters);
    module = loadNorm();
    kernel = *module->kernel("norm");
    stream = std::move(*device->createStream());
  }
  std::string launch(const LaunchShape &shape) {
    Status status = stream->launch(*kernel, shape, arguments);
    return status ? "" : status.error();
  }
  std::pair<unsigned, unsigned> lastAttributes() {
    unsigned cluster = 0, dependent = 0;
    call<void(unsigned *, unsigned *)>("fakeCudaLastAttributes")(&cluster, &dependent);
    return {cluster, dependent};
  }

  std::unique_ptr<Module> module;
  Kernel *kernel = nullptr;
  std::unique_ptr<Stream> stream;
};

/// A driver from before clusters.
class CudaClusterOldDriverTest : public CudaClusterTest {
protected:
  CudaClusterOldDriverTest() : CudaClusterTest("fastnorm-fake-cuda-11-4.so") {}
};

TEST_F(CudaClusterTest, ClusterAndDependenceArePassedAsAttributes) {
  openWithClusters(true);
  EXPECT_EQ(launch({128, 256, 512, 4, false}), "");
  EXPECT_EQ(lastAttributes(), std::pair(4u, 0u));
  EXPECT_EQ(launch({128, 256, 512, 1, true}), "");
  EXPECT_EQ(lastAttributes(), std::pair(0u, 1u));
  EXPECT_EQ(launch({128, 256, 512, 8, true}), "");
  EXPECT_EQ(lastAttributes(), std::pair(8u, 1u));
  unsigned shape[4] = {};
  call<void(unsigned *, unsigned *, unsigned *, unsigned *)>("fakeCudaLastLaunch")(&shape[0], &shape[1], &shape[2],
                                                                                   &shape[3]);
  EXPECT_EQ(std::vector<unsigned>(shape, shape + 4), (std::vector<unsigned>{128, 256, 512, 7}));
  EXPECT_EQ(calls("cuLaunchKernel"), 0);
}

TEST_F(CudaClusterTest, APlainLaunchTakesThePlainPath) {
  openWithClusters(true);
  EXPECT_EQ(launch({128, 256, 512}), "");
  EXPECT_EQ(calls("cuLaunchKernel"), 1);
  EXPECT_EQ(calls("cuLaunchKernelEx"), 0);
}

TEST_F(CudaClusterTest, ClustersPastEightOptInOnce) {
  openWithClusters(true);
  EXPECT_EQ(launch({128, 256, 0, 8, false}), "");
  EXPECT_EQ(calls("cuFuncSetAttribute"), 0);
  EXPECT_EQ(launch({128, 256, 0, 16, false}), "");
  EXPECT_EQ(launch({128, 256, 0, 16, false}), "");
  EXPECT_EQ(calls("cuFuncSetAttribute"), 1);
}

TEST_F(CudaClusterTest, ARefusedOptInNamesTheCluster) {
  openWithClusters(true);
  fail("cuFuncSetAttribute", 1);
  EXPECT_EQ(launch({128, 256, 0, 16, false}),
            "cuFuncSetAttribute failed: CUDA_ERROR_INVALID_VALUE: what went wrong (kernel @norm, cluster 16)");
}

TEST_F(CudaClusterTest, FactsCountActiveClusters) {
  openWithClusters(true);
  Result<KernelFacts> facts = kernel->facts({1, 256, 0, 8, false});
  ASSERT_TRUE(facts) << facts.error();
  EXPECT_EQ(facts->activeClusters, 16);
  EXPECT_EQ(kernel->facts({1, 256, 0})->activeClusters, std::nullopt);
  fail("cuOccupancyMaxActiveClusters", 1);
  EXPECT_EQ(kernel->facts({1, 256, 0, 8, false}).error(),
            "cuOccupancyMaxActiveClusters failed: CUDA_ERROR_INVALID_VALUE: what went wrong (kernel @norm, grid 8, cta "
            "256, cluster 8)");
}

TEST_F(CudaClusterTest, AFailedClusterLaunchNamesTheCluster) {
  openWithClusters(true);
  fail("cuLaunchKernelEx", 1);
  EXPECT_EQ(launch({128, 256, 0, 4, false}), "cuLaunchKernelEx failed: CUDA_ERROR_INVALID_VALUE: what went wrong "
                                             "(kernel @norm, grid 128, cta 256, cluster 4)");
}

TEST_F(CudaClusterTest, AGridOfNoWholeClustersIsRefused) {
  openWithClusters(true);
  EXPECT_EQ(launch({130, 256, 0, 4, false}),
            "expected a grid and a CTA of 1 to 2147483647, whole clusters, and at most 512 arguments, but got kernel "
            "@norm, grid 130, cta 256, cluster 4, 2 arguments");
  EXPECT_NE(launch({128, 256, 0, 0, false}), "");
  EXPECT_EQ(calls("cuLaunchKernelEx"), 0);
}

TEST_F(CudaClusterTest, ADeviceWithoutClustersSaysSo) {
  openWithClusters(false);
  EXPECT_EQ(launch({128, 256, 0, 4, false}),
            "expected a device that launches clusters, sm_90 or newer, for kernel @norm, cluster 4, but this one has "
            "none; compile the graph for this device");
}

TEST_F(CudaClusterTest, ADeviceWithoutDependentLaunchesRunsThemInOrder) {
  openWithClusters(false);
  EXPECT_EQ(launch({128, 256, 0, 1, true}), "");
  EXPECT_EQ(calls("cuLaunchKernel"), 1);
}

TEST_F(CudaClusterOldDriverTest, ADriverWithoutClustersSaysSo) {
  openWithClusters(true);
  EXPECT_EQ(launch({128, 256, 0, 4, false}),
            "expected a driver of CUDA 11.8 or newer, which launches clusters, for kernel @norm, cluster 4, but this "
            "one is older; update the NVIDIA driver");
  EXPECT_EQ(launch({128, 256, 0, 1, true}), "");
  EXPECT_EQ(calls("cuLaunchKernel"), 1);
}

TEST_F(CudaDeviceTest, FailedLaunchNamesKernelGridAndCta) {
  open();
  std::unique_ptr<Module> module = loadNorm();
  std::unique_ptr<Stream> stream = std::move(*device->createStream());
  fail("cuLaunchKernel", 1);
  EXPECT_EQ(stream->launch(**module->kernel("norm"), LaunchShape{132, 256, 0}, arguments).error(),
            "cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE: what went wrong (kernel @norm, grid 132, cta 256)");
}

TEST_F(CudaDeviceTest, RunsOnWhereMemoryRanOut) {
  open();
  std::unique_ptr<Module> module = loadNorm();
  std::unique_ptr<Stream> stream = std::move(*device->createStream());
  fail("cuMemAlloc_v2", 2);
  Result<std::unique_ptr<DeviceBuffer>> refused = device->allocate(size_t(1) << 40, "argument 'x'");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos) << refused.error();
  EXPECT_NE(refused.error().find("argument 'x'"), std::string::npos) << refused.error();
  EXPECT_NE(refused.error().find("1099511627776 bytes"), std::string::npos) << refused.error();
  fail("cuMemAlloc_v2", 0);
  EXPECT_TRUE(device->allocate(1024, "argument 'x'"));
  EXPECT_TRUE(stream->launch(**module->kernel("norm"), LaunchShape{132, 256, 0}, arguments));
}

TEST_F(CudaDeviceTest, AFailedLaunchDoesNotPoisonTheNext) {
  open();
  std::unique_ptr<Module> module = loadNorm();
  std::unique_ptr<Stream> stream = std::move(*device->createStream());
  fail("cuLaunchKernel", 701);
  EXPECT_FALSE(stream->launch(**module->kernel("norm"), LaunchShape{132, 256, 0}, arguments));
  fail("cuLaunchKernel", 0);
  EXPECT_TRUE(stream->launch(**module->kernel("norm"), LaunchShape{132, 256, 0}, arguments));
  EXPECT_TRUE(stream->synchronize());
}

TEST_F(CudaDeviceTest, ShapesAndArgumentsTheDriverCanNotTake) {
  open();
  std::unique_ptr<Module> module = loadNorm();
  Kernel &kernel = **module->kernel("norm");
  std::unique_ptr<Stream> stream = std::move(*device->createStream());
  EXPECT_FALSE(stream->launch(kernel, LaunchShape{int64_t(1) << 31, 256, 0}, arguments));
  EXPECT_FALSE(stream->launch(kernel, LaunchShape{0, 256, 0}, arguments));
  EXPECT_EQ(stream->launch(kernel, LaunchShape{1, 1, 0}, {{7, 4}}).error(),
            "expected 2 arguments for kernel @norm, but got 1");
  EXPECT_EQ(stream->launch(kernel, LaunchShape{1, 1, 0}, {{7, 4}, {8, 4}}).error(),
            "expected argument 1 of kernel @norm to have 8 bytes, but got 4");
  EXPECT_EQ(calls("cuLaunchKernel"), 0);
}

TEST_F(CudaDeviceTest, SharedMemoryOptsInOnceWhereStaticAndDynamicPass48KiB) {
  open();
  std::unique_ptr<Module> module = loadNorm();
  Kernel &kernel = **module->kernel("norm"); // 1 KiB static
  std::unique_ptr<Stream> stream = std::move(*device->createStream());
  ASSERT_TRUE(stream->launch(kernel, LaunchShape{1, 1, 47 << 10}, arguments));
  EXPECT_EQ(calls("cuFuncSetAttribute"), 0);
  ASSERT_TRUE(stream->launch(kernel, LaunchShape{1, 1, (47 << 10) + 16}, arguments));
  EXPECT_EQ(calls("cuFuncSetAttribute"), 1);
  ASSERT_TRUE(stream->launch(kernel, LaunchShape{1, 1, (47 << 10) + 16}, arguments));
  EXPECT_EQ(calls("cuFuncSetAttribute"), 1);
  fail("cuFuncSetAttribute", 1);
  EXPECT_EQ(kernel.facts(LaunchShape{1, 128, 300000}).error(),
            "cuFuncSetAttribute failed: CUDA_ERROR_INVALID_VALUE: what went wrong "
            "(kernel @norm, 300000 bytes of dynamic shared memory)");
}

TEST_F(CudaDeviceTest, WhatAKernelDidWrongIsReportedAtSynchronizeAsSticky) {
  open();
  std::unique_ptr<Module> module = loadNorm();
  std::unique_ptr<Stream> stream = std::move(*device->createStream());
  ASSERT_TRUE(stream->launch(**module->kernel("norm"), LaunchShape{132, 256, 0}, arguments));
  fail("cuStreamSynchronize", 700);
  EXPECT_EQ(
      stream->synchronize().error(),
      "cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS: what went wrong (the last launch was kernel @norm, "
      "grid 132, cta 256); this device fails every further call of this process, so start it again");
}

TEST_F(CudaDeviceTest, CaptureReplayAndEvents) {
  open();
  std::unique_ptr<Module> module = loadNorm();
  std::unique_ptr<Stream> stream = std::move(*device->createStream());
  ASSERT_TRUE(device->beginCapture(*stream));
  Result<std::unique_ptr<Graph>> graph = device->endCapture(*stream);
  ASSERT_TRUE(graph) << graph.error();
  EXPECT_EQ(calls("cuGraphDestroy"), 1);
  ASSERT_TRUE((*graph)->replay(*stream));
  std::unique_ptr<Event> start = std::move(*device->createEvent());
  std::unique_ptr<Event> stop = std::move(*device->createEvent());
  ASSERT_TRUE(start->record(*stream));
  EXPECT_EQ(*device->elapsedMilliseconds(*start, *stop), 0.25);
  for (const char *symbol : {"cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphLaunch", "cuEventRecord",
                             "cuEventElapsedTime", "cuEventCreate"})
    fail(symbol, 1);
  EXPECT_FALSE(device->beginCapture(*stream));
  EXPECT_FALSE(device->endCapture(*stream));
  EXPECT_FALSE((*graph)->replay(*stream));
  EXPECT_FALSE(start->record(*stream));
  EXPECT_FALSE(device->elapsedMilliseconds(*start, *stop));
  EXPECT_FALSE(device->createEvent());
}

TEST_F(CudaDeviceTest, FailedInstantiationFreesTheGraph) {
  open();
  std::unique_ptr<Stream> stream = std::move(*device->createStream());
  ASSERT_TRUE(device->beginCapture(*stream));
  fail("cuGraphInstantiateWithFlags", 2);
  EXPECT_FALSE(device->endCapture(*stream));
  EXPECT_EQ(calls("cuGraphDestroy"), 1);
}

TEST_F(CudaDeviceTest, BuffersAndStreamsMayOutliveTheDevice) {
  open();
  std::unique_ptr<DeviceBuffer> buffer = std::move(*device->allocate(16, "x"));
  std::unique_ptr<Stream> stream = std::move(*device->createStream());
  device.reset();
  EXPECT_EQ(calls("cuDevicePrimaryCtxRelease_v2"), 0);
  buffer.reset();
  stream.reset();
  EXPECT_EQ(calls("cuDevicePrimaryCtxRelease_v2"), 1);
}

TEST_F(CudaDeviceTest, StreamOfOtherCode) {
  open();
  std::unique_ptr<Module> module = loadNorm();
  Kernel *kernel = *module->kernel("norm");
  int stream = 0;
  EXPECT_TRUE(device->checkStream(&stream));
  EXPECT_TRUE(device->launch(&stream, *kernel, LaunchShape{3, 64, 0}, arguments));
  EXPECT_EQ(calls("cuLaunchKernel"), 1);
  call<void(int)>("fakeCudaSetForeignStreams")(1);
  EXPECT_EQ(device->checkStream(&stream).error(),
            "expected a stream of the primary context of the device that the plan was prepared on, but got one of "
            "another context");
  EXPECT_TRUE(device->checkStream(nullptr)); // the default stream is everyone's
  fail("cuStreamGetCtx", 2);
  EXPECT_EQ(device->checkStream(&stream).error(),
            "cuStreamGetCtx failed: CUDA_ERROR_OUT_OF_MEMORY: what went wrong (the stream that was given)");
}

TEST_F(CudaDeviceTest, AddressesThatKernelsCanUse) {
  open();
  auto setMemory = call<void(int, int)>("fakeCudaSetMemory");
  EXPECT_TRUE(device->checkAddress(4096));
  setMemory(2, 1);
  EXPECT_EQ(device->checkAddress(4096).error(),
            "expected memory of CUDA device 0, which the plan was prepared on, but got memory of device 1");
  setMemory(1, 0); // host memory that was registered
  EXPECT_TRUE(device->checkAddress(4096));
  fail("cuPointerGetAttribute", 1);
  EXPECT_EQ(device->checkAddress(4096).error(),
            "expected device memory, or host memory that the CUDA driver knows, but got an address that it does not "
            "know");
}

} // namespace
