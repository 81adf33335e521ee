//===- FloatInstructions.cpp - f32 and f64 arithmetic ---------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounded operations are exact; approximate ones are computed in f64 and rounded
// once, which is closer than any hardware.
//
//===----------------------------------------------------------------------===//

#include "FloatFormats.h"
#include "FusedMultiplyAdd.h"
#include "InstructionDecoder.h"
#include "Lanes.h"

namespace fastnorm::emulator {

namespace {

struct Add {
  template <typename T> static T apply(T a, T b) { return a + b; }
};
struct Subtract {
  template <typename T> static T apply(T a, T b) { return a - b; }
};
struct Multiply {
  template <typename T> static T apply(T a, T b) { return a * b; }
};
struct Divide {
  template <typename T> static T apply(T a, T b) { return a / b; }
};
struct Fuse {
  template <typename T> static T apply(T a, T b, T c) { return std::fma(a, b, c); }
};
struct Negate {
  template <typename T> static T apply(T a) { return -a; }
};
struct Absolute {
  template <typename T> static T apply(T a) { return std::fabs(a); }
};
struct CopySign {
  /// PTX names the sign first.
  template <typename T> static T apply(T sign, T magnitude) { return std::copysign(magnitude, sign); }
};
struct Reciprocal {
  template <typename T> static T apply(T a) { return T(1) / a; }
};
struct SquareRoot {
  template <typename T> static T apply(T a) { return std::sqrt(a); }
};

/// A function of f64, rounded once.
template <double (*function)(double)> struct Approximate {
  static float apply(float a) { return float(function(double(a))); }
};
double reciprocalSquareRoot(double a) { return 1.0 / std::sqrt(a); }
double powerOfTwo(double a) { return std::exp2(a); }
double logOfTwo(double a) { return std::log2(a); }
double sine(double a) { return std::sin(a); }
double cosine(double a) { return std::cos(a); }
double hyperbolicTangent(double a) { return std::tanh(a); }

template <bool propagateNaN, bool less> struct Extreme {
  template <typename T> static T apply(T a, T b) {
    if (std::isnan(a) || std::isnan(b)) {
      if (propagateNaN || (std::isnan(a) && std::isnan(b)))
        return std::nan("");
      return std::isnan(a) ? b : a;
    }
    if (a == b) // -0 is less than +0
      return std::signbit(a) == less ? a : b;
    return (a < b) == less ? a : b;
  }
};

template <typename Op> struct Flushed {
  template <typename... T> static float apply(T... operands) {
    return flushSubnormal(Op::apply(flushSubnormal(operands)...));
  }
};

/// To [0, 1]; NaN becomes 0.
template <typename Op> struct Saturated {
  template <typename T, typename... Rest> static T apply(T a, Rest... rest) {
    T value = Op::apply(a, rest...);
    return value > 0 ? (value < 1 ? value : T(1)) : T(0);
  }
};

void fuseF32(Warp &warp, const Instruction &instruction, uint32_t mask) {
  static const FusedMultiplyAddF32 fuse = chooseFusedMultiplyAddF32();
  auto *d = warp.lanes<float>(instruction.operands[0]);
  const auto *a = warp.lanes<float>(instruction.operands[1]);
  const auto *b = warp.lanes<float>(instruction.operands[2]);
  const auto *c = warp.lanes<float>(instruction.operands[3]);
  if (mask == allLanes)
    fuse(d, a, b, c);
  else
    storeLanes(d, mask, [&](unsigned lane) { return std::fma(a[lane], b[lane], c[lane]); });
}

/// What an f32 instruction does with subnormal numbers and with its result.
struct Mode {
  bool flush = false;
  bool saturate = false;
};

template <typename Op> Handler unaryF32(Mode mode) {
  return mode.flush ? unary<float, float, Flushed<Op>> : Handler(unary<float, float, Op>);
}

template <typename Op> Handler binaryF32(Mode mode) {
  if (mode.saturate)
    return mode.flush ? binary<float, float, float, Saturated<Flushed<Op>>>
                      : Handler(binary<float, float, float, Saturated<Op>>);
  return mode.flush ? binary<float, float, float, Flushed<Op>> : Handler(binary<float, float, float, Op>);
}

Handler fusedF32(Mode mode) {
  if (mode.saturate)
    return mode.flush ? ternary<float, float, float, float, Saturated<Flushed<Fuse>>>
                      : Handler(ternary<float, float, float, float, Saturated<Fuse>>);
  return mode.flush ? ternary<float, float, float, float, Flushed<Fuse>> : Handler(fuseF32);
}

template <bool less> Handler extremeF32(bool propagateNaN, Mode mode) {
  return propagateNaN ? binaryF32<Extreme<true, less>>(mode) : binaryF32<Extreme<false, less>>(mode);
}

Handler chooseF32(const std::string &name, bool approximate, bool propagateNaN, Mode mode) {
  if (name == "add")
    return binaryF32<Add>(mode);
  if (name == "sub")
    return binaryF32<Subtract>(mode);
  if (name == "mul")
    return binaryF32<Multiply>(mode);
  if (name == "div")
    return binaryF32<Divide>(mode);
  if (name == "min")
    return extremeF32<true>(propagateNaN, mode);
  if (name == "max")
    return extremeF32<false>(propagateNaN, mode);
  if (name == "copysign")
    return binaryF32<CopySign>({});
  if (name == "fma" || name == "mad")
    return fusedF32(mode);
  if (name == "neg")
    return unaryF32<Negate>(mode);
  if (name == "abs")
    return unaryF32<Absolute>(mode);
  if (name == "rcp")
    return unaryF32<Reciprocal>(mode);
  if (name == "sqrt")
    return unaryF32<SquareRoot>(mode);
  if (!approximate)
    return nullptr;
  if (name == "rsqrt")
    return unaryF32<Approximate<reciprocalSquareRoot>>(mode);
  if (name == "ex2")
    return unaryF32<Approximate<powerOfTwo>>(mode);
  if (name == "lg2")
    return unaryF32<Approximate<logOfTwo>>(mode);
  if (name == "sin")
    return unaryF32<Approximate<sine>>(mode);
  if (name == "cos")
    return unaryF32<Approximate<cosine>>(mode);
  if (name == "tanh")
    return unaryF32<Approximate<hyperbolicTangent>>(mode);
  return nullptr;
}

Handler chooseF64(const std::string &name) {
  if (name == "add")
    return binary<double, double, double, Add>;
  if (name == "sub")
    return binary<double, double, double, Subtract>;
  if (name == "mul")
    return binary<double, double, double, Multiply>;
  if (name == "div")
    return binary<double, double, double, Divide>;
  if (name == "min")
    return binary<double, double, double, Extreme<false, true>>;
  if (name == "max")
    return binary<double, double, double, Extreme<false, false>>;
  if (name == "copysign")
    return binary<double, double, double, CopySign>;
  if (name == "fma" || name == "mad")
    return ternary<double, double, double, double, Fuse>;
  if (name == "neg")
    return unary<double, double, Negate>;
  if (name == "abs")
    return unary<double, double, Absolute>;
  if (name == "rcp")
    return unary<double, double, Reciprocal>;
  if (name == "sqrt")
    return unary<double, double, SquareRoot>;
  return nullptr;
}

/// Two f32 in a 64-bit register, from sm_100 on.
Handler choosePair(const std::string &name, Mode mode) {
  using Two = Pair<float>;
  if (name == "add")
    return mode.flush ? binary<Two, Two, Two, Both<Flushed<Add>>> : Handler(binary<Two, Two, Two, Both<Add>>);
  if (name == "sub")
    return mode.flush ? binary<Two, Two, Two, Both<Flushed<Subtract>>> : Handler(binary<Two, Two, Two, Both<Subtract>>);
  if (name == "mul")
    return mode.flush ? binary<Two, Two, Two, Both<Flushed<Multiply>>> : Handler(binary<Two, Two, Two, Both<Multiply>>);
  if (name == "fma")
    return mode.flush ? ternary<Two, Two, Two, Two, Both<Flushed<Fuse>>>
                      : Handler(ternary<Two, Two, Two, Two, Both<Fuse>>);
  return nullptr;
}

size_t sourceCount(const std::string &name) {
  if (name == "fma" || name == "mad")
    return 3;
  for (const char *two : {"add", "sub", "mul", "div", "min", "max", "copysign"})
    if (name == two)
      return 2;
  return 1;
}

} // namespace

bool decodeFloat(InstructionDecoder &decoder) {
  const std::string &opcode = decoder.source.opcode;
  std::string_view typeName = std::string_view(opcode).substr(opcode.rfind('.') + 1);
  bool isF32 = typeName == "f32", isPair = typeName == "f32x2";
  if (!isF32 && !isPair && typeName != "f64")
    return false;
  if (!chooseF32(decoder.name, true, false, {}))
    return false;
  // Only rounding to nearest even is implemented: another mode is left over, and so an error.
  decoder.take("rn");
  bool approximate = decoder.take("approx");
  decoder.take("full");
  bool propagateNaN = decoder.take("NaN");
  Mode mode;
  mode.flush = decoder.take("ftz");
  mode.saturate = decoder.take("sat");
  PtxType type = decoder.takeType();
  bool misfit = approximate || propagateNaN || mode.saturate || (mode.flush && !isPair);
  if (isF32)
    decoder.result.run = chooseF32(decoder.name, approximate, propagateNaN, mode);
  else if (!misfit)
    decoder.result.run = isPair ? choosePair(decoder.name, mode) : chooseF64(decoder.name);
  size_t sources = sourceCount(decoder.name);
  if (!decoder.result.run || (mode.saturate && sources == 1)) {
    decoder.fail("instruction '" + opcode + "' is not supported");
    return true;
  }
  decoder.addOperands(type, type, sources);
  return true;
}

} // namespace fastnorm::emulator
