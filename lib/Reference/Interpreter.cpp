//===- Interpreter.cpp - Naive evaluation of a function -------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Reference/Interpreter.h"

#include "GraphOpEvaluation.h"
#include "RowProgram.h"
#include "Tensor.h"
#include "Types.h"

#include "fastnorm/IR/GraphOps.h"
#include "fastnorm/IR/KernelOps.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace fastnorm;
using namespace fastnorm::reference;

namespace {

/// The values of one run through a function.
class Evaluation {
public:
  Status bindArguments(func::FuncOp function, const std::vector<HostTensor> &arguments);
  void expectRows(func::ReturnOp terminator, const std::vector<int64_t> &resultRows);
  Status run(Operation &op);
  Result<std::vector<HostTensor>> results(func::ReturnOp terminator);

private:
  Result<int64_t> commonRows(RowOpInterface op);
  int64_t knownRows(Value value) const;
  int64_t rowsByUse(Value value) const;
  Result<std::vector<int64_t>> rowsByUse(Operation &op) const;
  void dropDeadOperands(Operation &op);

  llvm::DenseMap<Value, Tensor> values;
  llvm::DenseMap<Value, int64_t> rowsOfResults; ///< of values that are returned, where the caller knows
};

} // namespace

/// "argument 0 'residual'", as messages call it.
static std::string describeArgument(func::FuncOp function, unsigned number) {
  std::string text = "argument " + std::to_string(number);
  if (auto name = function.getArgAttrOfType<StringAttr>(number, kNameAttr))
    text += " '" + name.str() + "'";
  return text;
}

/// The same elements in another shape.
static HostTensor reshaped(const HostTensor &tensor, std::vector<int64_t> shape) {
  HostTensor result(tensor.dtype(), std::move(shape));
  std::copy_n(tensor.data(), tensor.byteCount(), result.data());
  return result;
}

Status Evaluation::bindArguments(func::FuncOp function, const std::vector<HostTensor> &arguments) {
  if (arguments.size() != function.getNumArguments())
    return Error{"expected " + std::to_string(function.getNumArguments()) + " arguments for function '" +
                 function.getName().str() + "', but got " + std::to_string(arguments.size())};
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    const HostTensor &tensor = arguments[number];
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    bool isSingleRow = function.getArgAttr(number, kSingleRowAttr) != nullptr;
    std::vector<int64_t> shape = tensor.shape();
    if (isSingleRow)
      shape.insert(shape.begin(), 1);
    if (!type || dtypeOf(type.getElementType()) != tensor.dtype() || !fits(shape, type))
      return Error{"expected " + describeArgument(function, number) + " to be a " + textOf(argument.getType()) +
                   ", but got " + describe(tensor.dtype(), tensor.shape())};
    values[argument] = isSingleRow ? Tensor::own(reshaped(tensor, shape)) : Tensor::refer(tensor);
  }
  return {};
}

/// The number of rows that an op's operands have in common: those of the first, through all of its row dimensions. Of
/// the others, a statistic among them, the first dimension is compared.
Result<int64_t> Evaluation::commonRows(RowOpInterface op) {
  const Tensor *first = nullptr;
  for (Value value : op.getRowValues()) {
    auto known = values.find(value);
    if (known == values.end())
      continue;
    if (!first)
      first = &known->second;
    int64_t expected = first->shape()[0], extent = known->second.shape()[0];
    if (expected != extent)
      return Error{"expected operands of '" + op->getName().getStringRef().str() +
                   "' with equal numbers of rows, but got " + std::to_string(expected) + " and " +
                   std::to_string(extent)};
  }
  return first ? first->rows() : 0;
}

void Evaluation::expectRows(func::ReturnOp terminator, const std::vector<int64_t> &resultRows) {
  for (auto [value, rows] : llvm::zip(terminator.getOperands(), resultRows))
    if (rows >= 0)
      rowsOfResults[value] = rows;
}

/// The rows that are known of a value before it is computed; -1 for none.
int64_t Evaluation::knownRows(Value value) const {
  int64_t extent = cast<RankedTensorType>(value.getType()).getShape()[0];
  if (!ShapedType::isDynamic(extent))
    return extent;
  if (auto known = values.find(value); known != values.end())
    return known->second.shape()[0];
  auto returned = rowsOfResults.find(value);
  return returned == rowsOfResults.end() ? -1 : returned->second;
}

/// The rows of a value that its operands do not tell: those of what goes into it or what it goes into, and of what it
/// is read together with; -1 where nothing tells.
int64_t Evaluation::rowsByUse(Value value) const {
  int64_t rows = knownRows(value);
  if (auto producer = dyn_cast<RowOpInterface>(value.getDefiningOp()))
    for (auto [left, right] : producer.getEqualTables())
      if (right == value)
        rows = std::max(rows, knownRows(left));
  for (Operation *user : value.getUsers()) {
    auto reader = dyn_cast<RowOpInterface>(user);
    if (!reader)
      continue;
    for (auto [left, right] : reader.getEqualTables())
      if (left == value)
        rows = std::max(rows, rowsByUse(right));
    if (llvm::is_contained(reader.getRowValues(), value))
      for (Value other : reader.getRowValues())
        rows = std::max(rows, knownRows(other));
  }
  return rows;
}

/// For each result of an op: its rows, where no operand of the op tells them, that is where it is scattered or made of
/// nothing; else -1.
Result<std::vector<int64_t>> Evaluation::rowsByUse(Operation &op) const {
  SmallVector<Value> tables = cast<RowOpInterface>(op).getTables();
  std::vector<int64_t> rows;
  for (Value result : op.getResults()) {
    bool needs = op.getNumOperands() == 0 || llvm::is_contained(tables, result);
    rows.push_back(needs ? rowsByUse(result) : -1);
    if (needs && rows.back() < 0)
      return Error{"expected something that tells how many rows '" + op.getName().getStringRef().str() +
                   "' scatters to; make them static, or return them"};
  }
  return rows;
}

Status Evaluation::run(Operation &op) {
  std::vector<const Tensor *> operands;
  for (Value operand : op.getOperands())
    operands.push_back(&values.find(operand)->second);
  std::vector<Tensor> results;
  Result<std::vector<int64_t>> tableRows = isa<RowOpInterface>(op) ? rowsByUse(op) : std::vector<int64_t>();
  if (!tableRows)
    return tableRows.takeError();
  if (isa<GraphOpInterface>(op)) {
    Result<int64_t> rows = commonRows(cast<RowOpInterface>(op));
    if (!rows)
      return rows.takeError();
    Result<std::vector<Tensor>> evaluated = evaluateGraphOp(&op, operands, *rows, *tableRows);
    if (!evaluated)
      return evaluated.takeError();
    results = std::move(*evaluated);
  } else if (isa<KernelOp, MapOp, ReduceOp, GatherOp, ScatterOp>(op)) {
    Result<RowProgram> program = RowProgram::of(&op, operands, *tableRows);
    if (!program)
      return program.takeError();
    results = program->run();
  } else {
    return Error{"expected fastnorm ops in a function that the reference evaluates, but got '" +
                 op.getName().getStringRef().str() + "'"};
  }
  for (auto [value, tensor] : llvm::zip(op.getResults(), results)) {
    if (!fits(tensor.shape(), cast<RankedTensorType>(value.getType())))
      return Error{"expected a result of '" + op.getName().getStringRef().str() + "' of type " +
                   textOf(value.getType()) + ", but its operands have " + std::to_string(tensor.shape()[0]) + " rows"};
    values[value] = std::move(tensor);
  }
  dropDeadOperands(op);
  return {};
}

/// Frees what no later op reads: gathered rows are large.
void Evaluation::dropDeadOperands(Operation &op) {
  for (Value operand : op.getOperands()) {
    bool isLive =
        llvm::any_of(operand.getUsers(), [&](Operation *user) { return user != &op && op.isBeforeInBlock(user); });
    if (!isLive && operand.getDefiningOp())
      values.erase(operand);
  }
}

Result<std::vector<HostTensor>> Evaluation::results(func::ReturnOp terminator) {
  std::vector<HostTensor> tensors;
  auto function = cast<func::FuncOp>(terminator->getParentOp());
  for (auto [number, value] : llvm::enumerate(terminator.getOperands())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    std::optional<DType> dtype = type ? dtypeOf(type.getElementType()) : std::nullopt;
    if (!dtype)
      return Error{"expected results of " + allDTypeNames() + " tensors, but got " + textOf(value.getType())};
    HostTensor tensor = values.find(value)->second.convert(*dtype);
    if (function.getResultAttr(number, kSingleRowAttr))
      tensor = reshaped(tensor, std::vector<int64_t>(tensor.shape().begin() + 1, tensor.shape().end()));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Result<std::vector<HostTensor>> fastnorm::interpret(func::FuncOp function, const std::vector<HostTensor> &arguments,
                                                    const std::vector<int64_t> &resultRows) {
  auto terminator = function.getBody().hasOneBlock()
                        ? dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator())
                        : func::ReturnOp();
  if (!terminator)
    return Error{"expected function '" + function.getName().str() + "' to have one block that ends in func.return"};
  Evaluation evaluation;
  if (Status bound = evaluation.bindArguments(function, arguments); !bound)
    return bound.takeError();
  evaluation.expectRows(terminator, resultRows);
  for (Operation &op : function.getBody().front().without_terminator())
    if (Status run = evaluation.run(op); !run)
      return run.takeError();
  return evaluation.results(terminator);
}
