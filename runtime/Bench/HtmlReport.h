//===- HtmlReport.h - Measurements as a page --------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_HTMLREPORT_H
#define FASTNORM_RUNTIME_BENCH_HTMLREPORT_H

#include "runtime/Bench/Measurement.h"

namespace fastnorm {

/// A page that needs nothing else: no script, no font, no picture from elsewhere. For each measurement its figures, the
/// kernel table, time by kernel, the roofline and the samples' histogram; for several, how they go over the symbol that
/// differs between them (a sweep), or over their dates (a history). Dark where the reader asks for it, and printable.
std::string formatHtml(const std::vector<Measurement> &measurements);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_HTMLREPORT_H
