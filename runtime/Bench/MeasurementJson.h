//===- MeasurementJson.h - Measurements as JSON -----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_MEASUREMENTJSON_H
#define FASTNORM_RUNTIME_BENCH_MEASUREMENTJSON_H

#include "runtime/Bench/Measurement.h"

#include <string_view>

namespace fastnorm {

/// One object, with every sample; rates and shares that follow from the rest are written for other readers. Ends in a
/// line break.
std::string writeMeasurementJson(const Measurement &measurement);

/// The same for several, as a list.
std::string writeMeasurementJson(const std::vector<Measurement> &measurements);

/// Reads an object or a list. Never crashes, whatever the text: the error says what was expected and where.
Result<std::vector<Measurement>> readMeasurementJson(std::string_view text);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_MEASUREMENTJSON_H
