//===- Capabilities.cpp - What a chip can do -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Target/Capabilities.h"

using namespace fastnorm;

/// 90 of sm_90.
static int64_t architectureOf(TargetAttr target) {
  int64_t architecture = 0;
  bool isNumber = !target.getChip().drop_front(llvm::StringRef("sm_").size()).getAsInteger(10, architecture);
  assert(isNumber && "the verifier knows each chip");
  (void)isNumber;
  return architecture;
}

bool fastnorm::supportsF8Conversion(TargetAttr target) {
  int64_t architecture = architectureOf(target);
  return architecture >= 90 || (architecture == 89 && target.getPtx() >= 81);
}

bool fastnorm::supportsBulkCopies(TargetAttr target) { return architectureOf(target) >= 90; }

bool fastnorm::supportsAsyncCopies(TargetAttr target) { return architectureOf(target) >= 80; }

bool fastnorm::supportsVectorReductions(TargetAttr target) { return architectureOf(target) >= 90; }
