// Every decision is a remark, taken or not, with the reason.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-pipeline="until=fuse fuse=always"

func.func @fused(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %s = fastnorm.residual_add %r, %x : tensor<?x64xf32>
  // expected-remark@+1 {{fuse: residual_add into rms_norm}}
  %y = fastnorm.rms_norm %s {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

func.func @own_schedule(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>) -> tensor<?xf32> {
  %s = fastnorm.residual_add %r, %x : tensor<?x64xf32>
  // expected-remark@+1 {{missed fuse: residual_add into mine, one of them has a schedule of its own}}
  %m = fastnorm.kernel "mine" (%a = %s) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32,
      vector_width = 1, vectors_per_thread = 2>} : (tensor<?x64xf32>) -> tensor<?xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    fastnorm.yield %max : tensor<?xf32>
  }
  return %m : tensor<?xf32>
}

// -----

func.func @gathered_rows(%x: tensor<?x64xf32>, %i: tensor<?x2xi64>, %g: tensor<?x2xf32>) -> tensor<?x64xf32> {
  %n = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  // expected-remark@+1 {{missed fuse: rms_norm into combine, the rows of one are gathered by the other}}
  %h = fastnorm.combine %n[%i] gate(%g) : tensor<?x64xf32>, tensor<?x2xi64>, tensor<?x2xf32> -> tensor<?x64xf32>
  return %h : tensor<?x64xf32>
}

// -----

// A statistic of 64 rows as the weight of 64 columns of 8 other rows.
func.func @different_rows(%x: tensor<64x32xf32>, %z: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y, %rstd = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<64x32xf32> -> tensor<64x32xf32>, tensor<64xf32>
  // expected-remark@+1 {{missed fuse: rms_norm into rms_norm, they work on different rows}}
  %w = fastnorm.rms_norm %z weight(%rstd) {eps = 1.0e-6 : f32} : tensor<8x64xf32>, tensor<64xf32> -> tensor<8x64xf32>
  return %w : tensor<8x64xf32>
}

// -----

// As many rows as columns: still no row of the reader has what it needs.
func.func @other_axis(%x: tensor<64x64xf32>, %z: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y, %rstd = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<64x64xf32> -> tensor<64x64xf32>, tensor<64xf32>
  // expected-remark@+1 {{missed fuse: rms_norm into rms_norm, one reads the other's result along another axis}}
  %w = fastnorm.rms_norm %z weight(%rstd) {eps = 1.0e-6 : f32} : tensor<64x64xf32>, tensor<64xf32> -> tensor<64x64xf32>
  return %w : tensor<64x64xf32>
}

// -----

// The sum needs the norm, and the norm by way of a kernel that stays apart.
func.func @kernel_between(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %n = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  // expected-remark@+1 {{missed fuse: rms_norm into mine, one of them has a schedule of its own}}
  %m = fastnorm.kernel "mine" (%a = %n) {schedule = #fastnorm.schedule<kind = per_element, scope = cta,
      threads_per_row = 64, vector_width = 1, vectors_per_thread = 1>} : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    %b = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    ^bb0(%c: f32):
      %d = arith.negf %c : f32
      fastnorm.yield %d : f32
    }
    fastnorm.yield %b : tensor<?x64xf32>
  }
  // expected-remark@+2 {{missed fuse: rms_norm into residual_add, another kernel stands between them}}
  // expected-remark@+1 {{missed fuse: mine into residual_add, one of them has a schedule of its own}}
  %s = fastnorm.residual_add %n, %m : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}
