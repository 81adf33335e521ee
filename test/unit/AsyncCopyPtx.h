//===- AsyncCopyPtx.h - Kernels that use cp.async ---------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_ASYNCCOPYPTX_H
#define FASTNORM_TEST_UNIT_ASYNCCOPYPTX_H

namespace fastnorm::test {

/// k(from, to), for one CTA of 64 threads and 6 rows of 64 words: to[row][i] = from[row][i] + from[row][(i + 1) % 64].
/// Two stages; each thread copies its own word, one row ahead, in one group a row.
inline constexpr const char *kCpAsyncPtx = R"ptx(
.version 7.8
.target sm_80
.address_size 64

.visible .entry k(
  .param .u64 k_from,
  .param .u64 k_to
)
{
  .shared .align 128 .b8 stages[512];
  .reg .pred %p<8>;
  .reg .b32 %r<64>;
  .reg .b64 %rd<12>;

  ld.param.u64 %rd1, [k_from];
  ld.param.u64 %rd2, [k_to];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r1, stages;
  mov.u32 %r10, %tid.x;
  shl.b32 %r4, %r10, 2;
  add.s32 %r5, %r10, 1;
  and.b32 %r5, %r5, 63;
  shl.b32 %r5, %r5, 2;
  mul.wide.u32 %rd3, %r10, 4;
  add.s64 %rd5, %rd1, %rd3;
  add.s64 %rd6, %rd2, %rd3;
  add.s32 %r6, %r1, %r4;
  cp.async.ca.shared.global [%r6], [%rd5], 4;
  cp.async.commit_group;
  mov.u32 %r20, 0;
LOOP:
  add.s64 %rd5, %rd5, 256;
  add.s32 %r21, %r20, 1;
  setp.lt.u32 %p1, %r21, 6;
  and.b32 %r22, %r21, 1;
  shl.b32 %r22, %r22, 8;
  add.s32 %r23, %r6, %r22;
  @%p1 cp.async.ca.shared.global [%r23], [%rd5], 4;
  cp.async.commit_group;
  cp.async.wait_group 1;
  bar.sync 0; // all copies of the row
  xor.b32 %r24, %r22, 256;
  add.s32 %r25, %r1, %r24;
  add.s32 %r26, %r25, %r4;
  add.s32 %r27, %r25, %r5;
  ld.shared.b32 %r30, [%r26];
  ld.shared.b32 %r31, [%r27];
  add.s32 %r32, %r30, %r31;
  st.global.b32 [%rd6], %r32;
  add.s64 %rd6, %rd6, 256;
  bar.sync 0; // all reads of the row
  mov.u32 %r20, %r21;
  @%p1 bra LOOP;
  ret;
}
)ptx";

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_ASYNCCOPYPTX_H
