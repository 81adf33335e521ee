//===- RuntimeTargets.cpp - Readers that need no compiler -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"

#include "fastnorm/Plan/PlanJson.h"
#include "runtime/Emulator/EmulatorDevice.h"
#include "runtime/Emulator/PtxParser.h"
#include "runtime/TensorIO/NpyHeader.h"
#include "runtime/TensorIO/SafetensorsHeader.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace fastnorm;

void fuzz::expect(bool condition, const char *promise) {
  if (condition)
    return;
  std::fprintf(stderr, "fuzz: error: expected %s\n", promise);
  std::abort();
}

/// An error is a sentence of one line or, where a log follows, begins with one.
static void expectSentence(const std::string &error) { fuzz::expect(!error.empty(), "an error that says something"); }

/// A launch of each kernel, with a small buffer behind every parameter of 8 bytes.
static void launchKernels(Device &device, Module &module, const emulator::PtxModule &text) {
  Result<std::unique_ptr<Stream>> stream = device.createStream();
  Result<std::unique_ptr<DeviceBuffer>> buffer = device.allocate(4096, "argument 'buffer'");
  fuzz::expect(stream && buffer && device.fill((*buffer)->address(), 1, 4096), "a stream and a buffer");
  for (const emulator::PtxKernel &kernel : text.kernels) {
    Result<Kernel *> loaded = module.kernel(kernel.name);
    fuzz::expect(bool(loaded), "every kernel of the text to be in the module");
    std::vector<KernelArgument> arguments;
    for (const emulator::PtxParameter &parameter : kernel.parameters)
      arguments.push_back(parameter.byteCount == 8 ? KernelArgument{(*buffer)->address(), 8} : KernelArgument{3, 4});
    LaunchShape shape;
    shape.threads =
        int64_t(std::clamp<uint64_t>(kernel.requiredThreads ? kernel.requiredThreads : kernel.maxThreads, 1, 64));
    shape.cluster = int64_t(std::clamp<uint64_t>(kernel.requiredCluster, 1, 4));
    shape.grid = 2 * shape.cluster;
    shape.dynamicSharedBytes = 1024;
    if (Status status = (*stream)->launch(**loaded, shape, arguments); !status)
      expectSentence(status.error());
    (void)(*stream)->synchronize();
  }
}

static void fuzzPtx(std::string_view input) {
  Result<emulator::PtxModule> parsed = emulator::parsePtx(input);
  if (!parsed)
    return expectSentence(parsed.error());
  EmulatorOptions options;
  options.hostThreads = 1;
  options.chip = "sm_120";
  options.maxWarpInstructions = 2000;
  std::unique_ptr<Device> device = createEmulatorDevice(options);
  Result<std::unique_ptr<Module>> module = device->load(input);
  if (!module)
    return expectSentence(module.error());
  launchKernels(*device, **module, *parsed);
}

static void fuzzPlan(std::string_view input) {
  Result<Plan> plan = readPlanJson(input);
  if (!plan)
    return expectSentence(plan.error());
  std::string text = writePlanJson(*plan);
  Result<Plan> again = readPlanJson(text);
  fuzz::expect(again && writePlanJson(*again) == text, "a plan that was read to be written and read again");
}

static void fuzzNpy(std::string_view input) {
  Result<size_t> bytes = npyHeaderBytes(input.substr(0, kNpyPrefixBytes));
  if (!bytes)
    return expectSentence(bytes.error());
  Result<NpyHeader> header = parseNpyHeader(input.substr(0, *bytes));
  if (!header)
    return expectSentence(header.error());
  Result<NpyHeader> again = parseNpyHeader(formatNpyHeader(*header));
  fuzz::expect(again && again->dtype == header->dtype && again->shape == header->shape,
               "a header that was read to be written and read again");
}

static void fuzzSafetensors(std::string_view input) {
  Result<int64_t> bytes = safetensorsHeaderBytes(input.substr(0, kSafetensorsPrefixBytes), int64_t(input.size()));
  if (!bytes)
    return expectSentence(bytes.error());
  std::string_view text = input.substr(std::min(input.size(), kSafetensorsPrefixBytes));
  text = text.substr(0, size_t(*bytes));
  // Whatever the file holds behind it: as many bytes as the tensors say at most.
  for (int64_t dataBytes :
       {int64_t(input.size()) - int64_t(kSafetensorsPrefixBytes) - *bytes, int64_t(0), int64_t(6)}) {
    Result<std::vector<SafetensorsEntry>> entries = parseSafetensorsHeader(text, dataBytes);
    if (!entries) {
      expectSentence(entries.error());
      continue;
    }
    std::string written = formatSafetensorsHeader(*entries);
    fuzz::expect(bool(parseSafetensorsHeader(std::string_view(written).substr(kSafetensorsPrefixBytes), dataBytes)),
                 "a header that was read to be written and read again");
  }
}

std::vector<fuzz::Target> fuzz::runtimeTargets() {
  return {{"ptx", fuzzPtx, true},
          {"plan", fuzzPlan, true},
          {"npy", fuzzNpy, false},
          {"safetensors", fuzzSafetensors, false}};
}
