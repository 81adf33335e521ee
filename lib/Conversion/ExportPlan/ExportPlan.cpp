//===- ExportPlan.cpp - Leave MLIR -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Conversion/ExportPlan.h"

#include "fastnorm/Conversion/LaunchAttributes.h"
#include "fastnorm/IR/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fastnorm;

namespace {

class PlanExporter {
public:
  explicit PlanExporter(ModuleOp module) : module(module) {}

  Result<Plan> run() {
    auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
    auto target = module->getAttrOfType<TargetAttr>(kTargetAttr);
    if (functions.empty() || !target)
      return Error{"expected a module lowered to PTX with a function and a target, but it has " +
                   std::to_string(functions.size()) + " functions"};
    host = functions.front();
    StringRef graph = graphOf(host);
    plan.producer = "fastnorm " FASTNORM_VERSION;
    plan.function = graph.str();
    plan.target = target.getName().str();
    plan.chip = target.getChip().str();
    readTensors();
    // Last: no tensor has it.
    if (llvm::any_of(functions, [](func::FuncOp function) { return takesSmLimit(function); }))
      plan.symbols.push_back(kSmLimitSymbol);
    for (func::FuncOp function : functions) {
      if (graphOf(function) != graph)
        return Error{"expected variants of one graph, but got '" + graph.str() + "' and '" + graphOf(function).str() +
                     "'"};
      if (Status status = readVariant(function); !status)
        return status.takeError();
    }
    if (Status status = verify(plan); !status)
      return status.takeError();
    return plan;
  }

private:
  static StringRef graphOf(func::FuncOp function) {
    auto variantOf = function->getAttrOfType<StringAttr>(kVariantOfAttr);
    return variantOf ? variantOf.getValue() : function.getName();
  }

  /// A host function's last argument may be the SM limit; all others are tensors.
  static bool takesSmLimit(func::FuncOp function) {
    return function.getNumArguments() > 0 && function.getArgumentTypes().back().isIndex();
  }
  static unsigned tensorCount(func::FuncOp function) { return function.getNumArguments() - takesSmLimit(function); }

  /// Variants have the tensors of the first function.
  Status readVariant(func::FuncOp function) {
    host = function;
    Variant variant;
    if (auto alignment = host->getAttrOfType<IntegerAttr>(kAlignmentAttr))
      variant.alignment = alignment.getInt();
    if (auto ranges = host->getAttrOfType<ArrayAttr>(kRangesAttr))
      for (RangeAttr range : ranges.getAsRange<RangeAttr>())
        variant.ranges.push_back({symbolIndex(range.getSymbol()), range.getLow(), range.getHigh()});
    if (Status status = readBody(variant); !status)
      return status;
    plan.variants.push_back(std::move(variant));
    return {};
  }

  /// The PTX text that holds a launch's kernel.
  Result<std::string> ptxOf(gpu::LaunchFuncOp launch) {
    auto binary = module.lookupSymbol<gpu::BinaryOp>(launch.getKernelModuleName());
    if (!binary)
      return Error{"expected PTX text for kernel '" + launch.getKernelName().str() + "', but the module has none"};
    return cast<gpu::ObjectAttr>(binary.getObjects()[0]).getObject().getValue().str();
  }

  int64_t symbolIndex(StringRef name) {
    auto place = llvm::find(plan.symbols, name.str());
    if (place == plan.symbols.end())
      place = plan.symbols.insert(plan.symbols.end(), name.str());
    return place - plan.symbols.begin();
  }

  /// A stride known at run time is a symbol of its tensor.
  int64_t strideSymbol(const TensorSpec &spec, int64_t dimension) {
    return symbolIndex(spec.name + "_stride_" + std::to_string(dimension));
  }

  /// Results give the first symbols their place, as in `Symbols`.
  void readTensors() {
    auto isResult = [&](unsigned index) { return host.getArgAttr(index, kResultAttr) != nullptr; };
    for (bool results : {true, false})
      for (unsigned index = 0; index < tensorCount(host); ++index)
        if (isResult(index) == results)
          readTensor(index, results ? plan.results : plan.arguments);
    for (unsigned index = 0; index < tensorCount(host); ++index)
      if (auto indexed = host.getArgAttrOfType<StringAttr>(index, kIndexesAttr))
        plan.arguments[argumentOf[index].second].indexes = symbolIndex(indexed.getValue());
  }

  void readTensor(unsigned index, std::vector<TensorSpec> &list) {
    auto type = cast<MemRefType>(host.getArgumentTypes()[index]);
    TensorSpec spec;
    spec.name = host.getArgAttrOfType<StringAttr>(index, kNameAttr).getValue().str();
    std::string element;
    llvm::raw_string_ostream(element) << type.getElementType();
    spec.dtype = *parseDType(element);
    auto symbols = host.getArgAttrOfType<ArrayAttr>(index, kSymbolsAttr);
    int64_t nextSymbol = 0;
    for (int64_t extent : type.getShape()) {
      Extent entry;
      if (ShapedType::isDynamic(extent))
        entry.symbol = symbolIndex(cast<StringAttr>(symbols[nextSymbol++]).getValue());
      else
        entry.fixed = extent;
      spec.shape.push_back(entry);
    }
    if (auto layout = dyn_cast<StridedLayoutAttr>(type.getLayout()))
      for (auto [dimension, stride] : llvm::enumerate(layout.getStrides())) {
        Extent entry;
        if (ShapedType::isDynamic(stride))
          entry.symbol = strideSymbol(spec, dimension);
        else
          entry.fixed = stride;
        spec.strides.push_back(entry);
      }
    // The caller's row has no dimension before it.
    if (host.getArgAttr(index, kSingleRowAttr)) {
      spec.shape.erase(spec.shape.begin());
      if (!spec.strides.empty())
        spec.strides.erase(spec.strides.begin());
    }
    if (auto tie = host.getArgAttrOfType<IntegerAttr>(index, kTiedAttr))
      spec.result = tie.getInt();
    argumentOf[index] = {&list == &plan.results, static_cast<int64_t>(list.size())};
    list.push_back(std::move(spec));
  }

  Status readBody(Variant &variant) {
    workspaceOf.clear();
    for (Operation &op : host.getBody().front()) {
      if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
        workspaceOf[alloc.getResult()] = variant.workspaces.size();
        variant.workspaces.push_back({byteCount(alloc)});
      }
      if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
        Result<Launch> read = readLaunch(launch);
        if (!read)
          return read.takeError();
        variant.launches.push_back(std::move(*read));
        Result<std::string> ptx = ptxOf(launch);
        if (!ptx)
          return ptx.takeError();
        variant.ptx = std::move(*ptx);
      }
    }
    return {};
  }

  Expression byteCount(memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    int64_t fixed = type.getElementTypeBitWidth() / 8;
    for (int64_t extent : type.getShape())
      fixed *= ShapedType::isDynamic(extent) ? 1 : extent;
    Expression bytes = Expression::constant(fixed);
    for (Value size : alloc.getDynamicSizes())
      bytes = Expression::binary(Expression::Kind::Multiply, bytes, expressionOf(size));
    return bytes;
  }

  const TensorSpec &specOf(Value buffer) {
    auto [isResult, index] = argumentOf[cast<BlockArgument>(buffer).getArgNumber()];
    return (isResult ? plan.results : plan.arguments)[index];
  }

  /// Symbol arithmetic, as HostFunction writes it.
  Expression expressionOf(Value value) {
    IntegerAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return Expression::constant(constant.getInt());
    if (isa<BlockArgument>(value))
      return Expression::symbol(symbolIndex(kSmLimitSymbol));
    Operation *op = value.getDefiningOp();
    if (auto cast = dyn_cast<arith::IndexCastOp>(op))
      return expressionOf(cast.getIn());
    if (auto dim = dyn_cast<memref::DimOp>(op)) {
      const TensorSpec &spec = specOf(dim.getSource());
      return Expression::symbol(*spec.shape[*dim.getConstantIndex()].symbol);
    }
    if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
      const TensorSpec &spec = specOf(metadata.getSource());
      size_t dimension = llvm::find(metadata.getStrides(), value) - metadata.getStrides().begin();
      return Expression::symbol(strideSymbol(spec, dimension));
    }
    auto binary = [&](Expression::Kind kind) {
      return Expression::binary(kind, expressionOf(op->getOperand(0)), expressionOf(op->getOperand(1)));
    };
    if (isa<arith::DivUIOp>(op))
      return floorDivided(expressionOf(op->getOperand(0)), expressionOf(op->getOperand(1)).value());
    if (isa<arith::CeilDivUIOp>(op))
      return binary(Expression::Kind::CeilDivide);
    if (isa<arith::MinUIOp>(op))
      return binary(Expression::Kind::Minimum);
    if (isa<arith::MaxUIOp>(op))
      return binary(Expression::Kind::Maximum);
    assert(isa<arith::MulIOp>(op) && "host functions multiply, divide and bound symbols only");
    return binary(Expression::Kind::Multiply);
  }

  /// By a constant: the ceiling of the dividend less the divisor but one.
  static Expression floorDivided(Expression dividend, int64_t divisor) {
    Expression less = Expression::binary(Expression::Kind::Add, std::move(dividend), Expression::constant(1 - divisor));
    return Expression::binary(Expression::Kind::CeilDivide, std::move(less), Expression::constant(divisor));
  }

  Expression bytesOf(gpu::LaunchFuncOp launch, StringRef attribute) {
    ArrayRef<int64_t> bytes = launch->getAttrOfType<DenseI64ArrayAttr>(attribute).asArrayRef();
    Attribute rows = launch->getAttr(kLaunchRowsAttr);
    Expression rowCount = isa<StringAttr>(rows) ? Expression::symbol(symbolIndex(cast<StringAttr>(rows).getValue()))
                                                : Expression::constant(cast<IntegerAttr>(rows).getInt());
    Expression perRow = Expression::binary(Expression::Kind::Multiply, Expression::constant(bytes[1]), rowCount);
    return Expression::binary(Expression::Kind::Add, Expression::constant(bytes[0]), perRow);
  }

  Result<Launch> readLaunch(gpu::LaunchFuncOp op) {
    Launch launch;
    launch.kernel = op.getKernelName().str();
    launch.grid = expressionOf(op.getGridSizeX());
    launch.threads = expressionOf(op.getBlockSizeX()).value();
    if (op.hasClusterSize())
      launch.cluster = expressionOf(op.getClusterSizeOperandValues().x).value();
    if (Value sharedBytes = op.getDynamicSharedMemorySize())
      launch.dynamicSharedBytes = expressionOf(sharedBytes).value();
    launch.dependent = op->hasAttr(kLaunchDependentAttr);
    llvm::raw_string_ostream(launch.schedule) << op->getAttr(kLaunchScheduleAttr);
    launch.readBytes = bytesOf(op, kReadBytesAttr);
    launch.writtenBytes = bytesOf(op, kWrittenBytesAttr);
    for (Value operand : op.getKernelOperands()) {
      LaunchArgument argument;
      if (isa<MemRefType>(operand.getType())) {
        // The view of one element folds away where the buffer has one.
        auto view = operand.getDefiningOp<memref::ReinterpretCastOp>();
        Value buffer = view ? view.getSource() : operand;
        if (auto bound = dyn_cast<BlockArgument>(buffer)) {
          auto [isResult, index] = argumentOf[bound.getArgNumber()];
          argument.kind = isResult ? LaunchArgument::Kind::Result : LaunchArgument::Kind::Argument;
          argument.index = index;
        } else {
          argument.kind = LaunchArgument::Kind::Workspace;
          argument.index = workspaceOf.lookup(buffer);
        }
      } else if (operand.getType().isInteger(64)) {
        argument.kind = LaunchArgument::Kind::I64;
        argument.value = expressionOf(operand);
      } else {
        return Error{"expected kernel operands that are pointers or i64, but a launch of '" + launch.kernel +
                     "' has another"};
      }
      launch.arguments.push_back(std::move(argument));
    }
    return launch;
  }

  ModuleOp module;
  func::FuncOp host;
  Plan plan;
  /// By argument number: whether it is a result, and its index among those.
  llvm::DenseMap<unsigned, std::pair<bool, int64_t>> argumentOf;
  llvm::DenseMap<Value, int64_t> workspaceOf;
};

} // namespace

Result<Plan> fastnorm::exportPlan(ModuleOp module) { return PlanExporter(module).run(); }
