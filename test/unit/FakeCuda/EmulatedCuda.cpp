//===- EmulatedCuda.cpp - A driver library that runs on the emulator ------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opened as libcuda.so.1, it lets fastnorm-run measure where there is no GPU:
// kernels run on the emulator when they are launched with new arguments, and a
// made-up clock goes on by 1.5 us a launch and by the bytes they move. The
// tool's tests steer it by environment variables, which the product knows
// nothing of:
//   EMULATED_CUDA_SPEED=X        bytes move X times as fast, and launches take 1 / X
//   EMULATED_CUDA_NOISE=X        every second replay takes 1 + X times as long
//   EMULATED_CUDA_LOST_AFTER=N   the device is lost after N replays
//   EMULATED_CUDA_INTERRUPT_AFTER=N  the process gets SIGINT after N replays
//   EMULATED_CUDA_MEMORY=BYTES   of the device; its L2 has 64 KiB
//
//===----------------------------------------------------------------------===//

#include "runtime/Emulator/EmulatorModule.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

using namespace fastnorm;
using fastnorm::emulator::EmulatorKernel;

namespace {

constexpr int kInvalidValue = 1, kOutOfMemory = 2, kNotFound = 500, kLaunchFailed = 719;
constexpr double kBytesPerMicrosecond = 4.2e6;
constexpr double kLaunchMicroseconds = 1.5;

/// As the driver's header has them.
struct LaunchAttribute {
  int id;
  char padding[4];
  unsigned value[16];
};
struct LaunchConfig {
  unsigned grid[3];
  unsigned threads[3];
  unsigned sharedBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

struct Launched {
  EmulatorKernel *kernel;
  LaunchShape shape;
  std::vector<KernelArgument> arguments;

  auto key() const { return std::make_tuple(kernel, shape.grid, shape.threads); }
};

double number(const char *name, double otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atof(text) : otherwise;
}

struct State {
  std::unique_ptr<Device> device = createEmulatorDevice();
  std::unique_ptr<Stream> stream = std::move(*device->createStream());
  std::map<DeviceAddress, std::unique_ptr<DeviceBuffer>> buffers;
  size_t usedBytes = 0;
  double microseconds = 0.0;
  std::map<std::tuple<EmulatorKernel *, int64_t, int64_t>, double> times;
  std::set<std::vector<uint64_t>> seen; ///< arguments that were run with
  bool isCapturing = false;
  std::vector<Launched> captured;
  int64_t replays = 0;
  bool isLost = false;
  const double speed = number("EMULATED_CUDA_SPEED", 1.0);
  const double noise = number("EMULATED_CUDA_NOISE", 0.0);
  const double lostAfter = number("EMULATED_CUDA_LOST_AFTER", 1e18);
  const double interruptAfter = number("EMULATED_CUDA_INTERRUPT_AFTER", 1e18);
  const double memoryBytes = number("EMULATED_CUDA_MEMORY", 1 << 30);

  int run(const Launched &launch);
  double time(const Launched &launch);
  int submit(const Launched &launch);
};

State &state() {
  // Never destroyed: what the process still holds may be freed at its very end.
  static State *made = new State();
  return *made;
}

/// Runs what was not run before; all else would be the same again.
int State::run(const Launched &launch) {
  std::vector<uint64_t> identity{reinterpret_cast<uint64_t>(launch.kernel)};
  for (const KernelArgument &argument : launch.arguments)
    identity.push_back(argument.bits);
  if (!seen.insert(identity).second)
    return 0;
  device->takeCounters();
  if (!stream->launch(*launch.kernel, launch.shape, launch.arguments))
    return kLaunchFailed;
  LaunchCounters counters = *device->takeCounters();
  double bytes = static_cast<double>(counters.globalLoadBytes + counters.globalStoreBytes);
  times[launch.key()] = kLaunchMicroseconds + bytes / kBytesPerMicrosecond;
  return 0;
}

double State::time(const Launched &launch) {
  if (!times.count(launch.key()))
    run(launch);
  return times[launch.key()] / speed;
}

int State::submit(const Launched &launch) {
  if (isLost)
    return kLaunchFailed;
  if (isCapturing) {
    captured.push_back(launch);
    return 0;
  }
  int code = run(launch);
  microseconds += time(launch);
  return code;
}

Launched launchOf(void *function, unsigned grid, unsigned threads, unsigned sharedBytes, void **arguments) {
  Launched launch{static_cast<EmulatorKernel *>(function), LaunchShape{grid, threads, sharedBytes}, {}};
  for (size_t index = 0; index < launch.kernel->program.parameters.size(); ++index) {
    KernelArgument argument{0, static_cast<int64_t>(launch.kernel->program.parameters[index].byteCount)};
    std::memcpy(&argument.bits, arguments[index], static_cast<size_t>(argument.byteCount));
    launch.arguments.push_back(argument);
  }
  return launch;
}

thread_local void *currentContext = nullptr;
int contextObject, streamObject;

} // namespace

extern "C" {

int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}
int cuDeviceGetCount(int *count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char *name, int length, int) {
  std::strncpy(name, "Emulated H200", static_cast<size_t>(length));
  return 0;
}
int cuDeviceGetPCIBusId(char *name, int length, int) {
  std::strncpy(name, "0000:00:00.0", static_cast<size_t>(length));
  return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = static_cast<size_t>(state().memoryBytes);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  const std::map<int, int> values{{13, 1980000}, {16, 132}, {36, 3201000}, {37, 6144}, {38, 64 << 10}, {39, 2048},
                                  {75, 9},       {76, 0},   {82, 65536},   {88, 0},    {97, 232448},   {120, 1}};
  auto found = values.find(attribute);
  *value = found == values.end() ? 0 : found->second;
  return found == values.end() ? kInvalidValue : 0;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &contextObject;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxGetCurrent(void **context) {
  *context = currentContext;
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  currentContext = context;
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  *context = currentContext;
  currentContext = nullptr;
  return 0;
}
int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes) {
  if (static_cast<double>(state().usedBytes + bytes) > state().memoryBytes)
    return kOutOfMemory;
  Result<std::unique_ptr<DeviceBuffer>> buffer = state().device->allocate(bytes, "a buffer");
  if (!buffer)
    return kOutOfMemory;
  *pointer = (*buffer)->address();
  state().usedBytes += bytes;
  state().buffers[*pointer] = std::move(*buffer);
  return 0;
}
int cuMemFree_v2(unsigned long long pointer) {
  state().usedBytes -= state().buffers[pointer]->byteCount();
  state().buffers.erase(pointer);
  // Another buffer may come to lie there.
  state().seen.clear();
  return 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long destination, const void *source, size_t bytes, void *) {
  return state().device->upload(destination, source, bytes) ? 0 : kInvalidValue;
}
int cuMemcpyDtoHAsync_v2(void *destination, unsigned long long source, size_t bytes, void *) {
  return state().device->download(destination, source, bytes) ? 0 : kInvalidValue;
}
int cuMemsetD8Async(unsigned long long destination, unsigned char value, size_t bytes, void *) {
  return state().device->fill(destination, value, bytes) ? 0 : kInvalidValue;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned, int *, void **) {
  Result<std::unique_ptr<Module>> loaded = state().device->load(static_cast<const char *>(image));
  if (!loaded)
    return 218;
  *module = loaded->release();
  return 0;
}
int cuModuleUnload(void *module) {
  delete static_cast<Module *>(module);
  state().seen.clear();
  state().times.clear();
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  Result<Kernel *> kernel = static_cast<Module *>(module)->kernel(name);
  *function = kernel ? static_cast<EmulatorKernel *>(*kernel) : nullptr;
  return kernel ? 0 : kNotFound;
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  *value = attribute == 4   ? 40
           : attribute == 1 ? static_cast<int>(static_cast<EmulatorKernel *>(function)->program.staticSharedBytes)
                            : 0;
  return 0;
}
int cuFuncSetAttribute(void *, int, int) { return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas, void *, int threads, size_t) {
  *ctas = 2048 / threads;
  return 0;
}
int cuOccupancyMaxActiveClusters(int *clusters, void *, const LaunchConfig *config) {
  *clusters = 132 / static_cast<int>(config->attributes[0].value[0]);
  return 0;
}
int cuLaunchKernel(void *function, unsigned grid, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                   unsigned sharedBytes, void *, void **arguments, void **) {
  return state().submit(launchOf(function, grid, threads, sharedBytes, arguments));
}
int cuLaunchKernelEx(const LaunchConfig *config, void *function, void **arguments, void **) {
  Launched launch = launchOf(function, config->grid[0], config->threads[0], config->sharedBytes, arguments);
  for (unsigned index = 0; index < config->attributeCount; ++index)
    if (config->attributes[index].id == 4)
      launch.shape.cluster = config->attributes[index].value[0];
  return state().submit(launch);
}
int cuStreamCreate(void **stream, unsigned) {
  *stream = &streamObject;
  return 0;
}
int cuStreamDestroy_v2(void *) { return 0; }
int cuStreamGetCtx(void *, void **context) {
  *context = &contextObject;
  return 0;
}
int cuPointerGetAttribute(void *value, int attribute, unsigned long long) {
  int answer = attribute == 2 ? 2 : 0;
  std::memcpy(value, &answer, sizeof(answer));
  return 0;
}
int cuStreamSynchronize(void *) { return state().isLost ? kLaunchFailed : 0; }
int cuStreamBeginCapture_v2(void *, int) {
  state().isCapturing = true;
  state().captured.clear();
  return 0;
}
int cuStreamEndCapture(void *, void **graph) {
  state().isCapturing = false;
  *graph = new std::vector<Launched>(std::move(state().captured));
  return 0;
}
int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long) {
  *executable = new std::vector<Launched>(*static_cast<std::vector<Launched> *>(graph));
  return 0;
}
int cuGraphLaunch(void *executable, void *) {
  ++state().replays;
  double spent = 0.0;
  for (const Launched &launch : *static_cast<std::vector<Launched> *>(executable))
    spent += state().time(launch);
  // A little spread, and the noise that was asked for.
  spent *= 1.0 + 0.0005 * static_cast<double>(state().replays % 7);
  state().microseconds += state().replays % 2 ? spent : spent * (1.0 + state().noise);
  if (static_cast<double>(state().replays) > state().lostAfter)
    state().isLost = true;
  if (static_cast<double>(state().replays) == state().interruptAfter)
    std::raise(SIGINT);
  return 0;
}
int cuGraphDestroy(void *graph) {
  delete static_cast<std::vector<Launched> *>(graph);
  return 0;
}
int cuGraphExecDestroy(void *executable) { return cuGraphDestroy(executable); }
int cuEventCreate(void **event, unsigned) {
  *event = new double(0.0);
  return 0;
}
int cuEventDestroy_v2(void *event) {
  delete static_cast<double *>(event);
  return 0;
}
int cuEventRecord(void *event, void *) {
  *static_cast<double *>(event) = state().microseconds;
  return 0;
}
int cuEventElapsedTime(float *milliseconds, void *start, void *stop) {
  *milliseconds = static_cast<float>((*static_cast<double *>(stop) - *static_cast<double *>(start)) / 1000.0);
  return 0;
}
int cuGetErrorName(int code, const char **name) {
  *name = code == kOutOfMemory    ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == kLaunchFailed ? "CUDA_ERROR_LAUNCH_FAILED"
                                  : "CUDA_ERROR_INVALID_VALUE";
  return 0;
}
int cuGetErrorString(int code, const char **text) {
  *text = code == kOutOfMemory ? "out of memory" : code == kLaunchFailed ? "the device is lost" : "invalid";
  return 0;
}
}
