// Backward functions of graphs that read rows by an index.
// RUN: fastnorm-opt %s --split-input-file --fastnorm-differentiate | FileCheck %s
// RUN: fastnorm-opt %s --split-input-file --fastnorm-differentiate=emit=backward --fastnorm-pipeline="target=h200 until=schedule" | FileCheck %s --check-prefix=KERNELS

// A whole block: the norm's gradient, with the stream's added, is that of the combine's result and of the shared expert.
// CHECK-LABEL: func.func @block_backward(
// CHECK-SAME: %[[DY:[a-z0-9]+]]: tensor<?x64xbf16> {fastnorm.name = "grad_y"
// CHECK-SAME: %[[DS:[a-z0-9]+]]: tensor<?x64xbf16> {fastnorm.name = "grad_s"
// CHECK-SAME: %[[INDEX:[a-z0-9]+]]: tensor<?x4xi64> {{{.*}}fastnorm.name = "row_index"
// CHECK-SAME: %[[GATE:[a-z0-9]+]]: tensor<?x4xf32> {fastnorm.name = "gate"
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: tensor<?x64xbf16> {fastnorm.name = "expert_rows"
// CHECK-SAME: fastnorm.gradient_of = ["residual", "shared"]
// CHECK: %[[DX:.+]], %{{.+}} = fastnorm.rms_norm_backward %[[DY]], {{.*}} residual(%[[DS]])
// CHECK-NEXT: %{{.+}}, %{{.+}} = fastnorm.combine_backward %[[DX]][%[[INDEX]]] index_map(bijective) expert_rows(%[[ROWS]]) gate(%[[GATE]])
// CHECK-NEXT: return
// KERNELS-LABEL: func.func @block_backward(
// KERNELS: fastnorm.kernel "rms_norm_backward"
// KERNELS: fastnorm.kernel "combine_backward"
// KERNELS: return
func.func @block(%expert_rows: tensor<?x64xbf16> {fastnorm.name = "expert_rows"}, %row_index: tensor<?x4xi64> {fastnorm.name = "row_index"},
                 %gate: tensor<?x4xf32> {fastnorm.name = "gate"}, %residual: tensor<?x64xbf16> {fastnorm.name = "residual"},
                 %shared: tensor<?x64xbf16> {fastnorm.name = "shared"}, %weight: tensor<64xbf16> {fastnorm.name = "weight"})
    -> (tensor<?x64xbf16> {fastnorm.name = "y"}, tensor<?x64xbf16> {fastnorm.name = "s"}) {
  %h = fastnorm.combine %expert_rows[%row_index] index_map(bijective) gate(%gate) shared(%shared)
     : tensor<?x64xbf16>, tensor<?x4xi64>, tensor<?x4xf32>, tensor<?x64xbf16> -> tensor<?x64xbf16>
  %s = fastnorm.residual_add %residual, %h : tensor<?x64xbf16>
  %y = fastnorm.rms_norm %s weight(%weight) {eps = 1.0e-6 : f32} : tensor<?x64xbf16>, tensor<64xbf16> -> tensor<?x64xbf16>
  return %y, %s : tensor<?x64xbf16>, tensor<?x64xbf16>
}

// -----

// Without a gate the expert rows are not read: only their number matters, which the result has under its name.
// CHECK-LABEL: func.func @no_gate_backward(
// CHECK-SAME: %[[DY:[a-z0-9]+]]: tensor<?x64xf32> {fastnorm.name = "grad_result0", fastnorm.symbols = ["rows"]}, %[[INDEX:[a-z0-9]+]]: tensor<?x4xi32> {fastnorm.indexes = "permuted", fastnorm.name = "arg1", fastnorm.symbols = ["rows"]})
// CHECK-SAME: -> (tensor<?x64xf32> {fastnorm.gradient_of = ["arg0"], fastnorm.name = "grad_arg0", fastnorm.symbols = ["permuted"]})
// CHECK-NEXT: fastnorm.combine_backward %[[DY]][%[[INDEX]]] : tensor<?x64xf32>, tensor<?x4xi32> -> expert_rows(tensor<?x64xf32>)
// KERNELS-LABEL: func.func @no_gate_backward(
func.func @no_gate(%rows: tensor<?x64xf32> {fastnorm.symbols = ["permuted"]}, %index: tensor<?x4xi32>) -> tensor<?x64xf32> {
  %h = fastnorm.combine %rows[%index] : tensor<?x64xf32>, tensor<?x4xi32> -> tensor<?x64xf32>
  return %h : tensor<?x64xf32>
}

// -----

// A gate whose gradient nobody wants: computed expert rows are neither saved nor taken.
// CHECK-LABEL: func.func @fixed_gate(
// CHECK-SAME: -> (tensor<?x64xf32> {fastnorm.name = "result0", fastnorm.symbols = ["rows"]}) {
// CHECK: return %{{[0-9a-z]+}} : tensor<?x64xf32>
// CHECK-LABEL: func.func @fixed_gate_backward(
// CHECK-SAME: "grad_result0", fastnorm.symbols = ["rows"]}, %{{[a-z0-9]+}}: tensor<?x4xi32> {fastnorm.indexes = "expert_rows", fastnorm.name = "arg2", fastnorm.symbols = ["rows"]}, %{{[a-z0-9]+}}: tensor<?x4xf32> {fastnorm.name = "arg3", fastnorm.symbols = ["rows"]}) ->
// CHECK-NEXT: fastnorm.combine_backward {{.*}}] gate(%{{[a-z0-9]+}}) :
// KERNELS-LABEL: func.func @fixed_gate_backward(
func.func @fixed_gate(%a: tensor<?x64xf32>, %b: tensor<?x64xf32>, %index: tensor<?x4xi32>, %gate: tensor<?x4xf32> {fastnorm.no_gradient}) -> tensor<?x64xf32> {
  %rows = fastnorm.residual_add %a, %b : tensor<?x64xf32>
  %h = fastnorm.combine %rows[%index] gate(%gate) : tensor<?x64xf32>, tensor<?x4xi32>, tensor<?x4xf32> -> tensor<?x64xf32>
  return %h : tensor<?x64xf32>
}

// -----

// The gradient of a table is scattered. One that two read: the second's is added to the first's before it is rounded.
// CHECK-LABEL: func.func @gather_twice_backward(
// CHECK-SAME: %[[DA:[a-z0-9]+]]: tensor<?x64xbf16> {fastnorm.name = "grad_result0"
// CHECK-SAME: %[[DB:[a-z0-9]+]]: tensor<?x64xbf16> {fastnorm.name = "grad_result1"
// CHECK: %[[LAST:.+]] = fastnorm.scatter %[[DB]][%{{.+}}] index_map(injective) : tensor<?x64xbf16>, tensor<?xi32> -> tensor<?x64xbf16>
// CHECK: %[[WIDE:.+]] = fastnorm.scatter %[[DA]][%{{.+}}] : tensor<?x64xbf16>, tensor<?xi64> -> tensor<?x64xf32>
// CHECK: %[[SUM:.+]] = fastnorm.residual_add %[[LAST]], %[[WIDE]] : tensor<?x64xbf16>, tensor<?x64xf32> -> tensor<?x64xbf16>
// CHECK: return %[[SUM]]
// KERNELS-LABEL: func.func @gather_twice_backward(
func.func @gather_twice(%table: tensor<?x64xbf16>, %i: tensor<?xi64>, %j: tensor<?xi32>) -> (tensor<?x64xbf16>, tensor<?x64xbf16>) {
  %a = fastnorm.gather %table[%i] : tensor<?x64xbf16>, tensor<?xi64> -> tensor<?x64xbf16>
  %b = fastnorm.gather %table[%j] index_map(injective) : tensor<?x64xbf16>, tensor<?xi32> -> tensor<?x64xbf16>
  return %a, %b : tensor<?x64xbf16>, tensor<?x64xbf16>
}
