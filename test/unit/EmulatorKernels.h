//===- EmulatorKernels.h - PTX of a whole kernel, for tests -----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rms_norm forward as the NVPTX back end writes it.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_EMULATORKERNELS_H
#define FASTNORM_TEST_UNIT_EMULATORKERNELS_H

/// y = bf16(x * rstd * weight), rstd = rsqrt(mean(x^2) + 1e-5); bf16, hidden 1024, a row per CTA of 128 threads.
/// Arguments: x, weight, y, rstd.
inline constexpr char rmsForward1024[] = R"(
.version 7.8
.target sm_90
.address_size 64

	// .globl	rms_forward_1024        // -- Begin function rms_forward_1024
// __wg_rms_forward_1024_0 has been demoted
                                        // @rms_forward_1024
.visible .entry rms_forward_1024(
	.param .u64 .ptr .global .align 16 rms_forward_1024_param_0,
	.param .u64 .ptr .global .align 16 rms_forward_1024_param_1,
	.param .u64 .ptr .global .align 16 rms_forward_1024_param_2,
	.param .u64 .ptr .global .align 1 rms_forward_1024_param_3
)
.maxntid 128, 1, 1
.minnctapersm 1
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<85>;
	.reg .b64 	%rd<17>;
	// demoted variable
	.shared .align 16 .b8 __wg_rms_forward_1024_0[16];
// %bb.0:
	ld.param.b64 	%rd7, [rms_forward_1024_param_0];
	ld.param.b64 	%rd8, [rms_forward_1024_param_1];
	mov.u32 	%r9, %ctaid.x;
	mov.u32 	%r1, %tid.x;
	cvt.u64.u32 	%rd9, %r1;
	mul.wide.u32 	%rd10, %r9, 2048;
	mul.wide.u32 	%rd11, %r1, 16;
	or.b64 	%rd2, %rd10, %rd11;
	add.s64 	%rd6, %rd2, %rd7;
	// begin inline asm
	ld.global.cs.v4.b32 {%r45, %r46, %r47, %r48}, [%rd6];
	// end inline asm
	add.s64 	%rd12, %rd8, %rd11;
	ld.global.nc.v4.b32 	{%r2, %r3, %r4, %r5}, [%rd12];
	shl.b32 	%r10, %r48, 16;
	shl.b32 	%r11, %r47, 16;
	shl.b32 	%r12, %r46, 16;
	shl.b32 	%r13, %r45, 16;
	and.b32 	%r14, %r48, -65536;
	and.b32 	%r15, %r47, -65536;
	and.b32 	%r16, %r46, -65536;
	and.b32 	%r17, %r45, -65536;
	fma.rn.f32 	%r18, %r13, %r13, 0f00000000;
	fma.rn.f32 	%r19, %r17, %r17, %r18;
	fma.rn.f32 	%r20, %r12, %r12, %r19;
	fma.rn.f32 	%r21, %r16, %r16, %r20;
	fma.rn.f32 	%r22, %r11, %r11, %r21;
	fma.rn.f32 	%r23, %r15, %r15, %r22;
	fma.rn.f32 	%r24, %r10, %r10, %r23;
	fma.rn.f32 	%r25, %r14, %r14, %r24;
	shfl.sync.bfly.b32 	%r26, %r25, 16, 31, -1;
	add.rn.f32 	%r27, %r26, %r25;
	shfl.sync.bfly.b32 	%r28, %r27, 8, 31, -1;
	add.rn.f32 	%r29, %r28, %r27;
	shfl.sync.bfly.b32 	%r30, %r29, 4, 31, -1;
	add.rn.f32 	%r31, %r30, %r29;
	shfl.sync.bfly.b32 	%r32, %r31, 2, 31, -1;
	add.rn.f32 	%r33, %r32, %r31;
	shfl.sync.bfly.b32 	%r34, %r33, 1, 31, -1;
	and.b64 	%rd13, %rd9, 31;
	setp.ne.b64 	%p1, %rd13, 0;
	@%p1 bra 	$L__BB0_2;
// %bb.1:
	shr.u64 	%rd14, %rd9, 3;
	cvt.u32.u64 	%r35, %rd14;
	mov.b32 	%r36, __wg_rms_forward_1024_0;
	add.s32 	%r6, %r36, %r35;
	add.rn.f32 	%r7, %r34, %r33;
	st.shared.b32 	[%r6], %r7;
$L__BB0_2:
	ld.param.b64 	%rd4, [rms_forward_1024_param_2];
	bar.sync 	0;
	ld.shared.v4.b32 	{%r37, %r38, %r39, %r40}, [__wg_rms_forward_1024_0];
	add.rn.f32 	%r41, %r37, %r38;
	add.rn.f32 	%r42, %r39, %r40;
	add.rn.f32 	%r43, %r41, %r42;
	fma.rn.f32 	%r44, %r43, 0f3A800000, 0f3727C5AC;
	rsqrt.approx.f32 	%r8, %r44;
	setp.ne.b32 	%p2, %r1, 0;
	@%p2 bra 	$L__BB0_4;
// %bb.3:
	ld.param.b64 	%rd5, [rms_forward_1024_param_3];
	cvt.u64.u32 	%rd1, %r9;
	shl.b64 	%rd15, %rd1, 2;
	add.s64 	%rd3, %rd5, %rd15;
	st.global.b32 	[%rd3], %r8;
$L__BB0_4:
	add.s64 	%rd16, %rd2, %rd4;
	// begin inline asm
	// end inline asm
	shl.b32 	%r53, %r48, 16;
	shl.b32 	%r54, %r47, 16;
	shl.b32 	%r55, %r46, 16;
	shl.b32 	%r56, %r45, 16;
	and.b32 	%r57, %r48, -65536;
	and.b32 	%r58, %r47, -65536;
	and.b32 	%r59, %r46, -65536;
	and.b32 	%r60, %r45, -65536;
	shl.b32 	%r61, %r2, 16;
	shl.b32 	%r62, %r3, 16;
	shl.b32 	%r63, %r4, 16;
	shl.b32 	%r64, %r5, 16;
	and.b32 	%r65, %r2, -65536;
	and.b32 	%r66, %r3, -65536;
	and.b32 	%r67, %r4, -65536;
	and.b32 	%r68, %r5, -65536;
	mul.rn.f32 	%r69, %r8, %r60;
	mul.rn.f32 	%r70, %r8, %r56;
	mul.rn.f32 	%r71, %r8, %r59;
	mul.rn.f32 	%r72, %r8, %r55;
	mul.rn.f32 	%r73, %r8, %r58;
	mul.rn.f32 	%r74, %r8, %r54;
	mul.rn.f32 	%r75, %r8, %r57;
	mul.rn.f32 	%r76, %r8, %r53;
	mul.rn.f32 	%r77, %r76, %r64;
	mul.rn.f32 	%r78, %r75, %r68;
	mul.rn.f32 	%r79, %r74, %r63;
	mul.rn.f32 	%r80, %r73, %r67;
	mul.rn.f32 	%r81, %r72, %r62;
	mul.rn.f32 	%r82, %r71, %r66;
	mul.rn.f32 	%r83, %r70, %r61;
	mul.rn.f32 	%r84, %r69, %r65;
	cvt.rn.bf16x2.f32 	%r49, %r84, %r83;
	cvt.rn.bf16x2.f32 	%r50, %r82, %r81;
	cvt.rn.bf16x2.f32 	%r51, %r80, %r79;
	cvt.rn.bf16x2.f32 	%r52, %r78, %r77;
	// begin inline asm
	st.global.cs.v4.b32 [%rd16], {%r49, %r50, %r51, %r52};
	// end inline asm
	ret;
                                        // -- End function
}
)";

#endif // FASTNORM_TEST_UNIT_EMULATORKERNELS_H
