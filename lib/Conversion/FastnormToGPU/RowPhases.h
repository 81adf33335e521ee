//===- RowPhases.h - A row from its first phase to its last -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ROWPHASES_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ROWPHASES_H

#include "BodyEmitter.h"

namespace fastnorm {

/// Works on one row that stays in the registers of its threads, which meet between phases.
class RowPhases {
public:
  RowPhases(BodyEmitter &body, const AccessPattern &pattern, ScheduleAttr schedule);

  /// What else happens around the meetings. Either may be null.
  struct Around {
    /// Before the row's threads tell each other what they have at the end of a phase.
    std::function<void(int64_t phase)> beforeMeeting;
    /// When this thread has used all that it reads of the row: behind the first meeting, if there is one.
    std::function<void(bool haveMet)> afterReading;
  };

  /// Of the row that `body` has entered.
  void run(const Around &around = {});

private:
  bool isEarly() const { return schedule.getInvariants() == Invariants::Early; }
  llvm::SmallVector<mlir::Value> compute(int64_t phase);
  const CentredPhase *centredPhase(int64_t phase) const;
  void readAndCompute(llvm::SmallVectorImpl<mlir::Value> &partials);
  void computeKept(int64_t phase, llvm::SmallVectorImpl<mlir::Value> &partials);
  void issueLate(int64_t phase, int64_t end);

  BodyEmitter &body;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  int64_t phases;
  int64_t count;                               ///< of the thread's vectors
  llvm::SmallVector<CentredPhase> pairs;       ///< of phases whose threads meet once
  llvm::DenseMap<int64_t, int64_t> lateIssued; ///< vectors, by phase
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ROWPHASES_H
