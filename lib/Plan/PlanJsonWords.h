//===- PlanJsonWords.h - The words of a plan file ---------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the writer and the reader must spell alike.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_PLAN_PLANJSONWORDS_H
#define FASTNORM_LIB_PLAN_PLANJSONWORDS_H

#include "fastnorm/Plan/Plan.h"

#include <utility>

namespace fastnorm::planjson {

/// The first key of a plan file; its value is Plan::kFormatVersion.
inline constexpr const char *kVersionKey = "fastnorm_plan";

/// The second key; its value is contentHash of the rest.
inline constexpr const char *kHashKey = "content_hash";

/// An operation is written as ["add", left, right]; a constant is a number and a symbol its name.
inline constexpr std::pair<Expression::Kind, const char *> kOperations[] = {
    {Expression::Kind::Add, "add"},
    {Expression::Kind::Multiply, "multiply"},
    {Expression::Kind::CeilDivide, "ceil_divide"},
    {Expression::Kind::Minimum, "minimum"},
    {Expression::Kind::Maximum, "maximum"},
};

/// A kernel argument is written as {"argument": 0}, {"i64": expression} and so on.
inline constexpr std::pair<LaunchArgument::Kind, const char *> kArgumentKinds[] = {
    {LaunchArgument::Kind::Argument, "argument"},
    {LaunchArgument::Kind::Result, "result"},
    {LaunchArgument::Kind::Workspace, "workspace"},
    {LaunchArgument::Kind::I32, "i32"},
    {LaunchArgument::Kind::I64, "i64"},
};

/// Whether a kernel argument carries an expression rather than the index of a buffer.
inline bool isValue(LaunchArgument::Kind kind) {
  return kind == LaunchArgument::Kind::I32 || kind == LaunchArgument::Kind::I64;
}

} // namespace fastnorm::planjson

#endif // FASTNORM_LIB_PLAN_PLANJSONWORDS_H
