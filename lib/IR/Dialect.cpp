//===- Dialect.cpp - The fastnorm dialect -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/IR/Dialect.h"
#include "fastnorm/IR/GraphOps.h"
#include "fastnorm/IR/KernelOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace fastnorm;

#include "fastnorm/IR/Dialect.cpp.inc"

#include "fastnorm/IR/Enums.cpp.inc"

#include "fastnorm/IR/Interfaces.cpp.inc"

void FastnormDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "fastnorm/IR/GraphOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "fastnorm/IR/KernelOps.cpp.inc"
      >();
  registerAttributes();
}

bool fastnorm::isStorable(Type element) {
  return isa<Float32Type, BFloat16Type, Float16Type, Float8E4M3FNType>(element) || element.isInteger(8) ||
         element.isInteger(32) || element.isInteger(64);
}

/// What a function says of the inputs that it serves.
static LogicalResult verifyVariantAttribute(Operation *op, NamedAttribute attribute) {
  auto expects = [&](StringRef what) {
    return op->emitOpError("expects '") << attribute.getName().getValue() << "' to be " << what << ", but got "
                                        << attribute.getValue();
  };
  Attribute value = attribute.getValue();
  if (attribute.getName() == kRangesAttr) {
    auto ranges = dyn_cast<ArrayAttr>(value);
    if (!ranges || !llvm::all_of(ranges, [](Attribute range) { return isa<RangeAttr>(range); }))
      return expects("a list of #fastnorm.range");
  }
  if (attribute.getName() == kAlignmentAttr) {
    auto bytes = dyn_cast<IntegerAttr>(value);
    if (!bytes || (bytes.getValue() != 1 && bytes.getValue() != 16))
      return expects("1 or 16 bytes");
  }
  if (attribute.getName() == kVariantOfAttr && !isa<StringAttr>(value))
    return expects("a function's name");
  return success();
}

LogicalResult FastnormDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kTargetAttr) {
    if (!isa<ModuleOp>(op))
      return op->emitOpError("cannot carry '") << kTargetAttr << "'; it belongs on the module";
    if (!isa<TargetAttr>(attribute.getValue()))
      return op->emitOpError("expects '")
             << kTargetAttr << "' to be a #fastnorm.target, but got " << attribute.getValue();
  }
  return verifyVariantAttribute(op, attribute);
}

static bool isListOfStrings(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && llvm::all_of(list, [](Attribute name) { return isa<StringAttr>(name); });
}

/// What `fastnorm-differentiate` reads and writes.
static LogicalResult verifyGradientAttribute(Operation *op, NamedAttribute attribute) {
  bool isMark = attribute.getName() == kNoGradientAttr;
  if (isMark ? isa<UnitAttr>(attribute.getValue()) : isListOfStrings(attribute.getValue()))
    return success();
  return op->emitOpError("expects '") << attribute.getName().getValue() << "' "
                                      << (isMark ? "without a value" : "to be a list of names") << ", but got "
                                      << attribute.getValue();
}

/// Names are not empty; symbols name each `?` of the tensor once.
static LogicalResult verifyBindingAttribute(Operation *op, Type type, NamedAttribute attribute) {
  if (attribute.getName() == kNameAttr) {
    auto name = dyn_cast<StringAttr>(attribute.getValue());
    if (!name || name.empty())
      return op->emitOpError("expects '")
             << kNameAttr << "' to be a string that is not empty, but got " << attribute.getValue();
    return success();
  }
  if (attribute.getName() == kIndexesAttr) {
    if (isa<StringAttr>(attribute.getValue()))
      return success();
    return op->emitOpError("expects '") << kIndexesAttr << "' to be a symbol's name, but got " << attribute.getValue();
  }
  if (attribute.getName() == kResultAttr || attribute.getName() == kTiedAttr) {
    bool fits = isa<MemRefType>(type) || (isa<RankedTensorType>(type) && attribute.getName() == kResultAttr);
    if (isa<IntegerAttr>(attribute.getValue()) && fits)
      return success();
    return op->emitOpError("expects '") << attribute.getName().getValue()
                                        << "' to be an integer on a tensor or memref, but got " << attribute.getValue()
                                        << " on " << type;
  }
  if (attribute.getName() == kSingleRowAttr) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (isa<UnitAttr>(attribute.getValue()) && shaped && shaped.hasRank() && shaped.getRank() > 1 &&
        shaped.getDimSize(0) == 1)
      return success();
    return op->emitOpError("expects '") << kSingleRowAttr << "' on a tensor that begins with a dimension of 1, but got "
                                        << type;
  }
  if (attribute.getName() == kNoGradientAttr || attribute.getName() == kGradientOfAttr)
    return verifyGradientAttribute(op, attribute);
  if (attribute.getName() != kSymbolsAttr)
    return op->emitOpError("carries '") << attribute.getName().getValue()
                                        << "', which fastnorm does not know; known are '" << kNameAttr << "', '"
                                        << kSymbolsAttr << "', '" << kIndexesAttr << "', '" << kSingleRowAttr << "', '"
                                        << kTiedAttr << "', '" << kResultAttr << "', '" << kNoGradientAttr << "' and '"
                                        << kGradientOfAttr << "'";
  auto symbols = dyn_cast<ArrayAttr>(attribute.getValue());
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!isListOfStrings(attribute.getValue()))
    return op->emitOpError("expects '") << kSymbolsAttr << "' to be a list of strings, but got "
                                        << attribute.getValue();
  if (tensor && static_cast<int64_t>(symbols.size()) != static_cast<int64_t>(tensor.getNumDynamicDims()))
    return op->emitOpError("expects '") << kSymbolsAttr << "' to name the " << tensor.getNumDynamicDims()
                                        << " dynamic dimensions of " << type << ", but it names " << symbols.size();
  return success();
}

LogicalResult FastnormDialect::verifyRegionArgAttribute(Operation *op, unsigned regionIndex, unsigned argIndex,
                                                        NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return verifyBindingAttribute(op, function ? function.getArgumentTypes()[argIndex] : Type(), attribute);
}

LogicalResult FastnormDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex, unsigned resultIndex,
                                                           NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return verifyBindingAttribute(op, function ? function.getResultTypes()[resultIndex] : Type(), attribute);
}
