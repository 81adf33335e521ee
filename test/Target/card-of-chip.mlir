// A chip stands for its first card; a card of the same chip with another name has numbers of its own.
// RUN: fastnorm-opt %s --fastnorm-attach-target=target=sm_90 | FileCheck %s --check-prefix=CHIP
// RUN: fastnorm-opt %s --fastnorm-attach-target=target=h100 | FileCheck %s --check-prefix=H100

// CHIP: #fastnorm.target<name = "h200", chip = "sm_90", ptx = 78, {{.*}} bandwidth = 4800, l2_bytes = 62914560, cluster_ctas = 16, timing = <{{.*}}measured = true>>
// H100: #fastnorm.target<name = "h100", chip = "sm_90", ptx = 78, {{.*}} bandwidth = 3350, l2_bytes = 52428800, cluster_ctas = 16>
module {}
