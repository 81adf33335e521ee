//===- HostFunction.cpp - What runs around the kernels -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostFunction.h"
#include "PartialsLayout.h"
#include "RowPosition.h"

#include "fastnorm/Analysis/RowLayout.h"
#include "fastnorm/Analysis/SharedLayout.h"
#include "fastnorm/Conversion/LaunchAttributes.h"
#include "fastnorm/Plan/Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fastnorm;

static MemRefType bufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  MemRefLayoutAttrInterface layout;
  if (tensor.getEncoding())
    layout = StridedLayoutAttr::get(type.getContext(), /*offset=*/0, stridesOf(tensor));
  return MemRefType::get(tensor.getShape(), tensor.getElementType(), layout,
                         Builder(type.getContext()).getI64IntegerAttr(1));
}

/// The attributes of a graph's argument: `fastnorm.result` says there what `fastnorm.tied` says of a lowered function.
static DictionaryAttr lowered(DictionaryAttr attributes) {
  NamedAttrList list(attributes);
  if (Attribute tie = list.erase(kResultAttr))
    list.set(kTiedAttr, tie);
  return list.getDictionary(attributes.getContext());
}

static bool hasPersistentKernels(func::FuncOp graph) {
  return llvm::any_of(graph.getBody().getOps<KernelOp>(),
                      [](KernelOp kernel) { return kernel.getSchedule()->isPersistent(); });
}

HostFunction::HostFunction(OpBuilder &builder, func::FuncOp graph, const Symbols &symbols)
    : builder(builder), loc(graph.getLoc()), symbols(symbols) {
  SmallVector<Type> types;
  for (Type type : llvm::concat<const Type>(graph.getArgumentTypes(), graph.getResultTypes()))
    types.push_back(bufferType(type));
  bool hasLimit = hasPersistentKernels(graph);
  if (hasLimit)
    types.push_back(builder.getIndexType());
  auto host = func::FuncOp::create(builder, loc, graph.getName(), builder.getFunctionType(types, {}));
  for (StringRef name : {kRangesAttr, kAlignmentAttr, kVariantOfAttr})
    if (Attribute value = graph->getAttr(name))
      host->setAttr(name, value);
  for (unsigned index = 0; index < graph.getNumArguments(); ++index)
    host.setArgAttrs(index, lowered(graph.getArgAttrDict(index)));
  for (unsigned index = 0; index < graph.getNumResults(); ++index) {
    unsigned argument = graph.getNumArguments() + index;
    host.setArgAttrs(argument, graph.getResultAttrDict(index));
    host.setArgAttr(argument, kResultAttr, builder.getI64IntegerAttr(index));
  }
  if (hasLimit)
    host.setArgAttr(types.size() - 1, kNameAttr, builder.getStringAttr(kSmLimitSymbol));
  Block *body = host.addEntryBlock();
  if (hasLimit)
    smLimit = body->getArguments().back();
  builder.setInsertionPointToStart(body);
  auto end = func::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(end);

  Operation *returned = graph.getBody().front().getTerminator();
  SmallVector<Value> bound(graph.getArguments().begin(), graph.getArguments().end());
  llvm::append_range(bound, returned->getOperands());
  symbolValues.resize(symbols.names().size());
  for (auto [value, argument] : llvm::zip(bound, body->getArguments())) {
    buffers[value] = argument;
    std::optional<int64_t> symbol = symbols.rowsOf(value);
    if (symbol && !symbolValues[*symbol])
      symbolValues[*symbol] = memref::DimOp::create(builder, loc, argument, constant(0));
  }
  shareScattered(graph);
}

void HostFunction::shareScattered(func::FuncOp graph) {
  // From the last on: what one goes into may be the result of another.
  SmallVector<KernelOp> kernels(graph.getBody().getOps<KernelOp>());
  for (KernelOp kernel : llvm::reverse(kernels))
    for (auto [into, result] : kernel.getEqualTables())
      buffers[into] = bufferOf(result);
}

Value HostFunction::constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

Value HostFunction::rowsOf(Value value) {
  std::optional<int64_t> symbol = symbols.rowsOf(value);
  return symbol ? symbolValues[*symbol] : constant(cast<RankedTensorType>(value.getType()).getShape()[0]);
}

/// A value that no one bound passes between kernels.
Value HostFunction::bufferOf(Value value) {
  Value &buffer = buffers[value];
  if (!buffer) {
    SmallVector<Value> sizes;
    if (symbols.rowsOf(value))
      sizes.push_back(rowsOf(value));
    buffer = memref::AllocOp::create(builder, loc, bufferType(value.getType()), sizes);
  }
  return buffer;
}

Value HostFunction::strideOf(Value value, int64_t dimension) {
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, bufferOf(value));
  return metadata.getStrides()[dimension];
}

Value HostFunction::pointerTo(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto pointer = MemRefType::get({1}, type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(builder, loc, pointer, buffer, /*offset=*/0, ArrayRef<int64_t>{1},
                                           ArrayRef<int64_t>{1});
}

Value HostFunction::asI64(Value index) { return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index); }

Value HostFunction::rowsOf(KernelOp kernel) {
  Value rows = rowsOf(rowOperand(kernel));
  if (int64_t inner = innerRowsOf(kernel); inner > 1)
    rows = arith::MulIOp::create(builder, loc, rows, constant(inner));
  return rows;
}

Value HostFunction::clustersOf(const AccessPattern &pattern, ScheduleAttr schedule, bool isLimited) {
  Value clusters = rowsOf(pattern.kernel);
  // Tiles are as high as leaves each cluster one.
  if (schedule.getRowsAtOnce() > 1)
    clusters = arith::CeilDivUIOp::create(builder, loc, clusters, constant(schedule.getRowsAtOnce()));
  if (!schedule.isPersistent())
    return clusters;
  clusters = arith::MinUIOp::create(builder, loc, clusters, constant(persistentClusters(schedule)));
  if (isLimited) {
    // A multiprocessor has min_ctas CTAs; one cluster runs, however few it may fill.
    Value ctas = arith::MulIOp::create(builder, loc, smLimit, constant(schedule.getMinCtas()));
    Value most = arith::DivUIOp::create(builder, loc, ctas, constant(schedule.getCtasPerRow()));
    most = arith::MaxUIOp::create(builder, loc, most, constant(1));
    clusters = arith::MinUIOp::create(builder, loc, clusters, most);
  }
  if (pattern.columnHeads == 1)
    return clusters;
  return arith::MulIOp::create(builder, loc, clustersOfHead(clusters, pattern.columnHeads),
                               constant(pattern.columnHeads));
}

/// How many of as many clusters work on rows of one head: one at least, but of no rows none.
Value HostFunction::clustersOfHead(Value clusters, int64_t heads) {
  Value some = arith::MinUIOp::create(builder, loc, clusters, constant(1));
  Value whole = arith::DivUIOp::create(builder, loc, clusters, constant(heads));
  return arith::MaxUIOp::create(builder, loc, whole, some);
}

/// Sets of partials that the clusters leave.
Value HostFunction::setsOf(const AccessPattern &pattern, ScheduleAttr schedule, bool isLimited) {
  Value clusters = clustersOf(pattern, schedule, isLimited);
  if (pattern.columnHeads == 1)
    return clusters;
  return arith::DivUIOp::create(builder, loc, clusters, constant(pattern.columnHeads));
}

Value HostFunction::gridOf(const AccessPattern &pattern, ScheduleAttr schedule) {
  Value grid = clustersOf(pattern, schedule, /*isLimited=*/true);
  int64_t ctas = ctasAlongRow(pattern, schedule);
  return ctas > 1 ? arith::MulIOp::create(builder, loc, grid, constant(ctas)).getResult() : grid;
}

Value HostFunction::slotsOf(const AccessPattern &pattern) {
  return arith::MulIOp::create(builder, loc, rowsOf(pattern.kernel), constant(pattern.slots));
}

Value HostFunction::gridOf(const AccessPattern &pattern, ScheduleAttr schedule, AccumulationStep step) {
  KernelOp kernel = pattern.kernel;
  bool isOfRows = step == AccumulationStep::Clear || step == AccumulationStep::AddUp;
  bool isOfSlots = step != AccumulationStep::AddUp;
  Value items = isOfRows ? rowsOf(kernel.getResult(0)) : slotsOf(pattern);
  if (isOfRows && isOfSlots)
    items = arith::MaxUIOp::create(builder, loc, items, slotsOf(pattern));
  int64_t perCta = step == AccumulationStep::AddUp ? schedule.getRowsPerCta() : schedule.getThreads();
  Value ctas = arith::CeilDivUIOp::create(builder, loc, items, constant(perCta));
  int64_t alongRow = step == AccumulationStep::AddUp ? ctasAlongRow(pattern, schedule) : 1;
  return arith::MulIOp::create(builder, loc, ctas, constant(alongRow));
}

std::pair<Value, Value> HostFunction::listsOf(const AccessPattern &pattern) {
  auto [entry, isNew] = lists.try_emplace(pattern.kernel);
  if (!isNew)
    return entry->second;
  KernelOp kernel = pattern.kernel;
  auto allocate = [&](Value count) -> Value {
    auto type = MemRefType::get({2, ShapedType::kDynamic}, builder.getI64Type(), MemRefLayoutAttrInterface(),
                                builder.getI64IntegerAttr(1));
    return memref::AllocOp::create(builder, loc, type, count);
  };
  Value heads = allocate(rowsOf(kernel.getResult(0)));
  Value links = allocate(slotsOf(pattern));
  return lists[kernel] = {heads, links};
}

Value HostFunction::rowSumsOf(const AccessPattern &pattern, ScheduleAttr schedule) {
  Value &buffer = rowSums[pattern.kernel];
  if (buffer)
    return buffer;
  KernelOp kernel = pattern.kernel;
  Value result = rowOperand(kernel);
  int64_t rows = cast<RankedTensorType>(result.getType()).getShape()[0];
  int64_t sums = innerRowsOf(kernel) * static_cast<int64_t>(pattern.rowSums.size());
  auto type = MemRefType::get({rows, sums, schedule.getCtasPerRow()}, builder.getF32Type(), MemRefLayoutAttrInterface(),
                              builder.getI64IntegerAttr(1));
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(rows))
    sizes.push_back(rowsOf(result));
  return buffer = memref::AllocOp::create(builder, loc, type, sizes);
}

/// Room for the sets of all clusters that the rows leave work for, whatever the SM limit.
Value HostFunction::columnSumsOf(const AccessPattern &pattern, ScheduleAttr schedule) {
  KernelOp kernel = pattern.kernel;
  Value &buffer = columnSums[kernel];
  if (buffer)
    return buffer;
  PartialsLayout layout(pattern, schedule);
  int64_t rows = cast<RankedTensorType>(rowOperand(kernel).getType()).getShape()[0];
  int64_t sets = ShapedType::kDynamic;
  if (!ShapedType::isDynamic(rows))
    sets = std::min<int64_t>(llvm::divideCeil(rows * innerRowsOf(kernel), schedule.getRowsAtOnce()),
                             persistentClusters(schedule));
  if (!ShapedType::isDynamic(sets))
    sets = std::max(sets / pattern.columnHeads, std::min<int64_t>(sets, 1));
  auto type = MemRefType::get({sets, layout.chunks, layout.reductions, layout.chunk}, builder.getF32Type(),
                              MemRefLayoutAttrInterface(), builder.getI64IntegerAttr(1));
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(sets))
    sizes.push_back(setsOf(pattern, schedule, /*isLimited=*/false));
  return buffer = memref::AllocOp::create(builder, loc, type, sizes);
}

void HostFunction::addLaunch(const AccessPattern &pattern, ScheduleAttr schedule, const KernelInterface &interface,
                             int64_t phase) {
  KernelOp kernel = pattern.kernel;
  SmallVector<Value> operands;
  for (Value value :
       llvm::concat<Value>(SmallVector<Value>(kernel.getInputs()), SmallVector<Value>(kernel.getResults())))
    operands.push_back(pointerTo(bufferOf(value)));
  if (interface.rowSums)
    operands.push_back(pointerTo(rowSumsOf(pattern, schedule)));
  if (interface.columnSums)
    operands.push_back(pointerTo(columnSumsOf(pattern, schedule)));
  if (interface.listHeads)
    for (Value list : {listsOf(pattern).first, listsOf(pattern).second})
      operands.push_back(pointerTo(list));
  if (KernelInterface::needsRows(pattern, schedule))
    operands.push_back(asI64(rowsOf(kernel)));
  for (ArrayRef<Value> tables : KernelInterface::tablesByRows(pattern, symbols))
    operands.push_back(asI64(rowsOf(outsideOf(kernel, tables.front()))));
  for (auto [value, dimension] : KernelInterface::runTimeStrides(pattern))
    operands.push_back(asI64(strideOf(outsideOf(kernel, value), dimension)));

  auto step = static_cast<AccumulationStep>(phase);
  Value grid = interface.listHeads ? gridOf(pattern, schedule, step) : gridOf(pattern, schedule);
  LaunchShape shape{grid, schedule.getThreads(), schedule.getClusterCtas()};
  if (schedule.isPersistent())
    shape.dynamicSharedBytes = SharedLayout(pattern, schedule).totalBytes;
  Traffic traffic = schedule.getScope() == RowScope::Grid ? Traffic(pattern, phase, schedule.getCtasPerRow())
                                                          : Traffic::ofRows(pattern);
  // Lists need not leave the caches.
  if (interface.listHeads && step != AccumulationStep::AddUp)
    traffic = Traffic();
  launch(pattern, schedule, interface.function, shape, operands, traffic, interface.isDependent);
}

void HostFunction::addFill(const AccessPattern &pattern, ScheduleAttr schedule, const FillInterface &interface) {
  KernelOp kernel = pattern.kernel;
  SmallVector<Value> operands;
  Traffic traffic;
  for (const PlainColumnSum &sum : interface.sums) {
    if (sum.old) {
      operands.push_back(pointerTo(bufferOf(kernel.getInputs()[sum.old.getArgNumber()])));
      traffic.read.fixed += pattern.columnHeads * pattern.hidden * 4;
    }
    operands.push_back(pointerTo(bufferOf(kernel.getResult(sum.result))));
    traffic.written.fixed += pattern.columnHeads * pattern.hidden * 4;
  }
  launch(pattern, schedule, interface.function, {constant(interface.ctas), kFillThreads}, operands, traffic,
         interface.isDependent);
}

void HostFunction::addFinalize(const AccessPattern &pattern, ScheduleAttr schedule,
                               const FinalizeInterface &interface) {
  KernelOp kernel = pattern.kernel;
  SmallVector<Value> operands;
  for (BlockArgument input : interface.inputs)
    operands.push_back(pointerTo(bufferOf(kernel.getInputs()[input.getArgNumber()])));
  for (unsigned result : interface.results)
    operands.push_back(pointerTo(bufferOf(kernel.getResult(result))));
  Value fewer = fewerPartials.lookup(kernel);
  operands.push_back(pointerTo(fewer ? fewer : columnSumsOf(pattern, schedule)));
  Traffic traffic;
  if (interface.leavesPartials) {
    PartialsLayout layout(pattern, schedule);
    auto type = MemRefType::get({finalizeSplits(pattern, schedule), layout.chunks, layout.reductions, layout.chunk},
                                builder.getF32Type(), MemRefLayoutAttrInterface(), builder.getI64IntegerAttr(1));
    fewerPartials[kernel] = memref::AllocOp::create(builder, loc, type);
    operands.push_back(pointerTo(fewerPartials[kernel]));
  } else {
    traffic = Traffic::ofColumns(pattern);
  }
  operands.push_back(
      asI64(fewer ? constant(finalizeSplits(pattern, schedule)) : setsOf(pattern, schedule, /*isLimited=*/true)));
  launch(pattern, schedule, interface.function, {constant(interface.ctas), kFinalizeThreads}, operands, traffic,
         interface.isDependent);
}

void HostFunction::launch(const AccessPattern &pattern, ScheduleAttr schedule, gpu::GPUFuncOp function,
                          const LaunchShape &shape, ValueRange operands, const Traffic &traffic, bool isDependent) {
  Value one = constant(1);
  std::optional<gpu::KernelDim3> cluster;
  if (shape.clusterCtas > 1)
    cluster = gpu::KernelDim3{constant(shape.clusterCtas), one, one};
  Value sharedBytes;
  if (shape.dynamicSharedBytes > 0)
    sharedBytes = arith::ConstantOp::create(builder, loc,
                                            builder.getI32IntegerAttr(static_cast<int32_t>(shape.dynamicSharedBytes)));
  auto launch = gpu::LaunchFuncOp::create(builder, loc, function, gpu::KernelDim3{shape.grid, one, one},
                                          gpu::KernelDim3{constant(shape.threads), one, one}, sharedBytes, operands,
                                          /*asyncTokenType=*/Type(), /*asyncDependencies=*/{}, cluster);
  launch->setAttr(kLaunchScheduleAttr, schedule);
  if (isDependent)
    launch->setAttr(kLaunchDependentAttr, builder.getUnitAttr());
  launch->setAttr(kReadBytesAttr, builder.getDenseI64ArrayAttr({traffic.read.fixed, traffic.read.perRow}));
  launch->setAttr(kWrittenBytesAttr, builder.getDenseI64ArrayAttr({traffic.written.fixed, traffic.written.perRow}));
  Value rows = rowOperand(pattern.kernel);
  std::optional<int64_t> symbol = symbols.rowsOf(rows);
  launch->setAttr(kLaunchRowsAttr,
                  symbol ? Attribute(builder.getStringAttr(symbols.names()[*symbol]))
                         : builder.getI64IntegerAttr(cast<RankedTensorType>(rows.getType()).getShape()[0]));
}
