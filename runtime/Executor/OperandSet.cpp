//===- OperandSet.cpp - Device buffers for one run of a plan --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor/OperandSet.h"

#include <utility>

namespace fastnorm {

namespace {

/// As bf16 and f32 all bits set is NaN, so a result that was not written shows.
constexpr uint8_t kPoison = 0xff;
/// Around floats; integers may well be all bits set.
constexpr uint8_t kFloatGuard = 0xff;
constexpr uint8_t kIntegerGuard = 0xa5;

/// The inputs in the plan's order, without addresses.
Result<std::vector<Operand>> describeInputs(const Plan &plan, const OperandSources &inputs) {
  std::vector<Operand> operands;
  std::string names;
  for (const TensorSpec &spec : plan.arguments) {
    names += (names.empty() ? "" : ", ") + spec.name;
    auto found = inputs.find(spec.name);
    if (found == inputs.end())
      return Error{"expected a tensor for argument '" + spec.name + "' of '" + plan.function + "', but none was given"};
    operands.push_back(Operand{spec.name, 0, found->second.dtype, found->second.shape});
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

} // namespace

Result<Operand> OperandSet::add(const TensorSpec &spec, OperandRole role, const std::vector<int64_t> &shape,
                                int64_t offsetElements) {
  GuardedBuffer guarded;
  guarded.label = (role == OperandRole::Argument ? "argument '" : "result '") + spec.name + "'";
  std::optional<int64_t> byteCount = checkedByteCount(spec.dtype, shape);
  int64_t offsetBytes = 0;
  int64_t guardedBytes = 0;
  if (!byteCount || __builtin_mul_overflow(offsetElements, byteWidth(spec.dtype), &offsetBytes) ||
      __builtin_add_overflow(*byteCount, 2 * guardBytes, &guardedBytes) ||
      __builtin_add_overflow(guardedBytes, offsetBytes, &guardedBytes))
    return Error{
        "expected " + guarded.label + " to fit an address space of 63 bits, but it is " + describe(spec.dtype, shape) +
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
  return Operand{spec.name, address, spec.dtype, shape};
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
  Result<std::vector<Operand>> described = describeInputs(plan, sources);
  if (!described)
    return described.takeError();
  Result<std::vector<int64_t>> symbols = solveSymbols(plan, *described, {}, given);
  if (!symbols)
    return symbols.takeError();

  OperandSet set;
  set.device = &device;
  auto offsetOf = [&](const TensorSpec &spec) {
    auto found = options.offsetElements.find(spec.name);
    return found == options.offsetElements.end() ? 0 : found->second;
  };
  set.guardBytes = options.guardBytes.value_or(device.info().isEmulator ? 0 : 256);
  for (const TensorSpec &spec : plan.arguments) {
    const OperandSource &source = sources.find(spec.name)->second;
    Result<Operand> operand = set.add(spec, OperandRole::Argument, source.shape, offsetOf(spec));
    if (!operand)
      return operand.takeError();
    if (Status status = source.write(device, operand->address); !status)
      return status.takeError();
    set.argumentOperands.push_back(std::move(*operand));
  }
  for (const TensorSpec &spec : plan.results) {
    Result<Operand> operand = set.add(spec, OperandRole::Result, resolveShape(spec, *symbols), offsetOf(spec));
    if (!operand)
      return operand.takeError();
    set.resultOperands.push_back(std::move(*operand));
  }
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
  for (const Operand &operand : resultOperands) {
    int64_t byteCount = *checkedByteCount(operand.dtype, operand.shape);
    if (byteCount == 0)
      continue;
    if (Status status = device->fill(operand.address, kPoison, static_cast<size_t>(byteCount)); !status)
      return status;
  }
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
  for (const GuardedBuffer &guarded : buffers)
    for (bool isAfter : {false, true})
      if (Status status = checkGuard(guarded, isAfter); !status)
        return status;
  return {};
}

Result<HostTensor> OperandSet::downloadRows(size_t index, const std::vector<int64_t> &rows) const {
  const Operand &operand = resultOperands[index];
  std::vector<int64_t> shape = operand.shape;
  shape[0] = 1;
  size_t rowBytes = static_cast<size_t>(*checkedByteCount(operand.dtype, shape));
  shape[0] = static_cast<int64_t>(rows.size());
  Result<HostTensor> tensor = allocateHostTensor(operand.dtype, shape);
  if (!tensor)
    return tensor.takeError();
  for (size_t row = 0; rowBytes != 0 && row < rows.size(); ++row)
    if (Status status = device->download(tensor->data() + row * rowBytes,
                                         operand.address + static_cast<DeviceAddress>(rows[row]) * rowBytes, rowBytes);
        !status)
      return status.takeError();
  return tensor;
}

Result<NamedTensors> OperandSet::downloadResults() const {
  NamedTensors tensors;
  for (const Operand &operand : resultOperands) {
    Result<HostTensor> tensor = allocateHostTensor(operand.dtype, operand.shape);
    if (!tensor)
      return tensor.takeError();
    if (tensor->byteCount() != 0)
      if (Status status = device->download(tensor->data(), operand.address, tensor->byteCount()); !status)
        return status.takeError();
    tensors.emplace(operand.name, std::move(*tensor));
  }
  return tensors;
}

} // namespace fastnorm
