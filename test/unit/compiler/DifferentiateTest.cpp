//===- DifferentiateTest.cpp - Backward functions on the reference --------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backward function of whole graphs against finite differences of the
// graph: every gradient that is returned, and no other.
//
//===----------------------------------------------------------------------===//

#include "GradientHarness.h"
#include "fastnorm/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <map>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

using Named = std::map<std::string, HostTensor>;

std::string nameOf(mlir::Attribute name) { return llvm::cast<mlir::StringAttr>(name).getValue().str(); }

/// The results of a function, by name, for arguments that are found by theirs.
Named call(mlir::func::FuncOp function, const Named &values) {
  std::vector<HostTensor> arguments;
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    arguments.push_back(values.at(nameOf(function.getArgAttr(index, kNameAttr))));
  Result<std::vector<HostTensor>> results = interpret(function, arguments);
  Named named;
  EXPECT_TRUE(results) << results.error();
  for (unsigned index = 0; results && index < function.getNumResults(); ++index)
    named[nameOf(function.getResultAttr(index, kNameAttr))] = (*results)[index];
  return named;
}

/// A graph @f of f32, differentiated: what its backward function gives for random gradients of the results.
class Differentiated {
public:
  Differentiated(llvm::StringRef text, std::vector<HostTensor> arguments)
      : text(text), arguments(std::move(arguments)) {
    mlir::DialectRegistry registry;
    registry.insert<FastnormDialect, mlir::func::FuncDialect>();
    mlir::MLIRContext context(registry);
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    mlir::PassManager passes(&context);
    passes.addPass(createDifferentiatePass());
    if (!module || mlir::failed(passes.run(*module))) {
      ADD_FAILURE() << "no backward function of " << text.str();
      return;
    }
    auto forward = module->lookupSymbol<mlir::func::FuncOp>("f");
    auto backward = module->lookupSymbol<mlir::func::FuncOp>("f_backward");
    Named values;
    for (unsigned index = 0; index < forward.getNumArguments(); ++index) {
      argumentOf[nameOf(forward.getArgAttr(index, kNameAttr))] = index;
      values[nameOf(forward.getArgAttr(index, kNameAttr))] = this->arguments[index];
    }
    Named results = call(forward, values);
    values.insert(results.begin(), results.end());
    takeGradients(forward, backward, values);
    gradients = call(backward, values);
    for (unsigned index = 0; index < backward.getNumResults(); ++index)
      for (mlir::Attribute argument : backward.getResultAttrOfType<mlir::ArrayAttr>(index, kGradientOfAttr))
        resultOf[nameOf(argument)] = nameOf(backward.getResultAttr(index, kNameAttr));
  }

  /// The gradients of these arguments, and no others, are the finite differences of the graph.
  void expectGradientsOf(std::vector<std::string> names) {
    std::vector<std::string> found;
    for (const auto &[argument, result] : resultOf)
      found.push_back(argument);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(found, names);
    for (const std::string &name : found)
      expectGradient(gradients.at(resultOf[name]), finiteDifferences(text, arguments, argumentOf.at(name), losses),
                     name);
  }

  size_t resultCount() const { return gradients.size(); }

private:
  /// Random gradients for those that the backward function takes, zeros for the other results.
  void takeGradients(mlir::func::FuncOp forward, mlir::func::FuncOp backward, Named &values) {
    std::map<std::string, bool> taken;
    for (unsigned index = 0; index < backward.getNumArguments(); ++index)
      taken[nameOf(backward.getArgAttr(index, kNameAttr))] = true;
    for (unsigned index = 0; index < forward.getNumResults(); ++index) {
      std::string name = nameOf(forward.getResultAttr(index, kNameAttr));
      const HostTensor &result = values.at(name);
      bool isTaken = taken.count("grad_" + name);
      losses.push_back(isTaken ? randomTensor(DType::F32, result.shape(), 40 + index)
                               : HostTensor(DType::F32, result.shape()));
      values["grad_" + name] = losses.back();
    }
    // The graph as it was written does not return what was saved.
    while (!losses.empty() && nameOf(forward.getResultAttr(losses.size() - 1, kNameAttr)).rfind("saved_", 0) == 0)
      losses.pop_back();
  }

  std::string text;
  std::vector<HostTensor> arguments;
  std::vector<HostTensor> losses; ///< one per result of the graph as it was written
  std::map<std::string, size_t> argumentOf;
  std::map<std::string, std::string> resultOf; ///< of the backward function, by argument
  Named gradients;
};

HostTensor rows(unsigned seed) { return randomTensor(DType::F32, {3, 8}, seed); }
HostTensor columns(unsigned seed) { return randomTensor(DType::F32, {8}, seed, 1.0); }

TEST(Differentiate, OneNorm) {
  Differentiated norm(R"(func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
    %y = fastnorm.rms_norm %x weight(%w) bias(%b) {eps = 1.0e-5 : f32, weight_offset = 0.5 : f32}
       : tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    return %y : tensor<?x8xf32>
  })",
                      {rows(1), columns(2), columns(3)});
  norm.expectGradientsOf({"arg0", "arg1", "arg2"});
}

TEST(Differentiate, LayerNormWithoutAWeight) {
  Differentiated norm(
      R"(func.func @f(%x: tensor<?x8xf32>, %b: tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>) {
    %y, %mean, %rstd = fastnorm.layer_norm %x bias(%b) {eps = 1.0e-5 : f32}
       : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>
    return %y, %mean, %rstd : tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>
  })",
      {rows(1), columns(3)});
  norm.expectGradientsOf({"arg0", "arg1"});
}

TEST(Differentiate, ResidualAndNormBothReturned) {
  Differentiated block(R"(func.func @f(%r: tensor<?x8xf32>, %h: tensor<?x8xf32>, %w: tensor<8xf32>)
      -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    %s = fastnorm.residual_add %r, %h : tensor<?x8xf32>
    %y = fastnorm.rms_norm %s weight(%w) {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    return %y, %s : tensor<?x8xf32>, tensor<?x8xf32>
  })",
                       {rows(1), rows(2), columns(3)});
  block.expectGradientsOf({"arg0", "arg1", "arg2"});
  EXPECT_EQ(block.resultCount(), 2u); // both addends have one gradient
}

TEST(Differentiate, TwoNormsInARowShareTheirWeight) {
  Differentiated chain(R"(func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>) -> tensor<?x8xf32> {
    %y = fastnorm.layer_norm %x weight(%w) bias(%w) {eps = 1.0e-5 : f32}
       : tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    %z = fastnorm.rms_norm %y weight(%w) {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    return %z : tensor<?x8xf32>
  })",
                       {rows(1), columns(2)});
  chain.expectGradientsOf({"arg0", "arg1"});
}

TEST(Differentiate, AValueThatManyRead) {
  // x is an operand twice, normalized twice, and returned; so is y.
  Differentiated graph(
      R"(func.func @f(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
    %s = fastnorm.residual_add %x, %x : tensor<?x8xf32>
    %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<?x8xf32> -> tensor<?x8xf32>
    %z = fastnorm.layer_norm %s {eps = 1.0e-5 : f32} : tensor<?x8xf32> -> tensor<?x8xf32>
    %t = fastnorm.residual_add %y, %z : tensor<?x8xf32>
    return %t, %y, %y, %x : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
  })",
      {rows(1)});
  graph.expectGradientsOf({"arg0"});
}

TEST(Differentiate, OnlyTheGradientsThatAreWanted) {
  Differentiated block(
      R"(func.func @f(%r: tensor<?x8xf32> {fastnorm.no_gradient}, %h: tensor<?x8xf32>, %w: tensor<8xf32> {fastnorm.no_gradient},
        %b: tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32> {fastnorm.no_gradient}) {
    %s = fastnorm.residual_add %r, %h : tensor<?x8xf32>
    %y = fastnorm.layer_norm %s weight(%w) bias(%b) {eps = 1.0e-5 : f32}
       : tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    return %y, %s : tensor<?x8xf32>, tensor<?x8xf32>
  })",
      {rows(1), rows(2), columns(3), columns(4)});
  block.expectGradientsOf({"arg1", "arg3"});
}

TEST(Differentiate, HeadsHaveGradientsOfTheirOwn) {
  Differentiated norm(
      R"(func.func @f(%x: tensor<?x3x8xf32>, %w: tensor<3x8xf32>, %b: tensor<8xf32>) -> tensor<?x3x8xf32> {
    %y = fastnorm.rms_norm %x weight(%w) bias(%b) {eps = 1.0e-5 : f32}
       : tensor<?x3x8xf32>, tensor<3x8xf32>, tensor<8xf32> -> tensor<?x3x8xf32>
    return %y : tensor<?x3x8xf32>
  })",
      {randomTensor(DType::F32, {2, 3, 8}, 1), randomTensor(DType::F32, {3, 8}, 2, 1.0), columns(3)});
  norm.expectGradientsOf({"arg0", "arg1", "arg2"});
}

TEST(Differentiate, ABlockOfGatherCombineResidualAndNorm) {
  // Rows 1 and 4 of x go to two tokens, 5 and 0 to none; a slot is dropped.
  Differentiated block(
      R"(func.func @f(%x: tensor<6x8xf32>, %order: tensor<3xi32>, %rows: tensor<5x8xf32>, %index: tensor<3x2xi64>, %gate: tensor<3x2xf32>,
        %shared: tensor<3x8xf32>, %w: tensor<8xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>) {
    %p = fastnorm.gather %x[%order] : tensor<6x8xf32>, tensor<3xi32> -> tensor<3x8xf32>
    %h = fastnorm.combine %rows[%index] gate(%gate) shared(%shared)
       : tensor<5x8xf32>, tensor<3x2xi64>, tensor<3x2xf32>, tensor<3x8xf32> -> tensor<3x8xf32>
    %s = fastnorm.residual_add %p, %h : tensor<3x8xf32>
    %y = fastnorm.rms_norm %s weight(%w) {eps = 1.0e-5 : f32} : tensor<3x8xf32>, tensor<8xf32> -> tensor<3x8xf32>
    return %y, %s : tensor<3x8xf32>, tensor<3x8xf32>
  })",
      {randomTensor(DType::F32, {6, 8}, 1), tensor(DType::I32, {3}, {4, 1, 4}), randomTensor(DType::F32, {5, 8}, 2),
       tensor(DType::I64, {3, 2}, {0, 4, -1, 2, 2, 4}), randomTensor(DType::F32, {3, 2}, 3), rows(4), columns(5)});
  block.expectGradientsOf({"arg0", "arg2", "arg4", "arg5", "arg6"});
  EXPECT_EQ(block.resultCount(), 5u);
}

TEST(Differentiate, OneTableThatTwoReadByAnIndex) {
  Differentiated graph(
      R"(func.func @f(%x: tensor<6x8xf32>, %order: tensor<3xi32>, %index: tensor<3x2xi32>) -> (tensor<3x8xf32>, tensor<3x8xf32>) {
    %p = fastnorm.gather %x[%order] index_map(injective) : tensor<6x8xf32>, tensor<3xi32> -> tensor<3x8xf32>
    %h = fastnorm.combine %x[%index] : tensor<6x8xf32>, tensor<3x2xi32> -> tensor<3x8xf32>
    return %p, %h : tensor<3x8xf32>, tensor<3x8xf32>
  })",
      {randomTensor(DType::F32, {6, 8}, 1), tensor(DType::I32, {3}, {4, 1, 0}),
       tensor(DType::I32, {3, 2}, {0, 0, 4, 2, 2, 4})});
  graph.expectGradientsOf({"arg0"});
}

} // namespace
