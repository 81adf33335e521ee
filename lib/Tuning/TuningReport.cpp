//===- TuningReport.cpp - What tuning found, for people -------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Tuning/TuningReport.h"

#include "runtime/Bench/Statistics.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

using namespace fastnorm;

/// What candidates are skipped for, without the numbers of each.
static std::string kindOf(const std::string &reason) { return reason.substr(0, reason.find_first_of(":\n")); }

std::string fastnorm::describe(const TunedResult &result) {
  const TunedSchedule &measured = result.measured;
  std::string text = llvm::formatv("{0}, rows = {1}: {2:F2} us", result.kernel, measured.rows, measured.us);
  if (result.isModelChoice)
    text += ", the cost model's choice: nothing was faster by more than the noise";
  else
    text += llvm::formatv(" for {0:F2} us of the cost model's choice ({1:F1} % less", measured.modelUs,
                          (1 - measured.us / measured.modelUs) * 100)
                .str();
  text += llvm::formatv("{0}noise {1:F1} %), {2} schedules timed{3}, {4} skipped\n", result.isModelChoice ? " (" : ", ",
                        result.noise * 100, result.timed, result.wasAll ? " (all)" : "", result.skipped.size())
              .str();
  text += "  " + measured.schedule + "\n";
  std::map<std::string, std::vector<const SkippedSchedule *>> kinds;
  for (const SkippedSchedule &skipped : result.skipped)
    kinds[kindOf(skipped.reason)].push_back(&skipped);
  for (auto &[kind, all] : kinds)
    text +=
        "  skipped " + std::to_string(all.size()) + ": " + all.front()->reason + ": " + all.front()->schedule + "\n";
  return text;
}

std::string fastnorm::describeRegret(const ScheduleTable &table) {
  std::vector<double> regrets;
  std::string worst;
  for (const TunedKernel &kernel : table.kernels)
    for (const TunedSchedule &tuned : kernel.schedules) {
      if (regrets.empty() || tuned.regret() > *std::max_element(regrets.begin(), regrets.end()))
        worst = kernel.name + ", rows = " + std::to_string(tuned.rows);
      regrets.push_back(tuned.regret());
    }
  std::string text = llvm::formatv("{0} schedules of {1} kernels", regrets.size(), table.kernels.size());
  if (regrets.empty())
    return text;
  std::sort(regrets.begin(), regrets.end());
  return text + llvm::formatv("; the cost model's choice takes {0:F3} of the best time in the median, {1:F3} at worst "
                              "({2})",
                              quantile(regrets, 0.5), regrets.back(), worst)
                    .str();
}
