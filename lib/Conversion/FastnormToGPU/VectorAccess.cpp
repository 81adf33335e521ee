//===- VectorAccess.cpp - Loads and stores of vectors -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fastnorm;

Value fastnorm::emitAddress(OpBuilder &builder, Location loc, Value pointer) {
  Value index = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, pointer);
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
}

static int64_t bytesOf(VectorType type) { return type.getNumElements() * type.getElementTypeBitWidth() / 8; }

/// Vectors of one and two bytes travel in one 16-bit register, all others in 32-bit registers.
static Type wordType(Builder &builder, VectorType type) {
  return bytesOf(type) <= 2 ? builder.getIntegerType(16) : builder.getIntegerType(32);
}

static int64_t wordCount(VectorType type) { return std::max<int64_t>(1, bytesOf(type) / 4); }

/// "{$0, $1, $2, $3}" or "$0".
static std::string registerList(int64_t first, int64_t count) {
  std::string text;
  for (int64_t index = 0; index < count; ++index)
    text += (index ? ", $" : "$") + std::to_string(first + index);
  return count == 1 ? text : "{" + text + "}";
}

/// ".v4.b32", ".b16", ".b8": how `words` words hold `bytes` bytes.
static std::string accessType(int64_t words, Type word, int64_t bytes) {
  std::string width = words == 1 ? "" : ".v" + std::to_string(words);
  return width + ".b" + std::to_string(std::min<int64_t>(8 * bytes, word.getIntOrFloatBitWidth()));
}

static std::string repeat(StringRef constraint, int64_t count) {
  std::string text;
  for (int64_t index = 0; index < count; ++index)
    text += (index ? "," : "") + constraint.str();
  return text;
}

static StringRef registerConstraint(Type word) { return word.isInteger(16) ? "h" : "r"; }

/// One inline PTX statement with `results` results of a type.
static SmallVector<Value> inlinePtx(OpBuilder &builder, Location loc, Type resultType, int64_t results,
                                    ArrayRef<Value> operands, StringRef text, StringRef constraints,
                                    bool hasSideEffects) {
  Type type = results ? resultType : Type();
  if (results > 1)
    type = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(results, resultType));
  auto statement = LLVM::InlineAsmOp::create(builder, loc, type, operands, text, constraints, hasSideEffects,
                                             /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                             LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> values;
  if (results == 1)
    values.push_back(statement.getRes());
  for (int64_t index = 0; results > 1 && index < results; ++index)
    values.push_back(LLVM::ExtractValueOp::create(builder, loc, statement.getRes(), index));
  return values;
}

Value VectorAccess::fromWords(ArrayRef<Value> words, VectorType type) {
  auto packed = VectorType::get({static_cast<int64_t>(words.size())}, words.front().getType());
  if (bytesOf(type) == 1) {
    Value byte = arith::TruncIOp::create(builder, loc, builder.getI8Type(), words.front());
    Value bytes = vector::BroadcastOp::create(builder, loc, VectorType::get({1}, builder.getI8Type()), byte);
    return vector::BitCastOp::create(builder, loc, type, bytes);
  }
  Value vector = vector::FromElementsOp::create(builder, loc, packed, words);
  return vector::BitCastOp::create(builder, loc, type, vector);
}

SmallVector<Value> VectorAccess::toWords(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  if (bytesOf(type) == 1) {
    auto bytes = VectorType::get({1}, builder.getI8Type());
    Value byte =
        vector::ExtractOp::create(builder, loc, vector::BitCastOp::create(builder, loc, bytes, vector), int64_t(0));
    return {arith::ExtUIOp::create(builder, loc, wordType(builder, type), byte)};
  }
  auto packed = VectorType::get({wordCount(type)}, wordType(builder, type));
  Value words = vector::BitCastOp::create(builder, loc, packed, vector);
  auto elements = vector::ToElementsOp::create(builder, loc, words);
  return SmallVector<Value>(elements.getResults());
}

Value VectorAccess::load(VectorType type, VectorAddress address, LoadPolicy policy, Value predicate) {
  StringRef cache = policy == LoadPolicy::Streaming ? ".cs" : policy == LoadPolicy::ReadOnly ? ".nc" : "";
  Type word = wordType(builder, type);
  SmallVector<Value> words;
  for (int64_t done = 0; done < wordCount(type);) {
    int64_t count = std::min<int64_t>(4, wordCount(type) - done);
    // Results come first in the numbering, then the address, then the predicate, then the zeros tied to the results.
    std::string text = llvm::formatv(
        "{0}ld.global{1}{2} {3}, [${4}+{5}];", predicate ? "@$" + std::to_string(count + 1) + " " : std::string(),
        cache, accessType(count, word, bytesOf(type)), registerList(0, count), count, address.offsetBytes + done * 4);
    std::string constraints = repeat("=" + registerConstraint(word).str(), count) + ",l";
    SmallVector<Value> operands{address.base};
    if (predicate) {
      operands.push_back(predicate);
      constraints += ",b";
      Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(word));
      for (int64_t index = 0; index < count; ++index) {
        operands.push_back(zero);
        constraints += "," + std::to_string(index);
      }
    }
    llvm::append_range(words, inlinePtx(builder, loc, word, count, operands, text, constraints,
                                        /*hasSideEffects=*/policy != LoadPolicy::ReadOnly));
    done += count;
  }
  return fromWords(words, type);
}

Value VectorAccess::loadElement(int64_t bytes, VectorAddress address, LoadPolicy policy, Value predicate) {
  StringRef cache = policy == LoadPolicy::Streaming ? ".cs" : policy == LoadPolicy::ReadOnly ? ".nc" : "";
  std::string text = llvm::formatv("{0}ld.global{1}.u{2} $0, [$1+{3}];", predicate ? "@$2 " : "", cache, 8 * bytes,
                                   address.offsetBytes);
  SmallVector<Value> operands{address.base};
  std::string constraints = "=r,l";
  if (predicate) {
    operands.append({predicate, arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0))});
    constraints += ",b,0";
  }
  return inlinePtx(builder, loc, builder.getI32Type(), 1, operands, text, constraints,
                   /*hasSideEffects=*/policy != LoadPolicy::ReadOnly)
      .front();
}

void VectorAccess::store(Value vector, VectorAddress address, StorePolicy policy, Value predicate) {
  StringRef cache = policy == StorePolicy::Streaming ? ".cs" : "";
  SmallVector<Value> words = toWords(vector);
  Type word = words.front().getType();
  for (size_t done = 0; done < words.size();) {
    int64_t count = std::min<int64_t>(4, words.size() - done);
    std::string text = llvm::formatv("{0}st.global{1}{2} [$0+{3}], {4};",
                                     predicate ? "@$" + std::to_string(count + 1) + " " : std::string(), cache,
                                     accessType(count, word, bytesOf(cast<VectorType>(vector.getType()))),
                                     address.offsetBytes + static_cast<int64_t>(done) * 4, registerList(1, count));
    std::string constraints = "l," + repeat(registerConstraint(word), count);
    SmallVector<Value> operands{address.base};
    operands.append(words.begin() + done, words.begin() + done + count);
    if (predicate) {
      operands.push_back(predicate);
      constraints += ",b";
    }
    inlinePtx(builder, loc, Type(), 0, operands, text, constraints, /*hasSideEffects=*/true);
    done += count;
  }
}

void VectorAccess::addTo(Value vector, VectorAddress address, bool inVectors, Value predicate) {
  SmallVector<Value> elements(vector::ToElementsOp::create(builder, loc, vector).getResults());
  for (size_t done = 0; done < elements.size();) {
    int64_t count = inVectors ? std::min<int64_t>(4, elements.size() - done) : 1;
    std::string text = llvm::formatv("{0}red.global.add{1}.f32 [$0+{2}], {3};",
                                     predicate ? "@$" + std::to_string(count + 1) + " " : std::string(),
                                     count == 1 ? std::string() : ".v" + std::to_string(count),
                                     address.offsetBytes + static_cast<int64_t>(done) * 4, registerList(1, count));
    std::string constraints = "l," + repeat("f", count);
    SmallVector<Value> operands{address.base};
    operands.append(elements.begin() + done, elements.begin() + done + count);
    if (predicate) {
      operands.push_back(predicate);
      constraints += ",b";
    }
    inlinePtx(builder, loc, Type(), 0, operands, text, constraints, /*hasSideEffects=*/true);
    done += count;
  }
}

Value VectorAccess::exchange(VectorAddress address, Value value) {
  std::string text = llvm::formatv("atom.global.exch.b64 $0, [$1+{0}], $2;", address.offsetBytes);
  return inlinePtx(builder, loc, value.getType(), 1, {address.base, value}, text, "=l,l,l", /*hasSideEffects=*/true)
      .front();
}

Value VectorAccess::opaque(Value vector) {
  SmallVector<Value> words = toWords(vector);
  Type word = words.front().getType();
  std::string constraints = repeat("=" + registerConstraint(word).str(), words.size());
  for (size_t index = 0; index < words.size(); ++index)
    constraints += "," + std::to_string(index);
  SmallVector<Value> hidden =
      inlinePtx(builder, loc, word, words.size(), words, "", constraints, /*hasSideEffects=*/true);
  return fromWords(hidden, cast<VectorType>(vector.getType()));
}
