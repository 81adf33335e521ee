//===- ClusterPtx.h - Kernels that need clusters ----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_CLUSTERPTX_H
#define FASTNORM_TEST_UNIT_CLUSTERPTX_H

namespace fastnorm::test {

/// For CTAs of one warp, all but the last two:
/// - rotate(to): to[32 * cta + lane] = 1000 * c + lane, where c is the next CTA of the cluster: through shared memory
/// of
///   that CTA, between two cluster barriers.
/// - sum_ranks(to): to[cta] = the sum of %ctaid over the cluster, sent by st.async to an mbarrier in each CTA.
/// - early(to, count): to[i] = i + 1 for i < count, after allowing what follows to start.
/// - late(from, to, count): to[i] = from[i] * 2, after waiting for what precedes.
inline constexpr const char *kClusterPtx = R"ptx(
.version 8.1
.target sm_90
.address_size 64

.visible .entry rotate(
  .param .u64 rotate_to
)
{
  .shared .align 16 .b8 slots[128];
  .reg .b32 %r<12>;
  .reg .b64 %rd<5>;

  ld.param.u64 %rd1, [rotate_to];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %cluster_ctarank;
  mov.u32 %r4, %cluster_nctarank;
  mov.u32 %r5, slots;
  shl.b32 %r6, %r1, 2;
  add.s32 %r5, %r5, %r6;
  mad.lo.s32 %r7, %r2, 1000, %r1;
  st.shared.u32 [%r5], %r7;
  add.s32 %r8, %r3, 1;
  rem.u32 %r8, %r8, %r4;
  mapa.shared::cluster.u32 %r9, %r5, %r8;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ld.shared::cluster.u32 %r10, [%r9];
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mad.lo.s32 %r11, %r2, 32, %r1;
  mul.wide.u32 %rd3, %r11, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r10;
  ret;
}

.visible .entry sum_ranks(
  .param .u64 sum_to
)
{
  .shared .align 16 .b8 received[64];
  .shared .align 8 .b8 full[8];
  .reg .pred %p<4>;
  .reg .b32 %r<18>;
  .reg .b64 %rd<5>;

  ld.param.u64 %rd1, [sum_to];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %cluster_ctarank;
  mov.u32 %r4, %cluster_nctarank;
  mov.u32 %r5, received;
  mov.u32 %r6, full;
  shl.b32 %r7, %r4, 2;
  setp.eq.u32 %p1, %r1, 0;
  @!%p1 bra ready;
  mbarrier.init.shared::cta.b64 [%r6], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], %r7;
  fence.mbarrier_init.release.cluster;
ready:
  bar.warp.sync -1;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  setp.ge.u32 %p2, %r1, %r4;
  @%p2 bra sent;
  shl.b32 %r8, %r3, 2;
  add.s32 %r9, %r5, %r8;
  mapa.shared::cluster.u32 %r10, %r9, %r1;
  mapa.shared::cluster.u32 %r11, %r6, %r1;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r10], %r2, [%r11];
sent:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r6], 0;
  @!%p3 bra sent;
  @!%p1 bra done;
  mov.u32 %r12, 0;
  mov.u32 %r13, 0;
sum:
  shl.b32 %r14, %r13, 2;
  add.s32 %r15, %r5, %r14;
  ld.shared.u32 %r16, [%r15];
  add.s32 %r12, %r12, %r16;
  add.s32 %r13, %r13, 1;
  setp.lt.u32 %p2, %r13, %r4;
  @%p2 bra sum;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r12;
done:
  bar.warp.sync -1;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ret;
}

.visible .entry early(
  .param .u64 early_to,
  .param .u32 early_count
)
{
  .reg .pred %p<2>;
  .reg .b32 %r<7>;
  .reg .b64 %rd<5>;

  griddepcontrol.launch_dependents;
  ld.param.u64 %rd1, [early_to];
  ld.param.u32 %r1, [early_count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra done;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  add.s32 %r6, %r5, 1;
  st.global.u32 [%rd4], %r6;
done:
  ret;
}

.visible .entry late(
  .param .u64 late_from,
  .param .u64 late_to,
  .param .u32 late_count
)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;

  ld.param.u64 %rd1, [late_from];
  ld.param.u64 %rd2, [late_to];
  ld.param.u32 %r1, [late_count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra done;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  griddepcontrol.wait;
  ld.global.u32 %r6, [%rd6];
  shl.b32 %r7, %r6, 1;
  st.global.u32 [%rd7], %r7;
done:
  ret;
}
)ptx";

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_CLUSTERPTX_H
