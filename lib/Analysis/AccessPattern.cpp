//===- AccessPattern.cpp - How a kernel reads and when -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/AccessPattern.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

static Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

int64_t AccessPattern::invariantBytes() const {
  int64_t bytes = 0;
  for (BlockArgument argument : invariants)
    bytes += elementBytes(argument);
  return bytes;
}

int64_t fastnorm::keptWords(const AccessPattern &pattern, ScheduleAttr schedule) {
  int64_t kept = 0;
  for (Value value : pattern.crossing) {
    int64_t packed = llvm::divideCeil(elementBytes(value) * schedule.getVectorWidth(), 4);
    // A vector lies within one group.
    bool isScalar = axesOf(value).contains(Axis::Group);
    kept += isScalar ? 1 : schedule.getKeep() == Keep::Packed ? packed : schedule.getVectorWidth();
  }
  return kept;
}

int64_t fastnorm::lateVectors(const AccessPattern &pattern, ScheduleAttr schedule, int64_t done) {
  int64_t perVector = std::max<int64_t>(1, llvm::divideCeil(pattern.invariantBytes() * schedule.getVectorWidth(), 4));
  bool hasRoom = schedule.getVectorsPerThread() >= 8 && pattern.streamed.size() == 1 && pattern.gathers.empty();
  int64_t ahead = hasRoom ? std::clamp<int64_t>(2 * perVector, 8, 16) : 8;
  int64_t registers = ahead + done * keptWords(pattern, schedule);
  return done + std::max<int64_t>(1, registers / perVector);
}

int64_t fastnorm::elementBytes(Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); }
int64_t fastnorm::elementBytes(Value tensor) { return elementBytes(elementOf(tensor)); }

static bool carries(AxesAttr axes, ArrayRef<Axis> list) { return axes.getAxes() == list; }

bool fastnorm::variesAlongHidden(AxesAttr axes) {
  return axes && (axes.contains(Axis::Hidden) || axes.contains(Axis::Group));
}

AccessPattern::AccessPattern(KernelOp kernel) : kernel(kernel), columns(columnValues(kernel)) {
  Block &block = kernel.getBody().front();
  for (BlockArgument argument : block.getArguments())
    classify(argument);
  for (Operation &op : block.without_terminator())
    visit(&op);
  for (Value result : block.getTerminator()->getOperands())
    if (isScattered(result) || axesOf(result).areRowsAnd({Axis::Hidden}))
      countElement(elementOf(result));
  if (hasGroups && groupSize() == 0)
    unsupported.emplace_back(kernel,
                             "has values with group but none with hidden, whose neighbours a group is; write them in "
                             "one kernel with what they are computed from, or with what reads them");
  else if (hasGroups && (!llvm::isPowerOf2_64(groupSize()) || groupSize() > kMostGroupSize))
    unsupported.emplace_back(kernel, "has groups of " + std::to_string(groupSize()) +
                                         " neighbours of hidden; groups are powers of two up to " +
                                         std::to_string(kMostGroupSize));
  // Rows that are in no memory are computed in f32.
  if (!narrowestBytes)
    countElement(Float32Type::get(kernel.getContext()));
  if (columnHeads > 1)
    checkColumnLayouts();
  placeRows();
  findTied();
  checkAccumulation();
  for (Value value :
       llvm::concat<const Value>(SmallVector<Value>(kernel.getInputs()), SmallVector<Value>(kernel.getResults())))
    if (elementOf(value).isInteger(1))
      unsupported.emplace_back(kernel, "reads or writes i1; i1 can't be stored, only computed");
}

void AccessPattern::countElement(Type type) {
  int64_t bytes = elementBytes(type);
  widestBytes = std::max(widestBytes, bytes);
  narrowestBytes = narrowestBytes ? std::min(narrowestBytes, bytes) : bytes;
}

void AccessPattern::classify(BlockArgument argument) {
  phase[argument] = 0;
  auto type = cast<RankedTensorType>(argument.getType());
  if (isTable(argument)) {
    // What a scatter goes into is in the buffer of its result.
    if (isa<ScatterOp>(*argument.user_begin()))
      return;
    tables.push_back(argument);
    hidden = type.getShape().back();
    return countElement(type.getElementType());
  }
  AxesAttr axes = axesOf(argument);
  if (axes.contains(Axis::Hidden))
    hidden = type.getShape()[*axes.dimensionOf(Axis::Hidden)];
  if (axes.contains(Axis::Slot))
    slots = type.getShape()[*axes.dimensionOf(Axis::Slot)];
  countGroups(argument);
  if (axes.areRowsAnd({Axis::Hidden})) {
    streamed.push_back(argument);
    countElement(type.getElementType());
  } else if (carries(axes, {Axis::Hidden}) || carries(axes, {Axis::Head, Axis::Hidden})) {
    bool onlyAfterRows =
        llvm::all_of(argument.getUsers(), [&](Operation *user) { return columns.contains(user->getResult(0)); });
    (onlyAfterRows ? columnOperands : invariants).push_back(argument);
  } else if (axes.areRowsAnd({}) || carries(axes, {Axis::Head})) {
    rowScalars.push_back(argument);
  } else if (axes.areRowsAnd({Axis::Slot})) {
    slotScalars.push_back(argument);
  } else if (axes.areRowsAnd({Axis::Group})) {
    groupScalars.push_back(argument);
  } else {
    unsupported.emplace_back(kernel, "reads an input with axes " + axes.str() +
                                         "; inputs may have [row, hidden], [head, hidden], [hidden], [row], [head], "
                                         "[row, slot] or [row, group]");
  }
}

void AccessPattern::countGroups(Value value) {
  AxesAttr axes = axesOf(value);
  if (!axes.contains(Axis::Group))
    return;
  hasGroups = true;
  groups = cast<RankedTensorType>(value.getType()).getShape()[*axes.dimensionOf(Axis::Group)];
}

SmallVector<int64_t> AccessPattern::rowSumsOf(int64_t phase) const {
  SmallVector<int64_t> numbers;
  for (auto [number, sum] : llvm::enumerate(rowSums))
    if (phaseOfOp(sum.reduce) == phase)
      numbers.push_back(static_cast<int64_t>(number));
  return numbers;
}

int64_t AccessPattern::phaseOfOp(Operation *op) const {
  int64_t latest = 0;
  for (Value operand : op->getOperands())
    latest = std::max(latest, phaseOf(operand));
  return latest;
}

/// The heads of all column reductions are the same: each of a kernel's CTAs has rows of one.
void AccessPattern::visitColumnReduction(ReduceOp reduce) {
  AxesAttr axes = reduce.getOperandAxes();
  if (!axes.areRowsAnd({Axis::Hidden}))
    unsupported.emplace_back(reduce, "reduces rows of a value with axes " + axes.str() +
                                         "; only [row, hidden] can be reduced over rows");
  int64_t heads = 1;
  if (reduce.getResultAxes().contains(Axis::Head))
    heads = cast<RankedTensorType>(reduce.getInput().getType()).getShape()[*axes.dimensionOf(Axis::Head)];
  if (!columnReductions.empty() && heads != columnHeads)
    unsupported.emplace_back(reduce, "keeps " + std::to_string(heads) +
                                         " heads of its sums over rows apart, where another reduction of the kernel "
                                         "keeps " +
                                         std::to_string(columnHeads));
  columnHeads = heads;
  columnReductions.push_back(reduce);
}

/// What goes with sums over rows is found by its element's number.
void AccessPattern::checkColumnLayouts() {
  SmallVector<Value> values(columnOperands.begin(), columnOperands.end());
  llvm::append_range(values, kernel.getBody().front().getTerminator()->getOperands());
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    bool isOfColumns = !isa<OpResult>(value) || columns.contains(value);
    if (isOfColumns && type.getRank() == 2 && stridesOf(type)[0] != hidden)
      unsupported.emplace_back(kernel,
                               "expects what it adds to sums over rows, and their results, to have heads side by "
                               "side, " +
                                   std::to_string(hidden) + " elements apart");
  }
}

void AccessPattern::visit(Operation *op) {
  int64_t opPhase = phaseOfOp(op);
  for (Value operand : op->getOperands()) {
    AxesAttr axes = axesOf(operand);
    bool isKept = axes && (axes.areRowsAnd({Axis::Hidden}) || axes.areRowsAnd({Axis::Group}));
    if (isKept && phaseOf(operand) < opPhase)
      crossing.insert(operand);
  }
  auto reduce = dyn_cast<ReduceOp>(op);
  // The threads of a group meet by shuffles; those of a row end the phase.
  bool endsPhase = reduce && reduce.getAxis() == Axis::Hidden && !reduce.getGroup();
  for (Value result : op->getResults())
    phase[result] = opPhase + endsPhase;
  if (endsPhase)
    countRowSums(reduce);
  if (reduce)
    visitReduction(reduce);
  if (auto gather = dyn_cast<GatherOp>(op)) {
    bool hasSlots = axesOf(gather.getResult()).contains(Axis::Slot);
    (hasSlots ? gathers : rowGathers).push_back(gather);
    if (!isa<BlockArgument>(gather.getIndex()))
      unsupported.emplace_back(op, "gathers with an index that the kernel computes");
  }
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return visitScatter(scatter);
  for (Value result : op->getResults())
    visitResult(result);
}

void AccessPattern::countRowSums(ReduceOp reduce) {
  rowReductions.push_back(reduce);
  phases = std::max(phases, phaseOf(reduce.getResult()) + 1);
  bool hasSlots = reduce.getOperandAxes().contains(Axis::Slot);
  int64_t count = hasSlots ? cast<RankedTensorType>(reduce.getResult().getType()).getShape().back() : 1;
  for (int64_t slot = 0; slot < count; ++slot)
    rowSums.push_back({reduce, slot});
}

void AccessPattern::visitReduction(ReduceOp reduce) {
  if (isColumnReduction(reduce))
    return visitColumnReduction(reduce);
  AxesAttr axes = reduce.getOperandAxes();
  bool hasSlots = axes.areRowsAnd({Axis::Slot, Axis::Hidden});
  if (reduce.getAxis() != Axis::Hidden) {
    if (!hasSlots)
      unsupported.emplace_back(reduce, "reduces slot of a value with axes " + axes.str() +
                                           "; only [row, slot, hidden] can be reduced over slot");
  } else if (!axes.areRowsAnd({Axis::Hidden}) && (reduce.getGroup() || !hasSlots)) {
    unsupported.emplace_back(reduce, "reduces hidden of a value with axes " + axes.str() +
                                         "; only [row, hidden] and, as a whole, [row, slot, hidden] can be reduced "
                                         "over hidden");
  }
}

void AccessPattern::visitResult(Value result) {
  Operation *op = result.getDefiningOp();
  AxesAttr axes = axesOf(result);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(result.getType()).getShape();
  if (axes.contains(Axis::Slot))
    slots = shape[*axes.dimensionOf(Axis::Slot)];
  if (axes.contains(Axis::Hidden))
    hidden = shape[*axes.dimensionOf(Axis::Hidden)];
  countGroups(result);
  if (axes.contains(Axis::Group) && !axes.areRowsAnd({Axis::Group}))
    unsupported.emplace_back(op, "computes a value with axes " + axes.str() + "; groups go with [row, group]");
  if (axes.contains(Axis::Slot) && !axes.contains(Axis::Row))
    unsupported.emplace_back(op, "computes a value with axes " + axes.str() + ", which no schedule places");
  if (axes.contains(Axis::Slot) && axes.contains(Axis::Hidden) && phaseOf(result) > 0)
    unsupported.emplace_back(op, "computes slots after a row reduction, which no schedule places");
}

void AccessPattern::visitScatter(ScatterOp scatter) {
  hidden = cast<RankedTensorType>(scatter.getResult().getType()).getShape().back();
  if (!isa<BlockArgument>(scatter.getIndex()))
    unsupported.emplace_back(scatter, "scatters by an index that the kernel computes");
  if (scatter.getIndexMap() == IndexMap::Injective && !scatter.getInto())
    unsupported.emplace_back(scatter,
                             "scatters to some rows of its result and goes into nothing that has the others; run "
                             "fastnorm-decompose");
  if (!scatter.getResult().use_empty())
    scatters.push_back(scatter);
}

ScatterOp AccessPattern::accumulatingScatter() const {
  auto found = llvm::find_if(scatters, [](ScatterOp scatter) { return scatter.accumulates(); });
  return found == scatters.end() ? ScatterOp() : *found;
}

/// Slots that name one row are found by their place, and what they add is computed there.
void AccessPattern::checkAccumulation() {
  ScatterOp scatter = accumulatingScatter();
  if (!scatter)
    return;
  bool hasSlots = cast<RankedTensorType>(scatter.getIndex().getType()).getRank() > 1;
  auto needsAllSlots = [&](ReduceOp reduce) { return hasSlots || reduce.getAxis() != Axis::Slot; };
  if (kernel.getNumResults() != 1 || llvm::any_of(kernel.getBody().getOps<ReduceOp>(), needsAllSlots))
    unsupported.emplace_back(scatter,
                             "adds up slots that name one row in a kernel that also reduces, or has other "
                             "results; compute those in a kernel of their own, or promise index_map injective");
}
