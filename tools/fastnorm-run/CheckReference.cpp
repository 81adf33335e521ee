//===- CheckReference.cpp - Results against the reference -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckReference.h"

#include "RowSample.h"

#include "fastnorm/Reference/Interpreter.h"
#include "fastnorm/Reference/Roundings.h"
#include "runtime/TensorIO/Compare.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace fastnorm;
using namespace fastnorm::tool;

/// The reference evaluates some 10^8 elements a second on a few cores.
static constexpr int64_t kMaxElements = int64_t(1) << 28;

/// The first extent of each result; -1 for a result without a dimension.
static std::vector<int64_t> rowsOfResults(const CheckedRun &run) {
  std::vector<int64_t> rows;
  for (const TensorSpec &spec : run.plan.results) {
    std::vector<int64_t> shape = resolveShape(spec, run.symbolValues);
    rows.push_back(shape.empty() ? -1 : shape.front());
  }
  return rows;
}

/// How an argument's values are had.
using ReadArgument = llvm::function_ref<Result<HostTensor>(const TensorSpec &)>;

/// `resultRows` as in interpret.
static Result<std::vector<HostTensor>> evaluate(const CheckedRun &run, ReadArgument read,
                                                const std::vector<int64_t> &resultRows) {
  std::vector<HostTensor> arguments;
  for (const TensorSpec &spec : run.plan.arguments) {
    Result<HostTensor> argument = read(spec);
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  Result<std::vector<HostTensor>> references = interpret(run.graph, arguments, resultRows);
  if (!references)
    return Error{"the reference could not evaluate the graph: " + references.error()};
  return references;
}

/// Prints what a comparison says, and keeps the first error.
static void report(const Comparison &comparison, const std::string &scope, Status &status) {
  std::string sentence = comparison.sentence + scope;
  llvm::outs() << sentence << "\n";
  if (!comparison.matches && status)
    status = Error{sentence};
}

Status tool::checkReference(const CheckedRun &run) {
  Result<std::vector<HostTensor>> references =
      evaluate(run, [&](const TensorSpec &spec) { return run.values.whole(spec.name); }, rowsOfResults(run));
  if (!references)
    return references.takeError();
  Result<NamedTensors> outputs = run.operands.downloadResults();
  if (!outputs)
    return outputs.takeError();
  Status status;
  for (auto [index, spec] : llvm::enumerate(run.plan.results)) {
    Result<Comparison> comparison = compare(outputs->at(spec.name), (*references)[index], "result '" + spec.name + "'",
                                            /*rows=*/{}, roundedOnTheWay(run.graph, index));
    if (!comparison)
      return comparison.takeError();
    report(*comparison, "", status);
  }
  return status;
}

Status tool::checkReferenceSample(const CheckedRun &run) {
  Result<RowSample> sample = RowSample::choose(run.plan, run.values, run.symbolValues);
  if (!sample)
    return sample.takeError();
  Result<std::vector<HostTensor>> references =
      evaluate(run, [&](const TensorSpec &spec) { return sample->argument(spec, run.values); }, {});
  if (!references)
    return references.takeError();
  const std::vector<int64_t> &rows = sample->resultRows();
  std::string scope =
      "; checked " + std::to_string(rows.size()) + " of " + std::to_string(sample->rowCount()) + " rows";
  Status status;
  for (auto [index, spec] : llvm::enumerate(run.plan.results)) {
    Result<HostTensor> output = run.operands.downloadRows(index, rows);
    if (!output)
      return output.takeError();
    Result<Comparison> comparison =
        compare(*output, (*references)[index], "result '" + spec.name + "'", rows, roundedOnTheWay(run.graph, index));
    if (!comparison)
      return comparison.takeError();
    report(*comparison, scope, status);
  }
  return status;
}

bool tool::wantsSample(const Plan &plan, mlir::func::FuncOp graph, const std::vector<int64_t> &symbolValues) {
  int64_t elements = 0;
  for (const std::vector<TensorSpec> *specs : {&plan.arguments, &plan.results})
    for (const TensorSpec &spec : *specs) {
      std::optional<int64_t> byteCount = checkedByteCount(spec.dtype, resolveShape(spec, symbolValues));
      elements += byteCount ? std::min(*byteCount / byteWidth(spec.dtype), kMaxElements) : kMaxElements;
    }
  return elements > kMaxElements && static_cast<bool>(RowSample::isPossible(plan, graph));
}
