// Rows that go where an index says, and the gradients of combine, parsed and printed.
// RUN: fastnorm-opt %s | fastnorm-opt | FileCheck %s

// A promise about the index is written only where there is one.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[ROWS:.+]]: tensor<?x64xbf16>, %[[ORDER:.+]]: tensor<?xi32>, %[[SLOTS:.+]]: tensor<?x2x64xf32>, %[[INDEX:.+]]: tensor<?x2xi64>, %[[INTO:.+]]: tensor<?x64xf16>
func.func @scatter(%rows: tensor<?x64xbf16>, %order: tensor<?xi32>, %slots: tensor<?x2x64xf32>, %index: tensor<?x2xi64>, %into: tensor<?x64xf16>)
    -> (tensor<?x64xbf16>, tensor<8x64xf32>, tensor<?x64xf16>) {
  // CHECK: fastnorm.scatter %[[ROWS]][%[[ORDER]]] index_map(bijective) : tensor<?x64xbf16>, tensor<?xi32> -> tensor<?x64xbf16>
  %a = fastnorm.scatter %rows[%order] index_map(bijective) : tensor<?x64xbf16>, tensor<?xi32> -> tensor<?x64xbf16>
  // CHECK: fastnorm.scatter %[[SLOTS]][%[[INDEX]]] : tensor<?x2x64xf32>, tensor<?x2xi64> -> tensor<8x64xf32>
  %b = fastnorm.scatter %slots[%index] index_map(any) : tensor<?x2x64xf32>, tensor<?x2xi64> -> tensor<8x64xf32>
  // CHECK: fastnorm.scatter %[[SLOTS]][%[[INDEX]]] index_map(injective) into(%[[INTO]]) : {{.*}} -> tensor<?x64xf16>
  %c = fastnorm.scatter %slots[%index] index_map(injective) into(%into)
     : tensor<?x2x64xf32>, tensor<?x2xi64>, tensor<?x64xf16> -> tensor<?x64xf16>
  return %a, %b, %c : tensor<?x64xbf16>, tensor<8x64xf32>, tensor<?x64xf16>
}

// CHECK-LABEL: func.func @combine_backward(
// CHECK-SAME: %[[DY:.+]]: tensor<?x64xbf16>, %[[INDEX:.+]]: tensor<?x8xi64>, %[[ROWS:.+]]: tensor<?x64xbf16>, %[[GATE:.+]]: tensor<?x8xf32>
func.func @combine_backward(%dy: tensor<?x64xbf16>, %index: tensor<?x8xi64>, %rows: tensor<?x64xbf16>, %gate: tensor<?x8xf32>)
    -> (tensor<?x64xbf16>, tensor<?x8xf32>, tensor<?x64xf32>) {
  // CHECK: fastnorm.combine_backward %[[DY]][%[[INDEX]]] index_map(injective) expert_rows(%[[ROWS]]) gate(%[[GATE]]) accumulate_gate(%[[GATE]]) :
  // CHECK-SAME: -> expert_rows(tensor<?x64xbf16>) gate(tensor<?x8xf32>)
  %a, %b = fastnorm.combine_backward %dy[%index] index_map(injective) expert_rows(%rows) gate(%gate) accumulate_gate(%gate)
    : tensor<?x64xbf16>, tensor<?x8xi64>, tensor<?x64xbf16>, tensor<?x8xf32>, tensor<?x8xf32>
    -> expert_rows(tensor<?x64xbf16>) gate(tensor<?x8xf32>)
  // CHECK: fastnorm.combine_backward %[[DY]][%[[INDEX]]] : tensor<?x64xbf16>, tensor<?x8xi64> -> expert_rows(tensor<?x64xf32>)
  %c = fastnorm.combine_backward %dy[%index] : tensor<?x64xbf16>, tensor<?x8xi64> -> expert_rows(tensor<?x64xf32>)
  return %a, %b, %c : tensor<?x64xbf16>, tensor<?x8xf32>, tensor<?x64xf32>
}

// What reads rows by an index may carry the promise for its gradient.
// CHECK-LABEL: func.func @promises(
func.func @promises(%rows: tensor<?x64xf32>, %index: tensor<?x2xi64>, %order: tensor<?xi32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  // CHECK: fastnorm.combine %{{.+}}[%{{.+}}] index_map(bijective) :
  %a = fastnorm.combine %rows[%index] index_map(bijective) : tensor<?x64xf32>, tensor<?x2xi64> -> tensor<?x64xf32>
  // CHECK: fastnorm.gather %{{.+}}[%{{.+}}] index_map(injective) :
  %b = fastnorm.gather %rows[%order] index_map(injective) : tensor<?x64xf32>, tensor<?xi32> -> tensor<?x64xf32>
  return %a, %b : tensor<?x64xf32>, tensor<?x64xf32>
}

// CHECK-LABEL: func.func @kernel(
// CHECK: fastnorm.kernel "k"
// CHECK: fastnorm.yield %{{.+}}, %{{.+}} : tensor<?x64xf32>, tensor<?x2xf32>
func.func @kernel(%slots: tensor<?x64xf32>, %index: tensor<?x2xi64>, %gate: tensor<?x2xf32>) -> (tensor<?x64xf32>, tensor<?x2xf32>) {
  %r:2 = fastnorm.kernel "k" (%a = %slots, %i = %index, %g = %gate)
       : (tensor<?x64xf32>, tensor<?x2xi64>, tensor<?x2xf32>) -> (tensor<?x64xf32>, tensor<?x2xf32>) {
    %p = fastnorm.map(%a [row, hidden], %g [row, slot]) -> [row, slot, hidden] : (tensor<?x64xf32>, tensor<?x2xf32>) -> tensor<?x2x64xf32> {
    ^bb0(%x: f32, %y: f32):
      %z = arith.mulf %x, %y : f32
      fastnorm.yield %z : f32
    }
    %sum = fastnorm.reduce add hidden (%p [row, slot, hidden]) : tensor<?x2x64xf32> -> tensor<?x2xf32>
    %s = fastnorm.scatter %p[%i] index_map(bijective) : tensor<?x2x64xf32>, tensor<?x2xi64> -> tensor<?x64xf32>
    fastnorm.yield %s, %sum : tensor<?x64xf32>, tensor<?x2xf32>
  }
  return %r#0, %r#1 : tensor<?x64xf32>, tensor<?x2xf32>
}
