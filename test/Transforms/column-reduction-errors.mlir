// Reductions over rows that no schedule places.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-pipeline="target=a100 until=schedule"

// Each CTA has rows of one head, or of all.
func.func @some_of_heads(%x: tensor<?x3x64xf32>) -> (tensor<3x64xf32>, tensor<64xf32>) {
  %y:2 = fastnorm.kernel "sums" (%a = %x) : (tensor<?x3x64xf32>) -> (tensor<3x64xf32>, tensor<64xf32>) {
    %0 = fastnorm.reduce add row (%a [row, head, hidden]) : tensor<?x3x64xf32> -> tensor<3x64xf32>
    // expected-error@+1 {{'fastnorm.reduce' op keeps 1 heads of its sums over rows apart, where another reduction of the kernel keeps 3}}
    %1 = fastnorm.reduce add row (%a [row, row, hidden]) : tensor<?x3x64xf32> -> tensor<64xf32>
    fastnorm.yield %0, %1 : tensor<3x64xf32>, tensor<64xf32>
  }
  return %y#0, %y#1 : tensor<3x64xf32>, tensor<64xf32>
}

// -----

// Sums are found by their number.
func.func @apart(%x: tensor<?x3x64xf32>) -> tensor<3x64xf32, #fastnorm.strides<[72, 1]>> {
  // expected-error@+1 {{'fastnorm.kernel' op expects what it adds to sums over rows, and their results, to have heads side by side, 64 elements apart}}
  %y = fastnorm.kernel "sums" (%a = %x) : (tensor<?x3x64xf32>) -> tensor<3x64xf32, #fastnorm.strides<[72, 1]>> {
    %0 = fastnorm.reduce add row (%a [row, head, hidden]) : tensor<?x3x64xf32> -> tensor<3x64xf32, #fastnorm.strides<[72, 1]>>
    fastnorm.yield %0 : tensor<3x64xf32, #fastnorm.strides<[72, 1]>>
  }
  return %y : tensor<3x64xf32, #fastnorm.strides<[72, 1]>>
}

// -----

// 8 columns of a thread, the fewest, take 8 registers for each of 26 sums, and 48 are for other things: 256.
func.func @many(%x: tensor<?x4096xbf16>) -> (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op takes 26 sums over rows, but no CTA, cluster or grid of target a100 has the registers for them; expected fewer in a kernel}}
  %y:26 = fastnorm.kernel "many" (%a = %x) : (tensor<?x4096xbf16>) -> (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) {
    %f = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x4096xbf16>) -> tensor<?x4096xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s0 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s1 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s2 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s3 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s4 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s5 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s6 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s7 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s8 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s9 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s10 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s11 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s12 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s13 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s14 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s15 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s16 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s17 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s18 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s19 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s20 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s21 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s22 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s23 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s24 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %s25 = fastnorm.reduce add row (%f [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    fastnorm.yield %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8, %s9, %s10, %s11, %s12, %s13, %s14, %s15, %s16, %s17, %s18, %s19, %s20, %s21, %s22, %s23, %s24, %s25 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>
  }
  return %y#0, %y#1, %y#2, %y#3, %y#4, %y#5, %y#6, %y#7, %y#8, %y#9, %y#10, %y#11, %y#12, %y#13, %y#14, %y#15, %y#16, %y#17, %y#18, %y#19, %y#20, %y#21, %y#22, %y#23, %y#24, %y#25 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>
}
