//===- Interrupt.cpp - Ctrl-C while something is measured -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interrupt.h"

#include <csignal>

using namespace fastnorm::tool;

static volatile std::sig_atomic_t cameIn = 0;

/// Async-signal-safe: notes it, and lets the next one end the process.
static void noteSignal(int signal) {
  cameIn = 1;
  std::signal(signal, SIG_DFL);
}

Interrupt::Interrupt() {
  std::signal(SIGINT, noteSignal);
  std::signal(SIGTERM, noteSignal);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interrupt::hasCome() { return cameIn != 0; }
