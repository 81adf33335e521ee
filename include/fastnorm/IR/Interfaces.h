//===- Interfaces.h - What passes ask of any op -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_IR_INTERFACES_H
#define FASTNORM_IR_INTERFACES_H

#include "fastnorm/IR/Gradients.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "fastnorm/IR/Interfaces.h.inc"

#endif // FASTNORM_IR_INTERFACES_H
