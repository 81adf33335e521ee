//===- RowSample.cpp - Which rows of large tensors are looked at ----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSample.h"

#include "fastnorm/IR/Interfaces.h"
#include "runtime/TensorIO/CounterRandom.h"

#include <algorithm>

using namespace fastnorm;
using namespace fastnorm::tool;

static constexpr int64_t kEnds = 8;
static constexpr int64_t kRandomRows = 40;
/// Of the rows that name a notable row of another tensor, enough to see each once.
static constexpr int64_t kNamingRows = 40;
static constexpr int64_t kMultiples = 4;

static std::optional<int64_t> rowSymbol(const TensorSpec &spec) {
  return spec.shape.empty() ? std::nullopt : spec.shape[0].symbol;
}

static bool isWithin(int64_t row, int64_t count) { return row >= 0 && row < count; }

/// The first and last rows of all tensors with that symbol, and those in which 2^31 and 2^32 elements or bytes are
/// passed.
std::set<int64_t> RowSample::notableRows(const Plan &plan, int64_t symbol) const {
  int64_t count = symbolValues[static_cast<size_t>(symbol)];
  std::set<int64_t> rows;
  auto add = [&](int64_t row) {
    if (isWithin(row, count))
      rows.insert(row);
  };
  for (int64_t row = 0; row < kEnds; ++row) {
    add(row);
    add(count - 1 - row);
  }
  auto addBoundaries = [&](const TensorSpec &spec) {
    if (rowSymbol(spec) != symbol)
      return;
    int64_t rowElements = 1;
    for (size_t dimension = 1; dimension < spec.shape.size(); ++dimension)
      rowElements *= resolveShape(spec, symbolValues)[dimension];
    for (int64_t perRow : {rowElements, rowElements * byteWidth(spec.dtype)})
      for (int64_t boundary = 1; perRow > 0 && boundary <= kMultiples; ++boundary)
        for (int64_t beside : {-1, 0, 1})
          add((boundary << 31) / perRow + beside);
  };
  for (const TensorSpec &spec : plan.arguments)
    addBoundaries(spec);
  for (const TensorSpec &spec : plan.results)
    addBoundaries(spec);
  return rows;
}

/// Adds rows of the results whose index names a notable row of its table.
Status RowSample::addRowsThatName(const Plan &plan, const ArgumentValues &values, std::set<int64_t> &rows) const {
  for (const TensorSpec &spec : plan.arguments) {
    if (!spec.indexes || rowSymbol(spec) != resultSymbol)
      continue;
    std::set<int64_t> notable = notableRows(plan, *spec.indexes);
    Result<HostTensor> index = values.whole(spec.name);
    if (!index)
      return index.takeError();
    int64_t perRow = index->elementCount() / std::max<int64_t>(rowCount(), 1);
    int64_t added = 0;
    for (int64_t element = 0; element < index->elementCount() && added < kNamingRows; ++element)
      if (notable.count(index->integerAt(element)))
        added += rows.insert(element / perRow).second;
  }
  return {};
}

/// Adds what the chosen rows name, until nothing is new.
Status RowSample::follow(const Plan &plan, const ArgumentValues &values, std::map<int64_t, std::set<int64_t>> chosen) {
  for (bool grows = true; grows;) {
    grows = false;
    for (const TensorSpec &spec : plan.arguments) {
      std::optional<int64_t> symbol = rowSymbol(spec);
      if (!spec.indexes || !symbol || !chosen.count(*symbol))
        continue;
      Result<HostTensor> index = values.rows(spec.name, {chosen.at(*symbol).begin(), chosen.at(*symbol).end()});
      if (!index)
        return index.takeError();
      std::set<int64_t> &named = chosen[*spec.indexes];
      for (int64_t element = 0; element < index->elementCount(); ++element)
        if (isWithin(index->integerAt(element), symbolValues[static_cast<size_t>(*spec.indexes)]))
          grows |= named.insert(index->integerAt(element)).second;
    }
  }
  for (const auto &[symbol, rows] : chosen)
    rowsOf[symbol].assign(rows.begin(), rows.end());
  return {};
}

static bool hasDynamicRows(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.getRank() > 0 && type.isDynamicDim(0);
}

/// Whether an op scatters: a row of its result may depend on any of its rows.
static bool scattersRows(mlir::Operation &op) {
  auto rowOp = llvm::dyn_cast<RowOpInterface>(op);
  return rowOp && llvm::any_of(rowOp.getTables(), [&](mlir::Value table) { return table.getDefiningOp() == &op; });
}

/// Whether an op has rows in and a value without rows out: it depends on all of them.
static bool reducesRows(mlir::Operation &op) {
  return llvm::any_of(op.getOperands(), hasDynamicRows) && !llvm::all_of(op.getResults(), hasDynamicRows);
}

Status RowSample::isPossible(const Plan &plan, mlir::func::FuncOp graph) {
  if (graph && llvm::any_of(graph.getBody().front().without_terminator(), reducesRows))
    return Error{"expected rows that do not depend on each other to check a sample of, but '" + plan.function +
                 "' reduces over all of them; check all with --check=reference:all"};
  if (graph && llvm::any_of(graph.getBody().front().without_terminator(), scattersRows))
    return Error{"expected rows that do not depend on each other to check a sample of, but '" + plan.function +
                 "' scatters them; check all with --check=reference:all"};
  for (const TensorSpec &spec : plan.results)
    if (!rowSymbol(spec) || rowSymbol(spec) != rowSymbol(plan.results.front()))
      return Error{"expected results with one dynamic number of rows to check a sample of, but result '" + spec.name +
                   "' has another; check all with --check=reference:all"};
  return {};
}

Result<RowSample> RowSample::choose(const Plan &plan, const ArgumentValues &values,
                                    const std::vector<int64_t> &symbolValues) {
  RowSample sample;
  sample.symbolValues = symbolValues;
  sample.resultSymbol = rowSymbol(plan.results.front());
  std::set<int64_t> rows = sample.notableRows(plan, *sample.resultSymbol);
  CounterRandom random(0, "row sample");
  for (int64_t counter = 0; counter < kRandomRows && sample.rowCount() > 0; ++counter)
    rows.insert(
        static_cast<int64_t>(random.below(static_cast<uint64_t>(counter), static_cast<uint64_t>(sample.rowCount()))));
  if (Status added = sample.addRowsThatName(plan, values, rows); !added)
    return added.takeError();
  if (Status followed = sample.follow(plan, values, {{*sample.resultSymbol, std::move(rows)}}); !followed)
    return followed.takeError();
  return sample;
}

Result<HostTensor> RowSample::argument(const TensorSpec &spec, const ArgumentValues &values) const {
  std::optional<int64_t> symbol = rowSymbol(spec);
  if (!symbol)
    return values.whole(spec.name);
  auto rows = rowsOf.find(*symbol);
  Result<HostTensor> tensor = values.rows(spec.name, rows == rowsOf.end() ? std::vector<int64_t>() : rows->second);
  if (!tensor || !spec.indexes || tensor->elementCount() == 0)
    return tensor;
  const std::vector<int64_t> &named = rowsOf.at(*spec.indexes);
  for (int64_t element = 0; element < tensor->elementCount(); ++element) {
    int64_t row = tensor->integerAt(element);
    auto place = std::lower_bound(named.begin(), named.end(), row);
    bool isNamed = place != named.end() && *place == row;
    // What names no row still names none: below 0, or one past the last.
    tensor->setInteger(element, isNamed ? place - named.begin() : row < 0 ? -1 : static_cast<int64_t>(named.size()));
  }
  return tensor;
}
