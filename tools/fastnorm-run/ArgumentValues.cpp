//===- ArgumentValues.cpp - The values of a plan's arguments --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentValues.h"

#include "runtime/Executor/StridedTensor.h"

#include <cstring>

using namespace fastnorm;
using namespace fastnorm::tool;

Result<ArgumentValues> ArgumentValues::create(const Plan &plan, NamedTensors files, const FillRequest &request,
                                              const std::vector<int64_t> &symbolValues, Device &device) {
  ArgumentValues values;
  values.seed = request.seed;
  values.held = std::move(files);
  for (const TensorSpec &spec : plan.arguments) {
    if (values.held.count(spec.name))
      continue;
    const FillRole &role = request.roles.at(spec.name);
    if (request.onDevice && spec.strides.empty() && DeviceFill::canFill(role, spec.dtype)) {
      std::vector<int64_t> shape = resolveShape(spec, symbolValues);
      if (!checkedByteCount(spec.dtype, shape))
        return Error{"'" + spec.name + "': expected a tensor whose bytes can be counted in 63 bits, but got " +
                     describe(spec.dtype, shape)};
      values.made.emplace(spec.name, Made{role, spec.dtype, std::move(shape)});
      continue;
    }
    Result<HostTensor> tensor = fillArgument(spec, symbolValues, request.seed, role);
    if (!tensor)
      return tensor.takeError();
    // Elements that strides put in one place are equal.
    if (!spec.strides.empty())
      tensor = throughMemory(StridedTensor::of(spec, symbolValues), *tensor);
    if (!tensor)
      return tensor.takeError();
    values.held.emplace(spec.name, std::move(*tensor));
  }
  if (values.made.empty())
    return values;
  Result<DeviceFill> fill = DeviceFill::create(device);
  if (!fill)
    return fill.takeError();
  values.fill = std::move(*fill);
  return values;
}

OperandSources ArgumentValues::sources() const {
  OperandSources sources = uploadsOf(held);
  for (const auto &[name, tensor] : made)
    sources.emplace(name, OperandSource{tensor.dtype, tensor.shape,
                                        [this, name = name, &tensor = tensor](Device &, DeviceAddress address) {
                                          int64_t count =
                                              *checkedByteCount(tensor.dtype, tensor.shape) / byteWidth(tensor.dtype);
                                          return fill->fill(address, count, tensor.role, tensor.dtype, seed, name);
                                        }});
  return sources;
}

Result<HostTensor> ArgumentValues::whole(const std::string &argument) const {
  if (auto tensor = made.find(argument); tensor != made.end())
    return fillTensor(tensor->second.role, tensor->second.dtype, tensor->second.shape, seed, argument);
  return held.at(argument);
}

Result<HostTensor> ArgumentValues::rows(const std::string &argument, const std::vector<int64_t> &rows) const {
  if (auto tensor = made.find(argument); tensor != made.end())
    return fillRows(tensor->second.role, tensor->second.dtype, tensor->second.shape, rows, seed, argument);
  const HostTensor &whole = held.at(argument);
  std::vector<int64_t> shape = whole.shape();
  size_t rowBytes = shape[0] == 0 ? 0 : whole.byteCount() / static_cast<size_t>(shape[0]);
  shape[0] = static_cast<int64_t>(rows.size());
  Result<HostTensor> tensor = allocateHostTensor(whole.dtype(), shape);
  if (!tensor)
    return tensor.takeError();
  for (size_t index = 0; index < rows.size(); ++index)
    std::memcpy(tensor->data() + index * rowBytes, whole.data() + static_cast<size_t>(rows[index]) * rowBytes,
                rowBytes);
  return tensor;
}
