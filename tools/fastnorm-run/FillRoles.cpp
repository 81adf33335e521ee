//===- FillRoles.cpp - What --fill gives to each argument -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FillRoles.h"

#include "fastnorm/IR/GraphOps.h"
#include "fastnorm/IR/Interfaces.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace fastnorm;
using namespace fastnorm::tool;

/// What the norm that an argument is a parameter of makes of it.
template <typename NormOp> static std::optional<FillRole> parameterRole(NormOp norm, BlockArgument argument) {
  if (norm && norm.getWeight() == argument)
    return FillRole::weight(norm.getWeightOffset().convertToFloat());
  if (norm && norm.getBias() == argument)
    return FillRole::bias();
  return std::nullopt;
}

/// What the gradient of a norm makes of an argument that the forward op had or left.
template <typename Op> static std::optional<FillRole> backwardRole(Op op, BlockArgument argument) {
  if (op && op.getWeight() == argument)
    return FillRole::weight(op.getWeightOffset().convertToFloat());
  // As rows of deviation 1 leave it.
  if (op && op.getRstd() == argument)
    return FillRole::normal(1.0, 0.05);
  return std::nullopt;
}

static std::optional<FillRole> normRole(BlockArgument argument) {
  for (Operation *user : argument.getUsers()) {
    if (std::optional<FillRole> role = parameterRole(dyn_cast<RmsNormOp>(user), argument))
      return role;
    if (std::optional<FillRole> role = parameterRole(dyn_cast<LayerNormOp>(user), argument))
      return role;
    if (std::optional<FillRole> role = backwardRole(dyn_cast<RmsNormBackwardOp>(user), argument))
      return role;
    auto layerNorm = dyn_cast<LayerNormBackwardOp>(user);
    if (layerNorm && layerNorm.getMean() == argument)
      return FillRole::bias();
    if (std::optional<FillRole> role = backwardRole(layerNorm, argument))
      return role;
  }
  return std::nullopt;
}

/// The rows of the table that an argument indexes; -1 where they are dynamic, nothing where it indexes none.
static std::optional<int64_t> indexedRows(BlockArgument argument) {
  for (Operation *user : argument.getUsers())
    if (auto op = dyn_cast<RowOpInterface>(user))
      for (auto [table, index] : llvm::zip(op.getTables(), op.getRowIndices()))
        if (index == argument) {
          int64_t rows = cast<RankedTensorType>(table.getType()).getShape()[0];
          return ShapedType::isDynamic(rows) ? -1 : rows;
        }
  return std::nullopt;
}

/// Whether an op promises that no two indices of an argument name one row.
static bool namesEachRowOnce(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), [](Operation *user) {
    auto map = user->getAttrOfType<IndexMapAttr>("index_map");
    return map && map.getValue() != IndexMap::Any;
  });
}

static FillRole roleByUse(const TensorSpec &spec, BlockArgument argument) {
  if (std::optional<FillRole> role = normRole(argument))
    return *role;
  std::optional<int64_t> rows = indexedRows(argument);
  if (!rows)
    return guessFillRole(spec);
  FillRole role = FillRole::indices();
  if (namesEachRowOnce(argument))
    role.kind = FillRole::Kind::Permutation;
  if (*rows >= 0)
    role.rows = rows;
  return role;
}

Result<std::map<std::string, FillRole>> tool::fillRoles(const Plan &plan, const Options &options, func::FuncOp graph) {
  std::map<std::string, FillRole> roles;
  for (auto [index, spec] : llvm::enumerate(plan.arguments)) {
    FillRole role = graph ? roleByUse(spec, graph.getArgument(index)) : guessFillRole(spec);
    if (auto written = options.fillRoles.find(spec.name); written != options.fillRoles.end()) {
      std::optional<int64_t> rows = role.rows;
      role = written->second;
      role.rows = rows;
      if (Status possible = checkFillRole(spec, role); !possible)
        return possible.takeError();
    }
    roles.emplace(spec.name, role);
  }
  return roles;
}
