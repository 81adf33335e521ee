//===- ExamplePlan.h - A plan that uses all a plan can hold -----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_EXAMPLEPLAN_H
#define FASTNORM_TEST_UNIT_EXAMPLEPLAN_H

#include "fastnorm/Plan/Plan.h"

namespace fastnorm::test {

inline Expression constant(int64_t value) { return Expression::constant(value); }
inline Expression symbol(int64_t index) { return Expression::symbol(index); }
inline Expression binary(Expression::Kind kind, Expression left, Expression right) {
  return Expression::binary(kind, std::move(left), std::move(right));
}

/// A dimension that is the value of a symbol.
inline Extent dynamic(int64_t symbolIndex) { return Extent{0, symbolIndex}; }
inline Extent fixed(int64_t extent) { return Extent{extent, std::nullopt}; }

/// rows x 4 floats: y = scale * x for up to 100 rows by one kernel, through a workspace by two for more, of which the
/// second runs in clusters and may start early. Symbols are rows (0) and picked_rows (1); row_index has rows x 2
/// elements below picked_rows.
inline Plan examplePlan() {
  Plan plan;
  plan.producer = "fastnorm 0.1.0";
  plan.function = "scale_rows";
  plan.target = "h200";
  plan.chip = "sm_90";
  plan.symbols = {"rows", "picked_rows"};
  plan.arguments = {TensorSpec{"x", DType::F32, {dynamic(0), fixed(4)}, 16, std::nullopt},
                    TensorSpec{"row_index", DType::I64, {dynamic(0), fixed(2)}, 8, 1}};
  plan.results = {TensorSpec{"y", DType::F32, {dynamic(0), fixed(4)}, 16, std::nullopt}};

  LaunchArgument x{LaunchArgument::Kind::Argument, 0, Expression()};
  LaunchArgument y{LaunchArgument::Kind::Result, 0, Expression()};
  LaunchArgument workspace{LaunchArgument::Kind::Workspace, 0, Expression()};
  LaunchArgument rows{LaunchArgument::Kind::I32, 0, symbol(0)};
  LaunchArgument pickedRows{LaunchArgument::Kind::I64, 0, symbol(1)};
  Expression bytes = binary(Expression::Kind::Multiply, symbol(0), constant(16));

  Launch scale;
  scale.kernel = "scale";
  scale.grid =
      binary(Expression::Kind::Minimum, binary(Expression::Kind::CeilDivide, symbol(0), constant(2)), constant(132));
  scale.threads = 128;
  scale.dynamicSharedBytes = 64;
  scale.arguments = {x, y, rows, pickedRows};
  scale.schedule = "#fastnorm.schedule<per_row>";
  scale.readBytes = bytes;
  scale.writtenBytes = bytes;
  plan.variants.push_back(Variant{{SymbolRange{0, 0, 100}}, ".visible .entry scale()", {}, {scale}});

  Launch first = scale;
  first.kernel = "first";
  first.arguments = {x, workspace, rows, pickedRows};
  Launch second = scale;
  second.kernel = "second";
  second.grid = binary(Expression::Kind::Multiply, scale.grid, constant(4));
  second.cluster = 4;
  second.dependent = true;
  second.arguments = {workspace, y, rows, pickedRows};
  plan.variants.push_back(Variant{{SymbolRange{0, 101, INT64_MAX}},
                                  ".visible .entry first()\n.visible .entry second()",
                                  {WorkspaceSpec{bytes}},
                                  {first, second}});
  return plan;
}

/// rows x 4 floats: sum = old + x, in the buffer of old, where x is cut from a wider buffer. Symbols are rows (0) and
/// x_stride_0 (1), the elements from one row of x to the next. One variant for each class of alignment.
inline Plan stridedPlan() {
  Plan plan;
  plan.producer = "fastnorm 0.1.0";
  plan.function = "add_rows";
  plan.target = "h200";
  plan.chip = "sm_90";
  plan.symbols = {"rows", "x_stride_0"};
  plan.arguments = {TensorSpec{"x", DType::F32, {dynamic(0), fixed(4)}, 16, std::nullopt, {dynamic(1), fixed(1)}},
                    TensorSpec{"old", DType::F32, {dynamic(0), fixed(4)}, 16, std::nullopt, {}, 0}};
  plan.results = {TensorSpec{"sum", DType::F32, {dynamic(0), fixed(4)}, 16, std::nullopt}};

  Launch add;
  add.kernel = "add";
  add.grid = symbol(0);
  add.threads = 32;
  add.arguments = {LaunchArgument{LaunchArgument::Kind::Argument, 0, Expression()},
                   LaunchArgument{LaunchArgument::Kind::Result, 0, Expression()},
                   LaunchArgument{LaunchArgument::Kind::I64, 0, symbol(0)},
                   LaunchArgument{LaunchArgument::Kind::I64, 0, symbol(1)}};
  add.schedule = "#fastnorm.schedule<per_row>";
  plan.variants.push_back(Variant{{}, ".visible .entry add()", {}, {add}});
  add.kernel = "add_unaligned";
  plan.variants.push_back(Variant{{}, ".visible .entry add_unaligned()", {}, {add}, 1});
  return plan;
}

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_EXAMPLEPLAN_H
