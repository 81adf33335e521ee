//===- KernelInterface.cpp - Arguments of a generated kernel -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelInterface.h"

#include "fastnorm/Analysis/RowLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Global memory as kernels see it: one element, the rest by arithmetic.
static MemRefType pointerType(Value value) {
  Type element = tensorOf(value).getElementType();
  return MemRefType::get({1}, element, MemRefLayoutAttrInterface(), Builder(element.getContext()).getI64IntegerAttr(1));
}

bool KernelInterface::needsRows(const AccessPattern &pattern, ScheduleAttr schedule) {
  int64_t outer = rowDimensionsOf(pattern.kernel).front();
  int64_t rows = ShapedType::isDynamic(outer) ? innerRowsOf(pattern.kernel) : outer * innerRowsOf(pattern.kernel);
  return schedule.isPersistent() || pattern.accumulatingScatter() || rows % schedule.getRowsPerCta() != 0 ||
         (ShapedType::isDynamic(outer) && schedule.getRowsPerCta() > 1);
}

SmallVector<std::pair<Value, int64_t>> KernelInterface::runTimeStrides(const AccessPattern &pattern) {
  SmallVector<std::pair<Value, int64_t>> strides;
  Block &body = pattern.kernel.getBody().front();
  SmallVector<Value> operands(body.getArguments());
  llvm::append_range(operands, body.getTerminator()->getOperands());
  for (Value operand : operands) {
    RowLayout layout = RowLayout::of(pattern.kernel, operand);
    for (RowStride stride : {layout.outer, layout.inner})
      if (ShapedType::isDynamic(stride.elements))
        strides.emplace_back(operand, stride.dimension);
  }
  return strides;
}

/// The tables of gathers and the results of scatters, whose rows an index names.
static SmallVector<Value> indexedTables(const AccessPattern &pattern) {
  SmallVector<Value> tables(pattern.tables.begin(), pattern.tables.end());
  for (ScatterOp scatter : pattern.scatters)
    tables.push_back(scatter.getResult());
  return tables;
}

SmallVector<SmallVector<Value>> KernelInterface::tablesByRows(const AccessPattern &pattern, const Symbols &symbols) {
  llvm::MapVector<int64_t, SmallVector<Value>> bySymbol;
  for (Value table : indexedTables(pattern))
    if (std::optional<int64_t> symbol = symbols.rowsOf(outsideOf(pattern.kernel, table)))
      bySymbol[*symbol].push_back(table);
  return llvm::map_to_vector(bySymbol, [](auto &entry) { return entry.second; });
}

KernelInterface::KernelInterface(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                                 StringRef name, const Symbols &symbols) {
  KernelOp kernel = pattern.kernel;
  Location loc = kernel.getLoc();
  Block &body = kernel.getBody().front();

  SmallVector<Type> types;
  for (BlockArgument argument : body.getArguments())
    types.push_back(pointerType(argument));
  for (Value result : kernel.getResults())
    types.push_back(pointerType(result));
  bool hasRowSums = schedule.getScope() == RowScope::Grid && !pattern.rowReductions.empty();
  bool hasColumnSums = !pattern.columnReductions.empty() && !schedule.addsAtomically();
  types.append(hasRowSums + hasColumnSums,
               MemRefType::get({1}, builder.getF32Type(), MemRefLayoutAttrInterface(), builder.getI64IntegerAttr(1)));
  if (pattern.accumulatingScatter())
    types.append(2,
                 MemRefType::get({1}, builder.getI64Type(), MemRefLayoutAttrInterface(), builder.getI64IntegerAttr(1)));
  if (needsRows(pattern, schedule))
    types.push_back(builder.getI64Type());
  SmallVector<SmallVector<Value>> dynamicTables = tablesByRows(pattern, symbols);
  types.append(dynamicTables.size(), builder.getI64Type());
  types.append(runTimeStrides(pattern).size(), builder.getI64Type());

  SmallVector<Type> workgroup;
  if (int64_t slots = fastnorm::reductionSlots(pattern, schedule))
    workgroup.push_back(
        MemRefType::get({slots}, builder.getF32Type(), MemRefLayoutAttrInterface(), builder.getI64IntegerAttr(3)));

  function = gpu::GPUFuncOp::create(builder, loc, name, builder.getFunctionType(types, {}), workgroup);
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr({static_cast<int32_t>(schedule.getThreads()), 1, 1}));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(schedule.getMinCtas()));
  if (schedule.getClusterCtas() > 1)
    function.setKnownClusterSizeAttr(
        builder.getDenseI32ArrayAttr({static_cast<int32_t>(schedule.getClusterCtas()), 1, 1}));

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  auto i64Constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  unsigned next = 0;
  // What shares its buffer with another is neither alone nor only read: no load moves past the store.
  auto describePointer = [&](unsigned index, bool readonly, bool shared = false) {
    Type element = cast<MemRefType>(function.getArgument(index).getType()).getElementType();
    int64_t alignment = pattern.alignment == 1 ? elementBytes(element) : pattern.alignment;
    if (!shared)
      function.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(alignment));
    if (readonly && !shared)
      function.setArgAttr(index, LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
  };
  for (BlockArgument argument : body.getArguments()) {
    bool isInto = isTable(argument) && !llvm::is_contained(pattern.tables, argument);
    bool shared = isInto || llvm::any_of(pattern.tied, [&](auto tie) { return tie.first == argument; });
    describePointer(next, /*readonly=*/true, shared);
    inputPointers[argument] = function.getArgument(next++);
  }
  for (unsigned index = 0; index < kernel.getNumResults(); ++index) {
    bool shared = llvm::any_of(pattern.tied, [&](auto tie) { return tie.second == index; });
    describePointer(next, /*readonly=*/false, shared);
    resultPointers.push_back(function.getArgument(next++));
  }
  if (hasRowSums) {
    describePointer(next, /*readonly=*/false);
    rowSums = function.getArgument(next++);
  }
  if (hasColumnSums) {
    describePointer(next, /*readonly=*/false);
    columnSums = function.getArgument(next++);
  }
  if (pattern.accumulatingScatter())
    for (Value *list : {&listHeads, &listLinks}) {
      describePointer(next, /*readonly=*/false);
      *list = function.getArgument(next++);
    }
  if (needsRows(pattern, schedule))
    rows = function.getArgument(next++);
  for (Value table : indexedTables(pattern))
    if (!tensorOf(table).isDynamicDim(0))
      tableRows[table] = i64Constant(tensorOf(table).getShape()[0]);
  for (ArrayRef<Value> tables : dynamicTables) {
    for (Value table : tables)
      tableRows[table] = function.getArgument(next);
    ++next;
  }
  for (auto stride : runTimeStrides(pattern))
    strides[stride] = function.getArgument(next++);
  if (!workgroup.empty()) {
    reductionSlots = function.getWorkgroupAttributions()[0];
    function.setWorkgroupAttributionAttr(0, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(16));
  }
  gpu::ReturnOp::create(builder, loc);
}
