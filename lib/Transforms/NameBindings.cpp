//===- NameBindings.cpp - Names and symbols on arguments and results -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/Symbols.h"
#include "fastnorm/IR/Interfaces.h"
#include "fastnorm/Transforms/Passes.h"

#include "llvm/ADT/StringSet.h"

namespace fastnorm {
#define GEN_PASS_DEF_NAMEBINDINGSPASS
#include "fastnorm/Transforms/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

namespace {

class NameBindingsPass : public fastnorm::impl::NameBindingsPassBase<NameBindingsPass> {
public:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (failed(verifyGraph(function)) || failed(nameAll(function)) || failed(writeSymbols(function)))
      signalPassFailure();
  }

private:
  LogicalResult nameAll(func::FuncOp function) {
    llvm::StringSet<> taken;
    Builder builder(&getContext());
    auto claim = [&](StringRef name) -> LogicalResult {
      if (taken.insert(name).second)
        return success();
      return function.emitOpError("expects names of arguments and results to differ, but '")
             << name << "' stands twice";
    };
    for (unsigned index = 0; index < function.getNumArguments(); ++index) {
      if (!function.getArgAttr(index, kNameAttr))
        function.setArgAttr(index, kNameAttr, builder.getStringAttr("arg" + Twine(index)));
      if (failed(claim(function.getArgAttrOfType<StringAttr>(index, kNameAttr).getValue())))
        return failure();
    }
    for (unsigned index = 0; index < function.getNumResults(); ++index) {
      if (!function.getResultAttr(index, kNameAttr))
        function.setResultAttr(index, kNameAttr, builder.getStringAttr("result" + Twine(index)));
      if (failed(claim(function.getResultAttrOfType<StringAttr>(index, kNameAttr).getValue())))
        return failure();
    }
    return success();
  }

  LogicalResult writeSymbols(func::FuncOp function) {
    FailureOr<Symbols> symbols = Symbols::of(function);
    if (failed(symbols))
      return failure();
    Builder builder(&getContext());
    auto attribute = [&](Value value) -> ArrayAttr {
      std::optional<int64_t> symbol = symbols->rowsOf(value);
      return symbol ? builder.getStrArrayAttr({symbols->names()[*symbol]}) : ArrayAttr();
    };
    for (BlockArgument argument : function.getArguments())
      if (ArrayAttr names = attribute(argument))
        function.setArgAttr(argument.getArgNumber(), kSymbolsAttr, names);
    for (Operation &op : function.getBody().front())
      if (auto rowOp = dyn_cast<RowOpInterface>(op))
        for (auto [table, index] : llvm::zip(rowOp.getTables(), rowOp.getRowIndices()))
          if (auto argument = dyn_cast_if_present<BlockArgument>(index); argument && symbols->rowsOf(table))
            function.setArgAttr(argument.getArgNumber(), kIndexesAttr,
                                builder.getStringAttr(symbols->names()[*symbols->rowsOf(table)]));
    Operation *terminator = function.getBody().front().getTerminator();
    for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
      if (ArrayAttr names = attribute(value))
        function.setResultAttr(index, kSymbolsAttr, names);
    return success();
  }
};

} // namespace
