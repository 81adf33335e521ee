// RUN: fastnorm-opt %s --split-input-file --fastnorm-attach-target=target=a100 | FileCheck %s
// RUN: fastnorm-opt %s --split-input-file --fastnorm-attach-target | FileCheck %s --check-prefix=DEFAULT

// CHECK: module attributes {fastnorm.target = #fastnorm.target<name = "a100", chip = "sm_80"
// DEFAULT: module attributes {fastnorm.target = #fastnorm.target<name = "h200", chip = "sm_90"
module {}

// -----

// A module that says what it is for keeps it.
// CHECK: module attributes {fastnorm.target = #fastnorm.target<name = "mine", chip = "sm_120"
// DEFAULT: module attributes {fastnorm.target = #fastnorm.target<name = "mine", chip = "sm_120"
module attributes {fastnorm.target = #fastnorm.target<name = "mine", chip = "sm_120", ptx = 87, multiprocessors = 1,
    registers = 65536, shared_bytes = 101376, threads = 1536, ctas = 24, bandwidth = 1792, l2_bytes = 100663296>} {}
