//===- BackwardFunction.cpp - The gradients of a function -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BackwardFunction.h"

#include "fastnorm/Analysis/Symbols.h"
#include "fastnorm/IR/Dialect.h"

using namespace mlir;
using namespace fastnorm;

StringAttr BackwardFunction::Names::claim(MLIRContext *context, StringRef name) {
  std::string unique = name.str();
  for (int count = 2; !taken.insert(unique).second; ++count)
    unique = (name + "_" + Twine(count)).str();
  return StringAttr::get(context, unique);
}

static StringAttr argumentName(func::FuncOp function, unsigned index) {
  return function.getArgAttrOfType<StringAttr>(index, kNameAttr);
}

static StringAttr resultName(func::FuncOp function, unsigned index) {
  return function.getResultAttrOfType<StringAttr>(index, kNameAttr);
}

BackwardFunction::BackwardFunction(func::FuncOp forward, const GradientFlow &flow, bool f32Parameters)
    : forward(forward), flow(flow), builder(forward) {
  if (f32Parameters)
    for (DifferentiableOpInterface op : flow.ops())
      for (Value parameter : op.getParameters())
        wideParameters.insert(parameter);
  for (unsigned index = 0; index < forward.getNumArguments(); ++index)
    forwardNames.claim(forward.getContext(), argumentName(forward, index).getValue());
  for (unsigned index = 0; index < forward.getNumResults(); ++index)
    forwardNames.claim(forward.getContext(), resultName(forward, index).getValue());
}

FailureOr<func::FuncOp> BackwardFunction::build() {
  for (DifferentiableOpInterface op : flow.ops())
    for (SavedValue saved : op.getSavedValues())
      if (failed(save(saved)))
        return failure();
  FailureOr<Symbols> symbols = Symbols::of(forward);
  if (failed(symbols))
    return failure();
  createFunction(*symbols);
  for (DifferentiableOpInterface op : llvm::reverse(flow.ops()))
    propagate(op);
  dropUnread();
  returnGradients(*symbols);
  return backward;
}

//===----------------------------------------------------------------------===//
// What is saved
//===----------------------------------------------------------------------===//

LogicalResult BackwardFunction::save(SavedValue saved) {
  if (savedNames.contains(saved.value))
    return success();
  StringAttr name = nameOf(saved.value);
  auto argument = dyn_cast<BlockArgument>(saved.value);
  if (argument && forward.getArgAttr(argument.getArgNumber(), kResultAttr))
    return forward.emitOpError("expects argument '")
           << name.getValue() << "' to keep its value for the backward function, but a result is computed in its "
           << "buffer; remove '" << kResultAttr << "'";
  if (!name) {
    name = forwardNames.claim(forward.getContext(), ("saved_" + saved.name).str());
    returnAlso(saved.value, name);
  }
  savedNames.insert({saved.value, name});
  return success();
}

StringAttr BackwardFunction::nameOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argumentName(forward, argument.getArgNumber());
  for (OpOperand &returned : forwardReturn()->getOpOperands())
    if (returned.get() == value)
      return resultName(forward, returned.getOperandNumber());
  return {};
}

void BackwardFunction::returnAlso(Value value, StringAttr name) {
  Builder attributes(forward.getContext());
  DictionaryAttr named = attributes.getDictionaryAttr(attributes.getNamedAttr(kNameAttr, name));
  (void)forward.insertResult(forward.getNumResults(), value.getType(), named);
  forwardReturn()->insertOperands(forwardReturn()->getNumOperands(), value);
  savedResults.push_back(value);
}

//===----------------------------------------------------------------------===//
// The backward function
//===----------------------------------------------------------------------===//

RankedTensorType BackwardFunction::gradientType(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  Type f32 = Float32Type::get(type.getContext());
  return RankedTensorType::get(type.getShape(), wideParameters.contains(value) ? f32 : type.getElementType());
}

bool BackwardFunction::isSingleRow(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return static_cast<bool>(forward.getArgAttr(argument.getArgNumber(), kSingleRowAttr));
  return llvm::any_of(forwardReturn()->getOpOperands(), [&](OpOperand &returned) {
    return returned.get() == value && forward.getResultAttr(returned.getOperandNumber(), kSingleRowAttr);
  });
}

Value BackwardFunction::addArgument(Type type, StringAttr name, Value standsFor, const Symbols &symbols) {
  NamedAttrList attributes;
  attributes.set(kNameAttr, backwardNames.claim(builder.getContext(), name));
  if (std::optional<int64_t> symbol = symbols.rowsOf(standsFor))
    attributes.set(kSymbolsAttr, builder.getStrArrayAttr({symbols.names()[*symbol]}));
  if (isSingleRow(standsFor))
    attributes.set(kSingleRowAttr, builder.getUnitAttr());
  unsigned index = backward.getNumArguments();
  (void)backward.insertArgument(index, type, attributes.getDictionary(builder.getContext()), forward.getLoc());
  return backward.getArgument(index);
}

/// Takes the gradients of results, then what was saved; symbols have the names of the forward function.
void BackwardFunction::createFunction(const Symbols &symbols) {
  Location loc = forward.getLoc();
  builder.setInsertionPointAfter(forward);
  backward =
      func::FuncOp::create(builder, loc, (forward.getName() + "_backward").str(), builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(backward.addEntryBlock());
  for (unsigned index : flow.results()) {
    Value value = forwardReturn()->getOperand(index);
    StringAttr name = builder.getStringAttr("grad_" + resultName(forward, index).getValue());
    Value gradient = addArgument(gradientType(value), name, value, symbols);
    Value &known = gradients[value];
    known = gradientAs(builder, loc, gradient, known, gradientType(value));
  }
  for (auto [value, name] : savedNames)
    savedArguments[value] = addArgument(value.getType(), name, value, symbols);
}

/// From the gradients of an op's results to those of its operands.
void BackwardFunction::propagate(DifferentiableOpInterface op) {
  SmallVector<Value> results =
      llvm::map_to_vector(op->getResults(), [&](Value result) { return gradients.lookup(result); });
  SmallVector<Value> saved =
      llvm::map_to_vector(op.getSavedValues(), [&](SavedValue value) { return savedArguments.lookup(value.value); });
  // What is known of a gradient is added once, by the first operand that is this value.
  SmallVector<GradientRequest> requests;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    bool isFirst = llvm::find(op->getOperands(), value).getIndex() == operand.getOperandNumber();
    requests.push_back(flow.contains(value)
                           ? GradientRequest{gradientType(value), isFirst ? gradients.lookup(value) : Value()}
                           : GradientRequest());
  }
  SmallVector<Value> built = op.buildGradients(builder, saved, results, requests);
  llvm::DenseSet<Value> seen;
  for (auto [value, gradient] : llvm::zip(op->getOperands(), built)) {
    if (!gradient)
      continue;
    Value &known = gradients[value];
    bool isFirst = seen.insert(value).second;
    known = isFirst ? gradient : gradientAs(builder, op->getLoc(), gradient, known, gradientType(value));
  }
}

void BackwardFunction::dropUnread() {
  for (auto [value, name] : savedNames) {
    auto argument = cast<BlockArgument>(savedArguments.lookup(value));
    bool isReturned = llvm::is_contained(llvm::make_second_range(gradients), argument);
    if (!argument.use_empty() || isReturned)
      continue;
    (void)backward.eraseArgument(argument.getArgNumber());
    auto added = llvm::find(savedResults, value);
    if (added == savedResults.end())
      continue;
    // What was added last stands last.
    unsigned index = forward.getNumResults() - (savedResults.end() - added);
    savedResults.erase(added);
    (void)forward.eraseResult(index);
    forwardReturn()->eraseOperand(index);
  }
}

llvm::StringSet<> BackwardFunction::argumentSymbols() {
  llvm::StringSet<> names;
  for (unsigned index = 0; index < backward.getNumArguments(); ++index)
    if (auto symbols = backward.getArgAttrOfType<ArrayAttr>(index, kSymbolsAttr))
      for (StringAttr symbol : symbols.getAsRange<StringAttr>())
        names.insert(symbol.getValue());
  return names;
}

/// Arguments that have one gradient share a result. A symbol that only results have needs its name there.
void BackwardFunction::returnGradients(const Symbols &symbols) {
  llvm::StringSet<> known = argumentSymbols();
  llvm::MapVector<Value, SmallVector<BlockArgument>> argumentsOf;
  for (BlockArgument argument : forward.getArguments()) {
    if (Value gradient = gradients.lookup(argument))
      argumentsOf[gradient].push_back(argument);
    else if (flow.isWanted(argument))
      forward.emitRemark("missed differentiate: ") << forward.getName() << ", no result depends on "
                                                   << argumentName(forward, argument.getArgNumber()).getValue();
  }
  SmallVector<Value> values;
  for (auto &[gradient, arguments] : argumentsOf) {
    SmallVector<Attribute> names = llvm::map_to_vector(
        arguments, [&](BlockArgument argument) -> Attribute { return argumentName(forward, argument.getArgNumber()); });
    NamedAttrList attributes;
    StringRef first = cast<StringAttr>(names.front()).getValue();
    attributes.set(kNameAttr, backwardNames.claim(builder.getContext(), ("grad_" + first).str()));
    attributes.set(kGradientOfAttr, builder.getArrayAttr(names));
    if (isSingleRow(arguments.front()))
      attributes.set(kSingleRowAttr, builder.getUnitAttr());
    std::optional<int64_t> symbol = symbols.rowsOf(arguments.front());
    if (symbol && !known.contains(symbols.names()[*symbol]))
      attributes.set(kSymbolsAttr, builder.getStrArrayAttr({symbols.names()[*symbol]}));
    (void)backward.insertResult(values.size(), gradient.getType(), attributes.getDictionary(builder.getContext()));
    values.push_back(gradient);
  }
  func::ReturnOp::create(builder, forward.getLoc(), values);
}
