//===- FakeCuda.cpp - A stand-in for the driver library -------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every entry point counts its calls and fails when told to. Memory is host
// memory; kernels do nothing. The kernel "norm" has one argument of 4 bytes and
// one of 8.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace {

struct State {
  std::map<std::string, int> failures;
  std::map<std::string, int> calls;
  int liveObjects = 0;
  int deviceCount = 1;
  bool hasForeignStreams = false;
  int memoryType = 2;
  int memoryDevice = 0;
  int hasClusters = 1;
  std::string jitLog;
  unsigned launch[4] = {};
  unsigned cluster = 0;
  unsigned dependent = 0;
};

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

State state;
thread_local void *currentContext = nullptr;
int contextObject;

int enter(const char *symbol) {
  ++state.calls[symbol];
  auto failure = state.failures.find(symbol);
  return failure == state.failures.end() ? 0 : failure->second;
}

/// A handle for something that lives until it is destroyed.
void create(void **handle) {
  *handle = std::malloc(1);
  ++state.liveObjects;
}

void destroy(void *handle) {
  std::free(handle);
  --state.liveObjects;
}

} // namespace

// Leaves the function with the code that a test asked for.
#define ENTER()                                                                                                        \
  if (int code = enter(__func__); code != 0)                                                                           \
  return code

extern "C" {

void fakeCudaReset() {
  state.failures.clear();
  state.calls.clear();
  state.deviceCount = 1;
  state.hasForeignStreams = false;
  state.memoryType = 2;
  state.memoryDevice = 0;
  state.hasClusters = 1;
  state.jitLog.clear();
}
void fakeCudaFail(const char *symbol, int code) { state.failures[symbol] = code; }
int fakeCudaCalls(const char *symbol) { return state.calls[symbol]; }
int fakeCudaLiveObjects() { return state.liveObjects; }
void fakeCudaSetDeviceCount(int count) { state.deviceCount = count; }
void fakeCudaSetForeignStreams(int areForeign) { state.hasForeignStreams = areForeign != 0; }
void fakeCudaSetMemory(int type, int device) {
  state.memoryType = type;
  state.memoryDevice = device;
}
void fakeCudaSetJitLog(const char *log) { state.jitLog = log; }
void fakeCudaLastLaunch(unsigned *grid, unsigned *threads, unsigned *sharedBytes, unsigned *firstArgument) {
  *grid = state.launch[0];
  *threads = state.launch[1];
  *sharedBytes = state.launch[2];
  *firstArgument = state.launch[3];
}
void fakeCudaLastAttributes(unsigned *cluster, unsigned *dependent) {
  *cluster = state.cluster;
  *dependent = state.dependent;
}
void fakeCudaSetClusters(int hasClusters) { state.hasClusters = hasClusters; }
int fakeCudaHasCurrentContext() { return currentContext != nullptr; }

int cuInit(unsigned) {
  ENTER();
  return 0;
}
int cuDriverGetVersion(int *version) {
  ENTER();
  *version = 13000;
  return 0;
}
int cuDeviceGetCount(int *count) {
  ENTER();
  *count = state.deviceCount;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  ENTER();
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char *name, int length, int) {
  ENTER();
  std::strncpy(name, "Fake H200", static_cast<size_t>(length));
  return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
  ENTER();
  *bytes = size_t(140) << 30;
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  ENTER();
  const std::map<int, int> values{{16, 132}, {38, 50 << 20}, {39, 2048},
                                  {75, 9},   {76, 0},        {82, 65536},
                                  {88, 0},   {97, 232448},   {120, state.hasClusters}};
  auto found = values.find(attribute);
  *value = found == values.end() ? 0 : found->second;
  return found == values.end() ? 1 : 0;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  ENTER();
  *context = &contextObject;
  ++state.liveObjects;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  ENTER();
  --state.liveObjects;
  return 0;
}
int cuCtxGetCurrent(void **context) {
  ENTER();
  *context = currentContext;
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  ENTER();
  currentContext = context;
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  ENTER();
  *context = currentContext;
  currentContext = nullptr;
  return 0;
}
int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes) {
  ENTER();
  if (bytes == 0)
    return 1;
  *pointer = reinterpret_cast<unsigned long long>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  ++state.liveObjects;
  return 0;
}
int cuMemFree_v2(unsigned long long pointer) {
  ENTER();
  destroy(reinterpret_cast<void *>(pointer));
  return 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long destination, const void *source, size_t bytes, void *) {
  ENTER();
  std::memcpy(reinterpret_cast<void *>(destination), source, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void *destination, unsigned long long source, size_t bytes, void *) {
  ENTER();
  std::memcpy(destination, reinterpret_cast<const void *>(source), bytes);
  return 0;
}
int cuMemsetD8Async(unsigned long long destination, unsigned char value, size_t bytes, void *) {
  ENTER();
  std::memset(reinterpret_cast<void *>(destination), value, bytes);
  return 0;
}
int cuModuleLoadDataEx(void **module, const void *, unsigned count, int *options, void **values) {
  for (unsigned index = 0; index < count; ++index)
    if (options[index] == 5)
      std::strcpy(static_cast<char *>(values[index]), state.jitLog.c_str());
  ENTER();
  create(module);
  return 0;
}
int cuModuleUnload(void *module) {
  ENTER();
  destroy(module);
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  ENTER();
  *function = module;
  return std::strcmp(name, "norm") == 0 ? 0 : 500;
}
int cuFuncGetAttribute(int *value, int attribute, void *) {
  ENTER();
  *value = attribute == 4 ? 40 : attribute == 1 ? 1024 : 0;
  return 0;
}
int cuFuncSetAttribute(void *, int, int) {
  ENTER();
  return 0;
}
int cuFuncGetParamInfo(void *, size_t index, size_t *offset, size_t *bytes) {
  ENTER();
  if (index > 1)
    return 1;
  *offset = index * 8;
  *bytes = index == 0 ? 4 : 8;
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas, void *, int threads, size_t) {
  ENTER();
  *ctas = 2048 / threads;
  return 0;
}
int cuLaunchKernel(void *, unsigned grid, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                   unsigned sharedBytes, void *, void **arguments, void **) {
  ENTER();
  state.launch[0] = grid;
  state.launch[1] = threads;
  state.launch[2] = sharedBytes;
  std::memcpy(&state.launch[3], arguments[0], 4);
  return 0;
}
#ifndef FAKE_CUDA_WITHOUT_CLUSTERS
int cuOccupancyMaxActiveClusters(int *clusters, void *, const LaunchConfig *config) {
  ENTER();
  if (config->attributeCount == 0 || config->attributes[0].id != 4 || config->grid[0] != config->attributes[0].value[0])
    return 1;
  *clusters = 132 / static_cast<int>(config->attributes[0].value[0]);
  return 0;
}
int cuLaunchKernelEx(const LaunchConfig *config, void *, void **arguments, void **) {
  ENTER();
  state.launch[0] = config->grid[0];
  state.launch[1] = config->threads[0];
  state.launch[2] = config->sharedBytes;
  std::memcpy(&state.launch[3], arguments[0], 4);
  state.cluster = state.dependent = 0;
  for (unsigned index = 0; index < config->attributeCount; ++index) {
    if (config->attributes[index].id == 4)
      state.cluster = config->attributes[index].value[0];
    if (config->attributes[index].id == 6)
      state.dependent = config->attributes[index].value[0];
  }
  return config->grid[1] * config->grid[2] * config->threads[1] * config->threads[2] == 1 ? 0 : 1;
}
#endif
int cuStreamCreate(void **stream, unsigned) {
  ENTER();
  create(stream);
  return 0;
}
int cuStreamDestroy_v2(void *stream) {
  ENTER();
  destroy(stream);
  return 0;
}
int cuStreamGetCtx(void *, void **context) {
  ENTER();
  *context = state.hasForeignStreams ? nullptr : &contextObject;
  return 0;
}
int cuPointerGetAttribute(void *value, int attribute, unsigned long long) {
  ENTER();
  int number = attribute == 2 ? state.memoryType : attribute == 9 ? state.memoryDevice : 0;
  std::memcpy(value, &number, sizeof(number));
  return 0;
}
int cuStreamSynchronize(void *) {
  ENTER();
  return 0;
}
int cuStreamBeginCapture_v2(void *, int) {
  ENTER();
  return 0;
}
int cuStreamEndCapture(void *, void **graph) {
  ENTER();
  create(graph);
  return 0;
}
#ifndef FAKE_CUDA_WITHOUT_GRAPHS
int cuGraphInstantiateWithFlags(void **executable, void *, unsigned long long) {
  ENTER();
  create(executable);
  return 0;
}
#endif
int cuGraphLaunch(void *, void *) {
  ENTER();
  return 0;
}
int cuGraphDestroy(void *graph) {
  ENTER();
  destroy(graph);
  return 0;
}
int cuGraphExecDestroy(void *executable) {
  ENTER();
  destroy(executable);
  return 0;
}
int cuEventCreate(void **event, unsigned) {
  ENTER();
  create(event);
  return 0;
}
int cuEventDestroy_v2(void *event) {
  ENTER();
  destroy(event);
  return 0;
}
int cuEventRecord(void *, void *) {
  ENTER();
  return 0;
}
int cuProfilerStart() {
  ENTER();
  return 0;
}
int cuProfilerStop() {
  ENTER();
  return 0;
}
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  ENTER();
  *milliseconds = 0.25f;
  return 0;
}
int cuGetErrorName(int code, const char **name) {
  const std::map<int, const char *> names{{1, "CUDA_ERROR_INVALID_VALUE"},
                                          {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                          {100, "CUDA_ERROR_NO_DEVICE"},
                                          {218, "CUDA_ERROR_INVALID_PTX"},
                                          {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  auto found = names.find(code);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end() ? 1 : 0;
}
int cuGetErrorString(int code, const char **text) {
  *text = code == 100 ? "no CUDA-capable device is detected" : "what went wrong";
  return 0;
}
}
