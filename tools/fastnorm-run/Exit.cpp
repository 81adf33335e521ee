//===- Exit.cpp - How the tool ends ---------------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exit.h"

#include "llvm/Support/raw_ostream.h"

using namespace fastnorm::tool;

Exit fastnorm::tool::failed(const std::string &message) {
  llvm::errs() << "fastnorm-run: error: " << message << "\n";
  return Exit::Failed;
}

Exit fastnorm::tool::badUse(const std::string &message) {
  failed(message);
  return Exit::BadUse;
}

void fastnorm::tool::note(const std::string &message) { llvm::errs() << "fastnorm-run: note: " << message << "\n"; }
