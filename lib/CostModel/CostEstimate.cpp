//===- CostEstimate.cpp - What a kernel is thought to take ----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/CostEstimate.h"

#include "fastnorm/Analysis/CentredPhase.h"
#include "fastnorm/Analysis/RowLayout.h"
#include "fastnorm/Analysis/SharedLayout.h"
#include "fastnorm/Analysis/Traffic.h"
#include "fastnorm/CostModel/RegisterEstimate.h"
#include "fastnorm/Target/Timing.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace fastnorm;

/// Bytes that a later launch finds in the L2 at most, as a part of it: streams pass through beside them.
static constexpr int64_t kL2Share = 2;

/// Launches that list the slots of each row of a result which adds them up, before that which does.
static constexpr int64_t kListLaunches = 3;
/// Bytes that they write and read of each slot, if each names a row of its own: two numbers are set, exchanged or read
/// of the row, and three stored and read of the slot.
static constexpr int64_t kListBytesPerSlot = 10 * 8;
/// Loads of those launches: of the index, what was in its place, and the same again with the slot found there.
static constexpr int64_t kListLoads = 2;
static constexpr int64_t kListDependentLoads = 3;

/// Bytes that the shared memory of a multiprocessor moves while 1 comes to it: its 32 banks of 4 bytes a clock, and the
/// 64 bytes a clock of Timing.cpp.
static constexpr int64_t kSharedBytesPerByte = 2;

bool fastnorm::staysInL2(int64_t bytes, TargetAttr target) { return bytes * kL2Share <= target.getL2Bytes(); }

namespace {

/// Fills in a CostEstimate, step by step.
class Estimator {
public:
  Estimator(const AccessPattern &pattern, ScheduleAttr schedule, TargetAttr target, int64_t rows,
            const llvm::SmallBitVector &hotInputs)
      : pattern(pattern), schedule(schedule), target(target), timing(timingOf(target)), rows(rows),
        allRows(rows * innerRowsOf(pattern.kernel)), slotsAddedUp(pattern.accumulatingScatter() ? pattern.slots : 0),
        gridRows(allRows * std::max<int64_t>(1, slotsAddedUp)), hotInputs(hotInputs) {}

  CostEstimate estimate() {
    cost.threads = schedule.getThreads();
    cost.launches = schedule.getScope() == RowScope::Grid ? pattern.phases : 1;
    layGrid();
    countRegisters();
    countBytes();
    findWait();
    findTransfer();
    cost.launchUs = us(timing.getLaunchNs()) * cost.launches;
    cost.waitUs *= cost.launches;
    if (slotsAddedUp > 0)
      addLists();
    if (!pattern.columnReductions.empty())
      addFinalize();
    cost.totalUs = cost.launchUs + cost.waitUs + cost.transferUs + cost.idleUs + cost.finalizeUs;
    return cost;
  }

private:
  static double us(int64_t nanoseconds) { return nanoseconds / 1000.0; }

  /// Vectors that threads take along a row.
  int64_t vectorsPerRow() const {
    return llvm::divideCeil(pattern.coveredColumns(schedule), schedule.getVectorWidth());
  }

  void layGrid() {
    // Parts of the grid that take a row, or rowsPerCta of them, each: units of work.
    if (schedule.getKind() == ScheduleKind::PerElement) {
      int64_t perCta = schedule.getThreadsPerRow() * schedule.getVectorsPerThread();
      units = llvm::divideCeil(gridRows, schedule.getRowsPerCta()) * llvm::divideCeil(vectorsPerRow(), perCta);
    } else if (schedule.isPersistent()) {
      units = allRows * schedule.getCtasPerRow();
    } else {
      units = llvm::divideCeil(allRows, schedule.getRowsPerCta()) * schedule.getCtasPerRow();
    }
    units = std::max<int64_t>(1, units);
    cost.ctas = units;
    int64_t wanted = llvm::divideCeil(allRows, schedule.getRowsPerCta()) * schedule.getCtasPerRow();
    if (schedule.isPersistent())
      cost.ctas = std::min(schedule.getPersistentCtas(), wanted);
    cost.ctas = std::max<int64_t>(1, cost.ctas);
  }

  void countRegisters() {
    RegisterEstimate estimate(pattern, schedule);
    int64_t wanted = estimate.wanted();
    // Where it is not told to leave room, ptxas takes up to a quarter more (48 for 40, 71 for 56; docs/Schedules.md).
    cost.ctasPerMultiprocessor = std::max(schedule.getMinCtas(), mostCtas(target, cost.threads, wanted * 5 / 4));
    if (schedule.isPersistent())
      cost.ctasPerMultiprocessor = std::max<int64_t>(1, llvm::divideCeil(cost.ctas, target.getMultiprocessors()));
    int64_t available = registersAvailable(target, cost.threads, cost.ctasPerMultiprocessor);
    cost.registers = std::min(wanted, available);
    int64_t inFlight = estimate.inFlight;
    int64_t oneVector = llvm::divideCeil(std::max<int64_t>(1, inFlight), loadsPerRound());
    int64_t whileLoading = estimate.whileLoading();
    if (whileLoading > available) {
      cost.isShortOfRegisters = true;
      inFlight = std::max(oneVector, inFlight - (whileLoading - available));
    }
    rounds =
        loadRounds() * static_cast<double>(std::max<int64_t>(1, estimate.inFlight)) / std::max<int64_t>(1, inFlight);
    int64_t resident =
        std::min<int64_t>(cost.ctasPerMultiprocessor, llvm::divideCeil(cost.ctas, target.getMultiprocessors()));
    cost.inFlightBytes = inFlight * 4 * cost.threads * resident;
    if (schedule.getStages() > 0)
      cost.inFlightBytes = SharedLayout(pattern, schedule).groupBytes * schedule.getRowsPerCta() * resident;
    cost.waves = static_cast<double>(cost.ctas) / (cost.ctasPerMultiprocessor * target.getMultiprocessors());
  }

  /// Independent loads of a thread before the first is used.
  int64_t loadsPerRound() const {
    int64_t slots = pattern.gathers.empty() ? 1 : std::min(pattern.slots, schedule.getSlotsInFlight());
    return schedule.getVectorsInFlight() * slots;
  }

  /// Groups of loads of a thread, each of which waits for the one before it.
  int64_t loadRounds() const {
    int64_t vectors = llvm::divideCeil(schedule.getVectorsPerThread(), schedule.getVectorsInFlight());
    int64_t slots = pattern.gathers.empty() ? 1 : llvm::divideCeil(pattern.slots, schedule.getSlotsInFlight());
    return vectors * slots;
  }

  void countBytes() {
    Traffic traffic = Traffic::ofRows(pattern);
    int64_t distinct = traffic.read.of(rows) + traffic.written.of(rows);
    for (BlockArgument argument : pattern.kernel.getBody().getArguments())
      if (argument.getArgNumber() < hotInputs.size() && hotInputs[argument.getArgNumber()])
        cost.hotBytes += bytesRead(argument).of(rows);
    cost.coldBytes = distinct - cost.hotBytes;
    writtenBytes = traffic.written.of(rows);
    readsOnlyHot = cost.hotBytes > 0 && traffic.read.perRow * rows <= cost.hotBytes;
    bool readsAgain = schedule.getKind() == ScheduleKind::TwoPass || schedule.getScope() == RowScope::Grid;
    if (readsAgain) {
      int64_t swept = 0;
      for (int64_t phase = 0; phase < pattern.phases; ++phase) {
        Traffic part(pattern, phase, schedule.getScope() == RowScope::Grid ? schedule.getCtasPerRow() : 0);
        swept += part.read.of(rows) + part.written.of(rows);
      }
      int64_t repeated = std::max<int64_t>(0, swept - distinct);
      // What is between two readings of a row: those of all resident CTAs, or all rows.
      int64_t resident = schedule.getScope() == RowScope::Grid
                             ? allRows
                             : std::min(allRows, cost.ctasPerMultiprocessor * target.getMultiprocessors());
      bool isNear = staysInL2(distinct / std::max<int64_t>(1, allRows) * resident, target);
      (isNear ? cost.hotBytes : cost.coldBytes) += repeated;
    }
    if (slotsAddedUp > 0)
      countSlots();
    if (!pattern.columnReductions.empty()) {
      int64_t lines = schedule.getScope() == RowScope::Lanes ? cost.ctas : cost.ctas / schedule.getCtasPerRow();
      cost.partialBytes =
          std::max<int64_t>(1, lines) * pattern.hidden * 4 * static_cast<int64_t>(pattern.columnReductions.size());
      cost.hotBytes += cost.partialBytes;
    }
  }

  /// Of what is added up at the rows of its result: rows that all slots of a token read, and lists.
  void countSlots() {
    int64_t shared = 0;
    for (BlockArgument argument : pattern.streamed)
      shared += bytesRead(argument).of(rows);
    (staysInL2(shared, target) ? cost.hotBytes : cost.coldBytes) += shared * (slotsAddedUp - 1);
    cost.hotBytes += kListBytesPerSlot * gridRows;
  }

  void findWait() {
    cost.meetings = meetingsOfRow(pattern, schedule);
    // Loads that wait for what was loaded, and groups of loads that come behind one another.
    bool followsIndex = !pattern.gathers.empty() || !pattern.rowGathers.empty() || slotsAddedUp > 0;
    double dependent = followsIndex ? 1 : 0;
    double further = rounds - 1;
    if (schedule.getKind() == ScheduleKind::TwoPass) {
      // Each sweep goes over all its chunks, whose loads wait until those of the chunk before were used.
      double chunks = std::ceil(static_cast<double>(pattern.coveredColumns(schedule)) / schedule.getColumnChunk());
      dependent += rounds * chunks * pattern.phases - 1;
      further = 0;
    } else if (schedule.getStages() > 0) {
      dependent = further = 0;
    }
    cost.chain = std::llround(1 + dependent + further);
    bool splitsOverLaunches = schedule.getScope() == RowScope::Grid;
    int64_t meetings = splitsOverLaunches ? std::min<int64_t>(1, cost.meetings) : cost.meetings;
    cost.waitUs = us(readsOnlyHot ? timing.getL2LoadNs() : timing.getLoadNs()) +
                  us(timing.getDependentNs()) * dependent + us(timing.getRoundNs()) * further +
                  us(timing.getReduceNs()) * meetings;
    if (schedule.getScope() == RowScope::Cluster)
      cost.waitUs += us(timing.getClusterNs());
  }

  /// Units of a multiprocessor that are underway at once: those of a ring for each stage.
  int64_t concurrency() const {
    if (!schedule.isPersistent())
      return cost.ctasPerMultiprocessor;
    return cost.ctasPerMultiprocessor * schedule.getRowsPerCta() * std::max<int64_t>(1, schedule.getStages());
  }

  /// The time in which the memory finishes a unit, where `count` of them in turn wait and queue for it, `service` each.
  double timePerUnit(int64_t count, double wait, double service) const {
    // Mean value analysis of a closed queue: who arrives finds as many before it as a system with one fewer has.
    double queued = 0, perUs = 0;
    for (int64_t present = 1; present <= count; ++present) {
      double response = service * (1 + queued);
      perUs = present / (wait + response);
      queued = perUs * response;
    }
    return 1 / perUs;
  }

  /// Moved by all rows: the ring is written and read, each of its row's sums read and written.
  int64_t sharedBytesOfSums() const {
    if (!addsInSharedMemory(schedule))
      return 0;
    int64_t bytes = 8 * static_cast<int64_t>(pattern.columnReductions.size());
    for (BlockArgument argument : pattern.streamed)
      bytes += schedule.getStages() > 0 ? 2 * elementBytes(argument) : 0;
    return bytes * pattern.hidden * allRows;
  }

  void findTransfer() {
    int64_t multiprocessors = target.getMultiprocessors();
    double bytes = cost.coldBytes + cost.hotBytes;
    double busUs = (cost.coldBytes - writtenBytes) / (timing.getReadBandwidth() * 1e3) +
                   writtenBytes / (timing.getWriteBandwidth() * 1e3);
    double memoryUs = std::max(busUs, bytes / (timing.getL2Bandwidth() * 1e3));
    // Persistent CTAs leave multiprocessors without one.
    int64_t busy = std::min(multiprocessors, schedule.isPersistent() ? cost.ctas : units);
    double busiest = std::ceil(static_cast<double>(units) / busy);
    double ofOne = std::max(bytes, static_cast<double>(sharedBytesOfSums()) / kSharedBytesPerByte);
    double oneUs = busiest * (ofOne / units) / (timing.getMultiprocessorBandwidth() * 1e3);
    cost.isBoundByMultiprocessor = oneUs > memoryUs;
    cost.transferUs = std::max(memoryUs, oneUs);
    int64_t count = std::min<int64_t>(concurrency(), static_cast<int64_t>(busiest));
    double service = memoryUs / units * busy;
    double idle = std::max(0.0, timePerUnit(count, cost.waitUs, service) - service);
    double idleUs = std::max(0.0, busiest - concurrency()) * idle;
    cost.idleUs = std::max(0.0, idleUs - (cost.transferUs - memoryUs));
  }

  void addLists() {
    cost.launches += kListLaunches;
    cost.launchUs += us(timing.getLaunchNs()) * kListLaunches;
    cost.waitUs += us(timing.getLoadNs()) * kListLoads + us(timing.getDependentNs()) * kListDependentLoads;
  }

  void addFinalize() {
    int64_t bytes = cost.partialBytes;
    Traffic traffic = Traffic::ofColumns(pattern);
    double columnUs = (bytes + traffic.read.of(rows) + traffic.written.of(rows)) / (timing.getL2Bandwidth() * 1e3);
    cost.finalizeUs = us(timing.getLaunchNs()) + us(timing.getLoadNs()) + us(timing.getReduceNs()) + columnUs;
  }

  const AccessPattern &pattern;
  ScheduleAttr schedule;
  TargetAttr target;
  TimingAttr timing;
  int64_t rows;
  int64_t allRows;
  int64_t slotsAddedUp; ///< of a row, where slots that name one row of the result are added up there; else 0
  int64_t gridRows;     ///< that the grid works on: those of such a result are taken to be as many as there are slots
  const llvm::SmallBitVector &hotInputs;
  int64_t units = 1;
  int64_t writtenBytes = 0; ///< of the cold ones
  double rounds = 1;
  bool readsOnlyHot = false;
  CostEstimate cost;
};

} // namespace

CostEstimate fastnorm::estimateCost(const AccessPattern &pattern, ScheduleAttr schedule, TargetAttr target,
                                    int64_t rows, const llvm::SmallBitVector &hotInputs) {
  return Estimator(pattern, schedule, target, rows, hotInputs).estimate();
}

llvm::StringRef fastnorm::describe(Bound bound) {
  switch (bound) {
  case Bound::Launch: return "the launch";
  case Bound::Latency: return "latency";
  case Bound::Memory: return "memory";
  case Bound::Multiprocessor: return "one multiprocessor";
  case Bound::BytesInFlight: return "too few bytes in flight";
  case Bound::SecondLaunch: return "the second launch";
  }
  llvm_unreachable("every bound has its words");
}

Bound CostEstimate::bound() const {
  std::pair<double, Bound> parts[] = {
      {launchUs, Bound::Launch},
      {waitUs, Bound::Latency},
      {transferUs, isBoundByMultiprocessor ? Bound::Multiprocessor : Bound::Memory},
      {idleUs, Bound::BytesInFlight},
      {finalizeUs, Bound::SecondLaunch},
  };
  return llvm::max_element(parts, llvm::less_first())->second;
}

std::string CostEstimate::str() const {
  return llvm::formatv("{0} x {1}, {2} a SM, {3} registers: {4:F1} us, {5:F1} MB, bound by {6}", ctas, threads,
                       ctasPerMultiprocessor, registers, totalUs, coldBytes / 1e6, describe(bound()))
      .str();
}
