//===- KernelTrial.h - Where schedules of one kernel are tried --*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TUNING_KERNELTRIAL_H
#define FASTNORM_LIB_TUNING_KERNELTRIAL_H

#include "Contestant.h"

#include "runtime/TensorIO/DeviceFill.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fastnorm {

/// Operands of a kernel on a device, what its results are, and the comparison with them.
class KernelTrial {
public:
  /// `first` is compiled for the kernel; its results at full size are what others' are compared with, once it was right
  /// beside the reference. The device must outlive the trial.
  static Result<std::unique_ptr<KernelTrial>> create(const IsolatedKernel &kernel, const CompileOptions &options,
                                                     Contestant &first, Device &device);

  /// Runs a contestant on few rows and compares its results with the naive evaluation of the kernel.
  Status checkFewRows(const Contestant &contestant) const;
  /// Runs a contestant on all rows and compares its results with those of the first.
  Status checkAllRows(const Contestant &contestant) const;

  /// Operand sets that keep each other out of the L2.
  const std::vector<OperandSet> &sets() const { return operandSets; }
  const SymbolValues &given() const { return all.given; }

private:
  /// The sizes of a run.
  struct Sizes {
    SymbolValues given;
    std::vector<int64_t> symbols; ///< in the order of the plan's
  };

  KernelTrial(const IsolatedKernel &kernel, Device &device) : kernel(kernel), device(device) {}
  Status readGraph(const CompileOptions &options);
  Status solveSizes(const Plan &plan);
  Status evaluateFewRows(const Plan &plan);
  Status makeSets(const Plan &plan);
  Result<HostTensor> argument(const TensorSpec &spec, size_t index, const Sizes &sizes) const;
  Result<OperandSources> sourcesOf(const Plan &plan);
  Result<NamedTensors> run(const Contestant &contestant, const OperandSet &operands, const Sizes &sizes) const;
  Status compareAll(const Plan &plan, const NamedTensors &results, const NamedTensors &references,
                    const std::string &with) const;

  const IsolatedKernel &kernel;
  Device &device;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  Sizes all, few;
  NamedTensors fewArguments, fewReferences;
  NamedTensors held;              ///< arguments that were filled by the host
  std::optional<DeviceFill> fill; ///< of the others
  OperandSources sources;
  NamedTensors allReferences;
  std::vector<OperandSet> operandSets;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_TUNING_KERNELTRIAL_H
