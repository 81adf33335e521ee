// The choice is a remark that names the kernel, its size and its phases.
// RUN: fastnorm-opt %s --verify-diagnostics --fastnorm-pipeline=until=schedule

func.func @two_phases(%x: tensor<?x1024xbf16>) -> tensor<?x1024xbf16> {
  // expected-remark@+1 {{schedule: rms_norm (hidden 1024, 2 phases) #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128,}}
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x1024xbf16> -> tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
}

func.func @one_phase(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark@+1 {{schedule: residual_add (hidden 64, 1 phase) #fastnorm.schedule<kind = per_element,}}
  %s = fastnorm.residual_add %r, %x : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}

// A schedule in the text wins, without a word.
func.func @schedule_in_the_text(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %m = fastnorm.kernel "mine" (%a = %x) {schedule = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 32,
      vector_width = 1, vectors_per_thread = 1>} : (tensor<?x64xf32>) -> tensor<?xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    fastnorm.yield %max : tensor<?xf32>
  }
  return %m : tensor<?xf32>
}
