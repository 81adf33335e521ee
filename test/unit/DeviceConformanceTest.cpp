//===- DeviceConformanceTest.cpp - What every device must do --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One suite for hardware and emulator: a plan must not be able to tell them
// apart but by time.
//
//===----------------------------------------------------------------------===//

#include "ConformancePtx.h"
#include "DeviceFactories.h"
#include "runtime/Bench/Sampler.h"

#include <cstring>
#include <numeric>
#include <stdexcept>
#include <thread>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

KernelArgument pointer(const DeviceBuffer &buffer) { return KernelArgument{buffer.address(), 8}; }
KernelArgument u32(uint32_t value) { return KernelArgument{value, 4}; }
KernelArgument f32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return KernelArgument{bits, 4};
}

class DeviceConformance : public DeviceTest {
protected:
  std::unique_ptr<DeviceBuffer> allocate(size_t byteCount) {
    Result<std::unique_ptr<DeviceBuffer>> buffer = device->allocate(byteCount, "argument 'x'");
    EXPECT_TRUE(buffer) << (buffer ? "" : buffer.error());
    return buffer ? std::move(*buffer) : nullptr;
  }

  template <typename T> std::unique_ptr<DeviceBuffer> upload(const std::vector<T> &values) {
    std::unique_ptr<DeviceBuffer> buffer = allocate(values.size() * sizeof(T));
    Status status = device->upload(buffer->address(), values.data(), values.size() * sizeof(T));
    EXPECT_TRUE(status) << status.error();
    return buffer;
  }

  template <typename T> std::vector<T> download(const DeviceBuffer &buffer) {
    std::vector<T> values(buffer.byteCount() / sizeof(T));
    Status status = device->download(values.data(), buffer.address(), buffer.byteCount());
    EXPECT_TRUE(status) << status.error();
    return values;
  }

  /// 0, 1, 2, ... as floats.
  std::vector<float> counted(size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
  }

  Kernel &kernel(const char *name) {
    if (!module) {
      Result<std::unique_ptr<Module>> loaded = device->load(kConformancePtx);
      if (!loaded)
        throw std::runtime_error(loaded.error());
      module = std::move(*loaded);
    }
    Result<Kernel *> found = module->kernel(name);
    if (!found)
      throw std::runtime_error(found.error());
    return **found;
  }

  Status launch(const char *name, const LaunchShape &shape, const std::vector<KernelArgument> &arguments) {
    return stream->launch(kernel(name), shape, arguments);
  }

  /// Launches and waits; a failure of either.
  Status run(const char *name, const LaunchShape &shape, const std::vector<KernelArgument> &arguments) {
    if (Status status = launch(name, shape, arguments); !status)
      return status;
    return stream->synchronize();
  }

  void expectCopyWorks() {
    std::vector<float> values = counted(300);
    std::unique_ptr<DeviceBuffer> from = upload(values);
    std::unique_ptr<DeviceBuffer> to = allocate(1200);
    Status status = run("copy", LaunchShape{3, 128, 0}, {pointer(*from), pointer(*to), u32(300)});
    ASSERT_TRUE(status) << status.error();
    EXPECT_EQ(download<float>(*to), values);
  }

  std::unique_ptr<Module> module;
};

TEST_P(DeviceConformance, InfoIsFilled) {
  const DeviceInfo &info = device->info();
  EXPECT_NE(info.name, "");
  EXPECT_EQ(info.chip.rfind("sm_", 0), 0u) << info.chip;
  EXPECT_GT(info.multiprocessors, 0);
  EXPECT_GT(info.registersPerMultiprocessor, 0);
  EXPECT_GE(info.maxThreadsPerMultiprocessor, 1024);
  EXPECT_GE(info.maxSharedBytesPerCta, 48 << 10);
  EXPECT_GT(info.l2Bytes, 0);
  EXPECT_GT(info.memoryBytes, 0);
}

TEST_P(DeviceConformance, UploadedBytesComeBack) {
  std::vector<float> values = counted(1000);
  EXPECT_EQ(download<float>(*upload(values)), values);
}

TEST_P(DeviceConformance, BuffersAreAligned) {
  std::unique_ptr<DeviceBuffer> odd = allocate(3);
  std::unique_ptr<DeviceBuffer> next = allocate(3);
  EXPECT_EQ(odd->address() % 256, 0u);
  EXPECT_EQ(next->address() % 256, 0u);
  EXPECT_NE(odd->address(), next->address());
  EXPECT_EQ(odd->byteCount(), 3u);
}

TEST_P(DeviceConformance, FillReachesItsBytesAlone) {
  std::unique_ptr<DeviceBuffer> buffer = upload(std::vector<uint8_t>(16, 1));
  ASSERT_TRUE(device->fill(buffer->address() + 4, 0xff, 8));
  std::vector<uint8_t> bytes = download<uint8_t>(*buffer);
  for (size_t index = 0; index < 16; ++index)
    EXPECT_EQ(bytes[index], index >= 4 && index < 12 ? 0xff : 1) << index;
}

TEST_P(DeviceConformance, NoBytesCanBeAllocatedCopiedAndFilled) {
  std::unique_ptr<DeviceBuffer> buffer = allocate(0);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(buffer->byteCount(), 0u);
  EXPECT_TRUE(device->upload(buffer->address(), nullptr, 0));
  EXPECT_TRUE(device->download(nullptr, buffer->address(), 0));
  EXPECT_TRUE(device->fill(buffer->address(), 1, 0));
}

TEST_P(DeviceConformance, PartsOfABufferAreCopied) {
  std::unique_ptr<DeviceBuffer> buffer = upload(counted(8));
  float value = 99.0f;
  ASSERT_TRUE(device->upload(buffer->address() + 12, &value, 4));
  EXPECT_EQ(download<float>(*buffer), (std::vector<float>{0, 1, 2, 99, 4, 5, 6, 7}));
  ASSERT_TRUE(device->download(&value, buffer->address() + 20, 4));
  EXPECT_EQ(value, 5.0f);
}

TEST_P(DeviceConformance, CopyKernelWithATail) { expectCopyWorks(); }

TEST_P(DeviceConformance, SharedMemoryAndBarrierPassValuesBetweenWarps) {
  std::unique_ptr<DeviceBuffer> from = upload(counted(512));
  std::unique_ptr<DeviceBuffer> to = allocate(2048);
  Status status = run("scale_reversed", LaunchShape{2, 256, 0}, {pointer(*from), pointer(*to), f32(0.5f)});
  ASSERT_TRUE(status) << status.error();
  std::vector<float> values = download<float>(*to);
  for (int index = 0; index < 256; ++index) {
    EXPECT_EQ(values[static_cast<size_t>(index)], 0.5f * static_cast<float>(255 - index));
    EXPECT_EQ(values[static_cast<size_t>(256 + index)], 0.5f * static_cast<float>(511 - index));
  }
}

TEST_P(DeviceConformance, CtaThatIsNoWholeWarp) {
  std::unique_ptr<DeviceBuffer> from = upload(counted(33));
  std::unique_ptr<DeviceBuffer> to = allocate(33 * 4);
  Status status = run("scale_reversed", LaunchShape{1, 33, 0}, {pointer(*from), pointer(*to), f32(1.0f)});
  ASSERT_TRUE(status) << status.error();
  EXPECT_EQ(download<float>(*to)[0], 32.0f);
}

TEST_P(DeviceConformance, DynamicSharedMemoryUpToTheMost) {
  std::unique_ptr<DeviceBuffer> from = upload(counted(64));
  std::unique_ptr<DeviceBuffer> to = allocate(256);
  // The last bytes of what was asked for must be there.
  for (int64_t sharedBytes : {int64_t(256), int64_t(48 << 10), device->info().maxSharedBytesPerCta}) {
    ASSERT_TRUE(device->fill(to->address(), 0, 256));
    Status status = run("dynamic_reversed", LaunchShape{1, 64, sharedBytes},
                        {pointer(*from), pointer(*to), u32(static_cast<uint32_t>(sharedBytes - 256))});
    ASSERT_TRUE(status) << status.error();
    EXPECT_EQ(download<float>(*to)[1], 62.0f) << sharedBytes;
  }
}

TEST_P(DeviceConformance, MoreSharedMemoryThanThereIsFails) {
  std::unique_ptr<DeviceBuffer> buffer = allocate(256);
  Status status = run("dynamic_reversed", LaunchShape{1, 64, device->info().maxSharedBytesPerCta + 16},
                      {pointer(*buffer), pointer(*buffer), u32(0)});
  EXPECT_FALSE(status);
  expectCopyWorks();
}

TEST_P(DeviceConformance, ArgumentsOf4And8Bytes) {
  std::unique_ptr<DeviceBuffer> to = upload(std::vector<uint64_t>{0, 0});
  Status status =
      run("store_arguments", LaunchShape{1, 32, 0}, {pointer(*to), f32(-1.5f), KernelArgument{0x0123456789abcdefu, 8}});
  ASSERT_TRUE(status) << status.error();
  std::vector<uint64_t> values = download<uint64_t>(*to);
  float first;
  std::memcpy(&first, values.data(), sizeof(first));
  EXPECT_EQ(first, -1.5f);
  EXPECT_EQ(values[1], 0x0123456789abcdefu);
}

TEST_P(DeviceConformance, ArgumentsOfWrongCountOrSizeFail) {
  std::unique_ptr<DeviceBuffer> to = upload(std::vector<uint64_t>{0, 0});
  EXPECT_FALSE(run("store_arguments", LaunchShape{1, 32, 0}, {pointer(*to), f32(-1.5f)}));
  EXPECT_FALSE(run("store_arguments", LaunchShape{1, 32, 0}, {pointer(*to), f32(-1.5f), u32(7)}));
  EXPECT_EQ(download<uint64_t>(*to), (std::vector<uint64_t>{0, 0}));
  expectCopyWorks();
}

TEST_P(DeviceConformance, EveryCtaOfAnyGridRunsOnce) {
  for (int64_t grid : {1, 3, 132, 1000}) {
    std::unique_ptr<DeviceBuffer> to = upload(std::vector<uint32_t>(static_cast<size_t>(grid), 0));
    Status status = run("store_grid", LaunchShape{grid, 64, 0}, {pointer(*to)});
    ASSERT_TRUE(status) << status.error();
    std::vector<uint32_t> values = download<uint32_t>(*to);
    for (int64_t cta = 0; cta < grid; ++cta)
      EXPECT_EQ(values[static_cast<size_t>(cta)], static_cast<uint32_t>(1000 * grid + cta));
  }
}

TEST_P(DeviceConformance, LaunchesOfAStreamRunInOrder) {
  std::vector<float> values = counted(128);
  std::unique_ptr<DeviceBuffer> first = upload(values);
  std::unique_ptr<DeviceBuffer> second = allocate(512);
  std::unique_ptr<DeviceBuffer> third = allocate(512);
  ASSERT_TRUE(launch("copy", LaunchShape{1, 128, 0}, {pointer(*first), pointer(*second), u32(128)}));
  ASSERT_TRUE(launch("copy", LaunchShape{1, 128, 0}, {pointer(*second), pointer(*third), u32(128)}));
  Status status = stream->synchronize();
  ASSERT_TRUE(status) << status.error();
  EXPECT_EQ(download<float>(*third), values);
}

TEST_P(DeviceConformance, TwoThreadsLaunchOneKernelOnTwoStreams) {
  constexpr int kLaunches = 50;
  Kernel &copy = kernel("copy");
  std::vector<float> values = counted(128);
  std::unique_ptr<DeviceBuffer> source = upload(values);
  auto copyOften = [&](const DeviceBuffer &target, std::string &error) {
    Result<std::unique_ptr<Stream>> own = device->createStream();
    Status status = own ? Status() : Status(Error{own.error()});
    for (int launches = 0; status && launches < kLaunches; ++launches)
      status = (*own)->launch(copy, LaunchShape{1, 128, 0}, {pointer(*source), pointer(target), u32(128)});
    if (status)
      status = (*own)->synchronize();
    error = status ? "" : status.error();
  };
  std::unique_ptr<DeviceBuffer> targets[2] = {allocate(512), allocate(512)};
  std::string errors[2];
  std::thread other([&] { copyOften(*targets[1], errors[1]); });
  copyOften(*targets[0], errors[0]);
  other.join();
  for (int index = 0; index < 2; ++index) {
    EXPECT_EQ(errors[index], "");
    EXPECT_EQ(download<float>(*targets[index]), values);
  }
}

TEST_P(DeviceConformance, CapturedLaunchesRunAtReplayAlone) {
  std::unique_ptr<DeviceBuffer> counter = upload(std::vector<uint32_t>{0});
  Kernel &increment = kernel("increment");
  ASSERT_TRUE(device->beginCapture(*stream));
  for (int launches = 0; launches < 3; ++launches)
    ASSERT_TRUE(stream->launch(increment, LaunchShape{2, 64, 0}, {pointer(*counter)}));
  Result<std::unique_ptr<Graph>> graph = device->endCapture(*stream);
  ASSERT_TRUE(graph) << graph.error();
  ASSERT_TRUE(stream->synchronize());
  EXPECT_EQ(download<uint32_t>(*counter)[0], 0u);
  for (int replay = 0; replay < 2; ++replay)
    ASSERT_TRUE((*graph)->replay(*stream));
  Status status = stream->synchronize();
  ASSERT_TRUE(status) << status.error();
  EXPECT_EQ(download<uint32_t>(*counter)[0], 6u);
}

TEST_P(DeviceConformance, StreamLaunchesAgainAfterCapture) {
  ASSERT_TRUE(device->beginCapture(*stream));
  ASSERT_TRUE(device->endCapture(*stream));
  expectCopyWorks();
}

TEST_P(DeviceConformance, UnknownKernelNamesThoseThereAre) {
  kernel("copy");
  Result<Kernel *> found = module->kernel("cpoy");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().find("cpoy"), std::string::npos) << found.error();
  EXPECT_NE(found.error().find("scale_reversed"), std::string::npos) << found.error();
}

TEST_P(DeviceConformance, PtxThatIsBrokenSaysWhere) {
  Result<std::unique_ptr<Module>> loaded =
      device->load(".version 7.0\n.target sm_80\n.address_size 64\n"
                   ".visible .entry k()\n{\n  mov.u32 %r1, oops oops;\n  ret;\n}\n");
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().find("line 6"), std::string::npos) << loaded.error();
  EXPECT_FALSE(device->load(""));
  EXPECT_FALSE(device->load("this is no PTX"));
  expectCopyWorks();
}

TEST_P(DeviceConformance, CtaThatIsTooLargeFailsAndTheDeviceStaysUsable) {
  std::unique_ptr<DeviceBuffer> buffer = allocate(4096);
  Status status = run("copy", LaunchShape{1, 2048, 0}, {pointer(*buffer), pointer(*buffer), u32(0)});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().find("copy"), std::string::npos) << status.error();
  // This kernel says .maxntid 256.
  EXPECT_FALSE(run("scale_reversed", LaunchShape{1, 512, 0}, {pointer(*buffer), pointer(*buffer), f32(1.0f)}));
  EXPECT_FALSE(run("copy", LaunchShape{0, 32, 0}, {pointer(*buffer), pointer(*buffer), u32(0)}));
  expectCopyWorks();
}

TEST_P(DeviceConformance, AccessOutsideABufferNamesItAndTheDeviceStaysUsable) {
  if (!device->info().isEmulator)
    GTEST_SKIP() << "hardware does not see an access just past a buffer, and a far one ends its context";
  std::unique_ptr<DeviceBuffer> buffer = upload(counted(100));
  Status status = run("copy", LaunchShape{1, 128, 0}, {pointer(*buffer), pointer(*buffer), u32(101)});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().find("argument 'x'"), std::string::npos) << status.error();
  EXPECT_NE(status.error().find("line"), std::string::npos) << status.error();
  expectCopyWorks();
}

TEST_P(DeviceConformance, FactsOfAKernel) {
  Result<KernelFacts> facts = kernel("scale_reversed").facts(LaunchShape{1, 256, 0});
  ASSERT_TRUE(facts) << facts.error();
  EXPECT_EQ(facts->staticSharedBytes, 1024);
  EXPECT_EQ(facts->registers.has_value(), !device->info().isEmulator);
  if (facts->ctasPerMultiprocessor) {
    EXPECT_GE(*facts->ctasPerMultiprocessor, 4);
  }
}

TEST_P(DeviceConformance, EventsMeasureWhereThereIsTime) {
  Result<std::unique_ptr<Event>> start = device->createEvent();
  Result<std::unique_ptr<Event>> stop = device->createEvent();
  if (start && stop && (*start)->record(*stream) && (*stop)->record(*stream)) {
    expectCopyWorks();
    Result<double> milliseconds = device->elapsedMilliseconds(**start, **stop);
    EXPECT_EQ(static_cast<bool>(milliseconds), !device->info().isEmulator);
  } else {
    EXPECT_TRUE(device->info().isEmulator);
  }
}

TEST_P(DeviceConformance, SamplerTimesWhereThereIsTime) {
  // 1 MiB copied: 2 MiB moved can't take less than 0.2 us (10 TB/s), nor more than a second.
  std::unique_ptr<DeviceBuffer> from = allocate(1 << 20);
  std::unique_ptr<DeviceBuffer> to = allocate(1 << 20);
  BenchCandidate copy{"copy", {[&](Stream &stream) {
                        return stream.launch(kernel("copy"), LaunchShape{1024, 256, 0},
                                             {pointer(*from), pointer(*to), u32(1 << 18)});
                      }}};
  kernel("copy");
  ASSERT_TRUE(device->fill(from->address(), 0, 1 << 20));
  SamplerOptions options;
  options.stopping.seconds = 0.1;
  Result<Sampling> sampling = sampleInTurns(*device, {copy}, options);
  ASSERT_EQ(static_cast<bool>(sampling), !device->info().isEmulator) << (sampling ? "" : sampling.error());
  if (sampling) {
    EXPECT_GT(sampling->results[0].summary.median, 0.2);
    EXPECT_LT(sampling->results[0].summary.median, 1e6);
    RecordProperty("copy_microseconds", std::to_string(sampling->results[0].summary.median));
  }
}

TEST_P(DeviceConformance, CountersAreTheEmulatorsAlone) {
  EXPECT_EQ(device->takeCounters().has_value(), device->info().isEmulator);
}

TEST_P(DeviceConformance, ModulesAndBuffersMayGoAfterTheirWork) {
  expectCopyWorks();
  module.reset();
  expectCopyWorks();
}

INSTANTIATE_TEST_SUITE_P(, DeviceConformance, testing::ValuesIn(deviceFactories()), factoryName);

} // namespace
