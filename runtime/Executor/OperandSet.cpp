//===- OperandSet.cpp - Device buffers for one run of a plan --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor/OperandSet.h"

#include <cstring>
#include <utility>

namespace fastnorm {

namespace {

/// As bf16 and f32 all bits set is NaN, so a result that was not written shows.
constexpr uint8_t kPoison = 0xff;
/// Around floats; integers may well be all bits set.
constexpr uint8_t kFloatGuard = 0xff;
constexpr uint8_t kIntegerGuard = 0xa5;

/// The strides that the plan fixes or that are given; none, for dense rows, where one is neither.
std::vector<int64_t> stridesOf(const Plan &plan, const TensorSpec &spec, const OperandSource &source,
                               const SymbolValues &given) {
  std::vector<int64_t> strides;
  for (const Extent &stride : spec.strides) {
    auto found = stride.symbol ? given.find(plan.symbols[static_cast<size_t>(*stride.symbol)]) : given.end();
    if (source.shape.size() != spec.shape.size() || (stride.symbol && found == given.end()))
      return {};
    strides.push_back(stride.symbol ? found->second : stride.fixed);
  }
  return strides;
}

/// The inputs in the plan's order, without addresses.
Result<std::vector<Operand>> describeInputs(const Plan &plan, const OperandSources &inputs, const SymbolValues &given) {
  std::vector<Operand> operands;
  std::string names;
  for (const TensorSpec &spec : plan.arguments) {
    names += (names.empty() ? "" : ", ") + spec.name;
    auto found = inputs.find(spec.name);
    if (found == inputs.end())
      return Error{"expected a tensor for argument '" + spec.name + "' of '" + plan.function + "', but none was given"};
    operands.push_back(
        Operand{spec.name, 0, found->second.dtype, found->second.shape, stridesOf(plan, spec, found->second, given)});
  }
  for (const auto &[inputName, source] : inputs) {
    bool isKnown = false;
    for (const TensorSpec &spec : plan.arguments)
      isKnown |= spec.name == inputName;
    if (!isKnown)
      return Error{"expected tensors for the arguments of '" + plan.function + "' (" + names + "), but got one for '" +
                   inputName + "'"};
  }
  return operands;
}

int64_t offsetOf(const TensorSpec &spec, const OperandSetOptions &options) {
  auto found = options.offsetElements.find(spec.name);
  return found == options.offsetElements.end() ? 0 : found->second;
}

} // namespace

Result<Operand> OperandSet::add(const TensorSpec &spec, OperandRole role, const StridedTensor &layout,
                                int64_t offsetElements) {
  GuardedBuffer guarded;
  guarded.label = (role == OperandRole::Argument ? "argument '" : "result '") + spec.name + "'";
  guarded.layout = layout;
  std::optional<int64_t> byteCount = layout.spanBytes();
  int64_t offsetBytes = 0;
  int64_t guardedBytes = 0;
  if (!byteCount || __builtin_mul_overflow(offsetElements, byteWidth(spec.dtype), &offsetBytes) ||
      __builtin_add_overflow(*byteCount, 2 * guardBytes, &guardedBytes) ||
      __builtin_add_overflow(guardedBytes, offsetBytes, &guardedBytes))
    return Error{
        "expected " + guarded.label + " to fit an address space of 63 bits, but it is " +
        describe(spec.dtype, layout.shape) +
        (offsetElements == 0 ? "" : ", " + std::to_string(offsetElements) + " elements past an aligned address")};
  guarded.byteCount = *byteCount;
  guarded.leadBytes = guardBytes + offsetBytes;
  guarded.guard = isInteger(spec.dtype) ? kIntegerGuard : kFloatGuard;
  Result<std::unique_ptr<DeviceBuffer>> buffer = device->allocate(static_cast<size_t>(guardedBytes), guarded.label);
  if (!buffer)
    return buffer.takeError();
  guarded.buffer = std::move(*buffer);
  DeviceAddress base = guarded.buffer->address();
  DeviceAddress address = base + static_cast<DeviceAddress>(guarded.leadBytes);
  DeviceAddress after = address + static_cast<DeviceAddress>(guarded.byteCount);
  if (guarded.leadBytes != 0)
    if (Status status = device->fill(base, guarded.guard, static_cast<size_t>(guarded.leadBytes)); !status)
      return status.takeError();
  if (guardBytes != 0)
    if (Status status = device->fill(after, guarded.guard, static_cast<size_t>(guardBytes)); !status)
      return status.takeError();
  buffers.push_back(std::move(guarded));
  return Operand{spec.name, address, spec.dtype, layout.shape,
                 spec.strides.empty() ? std::vector<int64_t>() : layout.strides};
}

/// A source writes dense rows. Those of a strided tensor go to a buffer of their own first, and to their places from
/// there; the gaps between them start as poison.
Status OperandSet::write(const OperandSource &source, const Operand &operand, const StridedTensor &layout) const {
  if (layout.isDense())
    return source.write(*device, operand.address);
  Result<HostTensor> dense = allocateHostTensor(operand.dtype, operand.shape);
  if (!dense)
    return dense.takeError();
  if (dense->byteCount() == 0)
    return {};
  Result<std::unique_ptr<DeviceBuffer>> staging = device->allocate(dense->byteCount(), "rows of " + operand.name);
  if (!staging)
    return staging.takeError();
  if (Status status = source.write(*device, (*staging)->address()); !status)
    return status;
  if (Status status = device->download(dense->data(), (*staging)->address(), dense->byteCount()); !status)
    return status;
  std::vector<std::byte> memory(static_cast<size_t>(*layout.spanBytes()), std::byte{kPoison});
  layout.scatter(*dense, memory.data());
  Result<HostTensor> held = layout.gather(memory.data());
  if (!held)
    return held.takeError();
  if (std::memcmp(held->data(), dense->data(), dense->byteCount()) != 0)
    return Error{"expected elements of argument '" + operand.name +
                 "' that its strides put in one place to be equal, but they differ"};
  return device->upload(operand.address, memory.data(), memory.size());
}

Status OperandSet::addArgument(const TensorSpec &spec, const StridedTensor &layout, const OperandSource &source,
                               const OperandSetOptions &options) {
  size_t index = argumentOperands.size();
  if (spec.result)
    tiedBuffers.emplace(static_cast<size_t>(*spec.result), index);
  if (options.sharesWith && options.ownArguments.count(spec.name) == 0) {
    buffers.push_back(options.sharesWith->buffers[index]);
    argumentOperands.push_back(options.sharesWith->argumentOperands[index]);
    return {};
  }
  Result<Operand> operand = add(spec, OperandRole::Argument, layout, offsetOf(spec, options));
  if (!operand)
    return operand.takeError();
  argumentOperands.push_back(*operand);
  return write(source, *operand, layout);
}

Status OperandSet::addResult(const TensorSpec &spec, const StridedTensor &layout, const OperandSetOptions &options) {
  size_t index = resultOperands.size();
  if (auto tied = tiedBuffers.find(index); tied != tiedBuffers.end()) {
    resultOperands.push_back(argumentOperands[tied->second]);
    resultOperands.back().name = spec.name;
    resultBuffers.push_back(tied->second);
    return {};
  }
  resultBuffers.push_back(buffers.size());
  if (options.sharesWith) {
    buffers.push_back(options.sharesWith->bufferOfResult(index));
    resultOperands.push_back(options.sharesWith->resultOperands[index]);
    return {};
  }
  Result<Operand> operand = add(spec, OperandRole::Result, layout, offsetOf(spec, options));
  if (!operand)
    return operand.takeError();
  resultOperands.push_back(std::move(*operand));
  return {};
}

OperandSources uploadsOf(const NamedTensors &tensors) {
  OperandSources sources;
  for (const auto &[name, tensor] : tensors)
    sources.emplace(name, OperandSource{tensor.dtype(), tensor.shape(),
                                        [&tensor = tensor](Device &device, DeviceAddress address) -> Status {
                                          if (tensor.byteCount() == 0)
                                            return {};
                                          return device.upload(address, tensor.data(), tensor.byteCount());
                                        }});
  return sources;
}

Result<OperandSet> OperandSet::create(const Plan &plan, Device &device, const NamedTensors &inputs,
                                      const SymbolValues &given, const OperandSetOptions &options) {
  return create(plan, device, uploadsOf(inputs), given, options);
}

Result<OperandSet> OperandSet::create(const Plan &plan, Device &device, const OperandSources &sources,
                                      const SymbolValues &given, const OperandSetOptions &options) {
  Result<std::vector<Operand>> described = describeInputs(plan, sources, given);
  if (!described)
    return described.takeError();
  Result<std::vector<int64_t>> symbols = solveSymbols(plan, *described, {}, given);
  if (!symbols)
    return symbols.takeError();

  OperandSet set;
  set.device = &device;
  set.guardBytes = options.guardBytes.value_or(device.info().isEmulator ? 0 : 256);
  for (const TensorSpec &spec : plan.arguments)
    if (Status status = set.addArgument(spec, StridedTensor::of(spec, *symbols), sources.at(spec.name), options);
        !status)
      return status.takeError();
  for (const TensorSpec &spec : plan.results)
    if (Status status = set.addResult(spec, StridedTensor::of(spec, *symbols), options); !status)
      return status.takeError();
  // What is shared may hold results of a run.
  if (!options.sharesWith)
    if (Status status = set.poisonResults(); !status)
      return status.takeError();
  return set;
}

int64_t OperandSet::byteCount() const {
  int64_t sum = 0;
  for (const GuardedBuffer &guarded : buffers)
    sum += guarded.byteCount;
  return sum;
}

Status OperandSet::poisonResults() const {
  for (size_t index = 0; index < resultOperands.size(); ++index) {
    int64_t byteCount = bufferOfResult(index).byteCount;
    // What is tied to an argument holds that.
    if (byteCount == 0 || tiedBuffers.count(index) != 0)
      continue;
    if (Status status = device->fill(resultOperands[index].address, kPoison, static_cast<size_t>(byteCount)); !status)
      return status;
  }
  return {};
}

/// What lies between the rows of a strided tensor is still the poison it started as.
Status OperandSet::checkGaps(const GuardedBuffer &guarded) const {
  if (guarded.layout.isDense() || guarded.byteCount == 0)
    return {};
  std::vector<uint8_t> memory(static_cast<size_t>(guarded.byteCount));
  DeviceAddress address = guarded.buffer->address() + static_cast<DeviceAddress>(guarded.leadBytes);
  if (Status status = device->download(memory.data(), address, memory.size()); !status)
    return status;
  std::vector<bool> taken = guarded.layout.places();
  size_t width = static_cast<size_t>(byteWidth(guarded.layout.dtype));
  for (size_t offset = 0; offset < memory.size(); ++offset)
    if (!taken[offset / width] && memory[offset] != kPoison)
      return Error{"expected no kernel to write between the rows of " + guarded.label + ", but element " +
                   std::to_string(offset / width) + " behind its base, in a gap, was overwritten"};
  return {};
}

Status OperandSet::checkGuard(const GuardedBuffer &guarded, bool isAfter) const {
  int64_t length = isAfter ? guardBytes : guarded.leadBytes;
  std::vector<uint8_t> guard(static_cast<size_t>(length));
  DeviceAddress address = guarded.buffer->address();
  if (isAfter)
    address += static_cast<DeviceAddress>(guarded.leadBytes + guarded.byteCount);
  if (Status status = device->download(guard.data(), address, guard.size()); !status)
    return status;
  for (int64_t offset = 0; offset < length; ++offset) {
    // Nearest to the buffer first: that byte tells most about what went wrong.
    int64_t distance = offset + 1;
    int64_t position = isAfter ? offset : length - distance;
    if (guard[static_cast<size_t>(position)] != guarded.guard)
      return Error{"expected no kernel to write outside " + guarded.label + " (" + std::to_string(guarded.byteCount) +
                   " bytes), but byte " + std::to_string(distance) + (isAfter ? " after" : " before") +
                   " it was overwritten; run with --device=emulator to find the instruction"};
  }
  return {};
}

Status OperandSet::checkGuards() const {
  for (const GuardedBuffer &guarded : buffers) {
    for (bool isAfter : {false, true})
      if (Status status = checkGuard(guarded, isAfter); !status)
        return status;
    if (Status status = checkGaps(guarded); !status)
      return status;
  }
  return {};
}

Result<HostTensor> OperandSet::download(const StridedTensor &layout, DeviceAddress address) const {
  if (layout.isDense()) {
    Result<HostTensor> tensor = allocateHostTensor(layout.dtype, layout.shape);
    if (tensor && tensor->byteCount() != 0)
      if (Status status = device->download(tensor->data(), address, tensor->byteCount()); !status)
        return status.takeError();
    return tensor;
  }
  std::vector<std::byte> memory(static_cast<size_t>(*layout.spanBytes()));
  if (!memory.empty())
    if (Status status = device->download(memory.data(), address, memory.size()); !status)
      return status.takeError();
  return layout.gather(memory.data());
}

Result<HostTensor> OperandSet::downloadRows(size_t index, const std::vector<int64_t> &rows) const {
  const Operand &operand = resultOperands[index];
  StridedTensor row = bufferOfResult(index).layout;
  row.shape[0] = 1;
  DeviceAddress apart = static_cast<DeviceAddress>(row.strides[0] * byteWidth(operand.dtype));
  size_t rowBytes = static_cast<size_t>(*checkedByteCount(operand.dtype, row.shape));
  std::vector<int64_t> shape = row.shape;
  shape[0] = static_cast<int64_t>(rows.size());
  Result<HostTensor> tensor = allocateHostTensor(operand.dtype, shape);
  if (!tensor)
    return tensor.takeError();
  for (size_t number = 0; rowBytes != 0 && number < rows.size(); ++number) {
    Result<HostTensor> one = download(row, operand.address + static_cast<DeviceAddress>(rows[number]) * apart);
    if (!one)
      return one.takeError();
    std::memcpy(tensor->data() + number * rowBytes, one->data(), rowBytes);
  }
  return tensor;
}

Result<NamedTensors> OperandSet::downloadResults() const {
  NamedTensors tensors;
  for (size_t index = 0; index < resultOperands.size(); ++index) {
    const Operand &operand = resultOperands[index];
    Result<HostTensor> tensor = download(bufferOfResult(index).layout, operand.address);
    if (!tensor)
      return tensor.takeError();
    tensors.emplace(operand.name, std::move(*tensor));
  }
  return tensors;
}

} // namespace fastnorm
