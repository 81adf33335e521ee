//===- DeviceFill.cpp - Seeded data made where it is used -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/DeviceFill.h"

#include "runtime/TensorIO/CounterRandom.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace fastnorm {

namespace {

constexpr int64_t kThreads = 256;
/// CTAs step through the elements; this many fill any card.
constexpr int64_t kMaxGrid = 65536;

/// How a dtype is named in PTX, rounded to from %f1 and stored at %rd9.
struct StoreText {
  DType dtype;
  const char *kernel;
  const char *text;
  int64_t shift; ///< log2 of the element's bytes
};
constexpr StoreText kStores[] = {
    {DType::F32, "fill_f32", "  st.global.f32 [%rd9], %f1;\n", 2},
    {DType::BF16, "fill_bf16", "  cvt.rn.bf16.f32 %h1, %f1;\n  st.global.b16 [%rd9], %h1;\n", 1},
    {DType::F16, "fill_f16", "  cvt.rn.f16.f32 %h1, %f1;\n  st.global.b16 [%rd9], %h1;\n", 1},
};

const StoreText *storeOf(DType dtype) {
  for (const StoreText &store : kStores)
    if (store.dtype == dtype)
      return &store;
  return nullptr;
}

/// %rd4 is the element, %rd5 the step, %rd6 the key, %rd7 and %rd8 the two random numbers, %r1 their sum.
std::string mix(const std::string &value) {
  std::string text;
  auto xorShift = [&](const char *bits) {
    text += "  shr.u64 %rd10, " + value + ", " + bits + ";\n  xor.b64 " + value + ", " + value + ", %rd10;\n";
  };
  xorShift("30");
  text += "  mul.lo.u64 " + value + ", " + value + ", 0xbf58476d1ce4e5b9;\n";
  xorShift("27");
  text += "  mul.lo.u64 " + value + ", " + value + ", 0x94d049bb133111eb;\n";
  xorShift("31");
  return text;
}

/// Adds the four 16-bit parts of a number to %r1.
std::string addParts(const std::string &value) {
  std::string text;
  for (const char *bits : {"0", "16", "32", "48"})
    text += "  shr.u64 %rd10, " + value + ", " + bits +
            ";\n  cvt.u32.u64 %r2, %rd10;\n  and.b32 %r2, %r2, 0xffff;\n  add.s32 %r1, %r1, %r2;\n";
  return text;
}

std::string kernelText(const StoreText &store) {
  return std::string(".visible .entry ") + store.kernel +
         "(.param .u64 address, .param .u64 key, .param .u64 count, .param .f64 mean, .param .f64 scale)\n"
         ".maxntid 256, 1, 1\n{\n"
         "  .reg .pred %p<2>;\n  .reg .b16 %h<2>;\n  .reg .b32 %r<8>;\n  .reg .f32 %f<2>;\n  .reg .b64 %rd<12>;\n"
         "  .reg .f64 %fd<4>;\n"
         "  ld.param.u64 %rd1, [address];\n  cvta.to.global.u64 %rd1, %rd1;\n"
         "  ld.param.u64 %rd6, [key];\n  ld.param.u64 %rd3, [count];\n"
         "  ld.param.f64 %fd1, [mean];\n  ld.param.f64 %fd2, [scale];\n"
         "  mov.u32 %r3, %ctaid.x;\n  mov.u32 %r4, %ntid.x;\n  mov.u32 %r5, %tid.x;\n  mov.u32 %r6, %nctaid.x;\n"
         "  mul.wide.u32 %rd4, %r3, %r4;\n  cvt.u64.u32 %rd10, %r5;\n  add.u64 %rd4, %rd4, %rd10;\n"
         "  mul.wide.u32 %rd5, %r6, %r4;\n"
         "NEXT:\n"
         "  setp.ge.u64 %p1, %rd4, %rd3;\n  @%p1 bra DONE;\n"
         "  shl.b64 %rd7, %rd4, 1;\n  mul.lo.u64 %rd7, %rd7, 0x9e3779b97f4a7c15;\n  add.u64 %rd7, %rd7, %rd6;\n"
         "  add.u64 %rd8, %rd7, 0x9e3779b97f4a7c15;\n" +
         mix("%rd7") + mix("%rd8") + "  mov.u32 %r1, 0;\n" + addParts("%rd7") + addParts("%rd8") +
         "  sub.s32 %r1, %r1, 262140;\n  cvt.rn.f64.s32 %fd3, %r1;\n"
         "  mul.rn.f64 %fd3, %fd3, %fd2;\n  add.rn.f64 %fd3, %fd3, %fd1;\n  cvt.rn.f32.f64 %f1, %fd3;\n"
         "  shl.b64 %rd9, %rd4, " +
         std::to_string(store.shift) + ";\n  add.u64 %rd9, %rd9, %rd1;\n" + store.text +
         "  add.u64 %rd4, %rd4, %rd5;\n  bra NEXT;\n"
         "DONE:\n  ret;\n}\n";
}

uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

} // namespace

Result<DeviceFill> DeviceFill::create(Device &device) {
  std::string ptx = ".version 7.0\n.target sm_80\n.address_size 64\n";
  for (const StoreText &store : kStores)
    ptx += kernelText(store);
  DeviceFill result;
  result.device = &device;
  Result<std::unique_ptr<Module>> module = device.load(ptx);
  if (!module)
    return Error{"the kernels that fill tensors do not load: " + module.error()};
  result.module = std::move(*module);
  return result;
}

bool DeviceFill::canFill(const FillRole &role, DType dtype) {
  bool isElementwise = role.kind == FillRole::Kind::Normal || role.kind == FillRole::Kind::Constant;
  return isElementwise && storeOf(dtype);
}

Status DeviceFill::fill(DeviceAddress address, int64_t elementCount, const FillRole &role, DType dtype, uint64_t seed,
                        std::string_view name) const {
  if (elementCount == 0)
    return {};
  Result<Kernel *> kernel = module->kernel(storeOf(dtype)->kernel);
  if (!kernel)
    return kernel.takeError();
  Result<std::unique_ptr<Stream>> stream = device->createStream();
  if (!stream)
    return stream.takeError();
  NormalValues values = NormalValues::of(role);
  LaunchShape shape;
  shape.grid = std::min(kMaxGrid, (elementCount + kThreads - 1) / kThreads);
  shape.threads = kThreads;
  std::vector<KernelArgument> arguments = {{address, 8},
                                           {CounterRandom(seed, name).key(), 8},
                                           {static_cast<uint64_t>(elementCount), 8},
                                           {bitsOf(values.mean), 8},
                                           {bitsOf(values.scale), 8}};
  if (Status launched = (*stream)->launch(**kernel, shape, arguments); !launched)
    return launched;
  return (*stream)->synchronize();
}

} // namespace fastnorm
