//===- MeasurementJson.cpp - Measurements as JSON -------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each struct lists its fields once; a writer and a reader go over the list.
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/MeasurementJson.h"

#include "runtime/Bench/Table.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <type_traits>
#include <utility>

namespace fastnorm {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kFormat = "fastnorm measurement";
constexpr int64_t kFormatVersion = 1;

constexpr std::pair<CacheState, const char *> kStates[] = {
    {CacheState::Cold, "cold"}, {CacheState::Hot, "hot"}, {CacheState::Serving, "serving"}};
constexpr std::pair<StopReason, const char *> kReasons[] = {{StopReason::Precise, "precise"},
                                                            {StopReason::OutOfTime, "out of time"},
                                                            {StopReason::Interrupted, "interrupted"},
                                                            {StopReason::Failed, "failed"}};
const auto &namesOf(CacheState) { return kStates; }
const auto &namesOf(StopReason) { return kReasons; }

template <typename Archive> void listFields(Archive &archive, Rival &rival) {
  archive.field("name", rival.name);
  archive.field("microseconds", rival.microseconds);
}

template <typename Archive> void listFields(Archive &archive, Warning &warning) {
  archive.field("what", warning.what);
  archive.field("remedy", warning.remedy);
}

template <typename Archive> void listFields(Archive &archive, DeviceInfo &device) {
  archive.field("name", device.name);
  archive.field("chip", device.chip);
  archive.field("is_emulator", device.isEmulator);
  archive.field("cuda_driver", device.driver);
  archive.field("multiprocessors", device.multiprocessors);
  archive.field("max_threads_per_multiprocessor", device.maxThreadsPerMultiprocessor);
  archive.field("clock_hertz", device.clockHertz);
  archive.field("l2_bytes", device.l2Bytes);
  archive.field("memory_bytes", device.memoryBytes);
  archive.field("memory_bytes_per_second", device.memoryBytesPerSecond);
}

template <typename Archive> void listFields(Archive &archive, DeviceReading &reading) {
  archive.field("driver", reading.driver);
  archive.field("clock_megahertz", reading.clockMegahertz);
  archive.field("max_clock_megahertz", reading.maxClockMegahertz);
  archive.field("memory_clock_megahertz", reading.memoryClockMegahertz);
  archive.field("max_memory_clock_megahertz", reading.maxMemoryClockMegahertz);
  archive.field("watts", reading.watts);
  archive.field("limit_watts", reading.limitWatts);
  archive.field("celsius", reading.celsius);
  archive.field("slowdowns", reading.slowdowns);
  archive.field("other_processes", reading.otherProcesses);
}

template <typename Archive> void listFields(Archive &archive, LaunchCounters &counters) {
  archive.field("warp_instructions", counters.warpInstructions);
  archive.field("loads", counters.globalLoads);
  archive.field("stores", counters.globalStores);
  archive.field("loaded_bytes", counters.globalLoadBytes);
  archive.field("stored_bytes", counters.globalStoreBytes);
  archive.field("barriers", counters.barriers);
}

template <typename Archive> void listSummary(Archive &archive, const Summary &summary) {
  archive.derived("median", summary.median);
  archive.derived("median_low", summary.medianLow);
  archive.derived("median_high", summary.medianHigh);
  archive.derived("noise", summary.noise);
}

template <typename Archive> void listFields(Archive &archive, Timed &timed) {
  archive.field("name", timed.name);
  archive.field("read_bytes", timed.readBytes);
  archive.field("written_bytes", timed.writtenBytes);
  archive.field("memory_bytes", timed.memoryBytes);
  listSummary(archive, timed.samples.summary);
  std::optional<double> rate = timed.bytesPerSecond();
  archive.derived("gigabytes_per_second", rate ? std::optional<double>(*rate / 1e9) : std::nullopt);
  archive.field("refusal", timed.refusal);
  archive.field("launches_per_sample", timed.samples.launchesPerReplay);
  archive.field("microseconds", timed.samples.microseconds);
  archive.field("host_microseconds", timed.samples.hostMicroseconds);
}

template <typename Archive> void listFields(Archive &archive, KernelRow &row) {
  LaunchFacts &launch = row.launch;
  archive.field("name", launch.kernel);
  archive.field("schedule", launch.schedule);
  archive.field("grid", launch.grid);
  archive.field("threads", launch.threads);
  archive.field("cluster", launch.cluster);
  archive.field("registers", launch.facts.registers);
  archive.field("spill_bytes", launch.facts.spillBytes);
  archive.field("static_shared_bytes", launch.facts.staticSharedBytes);
  archive.field("dynamic_shared_bytes", launch.dynamicSharedBytes);
  archive.field("ctas_per_multiprocessor", launch.facts.ctasPerMultiprocessor);
  archive.field("read_bytes", launch.readBytes);
  archive.field("written_bytes", launch.writtenBytes);
  archive.field("workspace_bytes", launch.workspaceBytes);
  archive.field("counters", row.counters);
  archive.field("time", row.time);
}

template <typename Archive> void listFields(Archive &archive, Measurement &measurement) {
  archive.constant("format", kFormat);
  archive.constant("format_version", kFormatVersion);
  archive.field("program", measurement.version);
  archive.field("commit", measurement.commit);
  archive.field("date", measurement.date);
  archive.field("source", measurement.source);
  archive.field("function", measurement.function);
  archive.field("target", measurement.target);
  archive.field("plan_digest", measurement.planDigest);
  archive.field("symbols", measurement.symbols);
  archive.field("device", measurement.device);
  archive.field("readings", measurement.readings);
  archive.field("readings_missing", measurement.readingsMissing);
  archive.field("cache", measurement.state);
  archive.field("is_flushed", measurement.isFlushed);
  archive.field("sets", measurement.sets);
  archive.field("set_bytes", measurement.setBytes);
  archive.field("footprint_bytes", measurement.footprintBytes);
  archive.derived("footprint_per_l2", footprintPerL2(measurement));
  archive.field("stopped", measurement.reason);
  archive.field("seconds", measurement.seconds);
  archive.field("budget_seconds", measurement.budgetSeconds);
  archive.field("failure", measurement.failure);
  archive.field("graph", measurement.graph);
  if (measurement.graph) {
    archive.derived("share_of_copy", shareOf(*measurement.graph, measurement.copy));
    archive.derived("share_of_stream", shareOf(*measurement.graph, measurement.stream));
  }
  archive.field("copy", measurement.copy);
  archive.field("stream", measurement.stream);
  archive.field("against", measurement.rivals);
  archive.field("kernels", measurement.kernels);
  archive.field("warnings", measurement.warnings);
}

template <typename T> struct IsOptional : std::false_type {};
template <typename T> struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T> struct IsVector : std::false_type {};
template <typename T> struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
constexpr bool kIsPlain =
    std::is_arithmetic_v<T> || std::is_same_v<T, std::string> || std::is_same_v<T, std::map<std::string, int64_t>>;

class Writer {
public:
  template <typename T> void field(const char *key, T &value) { json[key] = toJson(value); }
  template <typename T> void constant(const char *key, const T &value) { json[key] = value; }
  template <typename T> void derived(const char *key, T value) { json[key] = toJson(value); }

  template <typename T> static Json toJson(T &value) {
    if constexpr (IsOptional<T>::value) {
      return value ? toJson(*value) : Json();
    } else if constexpr (IsVector<T>::value) {
      Json list = Json::array();
      for (auto &element : value)
        list.push_back(toJson(element));
      return list;
    } else if constexpr (std::is_enum_v<T>) {
      for (const auto &[named, name] : namesOf(value))
        if (named == value)
          return name;
      return Json();
    } else if constexpr (kIsPlain<T>) {
      return value;
    } else {
      Writer writer;
      listFields(writer, value);
      return std::move(writer.json);
    }
  }

  Json json = Json::object();
};

class Reader {
public:
  Reader(const Json &json, std::string place, std::string &failure)
      : json(json), place(std::move(place)), failure(failure) {}

  template <typename T> void field(const char *key, T &value) {
    auto found = json.find(key);
    if (found != json.end())
      read(*found, place + "." + key, value);
    else
      fail(place, "a member '" + std::string(key) + "'");
  }
  template <typename T> void constant(const char *key, const T &value) {
    auto found = json.find(key);
    if (found == json.end() || *found != Json(value))
      fail(place + "." + key, Json(value).dump());
  }
  template <typename T> void derived(const char *, const T &) {}

  void fail(const std::string &where, const std::string &what) {
    if (failure.empty())
      failure = "expected " + what + " at " + where;
  }

private:
  template <typename T> void read(const Json &from, const std::string &where, T &value) {
    if constexpr (IsOptional<T>::value) {
      value.reset();
      if (!from.is_null())
        read(from, where, value.emplace());
    } else if constexpr (IsVector<T>::value) {
      if (!from.is_array())
        return fail(where, "a list");
      value.clear();
      for (size_t index = 0; index < from.size() && failure.empty(); ++index)
        read(from[index], where + "[" + std::to_string(index) + "]", value.emplace_back());
    } else if constexpr (std::is_enum_v<T>) {
      readName(from, where, value);
    } else if constexpr (kIsPlain<T>) {
      readPlain(from, where, value);
    } else {
      if (!from.is_object())
        return fail(where, "an object");
      Reader reader(from, where, failure);
      listFields(reader, value);
    }
  }

  template <typename T> void readName(const Json &from, const std::string &where, T &value) {
    std::string known;
    for (const auto &[named, name] : namesOf(value)) {
      known += (known.empty() ? "" : ", ") + std::string(name);
      if (from == name) {
        value = named;
        return;
      }
    }
    fail(where, "one of " + known);
  }

  void readPlain(const Json &from, const std::string &where, std::string &value) {
    from.is_string() ? void(value = from.get<std::string>()) : fail(where, "a text");
  }
  void readPlain(const Json &from, const std::string &where, bool &value) {
    from.is_boolean() ? void(value = from.get<bool>()) : fail(where, "true or false");
  }
  void readPlain(const Json &from, const std::string &where, double &value) {
    from.is_number() ? void(value = from.get<double>()) : fail(where, "a number");
  }
  void readPlain(const Json &from, const std::string &where, int64_t &value) {
    bool fits = from.is_number_integer() && (!from.is_number_unsigned() || from.get<uint64_t>() <= uint64_t(INT64_MAX));
    fits ? void(value = from.get<int64_t>()) : fail(where, "an integer of 64 bits");
  }
  void readPlain(const Json &from, const std::string &where, uint64_t &value) {
    from.is_number_unsigned() ? void(value = from.get<uint64_t>()) : fail(where, "an integer from 0");
  }
  void readPlain(const Json &from, const std::string &where, std::map<std::string, int64_t> &value) {
    if (!from.is_object())
      return fail(where, "an object");
    for (auto item = from.begin(); item != from.end(); ++item)
      readPlain(item.value(), where + "." + item.key(), value[item.key()]);
  }

  const Json &json;
  std::string place;
  std::string &failure;
};

/// What was written is summarized afresh.
void summarizeAgain(Measurement &measurement) {
  auto summarizeTimed = [](Timed &timed) {
    timed.samples.name = timed.name;
    timed.samples.summary = summarize(timed.samples.microseconds);
    timed.samples.hostSummary = summarize(timed.samples.hostMicroseconds);
  };
  for (std::optional<Timed> *timed : {&measurement.graph, &measurement.copy, &measurement.stream})
    if (*timed)
      summarizeTimed(**timed);
  for (KernelRow &row : measurement.kernels)
    if (row.time)
      summarizeTimed(*row.time);
}

/// Texts of messages and names may hold any bytes.
std::string dump(const Json &json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json toJson(const Measurement &measurement) {
  Measurement copy = measurement;
  return Writer::toJson(copy);
}

} // namespace

std::string writeMeasurementJson(const Measurement &measurement) { return dump(toJson(measurement)); }

std::string writeMeasurementJson(const std::vector<Measurement> &measurements) {
  Json list = Json::array();
  for (const Measurement &measurement : measurements)
    list.push_back(toJson(measurement));
  return dump(list);
}

Result<std::vector<Measurement>> readMeasurementJson(std::string_view text) {
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return Error{"expected JSON, as --report=json writes it"};
  std::vector<Measurement> measurements;
  std::string failure;
  bool isList = json.is_array();
  if (isList && json.empty())
    return Error{"expected a measurement, but the list has none"};
  for (size_t index = 0; index < (isList ? json.size() : 1) && failure.empty(); ++index) {
    const Json &object = isList ? json[index] : json;
    std::string place = isList ? "measurement " + std::to_string(index) : "the measurement";
    if (!object.is_object())
      return Error{"expected an object as " + place};
    Reader reader(object, place, failure);
    listFields(reader, measurements.emplace_back());
    summarizeAgain(measurements.back());
  }
  if (!failure.empty())
    return Error{failure};
  return measurements;
}

} // namespace fastnorm
