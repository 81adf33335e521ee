//===- CombineBackwardTest.cpp - Gradients of combine on the reference ----===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every mask of gradients against finite differences of combine, and what the
// op decomposes into against the op itself.
//
//===----------------------------------------------------------------------===//

#include "GradientHarness.h"
#include "LoweredHarness.h"

#include <limits>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

constexpr int64_t kTokens = 3, kSlots = 2, kHidden = 4, kExpertRows = 7;

/// What the op is asked for.
struct Form {
  bool hasGate = true;
  bool accumulates = false;
  bool wantsRows = true;
  bool wantsGate = true;
  std::string indexMap = "any";
};

/// Arguments are expert_rows and gate.
std::string forward(const Form &form) {
  return "func.func @forward(%rows: tensor<?x4xf32>, %index: tensor<?x2xi64>, %gate: tensor<?x2xf32>) -> "
         "tensor<?x4xf32> "
         "{\n  %y = fastnorm.combine %rows[%index]" +
         std::string(form.hasGate ? " gate(%gate) : tensor<?x4xf32>, tensor<?x2xi64>, tensor<?x2xf32>"
                                  : " : tensor<?x4xf32>, tensor<?x2xi64>") +
         " -> tensor<?x4xf32>\n  return %y : tensor<?x4xf32>\n}\n";
}

/// Arguments are grad_output, row_index, expert_rows, gate and old_grad_gate: all of them, whether the op reads them or
/// not.
std::string backward(const Form &form) {
  std::string names, results, types, operands, read = "tensor<?x4xf32>, tensor<?x2xi64>";
  auto result = [&](bool isWanted, const std::string &name, const std::string &type) {
    if (!isWanted)
      return;
    names += (names.empty() ? "%" : ", %") + name;
    results += (results.empty() ? "" : ", ") + type;
    types += " " + name + "(" + type + ")";
  };
  result(form.wantsRows, "expert_rows", "tensor<?x4xf32>");
  result(form.wantsGate, "gate", "tensor<?x2xf32>");
  auto operand = [&](bool isThere, const std::string &text, const std::string &type) {
    operands += isThere ? " " + text : "";
    read += isThere ? ", " + type : "";
  };
  operand(true, "expert_rows(%e)", "tensor<?x4xf32>");
  operand(form.hasGate, "gate(%g)", "tensor<?x2xf32>");
  operand(form.accumulates && form.wantsGate, "accumulate_gate(%old)", "tensor<?x2xf32>");
  return "func.func @backward(%dy: tensor<?x4xf32>, %index: tensor<?x2xi64>, %e: tensor<?x4xf32>, %g: tensor<?x2xf32>, "
         "%old: tensor<?x2xf32>) -> (" +
         results + ") {\n  " + names + " = fastnorm.combine_backward %dy[%index] index_map(" + form.indexMap + ")" +
         operands + " : " + read + " ->" + types + "\n  return " + names + " : " + results + "\n}\n";
}

HostTensor index(const std::vector<double> &rows) { return tensor(DType::I64, {kTokens, kSlots}, rows); }

struct Values {
  explicit Values(const std::vector<double> &rows) : row(index(rows)) {}
  HostTensor row;
  HostTensor dy = randomTensor(DType::F32, {kTokens, kHidden}, 1);
  HostTensor expertRows = randomTensor(DType::F32, {kExpertRows, kHidden}, 2);
  HostTensor gate = randomTensor(DType::F32, {kTokens, kSlots}, 3);
  HostTensor old = randomTensor(DType::F32, {kTokens, kSlots}, 4);
  std::vector<HostTensor> arguments() const { return {dy, row, expertRows, gate, old}; }
};

/// Rows 1 and 2 are named once, 5 twice, once by each of two tokens, 3 twice by one; the others never.
const std::vector<double> kDuplicates{5, 1, 3, 3, 2, 5};
const std::vector<double> kDropped{5, -1, 7, 100, 2, 0};
const std::vector<double> kDistinct{6, 1, 3, 4, 2, 0};

void checkByDifferences(const Form &form, const std::vector<double> &rows) {
  Values values(rows);
  std::vector<HostTensor> gradients = evaluate(backward(form), values.arguments());
  size_t next = 0;
  auto differences = [&](const Form &of, const HostTensor &gate, size_t argument) {
    return finiteDifferences(forward(of), {values.expertRows, values.row, gate}, argument, {values.dy});
  };
  if (form.wantsRows)
    expectGradient(gradients.at(next++), differences(form, values.gate, 0), backward(form));
  if (!form.wantsGate)
    return;
  // Without a gate: the gradient of gates of 1 that are not there.
  HostTensor gate = values.gate;
  for (int64_t slot = 0; !form.hasGate && slot < gate.elementCount(); ++slot)
    gate.set(slot, 1.0);
  std::vector<double> expected = differences(Form(), gate, 2);
  for (size_t slot = 0; form.accumulates && slot < expected.size(); ++slot)
    expected[slot] += values.old.at(slot);
  expectGradient(gradients.at(next), expected, backward(form));
}

template <typename Check> void forEachForm(Check check) {
  for (int bits = 0; bits < 16; ++bits) {
    Form form;
    form.hasGate = bits & 1;
    form.accumulates = bits & 2;
    form.wantsRows = bits & 4;
    form.wantsGate = bits & 8;
    if (form.wantsRows || form.wantsGate)
      check(form);
  }
}

TEST(CombineBackward, AllMasksAreTheDifferencesOfCombine) {
  for (const std::vector<double> &rows : {kDuplicates, kDropped, kDistinct})
    forEachForm([&](const Form &form) { checkByDifferences(form, rows); });
}

TEST(CombineBackward, ADroppedSlotHasNoGradientWhateverTheOthersHold) {
  Values values(kDropped);
  double infinity = std::numeric_limits<double>::infinity();
  for (int64_t column = 0; column < kHidden; ++column) {
    values.dy.set(1 * kHidden + column, infinity);             // both slots of token 1 are dropped
    values.expertRows.set(6 * kHidden + column, std::nan("")); // named by nobody
  }
  std::vector<HostTensor> gradients = evaluate(backward(Form()), values.arguments());
  for (int64_t slot : {1, 2, 3})
    EXPECT_EQ(gradients.at(1).at(slot), 0.0);
  for (int64_t index = 0; index < gradients.at(0).elementCount(); ++index)
    EXPECT_TRUE(std::isfinite(gradients.at(0).at(index))) << index;
}

/// What the op decomposes into, evaluated, against the op.
void checkDecomposition(const Form &form, const std::vector<double> &rows) {
  expectLowersToTheSame(backward(form), Values(rows).arguments(), 1e-5);
}

TEST(CombineBackward, DecomposesToTheSame) {
  forEachForm([](Form form) {
    checkDecomposition(form, kDuplicates);
    checkDecomposition(form, kDropped);
    form.indexMap = "injective";
    checkDecomposition(form, kDropped);
    checkDecomposition(form, kDistinct);
  });
}

TEST(Scatter, GoesIntoWhatItIsGiven) {
  const char *text =
      R"(func.func @f(%rows: tensor<?x2xf32>, %index: tensor<?xi32>, %into: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %y = fastnorm.scatter %rows[%index] index_map(injective) into(%into)
       : tensor<?x2xf32>, tensor<?xi32>, tensor<3x2xf32> -> tensor<3x2xf32>
    return %y : tensor<3x2xf32>
  })";
  std::vector<HostTensor> results =
      evaluate(text, {tensor(DType::F32, {2, 2}, {1, 2, 3, 4}), tensor(DType::I32, {2}, {2, -1}),
                      tensor(DType::F32, {3, 2}, {10, 20, 30, 40, 50, 60})});
  EXPECT_EQ(valuesOf(results.at(0)), (std::vector<double>{10, 20, 30, 40, 1, 2}));
}

TEST(Scatter, RoundsTheSumOnce) {
  // 256 + 1 + 1 in bf16, whose step there is 2: 258, where rounding after each addition would leave 256.
  const char *text = R"(func.func @f(%rows: tensor<?x1xf32>, %index: tensor<?xi32>) -> tensor<2x1xbf16> {
    %y = fastnorm.scatter %rows[%index] : tensor<?x1xf32>, tensor<?xi32> -> tensor<2x1xbf16>
    return %y : tensor<2x1xbf16>
  })";
  std::vector<HostTensor> results =
      evaluate(text, {tensor(DType::F32, {3, 1}, {256, 1, 1}), tensor(DType::I32, {3}, {1, 1, 1})});
  EXPECT_EQ(valuesOf(results.at(0)), (std::vector<double>{0, 258}));
}

TEST(Scatter, NeedsToKnowItsRows) {
  const char *text = R"(func.func @f(%rows: tensor<?x2xf32>, %index: tensor<?xi32>) -> tensor<?x2xf32> {
    %y = fastnorm.scatter %rows[%index] : tensor<?x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
    return %y : tensor<?x2xf32>
  })";
  Result<std::vector<HostTensor>> results =
      interpretText(text, {tensor(DType::F32, {1, 2}, {1, 2}), tensor(DType::I32, {1}, {0})});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error(), "expected something that tells how many rows 'fastnorm.scatter' scatters to; make them "
                             "static, or return them");
}

} // namespace
