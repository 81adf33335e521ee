//===- HalfInstructions.cpp - f16 and bf16 arithmetic ---------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and products of two are exact enough in f32 that rounding twice changes
// nothing; an fma is summed in f64, rounded to odd, then rounded once.
//
//===----------------------------------------------------------------------===//

#include "FloatFormats.h"
#include "InstructionDecoder.h"
#include "Lanes.h"

namespace fastnorm::emulator {

namespace {

struct Add {
  template <typename T> static T apply(T a, T b) { return T::round(a.value() + b.value()); }
};
struct Subtract {
  template <typename T> static T apply(T a, T b) { return T::round(a.value() - b.value()); }
};
struct Multiply {
  template <typename T> static T apply(T a, T b) { return T::round(a.value() * b.value()); }
};
struct Fuse {
  template <typename T> static T apply(T a, T b, T c) {
    return T::round(addRoundToOdd(double(a.value()) * double(b.value()), double(c.value())));
  }
};
struct FuseRelu {
  template <typename T> static T apply(T a, T b, T c) {
    T fused = Fuse::apply(a, b, c);
    return fused.value() > 0 || std::isnan(fused.value()) ? fused : T{0};
  }
};
struct Negate {
  template <typename T> static T apply(T a) { return {uint16_t(a.bits ^ 0x8000)}; }
};
struct Absolute {
  template <typename T> static T apply(T a) { return {uint16_t(a.bits & 0x7fff)}; }
};
struct PowerOfTwo {
  template <typename T> static T apply(T a) { return T::round(std::exp2(double(a.value()))); }
};
struct HyperbolicTangent {
  template <typename T> static T apply(T a) { return T::round(std::tanh(double(a.value()))); }
};

template <bool propagateNaN, bool less> struct Extreme {
  template <typename T> static T apply(T a, T b) {
    bool aNaN = std::isnan(a.value()), bNaN = std::isnan(b.value());
    if (aNaN || bNaN) {
      if (propagateNaN || (aNaN && bNaN))
        return {canonicalNaN16};
      return aNaN ? b : a;
    }
    if (a.value() == b.value())
      return bool(a.bits >> 15) == less ? a : b;
    return (a.value() < b.value()) == less ? a : b;
  }
};

/// Of f16 or bf16 that are widened first, and f32: rounded once.
struct AddWidened {
  template <typename T> static float apply(T a, float c) { return a.value() + c; }
};
struct SubtractWidened {
  template <typename T> static float apply(T a, float c) { return a.value() - c; }
};
struct FuseWidened {
  template <typename T> static float apply(T a, T b, float c) { return std::fma(a.value(), b.value(), c); }
};

template <typename Op> Handler unaryHalf(PtxType type) {
  switch (type) {
  case PtxType::F16: return unary<F16, F16, Op>;
  case PtxType::BF16: return unary<Bf16, Bf16, Op>;
  case PtxType::F16x2: return unary<Pair<F16>, Pair<F16>, Both<Op>>;
  default: return unary<Pair<Bf16>, Pair<Bf16>, Both<Op>>;
  }
}

template <typename Op> Handler binaryHalf(PtxType type) {
  switch (type) {
  case PtxType::F16: return binary<F16, F16, F16, Op>;
  case PtxType::BF16: return binary<Bf16, Bf16, Bf16, Op>;
  case PtxType::F16x2: return binary<Pair<F16>, Pair<F16>, Pair<F16>, Both<Op>>;
  default: return binary<Pair<Bf16>, Pair<Bf16>, Pair<Bf16>, Both<Op>>;
  }
}

template <typename Op> Handler ternaryHalf(PtxType type) {
  switch (type) {
  case PtxType::F16: return ternary<F16, F16, F16, F16, Op>;
  case PtxType::BF16: return ternary<Bf16, Bf16, Bf16, Bf16, Op>;
  case PtxType::F16x2: return ternary<Pair<F16>, Pair<F16>, Pair<F16>, Pair<F16>, Both<Op>>;
  default: return ternary<Pair<Bf16>, Pair<Bf16>, Pair<Bf16>, Pair<Bf16>, Both<Op>>;
  }
}

struct Choice {
  Handler run;
  size_t sources;
};

Choice choose(const std::string &name, PtxType type, bool propagateNaN, bool relu) {
  if (name == "add")
    return {binaryHalf<Add>(type), 2};
  if (name == "sub")
    return {binaryHalf<Subtract>(type), 2};
  if (name == "mul")
    return {binaryHalf<Multiply>(type), 2};
  if (name == "min")
    return {propagateNaN ? binaryHalf<Extreme<true, true>>(type) : binaryHalf<Extreme<false, true>>(type), 2};
  if (name == "max")
    return {propagateNaN ? binaryHalf<Extreme<true, false>>(type) : binaryHalf<Extreme<false, false>>(type), 2};
  if (name == "fma")
    return {relu ? ternaryHalf<FuseRelu>(type) : ternaryHalf<Fuse>(type), 3};
  if (name == "neg")
    return {unaryHalf<Negate>(type), 1};
  if (name == "abs")
    return {unaryHalf<Absolute>(type), 1};
  if (name == "ex2")
    return {unaryHalf<PowerOfTwo>(type), 1};
  if (name == "tanh")
    return {unaryHalf<HyperbolicTangent>(type), 1};
  return {nullptr, 0};
}

template <typename T> Choice chooseWidened(const std::string &name) {
  if (name == "add")
    return {binary<float, T, float, AddWidened>, 1};
  if (name == "sub")
    return {binary<float, T, float, SubtractWidened>, 1};
  if (name == "fma")
    return {ternary<float, T, T, float, FuseWidened>, 2};
  return {nullptr, 0};
}

/// "add.f32.f16" and the like, of PTX 8.6: the last operand and the result are f32, the others of the last type.
bool decodeWidened(InstructionDecoder &decoder, PtxType type) {
  Choice choice = type == PtxType::F16 ? chooseWidened<F16>(decoder.name) : chooseWidened<Bf16>(decoder.name);
  if (!choice.run)
    return false;
  decoder.drop({"f32", nameOf(type), "rn"});
  decoder.result.run = choice.run;
  decoder.addOperands(PtxType::F32, type, choice.sources, /*plain=*/1);
  return true;
}

} // namespace

bool decodeHalf(InstructionDecoder &decoder) {
  const std::string &opcode = decoder.source.opcode;
  std::string_view typeName = std::string_view(opcode).substr(opcode.rfind('.') + 1);
  std::optional<PtxType> type = parsePtxType(typeName);
  if (!type || (*type != PtxType::F16 && *type != PtxType::BF16 && *type != PtxType::F16x2 && *type != PtxType::BF16x2))
    return false;
  if (opcode.find(".f32.") != std::string::npos && (*type == PtxType::F16 || *type == PtxType::BF16))
    return decodeWidened(decoder, *type);
  if (!choose(decoder.name, *type, false, false).run)
    return false;
  decoder.takeType();
  bool propagateNaN = decoder.take("NaN");
  bool relu = decoder.name == "fma" && decoder.take("relu");
  decoder.drop({"rn", "approx", "ftz"});
  Choice choice = choose(decoder.name, *type, propagateNaN, relu);
  decoder.result.run = choice.run;
  decoder.addOperands(*type, *type, choice.sources);
  return true;
}

} // namespace fastnorm::emulator
