//===- KernelSignature.cpp - What a kernel is, as one line ----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints by itself rather than through MLIR's printer: what stands in a table
// outlives changes of a syntax.
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/KernelSignature.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fastnorm;

namespace {

class SignaturePrinter {
public:
  explicit SignaturePrinter(llvm::raw_ostream &stream) : stream(stream) {}

  /// "(%0: f32, %1: bf16) { … }"
  void block(Block &block) {
    stream << "(";
    llvm::interleaveComma(block.getArguments(), stream, [&](BlockArgument argument) { define(argument); });
    stream << ") {";
    for (Operation &op : block)
      print(op);
    stream << " }";
  }

private:
  /// "%3: ?x4096xbf16"
  void define(Value value) {
    numbers.try_emplace(value, numbers.size());
    stream << "%" << numbers.lookup(value) << ": ";
    print(value);
  }

  /// The type of a value, without how many rows it has.
  void print(Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor) {
      stream << value.getType();
      return;
    }
    AxesAttr axes = axesOf(value);
    SmallVector<int64_t> shape(tensor.getShape());
    // A table has no axes: an index counts its rows.
    if (!axes || axes.getAxes().front() == Axis::Row)
      shape.front() = ShapedType::kDynamic;
    for (int64_t extent : shape)
      (ShapedType::isDynamic(extent) ? stream << "?" : stream << extent) << "x";
    stream << tensor.getElementType();
    if (tensor.getEncoding())
      stream << " " << tensor.getEncoding();
  }

  void print(Operation &op) {
    stream << " " << op.getName() << "(";
    llvm::interleaveComma(op.getOperands(), stream, [&](Value operand) { stream << "%" << numbers.lookup(operand); });
    stream << ")";
    // What a constant is does not make it slower; of what type it is might.
    if (!isa<arith::ConstantOp>(op))
      for (NamedAttribute attribute : op.getAttrDictionary())
        stream << " " << attribute.getName().getValue() << "=" << attribute.getValue();
    for (Region &region : op.getRegions())
      block(region.front());
    if (op.getNumResults()) {
      stream << " -> ";
      llvm::interleaveComma(op.getResults(), stream, [&](Value result) { define(result); });
    }
    stream << ";";
  }

  llvm::raw_ostream &stream;
  llvm::DenseMap<Value, size_t> numbers;
};

} // namespace

std::string fastnorm::kernelSignature(const AccessPattern &pattern) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  SignaturePrinter(stream).block(pattern.kernel.getBody().front());
  for (auto &[argument, result] : pattern.tied)
    stream << " input " << argument.getArgNumber() << " is result " << result;
  if (pattern.alignment != 16)
    stream << " aligned to " << pattern.alignment;
  return text;
}
