//===- LiftSingleRows.cpp - A row without a row dimension -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/Symbols.h"
#include "fastnorm/IR/Interfaces.h"
#include "fastnorm/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace fastnorm {
#define GEN_PASS_DEF_LIFTSINGLEROWSPASS
#include "fastnorm/Transforms/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether an op of the graph level works on one row: what it has row by row is of rank 1, so that is hidden.
static bool worksOnSingleRow(Operation *op) {
  auto rowOp = dyn_cast<RowOpInterface>(op);
  return rowOp && !rowOp.getRowValues().empty() && isa<GraphOpInterface>(op) &&
         llvm::all_of(rowOp.getRowValues(), [](Value value) { return tensorOf(value).getRank() == 1; });
}

/// One dense row; its one stride, where it has any, is 1.
static RankedTensorType lifted(RankedTensorType type) {
  return RankedTensorType::get({1, type.getShape()[0]}, type.getElementType());
}

namespace {

class LiftSingleRowsPass : public fastnorm::impl::LiftSingleRowsPassBase<LiftSingleRowsPass> {
public:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (failed(verifyGraph(function)))
      return signalPassFailure();
    llvm::SetVector<Value> rows;
    for (Operation &op : function.getBody().front())
      if (worksOnSingleRow(&op))
        rows.insert_range(cast<RowOpInterface>(op).getRowValues());
    for (Value row : rows)
      if (failed(verifyOnlyRow(row)))
        return signalPassFailure();
    for (Value row : rows)
      row.setType(lifted(tensorOf(row)));
    writeSignature(function, rows);
  }

private:
  /// What is lifted is nowhere a parameter or a value of the algebra, whose axes say [hidden].
  LogicalResult verifyOnlyRow(Value row) {
    auto refuse = [&](Operation *other) -> LogicalResult {
      return other->emitOpError("has ") << row.getType() << " as [hidden], which another op has as one row; write "
                                        << lifted(tensorOf(row)) << " for the row";
    };
    Operation *producer = row.getDefiningOp();
    if (producer && !worksOnSingleRow(producer))
      return refuse(producer);
    for (Operation *user : row.getUsers())
      if (!isa<func::ReturnOp>(user) && !worksOnSingleRow(user))
        return refuse(user);
    return success();
  }

  void writeSignature(func::FuncOp function, const llvm::SetVector<Value> &rows) {
    Block &block = function.getBody().front();
    auto isRow = UnitAttr::get(&getContext());
    for (BlockArgument argument : block.getArguments())
      if (rows.contains(argument))
        function.setArgAttr(argument.getArgNumber(), kSingleRowAttr, isRow);
    OperandRange returned = block.getTerminator()->getOperands();
    for (auto [index, value] : llvm::enumerate(returned))
      if (rows.contains(value))
        function.setResultAttr(index, kSingleRowAttr, isRow);
    function.setFunctionType(
        FunctionType::get(&getContext(), block.getArgumentTypes(), TypeRange(ValueRange(returned))));
  }
};

} // namespace
