// RUN: fastnorm-opt %s --verify-diagnostics --fastnorm-serialize-to-ptx

// expected-error@+1 {{expects a module with 'fastnorm.target'; run fastnorm-attach-target first}}
module {}
