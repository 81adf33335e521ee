//===- SafetensorsHeader.h - The header of a .safetensors file --*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_TENSORIO_SAFETENSORSHEADER_H
#define FASTNORM_RUNTIME_TENSORIO_SAFETENSORSHEADER_H

#include "fastnorm/Support/DType.h"
#include "fastnorm/Support/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm {

/// One tensor of a file.
struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  /// Its bytes, counted from the end of the header; `end` is past the last.
  int64_t begin = 0;
  int64_t end = 0;
};

/// Bytes that hold the length of the header's text.
inline constexpr size_t kSafetensorsPrefixBytes = 8;
/// What other readers of the format allow.
inline constexpr int64_t kMaxSafetensorsHeaderBytes = 100'000'000;

/// Bytes of the header's text, from the first kSafetensorsPrefixBytes (or all there are) of a file.
Result<int64_t> safetensorsHeaderBytes(std::string_view prefix, int64_t fileBytes);

/// Reads the text of a header. The tensors must fill the `dataBytes` behind it without overlap, gap or rest; they come
/// in the order of their data. Never crashes, whatever the text.
Result<std::vector<SafetensorsEntry>> parseSafetensorsHeader(std::string_view text, int64_t dataBytes);

/// A header with its length in front, padded so that the data starts at a multiple of 8 bytes.
std::string formatSafetensorsHeader(const std::vector<SafetensorsEntry> &entries);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_TENSORIO_SAFETENSORSHEADER_H
