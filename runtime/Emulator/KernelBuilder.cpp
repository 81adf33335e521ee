//===- KernelBuilder.cpp - Slots, constants and addresses -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only registers that an instruction names get a slot.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include <algorithm>
#include <cstring>

namespace fastnorm::emulator {

/// Hardware has 512 KiB a thread, but a CTA of 1024 threads would then not fit the host.
static constexpr uint64_t maxLocalBytes = 64 * 1024;

KernelBuilder::KernelBuilder(const PtxModule &module, const PtxKernel &kernel, const GlobalSymbols &globals)
    : kernel(kernel), module(module), globals(globals), slots(kernel.registers.size(), noOperand) {
  program.name = kernel.name;
  program.parameters = kernel.parameters;
  program.maxThreads = kernel.maxThreads;
  program.requiredThreads = kernel.requiredThreads;
  program.requiredCluster = kernel.requiredCluster;
  program.maxCluster = kernel.maxCluster;
  if (!kernel.parameters.empty())
    program.parameterBytes = kernel.parameters.back().offset + kernel.parameters.back().byteCount;
}

static uint64_t alignUp(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

Status KernelBuilder::layOut() {
  for (const PtxParameter &parameter : kernel.parameters)
    symbols[parameter.name] = {StateSpace::Param, parameter.offset};
  std::vector<const PtxVariable *> variables;
  for (const PtxVariable &variable : module.variables)
    variables.push_back(&variable);
  for (const PtxVariable &variable : kernel.variables)
    variables.push_back(&variable);
  uint64_t sharedEnd = 0;
  for (const PtxVariable *variable : variables) {
    if (variable->space == StateSpace::Shared && !variable->unsizedExtern) {
      if (Status status = layOutShared(*variable, false, sharedEnd); !status)
        return status;
    } else if (variable->space == StateSpace::Local) {
      uint64_t address = alignUp(program.localBytes, variable->alignment);
      program.localBytes = alignUp(address + variable->byteCount, 16);
      if (program.localBytes > maxLocalBytes)
        return Error{"kernel '" + kernel.name + "' needs " + std::to_string(program.localBytes) +
                     " bytes of local memory a thread, but the emulator allows " + std::to_string(maxLocalBytes)};
      symbols[variable->name] = {StateSpace::Local, address};
    }
  }
  // Dynamic shared memory starts behind the static part; every unsized array is that same memory.
  for (const PtxVariable *variable : variables)
    if (variable->unsizedExtern)
      sharedEnd = alignUp(sharedEnd, variable->alignment);
  program.staticSharedBytes = sharedEnd;
  for (const PtxVariable *variable : variables)
    if (variable->unsizedExtern)
      if (Status status = layOutShared(*variable, true, sharedEnd); !status)
        return status;
  return {};
}

Status KernelBuilder::layOutShared(const PtxVariable &variable, bool isUnsized, uint64_t &end) {
  uint64_t offset = alignUp(end, variable.alignment);
  end = offset + variable.byteCount;
  if (end > maxSharedBytesPerCta)
    return Error{"kernel '" + kernel.name + "' needs " + std::to_string(end) +
                 " bytes of shared memory, but a CTA has " + std::to_string(maxSharedBytesPerCta)};
  program.hasDynamicShared |= isUnsized;
  symbols[variable.name] = {StateSpace::Shared, sharedBase + offset};
  program.sharedVariables.push_back({variable.name, uint32_t(sharedBase + offset), variable.byteCount});
  return {};
}

std::optional<KernelBuilder::Symbol> KernelBuilder::symbol(const std::string &name) const {
  if (auto found = symbols.find(name); found != symbols.end())
    return found->second;
  if (auto found = globals.find(name); found != globals.end())
    return Symbol{StateSpace::Global, found->second};
  return std::nullopt;
}

/// Units the lanes of a value take; a predicate is one word of bits.
static size_t laneUnits(uint8_t bytes) { return bytes == 0 ? 1 : bytes * warpLanes / sizeof(SlotUnit); }

OperandCode KernelBuilder::newSlot(uint8_t bytes, uint32_t writtenLanes, const std::string &name) {
  auto code = OperandCode((program.registerFileUnits + 1) * sizeof(SlotUnit)) << 1;
  program.registerFileUnits += 1 + laneUnits(bytes);
  program.registerSlots.push_back({code, writtenLanes});
  program.registerNames.push_back(name);
  return code;
}

OperandCode KernelBuilder::registerSlot(uint32_t registerId) {
  OperandCode &code = slots[registerId];
  const PtxRegister &named = kernel.registers[registerId];
  if (code == noOperand)
    code = newSlot(named.bytes, named.implicitlyDefined ? allLanes : 0, named.name);
  return code;
}

OperandCode KernelBuilder::sinkSlot(uint8_t bytes) {
  auto found = sinks.find(bytes);
  if (found == sinks.end())
    found = sinks.emplace(bytes, newSlot(bytes, 0, "_")).first;
  return found->second;
}

OperandCode KernelBuilder::constant(uint64_t bits, uint8_t bytes) {
  if (bytes == 0)
    bits = bits ? allLanes : 0;
  else if (bytes < 8)
    bits &= (uint64_t(1) << (bytes * 8)) - 1;
  auto [found, isNew] = constants.emplace(std::pair(bits, bytes), noOperand);
  if (!isNew)
    return found->second;
  size_t first = program.constants.size();
  program.constants.resize(first + 1 + laneUnits(bytes));
  SlotHeader header = {allLanes, 0, 0};
  std::memcpy(&program.constants[first], &header, sizeof(header));
  std::byte *lanes = program.constants[first + 1].bytes;
  if (bytes == 0)
    std::memcpy(lanes, &bits, sizeof(uint32_t));
  for (unsigned lane = 0; bytes != 0 && lane < warpLanes; ++lane) {
    std::memset(lanes + lane * bytes, 0, bytes);
    std::memcpy(lanes + lane * bytes, &bits, std::min<size_t>(bytes, sizeof(bits)));
  }
  found->second = OperandCode((first + 1) * sizeof(SlotUnit)) << 1 | 1;
  return found->second;
}

std::optional<OperandCode> KernelBuilder::special(const std::string &name, uint8_t &bytes) {
  using Value = SpecialSlot::Value;
  static const std::unordered_map<std::string, Value> values = {
      {"tid.x", Value::ThreadX},
      {"tid.y", Value::ThreadY},
      {"tid.z", Value::ThreadZ},
      {"ntid.x", Value::ThreadsX},
      {"ntid.y", Value::ThreadsYZ},
      {"ntid.z", Value::ThreadsYZ},
      {"ctaid.x", Value::CtaX},
      {"ctaid.y", Value::CtaYZ},
      {"ctaid.z", Value::CtaYZ},
      {"nctaid.x", Value::CtasX},
      {"nctaid.y", Value::CtasYZ},
      {"nctaid.z", Value::CtasYZ},
      {"cluster_ctarank", Value::ClusterRank},
      {"cluster_ctaid.x", Value::ClusterRank},
      {"cluster_ctaid.y", Value::CtaYZ},
      {"cluster_ctaid.z", Value::CtaYZ},
      {"cluster_nctarank", Value::ClusterCtas},
      {"cluster_nctaid.x", Value::ClusterCtas},
      {"cluster_nctaid.y", Value::CtasYZ},
      {"cluster_nctaid.z", Value::CtasYZ},
      {"clusterid.x", Value::ClusterX},
      {"clusterid.y", Value::CtaYZ},
      {"clusterid.z", Value::CtaYZ},
      {"nclusterid.x", Value::ClustersX},
      {"nclusterid.y", Value::CtasYZ},
      {"nclusterid.z", Value::CtasYZ},
      {"laneid", Value::Lane},
      {"warpid", Value::Warp},
      {"nwarpid", Value::Warps},
      {"lanemask_eq", Value::LanesEqual},
      {"lanemask_lt", Value::LanesLess},
      {"lanemask_le", Value::LanesLessEqual},
      {"lanemask_gt", Value::LanesGreater},
      {"lanemask_ge", Value::LanesGreaterEqual},
      {"clock", Value::Clock},
      {"clock_hi", Value::Clock},
      {"clock64", Value::Clock64},
      {"globaltimer", Value::Clock64},
      {"dynamic_smem_size", Value::DynamicSharedBytes},
      {"total_smem_size", Value::TotalSharedBytes},
  };
  auto found = values.find(name);
  if (found == values.end())
    return std::nullopt;
  bytes = found->second == Value::Clock64 ? 8 : 4;
  auto slot = specialSlots.find(found->second);
  if (slot == specialSlots.end()) {
    slot = specialSlots.emplace(found->second, newSlot(bytes, 0, "%" + name)).first;
    program.specials.push_back({found->second, slot->second});
  }
  return slot->second;
}

} // namespace fastnorm::emulator
