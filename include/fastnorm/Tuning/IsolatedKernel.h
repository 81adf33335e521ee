//===- IsolatedKernel.h - A kernel as a graph of its own --------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TUNING_ISOLATEDKERNEL_H
#define FASTNORM_TUNING_ISOLATEDKERNEL_H

#include "fastnorm/Compiler/Compiler.h"
#include "runtime/TensorIO/FillRole.h"

#include <string>
#include <vector>

namespace fastnorm {

/// A kernel of a graph that was grouped, taken out of it, with all that its speed follows from: it can be compiled and
/// run by itself.
struct IsolatedKernel {
  std::string name;
  std::string signature; ///< kernelSignature
  std::string graph;     ///< the text of a function that holds the kernel alone, without a schedule
  int64_t rows = 0;      ///< the first extent of its rows
  /// Of the function's arguments and results, with every extent known.
  std::vector<std::vector<int64_t>> argumentShapes;
  std::vector<std::vector<int64_t>> resultShapes;
  std::vector<FillRole> roles; ///< of the arguments: how the kernel uses them
};

struct IsolatedKernels {
  std::vector<IsolatedKernel> kernels;
  /// Kernels that are not to be tuned, each with its name and why: "norm: has a schedule in the text".
  std::vector<std::string> skipped;
};

/// Groups a graph as the compiler would for the symbols of `options`, which must give every dynamic dimension a value,
/// and takes its kernels apart. The module is lowered.
Result<IsolatedKernels> isolateKernels(mlir::ModuleOp module, const CompileOptions &options);

} // namespace fastnorm

#endif // FASTNORM_TUNING_ISOLATEDKERNEL_H
