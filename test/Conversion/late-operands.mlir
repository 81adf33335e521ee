// [hidden] operands that are loaded late, and what waits for them in fewer bits.
// RUN: fastnorm-opt %s --fastnorm-attach-target --fastnorm-name-bindings --convert-fastnorm-to-gpu | FileCheck %s

// A vector of the weight takes 4 registers. Two are loaded before the threads meet, which hides their latency; the 4 registers of
// x that vector 0 leaves make room for the other two.
// CHECK-LABEL: gpu.func @late_weight(
// CHECK-COUNT-4: ld.global.cs.v4.b32
// CHECK-NOT: ld.global
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4+0];"
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4+4096];"
// CHECK-NOT: ld.global
// CHECK: gpu.shuffle xor
// CHECK: gpu.barrier
// x is widened in another form than before the barrier, else ptxas would keep the f32 it has, in twice the registers.
// CHECK: llvm.nvvm.prmt
// CHECK: st.global.cs.v4.b32 [$0+0]
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4+8192];"
// CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4+12288];"
// CHECK: st.global.cs.v4.b32 [$0+4096]
// CHECK-NOT: ld.global
// CHECK: gpu.return
func.func @late_weight(%x: tensor<?x8192xbf16>, %weight: tensor<8192xbf16>) -> tensor<?x8192xbf16> {
  %y = fastnorm.kernel "late_weight" (%a = %x, %w = %weight) {schedule = #fastnorm.schedule<kind = per_row, scope = cta,
      threads_per_row = 256, vector_width = 8, vectors_per_thread = 4, vectors_in_flight = 4, invariants = late>}
     : (tensor<?x8192xbf16>, tensor<8192xbf16>) -> tensor<?x8192xbf16> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x8192xbf16>) -> tensor<?x8192xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %sum = fastnorm.reduce add hidden (%wide [row, hidden]) : tensor<?x8192xf32> -> tensor<?xf32>
    %z = fastnorm.map(%a [row, hidden], %sum [row], %w [hidden]) -> [row, hidden]
        : (tensor<?x8192xbf16>, tensor<?xf32>, tensor<8192xbf16>) -> tensor<?x8192xbf16> {
    ^bb0(%b: bf16, %s: f32, %v: bf16):
      %c = arith.extf %b : bf16 to f32
      %d = arith.extf %v : bf16 to f32
      %e = arith.mulf %c, %s : f32
      %f = arith.mulf %e, %d : f32
      %g = arith.truncf %f : f32 to bf16
      fastnorm.yield %g : bf16
    }
    fastnorm.yield %z : tensor<?x8192xbf16>
  }
  return %y : tensor<?x8192xbf16>
}

// What the first phase needs is loaded with its rows, late or not, and not again.
// CHECK-LABEL: gpu.func @needed_first(
// CHECK-COUNT-2: ld.global.cs.v4.b32
// CHECK-COUNT-2: "ld.global.v4.b32
// CHECK: arith.mulf
// CHECK: gpu.barrier
// CHECK-NOT: ld.global
// CHECK: gpu.return
func.func @needed_first(%x: tensor<?x4096xbf16>, %weight: tensor<4096xbf16>) -> tensor<?x4096xbf16> {
  %y = fastnorm.kernel "needed_first" (%a = %x, %w = %weight) {schedule = #fastnorm.schedule<kind = per_row, scope = cta,
      threads_per_row = 256, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, invariants = late>}
     : (tensor<?x4096xbf16>, tensor<4096xbf16>) -> tensor<?x4096xbf16> {
    %wide = fastnorm.map(%a [row, hidden], %w [hidden]) -> [row, hidden]
        : (tensor<?x4096xbf16>, tensor<4096xbf16>) -> tensor<?x4096xf32> {
    ^bb0(%b: bf16, %v: bf16):
      %c = arith.extf %b : bf16 to f32
      %d = arith.extf %v : bf16 to f32
      %e = arith.mulf %c, %d : f32
      fastnorm.yield %e : f32
    }
    %sum = fastnorm.reduce add hidden (%wide [row, hidden]) : tensor<?x4096xf32> -> tensor<?xf32>
    %z = fastnorm.map(%a [row, hidden], %sum [row]) -> [row, hidden]
        : (tensor<?x4096xbf16>, tensor<?xf32>) -> tensor<?x4096xbf16> {
    ^bb0(%b: bf16, %s: f32):
      %c = arith.extf %b : bf16 to f32
      %e = arith.mulf %c, %s : f32
      %g = arith.truncf %e : f32 to bf16
      fastnorm.yield %g : bf16
    }
    fastnorm.yield %z : tensor<?x4096xbf16>
  }
  return %y : tensor<?x4096xbf16>
}
