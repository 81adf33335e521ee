//===- GraphOps.h - What people write -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_IR_GRAPHOPS_H
#define FASTNORM_IR_GRAPHOPS_H

#include "fastnorm/IR/Dialect.h"
#include "fastnorm/IR/Interfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "fastnorm/IR/GraphOps.h.inc"

#endif // FASTNORM_IR_GRAPHOPS_H
