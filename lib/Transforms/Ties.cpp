//===- Ties.cpp - Arguments that results are written over -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ties.h"

#include "fastnorm/IR/Dialect.h"

using namespace mlir;
using namespace fastnorm;

LateRead fastnorm::findLateRead(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  for (BlockArgument argument : function.getArguments()) {
    auto tie = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kResultAttr);
    Operation *writer = tie ? terminator->getOperand(tie.getInt()).getDefiningOp() : nullptr;
    for (Operation *user : argument.getUsers())
      if (writer && writer->isBeforeInBlock(user))
        return {user, argument.getArgNumber(), tie.getInt()};
  }
  return {};
}
