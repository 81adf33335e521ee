// Around the kernels: symbol arithmetic, buffers between kernels, launches in order.
// RUN: fastnorm-opt %s --fastnorm-pipeline="until=gpu fuse=never" 2>/dev/null | FileCheck %s

// Results follow the arguments; the row count comes from the first tensor that has it; what passes between the kernels
// is allocated with that many rows. 128 vectors a row are 2 rows a CTA of the sum, so its grid is half of them.
// CHECK-LABEL: func.func @graph(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x1024xbf16, 1> {fastnorm.name = "arg0", fastnorm.symbols = ["rows"]}
// CHECK-SAME: %[[R:[a-z0-9]+]]: memref<?x1024xbf16, 1> {fastnorm.name = "arg1", fastnorm.symbols = ["rows"]}
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<?x1024xbf16, 1> {fastnorm.name = "result0", fastnorm.result = 0 : i64, fastnorm.symbols = ["rows"]}
// CHECK-SAME: ) {
// CHECK: %[[ROWS:.+]] = memref.dim %[[X]]
// CHECK: %[[BETWEEN:.+]] = memref.alloc(%[[ROWS]]) : memref<?x1024xbf16, 1>
// CHECK: %[[POINTER:.+]] = memref.reinterpret_cast %[[BETWEEN]]
// CHECK: %[[GRID:.+]] = arith.ceildivui %[[ROWS]], %{{.+}} : index
// CHECK: gpu.launch_func @graph_kernels::@graph_0_residual_add blocks in (%[[GRID]], {{.*}}%[[POINTER]] : memref<1xbf16, 1>, %{{.+}} : i64)
// CHECK-SAME: fastnorm.read_bytes = array<i64: 0, 4096>
// CHECK-SAME: fastnorm.written_bytes = array<i64: 0, 2048>
// CHECK: %[[RESULT:.+]] = memref.reinterpret_cast %[[Y]]
// CHECK: gpu.launch_func @graph_kernels::@graph_1_rms_norm blocks in (%[[ROWS]], {{.*}} args(%[[POINTER]] : memref<1xbf16, 1>, %[[RESULT]] : memref<1xbf16, 1>)
// CHECK: return
func.func @graph(%x: tensor<?x1024xbf16>, %r: tensor<?x1024xbf16>) -> tensor<?x1024xbf16> {
  %s = fastnorm.residual_add %r, %x : tensor<?x1024xbf16>
  %y = fastnorm.rms_norm %s {eps = 1.0e-6 : f32} : tensor<?x1024xbf16> -> tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
}
