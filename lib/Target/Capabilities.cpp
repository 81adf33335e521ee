//===- Capabilities.cpp - What a chip can do -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Target/Capabilities.h"

using namespace fastnorm;

bool fastnorm::supportsF8Conversion(TargetAttr target) {
  int64_t architecture = 0;
  bool isNumber = !target.getChip().drop_front(llvm::StringRef("sm_").size()).getAsInteger(10, architecture);
  assert(isNumber && "the verifier knows each chip");
  (void)isNumber;
  return architecture >= 90 || (architecture == 89 && target.getPtx() >= 81);
}
