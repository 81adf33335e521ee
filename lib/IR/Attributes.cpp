//===- Attributes.cpp - Axes, targets and schedules -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/IR/Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

static ParseResult parseAxisList(AsmParser &parser, SmallVectorImpl<Axis> &axes) {
  return parser.parseCommaSeparatedList([&] {
    FailureOr<Axis> axis = FieldParser<Axis>::parse(parser);
    if (failed(axis))
      return failure();
    axes.push_back(*axis);
    return success();
  });
}

static void printAxisList(AsmPrinter &printer, ArrayRef<Axis> axes) {
  llvm::interleaveComma(axes, printer, [&](Axis axis) { printer << stringifyAxis(axis); });
}

LogicalResult AxesAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<Axis> axes) {
  bool repeats = llvm::any_of(llvm::drop_begin(llvm::enumerate(axes), axes.empty() ? 0 : 1), [&](auto entry) {
    return entry.value() != Axis::Row && entry.value() == axes[entry.index() - 1];
  });
  if (axes.empty() || !llvm::is_sorted(axes) || repeats)
    return emitError()
           << "expects axes in the order row, head, slot, group, hidden, at least one, and none but row more "
              "than once";
  if (llvm::is_contained(axes, Axis::Group) && llvm::is_contained(axes, Axis::Hidden))
    return emitError() << "expects group or hidden, but got both: a group is a run of neighbours of hidden";
  return success();
}

bool AxesAttr::contains(Axis axis) const { return llvm::is_contained(getAxes(), axis); }

bool AxesAttr::areRowsAnd(ArrayRef<Axis> inner) const {
  return contains(Axis::Row) && getAxes().drop_front(rowDimensions()) == inner;
}

int64_t AxesAttr::rowDimensions() const {
  return llvm::count_if(getAxes(), [](Axis axis) { return axis == Axis::Row || axis == Axis::Head; });
}

AxesAttr AxesAttr::withoutHeadNames() const {
  if (!contains(Axis::Row))
    return *this;
  SmallVector<Axis> axes(getAxes());
  llvm::replace(axes, Axis::Head, Axis::Row);
  return AxesAttr::get(getContext(), axes);
}

std::optional<int64_t> AxesAttr::rowDimensionWithin(int64_t dimension, int64_t rows) const {
  int64_t own = rowDimensions();
  // A head alone is the innermost of the rows; rows that are one short lack it.
  if (!contains(Axis::Row))
    return rows > 0 ? std::optional<int64_t>(rows - 1) : std::nullopt;
  if (own == rows || (own == rows - 1 && !contains(Axis::Head)))
    return dimension;
  return std::nullopt;
}

std::optional<int64_t> AxesAttr::dimensionOf(Axis axis) const {
  const Axis *place = llvm::find(getAxes(), axis);
  if (place == getAxes().end())
    return std::nullopt;
  return place - getAxes().begin();
}

AxesAttr AxesAttr::without(Axis axis) const {
  SmallVector<Axis> rest(llvm::make_filter_range(getAxes(), [&](Axis other) { return other != axis; }));
  return AxesAttr::get(getContext(), rest);
}

std::string AxesAttr::str() const {
  std::string text = "[";
  for (Axis axis : getAxes())
    text += (text.size() > 1 ? ", " : "") + stringifyAxis(axis).str();
  return text + "]";
}

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

static ParseResult parseStrideList(AsmParser &parser, SmallVectorImpl<int64_t> &strides) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      strides.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(strides.emplace_back());
  });
}

static void printStrideList(AsmPrinter &printer, ArrayRef<int64_t> strides) {
  printer << "[";
  llvm::interleaveComma(strides, printer, [&](int64_t stride) {
    if (ShapedType::isDynamic(stride))
      printer << "?";
    else
      printer << stride;
  });
  printer << "]";
}

LogicalResult StridesAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> strides) {
  if (strides.empty() || strides.back() != 1) {
    InFlightDiagnostic diagnostic = emitError() << "expects the last of the strides to be 1, but got ";
    if (strides.empty())
      return diagnostic << "none";
    std::string last = ShapedType::isDynamic(strides.back()) ? "?" : std::to_string(strides.back());
    return diagnostic << last << "; copy the tensor so that the elements of a row are neighbours";
  }
  for (int64_t stride : strides)
    if (stride < 0 && !ShapedType::isDynamic(stride))
      return emitError() << "expects strides that are not negative, but got " << stride;
  return success();
}

/// How many strides it takes to reach all rows: a dimension that begins where the next one ends needs none of its own.
static int64_t rowStrideCount(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  int64_t count = 0, goesOn = ShapedType::kDynamic;
  for (int64_t dimension = shape.size() - 2; dimension >= 0; --dimension) {
    if (shape[dimension] == 1)
      continue;
    int64_t stride = strides[dimension];
    if (ShapedType::isDynamic(goesOn) || stride != goesOn)
      ++count;
    goesOn = ShapedType::isDynamic(stride) || ShapedType::isDynamic(shape[dimension]) ? ShapedType::kDynamic
                                                                                      : stride * shape[dimension];
  }
  return count;
}

LogicalResult StridesAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                          function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getStrides().size())
    return emitError() << "expects a stride for each of the " << shape.size() << " dimensions, but got "
                       << getStrides().size();
  if (int64_t count = rowStrideCount(shape, getStrides()); count > 2)
    return emitError() << "expects row dimensions that two strides reach, but these need " << count
                       << "; copy the tensor so that neighbouring dimensions go on where the next one ends";
  return success();
}

SmallVector<int64_t> fastnorm::stridesOf(RankedTensorType type) {
  if (auto encoding = dyn_cast_or_null<StridesAttr>(type.getEncoding()))
    return SmallVector<int64_t>(encoding.getStrides());
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t dimension = type.getRank() - 2; dimension >= 0; --dimension)
    strides[dimension] = strides[dimension + 1] * type.getShape()[dimension + 1];
  return strides;
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

LogicalResult TimingAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t readBandwidth,
                                 int64_t writeBandwidth, int64_t l2Bandwidth, int64_t multiprocessorBandwidth,
                                 int64_t launchNs, int64_t loadNs, int64_t l2LoadNs, int64_t dependentNs,
                                 int64_t roundNs, int64_t reduceNs, int64_t clusterNs, bool) {
  for (int64_t quantity : {readBandwidth, writeBandwidth, l2Bandwidth, multiprocessorBandwidth, launchNs, loadNs,
                           l2LoadNs, dependentNs, roundNs, reduceNs, clusterNs})
    if (quantity <= 0)
      return emitError() << "expects every quantity of a timing to be positive, but got " << quantity;
  return success();
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name, StringRef chip,
                                 int64_t ptx, int64_t multiprocessors, int64_t registers, int64_t sharedBytes,
                                 int64_t threads, int64_t ctas, int64_t bandwidth, int64_t l2Bytes, int64_t clusterCtas,
                                 TimingAttr timing) {
  // The lowest PTX version that declares each chip (NVPTX back end of LLVM 22).
  static constexpr std::pair<StringLiteral, int64_t> kChips[] = {{"sm_80", 70}, {"sm_86", 71},  {"sm_89", 78},
                                                                 {"sm_90", 78}, {"sm_100", 86}, {"sm_120", 87}};
  const auto *known = llvm::find_if(kChips, [&](const auto &entry) { return entry.first == chip; });
  if (known == std::end(kChips)) {
    InFlightDiagnostic diagnostic = emitError() << "expects a chip among";
    for (const auto &[knownChip, version] : kChips)
      diagnostic << " " << knownChip;
    return diagnostic << ", but got '" << chip << "'";
  }
  // 90 is the newest version that the back end can write.
  if (ptx < known->second || ptx > 90)
    return emitError() << "expects a PTX version from " << known->second << " to 90 for " << chip << ", but got "
                       << ptx;
  for (int64_t quantity : {multiprocessors, registers, sharedBytes, threads, ctas, bandwidth, l2Bytes})
    if (quantity <= 0)
      return emitError() << "expects every quantity of target '" << name << "' to be positive, but got " << quantity;
  if (threads < 1024)
    return emitError() << "expects a multiprocessor of target '" << name << "' to hold a CTA of 1024 threads, but got "
                       << threads << " threads";
  if (clusterCtas && (clusterCtas < 2 || clusterCtas > 16 || !llvm::isPowerOf2_64(clusterCtas)))
    return emitError() << "expects cluster_ctas of target '" << name << "' to be 0, 2, 4, 8 or 16, but got "
                       << clusterCtas;
  // Clusters and dependent launches came with compute capability 9.0.
  bool hasClusters = chip.drop_front(3).size() > 2 || chip == "sm_90";
  if (clusterCtas && !hasClusters)
    return emitError() << "expects cluster_ctas 0 for " << chip << ", which has no clusters, but got " << clusterCtas;
  return success();
}

FailureOr<TargetAttr> fastnorm::requireTarget(Operation *op) {
  Operation *module = op;
  while (module->getParentOp())
    module = module->getParentOp();
  if (auto target = module->getAttrOfType<TargetAttr>(kTargetAttr))
    return target;
  return emitError(op->getLoc()) << "expects a module with '" << kTargetAttr << "'; run fastnorm-attach-target first";
}

//===----------------------------------------------------------------------===//
// Range
//===----------------------------------------------------------------------===//

static ParseResult parseRangeEnd(AsmParser &parser, int64_t &high) {
  high = INT64_MAX;
  return succeeded(parser.parseOptionalStar()) ? success() : parser.parseInteger(high);
}

static void printRangeEnd(AsmPrinter &printer, int64_t high) {
  if (high == INT64_MAX)
    printer << '*';
  else
    printer << high;
}

LogicalResult RangeAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef symbol, int64_t low,
                                int64_t high) {
  if (low < 0 || high < low)
    return emitError() << "expects a range of '" << symbol << "' from 0 or more up to its high end, but got " << low
                       << " to " << high;
  return success();
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

static LogicalResult verifyCtasPerRow(function_ref<InFlightDiagnostic()> emitError, ScheduleKind kind, RowScope scope,
                                      int64_t ctasPerRow, bool hasTiles) {
  bool splits = scope == RowScope::Cluster || scope == RowScope::Grid;
  if (splits && kind != ScheduleKind::PerRow && !(hasTiles && scope == RowScope::Cluster))
    return emitError() << "expects kind per_row for scope " << stringifyRowScope(scope) << ", but got "
                       << stringifyScheduleKind(kind);
  if (!splits && ctasPerRow != 1)
    return emitError() << "expects ctas_per_row 1 for scope " << stringifyRowScope(scope) << ", but got " << ctasPerRow;
  if (splits && ctasPerRow < 2)
    return emitError() << "expects ctas_per_row of at least 2 for scope " << stringifyRowScope(scope) << ", but got "
                       << ctasPerRow;
  if (scope == RowScope::Cluster && (ctasPerRow > 16 || !llvm::isPowerOf2_64(ctasPerRow)))
    return emitError() << "expects ctas_per_row 2, 4, 8 or 16 for scope cluster, but got " << ctasPerRow;
  return success();
}

static LogicalResult verifyPersistence(function_ref<InFlightDiagnostic()> emitError, ScheduleKind kind, RowScope scope,
                                       int64_t rowsPerCta, int64_t ctasPerRow, int64_t persistentCtas, int64_t stages) {
  if (persistentCtas == 0 && stages != 0)
    return emitError() << "expects stages only of persistent CTAs, but got " << stages << " and persistent_ctas 0";
  if (persistentCtas == 0)
    return success();
  if (kind == ScheduleKind::PerElement)
    return emitError() << "expects kind per_row or two_pass of persistent CTAs, but got per_element";
  bool hasTiles = kind == ScheduleKind::TwoPass;
  if (hasTiles && scope != RowScope::Cta && scope != RowScope::Cluster)
    return emitError() << "expects scope cta or cluster for tiles of two_pass, but got " << stringifyRowScope(scope);
  if (persistentCtas < 0 || persistentCtas > 65536 || persistentCtas % ctasPerRow)
    return emitError() << "expects persistent_ctas to be a multiple of ctas_per_row, " << ctasPerRow
                       << ", up to 65536, but got " << persistentCtas;
  bool mayStage = (scope == RowScope::Cta || scope == RowScope::Cluster) && !hasTiles;
  if (stages != 0 && (stages < 2 || stages > ScheduleAttr::kMostStages || !mayStage))
    return emitError() << "expects stages 0, or 2 to " << ScheduleAttr::kMostStages
                       << " with kind per_row and scope cta or cluster, but got " << stages << " with "
                       << stringifyScheduleKind(kind) << " and " << stringifyRowScope(scope);
  if (!hasTiles && scope != RowScope::Lanes && rowsPerCta > ScheduleAttr::kMostRowGroups)
    return emitError() << "expects at most " << ScheduleAttr::kMostRowGroups
                       << " row groups in a CTA, but got rows_per_cta " << rowsPerCta;
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, ScheduleKind kind, RowScope scope,
                                   int64_t threadsPerRow, int64_t rowsPerCta, int64_t ctasPerRow, int64_t vectorWidth,
                                   int64_t vectorsPerThread, int64_t vectorsInFlight, int64_t slotsInFlight,
                                   int64_t minCtas, Invariants invariants, Keep keep, Stores stores,
                                   int64_t persistentCtas, int64_t stages, Copies copies, int64_t finalizeWidth,
                                   Accumulate accumulate, Accumulators accumulators, bool dependentLaunch) {
  bool hasTiles = kind == ScheduleKind::TwoPass && persistentCtas > 0;
  const std::pair<StringRef, int64_t> counts[] = {{"threads_per_row", threadsPerRow},
                                                  {"rows_per_cta", rowsPerCta},
                                                  {"ctas_per_row", ctasPerRow},
                                                  {"vectors_per_thread", vectorsPerThread},
                                                  {"vectors_in_flight", vectorsInFlight},
                                                  {"slots_in_flight", slotsInFlight},
                                                  {"min_ctas", minCtas}};
  for (auto [name, count] : counts)
    if (count < 1 || count > 1024)
      return emitError() << "expects " << name << " from 1 to 1024, but got " << count;
  if (!llvm::isPowerOf2_64(vectorWidth) || vectorWidth < 1 || vectorWidth > 16)
    return emitError() << "expects vector_width to be 1, 2, 4, 8 or 16 elements, but got " << vectorWidth;
  if (!hasTiles && threadsPerRow * rowsPerCta > 1024)
    return emitError() << "expects at most 1024 threads per CTA, but threads_per_row " << threadsPerRow
                       << " times rows_per_cta " << rowsPerCta << " is " << threadsPerRow * rowsPerCta;
  if (vectorsInFlight > vectorsPerThread)
    return emitError() << "expects vectors_in_flight to be at most vectors_per_thread, " << vectorsPerThread
                       << ", but got " << vectorsInFlight;
  if (failed(verifyCtasPerRow(emitError, kind, scope, ctasPerRow, hasTiles)))
    return failure();
  if (stages == 0 && copies != Copies::Bulk)
    return emitError() << "expects copies " << stringifyCopies(copies) << " only with stages, but got stages 0";
  if (failed(verifyPersistence(emitError, kind, scope, rowsPerCta, ctasPerRow, persistentCtas, stages)))
    return failure();
  if (!llvm::isPowerOf2_64(finalizeWidth) || finalizeWidth > 32)
    return emitError() << "expects finalize_width to be a power of two up to 32, but got " << finalizeWidth;
  if (accumulate == Accumulate::Atomic && persistentCtas == 0)
    return emitError() << "expects accumulate atomic only of persistent CTAs, but got persistent_ctas 0";
  if (accumulators == Accumulators::Shared && persistentCtas == 0)
    return emitError() << "expects accumulators shared only of persistent CTAs, but got persistent_ctas 0";
  if (kind == ScheduleKind::PerElement)
    return success();
  if (scope == RowScope::Lanes && (threadsPerRow > 32 || !llvm::isPowerOf2_64(threadsPerRow)))
    return emitError() << "expects threads_per_row to be a power of two up to 32 for scope lanes, but got "
                       << threadsPerRow;
  if (scope == RowScope::Lanes && (threadsPerRow * rowsPerCta) % 32)
    return emitError() << "expects whole warps, but a CTA has " << threadsPerRow * rowsPerCta << " threads";
  if (scope != RowScope::Lanes && (threadsPerRow % 32 || (rowsPerCta != 1 && persistentCtas == 0)))
    return emitError() << "expects whole warps and one row per CTA for scope " << stringifyRowScope(scope)
                       << ", but got threads_per_row " << threadsPerRow << " and rows_per_cta " << rowsPerCta;
  return success();
}

#define GET_ATTRDEF_CLASSES
#include "fastnorm/IR/Attributes.cpp.inc"

ScheduleAttr ScheduleAttr::ofWarps() const {
  return get(getContext(), getKind(), RowScope::Lanes, /*threads_per_row=*/32, /*rows_per_cta=*/1, /*ctas_per_row=*/1,
             getVectorWidth(), getVectorsPerThread(), getVectorsInFlight(), getSlotsInFlight(), /*min_ctas=*/1,
             getInvariants(), getKeep(), getStores(), /*persistent_ctas=*/0, /*stages=*/0, Copies::Bulk,
             getFinalizeWidth(), Accumulate::Partials, Accumulators::Registers, /*dependent_launch=*/false);
}

void FastnormDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fastnorm/IR/Attributes.cpp.inc"
      >();
}
