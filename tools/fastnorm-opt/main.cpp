//===- main.cpp - fastnorm-opt: run passes on .mlir files -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Compiler/Compiler.h"
#include "fastnorm/Compiler/Pipeline.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  fastnorm::registerCompilerDialects(registry);
  fastnorm::registerPassesAndPipeline();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "fastnorm optimizer driver\n", registry));
}
