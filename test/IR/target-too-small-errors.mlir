// A target whose multiprocessors hold no whole CTA would leave nothing to schedule.
// RUN: fastnorm-opt %s --verify-diagnostics

// expected-error@+1 {{expects a multiprocessor of target 'tiny' to hold a CTA of 1024 threads, but got 512 threads}}
module attributes {fastnorm.target = #fastnorm.target<name = "tiny", chip = "sm_90", ptx = 78, multiprocessors = 1, registers = 65536, shared_bytes = 65536, threads = 512, ctas = 1, bandwidth = 1, l2_bytes = 1>} {}
