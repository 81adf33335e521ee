//===- AccessPattern.cpp - How a kernel reads and when -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/AccessPattern.h"

#include "fastnorm/Analysis/RowLayout.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
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
  if (hasGroups && hidden == 0)
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

int64_t AccessPattern::coveredColumns(ScheduleAttr schedule) const {
  // Vectors of groups begin with their groups, shifted or not.
  return isShifted(schedule) && !hasGroups ? hidden + schedule.getVectorWidth() - 1 : hidden;
}

int64_t AccessPattern::columnChunks(ScheduleAttr schedule) const {
  return llvm::divideCeil(coveredColumns(schedule), schedule.getColumnChunk());
}

Value AccessPattern::anchor() const {
  for (Value yielded : kernel.getBody().front().getTerminator()->getOperands())
    if (!isScattered(yielded) && axesOf(yielded).areRowsAnd({Axis::Hidden}))
      return yielded;
  return streamed.empty() ? Value() : Value(streamed.front());
}

bool AccessPattern::liesAsAnchor(Value value, ScheduleAttr schedule) const {
  Value other = anchor();
  if (!other || hasGroups || isTable(value))
    return false;
  if (value == other)
    return true;
  // Columns between aligned places; bases that are multiples of 16 bytes are such places.
  auto period = [&](Value operand) { return std::min<int64_t>(schedule.getVectorWidth(), 16 / elementBytes(operand)); };
  if (alignment < 16 || period(value) > period(other))
    return false;
  auto isCongruent = [&](RowStride left, RowStride right) {
    // Those known at run time are multiples of 16 bytes.
    auto past = [](RowStride stride) { return ShapedType::isDynamic(stride.elements) ? 0 : stride.elements; };
    return (past(left) - past(right)) % period(value) == 0;
  };
  RowLayout own = RowLayout::of(kernel, value), others = RowLayout::of(kernel, other);
  return own.innerRows == others.innerRows && isCongruent(own.outer, others.outer) &&
         isCongruent(own.inner, others.inner);
}

/// How far apart rows may be for vectors to be aligned in all of them.
void AccessPattern::placeRows() {
  Block &block = kernel.getBody().front();
  if (auto function = kernel->getParentOfType<FunctionOpInterface>())
    if (auto given = function->getAttrOfType<IntegerAttr>(kAlignmentAttr))
      alignment = given.getInt();
  alignedElements = int64_t(1) << llvm::countr_zero(static_cast<uint64_t>(hidden));
  SmallVector<Value> operands(block.getArguments());
  llvm::append_range(operands, block.getTerminator()->getOperands());
  for (Value value : operands) {
    AxesAttr axes = axesOf(value);
    RowLayout layout = RowLayout::of(kernel, value);
    if (!layout.reachesAllRows)
      unsupported.emplace_back(kernel, "reads rows of axes " + axes.str() + " that two strides do not reach");
    if (axes && !axes.contains(Axis::Hidden))
      continue;
    int64_t bytes = elementBytes(value);
    int64_t aligned = layout.alignmentBytes(bytes, alignment);
    if (aligned < 16)
      alignedElements = std::min(alignedElements, std::max<int64_t>(1, aligned / bytes));
  }
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

int64_t AccessPattern::phaseOfOp(Operation *op) const {
  int64_t latest = 0;
  for (Value operand : op->getOperands())
    latest = std::max(latest, phaseOf(operand));
  return latest;
}

llvm::DenseSet<Value> AccessPattern::neededIn(int64_t phase) const {
  SmallVector<Value> values;
  for (ReduceOp reduce : llvm::concat<const ReduceOp>(rowReductions, columnReductions))
    if (phaseOfOp(reduce) == phase)
      values.push_back(reduce.getInput());
  for (Value result : kernel.getBody().front().getTerminator()->getOperands())
    if (phaseOf(result) == phase && !columns.contains(result))
      values.push_back(isScattered(result) ? result.getDefiningOp<ScatterOp>().getRows() : result);
  return neededFor(values);
}

llvm::DenseSet<Value> AccessPattern::neededOrKeptIn(int64_t phase) const {
  SmallVector<Value> values;
  for (Value value : crossing)
    if (phaseOf(value) == phase && !isa<BlockArgument>(value))
      values.push_back(value);
  llvm::DenseSet<Value> needed = neededFor(values);
  for (Value value : neededIn(phase))
    needed.insert(value);
  return needed;
}

llvm::DenseSet<Value> AccessPattern::neededForRowReductions(int64_t phase) const {
  SmallVector<Value> values;
  for (ReduceOp reduce : rowReductions)
    if (phaseOfOp(reduce) == phase)
      values.push_back(reduce.getInput());
  return neededFor(values);
}

llvm::DenseSet<Value> AccessPattern::neededForOutputs() const {
  SmallVector<Value> values;
  for (ReduceOp reduce : columnReductions)
    values.push_back(reduce.getInput());
  for (Value result : kernel.getBody().front().getTerminator()->getOperands())
    if (!columns.contains(result))
      values.push_back(isScattered(result) ? result.getDefiningOp<ScatterOp>().getRows() : result);
  return neededFor(values);
}

/// Values that vary along hidden and that others are computed from, themselves included.
llvm::DenseSet<Value> AccessPattern::neededFor(SmallVector<Value> values) const {
  llvm::DenseSet<Value> needed;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    AxesAttr axes = axesOf(value);
    if (!axes || !variesAlongHidden(axes) || !needed.insert(value).second)
      continue;
    if (Operation *producer = value.getDefiningOp())
      llvm::append_range(values, producer->getOperands());
  }
  return needed;
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
  bool reducesHidden = reduce && reduce.getAxis() == Axis::Hidden;
  // The threads of a group meet by shuffles; those of a row end the phase.
  bool endsPhase = reducesHidden && !reduce.getGroup();
  for (Value result : op->getResults())
    phase[result] = opPhase + endsPhase;
  if (endsPhase) {
    rowReductions.push_back(reduce);
    phases = std::max(phases, opPhase + 2);
    bool hasSlots = reduce.getOperandAxes().contains(Axis::Slot);
    int64_t count = hasSlots ? cast<RankedTensorType>(reduce.getResult().getType()).getShape().back() : 1;
    for (int64_t slot = 0; slot < count; ++slot)
      rowSums.push_back({reduce, slot});
  }
  if (reducesHidden) {
    AxesAttr axes = reduce.getOperandAxes();
    if (!axes.areRowsAnd({Axis::Hidden}) && (reduce.getGroup() || !axes.areRowsAnd({Axis::Slot, Axis::Hidden})))
      unsupported.emplace_back(op, "reduces hidden of a value with axes " + axes.str() +
                                       "; only [row, hidden] and, as a whole, [row, slot, hidden] can be reduced over "
                                       "hidden");
  }
  if (isColumnReduction(op)) {
    visitColumnReduction(reduce);
  } else if (reduce && !reducesHidden && !reduce.getOperandAxes().areRowsAnd({Axis::Slot, Axis::Hidden}))
    unsupported.emplace_back(op, "reduces slot of a value with axes " + reduce.getOperandAxes().str() +
                                     "; only [row, slot, hidden] can be reduced over slot");
  auto gather = dyn_cast<GatherOp>(op);
  if (gather) {
    bool hasSlots = axesOf(gather.getResult()).contains(Axis::Slot);
    (hasSlots ? gathers : rowGathers).push_back(gather);
    if (!isa<BlockArgument>(gather.getIndex()))
      unsupported.emplace_back(op, "gathers with an index that the kernel computes");
  }
  if (auto scatter = dyn_cast<ScatterOp>(op)) {
    visitScatter(scatter);
    return;
  }
  for (Value result : op->getResults()) {
    AxesAttr axes = axesOf(result);
    if (axes.contains(Axis::Slot))
      slots = cast<RankedTensorType>(result.getType()).getShape()[*axes.dimensionOf(Axis::Slot)];
    if (axes.contains(Axis::Hidden))
      hidden = cast<RankedTensorType>(result.getType()).getShape()[*axes.dimensionOf(Axis::Hidden)];
    countGroups(result);
    if (axes.contains(Axis::Group) && !axes.areRowsAnd({Axis::Group}))
      unsupported.emplace_back(op, "computes a value with axes " + axes.str() + "; groups go with [row, group]");
    if (axes.contains(Axis::Slot) && !axes.contains(Axis::Row))
      unsupported.emplace_back(op, "computes a value with axes " + axes.str() + ", which no schedule places");
    if (axes.contains(Axis::Slot) && axes.contains(Axis::Hidden) && phase[result] > 0)
      unsupported.emplace_back(op, "computes slots after a row reduction, which no schedule places");
  }
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
