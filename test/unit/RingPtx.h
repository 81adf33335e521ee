//===- RingPtx.h - Kernels with a ring of bulk copies -----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_RINGPTX_H
#define FASTNORM_TEST_UNIT_RINGPTX_H

namespace fastnorm::test {

/// k(from, to), for CTAs of 64 threads: each takes 6 rows of 64 words, CTA c of n the rows c, c + n, … Two stages in
/// shared memory are filled by bulk copies, issued by thread 0. to[row][i] = from[row][i] + from[row][(i + 1) % 64],
/// which goes through one of two more buffers and a bulk copy.
inline constexpr const char *kRingPtx = R"ptx(
.version 8.1
.target sm_90
.address_size 64

.visible .entry k(
  .param .u64 k_from,
  .param .u64 k_to
)
{
  .shared .align 128 .b8 stages[512];
  .shared .align 128 .b8 results[512];
  .shared .align 8 .b8 full[16];
  .reg .pred %p<8>;
  .reg .b32 %r<64>;
  .reg .b64 %rd<12>;

  ld.param.u64 %rd1, [k_from];
  ld.param.u64 %rd2, [k_to];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r1, stages;
  mov.u32 %r2, results;
  mov.u32 %r3, full;
  mov.u32 %r10, %tid.x;
  mov.u32 %r11, %ctaid.x;
  mov.u32 %r12, %nctaid.x;
  setp.eq.u32 %p1, %r10, 0;
  shl.b32 %r4, %r10, 2;
  add.s32 %r5, %r10, 1;
  and.b32 %r5, %r5, 63;
  shl.b32 %r5, %r5, 2;
  mul.wide.u32 %rd3, %r11, 256;
  mul.wide.u32 %rd4, %r12, 256;
  add.s64 %rd5, %rd1, %rd3;
  add.s64 %rd6, %rd2, %rd3;
  @!%p1 bra READY;
  mbarrier.init.shared::cta.b64 [%r3], 1;
  mbarrier.init.shared::cta.b64 [%r3+8], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 256; // first
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd5], 256, [%r3];
  add.s64 %rd5, %rd5, %rd4;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+8], 256; // second
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+256], [%rd5], 256, [%r3+8];
READY:
  bar.sync 0;
  mov.u32 %r20, 0;
LOOP:
  and.b32 %r21, %r20, 1;
  shr.u32 %r22, %r20, 1;
  and.b32 %r22, %r22, 1;
  shl.b32 %r23, %r21, 3;
  add.s32 %r23, %r3, %r23; // wait
  shl.b32 %r24, %r21, 8;
  add.s32 %r25, %r1, %r24;
  add.s32 %r26, %r2, %r24;
  xor.b32 %r35, %r24, 256;
  add.s32 %r36, %r1, %r35;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r23], %r22;
  @!%p2 bra WAIT;
  add.s32 %r27, %r25, %r4;
  ld.shared.b32 %r30, [%r27];
  add.s32 %r28, %r25, %r5;
  ld.shared.b32 %r31, [%r28];
  add.s32 %r32, %r30, %r31;
  @%p1 cp.async.bulk.wait_group.read 1;
  bar.sync 1, 64;
  add.s32 %r29, %r26, %r4;
  st.shared.b32 [%r29], %r32;
  fence.proxy.async.shared::cta;
  bar.sync 2, 64;
  @!%p1 bra NEXT;
  cp.async.bulk.global.shared::cta.bulk_group [%rd6], [%r26], 256;
  cp.async.bulk.commit_group;
  add.s64 %rd6, %rd6, %rd4;
  setp.lt.u32 %p3, %r20, 4;
  @!%p3 bra NEXT;
  add.s64 %rd5, %rd5, %rd4;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r23], 256; // refill
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r25], [%rd5], 256, [%r23]; // refill
NEXT:
  add.s32 %r20, %r20, 1;
  setp.lt.u32 %p3, %r20, 6;
  @%p3 bra LOOP;
  @%p1 cp.async.bulk.wait_group.read 0;
  ret;
}
)ptx";

/// k(from, to), for one CTA of 64 threads: to[i] = from[i] for 6 rows of 64 words, through two stages that thread 0
/// refills when all threads have met at a barrier.
inline constexpr const char *kReadRingPtx = R"ptx(
.version 8.1
.target sm_90
.address_size 64

.visible .entry k(
  .param .u64 k_from,
  .param .u64 k_to
)
{
  .shared .align 128 .b8 stages[512];
  .shared .align 8 .b8 full[16];
  .reg .pred %p<8>;
  .reg .b32 %r<64>;
  .reg .b64 %rd<12>;

  ld.param.u64 %rd1, [k_from];
  ld.param.u64 %rd2, [k_to];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r1, stages;
  mov.u32 %r3, full;
  mov.u32 %r10, %tid.x;
  setp.eq.u32 %p1, %r10, 0;
  shl.b32 %r4, %r10, 2;
  mul.wide.u32 %rd3, %r10, 4;
  add.s64 %rd6, %rd2, %rd3;
  @!%p1 bra READY;
  mbarrier.init.shared::cta.b64 [%r3], 1;
  mbarrier.init.shared::cta.b64 [%r3+8], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 256, [%r3];
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+8], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+256], [%rd1+256], 256, [%r3+8];
  add.s64 %rd1, %rd1, 512;
READY:
  bar.sync 0;
  mov.u32 %r20, 0;
LOOP:
  and.b32 %r21, %r20, 1;
  shr.u32 %r22, %r20, 1;
  and.b32 %r22, %r22, 1;
  shl.b32 %r23, %r21, 3;
  add.s32 %r23, %r3, %r23;
  shl.b32 %r24, %r21, 8;
  add.s32 %r25, %r1, %r24;
  add.s32 %r27, %r25, %r4;
WAIT:
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r23], %r22, 1000;
  @!%p2 bra WAIT;
  ld.shared.b32 %r30, [%r27];
  st.global.b32 [%rd6], %r30;
  add.s64 %rd6, %rd6, 256;
  bar.sync 1, 64;
  setp.lt.u32 %p3, %r20, 4;
  and.pred %p3, %p3, %p1;
  @!%p3 bra NEXT;
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r23], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r25], [%rd1], 256, [%r23];
  add.s64 %rd1, %rd1, 256;
NEXT:
  add.s32 %r20, %r20, 1;
  setp.lt.u32 %p3, %r20, 6;
  @%p3 bra LOOP;
  ret;
}
)ptx";

/// The same where threads arrive at an mbarrier when they have read, and thread 0 waits at that before it refills.
inline constexpr const char *kEmptyRingPtx = R"ptx(
.version 8.1
.target sm_90
.address_size 64

.visible .entry k(
  .param .u64 k_from,
  .param .u64 k_to
)
{
  .shared .align 128 .b8 stages[512];
  .shared .align 8 .b8 full[16];
  .shared .align 8 .b8 empty[16];
  .reg .pred %p<8>;
  .reg .b32 %r<64>;
  .reg .b64 %rd<12>;

  ld.param.u64 %rd1, [k_from];
  ld.param.u64 %rd2, [k_to];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r1, stages;
  mov.u32 %r3, full;
  mov.u32 %r6, empty;
  mov.u32 %r10, %tid.x;
  setp.eq.u32 %p1, %r10, 0;
  shl.b32 %r4, %r10, 2;
  mul.wide.u32 %rd3, %r10, 4;
  add.s64 %rd6, %rd2, %rd3;
  @!%p1 bra READY;
  mbarrier.init.shared::cta.b64 [%r3], 1;
  mbarrier.init.shared::cta.b64 [%r3+8], 1;
  mbarrier.init.shared::cta.b64 [%r6], 64;
  mbarrier.init.shared::cta.b64 [%r6+8], 64;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 256, [%r3];
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+8], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+256], [%rd1+256], 256, [%r3+8];
  add.s64 %rd1, %rd1, 512;
READY:
  bar.sync 0;
  mov.u32 %r20, 0;
LOOP:
  and.b32 %r21, %r20, 1;
  shr.u32 %r22, %r20, 1;
  and.b32 %r22, %r22, 1;
  shl.b32 %r23, %r21, 3;
  add.s32 %r26, %r6, %r23;
  add.s32 %r23, %r3, %r23;
  shl.b32 %r24, %r21, 8;
  add.s32 %r25, %r1, %r24;
  add.s32 %r27, %r25, %r4;
WAIT:
  mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r23], %r22;
  @!%p2 bra WAIT;
  ld.shared.b32 %r30, [%r27];
  mbarrier.arrive.release.cta.shared::cta.b64 _, [%r26];
  st.global.b32 [%rd6], %r30;
  add.s64 %rd6, %rd6, 256;
  setp.lt.u32 %p3, %r20, 4;
  and.pred %p3, %p3, %p1;
  @!%p3 bra NEXT;
EMPTY:
  mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r26], %r22;
  @!%p4 bra EMPTY;
  mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r23], 256;
  mbarrier.arrive.shared::cta.b64 _, [%r23];
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r25], [%rd1], 256, [%r23];
  add.s64 %rd1, %rd1, 256;
NEXT:
  add.s32 %r20, %r20, 1;
  setp.lt.u32 %p3, %r20, 6;
  @%p3 bra LOOP;
  ret;
}
)ptx";

/// k(from, to), for clusters of 2 CTAs of 64 threads and 4 rows of 128 words, of which CTA r of the cluster has the
/// words from 64 r on: to[row][i] = from[row][i] + the row's sum. Warps send their sums to both CTAs; who has got all
/// four of a row knows that its stage was read.
inline constexpr const char *kClusterRingPtx = R"ptx(
.version 8.1
.target sm_90
.address_size 64

.visible .entry k(
  .param .u64 k_from,
  .param .u64 k_to
)
{
  .shared .align 128 .b8 stages[512];
  .shared .align 16 .b8 sums[32];
  .shared .align 8 .b8 full[16];
  .shared .align 8 .b8 summed[16];
  .reg .pred %p<8>;
  .reg .b32 %r<64>;
  .reg .b64 %rd<12>;

  ld.param.u64 %rd1, [k_from];
  ld.param.u64 %rd2, [k_to];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r1, stages;
  mov.u32 %r2, sums;
  mov.u32 %r3, full;
  mov.u32 %r6, summed;
  mov.u32 %r10, %tid.x;
  mov.u32 %r11, %cluster_ctarank;
  setp.eq.u32 %p1, %r10, 0;
  and.b32 %r12, %r10, 31;
  setp.lt.u32 %p2, %r12, 2;
  shl.b32 %r4, %r10, 2;
  mul.wide.u32 %rd3, %r11, 256;
  mul.wide.u32 %rd4, %r10, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd6, %rd2, %rd3;
  add.s64 %rd6, %rd6, %rd4;
  // Where this warp's sum goes: slot 2 * rank + warp, in the CTA that the lane names.
  shr.u32 %r13, %r10, 5;
  shl.b32 %r14, %r11, 1;
  add.s32 %r14, %r14, %r13;
  shl.b32 %r14, %r14, 2;
  add.s32 %r14, %r2, %r14;
  and.b32 %r15, %r12, 1;
  mapa.shared::cluster.u32 %r16, %r14, %r15;
  mapa.shared::cluster.u32 %r17, %r6, %r15;
  @!%p1 bra READY;
  mbarrier.init.shared::cta.b64 [%r3], 1;
  mbarrier.init.shared::cta.b64 [%r3+8], 1;
  mbarrier.init.shared::cta.b64 [%r6], 1;
  mbarrier.init.shared::cta.b64 [%r6+8], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 16;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6+8], 16;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 256, [%r3];
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+8], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+256], [%rd1+512], 256, [%r3+8];
  add.s64 %rd1, %rd1, 1024;
READY:
  bar.warp.sync -1;
  barrier.cluster.arrive.aligned; // start
  barrier.cluster.wait.aligned; // start
  mov.u32 %r20, 0;
LOOP:
  and.b32 %r21, %r20, 1;
  shr.u32 %r22, %r20, 1;
  shl.b32 %r23, %r21, 3;
  add.s32 %r24, %r3, %r23;
  add.s32 %r25, %r6, %r23;
  shl.b32 %r26, %r21, 8;
  add.s32 %r26, %r1, %r26;
  add.s32 %r27, %r26, %r4;
  shl.b32 %r28, %r21, 4; // which sums
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r24], %r22;
  @!%p3 bra WAIT;
  ld.shared.b32 %r30, [%r27];
  redux.sync.add.s32 %r31, %r30, -1;
  add.s32 %r32, %r16, %r28;
  add.s32 %r33, %r17, %r23;
  @%p2 st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r32], %r31, [%r33];
SUMS:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r25], %r22;
  @!%p4 bra SUMS;
  add.s32 %r34, %r2, %r28;
  ld.shared.v4.b32 {%r35, %r36, %r37, %r38}, [%r34];
  add.s32 %r35, %r35, %r36;
  add.s32 %r37, %r37, %r38;
  add.s32 %r35, %r35, %r37;
  add.s32 %r35, %r35, %r30;
  st.global.b32 [%rd6], %r35;
  add.s64 %rd6, %rd6, 512;
  setp.lt.u32 %p5, %r20, 2;
  and.pred %p5, %p5, %p1;
  @!%p5 bra NEXT;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r25], 16; // again
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r24], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r26], [%rd1], 256, [%r24];
  add.s64 %rd1, %rd1, 512;
NEXT:
  bar.warp.sync -1;
  add.s32 %r20, %r20, 1;
  setp.lt.u32 %p5, %r20, 4;
  @%p5 bra LOOP;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ret;
}
)ptx";

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_RINGPTX_H
