//===- NormBackwardTest.cpp - Gradients of the norms on the reference -----===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every mask of gradients of both norms against finite differences of the
// forward ops, and the decomposition against the op itself.
//
//===----------------------------------------------------------------------===//

#include "GradientHarness.h"
#include "LoweredHarness.h"

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

/// What a backward op is asked for, and of which shapes.
struct Form {
  bool isLayerNorm = false;
  bool hasWeight = true;
  bool hasResidual = false;
  bool accumulates = false;
  bool roundsXhat = false;
  std::string rows = "?x";       ///< before hidden
  std::string heads;             ///< before hidden, of parameters: "3x" or nothing
  std::string storage = "f32";   ///< of rows
  std::string gradients = "f32"; ///< of the gradients of parameters
  int mask = 7;                  ///< 1: of the input, 2: of the weight, 4: of the bias
  std::vector<int64_t> rowShape = {3};

  static constexpr int64_t kHidden = 8;
  std::string x() const { return "tensor<" + rows + "8x" + storage + ">"; }
  std::string parameter(const std::string &dtype) const { return "tensor<" + heads + "8x" + dtype + ">"; }
  std::string statistic() const { return "tensor<" + rows + "f32>"; }
  std::string op() const { return isLayerNorm ? "layer_norm" : "rms_norm"; }
  std::string attributes(const std::string &rest = "") const {
    std::string text = rest + (hasWeight ? ", weight_offset = 0.5 : f32" : "") + (roundsXhat ? ", round_xhat" : "");
    return "{" + (rest.empty() && !text.empty() ? text.substr(2) : text) + "}";
  }

  std::vector<int64_t> shape(bool withHidden) const {
    std::vector<int64_t> extents = rowShape;
    if (withHidden)
      extents.push_back(kHidden);
    return extents;
  }
  std::vector<int64_t> parameterShape() const {
    return heads.empty() ? std::vector<int64_t>{kHidden} : std::vector<int64_t>{rowShape.back(), kHidden};
  }
};

std::string forward(const Form &form) {
  std::string statistics =
      form.isLayerNorm ? ", " + form.statistic() + ", " + form.statistic() : ", " + form.statistic();
  std::string names = form.isLayerNorm ? "%y, %mean, %rstd" : "%y, %rstd";
  return "func.func @forward(%x: " + form.x() + ", %w: " + form.parameter("f32") + ", %b: " + form.parameter("f32") +
         ") -> (" + form.x() + statistics + ") {\n  " + names + " = fastnorm." + form.op() + " %x" +
         (form.hasWeight ? " weight(%w)" : "") + " bias(%b) " + form.attributes("eps = 1.0e-5 : f32") + " : " +
         form.x() + (form.hasWeight ? ", " + form.parameter("f32") : "") + ", " + form.parameter("f32") + " -> " +
         form.x() + statistics + "\n  return " + names + " : " + form.x() + statistics + "\n}\n";
}

/// Arguments are grad_output, x, mean (of layer_norm), rstd, weight, residual, old_weight and old_bias: all of them,
/// whether the op reads them or not.
std::string backward(const Form &form) {
  std::string w = form.parameter("f32"), g = form.parameter(form.gradients), results, names, operands, types;
  auto result = [&](int bit, const char *name, const std::string &word, const std::string &type) {
    if (!(form.mask & bit))
      return;
    names += (names.empty() ? "%" : ", %") + std::string(name);
    results += (results.empty() ? "" : ", ") + type;
    types += " " + word + "(" + type + ")";
  };
  result(1, "dx", "input", form.x());
  result(2, "dw", "weight", g);
  result(4, "db", "bias", g);
  std::string read =
      form.x() + ", " + form.x() + (form.isLayerNorm ? ", " + form.statistic() : "") + ", " + form.statistic();
  auto operand = [&](bool isThere, const std::string &text, const std::string &type) {
    operands += isThere ? " " + text : "";
    read += isThere ? ", " + type : "";
  };
  operand(form.hasWeight, "weight(%w)", w);
  operand(form.hasResidual && (form.mask & 1), "residual(%r)", form.x());
  operand(form.accumulates && (form.mask & 2), "accumulate_weight(%ow)", g);
  operand(form.accumulates && (form.mask & 4), "accumulate_bias(%ob)", g);
  return "func.func @backward(%dy: " + form.x() + ", %x: " + form.x() + ", %mean: " + form.statistic() +
         ", %rstd: " + form.statistic() + ", %w: " + w + ", %r: " + form.x() + ", %ow: " + g + ", %ob: " + g +
         ") -> (" + results + ") {\n  " + names + " = fastnorm." + form.op() + "_backward %dy, %x" +
         (form.isLayerNorm ? " mean(%mean)" : "") + " rstd(%rstd)" + operands + " " + form.attributes() + " : " + read +
         " -> " + types + "\n  return " + names + " : " + results + "\n}\n";
}

struct Values {
  explicit Values(const Form &form) {
    DType storage = *parseDType(form.storage), gradients = *parseDType(form.gradients);
    x = randomTensor(storage, form.shape(true), 1, form.isLayerNorm ? 0.5 : 0.0);
    dy = randomTensor(storage, form.shape(true), 2);
    w = randomTensor(DType::F32, form.parameterShape(), 3, 1.0);
    b = randomTensor(DType::F32, form.parameterShape(), 4);
    residual = randomTensor(storage, form.shape(true), 5);
    oldWeight = randomTensor(gradients, form.parameterShape(), 6);
    oldBias = randomTensor(gradients, form.parameterShape(), 7);
    std::vector<HostTensor> results = evaluate(forward(form), {x, w, b});
    rstd = results.back();
    mean = form.isLayerNorm ? results.at(1) : HostTensor(DType::F32, form.shape(false));
  }
  std::vector<HostTensor> arguments() const { return {dy, x, mean, rstd, w, residual, oldWeight, oldBias}; }

  HostTensor x, dy, w, b, residual, oldWeight, oldBias, mean, rstd;
};

std::string describe(const Form &form) { return backward(form); }

/// The gradients of the form's mask against finite differences of the forward op.
void checkByDifferences(const Form &form) {
  Values values(form);
  std::vector<HostTensor> gradients = evaluate(backward(form), values.arguments());
  size_t next = 0;
  for (size_t argument : {0, 1, 2}) {
    if (!(form.mask & (1 << argument)))
      continue;
    std::vector<double> expected;
    if (argument == 1 && !form.hasWeight) // the gradient of a weight of 1 that is not there
      expected = [&] {
        Form weighted = form;
        weighted.hasWeight = true;
        Values ones = values;
        for (int64_t index = 0; index < ones.w.elementCount(); ++index)
          ones.w.set(index, 0.5);
        return finiteDifferences(forward(weighted), {ones.x, ones.w, ones.b}, 1, {ones.dy});
      }();
    else
      expected = finiteDifferences(forward(form), {values.x, values.w, values.b}, argument, {values.dy});
    const HostTensor &addend = argument == 0 ? values.residual : argument == 1 ? values.oldWeight : values.oldBias;
    if (argument == 0 ? form.hasResidual : form.accumulates)
      for (size_t index = 0; index < expected.size(); ++index)
        expected[index] += addend.at(index);
    expectGradient(gradients.at(next++), expected, describe(form));
  }
}

/// The decomposition, evaluated, against the op.
void checkDecomposition(const Form &form) {
  bool isExact = form.storage == "f32" && form.gradients == "f32";
  expectLowersToTheSame(backward(form), Values(form).arguments(), isExact ? 1e-5 : 0.04);
}

/// Both ops with these forms changed, all masks.
template <typename Check> void forEachMask(Form form, Check check) {
  for (bool isLayerNorm : {false, true})
    for (form.mask = 1; form.mask < 8; ++form.mask) {
      form.isLayerNorm = isLayerNorm;
      check(form);
    }
}

TEST(NormBackward, AllMasksAreTheDifferencesOfTheForwardOp) { forEachMask(Form(), checkByDifferences); }

TEST(NormBackward, WithoutAWeight) {
  Form form;
  form.hasWeight = false;
  forEachMask(form, checkByDifferences);
}

TEST(NormBackward, ResidualAndOldGradientsAreAdded) {
  Form form;
  form.hasResidual = form.accumulates = true;
  forEachMask(form, checkByDifferences);
}

TEST(NormBackward, HeadsSumTheirOwnRows) {
  Form form;
  form.rows = "?x3x";
  form.heads = "3x";
  form.rowShape = {2, 3};
  forEachMask(form, checkByDifferences);
}

TEST(NormBackward, ParametersWithoutHeadsSumAllRows) {
  Form form;
  form.rows = "?x3x";
  form.rowShape = {2, 3};
  forEachMask(form, checkByDifferences);
}

TEST(NormBackward, RoundedXhatIsWhatTheWeightMultiplied) {
  // xhat = 1.3 / sqrt(1.3² ...) of bf16 rows: grad_weight is dy · bf16(xhat).
  Form form;
  form.storage = "bf16";
  form.roundsXhat = true;
  form.mask = 2;
  form.rowShape = {1};
  Values values(form);
  HostTensor gradient = evaluate(backward(form), values.arguments()).at(0);
  for (int64_t column = 0; column < Form::kHidden; ++column) {
    HostTensor xhat(DType::BF16, {1});
    xhat.set(0, values.x.at(column) * values.rstd.at(0));
    EXPECT_FLOAT_EQ(gradient.at(column), values.dy.at(column) * xhat.at(0));
  }
}

TEST(NormBackward, NoRowsLeaveTheOldGradients) {
  Form form;
  form.accumulates = true;
  form.rowShape = {0};
  Values values(form);
  std::vector<HostTensor> gradients = evaluate(backward(form), values.arguments());
  EXPECT_EQ(gradients.at(0).elementCount(), 0);
  EXPECT_EQ(valuesOf(gradients.at(1)), valuesOf(values.oldWeight));
  EXPECT_EQ(valuesOf(gradients.at(2)), valuesOf(values.oldBias));
}

TEST(NormBackward, DecomposesToTheSame) {
  forEachMask(Form(), checkDecomposition);
  Form form;
  form.hasWeight = false;
  forEachMask(form, checkDecomposition);
  form.hasWeight = form.hasResidual = form.accumulates = form.roundsXhat = true;
  form.storage = form.gradients = "bf16";
  forEachMask(form, checkDecomposition);
}

TEST(NormBackward, DecomposesToTheSameWithHeads) {
  Form form;
  form.accumulates = true;
  form.rows = "?x3x";
  form.rowShape = {2, 3};
  forEachMask(form, checkDecomposition);
  form.heads = "3x";
  forEachMask(form, checkDecomposition);
  // Heads that are the only rows have one row each.
  form.rows = "3x";
  form.rowShape = {3};
  forEachMask(form, checkDecomposition);
}

} // namespace
