//===- ReferenceHarness.h - Graphs and tensors for tests --------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_COMPILER_REFERENCEHARNESS_H
#define FASTNORM_TEST_UNIT_COMPILER_REFERENCEHARNESS_H

#include "fastnorm/IR/Dialect.h"
#include "fastnorm/Reference/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace fastnorm::test {

/// A dense tensor of the values, each rounded to the dtype.
inline HostTensor tensor(DType dtype, std::vector<int64_t> shape, const std::vector<double> &values) {
  HostTensor result(dtype, std::move(shape));
  EXPECT_EQ(result.elementCount(), static_cast<int64_t>(values.size()));
  for (size_t index = 0; index < values.size(); ++index)
    result.set(index, values[index]);
  return result;
}

inline std::vector<double> valuesOf(const HostTensor &tensor) {
  std::vector<double> values;
  for (int64_t index = 0; index < tensor.elementCount(); ++index)
    values.push_back(tensor.at(index));
  return values;
}

/// Interprets the first function of a module's text.
inline Result<std::vector<HostTensor>> interpretText(llvm::StringRef text, const std::vector<HostTensor> &arguments) {
  mlir::DialectRegistry registry;
  registry.insert<FastnormDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return Error{"the test's text does not parse"};
  return interpret(*module->getOps<mlir::func::FuncOp>().begin(), arguments);
}

/// The same, where the text and the arguments are known to be right.
inline std::vector<HostTensor> evaluate(llvm::StringRef text, const std::vector<HostTensor> &arguments) {
  Result<std::vector<HostTensor>> results = interpretText(text, arguments);
  if (!results) {
    ADD_FAILURE() << results.error();
    return {};
  }
  return std::move(*results);
}

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_COMPILER_REFERENCEHARNESS_H
