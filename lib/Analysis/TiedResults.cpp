//===- TiedResults.cpp - Inputs that share the buffer of a result -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/AccessPattern.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace fastnorm;

/// The number of a kernel's result that a function returns as its own result `number`.
static std::optional<unsigned> resultOf(KernelOp kernel, FunctionOpInterface function, int64_t number) {
  Operation *terminator = function.getFunctionBody().front().getTerminator();
  if (number >= terminator->getNumOperands())
    return std::nullopt;
  auto result = dyn_cast<OpResult>(terminator->getOperand(number));
  return result && result.getOwner() == kernel ? std::optional<unsigned>(result.getResultNumber()) : std::nullopt;
}

/// Whether the thread that writes an element of a result is the one that reads that of an argument: rows are streamed;
/// of what follows the column reductions, each result has threads of its own.
bool AccessPattern::isReadByWriter(BlockArgument argument, unsigned result) const {
  Block &body = kernel.getBody().front();
  OperandRange yielded = body.getTerminator()->getOperands();
  if (!llvm::is_contained(columnOperands, argument))
    return llvm::is_contained(streamed, argument) && !isScattered(yielded[result]);
  llvm::DenseSet<Value> readers{argument};
  addComputed(body, readers);
  for (auto [number, value] : llvm::enumerate(yielded))
    if (number != result && readers.contains(value))
      return false;
  return columns.contains(yielded[result]);
}

void AccessPattern::findTied() {
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  for (auto [input, argument] : llvm::zip(kernel.getInputs(), kernel.getBody().getArguments())) {
    auto outside = dyn_cast<BlockArgument>(input);
    auto tie = function && outside && outside.getOwner()->getParentOp() == function
                   ? function.getArgAttrOfType<IntegerAttr>(outside.getArgNumber(), kResultAttr)
                   : IntegerAttr();
    std::optional<unsigned> result = tie ? resultOf(kernel, function, tie.getInt()) : std::nullopt;
    if (!result)
      continue;
    tied.emplace_back(argument, *result);
    if (!isReadByWriter(argument, *result))
      unsupported.emplace_back(kernel, "writes its result " + std::to_string(*result) + " over input " +
                                           std::to_string(argument.getArgNumber()) +
                                           ", which other threads read, too; only an input of [row, hidden] that is "
                                           "not gathered from, or one of [hidden] that is added to sums over rows, "
                                           "can share the buffer of a result");
  }
}

std::optional<std::string> AccessPattern::whyNotReadAgain() const {
  Operation *yield = kernel.getBody().front().getTerminator();
  for (auto [argument, result] : tied)
    for (int64_t later = phaseOf(yield->getOperand(result)) + 1; later < phases; ++later)
      if (neededIn(later).contains(argument))
        return "reads input " + std::to_string(argument.getArgNumber()) + " again after its result " +
               std::to_string(result) + " was written over it";
  return std::nullopt;
}
