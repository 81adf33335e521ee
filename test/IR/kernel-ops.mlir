// Every op of the kernel algebra is read and written again.
// RUN: fastnorm-opt %s | fastnorm-opt | FileCheck %s
// RUN: fastnorm-opt %s --mlir-print-op-generic | fastnorm-opt | FileCheck %s

// A map writes the axes of each operand behind it.
// CHECK-LABEL: func.func @map_broadcasts(
// CHECK-SAME: %[[X:.+]]: tensor<?x64xbf16>, %[[RSTD:.+]]: tensor<?xf32>, %[[WEIGHT:.+]]: tensor<64xf32>
func.func @map_broadcasts(%x: tensor<?x64xbf16>, %rstd: tensor<?xf32>, %weight: tensor<64xf32>) -> tensor<?x64xf32> {
  // CHECK: fastnorm.map(%[[X]] [row, hidden], %[[RSTD]] [row], %[[WEIGHT]] [hidden]) -> [row, hidden]
  // CHECK-SAME: : (tensor<?x64xbf16>, tensor<?xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  // CHECK: fastnorm.yield %{{.+}} : f32
  %y = fastnorm.map(%x [row, hidden], %rstd [row], %weight [hidden]) -> [row, hidden]
     : (tensor<?x64xbf16>, tensor<?xf32>, tensor<64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: bf16, %r: f32, %w: f32):
    %f = arith.extf %a : bf16 to f32
    %n = arith.mulf %f, %r : f32
    %m = arith.mulf %n, %w : f32
    fastnorm.yield %m : f32
  }
  return %y : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @map_without_operands(
func.func @map_without_operands() -> tensor<4x64xf32> {
  // CHECK: fastnorm.map() -> [row, hidden] : () -> tensor<4x64xf32>
  %y = fastnorm.map() -> [row, hidden] : () -> tensor<4x64xf32> {
    %one = arith.constant 1.0 : f32
    fastnorm.yield %one : f32
  }
  return %y : tensor<4x64xf32>
}

// Every scalar function that a map may use.
// CHECK-LABEL: func.func @map_scalar_functions(
func.func @map_scalar_functions(%x: tensor<?x64xf32>, %b: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %y = fastnorm.map(%x [row, hidden], %b [row, hidden]) -> [row, hidden]
     : (tensor<?x64xf32>, tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  ^bb0(%a: f32, %h: bf16):
    // CHECK-DAG: arith.constant
    %zero = arith.constant 0.0 : f32
    // CHECK: arith.extf
    %f = arith.extf %h : bf16 to f32
    // CHECK-NEXT: arith.addf
    %v0 = arith.addf %a, %f : f32
    // CHECK-NEXT: arith.subf
    %v1 = arith.subf %v0, %f : f32
    // CHECK-NEXT: arith.mulf {{.*}} fastmath<contract>
    %v2 = arith.mulf %v1, %f fastmath<contract> : f32
    // CHECK-NEXT: arith.divf
    %v3 = arith.divf %v2, %f : f32
    // CHECK-NEXT: arith.negf
    %v4 = arith.negf %v3 : f32
    // CHECK-NEXT: arith.maximumf
    %v5 = arith.maximumf %v4, %f : f32
    // CHECK-NEXT: arith.minimumf
    %v6 = arith.minimumf %v5, %f : f32
    // CHECK-NEXT: arith.cmpf
    %c = arith.cmpf olt, %v6, %zero : f32
    // CHECK-NEXT: arith.select
    %v7 = arith.select %c, %v6, %f : f32
    // CHECK-NEXT: math.absf
    %v8 = math.absf %v7 : f32
    // CHECK-NEXT: math.sqrt
    %v9 = math.sqrt %v8 : f32
    // CHECK-NEXT: math.rsqrt
    %v10 = math.rsqrt %v9 : f32
    // CHECK-NEXT: math.exp2
    %v11 = math.exp2 %v10 : f32
    // CHECK-NEXT: math.fma
    %v12 = math.fma %v11, %f, %a : f32
    // CHECK-NEXT: arith.truncf
    %t = arith.truncf %v12 : f32 to bf16
    fastnorm.yield %t : bf16
  }
  return %y : tensor<?x64xbf16>
}

// CHECK-LABEL: func.func @reduce_each_combiner(
// CHECK-SAME: %[[X:.+]]: tensor<?x64xf32>, %[[SLOTS:.+]]: tensor<?x8x64xf32>
func.func @reduce_each_combiner(%x: tensor<?x64xf32>, %slots: tensor<?x8x64xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>) {
  // CHECK: fastnorm.reduce add hidden(%[[X]] [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
  %sum = fastnorm.reduce add hidden (%x [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
  // CHECK: fastnorm.reduce max hidden(%[[X]] [row, hidden])
  %max = fastnorm.reduce max hidden (%x [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
  // CHECK: fastnorm.reduce min slot(%[[SLOTS]] [row, slot, hidden]) : tensor<?x8x64xf32> -> tensor<?x64xf32>
  %min = fastnorm.reduce min slot (%slots [row, slot, hidden]) : tensor<?x8x64xf32> -> tensor<?x64xf32>
  return %sum, %max, %min : tensor<?xf32>, tensor<?xf32>, tensor<?x64xf32>
}

// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[TABLE:.+]]: tensor<?x64xbf16>, %[[INDEX:.+]]: tensor<?x8xi32>, %[[ROW_INDEX:.+]]: tensor<?xi64>
func.func @gather(%table: tensor<?x64xbf16>, %index: tensor<?x8xi32>, %row_index: tensor<?xi64>)
    -> (tensor<?x8x64xbf16>, tensor<?x8xi1>, tensor<?x64xbf16>) {
  // CHECK: fastnorm.gather %[[TABLE]][%[[INDEX]]]
  // CHECK-SAME: : tensor<?x64xbf16>, tensor<?x8xi32> -> tensor<?x8x64xbf16>, tensor<?x8xi1>
  %rows, %present = fastnorm.gather %table[%index]
     : tensor<?x64xbf16>, tensor<?x8xi32> -> tensor<?x8x64xbf16>, tensor<?x8xi1>
  // CHECK: fastnorm.gather %[[TABLE]][%[[ROW_INDEX]]]
  // CHECK-SAME: : tensor<?x64xbf16>, tensor<?xi64> -> tensor<?x64xbf16>, tensor<?xi1>
  %row, %there = fastnorm.gather %table[%row_index]
     : tensor<?x64xbf16>, tensor<?xi64> -> tensor<?x64xbf16>, tensor<?xi1>
  return %rows, %present, %row : tensor<?x8x64xbf16>, tensor<?x8xi1>, tensor<?x64xbf16>
}

// CHECK-LABEL: func.func @kernel_with_schedule(
// CHECK-SAME: %[[X:.+]]: tensor<?x64xf32>
func.func @kernel_with_schedule(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
  // CHECK: %[[KERNEL:.+]]:2 = fastnorm.kernel "scale by maximum" (%[[A:.+]] = %[[X]])
  // CHECK-SAME: {schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 8, rows_per_cta = 16, vector_width = 4, vectors_per_thread = 2>}
  // CHECK-SAME: : (tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?xf32>)
  %y:2 = fastnorm.kernel "scale by maximum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = lanes,
      threads_per_row = 8, rows_per_cta = 16, vector_width = 4, vectors_per_thread = 2>}
     : (tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
    // CHECK: %[[MAX:.+]] = fastnorm.reduce max hidden(%[[A]] [row, hidden])
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    %scaled = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x64xf32>, tensor<?xf32>) -> tensor<?x64xf32> {
    ^bb0(%c: f32, %m: f32):
      %d = arith.divf %c, %m : f32
      fastnorm.yield %d : f32
    }
    // CHECK: fastnorm.yield %{{.+}}, %[[MAX]] : tensor<?x64xf32>, tensor<?xf32>
    fastnorm.yield %scaled, %max : tensor<?x64xf32>, tensor<?xf32>
  }
  // CHECK: return %[[KERNEL]]#0, %[[KERNEL]]#1
  return %y#0, %y#1 : tensor<?x64xf32>, tensor<?xf32>
}

// Groups of neighbours: reduced over, computed with, and read beside hidden.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME: %[[X:.+]]: tensor<?x64xf32>
func.func @groups(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x4xf32>) {
  // CHECK: %[[MOST:.+]] = fastnorm.reduce max hidden(%[[X]] [row, hidden]) {group = 16 : i64} : tensor<?x64xf32> -> tensor<?x4xf32>
  %most = fastnorm.reduce max hidden (%x [row, hidden]) {group = 16 : i64} : tensor<?x64xf32> -> tensor<?x4xf32>
  // CHECK: fastnorm.map(%[[X]] [row, hidden], %[[MOST]] [row, group]) -> [row, hidden]
  %y = fastnorm.map(%x [row, hidden], %most [row, group]) -> [row, hidden]
     : (tensor<?x64xf32>, tensor<?x4xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: f32, %m: f32):
    %d = arith.divf %a, %m : f32
    fastnorm.yield %d : f32
  }
  return %y, %most : tensor<?x64xf32>, tensor<?x4xf32>
}
