//===- CsvReport.h - Measurements as a table of values ----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_CSVREPORT_H
#define FASTNORM_RUNTIME_BENCH_CSVREPORT_H

#include "runtime/Bench/Measurement.h"

namespace fastnorm {

/// A line of names, then one a kernel, and one each for the graph, the copy and the stream, told apart by the column
/// `kind`. What is not known is empty.
std::string formatCsv(const std::vector<Measurement> &measurements);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_CSVREPORT_H
