// Kernels that scatter: which of them there are, and what each does.
// RUN: fastnorm-opt %s --fastnorm-decompose --split-input-file | FileCheck %s

// Where each expert row is named once all is one kernel: the product for each slot goes to the slot's row, and sums over
// hidden, those of dropped slots 0, are the gate's gradient.
// CHECK-LABEL: func.func @bijective(
// CHECK-SAME: %[[DY:[a-z0-9]+]]: tensor<?x64xbf16>, %[[INDEX:[a-z0-9]+]]: tensor<?x8xi64>, %[[ROWS:[a-z0-9]+]]: tensor<?x64xbf16>, %[[GATE:[a-z0-9]+]]: tensor<?x8xbf16>
// CHECK: fastnorm.kernel "combine_backward" (%[[A:.+]] = %[[DY]], %[[B:.+]] = %[[INDEX]], %[[C:.+]] = %[[ROWS]], %[[D:.+]] = %[[GATE]])
// CHECK: %[[SCALED:.+]] = fastnorm.map(%[[A]] [row, hidden], %[[D]] [row, slot]) -> [row, slot, hidden]
// CHECK: arith.mulf {{.*}} fastmath<contract>
// CHECK: %[[GRAD:.+]] = fastnorm.scatter %[[SCALED]][%[[B]]] index_map(bijective) : tensor<?x8x64xf32>, tensor<?x8xi64> -> tensor<?x64xbf16>
// CHECK: %[[SLOTS:.+]], %[[PRESENT:.+]] = fastnorm.gather %[[C]][%[[B]]]
// CHECK: %[[PRODUCT:.+]] = fastnorm.map(%[[A]] [row, hidden], %[[SLOTS]] [row, slot, hidden]) -> [row, slot, hidden]
// CHECK: %[[SUM:.+]] = fastnorm.reduce add hidden(%[[PRODUCT]] [row, slot, hidden])
// CHECK: %[[DGATE:.+]] = fastnorm.map(%[[SUM]] [row, slot], %[[PRESENT]] [row, slot]) -> [row, slot]
// CHECK: ^bb0(%[[S:.+]]: f32, %[[P:.+]]: i1)
// CHECK: %[[KEPT:.+]] = arith.select %[[P]], %[[S]], %{{.+}}
// CHECK: arith.truncf %[[KEPT]]
// CHECK: fastnorm.yield %[[GRAD]], %[[DGATE]]
// CHECK-NOT: fastnorm.kernel
func.func @bijective(%dy: tensor<?x64xbf16>, %index: tensor<?x8xi64>, %rows: tensor<?x64xbf16>, %gate: tensor<?x8xbf16>)
    -> (tensor<?x64xbf16>, tensor<?x8xbf16>) {
  %r, %g = fastnorm.combine_backward %dy[%index] index_map(bijective) expert_rows(%rows) gate(%gate)
    : tensor<?x64xbf16>, tensor<?x8xi64>, tensor<?x64xbf16>, tensor<?x8xbf16> -> expert_rows(tensor<?x64xbf16>) gate(tensor<?x8xbf16>)
  return %r, %g : tensor<?x64xbf16>, tensor<?x8xbf16>
}

// -----

// Rows that may not be named are zeros of a kernel before.
// CHECK-LABEL: func.func @injective(
// CHECK: %[[ZEROS:.+]] = fastnorm.kernel "zeros" () : () -> tensor<?x64xbf16>
// CHECK: fastnorm.map() -> [row, hidden]
// CHECK: arith.constant 0.000000e+00 : bf16
// CHECK: fastnorm.kernel "combine_backward" ({{.*}}, %[[INTO:.+]] = %[[ZEROS]])
// CHECK: fastnorm.scatter %{{.+}}[%{{.+}}] index_map(injective) into(%[[INTO]])
func.func @injective(%dy: tensor<?x64xbf16>, %index: tensor<?x8xi64>) -> tensor<?x64xbf16> {
  %r = fastnorm.combine_backward %dy[%index] index_map(injective) : tensor<?x64xbf16>, tensor<?x8xi64> -> expert_rows(tensor<?x64xbf16>)
  return %r : tensor<?x64xbf16>
}

// -----

// What adds up at the rows of its result works on these, so the gate's gradient has a kernel of its own; each reads what
// it needs.
// CHECK-LABEL: func.func @any(
// CHECK: fastnorm.kernel "combine_backward" (%{{.+}} = %arg0, %{{.+}} = %arg1, %{{.+}} = %arg3)
// CHECK: fastnorm.scatter %{{.+}}[%{{.+}}] : tensor<?x8x64xf32>, tensor<?x8xi64> -> tensor<?x64xbf16>
// CHECK-NOT: fastnorm.reduce
// CHECK: fastnorm.kernel "combine_backward" (%{{.+}} = %arg0, %{{.+}} = %arg1, %{{.+}} = %arg2)
// CHECK-NOT: fastnorm.scatter
// CHECK: fastnorm.reduce add hidden
func.func @any(%dy: tensor<?x64xbf16>, %index: tensor<?x8xi64>, %rows: tensor<?x64xbf16>, %gate: tensor<?x8xbf16>)
    -> (tensor<?x64xbf16>, tensor<?x8xbf16>) {
  %r, %g = fastnorm.combine_backward %dy[%index] expert_rows(%rows) gate(%gate)
    : tensor<?x64xbf16>, tensor<?x8xi64>, tensor<?x64xbf16>, tensor<?x8xbf16> -> expert_rows(tensor<?x64xbf16>) gate(tensor<?x8xbf16>)
  return %r, %g : tensor<?x64xbf16>, tensor<?x8xbf16>
}

// -----

// An argument keeps its elements: the scatter goes into a copy. So does what another kernel reads.
// CHECK-LABEL: func.func @into_an_argument(
// CHECK-SAME: %[[OLD:[a-z0-9]+]]: tensor<?x64xf32>, %[[ROWS:[a-z0-9]+]]: tensor<?x64xf32>
// CHECK: %[[COPY:.+]] = fastnorm.kernel "copy" (%{{.+}} = %[[OLD]])
// CHECK: %[[FIRST:.+]] = fastnorm.kernel "scatter" (%{{.+}} = %[[ROWS]], %{{.+}}, %{{.+}} = %[[COPY]])
// CHECK: %[[SECOND:.+]] = fastnorm.kernel "copy" (%{{.+}} = %[[FIRST]])
// CHECK: fastnorm.kernel "scatter" (%{{.+}} = %[[ROWS]], %{{.+}}, %{{.+}} = %[[SECOND]])
func.func @into_an_argument(%old: tensor<?x64xf32>, %rows: tensor<?x64xf32>, %index: tensor<?xi32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %a = fastnorm.scatter %rows[%index] index_map(injective) into(%old) : tensor<?x64xf32>, tensor<?xi32>, tensor<?x64xf32> -> tensor<?x64xf32>
  %b = fastnorm.scatter %rows[%index] index_map(injective) into(%a) : tensor<?x64xf32>, tensor<?xi32>, tensor<?x64xf32> -> tensor<?x64xf32>
  return %a, %b : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// Rows that are computed and then added up where they land: two kernels, for the second has the result's rows.
// CHECK-LABEL: func.func @computed_rows(
// CHECK: fastnorm.kernel "algebra"
// CHECK: fastnorm.kernel "scatter"
func.func @computed_rows(%rows: tensor<?x64xf32>, %index: tensor<?xi32>) -> tensor<?x64xf32> {
  %twice = fastnorm.map(%rows [row, hidden]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    fastnorm.yield %y : f32
  }
  %s = fastnorm.scatter %twice[%index] : tensor<?x64xf32>, tensor<?xi32> -> tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}
