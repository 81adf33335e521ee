//===- SweepFile.h - Results of a sweep that goes on ------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_SWEEPFILE_H
#define FASTNORM_TOOLS_RUN_SWEEPFILE_H

#include "Sweep.h"

#include "llvm/Support/JSON.h"

namespace fastnorm::tool {

/// One line of JSON for a point: what was measured there, or that it failed.
struct SweepRecord {
  SweepPoint point;
  llvm::json::Object values;
  bool failed = false;
};

/// A file whose first line says what is swept, and which gets a line a point as it comes: whatever ends the sweep, what
/// was measured is there, and the next one of the same goes on behind it.
class SweepFile {
public:
  /// Without a path nothing is kept. A file that is there must begin with the same header; its last line, if it was cut
  /// off, is dropped with a note.
  static Result<SweepFile> open(const std::string &path, llvm::json::Object header);

  /// What is known of a point, unless it failed; null otherwise.
  const SweepRecord *find(const SweepPoint &point) const;
  /// Keeps a record, here and in the file.
  Status add(SweepRecord record);

private:
  Status readLines(llvm::StringRef text, const llvm::json::Object &header);

  std::string path;
  std::vector<SweepRecord> records;
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_SWEEPFILE_H
