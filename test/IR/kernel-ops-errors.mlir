// What each op of the kernel algebra refuses, by the label of the constraint in its documentation.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics

// map C1, an axes attribute an operand.
func.func @map_axes_missing(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.map' op expects axes for each of its 1 operands, but got 0}}
  %y = "fastnorm.map"(%x) <{operand_axes = [], result_axes = #fastnorm.axes<row, hidden>}> ({
  ^bb0(%a: f32):
    fastnorm.yield %a : f32
  }) : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

// map C1, rank of an operand.
func.func @map_operand_rank(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.map' op expects operand 0 of rank 1 for axes [row], but got 'tensor<?x64xf32>'}}
  %y = fastnorm.map(%x [row]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: f32):
    fastnorm.yield %a : f32
  }
  return
}

// -----

// map C1, rank of the result.
func.func @map_result_rank(%x: tensor<?xf32>) {
  // expected-error@+1 {{'fastnorm.map' op expects a result of rank 2 for axes [row, hidden], but got 'tensor<?xf32>'}}
  %y = fastnorm.map(%x [row]) -> [row, hidden] : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: f32):
    fastnorm.yield %a : f32
  }
  return
}

// -----

// map C2.
func.func @map_axes_not_in_result(%x: tensor<64xf32>) {
  // expected-error@+1 {{'fastnorm.map' op expects the axes of operand 0, [hidden], to be among the result's, [row]}}
  %y = fastnorm.map(%x [hidden]) -> [row] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    fastnorm.yield %a : f32
  }
  return
}

// -----

// map C3.
func.func @map_dimensions_differ(%x: tensor<?x32xf32>) {
  // expected-error@+1 {{'fastnorm.map' op expects hidden of operand 0 to be 64 as in the result, but got 32}}
  %y = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x32xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: f32):
    fastnorm.yield %a : f32
  }
  return
}

// -----

// map C4, one argument an operand.
func.func @map_argument_missing(%x: tensor<?x64xf32>, %z: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.map' op expects one body argument for each of its 2 operands, but got 1}}
  %y = fastnorm.map(%x [row, hidden], %z [row, hidden]) -> [row, hidden]
     : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: f32):
    fastnorm.yield %a : f32
  }
  return
}

// -----

// map C4, of its element type.
func.func @map_argument_type(%x: tensor<?x64xbf16>) {
  // expected-error@+1 {{'fastnorm.map' op expects body argument 0 of type 'bf16', but got 'f32'}}
  %y = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x64xbf16>) -> tensor<?x64xf32> {
  ^bb0(%a: f32):
    fastnorm.yield %a : f32
  }
  return
}

// -----

// map C4, what it yields.
func.func @map_yield_type(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.map' op expects its body to yield one 'bf16'}}
  %y = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xbf16> {
  ^bb0(%a: f32):
    fastnorm.yield %a : f32
  }
  return
}

// -----

// map C5, an op that is not listed.
func.func @map_with_sine(%x: tensor<?x64xf32>) {
  %y = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: f32):
    // expected-error@+1 {{'math.sin' op is not a scalar function that a fastnorm.map may use; see the list in its documentation}}
    %s = math.sin %a : f32
    fastnorm.yield %s : f32
  }
  return
}

// -----

// map C5, a value from outside.
func.func @map_captures(%x: tensor<?x64xf32>) {
  %outside = arith.constant 2.0 : f32
  %y = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: f32):
    // expected-error@+1 {{'arith.mulf' op uses a value from outside the body of its fastnorm.map; pass it as an operand}}
    %s = arith.mulf %a, %outside : f32
    fastnorm.yield %s : f32
  }
  return
}

// -----

// map C5, a type in which no map computes.
func.func @map_computes_in_f64(%x: tensor<?x64xf32>) {
  %y = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: f32):
    // expected-error@+1 {{'arith.extf' op converts 'f32' to 'f64', but a fastnorm.map converts between f32 and bf16, f16, f8E4M3FN, i8 or i32}}
    %wide = arith.extf %a : f32 to f64
    %s = arith.truncf %wide : f64 to f32
    fastnorm.yield %s : f32
  }
  return
}

// -----

// reduce C1.
func.func @reduce_axis_not_there(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.reduce' op expects axes of the input's rank that include slot, but got [row, hidden] for 'tensor<?x64xf32>'}}
  %y = fastnorm.reduce add slot (%x [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
  return
}

// -----

func.func @reduce_only_axis(%x: tensor<64xf32>) {
  // expected-error@+1 {{'fastnorm.reduce' op expects an input with another axis beside hidden}}
  %y = fastnorm.reduce add hidden (%x [hidden]) : tensor<64xf32> -> tensor<64xf32>
  return
}

// -----

// reduce C2, shape.
func.func @reduce_keeps_dimension(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.reduce' op expects f32 and a result of type 'tensor<?xf32>', but got 'tensor<?x64xf32>' and 'tensor<?x64xf32>'}}
  %y = fastnorm.reduce add hidden (%x [row, hidden]) : tensor<?x64xf32> -> tensor<?x64xf32>
  return
}

// -----

// reduce C2, f32.
func.func @reduce_bf16(%x: tensor<?x64xbf16>) {
  // expected-error@+1 {{'fastnorm.reduce' op expects f32 and a result of type 'tensor<?xf32>', but got 'tensor<?x64xbf16>' and 'tensor<?xf32>'}}
  %y = fastnorm.reduce add hidden (%x [row, hidden]) : tensor<?x64xbf16> -> tensor<?xf32>
  return
}

// -----

// reduce C3.
func.func @reduce_groups(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.reduce' op expects to reduce row, slot or hidden, but got group}}
  %y = fastnorm.reduce add group (%x [row, group]) : tensor<?x64xf32> -> tensor<?xf32>
  return
}

// -----

// reduce C1: a sum over all rows of one element each would be one number, which no tensor of the dialect is.
func.func @reduce_row_scalars(%x: tensor<?xf32>) {
  // expected-error@+1 {{'fastnorm.reduce' op expects an input with another axis beside row}}
  %y = fastnorm.reduce add row (%x [row]) : tensor<?xf32> -> tensor<1xf32>
  return
}

// -----

// reduce C2: all dimensions that are rows are reduced.
func.func @reduce_some_rows(%x: tensor<?x8x64xf32>) {
  // expected-error@+1 {{'fastnorm.reduce' op expects f32 and a result of type 'tensor<64xf32>', but got 'tensor<?x8x64xf32>' and 'tensor<8x64xf32>'}}
  %y = fastnorm.reduce add row (%x [row, row, hidden]) : tensor<?x8x64xf32> -> tensor<8x64xf32>
  return
}

// -----

// kernel C4: columns that no row was reduced to.
func.func @columns_of_no_rows(%w: tensor<64xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op expects results with axes [row], [row, slot], [row, hidden] or [row, group], or [hidden] of what is reduced over rows, but yields one with [hidden]}}
  %y = fastnorm.kernel "k" (%a = %w) : (tensor<64xf32>) -> tensor<64xf32> {
    %b = fastnorm.map(%a [hidden]) -> [hidden] : (tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%v: f32):
      fastnorm.yield %v : f32
    }
    fastnorm.yield %b : tensor<64xf32>
  }
  return
}

// -----

// kernel C6.
func.func @rows_from_columns(%x: tensor<?x64xf32>) {
  %y = fastnorm.kernel "k" (%a = %x) : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    %s = fastnorm.reduce add row (%a [row, hidden]) : tensor<?x64xf32> -> tensor<64xf32>
    // expected-error@+1 {{'fastnorm.map' op computes rows from a reduction over all rows of its kernel; compute the reduction in a kernel of its own}}
    %b = fastnorm.map(%a [row, hidden], %s [hidden]) -> [row, hidden] : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> {
    ^bb0(%v: f32, %t: f32):
      fastnorm.yield %t : f32
    }
    fastnorm.yield %b : tensor<?x64xf32>
  }
  return
}

// -----

// gather C1.
func.func @gather_result_type(%table: tensor<?x64xbf16>, %index: tensor<?x8xi64>) {
  // expected-error@+1 {{'fastnorm.gather' op expects a result of type 'tensor<?x8x64xbf16>', but got 'tensor<?x8x64xf32>'}}
  %rows, %present = fastnorm.gather %table[%index]
     : tensor<?x64xbf16>, tensor<?x8xi64> -> tensor<?x8x64xf32>, tensor<?x8xi1>
  return
}

// -----

// gather C2.
func.func @gather_present_type(%table: tensor<?x64xbf16>, %index: tensor<?x8xi64>) {
  // expected-error@+1 {{'fastnorm.gather' op expects present of type 'tensor<?x8xi1>', but got 'tensor<?x4xi1>'}}
  %rows, %present = fastnorm.gather %table[%index]
     : tensor<?x64xbf16>, tensor<?x8xi64> -> tensor<?x8x64xbf16>, tensor<?x4xi1>
  return
}

// -----

// gather C3.
func.func @gather_index_of_floats(%table: tensor<?x64xbf16>, %index: tensor<?x8xf32>) {
  // expected-error@+1 {{'fastnorm.gather' op expects a table of rank 2 and an i32 or i64 index of rank 1 to 4, but got 'tensor<?x64xbf16>' and 'tensor<?x8xf32>'}}
  %rows, %present = fastnorm.gather %table[%index]
     : tensor<?x64xbf16>, tensor<?x8xf32> -> tensor<?x8x64xbf16>, tensor<?x8xi1>
  return
}

// -----

// kernel C1, arguments.
func.func @kernel_argument_type(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op expects body arguments of the types of its inputs}}
  %y = "fastnorm.kernel"(%x) <{name = "k"}> ({
  ^bb0(%a: tensor<4x64xf32>):
    %sum = fastnorm.reduce add hidden (%a [row, hidden]) : tensor<4x64xf32> -> tensor<4xf32>
    fastnorm.yield %sum : tensor<4xf32>
  }) : (tensor<?x64xf32>) -> tensor<4xf32>
  return
}

// -----

// kernel C1, results.
func.func @kernel_yields_another_type(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op expects its body to yield values of the types of its results}}
  %y = fastnorm.kernel "k" (%a = %x) : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    %sum = fastnorm.reduce add hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    fastnorm.yield %sum : tensor<?xf32>
  }
  return
}

// -----

func.func @kernel_types_do_not_match_inputs(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{expects a type for each of the 1 inputs, but got 2}}
  %y = fastnorm.kernel "k" (%a = %x) : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?xf32> {
    %sum = fastnorm.reduce add hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    fastnorm.yield %sum : tensor<?xf32>
  }
  return
}

// -----

// kernel C2.
func.func @kernel_holds_a_graph_op(%x: tensor<?x64xf32>) {
  %y = fastnorm.kernel "k" (%a = %x) : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    %b = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    ^bb0(%c: f32):
      fastnorm.yield %c : f32
    }
    // expected-error@+1 {{'fastnorm.residual_add' op cannot stand in a fastnorm.kernel, which holds fastnorm.map, reduce, gather and scatter}}
    %s = fastnorm.residual_add %b, %b : tensor<?x64xf32>
    fastnorm.yield %s : tensor<?x64xf32>
  }
  return
}

// -----

// kernel C3, one set of axes a value.
func.func @kernel_value_with_two_axes(%x: tensor<64xf32>, %z: tensor<64x64xf32>) {
  %y = fastnorm.kernel "k" (%a = %x, %b = %z) : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
    // expected-error@+1 {{'fastnorm.map' op expects a value with axes [row], but another place in its kernel gives it [hidden]}}
    %c = fastnorm.map(%b [row, hidden], %a [row]) -> [row, hidden] : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32> {
    ^bb0(%d: f32, %e: f32):
      fastnorm.yield %d : f32
    }
    %f = fastnorm.map(%c [row, hidden], %a [hidden]) -> [row, hidden] : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32> {
    ^bb0(%d: f32, %e: f32):
      fastnorm.yield %d : f32
    }
    fastnorm.yield %f : tensor<64x64xf32>
  }
  return
}

// -----

// kernel C3, a table is only a table.
func.func @kernel_reads_a_table(%x: tensor<?x64xf32>, %index: tensor<?x8xi64>) {
  %y = fastnorm.kernel "k" (%a = %x, %i = %index) : (tensor<?x64xf32>, tensor<?x8xi64>) -> tensor<?x64xf32> {
    %rows, %present = fastnorm.gather %a[%i] : tensor<?x64xf32>, tensor<?x8xi64> -> tensor<?x8x64xf32>, tensor<?x8xi1>
    %sum = fastnorm.reduce add slot (%rows [row, slot, hidden]) : tensor<?x8x64xf32> -> tensor<?x64xf32>
    // expected-error@+1 {{'fastnorm.map' op reads rows directly from a value that another op gathers from}}
    %s = fastnorm.map(%sum [row, hidden], %a [row, hidden]) -> [row, hidden]
       : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32> {
    ^bb0(%b: f32, %c: f32):
      %d = arith.addf %b, %c : f32
      fastnorm.yield %d : f32
    }
    fastnorm.yield %s : tensor<?x64xf32>
  }
  return
}

// -----

// kernel C3, a table comes from outside.
func.func @kernel_gathers_its_own_value(%x: tensor<?x64xf32>, %index: tensor<?x8xi64>) {
  %y = fastnorm.kernel "k" (%a = %x, %i = %index) : (tensor<?x64xf32>, tensor<?x8xi64>) -> tensor<?x64xf32> {
    %b = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    ^bb0(%c: f32):
      fastnorm.yield %c : f32
    }
    // expected-error@+1 {{'fastnorm.gather' op gathers from a value computed in the same kernel}}
    %rows, %present = fastnorm.gather %b[%i] : tensor<?x64xf32>, tensor<?x8xi64> -> tensor<?x8x64xf32>, tensor<?x8xi1>
    %sum = fastnorm.reduce add slot (%rows [row, slot, hidden]) : tensor<?x8x64xf32> -> tensor<?x64xf32>
    fastnorm.yield %sum : tensor<?x64xf32>
  }
  return
}

// -----

func.func @kernel_input_not_read(%x: tensor<?x64xf32>, %z: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op has an input that nothing in its body reads}}
  %y = fastnorm.kernel "k" (%a = %x, %b = %z) : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?xf32> {
    %sum = fastnorm.reduce add hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    fastnorm.yield %sum : tensor<?xf32>
  }
  return
}

// -----

// kernel C4, results are computed.
func.func @kernel_yields_an_input(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op yields one of its inputs; return that value directly, or copy it with a fastnorm.map}}
  %y:2 = fastnorm.kernel "k" (%a = %x) : (tensor<?x64xf32>) -> (tensor<?xf32>, tensor<?x64xf32>) {
    %sum = fastnorm.reduce add hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    fastnorm.yield %sum, %a : tensor<?xf32>, tensor<?x64xf32>
  }
  return
}

// -----

// kernel C4, axes of results.
func.func @kernel_yields_slots(%x: tensor<?x64xf32>, %index: tensor<?x8xi64>) {
  // expected-error@+1 {{'fastnorm.kernel' op expects results with axes [row], [row, slot], [row, hidden] or [row, group], or [hidden] of what is reduced over rows, but yields one with [row, slot, hidden]}}
  %y = fastnorm.kernel "k" (%a = %x, %i = %index) : (tensor<?x64xf32>, tensor<?x8xi64>) -> tensor<?x8x64xf32> {
    %rows, %present = fastnorm.gather %a[%i] : tensor<?x64xf32>, tensor<?x8xi64> -> tensor<?x8x64xf32>, tensor<?x8xi1>
    fastnorm.yield %rows : tensor<?x8x64xf32>
  }
  return
}

// -----

// kernel C5, hidden.
func.func @kernel_two_hidden_sizes(%x: tensor<?x64xf32>, %z: tensor<?x32xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op expects one size of hidden in its body, but got 64 and 32}}
  %y:2 = fastnorm.kernel "k" (%a = %x, %b = %z) : (tensor<?x64xf32>, tensor<?x32xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %s = fastnorm.reduce add hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    %t = fastnorm.reduce add hidden (%b [row, hidden]) : tensor<?x32xf32> -> tensor<?xf32>
    fastnorm.yield %s, %t : tensor<?xf32>, tensor<?xf32>
  }
  return
}

// -----

// kernel C5, top_k.
func.func @kernel_two_slot_sizes(%x: tensor<?x64xf32>, %i8: tensor<?x8xi64>, %i4: tensor<?x4xi64>) {
  // expected-error@+1 {{'fastnorm.kernel' op expects one size of slot in its body, but got 8 and 4}}
  %y:2 = fastnorm.kernel "k" (%a = %x, %i = %i8, %j = %i4)
     : (tensor<?x64xf32>, tensor<?x8xi64>, tensor<?x4xi64>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
    %rows, %present = fastnorm.gather %a[%i] : tensor<?x64xf32>, tensor<?x8xi64> -> tensor<?x8x64xf32>, tensor<?x8xi1>
    %s = fastnorm.reduce add slot (%rows [row, slot, hidden]) : tensor<?x8x64xf32> -> tensor<?x64xf32>
    %four, %there = fastnorm.gather %a[%j] : tensor<?x64xf32>, tensor<?x4xi64> -> tensor<?x4x64xf32>, tensor<?x4xi1>
    %t = fastnorm.reduce add slot (%four [row, slot, hidden]) : tensor<?x4x64xf32> -> tensor<?x64xf32>
    fastnorm.yield %s, %t : tensor<?x64xf32>, tensor<?x64xf32>
  }
  return
}

// -----

// kernel C5, static.
func.func @kernel_dynamic_hidden(%x: tensor<?x?xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op expects hidden to be static and at least 1, but got 'tensor<?x?xf32>'}}
  %y = fastnorm.kernel "k" (%a = %x) : (tensor<?x?xf32>) -> tensor<?xf32> {
    %sum = fastnorm.reduce add hidden (%a [row, hidden]) : tensor<?x?xf32> -> tensor<?xf32>
    fastnorm.yield %sum : tensor<?xf32>
  }
  return
}

// -----

func.func @yield_outside(%x: f32) {
  // expected-error@+1 {{'fastnorm.yield' op expects parent op to be one of 'fastnorm.map, fastnorm.kernel'}}
  fastnorm.yield %x : f32
}

// -----

// map C5: arithmetic in a type that is only stored.
func.func @arithmetic_in_storage(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %y = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  ^bb0(%a: bf16):
    // expected-error@+1 {{'arith.addf' op computes 'bf16' in a fastnorm.map, which computes in f32 and i1}}
    %b = arith.addf %a, %a : bf16
    fastnorm.yield %b : bf16
  }
  return %y : tensor<?x8xbf16>
}

// -----

// map C5: a conversion that does not pass through f32.
func.func @conversion_past_f32(%x: tensor<?x8xi64>) -> tensor<?x8xf32> {
  %y = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x8xi64>) -> tensor<?x8xf32> {
  ^bb0(%a: i64):
    // expected-error@+1 {{'arith.sitofp' op converts 'i64' to 'f32', but a fastnorm.map converts between f32 and bf16, f16, f8E4M3FN, i8 or i32}}
    %b = arith.sitofp %a : i64 to f32
    fastnorm.yield %b : f32
  }
  return %y : tensor<?x8xf32>
}

// -----

// reduce C4.
func.func @group_does_not_divide(%x: tensor<?x64xf32>) -> tensor<?x4xf32> {
  // expected-error@+1 {{'fastnorm.reduce' op expects group to divide hidden, but got 24 along hidden of 'tensor<?x64xf32>'}}
  %m = fastnorm.reduce max hidden (%x [row, hidden]) {group = 24 : i64} : tensor<?x64xf32> -> tensor<?x4xf32>
  return %m : tensor<?x4xf32>
}

// -----

// reduce C2, the number of groups.
func.func @wrong_number_of_groups(%x: tensor<?x64xf32>) -> tensor<?x2xf32> {
  // expected-error@+1 {{'fastnorm.reduce' op expects f32 and a result of type 'tensor<?x4xf32>', but got 'tensor<?x64xf32>' and 'tensor<?x2xf32>'}}
  %m = fastnorm.reduce max hidden (%x [row, hidden]) {group = 16 : i64} : tensor<?x64xf32> -> tensor<?x2xf32>
  return %m : tensor<?x2xf32>
}

// -----

// kernel C5: one number of groups.
func.func @two_sizes_of_groups(%x: tensor<?x64xf32>) -> tensor<?x4xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op expects one size of group in its body, but got 4 and 2}}
  %y = fastnorm.kernel "k" (%a = %x) : (tensor<?x64xf32>) -> tensor<?x4xf32> {
    %m = fastnorm.reduce max hidden (%a [row, hidden]) {group = 16 : i64} : tensor<?x64xf32> -> tensor<?x4xf32>
    %n = fastnorm.reduce max hidden (%a [row, hidden]) {group = 32 : i64} : tensor<?x64xf32> -> tensor<?x2xf32>
    fastnorm.yield %m : tensor<?x4xf32>
  }
  return %y : tensor<?x4xf32>
}
