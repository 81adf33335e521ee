//===- FillRole.h - What a tensor is filled with ----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tensor is to a graph, and so which values are like real ones; and the
// words that people write for it: "around:100+0.01", "drop:0.5".
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_TENSORIO_FILLROLE_H
#define FASTNORM_RUNTIME_TENSORIO_FILLROLE_H

#include "fastnorm/Plan/Plan.h"
#include "fastnorm/Support/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fastnorm {

struct FillRole {
  enum class Kind : uint8_t {
    Normal,      ///< nearly normal around `mean` with `deviation`
    Constant,    ///< `mean` everywhere
    Gate,        ///< positive; the last dimension (slots) sums to 1 before rounding
    Indices,     ///< a permutation where there are as many elements as rows to name, else uniform
    Permutation, ///< every element another row
    Duplicates,  ///< uniform, and every second element repeats the one before it
  };

  Kind kind = Kind::Normal;
  double mean = 0.0;
  double deviation = 1.0;
  /// Indices: the share of elements that name no row, half of them -1 and half one past the last.
  double dropped = 0.0;
  /// Of an index: how many rows there are to name, where the plan does not know because it is no symbol.
  std::optional<int64_t> rows;

  static FillRole normal(double mean, double deviation) { return {Kind::Normal, mean, deviation, 0.0, std::nullopt}; }
  /// As stored for a norm that adds `weightOffset` to it: around 1 after that.
  static FillRole weight(double weightOffset) { return normal(1.0 - weightOffset, 0.1); }
  static FillRole bias() { return normal(0.0, 0.1); }
  static FillRole gate() { return {Kind::Gate, 0.0, 0.0, 0.0, std::nullopt}; }
  static FillRole indices(double dropped = 0.0) { return {Kind::Indices, 0.0, 0.0, dropped, std::nullopt}; }

  /// True where the elements name rows of another tensor.
  bool isIndex() const { return kind >= Kind::Indices; }
};

/// The forms that parseFillRole reads, for messages and help.
inline constexpr const char *kFillRoleForms =
    "around:MEAN, around:MEAN+DEVIATION, constant:VALUE, gate, perm, dup or drop:SHARE";

/// Nothing for text of another form. A mean or value may be any f32; a deviation is finite and from 0, a share from 0
/// to 1.
std::optional<FillRole> parseFillRole(std::string_view text);

/// The role by name and dtype, where nobody knows better: a tensor that indexes is filled with indices, what ends in
/// "gate" is a gate, in "weight" around 1, in "bias" around 0 with deviation 0.1; all else is normal, as i8 with
/// deviation 32.
FillRole guessFillRole(const TensorSpec &spec);

/// Whether a tensor can have that role: indices for i32 and i64 that index, anything else for all others.
Status checkFillRole(const TensorSpec &spec, const FillRole &role);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_TENSORIO_FILLROLE_H
