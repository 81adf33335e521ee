//===- Plan.h - What the compiler hands to the runtime ----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Plan is a compiled graph: PTX text, the launches that run it, and every
// fact the runtime needs to check operands and size buffers. It knows nothing
// of MLIR. Sizes that depend on the input are expressions over symbols.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_PLAN_PLAN_H
#define FASTNORM_PLAN_PLAN_H

#include "fastnorm/Support/DType.h"
#include "fastnorm/Support/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm {

/// The symbol for the SMs that a run may fill: the device's, or fewer where the caller says so. No tensor has it. Grids
/// and kernel arguments of persistent kernels use it; sizes of workspaces and ranges do not, so that a workspace serves
/// every limit. It stands last in Plan::symbols.
inline constexpr const char *kSmLimitSymbol = "sm_limit";

/// Integer arithmetic over symbols: grids, byte counts, kernel arguments.
class Expression {
public:
  enum class Kind : uint8_t { Constant, Symbol, Add, Multiply, CeilDivide, Minimum, Maximum };

  static Expression constant(int64_t value);
  /// `index` counts Plan::symbols.
  static Expression symbol(int64_t index);
  /// Any kind but Constant and Symbol; has two operands.
  static Expression binary(Kind kind, Expression left, Expression right);

  Kind kind() const { return operation; }
  /// The value of a constant, the index of a symbol.
  int64_t value() const { return number; }
  const std::vector<Expression> &operands() const { return children; }

  /// Plans hold expressions within these bounds; verify and readPlanJson refuse others.
  static constexpr int64_t kMaxDepth = 64;
  static constexpr int64_t kMaxNodes = 1024;

  /// Fails on overflow of 64 bits, on division by zero, and where a symbol index is out of range.
  Result<int64_t> evaluate(const std::vector<int64_t> &symbolValues) const;

private:
  Kind operation = Kind::Constant;
  int64_t number = 0;
  std::vector<Expression> children;
};

/// One dimension of a tensor: a fixed extent, or the value of a symbol.
struct Extent {
  int64_t fixed = 0;
  std::optional<int64_t> symbol;

  bool operator==(const Extent &other) const { return fixed == other.fixed && symbol == other.symbol; }
};

/// An argument or result of the graph.
struct TensorSpec {
  std::string name;
  DType dtype = DType::F32;
  std::vector<Extent> shape; ///< 1 to kMaxRank dimensions
  /// The base address, and strides known only at run time, must be multiples of this many bytes, or of the variant's
  /// alignment where that is less; never less than an element.
  int64_t alignment = 16;
  /// For a row index: the symbol whose value its elements should stay below (others are dropped slots).
  std::optional<int64_t> indexes;
  /// Elements from one neighbour to the next, for each dimension; the last is 1, and 0 (the same elements again) is for
  /// arguments that are only read. A stride known at run time is the value of a symbol. Empty: dense, row-major.
  std::vector<Extent> strides = {};
  /// For an argument: the result whose buffer this is, too. Both have the same dtype and shape.
  std::optional<int64_t> result = std::nullopt;

  static constexpr size_t kMaxRank = 4;
};

/// Scratch memory that lives for one run, 256-byte aligned.
struct WorkspaceSpec {
  Expression bytes;
};

/// What a kernel argument is.
struct LaunchArgument {
  enum class Kind : uint8_t { Argument, Result, Workspace, I32, I64 };
  Kind kind = Kind::Argument;
  /// Which argument, result or workspace buffer; unused for I32 and I64.
  int64_t index = 0;
  /// The value of an I32 or I64.
  Expression value;
};

/// One kernel launch. Grid and CTA are one-dimensional.
struct Launch {
  std::string kernel;  ///< its .entry name in the variant's PTX
  Expression grid;     ///< CTAs, a multiple of `cluster`; 0 means that there is nothing to launch
  int64_t threads = 1; ///< threads per CTA
  int64_t cluster = 1; ///< CTAs per cluster, 1 to 16; more than 1 needs sm_90 or newer
  int64_t dynamicSharedBytes = 0;
  /// Programmatic dependent launch: it may start before what precedes it on the stream has ended. Its kernel waits by
  /// itself (griddepcontrol.wait) before it touches what that wrote, or writes what that reads.
  bool dependent = false;
  std::vector<LaunchArgument> arguments;
  std::string schedule;    ///< the schedule attribute as text, for people
  Expression readBytes;    ///< distinct bytes read from global memory
  Expression writtenBytes; ///< distinct bytes written
};

/// The symbol values one variant serves: low <= value <= high.
struct SymbolRange {
  int64_t symbol = 0;
  int64_t low = 0;
  int64_t high = INT64_MAX;
};

/// The code for one range of symbol values and one class of alignment. An empty range list serves all values.
struct Variant {
  std::vector<SymbolRange> ranges;
  std::string ptx;
  std::vector<WorkspaceSpec> workspaces;
  std::vector<Launch> launches; ///< in order; each may read what earlier ones wrote
  /// Bytes that addresses and run-time strides must be multiples of, a power of two: 16, or 1 for code that needs no
  /// more than elements do.
  int64_t alignment = kMaxAlignment;

  static constexpr int64_t kMaxAlignment = 16;
};

struct Plan {
  /// Files of another version are refused.
  static constexpr int64_t kFormatVersion = 2;

  std::string producer; ///< "fastnorm 0.1.0"
  std::string function; ///< the graph's function name
  std::string target;   ///< "h200"
  std::string chip;     ///< "sm_90"
  std::vector<std::string> symbols;
  std::vector<TensorSpec> arguments;
  std::vector<TensorSpec> results;
  std::vector<Variant> variants;
};

/// The symbols that tensors give values to: all but sm_limit.
size_t tensorSymbolCount(const Plan &plan);

/// Whether its ranges hold for these values.
bool serves(const Variant &variant, const std::vector<int64_t> &symbolValues);

/// The first variant whose ranges hold and whose alignment is no more than the operands have, or an error that names
/// the symbol values.
Result<const Variant *> selectVariant(const Plan &plan, const std::vector<int64_t> &symbolValues, int64_t alignment);

/// Whether every index, name and expression in the plan refers to something; a reader of Plans relies on it.
Status verify(const Plan &plan);

} // namespace fastnorm

#endif // FASTNORM_PLAN_PLAN_H
