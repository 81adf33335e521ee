//===- PlanJson.h - Plans as JSON text --------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_PLAN_PLANJSON_H
#define FASTNORM_PLAN_PLANJSON_H

#include "fastnorm/Plan/Plan.h"

#include <string>
#include <string_view>

namespace fastnorm {

/// Pretty-printed JSON, with the format version first; the same plan always gives the same text.
std::string writePlanJson(const Plan &plan);

/// 16 hexadecimal digits over all that the text of a plan says, which stand in it: a guard against files that were
/// changed or mixed up, not against malice.
std::string contentHash(const Plan &plan);

/// Reads what writePlanJson wrote, verifies it, and compares its content hash. Never crashes, whatever the text: the
/// error names the place in the document and what was expected there.
Result<Plan> readPlanJson(std::string_view text);

} // namespace fastnorm

#endif // FASTNORM_PLAN_PLANJSON_H
