// A mean and the squares of distances from it: the warps of a row meet once. Each takes its distances from its own mean and
// moves their squares to the mean of the row afterwards.
// RUN: fastnorm-opt %s --fastnorm-attach-target --fastnorm-name-bindings --convert-fastnorm-to-gpu --canonicalize --cse | FileCheck %s

// A warp holds 2 x 32 x 4 = 256 elements. Two butterflies, one barrier, all 4 warps' sums and squares read; with d = mean of a
// warp - mean of the row, squares + (256 d) d.
// CHECK-LABEL: gpu.func @equal_warps(
// CHECK-SAME: workgroup(%[[SLOTS:.+]] : memref<8xf32, 3>
// CHECK-DAG: %[[OF_WARP:.+]] = arith.constant 2.560000e+02 : f32
// CHECK-DAG: %[[OF_ROW:.+]] = arith.constant 1.024000e+03 : f32
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: %[[LOCAL:.+]] = arith.divf %{{.+}}, %[[OF_WARP]] : f32
// CHECK: vector.broadcast %[[LOCAL]]
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK-NOT: gpu.shuffle
// CHECK: vector.load %[[SLOTS]]
// CHECK: %[[MEAN:.+]] = arith.divf %{{.+}}, %[[OF_ROW]] : f32
// CHECK: vector.load %[[SLOTS]]
// CHECK: %[[WARP:.+]] = arith.divf %{{.+}}, %[[OF_WARP]] : f32
// CHECK: %[[D:.+]] = arith.subf %[[WARP]], %[[MEAN]] : f32
// CHECK: %[[TIMES:.+]] = arith.mulf %[[D]], %[[OF_WARP]] : f32
// CHECK: math.fma %[[TIMES]], %[[D]], %{{.+}} : f32
// CHECK-COUNT-3: math.fma
// CHECK: gpu.return
func.func @equal_warps(%x: tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
  %y = fastnorm.kernel "equal_warps" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta,
      threads_per_row = 128, vector_width = 4, vectors_per_thread = 2, vectors_in_flight = 2>}
     : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %sum = fastnorm.reduce add hidden (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %mean = fastnorm.map(%sum [row]) -> [row] : (tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%b: f32):
      %n = arith.constant 1024.0 : f32
      %c = arith.divf %b, %n : f32
      fastnorm.yield %c : f32
    }
    %square = fastnorm.map(%a [row, hidden], %mean [row]) -> [row, hidden] : (tensor<?x1024xbf16>, tensor<?xf32>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16, %m: f32):
      %c = arith.extf %b : bf16 to f32
      %d = arith.subf %c, %m : f32
      %e = arith.mulf %d, %d fastmath<contract> : f32
      fastnorm.yield %e : f32
    }
    %squares = fastnorm.reduce add hidden (%square [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %z = fastnorm.map(%a [row, hidden], %mean [row], %squares [row]) -> [row, hidden]
        : (tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16, %m: f32, %q: f32):
      %c = arith.extf %b : bf16 to f32
      %d = arith.subf %c, %m : f32
      %e = arith.divf %d, %q : f32
      fastnorm.yield %e : f32
    }
    fastnorm.yield %z : tensor<?x1024xf32>
  }
  return %y : tensor<?x1024xf32>
}

// 8 warps: lanes share their slots, and three steps of shuffles suffice.
// CHECK-LABEL: gpu.func @many_warps(
// CHECK-COUNT-10: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK-NOT: vector.load
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-COUNT-1: math.fma
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @many_warps(%x: tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
  %y = fastnorm.kernel "many_warps" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta,
      threads_per_row = 256, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %sum = fastnorm.reduce add hidden (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %mean = fastnorm.map(%sum [row]) -> [row] : (tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%b: f32):
      %n = arith.constant 1024.0 : f32
      %c = arith.divf %b, %n : f32
      fastnorm.yield %c : f32
    }
    %square = fastnorm.map(%a [row, hidden], %mean [row]) -> [row, hidden] : (tensor<?x1024xbf16>, tensor<?xf32>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16, %m: f32):
      %c = arith.extf %b : bf16 to f32
      %d = arith.subf %c, %m : f32
      %e = arith.mulf %d, %d fastmath<contract> : f32
      fastnorm.yield %e : f32
    }
    %squares = fastnorm.reduce add hidden (%square [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %z = fastnorm.map(%a [row, hidden], %mean [row], %squares [row]) -> [row, hidden]
        : (tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16, %m: f32, %q: f32):
      %c = arith.extf %b : bf16 to f32
      %d = arith.subf %c, %m : f32
      %e = arith.divf %d, %q : f32
      fastnorm.yield %e : f32
    }
    fastnorm.yield %z : tensor<?x1024xf32>
  }
  return %y : tensor<?x1024xf32>
}

// 1000 elements are not those of 4 x 256: warps count theirs and tell how many, some may have none. What rounding left of
// a warp's mean is moved along.
// CHECK-LABEL: gpu.func @unequal_warps(
// CHECK-SAME: workgroup(%{{.+}} : memref<12xf32, 3>
// CHECK-DAG: %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[COUNT:.+]] = arith.sitofp %{{.+}} : i32 to f32
// CHECK: %[[SOME:.+]] = arith.maximumf %[[COUNT]], %[[ONE]] : f32
// CHECK: arith.divf %{{.+}}, %[[SOME]] : f32
// CHECK: memref.store %[[COUNT]]
// CHECK: gpu.barrier
// CHECK: arith.negf
// CHECK-COUNT-3: math.fma
// CHECK: gpu.return
func.func @unequal_warps(%x: tensor<?x1000xbf16>) -> tensor<?x1000xf32> {
  %y = fastnorm.kernel "unequal_warps" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta,
      threads_per_row = 128, vector_width = 4, vectors_per_thread = 2, vectors_in_flight = 2>}
     : (tensor<?x1000xbf16>) -> tensor<?x1000xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1000xbf16>) -> tensor<?x1000xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %sum = fastnorm.reduce add hidden (%wide [row, hidden]) : tensor<?x1000xf32> -> tensor<?xf32>
    %mean = fastnorm.map(%sum [row]) -> [row] : (tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%b: f32):
      %n = arith.constant 1000.0 : f32
      %c = arith.divf %b, %n : f32
      fastnorm.yield %c : f32
    }
    %square = fastnorm.map(%a [row, hidden], %mean [row]) -> [row, hidden] : (tensor<?x1000xbf16>, tensor<?xf32>) -> tensor<?x1000xf32> {
    ^bb0(%b: bf16, %m: f32):
      %c = arith.extf %b : bf16 to f32
      %d = arith.subf %c, %m : f32
      %e = arith.mulf %d, %d fastmath<contract> : f32
      fastnorm.yield %e : f32
    }
    %squares = fastnorm.reduce add hidden (%square [row, hidden]) : tensor<?x1000xf32> -> tensor<?xf32>
    %z = fastnorm.map(%a [row, hidden], %mean [row], %squares [row]) -> [row, hidden]
        : (tensor<?x1000xbf16>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x1000xf32> {
    ^bb0(%b: bf16, %m: f32, %q: f32):
      %c = arith.extf %b : bf16 to f32
      %d = arith.subf %c, %m : f32
      %e = arith.divf %d, %q : f32
      fastnorm.yield %e : f32
    }
    fastnorm.yield %z : tensor<?x1000xf32>
  }
  return %y : tensor<?x1000xf32>
}

// Distances that are stored must be those from the mean of the row: the threads meet for it, and again for the squares.
// CHECK-LABEL: gpu.func @stored_distances(
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @stored_distances(%x: tensor<?x1024xbf16>) -> (tensor<?x1024xf32>, tensor<?x1024xf32>) {
  %y:2 = fastnorm.kernel "stored_distances" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta,
      threads_per_row = 128, vector_width = 4, vectors_per_thread = 2, vectors_in_flight = 2>}
     : (tensor<?x1024xbf16>) -> (tensor<?x1024xf32>, tensor<?x1024xf32>) {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %sum = fastnorm.reduce add hidden (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %mean = fastnorm.map(%sum [row]) -> [row] : (tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%b: f32):
      %n = arith.constant 1024.0 : f32
      %c = arith.divf %b, %n : f32
      fastnorm.yield %c : f32
    }
    %distance = fastnorm.map(%a [row, hidden], %mean [row]) -> [row, hidden] : (tensor<?x1024xbf16>, tensor<?xf32>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16, %m: f32):
      %c = arith.extf %b : bf16 to f32
      %d = arith.subf %c, %m : f32
      fastnorm.yield %d : f32
    }
    %square = fastnorm.map(%a [row, hidden], %mean [row]) -> [row, hidden] : (tensor<?x1024xbf16>, tensor<?xf32>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16, %m: f32):
      %c = arith.extf %b : bf16 to f32
      %d = arith.subf %c, %m : f32
      %e = arith.mulf %d, %d fastmath<contract> : f32
      fastnorm.yield %e : f32
    }
    %squares = fastnorm.reduce add hidden (%square [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %z = fastnorm.map(%a [row, hidden], %mean [row], %squares [row]) -> [row, hidden]
        : (tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16, %m: f32, %q: f32):
      %c = arith.extf %b : bf16 to f32
      %d = arith.subf %c, %m : f32
      %e = arith.divf %d, %q : f32
      fastnorm.yield %e : f32
    }
    fastnorm.yield %z, %distance : tensor<?x1024xf32>, tensor<?x1024xf32>
  }
  return %y#0, %y#1 : tensor<?x1024xf32>, tensor<?x1024xf32>
}
