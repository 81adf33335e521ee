//===- StageTimes.h - How long compiling takes, stage by stage --*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_STAGETIMES_H
#define FASTNORM_TOOLS_RUN_STAGETIMES_H

#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tool {

class StageTimes {
public:
  void add(std::string stage, double milliseconds) { times.emplace_back(std::move(stage), milliseconds); }

  /// A line a stage, in the order they were added, and their sum.
  std::string str() const;

private:
  std::vector<std::pair<std::string, double>> times;
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_STAGETIMES_H
