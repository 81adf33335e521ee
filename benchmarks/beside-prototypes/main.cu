//===- main.cu - Plans and prototypes, timed in turns ---------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// beside-prototypes GRAPH ROWS HIDDEN cold|hot COPY.json PLAN.json...
//
// GRAPH is rms_norm, layer_norm, their _backward, combine_norm:TOP_K or
// combine_backward:TOP_K (bijective). All run on the same buffers, in turns, and
// their results are compared; cold: enough sets of them to pass the L2 three times, hot: one. COPY.json is a plan that
// copies one tensor of as many rows as make the same bytes; COPY.json may be a
// list with commas, the fastest is the copy. Prints a Markdown table.
//
//===----------------------------------------------------------------------===//

#include "prototypes.h"

#include "fastnorm/Plan/PlanJson.h"
#include "runtime/Bench/Sampler.h"
#include "runtime/Cuda/CudaDevice.h"
#include "runtime/Cuda/CudaStream.h"
#include "runtime/Executor/Executor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>

using namespace fastnorm;

template <typename T> static T orDie(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "beside-prototypes: error: %s\n", result.error().c_str());
    std::exit(1);
  }
  return std::move(*result);
}

static void orDie(Status status) {
  if (!status) {
    std::fprintf(stderr, "beside-prototypes: error: %s\n", status.error().c_str());
    std::exit(1);
  }
}

static Plan readPlan(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return orDie(readPlanJson(text.str()));
}

static std::vector<uint16_t> randomBf16(size_t count, unsigned seed, float scale, float offset) {
  std::vector<uint16_t> values(count);
  uint32_t state = seed * 2654435761u + 1;
  for (uint16_t &value : values) {
    state = state * 1664525u + 1013904223u;
    value = bf16FromF32((static_cast<float>(state >> 8) / 16777216.0f - 0.5f) * scale + offset);
  }
  return values;
}

namespace {

/// Buffers of one rotation step; those a graph does not have stay empty.
struct BufferSet {
  std::unique_ptr<DeviceBuffer> rows, index, gate, residual, weight, y, rstd, mean, prototypeY;
  /// Of a gradient, whose grad_input is y: weight's and bias's, ours and the prototype's.
  std::unique_ptr<DeviceBuffer> gradOutput, gradWeight, gradBias, prototypeGradWeight, prototypeGradBias, partials;
  /// Of combine's gradient, whose grad_expert_rows is y.
  std::unique_ptr<DeviceBuffer> gradGate, prototypeGradGate;
};

struct Shape {
  bool combine;
  bool layerNorm;
  bool backward;
  int64_t rows;
  int64_t hidden;
  int64_t topK; ///< of a combine, else 1
  int64_t sourceRows() const { return rows * topK; }
  /// Of y, or of the gradient that stands in its place.
  int64_t resultRows() const { return combine && backward ? sourceRows() : rows; }
  /// Bytes of the activations: what the copy moves too.
  int64_t bytes() const {
    int64_t rowsMoved = combine ? sourceRows() + resultRows() + rows : rows * (backward ? 3 : 2);
    return rowsMoved * hidden * 2;
  }
};

/// "combine_norm:8" and two numbers.
static Shape parseShape(const std::string &graph, const char *rows, const char *hidden) {
  size_t colon = graph.find(':');
  return {graph.rfind("combine", 0) == 0,
          graph.rfind("layer_norm", 0) == 0,
          graph.find("_backward") != std::string::npos,
          std::atoll(rows),
          std::atoll(hidden),
          colon == std::string::npos ? 1 : std::atoll(graph.c_str() + colon + 1)};
}

} // namespace

static std::unique_ptr<DeviceBuffer> upload(Device &device, const void *data, size_t bytes, const char *label) {
  std::unique_ptr<DeviceBuffer> buffer = orDie(device.allocate(bytes, label));
  orDie(device.upload(buffer->address(), data, bytes));
  return buffer;
}

static BufferSet makeSet(Device &device, const Shape &shape, unsigned seed) {
  BufferSet set;
  size_t rowCount = shape.sourceRows();
  // The same values in every set: only the addresses must differ.
  // One row more, so that a residual can be the rows from the second on.
  static const std::vector<uint16_t> rows = randomBf16((rowCount + 1) * shape.hidden, 11, 3.4f, 0.1f);
  set.rows = upload(device, rows.data(), rowCount * shape.hidden * 2, "rows");
  if (shape.combine) {
    std::vector<int64_t> index(rowCount);
    for (size_t place = 0; place < rowCount; ++place)
      index[place] = place;
    std::shuffle(index.begin(), index.end(), std::mt19937_64(seed));
    set.index = upload(device, index.data(), index.size() * 8, "index");
    std::vector<float> gate(rowCount);
    for (size_t place = 0; place < rowCount; ++place)
      gate[place] = 0.05f + (place * 37 % 101) / 505.0f;
    set.gate = upload(device, gate.data(), gate.size() * 4, "gate");
    set.residual = upload(device, rows.data() + shape.hidden, shape.rows * shape.hidden * 2, "residual");
    std::vector<float> weight(shape.hidden);
    for (int64_t column = 0; column < shape.hidden; ++column)
      weight[column] = (column * 53 % 127) / 635.0f - 0.1f;
    set.weight = upload(device, weight.data(), weight.size() * 4, "weight");
  } else {
    std::vector<uint16_t> weight = randomBf16(shape.hidden, seed + 7, 0.5f, 1.0f);
    set.weight = upload(device, weight.data(), weight.size() * 2, "weight");
    // What a forward kernel writes, a backward kernel reads: about those of the rows.
    std::vector<float> rstd(shape.rows), mean(shape.rows);
    for (int64_t row = 0; row < shape.rows; ++row) {
      rstd[row] = 0.9f + (row * 29 % 113) / 565.0f;
      mean[row] = 0.1f + (row * 31 % 71) / 710.0f;
    }
    set.rstd = upload(device, rstd.data(), rstd.size() * 4, "rstd");
    set.mean = upload(device, mean.data(), mean.size() * 4, "mean");
  }
  if (shape.backward) {
    static const std::vector<uint16_t> gradients = randomBf16(shape.rows * shape.hidden, 13, 3.4f, 0.05f);
    set.gradOutput = upload(device, gradients.data(), gradients.size() * 2, "grad_output");
  }
  if (shape.backward && shape.combine) {
    for (std::unique_ptr<DeviceBuffer> *result : {&set.gradGate, &set.prototypeGradGate}) {
      *result = orDie(device.allocate(rowCount * 4, "gradient"));
      orDie(device.fill((*result)->address(), 0xff, rowCount * 4));
    }
  } else if (shape.backward) {
    for (std::unique_ptr<DeviceBuffer> *result :
         {&set.gradWeight, &set.gradBias, &set.prototypeGradWeight, &set.prototypeGradBias}) {
      *result = orDie(device.allocate(shape.hidden * 2, "gradient"));
      orDie(device.fill((*result)->address(), 0xff, shape.hidden * 2));
    }
    set.partials = orDie(device.allocate(2 * device.info().multiprocessors * shape.hidden * 4, "partials"));
  }
  size_t bytes = shape.resultRows() * shape.hidden * 2;
  for (std::unique_ptr<DeviceBuffer> *result : {&set.y, &set.prototypeY}) {
    *result = orDie(device.allocate(bytes, "result"));
    orDie(device.fill((*result)->address(), 0xff, bytes));
  }
  return set;
}

template <typename T = void> static T *pointer(const std::unique_ptr<DeviceBuffer> &buffer) {
  return reinterpret_cast<T *>(buffer->address());
}

static BackwardPointers backwardPointers(const BufferSet &set) {
  auto *partials = pointer<float>(set.partials);
  return {pointer(set.rows),
          pointer(set.gradOutput),
          pointer(set.weight),
          pointer<float>(set.rstd),
          pointer<float>(set.mean),
          pointer(set.prototypeY),
          pointer(set.prototypeGradWeight),
          pointer(set.prototypeGradBias),
          partials,
          partials + set.partials->byteCount() / 8};
}

/// `variant`: vectors a thread of a combine, CTAs a row of a norm, the tile of a gradient's second kernel.
static Status launchPrototype(Stream &stream, const Shape &shape, int variant, const BufferSet &set) {
  auto native = reinterpret_cast<cudaStream_t>(static_cast<cuda::CudaStream &>(stream).handle());
  bool known = shape.combine && shape.backward
                   ? launchCombineBackwardPrototype(native, shape.rows, shape.topK, shape.hidden, variant,
                                                    pointer(set.gradOutput), pointer(set.rows),
                                                    pointer<long>(set.index), pointer<float>(set.gate),
                                                    pointer(set.prototypeY), pointer<float>(set.prototypeGradGate))
               : shape.combine
                   ? launchCombinePrototype(native, shape.rows, shape.topK, shape.hidden, variant, pointer(set.rows),
                                            pointer<long>(set.index), pointer<float>(set.gate), pointer(set.residual),
                                            pointer<float>(set.weight), pointer(set.prototypeY))
               : shape.backward ? launchBackwardPrototype(native, shape.layerNorm, shape.rows, shape.hidden, variant,
                                                          backwardPointers(set))
                                : launchNormPrototype(native, shape.layerNorm, shape.rows, shape.hidden, variant,
                                                      pointer(set.rows), pointer(set.weight), pointer(set.prototypeY),
                                                      pointer<float>(set.rstd), pointer<float>(set.mean));
  return known ? Status() : Status(Error{"no prototype for this shape"});
}

static Operand operandFor(const TensorSpec &spec, const Shape &shape, const BufferSet &set) {
  Operand operand;
  operand.name = spec.name;
  operand.dtype = spec.dtype;
  for (const Extent &extent : spec.shape)
    operand.shape.push_back(extent.symbol ? shape.rows : extent.fixed);
  const std::pair<const char *, const std::unique_ptr<DeviceBuffer> *> buffers[] = {{"x", &set.rows},
                                                                                    {"expert_rows", &set.rows},
                                                                                    {"row_index", &set.index},
                                                                                    {"gate", &set.gate},
                                                                                    {"residual", &set.residual},
                                                                                    {"weight", &set.weight},
                                                                                    {"bias", &set.weight},
                                                                                    {"y", &set.y},
                                                                                    {"rstd", &set.rstd},
                                                                                    {"mean", &set.mean},
                                                                                    {"grad_output", &set.gradOutput},
                                                                                    {"grad_input", &set.y},
                                                                                    {"grad_weight", &set.gradWeight},
                                                                                    {"grad_bias", &set.gradBias},
                                                                                    {"grad_expert_rows", &set.y},
                                                                                    {"grad_gate", &set.gradGate}};
  for (auto [name, buffer] : buffers)
    if (spec.name == name)
      operand.address = (*buffer)->address();
  if (spec.name == "expert_rows" || spec.name == "grad_expert_rows")
    operand.shape[0] = shape.sourceRows();
  return operand;
}

static float asF32(uint16_t bits) { return f32FromBf16(bits); }
static float asF32(float value) { return value; }

/// Largest difference of two results of elements T (bf16 as its bits) over the largest value of the second.
template <typename T>
static double difference(Device &device, const DeviceBuffer &mine, const DeviceBuffer &prototypes) {
  size_t count = prototypes.byteCount() / sizeof(T);
  std::vector<T> ours(count), theirs(count);
  orDie(device.download(ours.data(), mine.address(), count * sizeof(T)));
  orDie(device.download(theirs.data(), prototypes.address(), count * sizeof(T)));
  double worst = 0, largest = 0;
  for (size_t place = 0; place < count; ++place) {
    double a = asF32(ours[place]), b = asF32(theirs[place]);
    if (!(std::fabs(a - b) <= worst))
      worst = std::isnan(a - b) ? INFINITY : std::fabs(a - b);
    largest = std::max(largest, std::fabs(b));
  }
  return worst / largest;
}

/// The same of all results of a run.
static double difference(Device &device, const BufferSet &set, const Shape &shape) {
  double worst = difference<uint16_t>(device, *set.y, *set.prototypeY);
  if (set.gradGate)
    worst = std::max(worst, difference<float>(device, *set.gradGate, *set.prototypeGradGate));
  if (set.gradWeight)
    worst = std::max(worst, difference<uint16_t>(device, *set.gradWeight, *set.prototypeGradWeight));
  if (set.gradBias && shape.layerNorm)
    worst = std::max(worst, difference<uint16_t>(device, *set.gradBias, *set.prototypeGradBias));
  return worst;
}

int main(int argc, char **argv) {
  if (argc < 7) {
    std::fprintf(stderr,
                 "usage: beside-prototypes rms_norm|layer_norm|rms_norm_backward|layer_norm_backward|"
                 "combine_norm:TOP_K|combine_backward:TOP_K ROWS HIDDEN cold|hot COPY.json[,COPY.json] PLAN.json...\n");
    return 2;
  }
  Shape shape = parseShape(argv[1], argv[2], argv[3]);
  bool hot = !std::strcmp(argv[4], "hot");
  std::unique_ptr<Device> device = orDie(createCudaDevice(0));
  constexpr int64_t kMostSets = 1024;
  const int setCount =
      hot ? 1 : std::min(kMostSets, std::max<int64_t>(6, rotatingSetCount(device->info(), shape.bytes())));
  std::vector<BufferSet> sets;
  for (int number = 0; number < setCount; ++number)
    sets.push_back(makeSet(*device, shape, 11 + number));

  std::vector<BenchCandidate> candidates;
  std::vector<std::string> notes;
  auto addPrototype = [&](const char *name, int variant) {
    BenchCandidate candidate;
    candidate.name = name + std::to_string(variant);
    for (const BufferSet &set : sets)
      candidate.launches.push_back(
          [&, variant](Stream &stream) { return launchPrototype(stream, shape, variant, set); });
    candidates.push_back(candidate);
    notes.push_back("");
  };
  std::unique_ptr<Stream> stream = orDie(device->createStream());
  if (shape.combine) {
    for (int vectors : {1, 2, 4})
      if (launchPrototype(*stream, shape, vectors, sets[0]))
        addPrototype("prototype, vectors a thread: ", vectors);
  } else {
    addPrototype("prototype ", 1);
    if (shape.backward) {
      addPrototype("prototype, finalize tile ", 0);
      addPrototype("prototype, finalize tile ", 2);
    } else if (shape.rows <= 256) {
      addPrototype("prototype, CTAs a row: ", 4);
    }
  }
  if (!shape.combine)
    orDie(launchPrototype(*stream, shape, 1, sets[0]));
  orDie(stream->synchronize());
  size_t prototypes = candidates.size();

  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<std::unique_ptr<std::vector<Execution>>> executions;
  for (int number = 6; number < argc; ++number) {
    executors.push_back(orDie(Executor::create(readPlan(argv[number]), *device)));
    const Executor &executor = *executors.back();
    executions.push_back(std::make_unique<std::vector<Execution>>());
    for (const BufferSet &set : sets) {
      std::vector<Operand> arguments, results;
      for (const TensorSpec &spec : executor.plan().arguments)
        arguments.push_back(operandFor(spec, shape, set));
      for (const TensorSpec &spec : executor.plan().results)
        results.push_back(operandFor(spec, shape, set));
      executions.back()->push_back(orDie(executor.prepare(arguments, results)));
    }
    orDie(device->fill(sets[0].y->address(), 0xff, sets[0].y->byteCount()));
    orDie(executions.back()->front().launch(*stream));
    orDie(stream->synchronize());
    LaunchFacts facts = orDie(executions.back()->front().facts())[0];
    char note[200];
    std::snprintf(note, sizeof note, "%lld × %lld, %lld registers, %lld spill bytes, difference %.1e",
                  static_cast<long long>(facts.grid), static_cast<long long>(facts.threads),
                  static_cast<long long>(facts.facts.registers.value_or(-1)),
                  static_cast<long long>(facts.facts.spillBytes.value_or(-1)), difference(*device, sets[0], shape));
    BenchCandidate candidate;
    std::string path = argv[number];
    candidate.name = path.substr(path.rfind('/') + 1);
    for (const Execution &execution : *executions.back())
      candidate.launches.push_back([&execution](Stream &on) { return execution.launch(on); });
    candidates.push_back(candidate);
    notes.push_back(note);
  }

  // The copy moves the same bytes between buffers of its own.
  size_t firstCopy = candidates.size();
  std::vector<std::unique_ptr<DeviceBuffer>> copyBuffers;
  std::stringstream copies(argv[5]);
  for (std::string path; std::getline(copies, path, ',');) {
    executors.push_back(orDie(Executor::create(readPlan(path), *device)));
    const Executor &executor = *executors.back();
    executions.push_back(std::make_unique<std::vector<Execution>>());
    int64_t width = executor.plan().arguments[0].shape[1].fixed;
    int64_t rows = std::max<int64_t>(1, shape.bytes() / 4 / width);
    for (int number = 0; number < setCount; ++number) {
      if (copyBuffers.size() < 2 * setCount)
        for (int side = 0; side < 2; ++side)
          copyBuffers.push_back(orDie(device->allocate(rows * width * 2, "copy")));
      Operand from{executor.plan().arguments[0].name, 0, executor.plan().arguments[0].dtype, {rows, width}};
      Operand to = from;
      to.name = executor.plan().results[0].name;
      from.address = copyBuffers[number * 2]->address();
      to.address = copyBuffers[number * 2 + 1]->address();
      executions.back()->push_back(orDie(executor.prepare({from}, {to})));
    }
    BenchCandidate candidate;
    candidate.name = path.substr(path.rfind('/') + 1);
    for (const Execution &execution : *executions.back())
      candidate.launches.push_back([&execution](Stream &on) { return execution.launch(on); });
    candidates.push_back(candidate);
  }

  std::vector<BenchResult> results = orDie(sampleInTurns(*device, candidates)).results;
  double copy = INFINITY, prototype = INFINITY;
  for (size_t number = firstCopy; number < results.size(); ++number)
    copy = std::min(copy, results[number].summary.median);
  for (size_t number = 0; number < prototypes; ++number)
    prototype = std::min(prototype, results[number].summary.median);
  std::printf("%s %lld x %lld %s, copy of the same %.1f MB: %.2f us, %.2f TB/s\n", argv[1],
              static_cast<long long>(shape.rows), static_cast<long long>(shape.hidden), hot ? "hot" : "cold",
              shape.bytes() / 1e6, copy, shape.bytes() / copy / 1e6);
  std::printf("| kernel | µs | noise %% | of the prototype | %% of the copy | |\n|---|---|---|---|---|---|\n");
  for (size_t number = 0; number < firstCopy; ++number)
    std::printf("| %s | %.2f | %.1f | %.3f | %.1f | %s |\n", results[number].name.c_str(),
                results[number].summary.median, results[number].summary.noise * 100,
                results[number].summary.median / prototype, copy / results[number].summary.median * 100,
                notes[number].c_str());
  return 0;
}
