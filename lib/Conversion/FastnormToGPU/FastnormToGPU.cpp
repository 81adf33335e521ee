//===- FastnormToGPU.cpp - Kernels of the algebra become GPU kernels -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostFunction.h"
#include "Strategies.h"

#include "fastnorm/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fastnorm {
#define GEN_PASS_DEF_CONVERTFASTNORMTOGPUPASS
#include "fastnorm/Conversion/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

/// Stable for profilers: the function's name, and the kernel's number and name where there are several. In PTX a name
/// begins with a letter and goes on with letters, digits, _ and $. Variants share their names: each has PTX of its own.
static std::string kernelName(func::FuncOp graph, KernelOp kernel, size_t number, size_t count) {
  auto variantOf = graph->getAttrOfType<StringAttr>(kVariantOfAttr);
  std::string name = (variantOf ? variantOf.getValue() : graph.getName()).str();
  if (count > 1)
    name += "_" + std::to_string(number) + "_" + kernel.getName().str();
  for (char &letter : name)
    if (!llvm::isAlnum(letter) && letter != '$')
      letter = '_';
  return name.empty() || !llvm::isAlpha(name[0]) ? "kernel_" + name : name;
}

namespace {
/// One launch: a kernel, a phase of one, what sets the results that one adds to, or what adds up the sums over rows
/// that one leaves.
struct LaunchStep {
  enum class Role { Rows, Fill, Finalize };
  KernelOp kernel;
  int64_t phase;
  std::string name;
  Role role = Role::Rows;
  bool leavesPartials = false; ///< for another finalize launch
};
} // namespace

/// The launches that add up what a kernel leaves.
static void appendFinalizeSteps(SmallVectorImpl<LaunchStep> &steps, KernelOp kernel, const std::string &name) {
  AccessPattern pattern(kernel);
  if (pattern.columnReductions.empty() || kernel.getSchedule()->addsAtomically())
    return;
  bool isTwo = finalizeSplits(pattern, *kernel.getSchedule()) > 1;
  if (isTwo)
    steps.push_back({kernel, 0, name + "_finalize_0", LaunchStep::Role::Finalize, /*leavesPartials=*/true});
  steps.push_back({kernel, 0, name + (isTwo ? "_finalize_1" : "_finalize"), LaunchStep::Role::Finalize});
}

int64_t fastnorm::launchCount(const AccessPattern &pattern, ScheduleAttr schedule) {
  if (pattern.accumulatingScatter())
    return kAccumulationSteps;
  return schedule.getScope() == RowScope::Grid ? pattern.phases : 1;
}

std::string fastnorm::launchSuffix(const AccessPattern &pattern, ScheduleAttr schedule, int64_t launch) {
  int64_t count = launchCount(pattern, schedule);
  if (launch + 1 == count)
    return "";
  constexpr StringLiteral kLists[] = {"_clear", "_link", "_order"};
  if (pattern.accumulatingScatter())
    return kLists[launch].str();
  return count > 2 ? "_statistics_" + std::to_string(launch) : "_statistics";
}

/// The launches of a graph in order. Those that only leave sums for later phases are called statistics, those that add
/// up sums over rows finalize, those that set what such sums are added to fill, those that find which slots name one
/// row clear, link and order.
static SmallVector<LaunchStep> launchSteps(func::FuncOp graph, ArrayRef<KernelOp> kernels) {
  SmallVector<LaunchStep> steps;
  for (auto [number, kernel] : llvm::enumerate(kernels)) {
    KernelOp handle = kernel;
    std::string name = kernelName(graph, handle, number, kernels.size());
    AccessPattern pattern(handle);
    int64_t count = launchCount(pattern, *handle.getSchedule());
    if (!sumsToFill(pattern, *handle.getSchedule()).empty())
      steps.push_back({handle, 0, name + "_fill", LaunchStep::Role::Fill});
    for (int64_t phase = 0; phase < count; ++phase)
      steps.push_back({handle, phase, name + launchSuffix(pattern, *handle.getSchedule(), phase)});
    appendFinalizeSteps(steps, handle, name);
  }
  return steps;
}

/// Before anything else: lets the next launch begin, and waits until all earlier ones have ended and what they wrote
/// can be read.
static void emitDependencies(OpBuilder &builder, Location loc, bool isDependent, bool hasDependent) {
  if (hasDependent)
    NVVM::GriddepcontrolOp::create(builder, loc, NVVM::GridDepActionKind::launch_dependents);
  if (isDependent)
    NVVM::GriddepcontrolOp::create(builder, loc, NVVM::GridDepActionKind::wait);
}

static void emitBody(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                     const KernelInterface &interface, int64_t phase, bool hasDependent) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(interface.function.getBody().front().getTerminator());
  emitDependencies(builder, pattern.kernel.getLoc(), interface.isDependent, hasDependent);
  if (pattern.accumulatingScatter())
    return emitAccumulation(builder, pattern, schedule, interface, static_cast<AccumulationStep>(phase));
  if (schedule.getScope() == RowScope::Grid)
    return emitGridPhase(builder, pattern, schedule, interface, phase);
  if (schedule.hasTiles())
    return emitTiles(builder, pattern, schedule, interface);
  if (schedule.isPersistent())
    return emitPersistentRows(builder, pattern, schedule, interface);
  switch (schedule.getKind()) {
  case ScheduleKind::PerElement: return emitPerElement(builder, pattern, schedule, interface);
  case ScheduleKind::PerRow: return emitPerRow(builder, pattern, schedule, interface);
  case ScheduleKind::TwoPass: return emitTwoPass(builder, pattern, schedule, interface);
  }
}

/// A launch before or behind the one that works on the rows.
template <typename Interface>
static void emitBeside(OpBuilder &builder, const AccessPattern &pattern, const Interface &interface, bool hasDependent,
                       llvm::function_ref<void()> emit) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(interface.function.getBody().front().getTerminator());
  emitDependencies(builder, pattern.kernel.getLoc(), interface.isDependent, hasDependent);
  emit();
}

namespace {

class ConvertFastnormToGPUPass : public fastnorm::impl::ConvertFastnormToGPUPassBase<ConvertFastnormToGPUPass> {
public:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(requireTarget(module)))
      return signalPassFailure();
    for (func::FuncOp function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!function.getBody().getOps<KernelOp>().empty() && failed(convert(module, function)))
        return signalPassFailure();
  }

private:
  LogicalResult convert(ModuleOp module, func::FuncOp graph) {
    FailureOr<Symbols> symbols = Symbols::of(graph);
    if (failed(symbols))
      return failure();
    SmallVector<KernelOp> kernels(graph.getBody().getOps<KernelOp>());
    for (KernelOp kernel : kernels)
      if (!kernel.getSchedule())
        return kernel.emitOpError("has no schedule; run fastnorm-select-schedule first");

    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), UnitAttr::get(&getContext()));
    OpBuilder builder(graph);
    auto gpuModule = gpu::GPUModuleOp::create(builder, graph.getLoc(), (graph.getName() + "_kernels").str());
    OpBuilder kernelBuilder = OpBuilder::atBlockBegin(&gpuModule.getBodyRegion().front());
    HostFunction host(builder, graph, *symbols);
    SmallVector<LaunchStep> steps = launchSteps(graph, kernels);
    for (auto [number, step] : llvm::enumerate(steps)) {
      AccessPattern pattern(step.kernel);
      ScheduleAttr schedule = *step.kernel.getSchedule();
      // The first launch of a graph has none of the graph's before it.
      bool isDependent = number > 0 && schedule.getDependentLaunch();
      bool hasDependent = number + 1 < steps.size() && steps[number + 1].kernel.getSchedule()->getDependentLaunch();
      if (step.role == LaunchStep::Role::Fill) {
        FillInterface interface(kernelBuilder, pattern, schedule, step.name);
        interface.isDependent = isDependent;
        emitBeside(kernelBuilder, pattern, interface, hasDependent,
                   [&] { emitFill(kernelBuilder, pattern, interface); });
        host.addFill(pattern, schedule, interface);
        continue;
      }
      if (step.role == LaunchStep::Role::Finalize) {
        FinalizeInterface interface(kernelBuilder, pattern, schedule, step.name, step.leavesPartials);
        interface.isDependent = isDependent;
        emitBeside(kernelBuilder, pattern, interface, hasDependent,
                   [&] { emitFinalize(kernelBuilder, pattern, schedule, interface); });
        host.addFinalize(pattern, schedule, interface);
        continue;
      }
      KernelInterface interface(kernelBuilder, pattern, schedule, step.name, *symbols);
      interface.isDependent = isDependent;
      emitBody(kernelBuilder, pattern, schedule, interface, step.phase, hasDependent);
      host.addLaunch(pattern, schedule, interface, step.phase);
    }
    graph.erase();
    return success();
  }
};

} // namespace
