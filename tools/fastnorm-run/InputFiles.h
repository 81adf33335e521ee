//===- InputFiles.h - Arguments that stand in files -------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_INPUTFILES_H
#define FASTNORM_TOOLS_RUN_INPUTFILES_H

#include "Options.h"

#include "fastnorm/Plan/Plan.h"
#include "runtime/Executor/OperandSet.h"
#include "runtime/TensorIO/Safetensors.h"

namespace fastnorm::tool {

/// What --input and --inputs name.
class InputFiles {
public:
  /// Opens the file of --inputs and reads its header; the tensors stay where they are.
  static Result<InputFiles> open(const Options &options);

  /// Whether every name is one of the plan's arguments, and none has two files.
  Status checkNames(const Plan &plan) const;

  /// The file that holds an argument; empty: none does.
  std::string placeOf(const std::string &argument) const;

  /// Reads all of them; each has the dtype, rank and fixed extents of its argument.
  Result<NamedTensors> read(const Plan &plan);

private:
  const SafetensorsEntry *entryOf(const std::string &argument) const;
  Result<HostTensor> readArgument(const std::string &argument);

  std::map<std::string, std::string> single; ///< --input: argument name to file
  std::optional<SafetensorsFile> all;        ///< --inputs
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_INPUTFILES_H
