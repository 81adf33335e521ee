//===- ElementConversions.cpp - Between storage and f32 -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementConversions.h"

#include "fastnorm/Target/Capabilities.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fastnorm;

namespace {

/// Integer arithmetic on the bits of a scalar, or of all elements of a vector.
class BitBuilder {
public:
  BitBuilder(OpBuilder &builder, Location loc, Type like) : builder(builder), loc(loc), like(like) {}

  Type of(Type element) const {
    auto vector = dyn_cast<VectorType>(like);
    return vector ? Type(vector.clone(element)) : element;
  }
  Type i32() const { return of(builder.getI32Type()); }
  Type f32() const { return of(builder.getF32Type()); }

  Value constant(uint32_t value) { return splat(i32(), builder.getI32IntegerAttr(static_cast<int32_t>(value))); }
  Value constant(float value) { return splat(f32(), builder.getF32FloatAttr(value)); }
  Value add(Value left, Value right) { return arith::AddIOp::create(builder, loc, left, right); }
  Value subtract(Value left, Value right) { return arith::SubIOp::create(builder, loc, left, right); }
  Value bitAnd(Value left, uint32_t mask) { return arith::AndIOp::create(builder, loc, left, constant(mask)); }
  Value bitOr(Value left, Value right) { return arith::OrIOp::create(builder, loc, left, right); }
  Value left(Value value, uint32_t count) { return arith::ShLIOp::create(builder, loc, value, constant(count)); }
  Value right(Value value, uint32_t count) { return arith::ShRUIOp::create(builder, loc, value, constant(count)); }
  Value minimum(Value left, Value right) { return arith::MinUIOp::create(builder, loc, left, right); }
  Value above(Value left, uint32_t right) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, left, constant(right));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  Value asFloat(Value value) { return arith::BitcastOp::create(builder, loc, f32(), value); }
  Value asBits(Value value) { return arith::BitcastOp::create(builder, loc, i32(), value); }
  /// Bits of a narrower type, with zeros above.
  Value extended(Value value, unsigned bits) {
    Value narrow = arith::BitcastOp::create(builder, loc, of(builder.getIntegerType(bits)), value);
    return arith::ExtUIOp::create(builder, loc, i32(), narrow);
  }

private:
  Value splat(Type type, TypedAttr scalar) {
    TypedAttr attribute = scalar;
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, Attribute(scalar));
    return arith::ConstantOp::create(builder, loc, attribute);
  }

  OpBuilder &builder;
  Location loc;
  Type like;
};

} // namespace

/// Bytes of each element of a vector of i32 by `selector`: bytes 0 to 3 of the element, 4 to 7 of zero.
static Value permuted(OpBuilder &builder, Location loc, Value vector, int32_t selector) {
  Value zero = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value mode = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(selector));
  auto elements = vector::ToElementsOp::create(builder, loc, vector);
  SmallVector<Value> results = llvm::map_to_vector(elements.getResults(), [&](Value element) -> Value {
    return LLVM::CallIntrinsicOp::create(builder, loc, builder.getI32Type(), builder.getStringAttr("llvm.nvvm.prmt"),
                                         ValueRange{element, zero, mode})
        .getResult(0);
  });
  return vector::FromElementsOp::create(builder, loc, cast<VectorType>(vector.getType()), results);
}

/// bf16 is the upper half of an f32. Two neighbours of a vector share a 32-bit register: a shift and a mask widen both,
/// where the conversion instruction takes two for the upper one. The forms beyond place the bytes of each half beside
/// two bytes of a zero, of which there are four.
static Value widenBf16(OpBuilder &builder, Location loc, Value value, int64_t form) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector || vector.getNumElements() < 2) {
    BitBuilder bits(builder, loc, value.getType());
    return bits.asFloat(bits.left(bits.extended(value, 16), 16));
  }
  auto pairs = VectorType::get({vector.getNumElements() / 2}, builder.getI32Type());
  BitBuilder bits(builder, loc, pairs);
  Value packed = vector::BitCastOp::create(builder, loc, pairs, value);
  int32_t zeroByte = 4 + (form - 1) % 4;
  Value low = form ? permuted(builder, loc, packed, 0x1000 + zeroByte * 0x11) : bits.left(packed, 16);
  Value high = form ? permuted(builder, loc, packed, 0x3200 + zeroByte * 0x11) : bits.bitAnd(packed, 0xffff0000);
  Value both = vector::InterleaveOp::create(builder, loc, low, high);
  return vector::BitCastOp::create(builder, loc, vector.clone(builder.getF32Type()), both);
}

/// The exponent and mantissa of an f8E4M3FN stand as those of an f32 that is 2^120 times too small, also where it is
/// subnormal.
static Value widenF8(OpBuilder &builder, Location loc, Value value) {
  BitBuilder bits(builder, loc, value.getType());
  Value all = bits.extended(value, 8);
  Value magnitude = bits.bitAnd(all, 0x7f);
  Value small = bits.asFloat(bits.left(magnitude, 20));
  Value scaled = bits.asBits(arith::MulFOp::create(builder, loc, small, bits.constant(0x1p120f)));
  Value finite = bits.select(bits.above(magnitude, 0x7e), bits.constant(uint32_t(0x7fc00000)), scaled);
  return bits.asFloat(bits.bitOr(finite, bits.left(bits.bitAnd(all, 0x80), 24)));
}

Value fastnorm::emitWiden(OpBuilder &builder, Location loc, Value value, int64_t form) {
  Type element = getElementTypeOrSelf(value.getType());
  if (element.isBF16())
    return widenBf16(builder, loc, value, form);
  if (isa<Float8E4M3FNType>(element))
    return widenF8(builder, loc, value);
  BitBuilder bits(builder, loc, value.getType());
  return arith::ExtFOp::create(builder, loc, bits.f32(), value);
}

/// By arithmetic, for chips without the instruction. Three mantissa bits remain, rounded to nearest even by adding half
/// of what is cut off; below 2^-6 the steps are 2^-9, which is the unit in the last place of 2^14.
static Value narrowF8InSoftware(OpBuilder &builder, Location loc, Value value) {
  BitBuilder bits(builder, loc, value.getType());
  Value all = bits.asBits(value);
  Value magnitude = bits.bitAnd(all, 0x7fffffff);
  Value odd = bits.bitAnd(bits.right(magnitude, 20), 1);
  Value rounded = bits.right(bits.add(bits.add(magnitude, bits.constant(uint32_t(0x7ffff))), odd), 20);
  Value normal =
      bits.minimum(bits.subtract(rounded, bits.constant(uint32_t((127 - 7) << 3))), bits.constant(uint32_t(0x7e)));
  Value shifted = arith::AddFOp::create(builder, loc, bits.asFloat(magnitude), bits.constant(0x1p14f));
  Value subnormal = bits.subtract(bits.asBits(shifted), bits.constant(uint32_t(0x46800000)));
  Value finite = bits.select(bits.above(magnitude, 0x3c7fffff), normal, subnormal);
  Value known = bits.select(bits.above(magnitude, 0x7f800000), bits.constant(uint32_t(0x7f)), finite);
  Value result = bits.bitOr(known, bits.bitAnd(bits.right(all, 24), 0x80));
  Value narrow = arith::TruncIOp::create(builder, loc, bits.of(builder.getI8Type()), result);
  return arith::BitcastOp::create(builder, loc, bits.of(Float8E4M3FNType::get(builder.getContext())), narrow);
}

/// Two elements with one instruction; the second operand is the lower half.
static Value narrowF8Pair(OpBuilder &builder, Location loc, Value low, Value high) {
  return LLVM::InlineAsmOp::create(builder, loc, builder.getI16Type(), ValueRange{high, low},
                                   "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f", /*has_side_effects=*/false,
                                   /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
}

static Value narrowF8(OpBuilder &builder, Location loc, Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  Type f8 = Float8E4M3FNType::get(builder.getContext());
  SmallVector<Value> elements{value};
  if (vector) {
    auto split = vector::ToElementsOp::create(builder, loc, value);
    elements.assign(split.getResults().begin(), split.getResults().end());
  }
  if (elements.size() == 1) {
    Value pair = narrowF8Pair(builder, loc, elements[0], elements[0]);
    Value bits = arith::TruncIOp::create(builder, loc, builder.getI8Type(), pair);
    Value narrow = arith::BitcastOp::create(builder, loc, f8, bits);
    return vector ? Value(vector::FromElementsOp::create(builder, loc, vector.clone(f8), narrow)) : narrow;
  }
  SmallVector<Value> pairs;
  for (size_t index = 0; index < elements.size(); index += 2)
    pairs.push_back(narrowF8Pair(builder, loc, elements[index], elements[index + 1]));
  auto packed = VectorType::get({static_cast<int64_t>(pairs.size())}, builder.getI16Type());
  Value joined = vector::FromElementsOp::create(builder, loc, packed, pairs);
  return vector::BitCastOp::create(builder, loc, vector.clone(f8), joined);
}

Value fastnorm::emitNarrow(OpBuilder &builder, Location loc, Value value, Type element, TargetAttr target) {
  if (isa<Float8E4M3FNType>(element))
    return supportsF8Conversion(target) ? narrowF8(builder, loc, value) : narrowF8InSoftware(builder, loc, value);
  BitBuilder bits(builder, loc, value.getType());
  return arith::TruncFOp::create(builder, loc, bits.of(element), value);
}

Value fastnorm::emitToInteger(OpBuilder &builder, Location loc, Value value, Type element) {
  // To 32 bits the instruction saturates by itself and makes 0 of NaN; narrower ones are clamped from there.
  BitBuilder bits(builder, loc, value.getType());
  auto convert = [&](Value scalar) -> Value {
    return LLVM::CallIntrinsicOp::create(builder, loc, builder.getI32Type(), builder.getStringAttr("llvm.nvvm.f2i.rz"),
                                         ValueRange(scalar))
        .getResult(0);
  };
  Value wide;
  if (auto vector = dyn_cast<VectorType>(value.getType())) {
    auto elements = vector::ToElementsOp::create(builder, loc, value);
    SmallVector<Value> converted = llvm::map_to_vector(elements.getResults(), convert);
    wide = vector::FromElementsOp::create(builder, loc, cast<VectorType>(bits.i32()), converted);
  } else {
    wide = convert(value);
  }
  if (element.isInteger(32))
    return wide;
  Value low = arith::MaxSIOp::create(builder, loc, wide, bits.constant(uint32_t(-128)));
  Value clamped = arith::MinSIOp::create(builder, loc, low, bits.constant(uint32_t(127)));
  return arith::TruncIOp::create(builder, loc, bits.of(element), clamped);
}
