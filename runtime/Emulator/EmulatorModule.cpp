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

#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace fastnorm::emulator {

static constexpr int64_t maxThreads = 1024;
static constexpr int64_t maxGrid = INT32_MAX;

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

Status checkLaunch(const RecordedLaunch &launch) {
  const KernelProgram &program = launch.kernel->program;
  const LaunchShape &shape = launch.shape;
  if (shape.grid < 1 || shape.grid > maxGrid)
    return launchError(program,
                       "a grid of 1 to " + std::to_string(maxGrid) + " CTAs, but got " + std::to_string(shape.grid));
  if (shape.threads < 1 || shape.threads > maxThreads)
    return launchError(program, "1 to " + std::to_string(maxThreads) + " threads a CTA, but got " +
                                    std::to_string(shape.threads));
  if (shape.cluster != 1)
    return launchError(program, "a cluster of 1 CTA, but got " + std::to_string(shape.cluster));
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
  launch.threads = uint32_t(recorded.shape.threads);
  launch.dynamicSharedBytes = uint64_t(recorded.shape.dynamicSharedBytes);
  launch.seed = state.options.seed;
  launch.checkRaces = state.options.checkRaces;
  launch.maxWarpInstructions = state.options.maxWarpInstructions;
  unsigned hostThreads = state.options.hostThreads ? state.options.hostThreads : std::thread::hardware_concurrency();
  std::lock_guard<std::mutex> lock(state.mutex);
  launch.global = &state.memory;
  launch.tag = state.memory.nextLaunchTag();
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

/// 90 of "sm_90" and "sm_90a"; 0 for other text.
int chipNumber(const std::string &chip) {
  if (chip.compare(0, 3, "sm_") != 0)
    return 0;
  return int(std::strtol(chip.c_str() + 3, nullptr, 10));
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
    module->kernels.push_back(std::make_unique<EmulatorKernel>(std::move(*program)));
  }
  return std::unique_ptr<Module>(std::move(module));
}

} // namespace fastnorm::emulator
