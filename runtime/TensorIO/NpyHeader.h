//===- NpyHeader.h - The header of a .npy file ------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_TENSORIO_NPYHEADER_H
#define FASTNORM_RUNTIME_TENSORIO_NPYHEADER_H

#include "fastnorm/Support/DType.h"
#include "fastnorm/Support/Result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm {

struct NpyHeader {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
};

/// Bytes before the length of the header's text can be known, in every version.
inline constexpr size_t kNpyPrefixBytes = 12;

/// Bytes of the whole header, from the first kNpyPrefixBytes (or all there are) of a file.
Result<size_t> npyHeaderBytes(std::string_view prefix);

/// Reads a whole header.
Result<NpyHeader> parseNpyHeader(std::string_view header);

/// A header of version 1, padded so that the data starts at a multiple of 64 bytes.
std::string formatNpyHeader(const NpyHeader &header);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_TENSORIO_NPYHEADER_H
