//===- BenchCommand.cpp - Times a plan beside a copy ----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchCommand.h"

#include "CopyBaseline.h"
#include "Rotation.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace fastnorm;
using namespace fastnorm::tool;

static int64_t bytesOf(const LaunchFacts &launch) { return launch.readBytes + launch.writtenBytes; }

/// "graph: 36.91 us, 4021 GB/s (median of 31 samples, noise 0.3 %)"
static std::string describeTime(const std::string &name, int64_t byteCount, const Summary &summary) {
  return llvm::formatv("{0}: {1:F2} us, {2:F0} GB/s (median of {3} samples, noise {4:F1} %)", name, summary.median,
                       byteCount / summary.median / 1000.0, summary.count, summary.noise * 100.0);
}

static const BenchResult &fastest(const std::vector<BenchResult> &results, size_t count) {
  return *std::min_element(results.begin(), results.begin() + count, [](const BenchResult &a, const BenchResult &b) {
    return a.summary.median < b.summary.median;
  });
}

Result<std::string> tool::benchmark(const Executor &executor, const OperandSources &inputs, const SymbolValues &given,
                                    const OperandSetOptions &placement, KernelTable &table) {
  int64_t allBytes = 0;
  int64_t mostBytes = 0;
  for (const KernelRow &row : table.rows) {
    allBytes += bytesOf(row.launch);
    mostBytes = std::max(mostBytes, bytesOf(row.launch));
  }
  if (mostBytes == 0)
    return std::string("nothing to time: no kernel reads or writes anything\n");

  // The copy moves what the largest kernel moves, so that the cost of a launch weighs as much in both.
  Result<CopyBaseline> copy = CopyBaseline::create(executor.device(), executor.plan().target, mostBytes);
  if (!copy)
    return copy.takeError();
  Result<RotatingSets> sets = RotatingSets::create(executor, inputs, given, placement);
  if (!sets)
    return sets.takeError();
  Result<Rotation> rotation = Rotation::create(executor, *sets, given);
  if (!rotation)
    return rotation.takeError();

  std::vector<BenchCandidate> candidates = copy->candidates();
  size_t copyCount = candidates.size();
  candidates.push_back(rotation->graph("graph"));
  std::vector<KernelRow *> timed;
  for (size_t index = 0; index < table.rows.size(); ++index) {
    if (table.rows[index].launch.grid == 0)
      continue;
    candidates.push_back(rotation->kernel(index));
    timed.push_back(&table.rows[index]);
  }
  Result<Sampling> sampling = sampleInTurns(executor.device(), candidates);
  if (!sampling)
    return sampling.takeError();
  if (!sampling->failure.empty())
    return Error{sampling->failure};
  const std::vector<BenchResult> &results = sampling->results;

  const BenchResult &best = fastest(results, copyCount);
  const Summary &graph = results[copyCount].summary;
  double copyRate = copy->byteCount() / best.summary.median;
  table.copyBytesPerSecond = copyRate * 1e6;
  for (size_t index = 0; index < timed.size(); ++index)
    timed[index]->microseconds = results[copyCount + 1 + index].summary.median;
  return describeTime("graph", allBytes, graph) +
         llvm::formatv(", {0:F1} % of the copy\n", allBytes / graph.median / copyRate * 100.0).str() +
         describeTime(best.name, copy->byteCount(), best.summary) + "\n";
}
