//===- OperandLayout.h - Where the elements of a view lie -------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on shapes and strides that are known not to be negative. Strides
// of dimensions with one element or none say nothing and are not looked at.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EXECUTOR_OPERANDLAYOUT_H
#define FASTNORM_RUNTIME_EXECUTOR_OPERANDLAYOUT_H

#include "runtime/Executor/Operands.h"

#include <optional>

namespace fastnorm {

/// Whether an extent is 0: nothing is read or written, so addresses and strides are free.
bool isEmpty(const OperandView &view);

/// Bytes from the first element to the end of the last; nothing where they leave 63 bits. An empty view has 0.
std::optional<int64_t> spanBytes(const OperandView &view);

/// Whether no two indices can mean the same element: each stride steps over all that the smaller strides reach.
bool isInjective(const OperandView &view);

/// Whether the views may share a byte. Exact for dense views and for views with one outermost stride that are cut side
/// by side from one buffer; else says yes where the spans meet. Spans are known to fit.
bool mayOverlap(const OperandView &left, const OperandView &right);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_EXECUTOR_OPERANDLAYOUT_H
