//===- ArgumentValues.h - The values of a plan's arguments ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_ARGUMENTVALUES_H
#define FASTNORM_TOOLS_RUN_ARGUMENTVALUES_H

#include "fastnorm/Plan/Plan.h"
#include "runtime/Executor/OperandSet.h"
#include "runtime/TensorIO/DeviceFill.h"

namespace fastnorm::tool {

/// Where the arguments that have no file come from.
struct FillRequest {
  uint64_t seed = 0;
  std::map<std::string, FillRole> roles;
  /// Make what can be made there on the device, so that it never stands in host memory.
  bool onDevice = false;
};

/// The values of every argument, in host memory or made on the device; either way the host can have any rows of them.
class ArgumentValues {
public:
  /// `files` are the tensors that were read. The device must outlive the result.
  static Result<ArgumentValues> create(const Plan &plan, NamedTensors files, const FillRequest &request,
                                       const std::vector<int64_t> &symbolValues, Device &device);

  /// For the buffers of a run; valid as long as this lives and stays where it is.
  OperandSources sources() const;

  /// The whole tensor; for one that is made on the device, made once more.
  Result<HostTensor> whole(const std::string &argument) const;
  /// Some rows (entries of the first dimension).
  Result<HostTensor> rows(const std::string &argument, const std::vector<int64_t> &rows) const;

private:
  struct Made {
    FillRole role;
    DType dtype;
    std::vector<int64_t> shape;
  };

  uint64_t seed = 0;
  NamedTensors held;
  std::map<std::string, Made> made;
  std::optional<DeviceFill> fill;
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_ARGUMENTVALUES_H
