//===- OperandSolver.h - Operands checked, symbols solved -------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that operands of a plan must be like. Made once, it checks any
// number of runs, and as long as nothing is wrong it allocates nothing.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EXECUTOR_OPERANDSOLVER_H
#define FASTNORM_RUNTIME_EXECUTOR_OPERANDSOLVER_H

#include "runtime/Executor/Operands.h"

namespace fastnorm {

class OperandSolver {
public:
  /// The plan verifies, and outlives this.
  explicit OperandSolver(const Plan &plan);

  /// Forgets all values.
  void reset();
  /// The SMs that the run may fill, where no fewer are given: the value of sm_limit. Until then it is 0.
  void limitSms(int64_t count);
  /// Values by name; an error where a symbol is unknown or its value negative. sm_limit is known to every plan.
  Status give(const SymbolValues &given);
  /// Checks dtype, rank, extents and strides of all operands, takes the values of symbols from them (an error names
  /// both places where one has two), and leaves none without a value.
  Status add(const OperandViews &operands);

  /// Checks where the operands lie: addresses and their ranges, that tied arguments and results are one buffer, and
  /// that no result overlaps what it may not. Results are there. After add.
  Status checkBuffers(const OperandViews &operands) const;

  /// The variant for these values and for the alignment that the operands have. After add.
  Result<const Variant *> select(const OperandViews &operands) const;

  const std::vector<int64_t> &values() const { return symbolValues; }

private:
  /// Where a symbol got its value first.
  struct Source {
    enum class Kind : uint8_t { Unknown, Given, Extent, Stride };
    Kind kind = Kind::Unknown;
    OperandRole role = OperandRole::Argument;
    size_t tensor = 0;
    size_t dimension = 0;
  };

  Status add(const TensorSpec &spec, const OperandView &operand, Source source);
  Status addStrides(const TensorSpec &spec, const OperandView &operand, Source source);
  Status set(int64_t symbol, int64_t value, const Source &source);
  Status checkPlace(const TensorSpec &spec, const OperandView &operand, OperandRole role) const;
  Status checkTie(const TensorSpec &argument, const OperandView &operand, const OperandViews &operands) const;
  Status checkOverlaps(size_t result, const OperandViews &operands) const;
  const TensorSpec &specOf(const Source &source) const;
  std::string describePlace(const Source &source) const;
  bool isWritten(const Source &source) const;
  /// The largest alignment of a variant that an operand allows.
  int64_t alignmentOf(const TensorSpec &spec, const OperandView &operand) const;
  Error explainAlignment(const OperandViews &operands, int64_t alignment) const;

  const Plan &plan;
  std::vector<int64_t> symbolValues;
  std::optional<int64_t> givenSms;
  std::vector<Source> sources; ///< one a symbol
};

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_EXECUTOR_OPERANDSOLVER_H
