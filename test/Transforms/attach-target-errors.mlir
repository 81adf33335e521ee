// The error for an unknown target lists the known ones.
// RUN: fastnorm-opt %s --fastnorm-attach-target=target=h900 --verify-diagnostics

// expected-error@+1 {{expected a known target or chip, but got 'h900'; known are a100 (sm_80), a10 (sm_86), l40s (sm_89), h200 (sm_90), h100 (sm_90), b200 (sm_100), rtx5090 (sm_120)}}
module {}
