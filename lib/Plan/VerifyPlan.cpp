//===- VerifyPlan.cpp - Whether a plan refers only to what it has ---------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Executor indexes without looking: everything it would trip over is
// refused here, whether the plan came from the compiler or from a file.
//
//===----------------------------------------------------------------------===//

#include "VerifyTensors.h"

#include <set>

namespace fastnorm {

namespace {

constexpr int64_t kMaxThreads = 1024;
/// What a kernel may opt in to; 8 is what every GPU with clusters has.
constexpr int64_t kMaxCluster = 16;
/// No GPU has this much shared memory; what one has is the device's to say.
constexpr int64_t kMaxDynamicSharedBytes = int64_t(1) << 20;

class Verifier {
public:
  explicit Verifier(const Plan &plan) : plan(plan) {}

  Status run();

private:
  Status symbols() const;
  Status variant(const Variant &variant, const std::string &place) const;
  Status launch(const Launch &launch, const Variant &variant, const std::string &place) const;
  Status argument(const LaunchArgument &argument, const Variant &variant, const std::string &place) const;
  Status expression(const Expression &expression, const std::string &place) const;
  Status expression(const Expression &expression, const std::string &place, int64_t depth, int64_t &nodes) const;
  Status withoutSmLimit(const Expression &expression, const std::string &place) const;

  const Plan &plan;
};

Status Verifier::symbols() const {
  std::set<std::string> seen;
  for (size_t index = 0; index < plan.symbols.size(); ++index) {
    if (plan.symbols[index].empty())
      return Error{"expected symbol " + std::to_string(index) + " to have a name, but it is empty"};
    if (!seen.insert(plan.symbols[index]).second)
      return Error{"expected symbol names to differ, but '" + plan.symbols[index] + "' stands twice"};
    if (plan.symbols[index] == kSmLimitSymbol && index + 1 != plan.symbols.size())
      return Error{std::string("expected ") + kSmLimitSymbol + " to be the last of " +
                   counted(plan.symbols.size(), "symbol") + ", but it is number " + std::to_string(index)};
  }
  return {};
}

Status Verifier::expression(const Expression &expression, const std::string &place, int64_t depth,
                            int64_t &nodes) const {
  if (depth > Expression::kMaxDepth || ++nodes > Expression::kMaxNodes)
    return Error{"expected " + place + " to be an expression of at most " + std::to_string(Expression::kMaxNodes) +
                 " operations nested at most " + std::to_string(Expression::kMaxDepth) + " deep, but it is larger"};
  if (expression.kind() == Expression::Kind::Symbol && !isIndexOf(expression.value(), plan.symbols.size()))
    return Error{"expected " + place + " to use one of " + counted(plan.symbols.size(), "symbol") +
                 ", but it uses number " + std::to_string(expression.value())};
  for (const Expression &operand : expression.operands())
    if (Status status = this->expression(operand, place, depth + 1, nodes); !status)
      return status;
  return {};
}

Status Verifier::expression(const Expression &expression, const std::string &place) const {
  int64_t nodes = 0;
  return this->expression(expression, place, 1, nodes);
}

/// What has to be known before the device is, or for every limit.
Status Verifier::withoutSmLimit(const Expression &expression, const std::string &place) const {
  if (expression.kind() == Expression::Kind::Symbol &&
      expression.value() >= static_cast<int64_t>(tensorSymbolCount(plan)))
    return Error{"expected " + place + " not to depend on " + kSmLimitSymbol + ", but it does"};
  for (const Expression &operand : expression.operands())
    if (Status status = withoutSmLimit(operand, place); !status)
      return status;
  return {};
}

Status Verifier::argument(const LaunchArgument &argument, const Variant &variant, const std::string &place) const {
  auto refersTo = [&](size_t count, const char *noun) -> Status {
    if (isIndexOf(argument.index, count))
      return {};
    return Error{"expected " + place + " to be one of " + counted(count, noun) + ", but it is number " +
                 std::to_string(argument.index)};
  };
  switch (argument.kind) {
  case LaunchArgument::Kind::Argument: return refersTo(plan.arguments.size(), "argument");
  case LaunchArgument::Kind::Result: return refersTo(plan.results.size(), "result");
  case LaunchArgument::Kind::Workspace: return refersTo(variant.workspaces.size(), "workspace");
  case LaunchArgument::Kind::I32:
  case LaunchArgument::Kind::I64: return expression(argument.value, place);
  }
  return Error{"expected " + place + " to be of a known kind, but it is not"};
}

Status Verifier::launch(const Launch &launch, const Variant &variant, const std::string &place) const {
  if (launch.kernel.empty())
    return Error{"expected " + place + " to name a kernel, but the name is empty"};
  if (launch.threads < 1 || launch.threads > kMaxThreads)
    return Error{"expected " + place + " to have 1 to " + std::to_string(kMaxThreads) +
                 " threads per CTA, but it has " + std::to_string(launch.threads)};
  if (launch.cluster < 1 || launch.cluster > kMaxCluster)
    return Error{"expected " + place + " to have 1 to " + std::to_string(kMaxCluster) +
                 " CTAs per cluster, but it has " + std::to_string(launch.cluster)};
  if (launch.dynamicSharedBytes < 0 || launch.dynamicSharedBytes > kMaxDynamicSharedBytes)
    return Error{"expected " + place + " to use 0 to " + std::to_string(kMaxDynamicSharedBytes) +
                 " bytes of dynamic shared memory, but it uses " + std::to_string(launch.dynamicSharedBytes)};
  if (Status status = expression(launch.grid, "the grid of " + place); !status)
    return status;
  if (Status status = expression(launch.readBytes, "the read bytes of " + place); !status)
    return status;
  if (Status status = expression(launch.writtenBytes, "the written bytes of " + place); !status)
    return status;
  for (size_t index = 0; index < launch.arguments.size(); ++index) {
    std::string argumentPlace = "kernel argument " + std::to_string(index) + " of " + place;
    if (Status status = argument(launch.arguments[index], variant, argumentPlace); !status)
      return status;
  }
  return {};
}

Status Verifier::variant(const Variant &variant, const std::string &place) const {
  for (const SymbolRange &range : variant.ranges) {
    if (!isIndexOf(range.symbol, plan.symbols.size()))
      return Error{"expected a range of " + place + " to limit one of " + counted(plan.symbols.size(), "symbol") +
                   ", but it limits number " + std::to_string(range.symbol)};
    if (!isIndexOf(range.symbol, tensorSymbolCount(plan)))
      return Error{"expected no range of " + place + " to limit " + kSmLimitSymbol + ", but one does"};
    if (range.low > range.high)
      return Error{"expected a range of " + place + " to hold a value, but it is " + std::to_string(range.low) +
                   " to " + std::to_string(range.high)};
  }
  if (!isPowerOfTwo(variant.alignment) || variant.alignment > Variant::kMaxAlignment)
    return Error{"expected the alignment of " + place + " to be a power of two up to " +
                 std::to_string(Variant::kMaxAlignment) + ", but it is " + std::to_string(variant.alignment)};
  if (!variant.launches.empty() && variant.ptx.empty())
    return Error{"expected " + place + " to have PTX for its " + std::to_string(variant.launches.size()) + " launches" +
                 ", but it is empty"};
  for (size_t index = 0; index < variant.workspaces.size(); ++index) {
    std::string workspacePlace = "the bytes of workspace " + std::to_string(index) + " of " + place;
    if (Status status = expression(variant.workspaces[index].bytes, workspacePlace); !status)
      return status;
    if (Status status = withoutSmLimit(variant.workspaces[index].bytes, workspacePlace); !status)
      return status;
  }
  for (size_t index = 0; index < variant.launches.size(); ++index) {
    std::string launchPlace = "launch " + std::to_string(index) + " of " + place;
    if (Status status = launch(variant.launches[index], variant, launchPlace); !status)
      return status;
  }
  return {};
}

Status Verifier::run() {
  if (Status status = symbols(); !status)
    return status;
  if (Status status = verifyTensors(plan); !status)
    return status;
  if (plan.variants.empty())
    return Error{"expected plan '" + plan.function + "' to have a variant, but it has none"};
  for (size_t index = 0; index < plan.variants.size(); ++index)
    if (Status status = variant(plan.variants[index], "variant " + std::to_string(index)); !status)
      return status;
  return {};
}

} // namespace

Status verify(const Plan &plan) { return Verifier(plan).run(); }

} // namespace fastnorm
