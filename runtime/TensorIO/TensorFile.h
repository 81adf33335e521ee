//===- TensorFile.h - Files of tensors, read and written whole --*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every format of tensor files has in common: a regular file, read front
// to back, and written beside its place and renamed. `kind` is what messages
// call the format: ".npy". Errors begin with the path.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_TENSORIO_TENSORFILE_H
#define FASTNORM_RUNTIME_TENSORIO_TENSORFILE_H

#include "fastnorm/Support/Result.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm {

/// "x.npy: expected …".
Error aboutFile(const std::string &path, std::string message);

/// A regular file of a known size, open for reading.
class TensorFileReader {
public:
  static Result<TensorFileReader> open(const std::string &path, const std::string &kind);

  const std::string &path() const { return filePath; }
  int64_t byteCount() const { return totalBytes; }
  Status seek(int64_t offset);
  /// Fills `target` exactly; `what` is what the bytes are: "data".
  Status read(void *target, size_t byteCount, const std::string &what);

private:
  std::string filePath;
  int64_t totalBytes = 0;
  std::ifstream stream;
};

/// Writes the parts, one behind the other, beside `path` and renames, so that no partial file is ever seen under that
/// name; after an error there is none under any other.
Status writeTensorFile(const std::string &path, const std::string &kind, const std::vector<std::string_view> &parts);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_TENSORIO_TENSORFILE_H
