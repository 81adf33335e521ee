//===- OperandSet.h - Device buffers for one run of a plan ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers for all arguments and results of a plan. Arguments are uploaded,
// results start as poison (all bits set: NaN, or -1), and guard bytes around
// each buffer tell whether a kernel wrote past it; around floats they are NaN, so
// that a kernel which uses what it should not have read shows as well.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EXECUTOR_OPERANDSET_H
#define FASTNORM_RUNTIME_EXECUTOR_OPERANDSET_H

#include "fastnorm/Support/HostTensor.h"
#include "runtime/Executor/Operands.h"
#include "runtime/Executor/StridedTensor.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fastnorm {

/// Tensors by the name of the argument or result.
using NamedTensors = std::map<std::string, HostTensor>;

/// Where an argument's elements come from.
struct OperandSource {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  /// Writes all of them to the address, row-major and dense, and waits.
  std::function<Status(Device &, DeviceAddress)> write;
};
using OperandSources = std::map<std::string, OperandSource>;

/// Sources that upload the tensors, which must stay where they are.
OperandSources uploadsOf(const NamedTensors &tensors);

class OperandSet;

struct OperandSetOptions {
  /// Guard bytes before and after each buffer, a multiple of 256. By default 256 on hardware and none on the emulator,
  /// which knows where each buffer ends and names the PTX line.
  std::optional<int64_t> guardBytes;
  /// Elements past an aligned address at which a tensor starts, by the name of the argument or result: where a view
  /// into a larger buffer would. What lies between is guarded, too, on the emulator as well.
  std::map<std::string, int64_t> offsetElements = {};
  /// Another set of the same plan and symbols, whose buffers this one uses but for `ownArguments`. May go before it.
  const OperandSet *sharesWith = nullptr;
  std::set<std::string> ownArguments = {};
};

class OperandSet {
public:
  /// Checks that every argument of the plan is given with its dtype and shape, and no other.
  static Result<OperandSet> create(const Plan &plan, Device &device, const NamedTensors &inputs,
                                   const SymbolValues &given = {}, const OperandSetOptions &options = {});

  static Result<OperandSet> create(const Plan &plan, Device &device, const OperandSources &sources,
                                   const SymbolValues &given = {}, const OperandSetOptions &options = {});

  const std::vector<Operand> &arguments() const { return argumentOperands; }
  const std::vector<Operand> &results() const { return resultOperands; }
  /// Bytes of all arguments and results, without guards.
  int64_t byteCount() const;

  /// Refills the results with poison.
  Status poisonResults() const;
  /// An error names the first buffer whose guard bytes, or whose gaps between rows, changed, and where.
  Status checkGuards() const;
  Result<NamedTensors> downloadResults() const;
  /// Some rows (entries of the first dimension) of the result at `index`.
  Result<HostTensor> downloadRows(size_t index, const std::vector<int64_t> &rows) const;

private:
  struct GuardedBuffer {
    std::shared_ptr<DeviceBuffer> buffer;
    std::string label;
    int64_t byteCount = 0; ///< between the guards
    int64_t leadBytes = 0; ///< of the guard before it, with its offset
    uint8_t guard = 0;     ///< what every byte of the guards is
    StridedTensor layout;
  };

  Result<Operand> add(const TensorSpec &spec, OperandRole role, const StridedTensor &layout, int64_t offsetElements);
  Status addArgument(const TensorSpec &spec, const StridedTensor &layout, const OperandSource &source,
                     const OperandSetOptions &options);
  Status addResult(const TensorSpec &spec, const StridedTensor &layout, const OperandSetOptions &options);
  Status write(const OperandSource &source, const Operand &operand, const StridedTensor &layout) const;
  Result<HostTensor> download(const StridedTensor &layout, DeviceAddress address) const;
  Status checkGuard(const GuardedBuffer &guarded, bool isAfter) const;
  Status checkGaps(const GuardedBuffer &guarded) const;
  const GuardedBuffer &bufferOfResult(size_t index) const { return buffers[resultBuffers[index]]; }

  Device *device = nullptr;
  int64_t guardBytes = 0;
  std::vector<GuardedBuffer> buffers;   ///< one an argument, then one a result that is not tied to an argument
  std::vector<size_t> resultBuffers;    ///< by result
  std::map<size_t, size_t> tiedBuffers; ///< by result: the buffer of the argument it is tied to
  std::vector<Operand> argumentOperands;
  std::vector<Operand> resultOperands;
};

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_EXECUTOR_OPERANDSET_H
