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

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_RINGPTX_H
