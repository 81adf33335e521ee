//===- PerRow.cpp - Kernels that keep their row -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterReduction.h"
#include "RowPhases.h"
#include "Strategies.h"

using namespace mlir;
using namespace fastnorm;

void fastnorm::emitPerRow(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                          const KernelInterface &interface) {
  if (schedule.getScope() == RowScope::Cluster && !pattern.rowReductions.empty())
    emitClusterStarts(builder, pattern.kernel.getLoc());
  BodyEmitter body(builder, pattern, schedule, interface, LoadPolicy::Streaming);
  body.enterRow(emitRowPosition(builder, interface, schedule, ctasAlongRow(pattern, schedule)));
  RowPhases(body, pattern, schedule).run();
}
