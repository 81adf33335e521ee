//===- IsolatedKernel.cpp - A kernel as a graph of its own ----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Tuning/IsolatedKernel.h"

#include "fastnorm/Analysis/Symbols.h"
#include "fastnorm/CostModel/KernelSignature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fastnorm;

namespace {

class KernelIsolation {
public:
  KernelIsolation(func::FuncOp function, const Symbols &symbols, const CompileOptions &options)
      : function(function), symbols(symbols), options(options) {}

  Result<IsolatedKernel> isolate(KernelOp kernel) const {
    IsolatedKernel isolated;
    isolated.name = kernel.getName().str();
    isolated.signature = kernelSignature(AccessPattern(kernel));
    llvm::SetVector<Value> inputs(kernel.getInputs().begin(), kernel.getInputs().end());
    for (Value input : inputs) {
      if (Status shaped = addShape(input, isolated.argumentShapes); !shaped)
        return shaped.takeError();
      isolated.roles.push_back(roleOf(kernel, input, isolated.argumentShapes.back()));
    }
    for (Value result : kernel.getResults())
      if (Status shaped = addShape(result, isolated.resultShapes); !shaped)
        return shaped.takeError();
    std::vector<std::vector<int64_t>> rows;
    if (Status shaped = addShape(rowOperand(kernel), rows); !shaped)
      return shaped.takeError();
    isolated.rows = rows.front().front();
    isolated.graph = textOf(kernel, inputs.getArrayRef());
    return isolated;
  }

private:
  Status addShape(Value value, std::vector<std::vector<int64_t>> &shapes) const {
    auto type = cast<RankedTensorType>(value.getType());
    if (auto strides = dyn_cast_or_null<StridesAttr>(type.getEncoding()))
      if (llvm::any_of(strides.getStrides(), ShapedType::isDynamic))
        return Error{"has an operand whose strides are known at run time only"};
    shapes.emplace_back(type.getShape().begin(), type.getShape().end());
    if (!ShapedType::isDynamic(shapes.back().front()))
      return {};
    std::optional<int64_t> symbol = symbols.rowsOf(value);
    auto known = symbol ? options.symbols.find(symbols.names()[*symbol]) : options.symbols.end();
    if (known == options.symbols.end())
      return Error{"symbol '" + (symbol ? symbols.names()[*symbol] : "rows") + "' has no value; pass --dim " +
                   (symbol ? symbols.names()[*symbol] : "rows") + "=N"};
    shapes.back().front() = known->second;
    return {};
  }

  /// How the body uses an input: what it holds decides how long a kernel takes where it says which rows are read.
  static FillRole roleOf(KernelOp kernel, Value input, const std::vector<int64_t> &shape) {
    for (auto [argument, outside] : llvm::zip(kernel.getBody().front().getArguments(), kernel.getInputs())) {
      if (outside != input)
        continue;
      for (Operation *user : argument.getUsers())
        if (std::optional<FillRole> role = roleAsIndex(kernel, argument, user))
          return *role;
      if (AxesAttr axes = axesOf(argument); axes && !isa<IntegerType>(elementTypeOf(argument))) {
        if (axes.areRowsAnd({Axis::Slot}))
          return FillRole::gate();
        // Deviations and weights lie around 1.
        if (!axes.contains(Axis::Row) || axes.areRowsAnd({}))
          return FillRole::normal(1.0, 0.05);
      }
    }
    return FillRole::normal(0.0, 1.0);
  }

  static Type elementTypeOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

  static std::optional<FillRole> roleAsIndex(KernelOp kernel, BlockArgument argument, Operation *user) {
    Value table;
    IndexMap map = IndexMap::Any;
    if (auto gather = dyn_cast<GatherOp>(user); gather && gather.getIndex() == argument) {
      table = gather.getTable();
      map = gather.getIndexMap();
    } else if (auto scatter = dyn_cast<ScatterOp>(user); scatter && scatter.getIndex() == argument) {
      table = scatter.getResult();
      map = scatter.getIndexMap();
    }
    if (!table)
      return std::nullopt;
    FillRole role = FillRole::indices();
    if (map != IndexMap::Any)
      role.kind = FillRole::Kind::Permutation;
    int64_t rows = cast<RankedTensorType>(table.getType()).getShape()[0];
    if (!ShapedType::isDynamic(rows))
      role.rows = rows;
    return role;
  }

  /// The tie of an input of the function to a result of the kernel, or of what a scatter goes into to its result.
  IntegerAttr tieOf(KernelOp kernel, Value input, Builder &builder) const {
    for (auto &[argument, result] : AccessPattern(kernel).tied)
      if (outsideOf(kernel, argument) == input)
        return builder.getI64IntegerAttr(result);
    for (auto [index, yielded] : llvm::enumerate(kernel.getBody().front().getTerminator()->getOperands()))
      if (auto scatter = yielded.getDefiningOp<ScatterOp>())
        if (scatter.getInto() && outsideOf(kernel, scatter.getInto()) == input)
          return builder.getI64IntegerAttr(index);
    return {};
  }

  std::string textOf(KernelOp kernel, ArrayRef<Value> inputs) const {
    OpBuilder builder(kernel.getContext());
    Location loc = kernel.getLoc();
    OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
    if (Attribute target = function->getParentOp()->getAttr(kTargetAttr))
      module->getOperation()->setAttr(kTargetAttr, target);
    builder.setInsertionPointToEnd(module->getBody());
    SmallVector<Type> types;
    for (Value input : inputs)
      types.push_back(input.getType());
    auto type = builder.getFunctionType(types, kernel.getResultTypes());
    auto alone = func::FuncOp::create(builder, loc, "tuned", type);
    Block *block = alone.addEntryBlock();
    IRMapping mapping;
    for (auto [input, argument] : llvm::zip(inputs, block->getArguments())) {
      mapping.map(input, argument);
      if (IntegerAttr tie = tieOf(kernel, input, builder))
        alone.setArgAttr(argument.getArgNumber(), kResultAttr, tie);
    }
    builder.setInsertionPointToEnd(block);
    Operation *copy = builder.clone(*kernel, mapping);
    func::ReturnOp::create(builder, loc, copy->getResults());
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    return text;
  }

  func::FuncOp function;
  const Symbols &symbols;
  const CompileOptions &options;
};

} // namespace

Result<IsolatedKernels> fastnorm::isolateKernels(ModuleOp module, const CompileOptions &options) {
  if (Status lowered = lower(module, options, "fuse"); !lowered)
    return lowered.takeError();
  // With all symbols known one function serves them.
  func::FuncOp function = *module.getOps<func::FuncOp>().begin();
  if (options.alignment == "any")
    function->setAttr(kAlignmentAttr, Builder(module.getContext()).getI64IntegerAttr(1));
  FailureOr<Symbols> symbols = Symbols::of(function);
  if (failed(symbols))
    return Error{"the graph's symbols could not be named"};
  IsolatedKernels isolated;
  KernelIsolation isolation(function, *symbols, options);
  for (KernelOp kernel : function.getBody().getOps<KernelOp>()) {
    // What only fills is quick whatever its schedule.
    if (kernel.getInputs().empty())
      continue;
    if (kernel.getSchedule()) {
      isolated.skipped.push_back(kernel.getName().str() + ": has a schedule in the text");
      continue;
    }
    Result<IsolatedKernel> alone = isolation.isolate(kernel);
    if (!alone)
      return Error{"kernel '" + kernel.getName().str() + "': " + alone.error()};
    if (alone->rows == 0)
      return Error{"expected at least one row to tune with, but kernel '" + alone->name + "' has none"};
    isolated.kernels.push_back(std::move(*alone));
  }
  return isolated;
}
