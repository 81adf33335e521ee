//===- GraphTexts.cpp - The templates as data -----------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphTexts.h"

namespace fastnorm {

namespace {

constexpr TemplateKey kRows = {"rows", "?|N", "?", ""};
constexpr TemplateKey kHidden = {"hidden", "N", "4096", ""};
constexpr TemplateKey kHeads = {"heads", "no|N", "no", ""};
/// Elements from a row of x to the next, where they are not dense.
constexpr TemplateKey kStride = {"stride", "no|?|N", "no", ""};
constexpr TemplateKey kDType = {"dtype", "f32|bf16|f16", "bf16", ""};
constexpr TemplateKey kResultDType = {"result_dtype", "f32|bf16|f16|f8E4M3FN", "${dtype}", ""};
constexpr TemplateKey kEps = {"eps", "X", "1e-6", ""};
constexpr TemplateKey kExpertRows = {"expert_rows", "?|N", "?", ""};
constexpr TemplateKey kTopK = {"top_k", "N", "8", ""};
constexpr TemplateKey kIndexDType = {"index_dtype", "i32|i64", "i64", ""};
constexpr TemplateKey kIndexMap = {"index_map", "any|injective|bijective", "any", ""};
constexpr TemplateKey kGate = {"gate", "yes|no", "yes", ""};
constexpr TemplateKey kGateDType = {"gate_dtype", "f32|bf16|f16", "f32", "gate"};
constexpr TemplateKey kShared = {"shared", "yes|no", "no", ""};
constexpr TemplateKey kResidualDType = {"residual_dtype", "f32|bf16|f16", "${dtype}", ""};

/// The keys of a norm's parameters, behind others.
std::vector<TemplateKey> withNormKeys(std::vector<TemplateKey> keys) {
  for (TemplateKey key :
       {TemplateKey{"weight", "yes|no", "yes", ""}, TemplateKey{"weight_dtype", "f32|bf16|f16", "${dtype}", "weight"},
        TemplateKey{"weight_offset", "X", "0", "weight"}, TemplateKey{"bias", "yes|no", "no", ""},
        TemplateKey{"bias_dtype", "f32|bf16|f16", "${dtype}", "bias"}, TemplateKey{"statistics", "yes|no", "no", ""},
        TemplateKey{"round_xhat", "yes|no", "no", ""}, kEps})
    keys.push_back(key);
  return keys;
}

/// The keys of a norm's gradients.
std::vector<TemplateKey> backwardKeys() {
  return {kRows,
          kHeads,
          {"head_weights", "yes|no", "no", "heads"},
          kHidden,
          kStride,
          kDType,
          {"weight", "yes|no", "yes", ""},
          {"weight_dtype", "f32|bf16|f16", "${dtype}", "weight"},
          {"weight_offset", "X", "0", "weight"},
          {"round_xhat", "yes|no", "no", ""},
          {"residual", "yes|no", "no", ""},
          {"residual_dtype", "f32|bf16|f16", "${dtype}", "residual"},
          {"grad_input", "yes|no", "yes", ""},
          {"grad_weight", "yes|no", "${weight}", ""},
          {"grad_bias", "yes|no", "no", ""},
          {"grad_dtype", "f32|bf16|f16", "${weight_dtype}", ""},
          {"accumulate", "yes|no", "no", ""}};
}

constexpr char kRmsNorm[] = R"(func.func @rms_norm(%x: ${x}${parameters}) -> (${y}$(statistics:, ${row}$)) {
  %y$(statistics:, %rstd$) = fastnorm.rms_norm %x${affine}
     : ${x}${affine_types} -> ${y}$(statistics:, ${row}$)
  return %y$(statistics:, %rstd$) : ${y}$(statistics:, ${row}$)
}
)";

constexpr char kLayerNorm[] =
    R"(func.func @layer_norm(%x: ${x}${parameters}) -> (${y}$(statistics:, ${row}, ${row}$)) {
  %y$(statistics:, %mean, %rstd$) = fastnorm.layer_norm %x${affine}
     : ${x}${affine_types} -> ${y}$(statistics:, ${row}, ${row}$)
  return %y$(statistics:, %mean, %rstd$) : ${y}$(statistics:, ${row}, ${row}$)
}
)";

constexpr char kRmsNormBackward[] =
    R"(func.func @rms_norm_backward(%grad_output: ${gradient_rows}, %x: ${x}, %rstd: ${row}${backward_parameters})
    -> (${gradient_types}) {
  ${gradients} = fastnorm.rms_norm_backward %grad_output, %x rstd(%rstd)${backward_operands}
     : ${gradient_rows}, ${x}, ${row}${backward_operand_types}
    ->${gradient_results}
  return ${gradients} : ${gradient_types}
}
)";

constexpr char kLayerNormBackward[] =
    R"(func.func @layer_norm_backward(%grad_output: ${gradient_rows}, %x: ${x}, %mean: ${row}, %rstd: ${row}${backward_parameters})
    -> (${gradient_types}) {
  ${gradients} = fastnorm.layer_norm_backward %grad_output, %x mean(%mean) rstd(%rstd)${backward_operands}
     : ${gradient_rows}, ${x}, ${row}, ${row}${backward_operand_types}
    ->${gradient_results}
  return ${gradients} : ${gradient_types}
}
)";

constexpr char kResidualAdd[] = R"(func.func @residual_add(%residual: ${stream}, %x: ${x}) -> ${y} {
  %s = fastnorm.residual_add %residual, %x : ${stream}, ${x} -> ${y}
  return %s : ${y}
}
)";

constexpr char kResidualRmsNorm[] =
    R"(func.func @residual_rms_norm(%residual: ${stream}, %x: ${x}${parameters})
    -> (${y}, ${stream}$(statistics:, ${row}$)) {
  %s = fastnorm.residual_add %residual, %x : ${stream}, ${x} -> ${stream}
  %y$(statistics:, %rstd$) = fastnorm.rms_norm %s${affine}
     : ${stream}${affine_types} -> ${y}$(statistics:, ${row}$)
  return %y, %s$(statistics:, %rstd$) : ${y}, ${stream}$(statistics:, ${row}$)
}
)";

constexpr char kGather[] =
    R"(func.func @gather(%expert_rows: ${table}, %row_index: tensor<${rows}x${index_dtype}>) -> ${x} {
  %y = fastnorm.gather %expert_rows[%row_index] : ${table}, tensor<${rows}x${index_dtype}> -> ${x}
  return %y : ${x}
}
)";

constexpr char kCombine[] = R"(func.func @combine(${slots}) -> ${y} {
  %h = fastnorm.combine ${combined} -> ${y}
  return %h : ${y}
}
)";

constexpr char kCombineBackward[] =
    R"(func.func @combine_backward(%grad_output: ${x}, %row_index: ${index}${combine_backward_parameters})
    -> (${slot_gradient_types}) {
  ${slot_gradients} = fastnorm.combine_backward %grad_output[%row_index] index_map(${index_map})${combine_backward_operands}
     : ${x}, ${index}${combine_backward_operand_types}
    ->${slot_gradient_results}
  return ${slot_gradients} : ${slot_gradient_types}
}
)";

constexpr char kGatherBackward[] =
    R"(func.func @gather_backward(%grad_output: ${x}, %row_index: tensor<${rows}x${index_dtype}>) -> ${table} {
  %grad_expert_rows = fastnorm.scatter %grad_output[%row_index] index_map(${index_map})
     : ${x}, tensor<${rows}x${index_dtype}> -> ${table}
  return %grad_expert_rows : ${table}
}
)";

constexpr char kCombineNorm[] =
    R"(func.func @combine_norm(${slots}, %residual: ${stream}${parameters})
    -> (${y}$(residual_out:, ${stream}$)$(statistics:, ${row}$)) {
  %h = fastnorm.combine ${combined} -> ${x}
  %s = fastnorm.residual_add %residual, %h : ${stream}, ${x} -> ${stream}
  %y$(statistics:, %rstd$) = fastnorm.rms_norm %s${affine}
     : ${stream}${affine_types} -> ${y}$(statistics:, ${row}$)
  return %y$(residual_out:, %s$)$(statistics:, %rstd$) : ${y}$(residual_out:, ${stream}$)$(statistics:, ${row}$)
}
)";

constexpr char kSoftmax[] = R"(func.func @softmax(%x: ${x}) -> ${y} {
  %wide = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (${x}) -> ${wide} {
  ^bb0(${element}):${widen}
    fastnorm.yield %f : f32
  }
  %max = fastnorm.reduce max hidden (%wide [row, hidden]) : ${wide} -> ${row}
  %power = fastnorm.map(%x [row, hidden], %max [row]) -> [row, hidden] : (${x}, ${row}) -> ${wide} {
  ^bb0(${element}, %m: f32):${widen}
    %log2e = arith.constant 1.44269504 : f32
    %d = arith.subf %f, %m : f32
    %e = arith.mulf %d, %log2e : f32
    %p = math.exp2 %e : f32
    fastnorm.yield %p : f32
  }
  %sum = fastnorm.reduce add hidden (%power [row, hidden]) : ${wide} -> ${row}
  %scale = fastnorm.map(%sum [row]) -> [row] : (${row}) -> ${row} {
  ^bb0(%s: f32):
    %one = arith.constant 1.0 : f32
    %q = arith.divf %one, %s : f32
    fastnorm.yield %q : f32
  }
  %y = fastnorm.map(%power [row, hidden], %scale [row]) -> [row, hidden] : (${wide}, ${row}) -> ${y} {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32${narrow}
  }
  return %y : ${y}
}
)";

constexpr char kLogSoftmax[] = R"(func.func @log_softmax(%x: ${x}) -> ${y} {
  %wide = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (${x}) -> ${wide} {
  ^bb0(${element}):${widen}
    fastnorm.yield %f : f32
  }
  %max = fastnorm.reduce max hidden (%wide [row, hidden]) : ${wide} -> ${row}
  %power = fastnorm.map(%x [row, hidden], %max [row]) -> [row, hidden] : (${x}, ${row}) -> ${wide} {
  ^bb0(${element}, %m: f32):${widen}
    %log2e = arith.constant 1.44269504 : f32
    %d = arith.subf %f, %m : f32
    %e = arith.mulf %d, %log2e : f32
    %p = math.exp2 %e : f32
    fastnorm.yield %p : f32
  }
  %sum = fastnorm.reduce add hidden (%power [row, hidden]) : ${wide} -> ${row}
  %shift = fastnorm.map(%max [row], %sum [row]) -> [row] : (${row}, ${row}) -> ${row} {
  ^bb0(%m: f32, %s: f32):
    %ln2 = arith.constant 0.693147181 : f32
    %l = math.log2 %s : f32
    %n = arith.mulf %l, %ln2 : f32
    %t = arith.addf %m, %n : f32
    fastnorm.yield %t : f32
  }
  %y = fastnorm.map(%x [row, hidden], %shift [row]) -> [row, hidden] : (${x}, ${row}) -> ${y} {
  ^bb0(${element}, %s: f32):${widen}
    %r = arith.subf %f, %s : f32${narrow}
  }
  return %y : ${y}
}
)";

constexpr char kL2Norm[] = R"(func.func @l2_norm(%x: ${x}) -> ${y} {
  %square = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (${x}) -> ${wide} {
  ^bb0(${element}):${widen}
    %s = arith.mulf %f, %f fastmath<contract> : f32
    fastnorm.yield %s : f32
  }
  %sum = fastnorm.reduce add hidden (%square [row, hidden]) : ${wide} -> ${row}
  %scale = fastnorm.map(%sum [row]) -> [row] : (${row}) -> ${row} {
  ^bb0(%s: f32):
    %eps = arith.constant ${eps} : f32
    %one = arith.constant 1.0 : f32
    %l = math.sqrt %s : f32
    %m = arith.maximumf %l, %eps : f32
    %q = arith.divf %one, %m : f32
    fastnorm.yield %q : f32
  }
  %y = fastnorm.map(%x [row, hidden], %scale [row]) -> [row, hidden] : (${x}, ${row}) -> ${y} {
  ^bb0(${element}, %q: f32):${widen}
    %r = arith.mulf %f, %q : f32${narrow}
  }
  return %y : ${y}
}
)";

constexpr char kQuantize[] = R"(func.func @quantize(%x: ${x}) -> (${y}, ${scales}) {
  %magnitude = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (${x}) -> ${wide} {
  ^bb0(${element}):${widen}
    %m = math.absf %f : f32
    fastnorm.yield %m : f32
  }
  %absmax = fastnorm.reduce max hidden (%magnitude [row, hidden])$(group: {group = ${group} : i64}$) : ${wide} -> ${scales}
  %scale = fastnorm.map(%absmax ${scale_axes}) -> ${scale_axes} : (${scales}) -> ${scales} {
  ^bb0(%m: f32):
    %least = arith.constant 1.0e-12 : f32
    %limit = arith.constant $(result_dtype=i8:127.0$)$(result_dtype!=i8:448.0$) : f32
    %s = arith.divf %m, %limit : f32
    %t = arith.maximumf %s, %least : f32
    fastnorm.yield %t : f32
  }
  %inverse = fastnorm.map(%scale ${scale_axes}) -> ${scale_axes} : (${scales}) -> ${scales} {
  ^bb0(%s: f32):
    %one = arith.constant 1.0 : f32
    %q = arith.divf %one, %s : f32
    fastnorm.yield %q : f32
  }
  %y = fastnorm.map(%x [row, hidden], %inverse ${scale_axes}) -> [row, hidden] : (${x}, ${scales}) -> ${y} {
  ^bb0(${element}, %q: f32):${widen}
    %r = arith.mulf %f, %q : f32$(result_dtype=i8:
    %i = math.roundeven %r : f32
    %t = arith.fptosi %i : f32 to i8$)$(result_dtype!=i8:
    %t = arith.truncf %r : f32 to ${result_dtype}$)
    fastnorm.yield %t : ${result_dtype}
  }
  return %y, %scale : ${y}, ${scales}
}
)";

} // namespace

const TemplateTexts &templateWords() {
  static const TemplateTexts words = {
      {"x", "tensor<${rows}x$(heads:${heads}x$)${hidden}x${dtype}$(stride:, #fastnorm.strides<[${stride}, "
            "$(heads:${hidden}, $)1]>$)>"},
      {"y", "tensor<${rows}x$(heads:${heads}x$)${hidden}x${result_dtype}>"},
      {"wide", "tensor<${rows}x${hidden}xf32>"},
      {"stream", "tensor<${rows}x$(heads:${heads}x$)${hidden}x${residual_dtype}>"},
      {"table", "tensor<${expert_rows}x${hidden}x${dtype}>"},
      {"row", "tensor<${rows}x$(heads:${heads}x$)f32>"},
      {"index", "tensor<${rows}x${top_k}x${index_dtype}>"},
      {"gates", "tensor<${rows}x${top_k}x${gate_dtype}>"},
      {"weights", "tensor<$(head_weights:${heads}x$)${hidden}x${weight_dtype}>"},
      {"biases", "tensor<$(head_weights:${heads}x$)${hidden}x${bias_dtype}>"},
      {"scales", "tensor<${rows}x$(group:${hidden/group}x$)f32>"},
      {"scale_axes", "[row$(group:, group$)]"},
      {"parameters", "$(weight:, %weight: ${weights}$)$(bias:, %bias: ${biases}$)"},
      {"affine", "$(weight: weight(%weight)$)$(bias: bias(%bias)$) {eps = ${eps} : f32$(weight:, weight_offset = "
                 "${weight_offset} : f32$)$(round_xhat:, round_xhat$)}"},
      {"affine_types", "$(weight:, ${weights}$)$(bias:, ${biases}$)"},
      {"slots", "%expert_rows: ${table}, %row_index: ${index}$(gate:, %gate: ${gates}$)$(shared:, %shared: ${x}$)"},
      {"combined", "%expert_rows[%row_index]$(gate: gate(%gate)$)$(shared: shared(%shared)$)\n"
                   "     : ${table}, ${index}$(gate:, ${gates}$)$(shared:, ${x}$)"},
      {"gradient_rows", "tensor<${rows}x$(heads:${heads}x$)${hidden}x${dtype}>"},
      {"gradient_columns", "tensor<$(head_weights:${heads}x$)${hidden}x${grad_dtype}>"},
      {"backward_parameters",
       "$(weight:, %weight: ${weights}$)$(residual:, %grad_residual: ${stream}$)$(accumulate:$(grad_weight:, "
       "%old_grad_weight: ${gradient_columns}$)$(grad_bias:, %old_grad_bias: ${gradient_columns}$)$)"},
      {"backward_operands",
       "$(weight: weight(%weight)$)$(residual: residual(%grad_residual)$)$(accumulate:$(grad_weight: "
       "accumulate_weight(%old_grad_weight)$)$(grad_bias: accumulate_bias(%old_grad_bias)$)$)$(weight: {weight_offset "
       "= ${weight_offset} : f32$(round_xhat:, round_xhat$)}$)$(weight=no:$(round_xhat: {round_xhat}$)$)"},
      {"backward_operand_types",
       "$(weight:, ${weights}$)$(residual:, ${stream}$)$(accumulate:$(grad_weight:, ${gradient_columns}$)$(grad_bias:, "
       "${gradient_columns}$)$)"},
      // Commas stand between those that are there.
      {"before_weight", "$(grad_input:, $)"},
      {"before_bias", "$(grad_input:, $)$(grad_input=no:$(grad_weight:, $)$)"},
      {"gradients", "$(grad_input:%grad_input$)$(grad_weight:${before_weight}%grad_weight$)$(grad_bias:${before_bias}"
                    "%grad_bias$)"},
      {"gradient_types", "$(grad_input:${gradient_rows}$)$(grad_weight:${before_weight}${gradient_columns}$)"
                         "$(grad_bias:${before_bias}${gradient_columns}$)"},
      {"gradient_results", "$(grad_input: input(${gradient_rows})$)$(grad_weight: weight(${gradient_columns})$)"
                           "$(grad_bias: bias(${gradient_columns})$)"},
      {"combine_backward_parameters",
       "$(grad_gate:, %expert_rows: ${table}$)$(gate:, %gate: ${gates}$)$(accumulate:$(grad_gate:, %old_grad_gate: "
       "${gates}$)$)"},
      {"combine_backward_operands", "$(grad_gate: expert_rows(%expert_rows)$)$(gate: gate(%gate)$)$(accumulate:$("
                                    "grad_gate: accumulate_gate(%old_grad_gate)$)$)"},
      {"combine_backward_operand_types",
       "$(grad_gate:, ${table}$)$(gate:, ${gates}$)$(accumulate:$(grad_gate:, ${gates}$)$)"},
      {"before_gate", "$(grad_expert_rows:, $)"},
      {"slot_gradients", "$(grad_expert_rows:%grad_expert_rows$)$(grad_gate:${before_gate}%grad_gate$)"},
      {"slot_gradient_types", "$(grad_expert_rows:${table}$)$(grad_gate:${before_gate}${gates}$)"},
      {"slot_gradient_results", "$(grad_expert_rows: expert_rows(${table})$)$(grad_gate: gate(${gates})$)"},
      // An element is %f in a body: as it comes where it is f32, else once it is widened.
      {"element", "%$(dtype=f32:f$)$(dtype!=f32:a$): ${dtype}"},
      {"widen", "$(dtype!=f32:\n    %f = arith.extf %a : ${dtype} to f32$)"},
      {"narrow", "$(result_dtype!=f32:\n    %t = arith.truncf %r : f32 to ${result_dtype}$)\n"
                 "    fastnorm.yield %$(result_dtype=f32:r$)$(result_dtype!=f32:t$) : ${result_dtype}"},
  };
  return words;
}

const std::vector<GraphTemplate> &graphTemplates() {
  constexpr TemplateKey headWeights = {"head_weights", "yes|no", "no", "heads"};
  constexpr TemplateKey residualOut = {"residual_out", "yes|no", "no", ""};
  constexpr TemplateKey quantized = {"result_dtype", "i8|f8E4M3FN", "f8E4M3FN", ""};
  constexpr TemplateKey group = {"group", "no|N", "no", ""};
  constexpr TemplateKey shortest = {"eps", "X", "1e-12", ""};
  static const std::vector<TemplateKey> combined = {kRows,       kExpertRows, kTopK,      kHidden, kDType,
                                                    kIndexDType, kGate,       kGateDType, kShared, kResultDType};
  static const std::vector<TemplateKey> elementwise = {kRows, kHidden, kDType, kResultDType};
  std::vector<TemplateKey> norm = withNormKeys({kRows, kHeads, headWeights, kHidden, kStride, kDType, kResultDType});
  std::vector<TemplateKey> residualNorm =
      withNormKeys({kRows, kHeads, headWeights, kHidden, kStride, kDType, kResidualDType, kResultDType});
  std::vector<TemplateKey> combineNorm = combined;
  combineNorm.insert(combineNorm.end(), {kResidualDType, residualOut});
  static const std::vector<GraphTemplate> templates = {
      {"rms_norm", "rows divided by their root mean square; statistics: rstd", norm, kRmsNorm},
      {"layer_norm", "rows less their mean, divided by their deviation; statistics: mean and rstd", norm, kLayerNorm},
      {"rms_norm_backward", "gradients of rms_norm, those that are asked for", backwardKeys(), kRmsNormBackward},
      {"layer_norm_backward", "gradients of layer_norm, those that are asked for", backwardKeys(), kLayerNormBackward},
      {"residual_add",
       "the residual stream plus rows",
       {kRows,
        kHeads,
        kHidden,
        kStride,
        kDType,
        kResidualDType,
        {"result_dtype", "f32|bf16|f16|f8E4M3FN", "${residual_dtype}", ""}},
       kResidualAdd},
      {"residual_rms_norm", "the stream plus rows, and the norm of the sum; returns both", residualNorm,
       kResidualRmsNorm},
      {"gather", "rows of a table by an index", {kRows, kExpertRows, kHidden, kDType, kIndexDType}, kGather},
      {"combine", "the weighted sum of each row's top_k expert rows", combined, kCombine},
      {"combine_backward",
       "gradients of combine, those that are asked for",
       {kRows,
        kExpertRows,
        kTopK,
        kHidden,
        kDType,
        kIndexDType,
        kIndexMap,
        kGate,
        {"gate_dtype", "f32|bf16|f16", "f32", ""},
        {"grad_expert_rows", "yes|no", "yes", ""},
        {"grad_gate", "yes|no", "${gate}", ""},
        {"accumulate", "yes|no", "no", ""}},
       kCombineBackward},
      {"gather_backward",
       "the gradient of what gather chooses from",
       {kRows, kExpertRows, kHidden, kDType, kIndexDType, kIndexMap},
       kGatherBackward},
      {"combine_norm", "combine, plus the residual stream, and the norm of the sum", withNormKeys(combineNorm),
       kCombineNorm},
      {"softmax", "powers of e, divided by their sum", elementwise, kSoftmax},
      {"log_softmax", "the logarithm of softmax", elementwise, kLogSoftmax},
      {"l2_norm",
       "rows divided by their length, or by eps where that is shorter",
       {kRows, kHidden, kDType, kResultDType, shortest},
       kL2Norm},
      {"quantize",
       "rows or groups divided by a scale, their largest magnitude over what the type holds; returns both",
       {kRows, kHidden, kDType, quantized, group},
       kQuantize},
  };
  return templates;
}

} // namespace fastnorm
