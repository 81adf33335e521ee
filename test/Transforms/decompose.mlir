// RUN: fastnorm-opt %s --fastnorm-decompose --split-input-file | FileCheck %s

// A dropped slot has a factor of 0 whatever its gate; slots are added with a multiply that may contract; one rounding.
// CHECK-LABEL: func.func @combine(
// CHECK-SAME: %[[ROWS:.+]]: tensor<?x64xbf16>, %[[INDEX:.+]]: tensor<?x8xi64>, %[[GATE:.+]]: tensor<?x8xbf16>
// CHECK: fastnorm.kernel "combine" (%[[A:.+]] = %[[ROWS]], %[[B:.+]] = %[[INDEX]], %[[C:.+]] = %[[GATE]])
// CHECK: %[[SLOTS:.+]], %[[PRESENT:.+]] = fastnorm.gather %[[A]][%[[B]]]
// CHECK: %[[FACTOR:.+]] = fastnorm.map(%[[C]] [row, slot], %[[PRESENT]] [row, slot]) -> [row, slot]
// CHECK-NEXT: ^bb0(%[[G:.+]]: bf16, %[[P:.+]]: i1)
// CHECK: %[[WIDE:.+]] = arith.extf %[[G]]
// CHECK: arith.select %[[P]], %[[WIDE]], %{{.+}}
// CHECK: %[[PRODUCT:.+]] = fastnorm.map(%[[SLOTS]] [row, slot, hidden], %[[FACTOR]] [row, slot]) -> [row, slot, hidden]
// CHECK: arith.mulf {{.*}} fastmath<contract>
// CHECK: %[[SUM:.+]] = fastnorm.reduce add slot(%[[PRODUCT]] [row, slot, hidden])
// CHECK: %[[RESULT:.+]] = fastnorm.map(%[[SUM]] [row, hidden])
// CHECK: arith.truncf
// CHECK: fastnorm.yield %[[RESULT]] : tensor<?x64xbf16>
func.func @combine(%expert_rows: tensor<?x64xbf16>, %row_index: tensor<?x8xi64>, %gate: tensor<?x8xbf16>)
    -> tensor<?x64xbf16> {
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<?x64xbf16>, tensor<?x8xi64>, tensor<?x8xbf16> -> tensor<?x64xbf16>
  return %h : tensor<?x64xbf16>
}

// -----

// f32 needs no rounding: the sum is the result.
// CHECK-LABEL: func.func @combine_f32(
// CHECK: fastnorm.kernel "combine"
// CHECK-NOT: arith.extf
// CHECK: %[[SUM:.+]] = fastnorm.reduce add slot
// CHECK-NEXT: fastnorm.yield %[[SUM]]
func.func @combine_f32(%expert_rows: tensor<?x64xf32>, %row_index: tensor<?x8xi64>, %gate: tensor<?x8xf32>)
    -> tensor<?x64xf32> {
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<?x64xf32>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x64xf32>
  return %h : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @residual_add(
// CHECK: fastnorm.kernel "residual_add"
// CHECK: ^bb0(%[[A:.+]]: bf16, %[[B:.+]]: bf16)
// CHECK: %[[LEFT:.+]] = arith.extf %[[A]]
// CHECK: %[[RIGHT:.+]] = arith.extf %[[B]]
// CHECK: %[[SUM:.+]] = arith.addf %[[LEFT]], %[[RIGHT]]
// CHECK: arith.truncf %[[SUM]]
func.func @residual_add(%residual: tensor<?x64xbf16>, %h: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %s = fastnorm.residual_add %residual, %h : tensor<?x64xbf16>
  return %s : tensor<?x64xbf16>
}

// -----

// The two operands of an op may be one value: the kernel takes it once.
// CHECK-LABEL: func.func @same_operand_twice(
// CHECK-SAME: %[[X:.+]]: tensor<?x64xf32>
// CHECK: fastnorm.kernel "residual_add" (%[[A:.+]] = %[[X]]) : (tensor<?x64xf32>)
// CHECK: fastnorm.map(%[[A]] [row, hidden], %[[A]] [row, hidden])
func.func @same_operand_twice(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %s = fastnorm.residual_add %x, %x : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}

// -----

// The mean and eps are one contracted multiply-add; the products of the result are taken from left to right and are
// not contracted; 1 / 64 and the offset are constants.
// CHECK-LABEL: func.func @rms_norm(
// CHECK-SAME: %[[X:.+]]: tensor<?x64xbf16>, %[[WEIGHT:.+]]: tensor<64xf32>
// CHECK: fastnorm.kernel "rms_norm" (%[[A:.+]] = %[[X]], %[[W:.+]] = %[[WEIGHT]])
// CHECK: %[[SQUARE:.+]] = fastnorm.map(%[[A]] [row, hidden]) -> [row, hidden]
// CHECK: arith.mulf %[[WIDE:.+]], %[[WIDE]] fastmath<contract>
// CHECK: %[[SUM:.+]] = fastnorm.reduce add hidden(%[[SQUARE]] [row, hidden])
// CHECK: %[[RSTD:.+]] = fastnorm.map(%[[SUM]] [row]) -> [row]
// CHECK: %[[INVERSE:.+]] = arith.constant 1.562500e-02 : f32
// CHECK: %[[MEAN:.+]] = arith.mulf %{{.+}}, %[[INVERSE]] fastmath<contract>
// CHECK: %[[VARIANCE:.+]] = arith.addf %[[MEAN]], %{{.+}} fastmath<contract>
// CHECK: math.rsqrt %[[VARIANCE]]
// CHECK: fastnorm.map(%[[A]] [row, hidden], %[[RSTD]] [row], %[[W]] [hidden]) -> [row, hidden]
// CHECK-NEXT: ^bb0(%[[ELEMENT:.+]]: bf16, %[[R:.+]]: f32, %[[FACTOR:.+]]: f32)
// CHECK: %[[VALUE:.+]] = arith.extf %[[ELEMENT]]
// CHECK: %[[NORMAL:.+]] = arith.mulf %[[VALUE]], %[[R]] : f32
// CHECK: %[[OFFSET:.+]] = arith.constant 1.000000e+00
// CHECK: %[[SCALE:.+]] = arith.addf %[[FACTOR]], %[[OFFSET]] : f32
// CHECK: %[[PRODUCT:.+]] = arith.mulf %[[NORMAL]], %[[SCALE]] : f32
// CHECK: arith.truncf %[[PRODUCT]]
func.func @rms_norm(%x: tensor<?x64xbf16>, %weight: tensor<64xf32>) -> tensor<?x64xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}
     : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

// Without a weight its factor is left out; rstd is the value that the result is made with.
// CHECK-LABEL: func.func @rms_norm_rstd(
// CHECK: %[[KERNEL:.+]]:2 = fastnorm.kernel "rms_norm"
// CHECK: %[[SUM:.+]] = fastnorm.reduce add hidden
// CHECK: %[[RSTD:.+]] = fastnorm.map(%[[SUM]] [row]) -> [row]
// CHECK: %[[Y:.+]] = fastnorm.map(%{{.+}} [row, hidden], %[[RSTD]] [row]) -> [row, hidden]
// CHECK: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: fastnorm.yield %[[Y]], %[[RSTD]] : tensor<?x64xf32>, tensor<?xf32>
// CHECK: return %[[KERNEL]]#0, %[[KERNEL]]#1
func.func @rms_norm_rstd(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
  %y, %rstd = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>, tensor<?xf32>
  return %y, %rstd : tensor<?x64xf32>, tensor<?xf32>
}

// -----

// Ops of the algebra that depend on each other are gathered into one kernel of what others use.
// CHECK-LABEL: func.func @loose_algebra(
// CHECK-SAME: %[[X:.+]]: tensor<?x64xf32>
// CHECK-NEXT: %[[KERNEL:.+]] = fastnorm.kernel "algebra" (%[[A:.+]] = %[[X]]) : (tensor<?x64xf32>) -> tensor<?x64xf32>
// CHECK-NEXT: %[[MAX:.+]] = fastnorm.reduce max hidden(%[[A]] [row, hidden])
// CHECK-NEXT: %[[Y:.+]] = fastnorm.map(%[[A]] [row, hidden], %[[MAX]] [row])
// CHECK: fastnorm.yield %[[Y]] : tensor<?x64xf32>
// CHECK: return %[[KERNEL]]
func.func @loose_algebra(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %max = fastnorm.reduce max hidden (%x [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
  %y = fastnorm.map(%x [row, hidden], %max [row]) -> [row, hidden] : (tensor<?x64xf32>, tensor<?xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: f32, %m: f32):
    %d = arith.subf %a, %m : f32
    fastnorm.yield %d : f32
  }
  return %y : tensor<?x64xf32>
}

// -----

// Those that do not depend on each other are kernels of their own.
// CHECK-LABEL: func.func @independent_algebra(
// CHECK: fastnorm.kernel "algebra"
// CHECK-NEXT: fastnorm.reduce max hidden
// CHECK-NEXT: fastnorm.yield
// CHECK: fastnorm.kernel "algebra"
// CHECK-NEXT: fastnorm.reduce min hidden
// CHECK-NEXT: fastnorm.yield
func.func @independent_algebra(%x: tensor<?x64xf32>, %z: tensor<?x64xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %max = fastnorm.reduce max hidden (%x [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
  %min = fastnorm.reduce min hidden (%z [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
  return %max, %min : tensor<?xf32>, tensor<?xf32>
}

// -----

// What is gathered from is computed by a kernel before.
// CHECK-LABEL: func.func @gather_from_computed_rows(
// CHECK: %[[TABLE:.+]] = fastnorm.kernel "algebra"
// CHECK-NEXT: fastnorm.map
// CHECK: fastnorm.kernel "algebra" (%[[A:.+]] = %[[TABLE]]
// CHECK-NEXT: fastnorm.gather %[[A]]
func.func @gather_from_computed_rows(%x: tensor<?x64xf32>, %index: tensor<?x8xi64>) -> tensor<?x64xf32> {
  %table = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    fastnorm.yield %n : f32
  }
  %rows, %present = fastnorm.gather %table[%index] : tensor<?x64xf32>, tensor<?x8xi64> -> tensor<?x8x64xf32>, tensor<?x8xi1>
  %sum = fastnorm.reduce add slot (%rows [row, slot, hidden]) : tensor<?x8x64xf32> -> tensor<?x64xf32>
  return %sum : tensor<?x64xf32>
}

// -----

// Algebra behind a graph op reads the graph op's kernel.
// CHECK-LABEL: func.func @algebra_behind_a_graph_op(
// CHECK: %[[SUM:.+]] = fastnorm.kernel "residual_add"
// CHECK: fastnorm.kernel "algebra" (%{{.+}} = %[[SUM]])
func.func @algebra_behind_a_graph_op(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>) -> tensor<?xf32> {
  %s = fastnorm.residual_add %r, %x : tensor<?x64xf32>
  %max = fastnorm.reduce max hidden (%s [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
  return %max : tensor<?xf32>
}

// -----

// A returned argument gets a kernel that copies it: every result has a buffer of its own.
// CHECK-LABEL: func.func @returned_argument(
// CHECK-SAME: %[[X:.+]]: tensor<?x64xbf16>
// CHECK-NEXT: %[[COPY:.+]] = fastnorm.kernel "copy" (%[[A:.+]] = %[[X]])
// CHECK-NEXT: fastnorm.map(%[[A]] [row, hidden]) -> [row, hidden]
// CHECK-NEXT: ^bb0(%[[ELEMENT:.+]]: bf16):
// CHECK-NEXT: fastnorm.yield %[[ELEMENT]] : bf16
// CHECK: return %[[COPY]]
func.func @returned_argument(%x: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  return %x : tensor<?x64xbf16>
}

// -----

// A returned argument of rank 1 is copied as one scalar a row.
// CHECK-LABEL: func.func @returned_scalars(
// CHECK: fastnorm.kernel "copy"
// CHECK-NEXT: fastnorm.map(%{{.+}} [row]) -> [row]
func.func @returned_scalars(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// What is returned twice is computed once and copied once.
// CHECK-LABEL: func.func @returned_twice(
// CHECK: %[[Y:.+]] = fastnorm.kernel "residual_add"
// CHECK: %[[COPY:.+]] = fastnorm.kernel "copy" (%{{.+}} = %[[Y]])
// CHECK: return %[[Y]], %[[COPY]]
func.func @returned_twice(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %s = fastnorm.residual_add %r, %x : tensor<?x64xf32>
  return %s, %s : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// What nothing uses, directly or through others, costs nothing.
// CHECK-LABEL: func.func @dead_ops(
// CHECK-NOT: "rms_norm"
// CHECK: fastnorm.kernel "residual_add"
// CHECK-NOT: fastnorm.kernel
func.func @dead_ops(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %unused = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %unused_too = fastnorm.residual_add %unused, %x : tensor<?x64xf32>
  %s = fastnorm.residual_add %r, %x : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}

// -----

// A kernel that stands in the text stays as it is.
// CHECK-LABEL: func.func @kernel_in_the_text(
// CHECK: fastnorm.kernel "mine"
// CHECK-NOT: fastnorm.kernel
func.func @kernel_in_the_text(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %y = fastnorm.kernel "mine" (%a = %x) : (tensor<?x64xf32>) -> tensor<?xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    fastnorm.yield %max : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// -----

// Mean first, then the centred squares; the row less its mean is taken again for the result, the bias added by one
// fused multiply-add.
// CHECK-LABEL: func.func @layer_norm(
// CHECK: fastnorm.kernel "layer_norm" (%[[X:.+]] = %{{.+}}, %[[W:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}})
// CHECK: %[[WIDE:.+]] = fastnorm.map(%[[X]] [row, hidden]) -> [row, hidden]
// CHECK: %[[SUM:.+]] = fastnorm.reduce add hidden(%[[WIDE]]
// CHECK: %[[MEAN:.+]] = fastnorm.map(%[[SUM]] [row]) -> [row]
// CHECK: arith.divf %{{.+}}, %{{.+}} : f32
// CHECK: %[[SQUARE:.+]] = fastnorm.map(%[[X]] [row, hidden], %[[MEAN]] [row]) -> [row, hidden]
// CHECK: %[[D:.+]] = arith.subf
// CHECK: arith.mulf %[[D]], %[[D]] fastmath<contract>
// CHECK: fastnorm.reduce add hidden(%[[SQUARE]]
// CHECK: %[[RSTD:.+]] = fastnorm.map(%{{.+}} [row]) -> [row]
// CHECK: math.rsqrt
// CHECK: %[[Y:.+]] = fastnorm.map(%[[X]] [row, hidden], %[[MEAN]] [row], %[[RSTD]] [row], %[[W]] [hidden], %[[B]] [hidden])
// CHECK: %[[CENTRED:.+]] = arith.subf
// CHECK: %[[XHAT:.+]] = arith.mulf %[[CENTRED]], %{{.+}} : f32
// CHECK: %[[PRODUCT:.+]] = arith.mulf %[[XHAT]], %{{.+}} fastmath<contract>
// CHECK: arith.addf %[[PRODUCT]], %{{.+}} fastmath<contract>
// CHECK: fastnorm.yield %[[Y]], %[[MEAN]], %[[RSTD]]
func.func @layer_norm(%x: tensor<?x64xbf16>, %weight: tensor<64xf32>, %bias: tensor<64xf32>)
    -> (tensor<?x64xbf16>, tensor<?xf32>, tensor<?xf32>) {
  %y, %mean, %rstd = fastnorm.layer_norm %x weight(%weight) bias(%bias) {eps = 1.0e-5 : f32}
     : tensor<?x64xbf16>, tensor<64xf32>, tensor<64xf32> -> tensor<?x64xbf16>, tensor<?xf32>, tensor<?xf32>
  return %y, %mean, %rstd : tensor<?x64xbf16>, tensor<?xf32>, tensor<?xf32>
}

// -----

// xhat is rounded to the input's type before the weight multiplies it, and the product to the result's.
// CHECK-LABEL: func.func @round_xhat(
// CHECK: math.rsqrt
// CHECK: %[[XHAT:.+]] = arith.mulf
// CHECK: %[[ROUNDED:.+]] = arith.truncf %[[XHAT]] : f32 to f16
// CHECK: %[[WIDE:.+]] = arith.extf %[[ROUNDED]] : f16 to f32
// CHECK: %[[PRODUCT:.+]] = arith.mulf %[[WIDE]], %{{.+}} : f32
// CHECK: arith.truncf %[[PRODUCT]] : f32 to bf16
func.func @round_xhat(%x: tensor<?x64xf16>, %weight: tensor<64xf32>) -> tensor<?x64xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32, round_xhat}
     : tensor<?x64xf16>, tensor<64xf32> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

// Without a gate the rows themselves are added; the shared expert's row joins the sum before it is rounded.
// CHECK-LABEL: func.func @combine_shared(
// CHECK: %[[SLOTS:.+]] = fastnorm.gather
// CHECK-NOT: present
// CHECK: %[[WIDE:.+]] = fastnorm.map(%[[SLOTS]] [row, slot, hidden]) -> [row, slot, hidden]
// CHECK: %[[SUM:.+]] = fastnorm.reduce add slot(%[[WIDE]]
// CHECK: fastnorm.map(%[[SUM]] [row, hidden], %{{.+}} [row, hidden]) -> [row, hidden]
// CHECK: %[[ALL:.+]] = arith.addf %{{.+}}, %{{.+}} : f32
// CHECK: arith.truncf %[[ALL]] : f32 to bf16
func.func @combine_shared(%expert_rows: tensor<?x64xbf16>, %row_index: tensor<?x8xi64>, %shared: tensor<?x64xbf16>)
    -> tensor<?x64xbf16> {
  %h = fastnorm.combine %expert_rows[%row_index] shared(%shared)
     : tensor<?x64xbf16>, tensor<?x8xi64>, tensor<?x64xbf16> -> tensor<?x64xbf16>
  return %h : tensor<?x64xbf16>
}

// -----

// A gather of whole rows is a kernel by itself.
// CHECK-LABEL: func.func @gather(
// CHECK: fastnorm.kernel "gather"
// CHECK-NEXT: fastnorm.gather
func.func @gather(%table: tensor<?x64xbf16>, %index: tensor<?xi32>) -> tensor<?x64xbf16> {
  %y = fastnorm.gather %table[%index] : tensor<?x64xbf16>, tensor<?xi32> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

// What the rounding of an f32 mean left is summed along with the squares and taken from the rows too: two reductions of
// one phase.
// CHECK-LABEL: func.func @layer_norm_f32(
// CHECK: %[[MEAN:.+]] = fastnorm.map(%{{.+}} [row]) -> [row]
// CHECK: %[[LEFT:.+]] = fastnorm.map(%[[X:.+]] [row, hidden], %[[MEAN]] [row]) -> [row, hidden]
// CHECK: fastnorm.reduce add hidden(%[[LEFT]]
// CHECK: %[[REST:.+]] = fastnorm.map(%{{.+}} [row]) -> [row]
// CHECK: %[[SQUARES:.+]] = fastnorm.map(%[[X]] [row, hidden], %[[MEAN]] [row]) -> [row, hidden]
// CHECK: %[[SUM:.+]] = fastnorm.reduce add hidden(%[[SQUARES]]
// CHECK: %[[RSTD:.+]] = fastnorm.map(%[[SUM]] [row], %[[REST]] [row]) -> [row]
// CHECK: arith.minimumf
// CHECK: arith.maximumf
// CHECK: fastnorm.map(%[[X]] [row, hidden], %[[MEAN]] [row], %[[REST]] [row], %[[RSTD]] [row]) -> [row, hidden]
func.func @layer_norm_f32(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = fastnorm.layer_norm %x {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// Two phases: the row scalar without rstd, then the rows; and columns over all rows. Each rounding is one cast.
// CHECK-LABEL: func.func @rms_norm_backward(
// CHECK: %[[XHAT:.+]] = fastnorm.map(%[[X:.+]] [row, hidden], %[[RSTD:.+]] [row]) -> [row, hidden]
// CHECK: %[[WDY:.+]] = fastnorm.map(%[[DY:.+]] [row, hidden], %[[WEIGHT:.+]] [hidden]) -> [row, hidden]
// CHECK: %[[PRODUCT:.+]] = fastnorm.map(%[[WDY]] [row, hidden], %[[XHAT]] [row, hidden])
// CHECK: arith.mulf {{.*}} fastmath<contract>
// CHECK: %[[SUM:.+]] = fastnorm.reduce add hidden(%[[PRODUCT]]
// CHECK: %[[MEAN:.+]] = fastnorm.map(%[[SUM]] [row]) -> [row]
// CHECK: %[[DX:.+]] = fastnorm.map(%[[WDY]] [row, hidden], %[[XHAT]] [row, hidden], %[[MEAN]] [row], %[[RSTD]] [row]) -> [row, hidden]
// CHECK: arith.truncf
// CHECK: %[[COLUMNS:.+]] = fastnorm.map(%[[DY]] [row, hidden], %[[XHAT]] [row, hidden])
// CHECK: %[[SUMS:.+]] = fastnorm.reduce add row(%[[COLUMNS]] [row, hidden]) : tensor<?x64xf32> -> tensor<64xf32>
// CHECK: %[[DW:.+]] = fastnorm.map(%[[SUMS]] [hidden]) -> [hidden]
// CHECK: arith.truncf
// CHECK: fastnorm.yield %[[DX]], %[[DW]]
func.func @rms_norm_backward(%dy: tensor<?x64xbf16>, %x: tensor<?x64xbf16>, %rstd: tensor<?xf32>, %weight: tensor<64xbf16>)
    -> (tensor<?x64xbf16>, tensor<64xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?xf32>, tensor<64xbf16>
    -> input(tensor<?x64xbf16>) weight(tensor<64xbf16>)
  return %dx, %dw : tensor<?x64xbf16>, tensor<64xbf16>
}

// -----

// Only what a gradient needs is read: the sum of grad_output needs no rows, no statistics and no weight.
// CHECK-LABEL: func.func @bias_alone(
// CHECK: fastnorm.kernel "layer_norm_backward" (%{{[a-z0-9]+}} = %{{[a-z0-9]+}}) :
// CHECK-NEXT: %[[SUM:.+]] = fastnorm.reduce add row(%{{.+}} [row, hidden])
// CHECK-NEXT: fastnorm.yield %[[SUM]]
func.func @bias_alone(%dy: tensor<?x64xf32>, %x: tensor<?x64xf32>, %s: tensor<?xf32>, %weight: tensor<64xf32>) -> tensor<64xf32> {
  %db = fastnorm.layer_norm_backward %dy, %x mean(%s) rstd(%s) weight(%weight)
     : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?xf32>, tensor<?xf32>, tensor<64xf32> -> bias(tensor<64xf32>)
  return %db : tensor<64xf32>
}

// -----

// With heads, the rows of each head are summed; a parameter without heads sums all of them.
// CHECK-LABEL: func.func @heads_backward(
// CHECK: fastnorm.reduce add row(%{{.+}} [row, head, hidden]) : tensor<?x4x64xf32> -> tensor<4x64xf32>
// CHECK: fastnorm.reduce add row(%{{.+}} [row, row, hidden]) : tensor<?x4x64xf32> -> tensor<64xf32>
func.func @heads_backward(%dy: tensor<?x4x64xf32>, %x: tensor<?x4x64xf32>, %rstd: tensor<?x4xf32>) -> (tensor<4x64xf32>, tensor<64xf32>) {
  %dw, %db = fastnorm.rms_norm_backward %dy, %x rstd(%rstd)
     : tensor<?x4x64xf32>, tensor<?x4x64xf32>, tensor<?x4xf32> -> weight(tensor<4x64xf32>) bias(tensor<64xf32>)
  return %dw, %db : tensor<4x64xf32>, tensor<64xf32>
}
