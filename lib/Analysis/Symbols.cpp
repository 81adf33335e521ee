//===- Symbols.cpp - Which dynamic dimensions are equal -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/Symbols.h"

#include "fastnorm/IR/Dialect.h"
#include "fastnorm/IR/Interfaces.h"

#include "llvm/ADT/StringMap.h"

#include <limits>

using namespace mlir;
using namespace fastnorm;

static bool hasDynamicRows(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() > 0 && type.isDynamicDim(0);
}

/// The name that a function's attribute gives to the rows of an argument or result.
static StringRef givenName(ArrayAttr symbols) {
  return symbols && !symbols.empty() ? cast<StringAttr>(symbols[0]).getValue() : StringRef();
}

/// Rows that the ops make equal have one extent in the types: the Plan checks symbols, not what a `?` was hoped to be.
static LogicalResult verifyOneExtent(Operation *op, ArrayRef<Value> rows) {
  auto extentOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape()[0]; };
  for (Value value : rows)
    if (extentOf(value) != extentOf(rows.front()))
      return op->emitOpError("expects all of its rows to be dynamic or of one size, but got ")
             << rows.front().getType() << " and " << value.getType();
  return success();
}

/// Whether distinct elements of a tensor lie at distinct places, as what is written must. Strides known at run time are
/// checked then.
static bool overlapsItself(RankedTensorType type) {
  SmallVector<std::pair<int64_t, int64_t>> dimensions;
  for (auto [extent, stride] : llvm::zip(type.getShape(), stridesOf(type)))
    if (extent != 1 && !ShapedType::isDynamic(stride))
      dimensions.emplace_back(stride, extent);
  llvm::sort(dimensions);
  int64_t end = 0; // of the elements that smaller strides reach
  for (auto [stride, extent] : dimensions) {
    if (stride < end || stride == 0)
      return true;
    // The first dimension may be dynamic; nothing may have a larger stride than its rows, then.
    end =
        ShapedType::isDynamic(extent) ? std::numeric_limits<int64_t>::max() : end + stride * (extent - 1) + (end == 0);
  }
  return false;
}

/// Strides are for what is bound: results do not overlap themselves, and what passes between ops is dense.
static LogicalResult verifyStrides(func::FuncOp function) {
  for (Type type : function.getResultTypes())
    if (overlapsItself(cast<RankedTensorType>(type)))
      return function.emitOpError("expects results whose elements do not overlap, but got ") << type;
  for (Operation &op : function.getBody().front())
    for (Value result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      // Or lies where what is returned does.
      bool returned = llvm::any_of(result.getUsers(), [&](Operation *user) {
        auto rowOp = dyn_cast<RowOpInterface>(user);
        return isa<func::ReturnOp>(user) ||
               (rowOp && llvm::any_of(rowOp.getEqualTables(), [&](auto pair) { return pair.first == result; }));
      });
      if (type && type.getEncoding() && !returned)
        return op.emitOpError("expects strides on arguments and results of the function, but computes ")
               << type << ", which is not returned";
    }
  return success();
}

/// An argument and the result that it shares its buffer with lie alike, and no two arguments share one.
static LogicalResult verifyTies(func::FuncOp function) {
  llvm::DenseMap<int64_t, unsigned> argumentOf;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto tie = function.getArgAttrOfType<IntegerAttr>(index, kResultAttr);
    if (!tie)
      continue;
    int64_t result = tie.getInt();
    if (result < 0 || result >= function.getNumResults())
      return function.emitOpError("expects '") << kResultAttr << "' of argument " << index << " to name one of its "
                                               << function.getNumResults() << " results, but got " << result;
    if (function.getArgumentTypes()[index] != function.getResultTypes()[result])
      return function.emitOpError("expects argument ")
             << index << " to have the type of result " << result << ", whose buffer it shares, "
             << function.getResultTypes()[result] << ", but got " << function.getArgumentTypes()[index];
    auto [entry, isNew] = argumentOf.try_emplace(result, index);
    if (!isNew)
      return function.emitOpError("expects one argument to share the buffer of result ")
             << result << ", but got " << entry->second << " and " << index;
  }
  return success();
}

LogicalResult fastnorm::verifyGraph(func::FuncOp function) {
  if (!function.getBody().hasOneBlock() || !isa<func::ReturnOp>(function.getBody().front().getTerminator()))
    return function.emitOpError("expects a body of one block, but has ")
           << llvm::range_size(function.getBody()) << " blocks";
  if (function.getNumResults() == 0)
    return function.emitOpError("expects at least one result, but returns nothing");
  auto types = llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes());
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() < 1)
      return function.emitOpError("expects arguments and results that are ranked tensors with a dimension, but got ")
             << type;
    Type element = tensor.getElementType();
    if ((tensor.getEncoding() && !isa<StridesAttr>(tensor.getEncoding())) || !isStorable(element))
      return function.emitOpError("expects arguments and results that are tensors of f32, bf16, f16, f8E4M3FN, i8, "
                                  "i32 or i64, dense or with #fastnorm.strides, but got ")
             << type;
    for (int64_t dimension = 1; dimension < tensor.getRank(); ++dimension)
      if (tensor.isDynamicDim(dimension))
        return function.emitOpError("expects only the first dimension to be dynamic, but got ") << type;
  }
  return success(succeeded(verifyStrides(function)) && succeeded(verifyTies(function)));
}

FailureOr<Symbols> Symbols::of(func::FuncOp function) {
  if (failed(verifyGraph(function)))
    return failure();
  Symbols result;
  Block &block = function.getBody().front();
  auto terminator = cast<func::ReturnOp>(block.getTerminator());
  SmallVector<Value> tables, scattered;

  for (BlockArgument argument : block.getArguments())
    result.classes.insert(key(argument));
  for (Operation &op : block) {
    for (Value value : op.getResults())
      result.classes.insert(key(value));
    auto rowOp = dyn_cast<RowOpInterface>(op);
    if (!rowOp)
      continue;
    SmallVector<Value> rows = rowOp.getRowValues();
    if (failed(verifyOneExtent(&op, rows)))
      return failure();
    for (Value value : rows)
      result.classes.unionSets(key(rows.front()), key(value));
    for (auto [left, right] : rowOp.getEqualTables()) {
      if (failed(verifyOneExtent(&op, {left, right})))
        return failure();
      result.classes.unionSets(key(left), key(right));
    }
    for (Value table : rowOp.getTables())
      (table.getDefiningOp() == &op ? scattered : tables).push_back(table);
  }

  // Names that people gave; equal names are equal extents.
  llvm::StringMap<Value> valueOfName;
  llvm::DenseMap<Key, StringRef> nameOfLeader;
  auto join = [&](Value value, ArrayAttr symbols) {
    StringRef name = givenName(symbols);
    if (name.empty() || !hasDynamicRows(value))
      return;
    auto [entry, isNew] = valueOfName.try_emplace(name, value);
    if (!isNew)
      result.classes.unionSets(key(entry->second), key(value));
  };
  for (auto [index, argument] : llvm::enumerate(block.getArguments()))
    join(argument, function.getArgAttrOfType<ArrayAttr>(index, kSymbolsAttr));
  for (auto [index, value] : llvm::enumerate(terminator.getOperands()))
    join(value, function.getResultAttrOfType<ArrayAttr>(index, kSymbolsAttr));
  for (auto &entry : valueOfName) {
    auto [place, isNew] = nameOfLeader.try_emplace(result.classes.getLeaderValue(key(entry.second)), entry.first());
    if (!isNew && place->second != entry.first())
      return function.emitOpError("gives one dimension two names, '")
             << place->second << "' and '" << entry.first() << "': its ops make their extents equal";
  }

  llvm::StringMap<int64_t> taken;
  auto assign = [&](Value value, StringRef fallback) {
    Key leader = result.classes.getLeaderValue(key(value));
    if (!hasDynamicRows(value) || result.symbolOfLeader.contains(leader))
      return;
    std::string name = nameOfLeader.lookup(leader).str();
    if (name.empty()) {
      name = fallback.str();
      for (int64_t count = 2; taken.contains(name) || valueOfName.contains(name); ++count)
        name = fallback.str() + "_" + std::to_string(count);
    }
    taken.try_emplace(name, 0);
    result.symbolOfLeader[leader] = result.symbolNames.size();
    result.symbolNames.push_back(name);
  };
  // What is scattered to is a table, also where it is a result.
  for (Value value : terminator.getOperands())
    if (!llvm::is_contained(scattered, value))
      assign(value, "rows");
  for (Value table : llvm::concat<Value>(tables, scattered))
    assign(table, "expert_rows");
  for (BlockArgument argument : block.getArguments())
    assign(argument, "rows");
  for (Operation &op : block)
    for (Value value : op.getResults())
      assign(value, "rows");
  if (failed(result.verifyKnown(function, scattered)))
    return failure();
  return result;
}

/// How many rows something is scattered to, an argument or a result of the function must tell.
LogicalResult Symbols::verifyKnown(func::FuncOp function, ArrayRef<Value> scattered) const {
  llvm::DenseSet<int64_t> known;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(function.getArguments()),
                                         SmallVector<Value>(function.getBody().front().getTerminator()->getOperands())))
    if (std::optional<int64_t> symbol = rowsOf(value))
      known.insert(*symbol);
  for (Value value : scattered)
    if (std::optional<int64_t> symbol = rowsOf(value); symbol && !known.contains(*symbol))
      return value.getDefiningOp()->emitOpError("scatters to ")
             << value.getType() << ", but no argument or result of the function has as many rows: return it, or give "
             << "an argument the same '" << kSymbolsAttr << "'";
  return success();
}

std::optional<int64_t> Symbols::rowsOf(Value value) const {
  if (!hasDynamicRows(value))
    return std::nullopt;
  return symbolOfLeader.lookup(classes.getLeaderValue(key(value)));
}

bool Symbols::sameRows(Value left, Value right) const {
  if (classes.isEquivalent(key(left), key(right)))
    return true;
  auto leftType = cast<RankedTensorType>(left.getType());
  auto rightType = cast<RankedTensorType>(right.getType());
  return !hasDynamicRows(left) && !hasDynamicRows(right) && leftType.getShape()[0] == rightType.getShape()[0];
}
