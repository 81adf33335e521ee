//===- ScheduleTableJson.h - What reader and writer share -------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_COSTMODEL_SCHEDULETABLEJSON_H
#define FASTNORM_LIB_COSTMODEL_SCHEDULETABLEJSON_H

#include "llvm/Support/JSON.h"

#include <string>

namespace fastnorm {

/// Tables of another version are refused: its kernels are not these.
inline constexpr const char *kCompilerOfTables = "fastnorm " FASTNORM_VERSION;

/// SHA-256 over all members but "hash", whatever their order and layout.
std::string hashOfTable(const llvm::json::Object &document);

} // namespace fastnorm

#endif // FASTNORM_LIB_COSTMODEL_SCHEDULETABLEJSON_H
