//===- PlanCache.h - Plans that were compiled before ------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_PLANCACHE_H
#define FASTNORM_TOOLS_RUN_PLANCACHE_H

#include "Options.h"
#include "Source.h"

namespace fastnorm::tool {

/// Plans in a folder, a file each, named by a hash of all that a plan follows from: the graph as it was parsed, the
/// target, the options, the table of measured schedules, and this very program.
///
/// A plan says by its content hash that it is whole; one that is not is compiled again and written over. Files appear
/// by renaming, so that any number of processes may share a folder. Whatever goes wrong with it costs only the time to
/// compile.
class PlanCache {
public:
  /// The folder of --cache-dir, else fastnorm in $XDG_CACHE_HOME, else in $HOME/.cache; none with --no-cache.
  explicit PlanCache(const Options &options);

  /// The plan that was read, the one that was kept, or the graph compiled.
  Result<Plan> plan(const Source &source, const CompileOptions &options) const;

private:
  std::string pathFor(const Source &source, const CompileOptions &options) const;
  void keep(const Plan &plan, const std::string &path) const;

  std::string folder;   ///< empty: nothing is kept
  bool isAsked = false; ///< named on the command line: that it can't be used is worth a note
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_PLANCACHE_H
