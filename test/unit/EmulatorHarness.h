//===- EmulatorHarness.h - Small kernels on the emulator --------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps a few lines of PTX into a kernel, launches it and reads buffers back.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_EMULATORHARNESS_H
#define FASTNORM_TEST_UNIT_EMULATORHARNESS_H

#include "runtime/Emulator/EmulatorDevice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace fastnorm::test {

/// A kernel @k with `pointers` 64-bit parameters p0, p1, …, each already in %rd100, %rd101, …; %r100 is %tid.x and
/// %r101 is %ctaid.x. The body starts on PTX line 20 and needs no ret.
inline std::string ptxKernel(unsigned pointers, const std::string &body, const std::string &variables = "") {
  std::string text = ".version 7.8\n.target sm_90\n.address_size 64\n" + variables + "\n.visible .entry k(";
  for (unsigned i = 0; i < pointers; ++i)
    text += std::string(i ? ", " : "") + ".param .u64 p" + std::to_string(i);
  text +=
      ")\n.maxntid 1024, 1, 1\n{\n.reg .pred %p<64>;\n.reg .b16 %rs<64>;\n.reg .b32 %r<128>;\n.reg .b64 %rd<128>;\n";
  for (unsigned i = 0; i < pointers; ++i)
    text += "ld.param.b64 %rd10" + std::to_string(i) + ", [p" + std::to_string(i) + "];\n";
  text += "mov.u32 %r100, %tid.x;\nmov.u32 %r101, %ctaid.x;\n";
  size_t lines = size_t(std::count(text.begin(), text.end(), '\n'));
  text += std::string(lines < 19 ? 19 - lines : 0, '\n');
  return text + body + "\nret;\n}\n";
}

class EmulatorHarness {
public:
  explicit EmulatorHarness(const EmulatorOptions &options = {}) : device(createEmulatorDevice(options)) {
    Result<std::unique_ptr<Stream>> created = device->createStream();
    stream = std::move(*created);
  }

  /// A buffer that nothing was written to.
  uint64_t empty(const std::string &label, size_t byteCount) {
    Result<std::unique_ptr<DeviceBuffer>> buffer = device->allocate(byteCount, "argument '" + label + "'");
    buffers.push_back(std::move(*buffer));
    return buffers.back()->address();
  }
  template <typename T> uint64_t filled(const std::string &label, const std::vector<T> &values) {
    uint64_t address = empty(label, values.size() * sizeof(T));
    EXPECT_TRUE(bool(device->upload(address, values.data(), values.size() * sizeof(T))));
    return address;
  }
  template <typename T> std::vector<T> read(uint64_t address, size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(bool(device->download(values.data(), address, count * sizeof(T))));
    return values;
  }

  /// The error of loading, or nothing.
  std::string loadError(const std::string &ptx) {
    Result<std::unique_ptr<Module>> module = device->load(ptx);
    return module ? "" : module.error();
  }
  /// The error of loading or launching, or nothing.
  std::string launch(const std::string &ptx, const LaunchShape &shape, const std::vector<uint64_t> &pointers,
                     const std::string &name = "k") {
    Result<std::unique_ptr<Module>> module = device->load(ptx);
    if (!module)
      return module.error();
    Result<Kernel *> kernel = (*module)->kernel(name);
    if (!kernel)
      return kernel.error();
    std::vector<KernelArgument> arguments;
    for (uint64_t pointer : pointers)
      arguments.push_back({pointer, 8});
    Status status = stream->launch(**kernel, shape, arguments);
    return status ? "" : status.error();
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
  std::vector<std::unique_ptr<DeviceBuffer>> buffers;
};

/// The bits of a value, and back.
template <typename To, typename From> To bitsOf(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// Runs instructions on lanes that hold a, b and c in %r1, %r2, %r3 (and, widened, in %rd1, %rd2, %rd3); returns %r4 of
/// each lane. Missing values are zero.
inline std::vector<uint32_t> evaluate(const std::string &instructions, std::vector<uint32_t> a,
                                      std::vector<uint32_t> b = {}, std::vector<uint32_t> c = {}) {
  size_t count = a.size();
  b.resize(count);
  c.resize(count);
  EmulatorHarness harness;
  uint64_t result = harness.empty("result", count * 4);
  std::string ptx = ptxKernel(4, R"(
    mul.wide.u32 %rd0, %r100, 4;
    add.s64 %rd1, %rd100, %rd0;
    add.s64 %rd2, %rd101, %rd0;
    add.s64 %rd3, %rd102, %rd0;
    add.s64 %rd4, %rd103, %rd0;
    ld.global.b32 %r1, [%rd1];
    ld.global.b32 %r2, [%rd2];
    ld.global.b32 %r3, [%rd3];
    cvt.u64.u32 %rd1, %r1;
    cvt.u64.u32 %rd2, %r2;
    cvt.u64.u32 %rd3, %r3;
    )" + instructions + "\nst.global.b32 [%rd4], %r4;");
  std::string error = harness.launch(ptx, {1, int64_t(count), 0},
                                     {harness.filled("a", a), harness.filled("b", b), harness.filled("c", c), result});
  EXPECT_EQ(error, "") << instructions;
  return harness.read<uint32_t>(result, count);
}

/// evaluate() of one lane with f32 operands.
inline float evaluateF32(const std::string &instruction, float a, float b = 0, float c = 0) {
  return bitsOf<float>(evaluate(instruction, {bitsOf<uint32_t>(a)}, {bitsOf<uint32_t>(b)}, {bitsOf<uint32_t>(c)})[0]);
}

/// evaluate() of one lane.
inline uint32_t evaluateOne(const std::string &instruction, uint32_t a, uint32_t b = 0, uint32_t c = 0) {
  return evaluate(instruction, {a}, {b}, {c})[0];
}

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_EMULATORHARNESS_H
