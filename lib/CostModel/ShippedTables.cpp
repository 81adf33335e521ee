//===- ShippedTables.cpp - The tables that the compiler brings ------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lib/CostModel/Tables holds one a target, as fastnorm-run --tune wrote it.
// Each is read when it is first asked for; a test reads all.
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/ScheduleTable.h"

using namespace fastnorm;

static constexpr char kH200[] =
#include "fastnorm/CostModel/Tables/h200.inc"
    ;

const ScheduleTable *ScheduleTable::shipped(llvm::StringRef target) {
  if (target != "h200")
    return nullptr;
  // What no longer can be read, because it is of a former version, is as if it were not there.
  static const Result<ScheduleTable> h200 = parse(kH200);
  return h200 ? &*h200 : nullptr;
}
