//===- ConformancePtx.h - Kernels of the conformance suite ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_CONFORMANCEPTX_H
#define FASTNORM_TEST_UNIT_CONFORMANCEPTX_H

namespace fastnorm::test {

/// - copy(from, to, count): to[i] = from[i] for f32, one element a thread.
/// - scale_reversed(from, to, scale): to[i] = scale * from[n - 1 - i] within each CTA of up to 256 threads, through
///   static shared memory and a barrier.
/// - dynamic_reversed(from, to, offset): the same for one CTA without scale, through dynamic shared memory from offset
/// on.
/// - store_arguments(to, a, b): to[0] = a and to[1] = b, an f32 and a u64, by the first thread.
/// - store_grid(to): to[cta] = cta + 1000 * gridDim by the first thread of each CTA.
/// - increment(to): to[0] += 1 by the first thread of the first CTA.
inline constexpr const char *kConformancePtx = R"ptx(
.version 7.0
.target sm_80
.address_size 64

.extern .shared .align 16 .b8 dynamic[];

.visible .entry copy(
  .param .u64 copy_from,
  .param .u64 copy_to,
  .param .u32 copy_count
)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<8>;

  ld.param.u64 %rd1, [copy_from];
  ld.param.u64 %rd2, [copy_to];
  ld.param.u32 %r1, [copy_count];
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
  ld.global.f32 %f1, [%rd6];
  st.global.f32 [%rd7], %f1;
done:
  ret;
}

.visible .entry scale_reversed(
  .param .u64 scale_from,
  .param .u64 scale_to,
  .param .f32 scale_factor
)
.maxntid 256, 1, 1
{
  .shared .align 4 .b8 tile[1024];
  .reg .b32 %r<10>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<8>;

  ld.param.u64 %rd1, [scale_from];
  ld.param.u64 %rd2, [scale_to];
  ld.param.f32 %f1, [scale_factor];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.u32 %rd5, %r4, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f2, [%rd6];
  mov.u32 %r5, tile;
  shl.b32 %r6, %r3, 2;
  add.s32 %r7, %r5, %r6;
  st.shared.f32 [%r7], %f2;
  bar.sync 0;
  shl.b32 %r8, %r2, 2;
  sub.s32 %r8, %r8, %r6;
  add.s32 %r9, %r5, %r8;
  ld.shared.f32 %f3, [%r9+-4];
  mul.rn.f32 %f4, %f3, %f1;
  st.global.f32 [%rd7], %f4;
  ret;
}

.visible .entry dynamic_reversed(
  .param .u64 dynamic_from,
  .param .u64 dynamic_to,
  .param .u32 dynamic_offset
)
{
  .reg .b32 %r<11>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<8>;

  ld.param.u64 %rd1, [dynamic_from];
  ld.param.u64 %rd2, [dynamic_to];
  ld.param.u32 %r10, [dynamic_offset];
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.u32 %rd5, %r3, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f1, [%rd6];
  mov.u32 %r5, dynamic;
  add.s32 %r5, %r5, %r10;
  shl.b32 %r6, %r3, 2;
  add.s32 %r7, %r5, %r6;
  st.shared.f32 [%r7], %f1;
  bar.sync 0;
  shl.b32 %r8, %r2, 2;
  sub.s32 %r8, %r8, %r6;
  add.s32 %r9, %r5, %r8;
  ld.shared.f32 %f2, [%r9+-4];
  st.global.f32 [%rd7], %f2;
  ret;
}

.visible .entry store_arguments(
  .param .u64 store_to,
  .param .f32 store_a,
  .param .u64 store_b
)
{
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<4>;

  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra done;
  ld.param.u64 %rd1, [store_to];
  ld.param.f32 %f1, [store_a];
  ld.param.u64 %rd2, [store_b];
  cvta.to.global.u64 %rd3, %rd1;
  st.global.f32 [%rd3], %f1;
  st.global.u64 [%rd3+8], %rd2;
done:
  ret;
}

.visible .entry store_grid(
  .param .u64 grid_to
)
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<5>;

  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra done;
  ld.param.u64 %rd1, [grid_to];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %nctaid.x;
  mad.lo.s32 %r4, %r3, 1000, %r2;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r4;
done:
  ret;
}

.visible .entry increment(
  .param .u64 increment_to
)
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<3>;

  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  or.b32 %r3, %r1, %r2;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra done;
  ld.param.u64 %rd1, [increment_to];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.u32 %r4, [%rd2];
  add.s32 %r4, %r4, 1;
  st.global.u32 [%rd2], %r4;
done:
  ret;
}
)ptx";

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_CONFORMANCEPTX_H
