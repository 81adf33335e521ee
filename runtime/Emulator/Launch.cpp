//===- Launch.cpp - One launch and its CTAs on host threads ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host threads take clusters in rising order, so every one below the first that
// fails is run to its end: the report does not depend on timing. A cluster that
// waits for what others write to global memory is set aside while others run.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "Cluster.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace fastnorm::emulator {

namespace {

/// What the host threads of a launch share.
class LaunchRun {
public:
  LaunchRun(const Launch &launch, unsigned workers, LaunchCounters &counters)
      : launch(launch), clusterCount(launch.grid / launch.cluster), idleSince(workers, busy), counters(counters) {}

  const Launch &launch;
  const uint64_t clusterCount;

  /// The next `count` clusters, from the one returned on; at or past clusterCount if there are no more.
  uint64_t take(uint64_t count) { return next.fetch_add(count); }
  bool hasMore() const { return next < clusterCount && !isPastFailure(next); }
  /// A cluster that is set aside keeps its place on the device.
  void setAside() { ++aside; }
  void putBack() { --aside; }
  bool hasRoom() const { return aside < launch.maxResidentClusters; }

  /// Whether a cluster need not run, since one before it failed.
  bool isPastFailure(uint64_t cluster) const { return cluster >= lowestFailed; }
  void fail(uint64_t cluster, const std::string &finding);
  /// A cluster waits for what does not come; unless one has failed, which is the better reason.
  void failToEnd(uint64_t cluster, const std::string &finding);
  void addCounters(const LaunchCounters &counted);
  const std::string &finding() const { return firstFinding; }

  /// Grows with everything that a waiting cluster may wait for.
  std::atomic<uint64_t> epoch{0};
  void setBusy(unsigned worker) { setIdle(worker, busy); }
  /// The worker has only clusters that wait, and has looked at all of them since that epoch; or it has none left.
  /// True if that holds for all workers now.
  bool setIdle(unsigned worker, uint64_t since);

  static constexpr uint64_t busy = UINT64_MAX, done = UINT64_MAX - 1;

private:
  void note(uint64_t cluster, const std::string &finding);

  std::atomic<uint64_t> next{0};
  std::atomic<uint64_t> aside{0};
  std::atomic<uint64_t> lowestFailed{UINT64_MAX};
  std::atomic<bool> hasFailed{false};
  std::mutex mutex; ///< guards what follows
  std::vector<uint64_t> idleSince;
  LaunchCounters &counters;
  std::string firstFinding;
};

void LaunchRun::fail(uint64_t cluster, const std::string &finding) {
  hasFailed = true;
  note(cluster, finding);
}

void LaunchRun::failToEnd(uint64_t cluster, const std::string &finding) {
  if (!hasFailed)
    note(cluster, finding);
}

void LaunchRun::note(uint64_t cluster, const std::string &finding) {
  std::lock_guard<std::mutex> lock(mutex);
  if (cluster < lowestFailed) {
    lowestFailed = cluster;
    firstFinding = finding;
  }
}

void LaunchRun::addCounters(const LaunchCounters &counted) {
  std::lock_guard<std::mutex> lock(mutex);
  add(counters, counted);
}

bool LaunchRun::setIdle(unsigned worker, uint64_t since) {
  std::lock_guard<std::mutex> lock(mutex);
  idleSince[worker] = since;
  if (since == busy)
    return false;
  return std::all_of(idleSince.begin(), idleSince.end(),
                     [&](uint64_t other) { return other == done || other == epoch; });
}

/// One host thread of a launch.
class Worker {
public:
  Worker(LaunchRun &run, unsigned number) : run(run), number(number) {}
  void work();

private:
  struct Running {
    uint64_t index;
    std::unique_ptr<Cluster> cluster;
    uint64_t effects = 0;
  };

  bool advance(Running &running);
  void start(uint64_t index);
  bool startNext();
  bool visitWaiting();
  void reportDeadlock();

  LaunchRun &run;
  const unsigned number;
  std::unique_ptr<Cluster> spare;
  std::vector<Running> waiting;
};

/// Runs a cluster until it ends, which is true, or is set aside.
bool Worker::advance(Running &running) {
  Cluster::Stop stop = running.cluster->run();
  if (stop != Cluster::Stop::Stalled || running.cluster->effects() != running.effects)
    ++run.epoch;
  running.effects = running.cluster->effects();
  if (stop == Cluster::Stop::Failed)
    run.fail(running.index, running.cluster->finding());
  if (stop == Cluster::Stop::Stalled && !run.isPastFailure(running.index))
    return false;
  if (spare)
    run.addCounters(spare->counters());
  spare = std::move(running.cluster);
  return true;
}

void Worker::start(uint64_t index) {
  if (run.isPastFailure(index))
    return;
  Running running{index, spare ? std::move(spare) : std::make_unique<Cluster>(run.launch)};
  running.cluster->begin(uint32_t(index));
  if (advance(running))
    return;
  run.setAside();
  waiting.push_back(std::move(running));
}

/// False if there is nothing to start.
bool Worker::startNext() {
  if (!run.hasMore() || !run.hasRoom())
    return false;
  // A few at a time keep neighbours on one host thread.
  uint64_t chunk = waiting.empty() ? 4 : 1;
  uint64_t begin = run.take(chunk), end = std::min(begin + chunk, run.clusterCount);
  for (uint64_t index = begin; index < end; ++index)
    start(index);
  return begin < end;
}

/// False if none of them got on.
bool Worker::visitWaiting() {
  uint64_t before = run.epoch;
  for (size_t i = 0; i < waiting.size();) {
    if (!advance(waiting[i])) {
      ++i;
      continue;
    }
    run.putBack();
    waiting.erase(waiting.begin() + ptrdiff_t(i));
  }
  return run.epoch != before;
}

void Worker::reportDeadlock() {
  if (waiting.empty())
    return;
  auto lowest = std::min_element(waiting.begin(), waiting.end(),
                                 [](const Running &a, const Running &b) { return a.index < b.index; });
  lowest->cluster->reportDeadlock();
  run.failToEnd(lowest->index, lowest->cluster->finding());
}

void Worker::work() {
  unsigned fruitlessLooks = 0;
  for (;;) {
    run.setBusy(number);
    uint64_t since = run.epoch;
    bool started = startNext();
    if (!started && waiting.empty() && !run.hasMore())
      break;
    bool gotOn = visitWaiting() || started;
    fruitlessLooks = gotOn ? 0 : fruitlessLooks + 1;
    if (fruitlessLooks <= maxFruitlessLooks) {
      if (!gotOn)
        std::this_thread::yield();
      continue;
    }
    if (run.setIdle(number, since)) {
      reportDeadlock();
      break;
    }
    std::this_thread::yield();
  }
  run.setIdle(number, LaunchRun::done);
  for (const Running &running : waiting)
    run.addCounters(running.cluster->counters());
  if (spare)
    run.addCounters(spare->counters());
}

} // namespace

void add(LaunchCounters &sum, const LaunchCounters &counted) {
  sum.warpInstructions += counted.warpInstructions;
  sum.globalLoads += counted.globalLoads;
  sum.globalStores += counted.globalStores;
  sum.globalLoadBytes += counted.globalLoadBytes;
  sum.globalStoreBytes += counted.globalStoreBytes;
  sum.barriers += counted.barriers;
}

Status runLaunch(const Launch &launch, unsigned hostThreads, LaunchCounters &counters) {
  auto workers = unsigned(std::min<uint64_t>(hostThreads, launch.grid / launch.cluster));
  LaunchRun run(launch, workers, counters);
  std::vector<std::thread> others;
  for (unsigned i = 1; i < workers; ++i)
    others.emplace_back([&run, i] { Worker(run, i).work(); });
  Worker(run, 0).work();
  for (std::thread &other : others)
    other.join();
  if (!run.finding().empty())
    return Error{run.finding()};
  return {};
}

} // namespace fastnorm::emulator
