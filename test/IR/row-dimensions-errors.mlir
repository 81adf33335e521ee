// Row dimensions that do not go together, each in one sentence.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics

func.func @inner_rows_dynamic(%x: tensor<?x?x64xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects only the first dimension to be dynamic, but got 'tensor<?x?x64xf32>'}}
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x?x64xf32> -> tensor<?x?x64xf32>
  return
}

// -----

func.func @other_heads(%x: tensor<?x40x64xf32>, %w: tensor<8x64xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects weight with heads to have the innermost row dimension of the input, ?x40x64, which must be static, but got 8x64}}
  %y = fastnorm.rms_norm %x weight(%w) {eps = 1.0e-6 : f32} : tensor<?x40x64xf32>, tensor<8x64xf32> -> tensor<?x40x64xf32>
  return
}

// -----

func.func @heads_of_dynamic_rows(%x: tensor<?x64xf32>, %w: tensor<8x64xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects weight with heads to have the innermost row dimension of the input, ?x64, which must be static, but got 8x64}}
  %y = fastnorm.rms_norm %x weight(%w) {eps = 1.0e-6 : f32} : tensor<?x64xf32>, tensor<8x64xf32> -> tensor<?x64xf32>
  return
}

// -----

func.func @statistic_of_first_rows(%x: tensor<?x40x64xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects rstd to have the rows of the input, ?x40x64, but got ?}}
  %y, %r = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x40x64xf32> -> tensor<?x40x64xf32>, tensor<?xf32>
  return
}

// -----

func.func @row_of_rows(%x: tensor<?x40x64xf32>, %r: tensor<?xf32>) {
  // expected-error@+1 {{'fastnorm.map' op expects the axes of operand 1, [row], to be among the result's, [row, row, hidden]}}
  %y = fastnorm.map(%x [row, row, hidden], %r [row]) -> [row, row, hidden]
     : (tensor<?x40x64xf32>, tensor<?xf32>) -> tensor<?x40x64xf32> {
  ^bb0(%a: f32, %b: f32):
    fastnorm.yield %a : f32
  }
  return
}

// -----

func.func @head_of_rows(%x: tensor<?x40x64xf32>, %r: tensor<40xf32>) {
  // expected-error@+1 {{'fastnorm.map' op expects the axes of operand 1, [head], to be among the result's, [row, row, hidden]}}
  %y = fastnorm.map(%x [row, row, hidden], %r [head]) -> [row, row, hidden]
     : (tensor<?x40x64xf32>, tensor<40xf32>) -> tensor<?x40x64xf32> {
  ^bb0(%a: f32, %b: f32):
    fastnorm.yield %a : f32
  }
  return
}

// -----

func.func @reduce_head(%x: tensor<?x40x64xf32>) {
  // expected-error@+1 {{'fastnorm.reduce' op expects to reduce row, slot or hidden, but got head}}
  %y = fastnorm.reduce add head (%x [row, head, hidden]) : tensor<?x40x64xf32> -> tensor<?x64xf32>
  return
}

// -----

func.func @results_of_other_rows(%x: tensor<?x40x64xf32>, %t: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op expects results with the same row dimensions, but yields 'tensor<?x40x64xf32>' and 'tensor<?x64xf32>'}}
  %y:2 = fastnorm.kernel "k" (%a = %x, %b = %t) : (tensor<?x40x64xf32>, tensor<?x64xf32>) -> (tensor<?x40x64xf32>, tensor<?x64xf32>) {
    %0 = fastnorm.map(%a [row, head, hidden], %b [row, hidden]) -> [row, head, hidden]
       : (tensor<?x40x64xf32>, tensor<?x64xf32>) -> tensor<?x40x64xf32> {
    ^bb0(%c: f32, %d: f32):
      fastnorm.yield %c : f32
    }
    %1 = fastnorm.map(%b [row, hidden]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    ^bb0(%c: f32):
      fastnorm.yield %c : f32
    }
    fastnorm.yield %0, %1 : tensor<?x40x64xf32>, tensor<?x64xf32>
  }
  return
}
