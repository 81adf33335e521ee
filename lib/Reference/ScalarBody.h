//===- ScalarBody.h - The body of a map, for many elements ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates each scalar function of a body for a whole row before the next one,
// in f64. i1 is 0 and 1.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_REFERENCE_SCALARBODY_H
#define FASTNORM_LIB_REFERENCE_SCALARBODY_H

#include "fastnorm/IR/KernelOps.h"
#include "fastnorm/Support/Result.h"

#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace fastnorm::reference {

class ScalarBody {
public:
  /// Fails at an op that the reference does not know.
  static Result<ScalarBody> of(MapOp map);

  /// `values` holds `count` elements per body argument in its first entries; it is grown by what the body computes.
  /// Returns the yielded elements, which lie in `values`.
  const std::vector<double> &evaluate(size_t count, std::vector<std::vector<double>> &values) const;

private:
  struct Step {
    mlir::Operation *op;
    llvm::SmallVector<size_t, 3> operands; ///< entries of `values`
  };
  std::vector<Step> steps; ///< step n writes the entry behind the arguments and the n steps before it
  size_t argumentCount = 0;
  size_t yielded = 0;
};

} // namespace fastnorm::reference

#endif // FASTNORM_LIB_REFERENCE_SCALARBODY_H
