//===- Baseline.cpp - What kernels are compared with ----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Baseline.h"

#include "RunPlan.h"
#include "Source.h"

#include "runtime/TensorIO/Fill.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstring>

using namespace fastnorm;
using namespace fastnorm::tool;

/// Tensors in all; a thread holds a vector of each.
static constexpr int64_t kMaxTensors = 12;
/// Vectors of all that is read, that a thread has on their way.
static constexpr int64_t kMaxVectors = 16;

/// Rows are a multiple of every column chunk: four f32, the 16 bytes that a thread loads at once, times the most
/// vectors and threads that are searched.
static int64_t hiddenOf(StreamMix mix) { return mix.isCopy() ? 32768 : 8192; }

StreamMix StreamMix::nearest(int64_t readBytes, int64_t writtenBytes) {
  StreamMix best;
  double bestError = HUGE_VAL;
  double wanted = std::log(std::max(1.0, double(readBytes)) / std::max(1.0, double(writtenBytes)));
  // The fewest tensors first; more have to be nearer by a twentieth.
  for (int64_t tensors = 2; tensors <= kMaxTensors; ++tensors)
    for (int64_t writes = 1; writes < tensors; ++writes) {
      double error = std::abs(std::log(double(tensors - writes) / double(writes)) - wanted);
      if (error < bestError - 0.05 || (error < 0.01 && bestError >= 0.01)) {
        best = {tensors - writes, writes};
        bestError = error;
      }
    }
  return best;
}

static std::string repeated(int64_t count, llvm::StringRef separator, llvm::StringRef form) {
  std::vector<std::string> parts;
  for (int64_t index = 0; index < count; ++index)
    parts.push_back(llvm::formatv(form.data(), index).str());
  return llvm::join(parts, separator);
}

/// One map: the sum of what is read, and for other results than the first a number more, so that they differ.
static std::string mapText(StreamMix mix, const std::string &type, int64_t result) {
  std::string text = llvm::formatv("    %r{0} = fastnorm.map({1}) -> [row, hidden] : ({2}) -> {3} {{\n    ^bb0({4}):\n",
                                   result, repeated(mix.reads, ", ", "%k{0} [row, hidden]"),
                                   repeated(mix.reads, ", ", type), type, repeated(mix.reads, ", ", "%e{0}: f32"))
                         .str();
  std::string sum = "%e0";
  for (int64_t index = 1; index < mix.reads; ++index) {
    text += llvm::formatv("      %s{0} = arith.addf {1}, %e{0} : f32\n", index, sum).str();
    sum = "%s" + std::to_string(index);
  }
  if (result > 0) {
    text += llvm::formatv("      %c = arith.constant {0}.0 : f32\n      %t = arith.addf {1}, %c : f32\n", result, sum);
    sum = "%t";
  }
  return text + "      fastnorm.yield " + sum + " : f32\n    }\n";
}

static std::string graphText(StreamMix mix, int64_t vectors, int64_t threads) {
  std::string type = llvm::formatv("tensor<?x{0}xf32>", hiddenOf(mix)).str();
  std::string reads = repeated(mix.reads, ", ", type), writes = repeated(mix.writes, ", ", type);
  std::string results = repeated(mix.writes, ", ", "%r{0}");
  std::string name = mix.isCopy() ? "copy" : "stream";
  std::string text = "func.func @" + name + "(" + repeated(mix.reads, ", ", "%from{0}: " + type) + ") -> (" + writes;
  text += ") {\n  %to:" + std::to_string(mix.writes) + " = fastnorm.kernel \"" + name + "\" (";
  text += repeated(mix.reads, ", ", "%k{0} = %from{0}");
  text +=
      llvm::formatv(") {{\n      schedule = #fastnorm.schedule<kind = per_element, scope = cta, threads_per_row = {0}"
                    ", vector_width = 4,\n      vectors_per_thread = {1}, vectors_in_flight = {1}>}\n    : ",
                    threads, vectors);
  text += "(" + reads + ") -> (" + writes + ") {\n";
  for (int64_t result = 0; result < mix.writes; ++result)
    text += mapText(mix, type, result);
  text += "    fastnorm.yield " + results + " : " + writes + "\n  }\n  return ";
  return text + repeated(mix.writes, ", ", "%to#{0}") + " : " + writes + "\n}\n";
}

int64_t Baseline::rowBytes() const { return hiddenOf(mix) * 4; }

/// "copy", "stream of 10 reads to 1 write".
std::string Baseline::describe() const {
  if (mix.isCopy())
    return "copy";
  return "stream of " + std::to_string(mix.reads) + (mix.reads == 1 ? " read to " : " reads to ") +
         std::to_string(mix.writes) + (mix.writes == 1 ? " write" : " writes");
}

Status Baseline::fill() {
  for (int64_t index = 0; index < mix.reads; ++index) {
    std::string name = "from" + std::to_string(index);
    // Real values, not zeros: what the data lines switch is part of what a copy costs.
    Result<HostTensor> from = fillTensor(FillRole(), DType::F32, {rows, hiddenOf(mix)}, 0, name);
    if (!from)
      return from.takeError();
    expected.resize(from->byteCount() / sizeof(float), 0.0f);
    for (size_t element = 0; element < expected.size(); ++element) {
      float value = 0.0f;
      std::memcpy(&value, from->data() + element * sizeof(float), sizeof(float));
      expected[element] = index == 0 ? value : expected[element] + value;
    }
    inputs.emplace(name, std::move(*from));
  }
  return {};
}

Result<Baseline> Baseline::create(Device &device, const std::string &target, int64_t byteCount, StreamMix mix,
                                  CacheState state) {
  Baseline baseline;
  baseline.mix = mix;
  int64_t bytesPerRow = (mix.reads + mix.writes) * baseline.rowBytes();
  baseline.rows = std::max<int64_t>(1, (byteCount + bytesPerRow - 1) / bytesPerRow);
  Status made = baseline.fill();
  int64_t mostThreads = mix.isCopy() ? 1024 : 512;
  for (int64_t vectors : {1, 2, 4, 8})
    for (int64_t threads = 256; made && threads <= mostThreads; threads *= 2)
      if (vectors == 1 || vectors * mix.reads * (mix.isCopy() ? 2 : 4) <= kMaxVectors)
        made = baseline.add(device, target, vectors, threads);
  if (made)
    made = baseline.bind(state);
  if (!made)
    return Error{"the " + baseline.describe() + " to compare with: " + made.error()};
  return baseline;
}

Status Baseline::checkResults(const std::string &name, const Plan &plan, const NamedTensors &outputs) const {
  int64_t number = 0;
  for (const TensorSpec &result : plan.results) {
    const HostTensor &tensor = outputs.at(result.name);
    for (size_t element = 0; element < expected.size(); ++element) {
      float value = 0.0f;
      std::memcpy(&value, tensor.data() + element * sizeof(float), sizeof(float));
      float wanted = number == 0 ? expected[element] : expected[element] + static_cast<float>(number);
      if (value != wanted)
        return Error{"expected " + name + " to write the sum of what it reads, but element " + std::to_string(element) +
                     " of '" + result.name + "' differs"};
    }
    ++number;
  }
  return {};
}

/// Compiles a stream, and runs it once: a wrong one would be a fast one.
Status Baseline::add(Device &device, const std::string &target, int64_t vectors, int64_t threads) {
  std::string name = llvm::formatv("{0}, {1} vectors x {2} threads", describe(), vectors, threads);
  Result<Source> source = Source::parse(graphText(mix, vectors, threads), name);
  if (!source)
    return source.takeError();
  CompileOptions options;
  options.target = target;
  Result<Plan> plan = source->plan(options);
  if (!plan)
    return plan.takeError();
  Result<std::unique_ptr<Executor>> executor = Executor::create(std::move(*plan), device);
  if (!executor)
    return executor.takeError();
  Result<RunResult> run = runPlan(**executor, uploadsOf(inputs), {});
  if (!run)
    return run.takeError();
  Result<NamedTensors> outputs = run->operands.downloadResults();
  if (!outputs)
    return outputs.takeError();
  if (Status right = checkResults(name, (*executor)->plan(), *outputs); !right)
    return right;
  kernels.push_back({std::move(name), std::move(*executor), std::nullopt});
  return {};
}

Status Baseline::bind(CacheState state) {
  // What has rows is all there is.
  state = state == CacheState::Cold ? CacheState::Cold : CacheState::Hot;
  Result<RotatingSets> rotating = RotatingSets::create(*kernels.front().executor, uploadsOf(inputs), {}, state);
  if (!rotating)
    return rotating.takeError();
  sets = std::move(*rotating);
  for (Kernel &kernel : kernels) {
    Result<Rotation> rotation = Rotation::create(*kernel.executor, *sets, {});
    if (!rotation)
      return rotation.takeError();
    kernel.rotation = std::move(*rotation);
  }
  return {};
}

std::vector<BenchCandidate> Baseline::candidates() const {
  std::vector<BenchCandidate> result;
  for (const Kernel &kernel : kernels)
    result.push_back(kernel.rotation->graph(kernel.name));
  return result;
}

Timed Baseline::timed(BenchResult samples) const {
  Timed timed;
  timed.name = samples.name;
  timed.readBytes = readBytes();
  timed.writtenBytes = writtenBytes();
  bool isCold = sets->state() == CacheState::Cold && !sets->needsFlush();
  timed.memoryBytes = isCold ? timed.byteCount() : 0;
  timed.samples = std::move(samples);
  return timed;
}
