//===- L2Flush.cpp - Reads that leave nothing else in the L2 --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "L2Flush.h"

#include "Source.h"

#include "runtime/Executor/OperandSet.h"

using namespace fastnorm;
using namespace fastnorm::tool;

// Two passes, because its loads are ordinary ones: lines that are read as streaming are the first to go themselves, and
// would leave others where they are.
static constexpr char kFlushGraph[] = R"(
func.func @flush(%lines: tensor<?x8192xf32>) -> tensor<?xf32> {
  %sums = fastnorm.kernel "flush" (%rows = %lines) {
      schedule = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 256, vector_width = 4,
                                    vectors_per_thread = 4, vectors_in_flight = 4>}
    : (tensor<?x8192xf32>) -> tensor<?xf32> {
    %sum = fastnorm.reduce add hidden (%rows [row, hidden]) : tensor<?x8192xf32> -> tensor<?xf32>
    fastnorm.yield %sum : tensor<?xf32>
  }
  return %sums : tensor<?xf32>
}
)";
static constexpr char kWhat[] = "what flushes the L2";
static constexpr int64_t kHidden = 8192;
static constexpr int64_t kRowBytes = kHidden * 4;

struct L2Flush::Parts {
  std::unique_ptr<Executor> executor;
  std::optional<OperandSet> operands;
  std::optional<Execution> execution;
};

Result<L2Flush> L2Flush::create(Device &device, const std::string &target) {
  Result<Source> source = Source::parse(kFlushGraph, "flush");
  if (!source)
    return inContext(kWhat, source.takeError());
  CompileOptions options;
  options.target = target;
  Result<Plan> plan = source->plan(options);
  if (!plan)
    return inContext(kWhat, plan.takeError());
  auto parts = std::make_shared<Parts>();
  Result<std::unique_ptr<Executor>> executor = Executor::create(std::move(*plan), device);
  if (!executor)
    return inContext(kWhat, executor.takeError());
  parts->executor = std::move(*executor);
  int64_t rows = (3 * device.info().l2Bytes + kRowBytes - 1) / kRowBytes;
  OperandSources inputs;
  inputs.emplace("lines", OperandSource{DType::F32, {rows, kHidden}, [=](Device &where, DeviceAddress address) {
                                          return where.fill(address, 0, static_cast<size_t>(rows * kRowBytes));
                                        }});
  Result<OperandSet> operands = OperandSet::create(parts->executor->plan(), device, inputs);
  if (!operands)
    return inContext(kWhat, operands.takeError());
  parts->operands.emplace(std::move(*operands));
  Result<Execution> execution = parts->executor->prepare(parts->operands->arguments(), parts->operands->results());
  if (!execution)
    return inContext(kWhat, execution.takeError());
  parts->execution.emplace(std::move(*execution));
  L2Flush flush;
  flush.parts = std::move(parts);
  return flush;
}

Status L2Flush::launch(Stream &stream) const { return parts->execution->launch(stream); }
