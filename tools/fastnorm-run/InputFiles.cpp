//===- InputFiles.cpp - Arguments that stand in files ---------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputFiles.h"

#include "Bindings.h"

#include "runtime/TensorIO/Npy.h"

#include "llvm/ADT/STLExtras.h"

using namespace fastnorm;
using namespace fastnorm::tool;

Result<InputFiles> InputFiles::open(const Options &options) {
  InputFiles files;
  files.single = options.inputs;
  if (options.inputsFile.empty())
    return files;
  Result<SafetensorsFile> file = SafetensorsFile::open(options.inputsFile);
  if (!file)
    return file.takeError();
  files.all.emplace(std::move(*file));
  return files;
}

Status InputFiles::checkNames(const Plan &plan) const {
  for (const auto &[name, path] : single)
    if (Status known = checkKnownName(name, "--input", "an argument", plan.arguments, plan); !known)
      return known;
  if (!all)
    return {};
  for (const SafetensorsEntry &entry : all->entries()) {
    if (Status known = checkKnownName(entry.name, "the tensors of --inputs", "arguments", plan.arguments, plan); !known)
      return known;
    if (auto other = single.find(entry.name); other != single.end())
      return Error{"expected one file for argument '" + entry.name + "', but got --input " + entry.name + "=" +
                   other->second + " and --inputs " + all->path() + ", which holds it, too"};
  }
  return {};
}

const SafetensorsEntry *InputFiles::entryOf(const std::string &argument) const {
  if (!all)
    return nullptr;
  auto entry =
      llvm::find_if(all->entries(), [&](const SafetensorsEntry &candidate) { return candidate.name == argument; });
  return entry == all->entries().end() ? nullptr : &*entry;
}

std::string InputFiles::placeOf(const std::string &argument) const {
  if (auto file = single.find(argument); file != single.end())
    return file->second;
  return entryOf(argument) ? all->path() : "";
}

Result<HostTensor> InputFiles::readArgument(const std::string &argument) {
  if (auto file = single.find(argument); file != single.end())
    return readNpy(file->second);
  return all->read(*entryOf(argument));
}

static bool fits(const TensorSpec &spec, const HostTensor &tensor) {
  if (tensor.dtype() != spec.dtype || tensor.shape().size() != spec.shape.size())
    return false;
  return llvm::all_of(llvm::zip(spec.shape, tensor.shape()), [](auto pair) {
    return std::get<0>(pair).symbol || std::get<0>(pair).fixed == std::get<1>(pair);
  });
}

/// "rowsx3072xbf16"
static std::string describeSpec(const Plan &plan, const TensorSpec &spec) {
  std::string text;
  for (const Extent &extent : spec.shape)
    text += (extent.symbol ? plan.symbols[*extent.symbol] : std::to_string(extent.fixed)) + "x";
  return text + std::string(name(spec.dtype));
}

Result<NamedTensors> InputFiles::read(const Plan &plan) {
  NamedTensors inputs;
  for (const TensorSpec &spec : plan.arguments) {
    std::string place = placeOf(spec.name);
    if (place.empty())
      continue;
    Result<HostTensor> tensor = readArgument(spec.name);
    if (!tensor)
      return tensor.takeError();
    if (!fits(spec, *tensor))
      return Error{"expected '" + place + "' to hold " + describeSpec(plan, spec) + " for argument '" + spec.name +
                   "', but got " + describe(tensor->dtype(), tensor->shape())};
    inputs.emplace(spec.name, std::move(*tensor));
  }
  return inputs;
}
