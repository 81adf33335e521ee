//===- Launch.cpp - One launch and its CTAs on host threads ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host threads take CTAs in rising order, so every CTA below the first that
// fails is run to its end: the report does not depend on timing.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "Cta.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace fastnorm::emulator {

namespace {

class LaunchRun {
public:
  LaunchRun(const Launch &launch, LaunchCounters &counters) : launch(launch), counters(counters) {}

  void work();
  const std::string &finding() const { return firstFinding; }

private:
  void addCounters(const LaunchCounters &counted);

  const Launch &launch;
  LaunchCounters &counters;
  std::atomic<uint64_t> nextCta{0};
  std::atomic<uint64_t> lowestFailed{UINT64_MAX};
  std::mutex mutex;
  std::string firstFinding;
};

void LaunchRun::work() {
  Cta cta(launch);
  // A few CTAs at a time keep neighbours on one host thread.
  constexpr uint64_t chunk = 4;
  for (;;) {
    uint64_t begin = nextCta.fetch_add(chunk);
    uint64_t end = std::min<uint64_t>(begin + chunk, launch.grid);
    for (uint64_t index = begin; index < end && index < lowestFailed; ++index) {
      if (cta.run(uint32_t(index)))
        continue;
      std::lock_guard<std::mutex> lock(mutex);
      if (index < lowestFailed) {
        lowestFailed = index;
        firstFinding = cta.finding();
      }
      end = begin;
    }
    if (begin >= launch.grid || end == begin || begin >= lowestFailed)
      break;
  }
  std::lock_guard<std::mutex> lock(mutex);
  addCounters(cta.counters);
}

void LaunchRun::addCounters(const LaunchCounters &counted) {
  counters.warpInstructions += counted.warpInstructions;
  counters.globalLoads += counted.globalLoads;
  counters.globalStores += counted.globalStores;
  counters.globalLoadBytes += counted.globalLoadBytes;
  counters.globalStoreBytes += counted.globalStoreBytes;
  counters.barriers += counted.barriers;
}

} // namespace

Status runLaunch(const Launch &launch, unsigned hostThreads, LaunchCounters &counters) {
  LaunchRun run(launch, counters);
  std::vector<std::thread> others;
  for (unsigned i = 1; i < std::min<uint64_t>(hostThreads, launch.grid); ++i)
    others.emplace_back([&run] { run.work(); });
  run.work();
  for (std::thread &other : others)
    other.join();
  if (!run.finding().empty())
    return Error{run.finding()};
  return {};
}

} // namespace fastnorm::emulator
