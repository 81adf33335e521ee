//===- KernelOpsSyntax.cpp - Text of the kernel algebra -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelOpsSyntax.h"
#include "fastnorm/IR/KernelOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace fastnorm;

ParseResult fastnorm::parseBareAxes(OpAsmParser &parser, AxesAttr &axes) {
  SmallVector<Axis> list;
  SMLoc loc = parser.getCurrentLocation();
  auto parseAxis = [&]() -> ParseResult {
    FailureOr<Axis> axis = FieldParser<Axis, Axis>::parse(parser);
    if (failed(axis))
      return failure();
    list.push_back(*axis);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseAxis))
    return failure();
  if (failed(AxesAttr::verify([&] { return parser.emitError(loc); }, list)))
    return failure();
  axes = AxesAttr::get(parser.getContext(), list);
  return success();
}

void fastnorm::printBareAxes(OpAsmPrinter &printer, Operation *, AxesAttr axes) { printer << axes.str(); }

ParseResult fastnorm::parseOperandsWithAxes(OpAsmParser &parser,
                                            SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                                            ArrayAttr &axes) {
  SmallVector<Attribute> list;
  // A map without operands is legal: it broadcasts a constant.
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult first = parser.parseOptionalOperand(operand);
  while (first.has_value()) {
    AxesAttr operandAxes;
    if (failed(*first) || parseBareAxes(parser, operandAxes))
      return failure();
    operands.push_back(operand);
    list.push_back(operandAxes);
    if (failed(parser.parseOptionalComma()))
      break;
    first = parser.parseOperand(operand);
  }
  axes = parser.getBuilder().getArrayAttr(list);
  return success();
}

void fastnorm::printOperandsWithAxes(OpAsmPrinter &printer, Operation *, OperandRange operands, ArrayAttr axes) {
  llvm::interleaveComma(llvm::zip(operands, axes), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " " << cast<AxesAttr>(std::get<1>(pair)).str();
  });
}

/// kernel "name" (%argument = %input, …) : (types) -> (types) {attributes} region
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  FunctionType type;
  if (parser.parseAttribute(name, "name", result.attributes) || parser.parseAssignmentList(arguments, inputs) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(type))
    return failure();
  if (type.getNumInputs() != inputs.size())
    return parser.emitError(loc) << "expects a type for each of the " << inputs.size() << " inputs, but got "
                                 << type.getNumInputs();
  for (auto [argument, argumentType] : llvm::zip(arguments, type.getInputs()))
    argument.type = argumentType;
  result.addTypes(type.getResults());
  return failure(parser.resolveOperands(inputs, type.getInputs(), loc, result.operands) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << " " << getNameAttr() << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()), printer,
                        [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
  printer << ")";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"name"});
  printer << " : ";
  printer.printFunctionalType(getOperation());
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}
