//===- Grouping.cpp - Which kernels share a launch ------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grouping.h"

#include "MergeKernels.h"
#include "Ties.h"

#include "fastnorm/CostModel/BestSchedule.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <array>
#include <set>

using namespace mlir;
using namespace fastnorm;

std::vector<std::string> Grouping::namesOf(func::FuncOp original) {
  llvm::StringMap<unsigned> seen;
  std::vector<std::string> names;
  for (KernelOp kernel : original.getBody().getOps<KernelOp>()) {
    unsigned count = ++seen[kernel.getName()];
    names.push_back(kernel.getName().str() + (count > 1 ? "#" + std::to_string(count) : ""));
  }
  return names;
}

Grouping::Grouping(func::FuncOp original) : copy(original.clone()), names(namesOf(original)) {
  for (KernelOp kernel : kernels()) {
    membersOf[kernel] = {static_cast<unsigned>(groupOf.size())};
    groupOf.push_back(groupOf.size());
  }
}

SmallVector<KernelOp> Grouping::kernels() const { return llvm::to_vector(function().getBody().getOps<KernelOp>()); }

std::string Grouping::str() const {
  std::string text;
  for (KernelOp kernel : kernels()) {
    text += text.empty() ? "" : ",";
    llvm::StringRef separator = "";
    for (unsigned member : members(kernel)) {
      text += separator.str() + names[member];
      separator = "+";
    }
  }
  return text;
}

FailureOr<std::vector<KernelPair>> Grouping::pairs() const {
  FailureOr<Symbols> symbols = Symbols::of(function());
  if (failed(symbols))
    return failure();
  std::vector<KernelPair> found;
  for (KernelOp consumer : kernels()) {
    llvm::SmallPtrSet<Operation *, 8> seen;
    for (Value input : consumer.getInputs())
      if (auto producer = input.getDefiningOp<KernelOp>(); producer && seen.insert(producer).second)
        found.push_back({producer, consumer, whyNotFusible(producer, consumer, *symbols)});
  }
  return found;
}

std::optional<Grouping> Grouping::with(const KernelPair &pair, TargetAttr target) const {
  Grouping result;
  result.copy = function().clone();
  result.names = names;
  result.groupOf = groupOf;
  KernelOp producer, consumer;
  for (auto [from, to] : llvm::zip(kernels(), result.kernels())) {
    result.membersOf[to] = SmallVector<unsigned>(members(from));
    if (from == pair.producer)
      producer = to;
    if (from == pair.consumer)
      consumer = to;
  }
  SmallVector<unsigned> joined(result.members(producer));
  llvm::append_range(joined, result.members(consumer));
  llvm::sort(joined);
  result.membersOf.erase(producer);
  result.membersOf.erase(consumer);
  KernelOp merged = mergeBeside(producer, consumer);
  replaceBoth(producer, consumer, merged);
  for (unsigned member : joined)
    result.groupOf[member] = joined.front();
  result.membersOf[merged] = std::move(joined);
  if (!bestSchedule(AccessPattern(merged), target) || findLateRead(result.function()).reader)
    return std::nullopt;
  return result;
}

/// So many groupings are looked at, and all of them up to six kernels in a chain.
static constexpr size_t kMostGroupings = 64;
/// Kernels of which pairs are tried one by one in each step.
static constexpr size_t kMostKernels = 8;

FailureOr<std::vector<Grouping>> fastnorm::enumerateGroupings(func::FuncOp function, TargetAttr target,
                                                              ArrayRef<GroupingCost> costs) {
  std::vector<Grouping> found;
  found.emplace_back(function);
  if (found.front().kernels().size() > kMostKernels) {
    for (const GroupingCost &cost : costs) {
      FailureOr<Grouping> fused = fuseInOrder(function, target, cost);
      if (failed(fused))
        return failure();
      if (llvm::none_of(found, [&](const Grouping &other) { return other.groups() == fused->groups(); }))
        found.push_back(std::move(*fused));
    }
    return found;
  }
  std::set<std::vector<unsigned>> seen{{found.front().groups().begin(), found.front().groups().end()}};
  std::vector<std::pair<double, size_t>> open{{0, 0}};
  // The cheapest first, so that what is left out when there are too many is dear.
  while (!open.empty()) {
    auto cheapest = llvm::min_element(open);
    size_t index = cheapest->second;
    open.erase(cheapest);
    FailureOr<std::vector<KernelPair>> pairs = found[index].pairs();
    if (failed(pairs))
      return failure();
    for (const KernelPair &pair : *pairs) {
      std::optional<Grouping> next = pair.whyNot.empty() ? found[index].with(pair, target) : std::nullopt;
      if (!next || !seen.emplace(next->groups().begin(), next->groups().end()).second)
        continue;
      if (found.size() == kMostGroupings)
        return found;
      open.emplace_back(costs.front()(*next), found.size());
      found.push_back(std::move(*next));
    }
  }
  return found;
}

/// A grouping whose pairs are joined as long as `join` makes another one of any; the first that it does of each.
static FailureOr<Grouping>
joinPairs(Grouping current, llvm::function_ref<std::optional<Grouping>(const Grouping &, const KernelPair &)> join) {
  for (bool changed = true; changed;) {
    changed = false;
    FailureOr<std::vector<KernelPair>> pairs = current.pairs();
    if (failed(pairs))
      return failure();
    for (const KernelPair &pair : *pairs)
      if (std::optional<Grouping> next = join(current, pair)) {
        current = std::move(*next);
        changed = true;
        break;
      }
  }
  return current;
}

FailureOr<Grouping> fastnorm::fuseInOrder(func::FuncOp function, TargetAttr target, const GroupingCost &cost) {
  Grouping apart(function);
  double currentCost = cost ? cost(apart) : 0;
  // Pairs that were refused, by the lowest numbers and the sizes of their groups.
  std::set<std::array<size_t, 4>> refused;
  return joinPairs(std::move(apart), [&](const Grouping &current, const KernelPair &pair) -> std::optional<Grouping> {
    ArrayRef<unsigned> producer = current.members(pair.producer), consumer = current.members(pair.consumer);
    std::array<size_t, 4> key{producer.front(), producer.size(), consumer.front(), consumer.size()};
    if (!pair.whyNot.empty() || refused.count(key))
      return std::nullopt;
    std::optional<Grouping> next = current.with(pair, target);
    double nextCost = next && cost ? cost(*next) : 0;
    if (!next || nextCost > currentCost) {
      refused.insert(key);
      return std::nullopt;
    }
    currentCost = nextCost;
    return next;
  });
}

/// The groups of a text, as numbers of kernels.
static FailureOr<SmallVector<SmallVector<unsigned>>> parseGroups(func::FuncOp function, llvm::StringRef text) {
  std::vector<std::string> names = Grouping::namesOf(function);
  SmallVector<SmallVector<unsigned>> groups;
  llvm::SmallDenseSet<unsigned> named;
  SmallVector<llvm::StringRef> groupTexts;
  text.split(groupTexts, ',');
  for (llvm::StringRef groupText : groupTexts) {
    SmallVector<llvm::StringRef> words;
    groupText.split(words, '+');
    groups.emplace_back();
    for (llvm::StringRef word : words) {
      auto name = llvm::find(names, word);
      if (name == names.end())
        return function.emitError() << "expects fuse=plan: to name kernels among " << llvm::join(names, ", ")
                                    << ", but got '" << word << "'";
      unsigned number = name - names.begin();
      if (!named.insert(number).second)
        return function.emitError() << "expects fuse=plan: to name a kernel once, but got '" << word << "' twice";
      groups.back().push_back(number);
    }
  }
  return groups;
}

FailureOr<Grouping> fastnorm::parseGrouping(func::FuncOp function, TargetAttr target, llvm::StringRef text) {
  FailureOr<SmallVector<SmallVector<unsigned>>> groups = parseGroups(function, text);
  if (failed(groups))
    return failure();
  auto areOneGroup = [&](ArrayRef<unsigned> first, ArrayRef<unsigned> second) {
    return llvm::any_of(*groups, [&](ArrayRef<unsigned> group) {
      return llvm::is_contained(group, first.front()) && llvm::is_contained(group, second.front());
    });
  };
  std::string reason = "neither reads what the other computes";
  auto join = [&](const Grouping &current, const KernelPair &pair) -> std::optional<Grouping> {
    if (!areOneGroup(current.members(pair.producer), current.members(pair.consumer)))
      return std::nullopt;
    std::optional<Grouping> next = pair.whyNot.empty() ? current.with(pair, target) : std::nullopt;
    if (!next)
      reason = pair.whyNot.empty() ? "no schedule runs both" : pair.whyNot;
    return next;
  };
  FailureOr<Grouping> joined = joinPairs(Grouping(function), join);
  if (failed(joined))
    return failure();
  std::vector<std::string> names = Grouping::namesOf(function);
  for (ArrayRef<unsigned> group : *groups)
    for (unsigned member : group)
      if (!joined->areTogether(group.front(), member))
        return function.emitError() << "expects fuse=plan: to group kernels that can share a launch, but "
                                    << names[group.front()] << " and " << names[member] << " cannot: " << reason;
  return joined;
}
