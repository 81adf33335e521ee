//===- LoweredHarness.h - Ops against what they become ----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_COMPILER_LOWEREDHARNESS_H
#define FASTNORM_TEST_UNIT_COMPILER_LOWEREDHARNESS_H

#include "ReferenceHarness.h"
#include "fastnorm/Compiler/Compiler.h"

#include <cmath>

namespace fastnorm::test {

/// Interprets the first function of a graph's text after it was decomposed and fused.
inline Result<std::vector<HostTensor>> interpretLowered(const std::string &text,
                                                        const std::vector<HostTensor> &arguments,
                                                        const std::vector<int64_t> &resultRows) {
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = parseGraph(text, "test", context);
  if (!module)
    return Error{module.error()};
  if (Status lowered = lower(**module, CompileOptions(), "fuse"); !lowered)
    return Error{lowered.error()};
  return interpret(*(*module)->getOps<mlir::func::FuncOp>().begin(), arguments, resultRows);
}

/// What a graph's ops become gives what the ops give, within a part of the value, or of 1 where that is more.
inline void expectLowersToTheSame(const std::string &text, const std::vector<HostTensor> &arguments, double tolerance) {
  std::vector<HostTensor> expected = evaluate(text, arguments);
  std::vector<int64_t> resultRows;
  for (const HostTensor &result : expected)
    resultRows.push_back(result.shape()[0]);
  Result<std::vector<HostTensor>> results = interpretLowered(text, arguments, resultRows);
  ASSERT_TRUE(results) << results.error() << text;
  ASSERT_EQ(results->size(), expected.size());
  for (size_t result = 0; result < expected.size(); ++result)
    for (int64_t index = 0; index < expected[result].elementCount(); ++index)
      EXPECT_NEAR((*results)[result].at(index), expected[result].at(index),
                  tolerance * std::max(1.0, std::abs(expected[result].at(index))))
          << text;
}

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_COMPILER_LOWEREDHARNESS_H
