//===- EmulatorModule.cpp - Loaded PTX and its launches -------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that can be refused is refused before the first CTA runs.
//
//===----------------------------------------------------------------------===//

#include "EmulatorModule.h"

#include "PtxParser.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace fastnorm::emulator {

int chipNumber(const std::string &chip) {
  if (chip.compare(0, 3, "sm_") != 0)
    return 0;
  return int(std::strtol(chip.c_str() + 3, nullptr, 10));
}

static constexpr int64_t maxThreads = 1024;
static constexpr int64_t maxGrid = INT32_MAX;
static constexpr int64_t maxCluster = 16;
/// Of an SM (H200).
static constexpr uint64_t threadsPerMultiprocessor = 2048, sharedBytesPerMultiprocessor = 228 * 1024, maxCtas = 32;

EmulatorBuffer::~EmulatorBuffer() {
  std::lock_guard<std::mutex> lock(state->mutex);
  state->memory.release(start);
}

Result<KernelFacts> EmulatorKernel::facts(const LaunchShape &) const {
  KernelFacts facts;
  facts.staticSharedBytes = int64_t(program.staticSharedBytes);
  return facts;
}

static Error launchError(const KernelProgram &program, const std::string &what) {
  return Error{"kernel '" + program.name + "': expected " + what};
}

static Status checkArguments(const KernelProgram &program, const std::vector<KernelArgument> &arguments) {
  if (arguments.size() != program.parameters.size())
    return launchError(program, std::to_string(program.parameters.size()) + " arguments, but got " +
                                    std::to_string(arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i)
    if (uint64_t(arguments[i].byteCount) != program.parameters[i].byteCount)
      return launchError(program, "argument " + std::to_string(i) + " ('" + program.parameters[i].name + "') to have " +
                                      std::to_string(program.parameters[i].byteCount) + " bytes, but got " +
                                      std::to_string(arguments[i].byteCount));
  return {};
}

static Status checkCluster(const KernelProgram &program, const LaunchShape &shape, bool hasClusters) {
  std::string came = ", but got " + std::to_string(shape.cluster);
  if (shape.cluster < 1 || shape.cluster > maxCluster)
    return launchError(program, "1 to " + std::to_string(maxCluster) + " CTAs a cluster" + came);
  if (shape.cluster > 1 && !hasClusters)
    return launchError(program, "a chip of sm_90 or newer to launch clusters of " + std::to_string(shape.cluster) +
                                    " CTAs, but the emulator runs as an older one");
  if (shape.grid % shape.cluster != 0)
    return launchError(program, "a grid of whole clusters of " + std::to_string(shape.cluster) + " CTAs, but got " +
                                    std::to_string(shape.grid) + " CTAs");
  if (program.requiredCluster && uint64_t(shape.cluster) != program.requiredCluster)
    return launchError(program, "clusters of the " + std::to_string(program.requiredCluster) +
                                    " CTAs of its .reqnctapercluster" + came);
  if (program.maxCluster && uint64_t(shape.cluster) > program.maxCluster)
    return launchError(program, "clusters of at most the " + std::to_string(program.maxCluster) +
                                    " CTAs of its .maxclusterrank" + came);
  return {};
}

Status checkLaunch(const RecordedLaunch &launch) {
  const KernelProgram &program = launch.kernel->program;
  const LaunchShape &shape = launch.shape;
  if (shape.grid < 1 || shape.grid > maxGrid)
    return launchError(program,
                       "a grid of 1 to " + std::to_string(maxGrid) + " CTAs, but got " + std::to_string(shape.grid));
  if (shape.threads < 1 || shape.threads > maxThreads)
    return launchError(program, "1 to " + std::to_string(maxThreads) + " threads a CTA, but got " +
                                    std::to_string(shape.threads));
  if (Status status = checkCluster(program, shape, launch.kernel->hasClusters); !status)
    return status;
  if (program.maxThreads && uint64_t(shape.threads) > program.maxThreads)
    return launchError(program, "at most the " + std::to_string(program.maxThreads) +
                                    " threads of its .maxntid, but got " + std::to_string(shape.threads));
  if (program.requiredThreads && uint64_t(shape.threads) != program.requiredThreads)
    return launchError(program, "the " + std::to_string(program.requiredThreads) +
                                    " threads of its .reqntid, but got " + std::to_string(shape.threads));
  int64_t allowed = int64_t(maxSharedBytesPerCta) - int64_t(program.staticSharedBytes);
  if (shape.dynamicSharedBytes < 0 || shape.dynamicSharedBytes > allowed)
    return launchError(program, "0 to " + std::to_string(allowed) + " bytes of dynamic shared memory beside its " +
                                    std::to_string(program.staticSharedBytes) + " static ones, but got " +
                                    std::to_string(shape.dynamicSharedBytes));
  return checkArguments(program, launch.arguments);
}

/// As many as hardware of the device's size would hold at once, at least one.
static uint32_t residentClusters(const DeviceState &state, const KernelProgram &program, const LaunchShape &shape) {
  uint64_t sharedBytes = program.staticSharedBytes + uint64_t(shape.dynamicSharedBytes);
  uint64_t ctas = std::min(threadsPerMultiprocessor / uint64_t(shape.threads), maxCtas);
  ctas = std::min(ctas, sharedBytes ? sharedBytesPerMultiprocessor / sharedBytes : ctas);
  return uint32_t(std::max<uint64_t>(1, ctas * uint64_t(state.info.multiprocessors) / uint64_t(shape.cluster)));
}

Status execute(DeviceState &state, const RecordedLaunch &recorded) {
  if (Status status = checkLaunch(recorded); !status)
    return status;
  const KernelProgram &program = recorded.kernel->program;
  Launch launch;
  launch.kernel = &program;
  launch.parameters.resize(program.parameterBytes);
  for (size_t i = 0; i < recorded.arguments.size(); ++i)
    std::memcpy(launch.parameters.data() + program.parameters[i].offset, &recorded.arguments[i].bits,
                program.parameters[i].byteCount);
  launch.grid = uint32_t(recorded.shape.grid);
  launch.cluster = uint32_t(recorded.shape.cluster);
  launch.threads = uint32_t(recorded.shape.threads);
  launch.dynamicSharedBytes = uint64_t(recorded.shape.dynamicSharedBytes);
  launch.maxResidentClusters = residentClusters(state, program, recorded.shape);
  launch.seed = state.options.seed;
  launch.checkRaces = state.options.checkRaces;
  launch.maxWarpInstructions = state.options.maxWarpInstructions;
  unsigned hostThreads = state.options.hostThreads ? state.options.hostThreads : std::thread::hardware_concurrency();
  std::lock_guard<std::mutex> lock(state.mutex);
  launch.global = &state.memory;
  launch.tag = state.memory.nextLaunchTag();
  // Tags start over now and then; what overlaps is then forgotten.
  if (!recorded.shape.dependent || state.overlapsFrom == 0 || state.overlapsFrom >= launch.tag)
    state.overlapsFrom = launch.tag;
  else
    launch.overlapsFrom = state.overlapsFrom;
  return runLaunch(launch, hostThreads, state.counters);
}

namespace {

class EmulatorModule : public Module {
public:
  Result<Kernel *> kernel(std::string_view name) override;

  std::vector<std::unique_ptr<EmulatorBuffer>> variables;
  std::vector<std::unique_ptr<EmulatorKernel>> kernels;
};

Result<Kernel *> EmulatorModule::kernel(std::string_view name) {
  std::string known;
  for (const std::unique_ptr<EmulatorKernel> &kernel : kernels) {
    if (kernel->program.name == name)
      return kernel.get();
    known += (known.empty() ? "'" : ", '") + kernel->program.name + "'";
  }
  return Error{"expected a kernel of the module, which has " + (known.empty() ? "none" : known) + ", but got '" +
               std::string(name) + "'"};
}

Status checkTarget(const std::string &target, const std::string &chip) {
  int wanted = chipNumber(target), have = chipNumber(chip);
  bool isSpecific = !target.empty() && target.back() >= 'a' && target.back() <= 'z';
  if (wanted != 0 && wanted <= have && (!isSpecific || target == chip || target + "a" == chip))
    return {};
  return Error{"expected PTX for " + chip + " or an earlier chip, but got .target " + target};
}

/// Gives a .global or .const variable its memory.
Status placeVariable(const SharedState &state, const PtxVariable &variable, EmulatorModule &module,
                     GlobalSymbols &globals) {
  std::lock_guard<std::mutex> lock(state->mutex);
  Result<uint64_t> address = state->memory.allocate(variable.byteCount, "variable '" + variable.name + "'");
  if (!address)
    return address.takeError();
  module.variables.push_back(std::make_unique<EmulatorBuffer>(state, *address, variable.byteCount));
  if (variable.byteCount) {
    Allocation *buffer = state->memory.find(*address);
    std::memcpy(buffer->at(*address), variable.initializer.data(), variable.byteCount);
    buffer->markWritten(0, variable.byteCount);
  }
  globals[variable.name] = *address;
  return {};
}

} // namespace

Result<std::unique_ptr<Module>> loadModule(const SharedState &state, std::string_view ptx) {
  Result<PtxModule> parsed = parsePtx(ptx);
  if (!parsed)
    return parsed.takeError();
  if (Status status = checkTarget(parsed->target, state->info.chip); !status)
    return status.takeError();
  auto module = std::make_unique<EmulatorModule>();
  GlobalSymbols globals;
  for (const PtxVariable &variable : parsed->variables)
    if (variable.space != StateSpace::Shared)
      if (Status status = placeVariable(state, variable, *module, globals); !status)
        return status.takeError();
  for (const PtxKernel &kernel : parsed->kernels) {
    Result<KernelProgram> program = decodeKernel(*parsed, kernel, globals);
    if (!program)
      return program.takeError();
    module->kernels.push_back(std::make_unique<EmulatorKernel>(std::move(*program), state->info.hasClusters));
  }
  return std::unique_ptr<Module>(std::move(module));
}

} // namespace fastnorm::emulator
