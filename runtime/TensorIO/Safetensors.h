//===- Safetensors.h - Named tensors in one file ----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .safetensors format: eight bytes that hold the length of a header, the
// header (a JSON object of dtype, shape and place for each name), and the data.
// Every dtype of ours has a word there, bf16 and f8E4M3FN among them.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_TENSORIO_SAFETENSORS_H
#define FASTNORM_RUNTIME_TENSORIO_SAFETENSORS_H

#include "fastnorm/Support/HostTensor.h"
#include "fastnorm/Support/Result.h"
#include "runtime/TensorIO/SafetensorsHeader.h"
#include "runtime/TensorIO/TensorFile.h"

#include <map>
#include <string>
#include <vector>

namespace fastnorm {

/// An open file whose header was read and found whole: every tensor's bytes lie in it, and none are left over.
class SafetensorsFile {
public:
  static Result<SafetensorsFile> open(const std::string &path);

  const std::string &path() const { return file.path(); }
  /// In the order of their data.
  const std::vector<SafetensorsEntry> &entries() const { return tensors; }
  Result<HostTensor> read(const SafetensorsEntry &entry);

private:
  SafetensorsFile(TensorFileReader file, std::vector<SafetensorsEntry> tensors, int64_t dataStart)
      : file(std::move(file)), tensors(std::move(tensors)), dataStart(dataStart) {}

  TensorFileReader file;
  std::vector<SafetensorsEntry> tensors;
  int64_t dataStart = 0;
};

/// Writes all tensors, beside `path` and renamed: no partial file is ever seen under that name. Each tensor's data
/// starts at a multiple of its element's size.
Status writeSafetensors(const std::string &path, const std::map<std::string, HostTensor> &tensors);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_TENSORIO_SAFETENSORS_H
