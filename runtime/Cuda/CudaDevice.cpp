//===- CudaDevice.cpp - The device on NVIDIA hardware ---------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/CudaDevice.h"

#include "runtime/Cuda/CudaContext.h"
#include "runtime/Cuda/CudaLaunch.h"
#include "runtime/Cuda/CudaProfileRange.h"
#include "runtime/Cuda/CudaStream.h"

#include <algorithm>
#include <utility>

namespace fastnorm {

namespace cuda {

namespace {

class CudaBuffer : public DeviceBuffer {
public:
  CudaBuffer(std::shared_ptr<const CudaContext> context, CUdeviceptr pointer, size_t bytes)
      : context(std::move(context)), pointer(pointer), bytes(bytes) {}
  ~CudaBuffer() override {
    ContextScope scope(*context);
    (void)context->driver().cuMemFree(pointer);
  }

  DeviceAddress address() const override { return pointer; }
  size_t byteCount() const override { return bytes; }

private:
  std::shared_ptr<const CudaContext> context;
  CUdeviceptr pointer;
  size_t bytes;
};

class CudaDevice : public Device {
public:
  CudaDevice(std::shared_ptr<const CudaContext> context, std::unique_ptr<CudaStream> copyStream, DeviceInfo info)
      : context(std::move(context)), copyStream(std::move(copyStream)), facts(std::move(info)) {}

  const DeviceInfo &info() const override { return facts; }

  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t byteCount, std::string label) override;
  Status upload(DeviceAddress destination, const void *source, size_t byteCount) override;
  Status download(void *destination, DeviceAddress source, size_t byteCount) override;
  Status fill(DeviceAddress destination, uint8_t value, size_t byteCount) override;

  Result<std::unique_ptr<Module>> load(std::string_view ptx) override { return CudaModule::load(context, ptx); }

  Result<std::unique_ptr<Stream>> createStream() override;
  Status checkStream(StreamHandle stream) override {
    return checkStreamContext(*context, static_cast<CUstream>(stream));
  }
  Status launch(StreamHandle stream, Kernel &kernel, const LaunchShape &shape,
                const std::vector<KernelArgument> &arguments) override {
    return launchKernel(*context, static_cast<CUstream>(stream), static_cast<const CudaKernel &>(kernel), shape,
                        arguments);
  }
  Status checkAddress(DeviceAddress address) override { return checkKernelAddress(*context, facts, address); }

  Result<std::unique_ptr<Event>> createEvent() override;
  Result<double> elapsedMilliseconds(Event &start, Event &stop) override;

  Status beginCapture(Stream &stream) override;
  Result<std::unique_ptr<Graph>> endCapture(Stream &stream) override;

  Result<std::unique_ptr<ProfileRange>> beginProfile(const std::string &name) override {
    return CudaProfileRange::begin(context, name);
  }

private:
  /// Runs one copy or fill on the copy stream and waits: streams here don't wait for the default stream, so a copy
  /// there could still be on its way when a kernel starts.
  template <typename Call> Status copy(size_t byteCount, Call call);

  std::shared_ptr<const CudaContext> context;
  std::unique_ptr<CudaStream> copyStream;
  DeviceInfo facts;
};

Result<std::unique_ptr<DeviceBuffer>> CudaDevice::allocate(size_t byteCount, std::string label) {
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status.takeError();
  CUdeviceptr pointer = 0;
  // The driver refuses to allocate nothing.
  CallResult result = context->driver().cuMemAlloc(&pointer, std::max<size_t>(byteCount, 1));
  if (result.failed())
    return context->driver().explain(result, label + ", " + std::to_string(byteCount) + " bytes");
  return std::unique_ptr<DeviceBuffer>(new CudaBuffer(context, pointer, byteCount));
}

template <typename Call> Status CudaDevice::copy(size_t byteCount, Call call) {
  if (byteCount == 0)
    return {};
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status;
  CallResult result = call(context->driver(), copyStream->handle());
  if (!result.failed())
    result = context->driver().cuStreamSynchronize(copyStream->handle());
  if (result.failed())
    return context->driver().explain(result, std::to_string(byteCount) + " bytes");
  return {};
}

Status CudaDevice::upload(DeviceAddress destination, const void *source, size_t byteCount) {
  return copy(byteCount, [=](const Driver &driver, CUstream stream) {
    return driver.cuMemcpyHtoDAsync(destination, source, byteCount, stream);
  });
}

Status CudaDevice::download(void *destination, DeviceAddress source, size_t byteCount) {
  return copy(byteCount, [=](const Driver &driver, CUstream stream) {
    return driver.cuMemcpyDtoHAsync(destination, source, byteCount, stream);
  });
}

Status CudaDevice::fill(DeviceAddress destination, uint8_t value, size_t byteCount) {
  return copy(byteCount, [=](const Driver &driver, CUstream stream) {
    return driver.cuMemsetD8Async(destination, value, byteCount, stream);
  });
}

Result<std::unique_ptr<Stream>> CudaDevice::createStream() {
  Result<std::unique_ptr<CudaStream>> stream = CudaStream::create(context);
  if (!stream)
    return stream.takeError();
  return std::unique_ptr<Stream>(std::move(*stream));
}

Result<std::unique_ptr<Event>> CudaDevice::createEvent() {
  Result<std::unique_ptr<CudaEvent>> event = CudaEvent::create(context);
  if (!event)
    return event.takeError();
  return std::unique_ptr<Event>(std::move(*event));
}

Result<double> CudaDevice::elapsedMilliseconds(Event &start, Event &stop) {
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status.takeError();
  float milliseconds = 0.0f;
  CallResult result = context->driver().cuEventElapsedTime(&milliseconds, static_cast<CudaEvent &>(start).handle(),
                                                           static_cast<CudaEvent &>(stop).handle());
  if (result.failed())
    return context->driver().explain(result);
  return static_cast<double>(milliseconds);
}

Status CudaDevice::beginCapture(Stream &stream) {
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status;
  // Other threads may allocate meanwhile; this one launches only.
  CallResult result =
      context->driver().cuStreamBeginCapture(static_cast<CudaStream &>(stream).handle(), CaptureMode::ThreadLocal);
  if (result.failed())
    return context->driver().explain(result);
  return {};
}

Result<std::unique_ptr<Graph>> CudaDevice::endCapture(Stream &stream) {
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status.takeError();
  CUgraph graph = nullptr;
  CallResult result = context->driver().cuStreamEndCapture(static_cast<CudaStream &>(stream).handle(), &graph);
  if (result.failed())
    return context->driver().explain(result);
  return CudaGraph::instantiate(context, graph);
}

/// What the driver says of a device.
class DeviceReader {
public:
  DeviceReader(const Driver &driver, CUdevice device) : driver(driver), device(device) {}

  Result<DeviceInfo> read();

private:
  int64_t attribute(DeviceAttribute attribute);
  /// 0 where the driver does not say.
  double attributeIfKnown(DeviceAttribute attribute) const;
  void readWhatMayBeUnknown(DeviceInfo &info) const;
  void check(const CallResult &result) {
    if (result.failed() && !failure.failed())
      failure = result;
  }

  const Driver &driver;
  CUdevice device;
  CallResult failure; ///< the first one
};

int64_t DeviceReader::attribute(DeviceAttribute attribute) {
  int value = 0;
  check(driver.cuDeviceGetAttribute(&value, attribute, device));
  return value;
}

double DeviceReader::attributeIfKnown(DeviceAttribute attribute) const {
  int value = 0;
  return driver.cuDeviceGetAttribute(&value, attribute, device).failed() ? 0.0 : static_cast<double>(value);
}

void DeviceReader::readWhatMayBeUnknown(DeviceInfo &info) const {
  // Memory moves data on both edges of its clock.
  info.memoryBytesPerSecond = 2.0 * 1000.0 * attributeIfKnown(DeviceAttribute::MemoryClockKilohertz) *
                              attributeIfKnown(DeviceAttribute::MemoryBusBits) / 8.0;
  info.clockHertz = 1000.0 * attributeIfKnown(DeviceAttribute::ClockKilohertz);
  char busId[64] = {};
  if (driver.cuDeviceGetPCIBusId.isPresent() && !driver.cuDeviceGetPCIBusId(busId, sizeof(busId) - 1, device).failed())
    info.busId = busId;
}

Result<DeviceInfo> DeviceReader::read() {
  DeviceInfo info;
  char deviceName[256] = {};
  size_t memoryBytes = 0;
  int version = 0;
  check(driver.cuDeviceGetName(deviceName, sizeof(deviceName) - 1, device));
  check(driver.cuDeviceTotalMem(&memoryBytes, device));
  check(driver.cuDriverGetVersion(&version));
  info.name = deviceName;
  info.ordinal = device;
  info.reachesHostMemory = attribute(DeviceAttribute::PageableMemoryAccess) != 0;
  info.chip = "sm_" + std::to_string(attribute(DeviceAttribute::ComputeCapabilityMajor)) +
              std::to_string(attribute(DeviceAttribute::ComputeCapabilityMinor));
  info.multiprocessors = attribute(DeviceAttribute::MultiprocessorCount);
  info.registersPerMultiprocessor = attribute(DeviceAttribute::MaxRegistersPerMultiprocessor);
  info.maxThreadsPerMultiprocessor = attribute(DeviceAttribute::MaxThreadsPerMultiprocessor);
  info.maxSharedBytesPerCta = attribute(DeviceAttribute::MaxSharedBytesPerCtaOptIn);
  info.hasClusters = attribute(DeviceAttribute::ClusterLaunch) != 0;
  info.l2Bytes = attribute(DeviceAttribute::L2Bytes);
  info.memoryBytes = static_cast<int64_t>(memoryBytes);
  info.driver = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  if (failure.failed())
    return driver.explain(failure, "device " + std::to_string(device));
  readWhatMayBeUnknown(info);
  return info;
}

/// The device of that number, once the driver is there.
Result<CUdevice> findDevice(const Driver &driver, int ordinal) {
  if (CallResult result = driver.cuInit(0); result.failed())
    return Error{"no CUDA device: cuInit failed with " + driver.describe(result.code) + "; run with --device=emulator"};
  int count = 0;
  if (CallResult result = driver.cuDeviceGetCount(&count); result.failed())
    return driver.explain(result);
  if (count == 0)
    return Error{"no CUDA device: the driver is there, but it finds none; run with --device=emulator"};
  if (ordinal < 0 || ordinal >= count)
    return Error{"expected a CUDA device of number 0 to " + std::to_string(count - 1) + ", but got " +
                 std::to_string(ordinal)};
  CUdevice device = 0;
  if (CallResult result = driver.cuDeviceGet(&device, ordinal); result.failed())
    return driver.explain(result, "device " + std::to_string(ordinal));
  return device;
}

} // namespace

} // namespace cuda

Result<std::unique_ptr<Device>> createCudaDevice(int ordinal, const std::string &library) {
  Result<std::shared_ptr<const cuda::Driver>> driver = cuda::Driver::load(library);
  if (!driver)
    return driver.takeError();
  Result<cuda::CUdevice> device = cuda::findDevice(**driver, ordinal);
  if (!device)
    return device.takeError();
  Result<DeviceInfo> info = cuda::DeviceReader(**driver, *device).read();
  if (!info)
    return info.takeError();
  Result<std::shared_ptr<const cuda::CudaContext>> context =
      cuda::CudaContext::retain(*driver, *device, info->hasClusters);
  if (!context)
    return context.takeError();
  Result<std::unique_ptr<cuda::CudaStream>> copyStream = cuda::CudaStream::create(*context);
  if (!copyStream)
    return copyStream.takeError();
  return std::unique_ptr<Device>(new cuda::CudaDevice(*context, std::move(*copyStream), std::move(*info)));
}

} // namespace fastnorm
