//===- Interrupt.h - Ctrl-C while something is measured ---------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_INTERRUPT_H
#define FASTNORM_TOOLS_RUN_INTERRUPT_H

namespace fastnorm::tool {

/// While it lives, the first SIGINT or SIGTERM is noted, so that what was measured is reported; the next one ends the
/// process as usual. One at a time.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  /// Whether one has come, also to one of these that has gone.
  static bool hasCome();
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_INTERRUPT_H
