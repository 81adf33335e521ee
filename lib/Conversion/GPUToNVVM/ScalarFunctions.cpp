//===- ScalarFunctions.cpp - Scalar functions as NVPTX instructions -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fastnorm;

namespace {

/// An op with an LLVM intrinsic that takes vectors.
template <typename MathOp, typename IntrinsicOp> struct ToIntrinsic : OpRewritePattern<MathOp> {
  using OpRewritePattern<MathOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(MathOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<IntrinsicOp>(op, op.getType(), op->getOperands());
    return success();
  }
};

/// An op with an NVPTX intrinsic of one f32; vectors are taken apart.
template <typename MathOp> struct ToScalarIntrinsic : OpRewritePattern<MathOp> {
  ToScalarIntrinsic(MLIRContext *context, StringRef intrinsic)
      : OpRewritePattern<MathOp>(context), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(MathOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto apply = [&](Value value) -> Value {
      auto call = LLVM::CallIntrinsicOp::create(rewriter, loc, rewriter.getF32Type(), rewriter.getStringAttr(intrinsic),
                                                ValueRange(value));
      return call.getResult(0);
    };
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type) {
      rewriter.replaceOp(op, apply(op.getOperand()));
      return success();
    }
    auto elements = vector::ToElementsOp::create(rewriter, loc, op.getOperand());
    SmallVector<Value> results = llvm::map_to_vector(elements.getResults(), apply);
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, results);
    return success();
  }

  StringRef intrinsic;
};

} // namespace

void fastnorm::populateScalarFunctionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ToIntrinsic<math::FmaOp, LLVM::FMAOp>>(context);
  patterns.add<ToScalarIntrinsic<math::AbsFOp>>(context, "llvm.fabs");
  patterns.add<ToScalarIntrinsic<math::RsqrtOp>>(context, "llvm.nvvm.rsqrt.approx.f");
  patterns.add<ToScalarIntrinsic<math::SqrtOp>>(context, "llvm.nvvm.sqrt.rn.f");
  patterns.add<ToScalarIntrinsic<math::Exp2Op>>(context, "llvm.nvvm.ex2.approx");
  patterns.add<ToScalarIntrinsic<math::Log2Op>>(context, "llvm.nvvm.lg2.approx.f");
  patterns.add<ToScalarIntrinsic<math::RoundEvenOp>>(context, "llvm.roundeven");
}
