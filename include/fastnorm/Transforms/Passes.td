//===- Passes.td - fastnorm to fastnorm -*- tablegen -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TRANSFORMS_PASSES_TD
#define FASTNORM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttachTargetPass : Pass<"fastnorm-attach-target", "::mlir::ModuleOp"> {
  let summary = "Write the target's attribute on the module";
  let description = [{
    Looks a name or chip up among the known targets and sets `fastnorm.target`. A module that already carries one keeps
    it.
  }];
  let options = [Option<"target", "target", "std::string", "\"h200\"", "A known target (h200) or chip (sm_90)">];
}

def LiftSingleRowsPass : Pass<"fastnorm-lift-single-rows", "::mlir::func::FuncOp"> {
  let summary = "Give rows of rank 1 a row dimension of 1";
  let description = [{
    Where all that an op of the graph level has row by row is of rank 1, it works on one row: `tensor<4096xbf16>` becomes
    `tensor<1x4096xbf16>`. Arguments and results that were lifted carry `fastnorm.single_row`, and the Plan has them
    without the dimension. A value that is such a row and a parameter, or a value of the algebra, is refused.
  }];
}

def NameBindingsPass : Pass<"fastnorm-name-bindings", "::mlir::func::FuncOp"> {
  let summary = "Write names and symbols on a function's arguments and results";
  let description = [{
    Sets `fastnorm.name` where it is missing (arg0, result0, …) and `fastnorm.symbols` from what the ops make equal.
    Names must differ from one another.
  }];
}

def DifferentiatePass : Pass<"fastnorm-differentiate", "::mlir::ModuleOp"> {
  let summary = "Write the backward function of every function of graph ops";
  let description = [{
    Behind `@f` stands `@f_backward`. It takes the gradients of the results, each named `grad_` and the result's name,
    and then what the ops' gradients are computed from, under the names that `@f` has for it: arguments, results, and
    what `@f` now returns in addition, named `saved_…` (statistics, and rows that are computed and normalized but were not
    returned). It returns the gradients of the arguments of f32, bf16 and f16, each named `grad_` and the argument's
    name; arguments that have the same gradient share a result, whose `fastnorm.gradient_of` names them all.

    A row of rank 1 is lifted first, as by `fastnorm-lift-single-rows`, and its gradient is a row of rank 1 to the caller.

    An argument marked `fastnorm.no_gradient` gets none. A result so marked, and a statistic, has none to take. A gradient
    has the type of what it is the gradient of, without its strides, and is rounded to it once per op that adds to it.

    Each op says through `DifferentiableOpInterface` what it saves and builds its gradients. A gradient that is known
    already is handed to the next op of the walk, which adds it before it rounds: the backward function of a residual_add
    and a norm, with both results in use, is one op.

    - `emit`: `both`, or only the `forward` or the `backward` functions, for tools that take one function.
    - `f32-parameters`: gradients of weights and biases are f32, whatever their own type.

    An op that does not know its gradients is refused, unless it lies outside of what gradients flow through. An argument
    that no result depends on has no gradient; that is a remark, `missed differentiate`.
  }];
  let options = [
    Option<"emit", "emit", "std::string", "\"both\"", "both, forward or backward">,
    Option<"f32Parameters", "f32-parameters", "bool", "false", "Gradients of weights and biases are f32">];
  let dependentDialects = ["::fastnorm::FastnormDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def DecomposePass : Pass<"fastnorm-decompose", "::mlir::func::FuncOp"> {
  let summary = "Turn graph ops into kernels of the algebra";
  let description = [{
    Every graph op becomes a `fastnorm.kernel` of the ops that define it; ops of the algebra that stand alone are
    gathered into one kernel of those that depend on each other. A returned value that no kernel computes, or that is
    returned twice, gets a kernel that copies it, so that every result is written by exactly one kernel.

    Afterwards no graph op is left, every rounding is an explicit cast, and every op stands in a kernel.
  }];
  let dependentDialects = ["::fastnorm::FastnormDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def FusePass : Pass<"fastnorm-fuse", "::mlir::ModuleOp"> {
  let summary = "Group kernels into launches as the cost model says is fastest";
  let description = [{
    A kernel may share a launch with one that reads its result when both work on the same rows and the reader does not
    gather from it. What that leads to are the groupings of a function's kernels; the cost model says what each takes, with
    the schedules that its kernels would get.

    - `fuse`: `auto` takes the fastest grouping; where the number of rows decides, the function stands once per row range,
      as `fastnorm.ranges` says. `always` fuses all pairs for which a schedule exists, `never` none, and `plan:A+B,C` what
      it names: groups apart by commas, kernels of a group by +, the second of a name as `A#2`.
    - `row-invariant`: one grouping, that of many rows.
    - `symbols`: values that are known, `rows=4096`: only functions that serve them are made.

    Every decision is a remark, `fuse` or `missed fuse`, with the time of what was taken and of the best that was not.
  }];
  let options = [
    Option<"fuse", "fuse", "std::string", "\"auto\"", "auto, always, never or plan:A+B,C">,
    Option<"rowInvariant", "row-invariant", "bool", "false", "One grouping for every number of rows">,
    ListOption<"symbols", "symbols", "std::string", "Known symbol values: name=value">];
  let dependentDialects = ["::fastnorm::FastnormDialect"];
}

def SpecializePass : Pass<"fastnorm-specialize", "::mlir::ModuleOp"> {
  let summary = "Let a function stand once per row range and alignment class that needs its own code";
  let description = [{
    Row ranges, within that of `fastnorm.ranges`, end where the cost model's schedule for one of the kernels changes; they are
    found by bisection. Each
    function carries its range as `fastnorm.ranges`, where there are several, and its alignment class as
    `fastnorm.alignment`, where it is not 16; further functions name the graph they stand for in `fastnorm.variant_of`.

    - `alignment`: `aligned` compiles for operands whose bases and row strides are multiples of 16 bytes, `any` for all
      operands, `both` for each apart, unless the kernels access single elements and one function serves both.
    - `row-invariant`: one range, so that a row's result never depends on how many rows run with it.
    - `symbols`: values that are known, `rows=4096`: only functions that serve them are made.
    - `tuned`: as of `fastnorm-select-schedule`; where what the table has for a kernel begins and ends, ranges do, too.

    Each split is a remark, `specialize`.
  }];
  let options = [
    Option<"tuned", "tuned", "std::string", "\"none\"", "A table of measured schedules: none, shipped or its file">,
    Option<"alignment", "alignment", "std::string", "\"aligned\"", "aligned, any or both">,
    Option<"rowInvariant", "row-invariant", "bool", "false", "One schedule for every number of rows">,
    ListOption<"symbols", "symbols", "std::string", "Known symbol values: name=value">];
  let dependentDialects = ["::fastnorm::FastnormDialect"];
}

def SelectSchedulePass : Pass<"fastnorm-select-schedule", "::mlir::func::FuncOp"> {
  let summary = "Write each kernel's schedule";
  let description = [{
    A kernel that already has a schedule keeps it. Others get the one that a table of measured schedules has for the rows
    that the function serves, if it is one that the kernel can have on the module's target, else the best one by the cost
    model. The choice is a remark, `schedule`, which ends with `tuned` and both times where it was measured; a schedule of
    the table that the kernel cannot have is one, too, `missed tuned`.

    - `row-invariant` asks for the schedule of many rows, whatever their number.
    - `tuned`: `none`, `shipped` (the table that the compiler brings for the target, if any), or the file of a table, which
      must be of the target.
  }];
  let options = [
    Option<"rowInvariant", "row-invariant", "bool", "false", "One schedule for every number of rows">,
    Option<"tuned", "tuned", "std::string", "\"none\"", "A table of measured schedules: none, shipped or its file">];
  let dependentDialects = ["::fastnorm::FastnormDialect"];
}

def VerifySchedulePass : Pass<"fastnorm-verify-schedule", "::mlir::func::FuncOp"> {
  let summary = "Refuse a schedule that the kernel or the target cannot have";
  let description = [{
    Every kernel has a schedule; the schedule suits the kernel's sizes and fits the target's registers, threads and
    shared memory. The error names the quantity that does not fit.
  }];
}

#endif // FASTNORM_TRANSFORMS_PASSES_TD
