//===- FarRowsTest.cpp - Rows more than 2^31 elements apart ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator keeps each buffer 4 GiB or more from the next, so a tensor whose rows are buffers of their own is as
// large as the distance between them and costs nothing. Where an offset is computed in too few bits, the kernel
// touches memory that is nobody's, or another row.
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Compiler/Compiler.h"
#include "runtime/Emulator/EmulatorDevice.h"
#include "runtime/Executor/Executor.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace fastnorm;

namespace {

constexpr int64_t kRows = 3;

/// A tensor [rows, hidden] of 2-byte elements whose rows are buffers of their own, evenly spaced.
class SpacedRows {
public:
  SpacedRows(Device &device, int64_t hidden, int64_t pagesApart) : device(device), rowBytes(hidden * 2) {
    for (int64_t row = 0; row < kRows; ++row) {
      buffers.push_back(allocate(rowBytes));
      rows.push_back(buffers.back()->address());
      for (int64_t page = 2; page < pagesApart; page += 2)
        buffers.push_back(allocate(2));
    }
  }

  int64_t strideElements() const { return static_cast<int64_t>(rows[1] - rows[0]) / 2; }
  Operand operand(const char *name, std::vector<int64_t> shape, std::vector<int64_t> strides) const {
    return Operand{name, rows[0], DType::BF16, std::move(shape), std::move(strides)};
  }
  Operand operand(const char *name) const {
    return operand(name, {kRows, static_cast<int64_t>(rowBytes / 2)}, {strideElements(), 1});
  }

  void write(int64_t row, const std::vector<uint16_t> &values) {
    ASSERT_TRUE(device.upload(rows[row], values.data(), rowBytes));
  }
  std::vector<uint16_t> read(int64_t row) const {
    std::vector<uint16_t> values(rowBytes / 2);
    EXPECT_TRUE(device.download(values.data(), rows[row], rowBytes));
    return values;
  }

private:
  std::unique_ptr<DeviceBuffer> allocate(size_t byteCount) {
    Result<std::unique_ptr<DeviceBuffer>> buffer = device.allocate(byteCount, "row");
    EXPECT_TRUE(buffer) << buffer.error();
    return std::move(*buffer);
  }

  Device &device;
  size_t rowBytes;
  std::vector<std::unique_ptr<DeviceBuffer>> buffers;
  std::vector<DeviceAddress> rows;
};

/// bf16 values between 1 and 2 that differ by row and column.
std::vector<uint16_t> rowValues(int64_t row, int64_t hidden) {
  std::vector<uint16_t> values;
  for (int64_t column = 0; column < hidden; ++column)
    values.push_back(static_cast<uint16_t>(0x3f80 + (row * 37 + column * 11) % 128));
  return values;
}

class FarRowsTest : public testing::Test {
protected:
  /// Runs a graph on the emulator and expects it to run.
  void run(const std::string &text, const std::vector<Operand> &arguments, const std::vector<Operand> &results) {
    mlir::DialectRegistry registry;
    registerCompilerDialects(registry);
    mlir::MLIRContext context(registry);
    Result<mlir::OwningOpRef<mlir::ModuleOp>> module = parseGraph(text, "graph", context);
    ASSERT_TRUE(module) << module.error();
    CompileOptions options;
    options.alignment = "both";
    Result<Plan> plan = compile(**module, options);
    ASSERT_TRUE(plan) << plan.error();
    Result<std::unique_ptr<Executor>> executor = Executor::create(std::move(*plan), *device);
    ASSERT_TRUE(executor) << executor.error();
    Result<Execution> execution = (*executor)->prepare(arguments, results);
    ASSERT_TRUE(execution) << execution.error();
    Result<std::unique_ptr<Stream>> stream = device->createStream();
    ASSERT_TRUE(stream) << stream.error();
    Status launched = execution->launch(**stream);
    ASSERT_TRUE(launched) << launched.error();
    Status done = (*stream)->synchronize();
    ASSERT_TRUE(done) << done.error();
  }

  /// A graph of %x to %y, both [rows, hidden] with a row stride known at run time, gives the same whether rows are 2^31
  /// elements apart, more than 2^32, or (as other tests check against the reference) next to each other.
  void expectSameFarApart(const std::string &body, int64_t hidden) {
    std::string type = "tensor<?x" + std::to_string(hidden) + "xbf16, #fastnorm.strides<[?, 1]>>";
    std::string text = "func.func @far(%x: " + type + ") -> (" + type + " {fastnorm.name = \"y\"}) {\n  %y = " + body +
                       " : " + type + " -> " + type + "\n  return %y : " + type + "\n}\n";
    SpacedRows dense(*device, hidden * kRows, 2), denseResult(*device, hidden * kRows, 2);
    std::vector<uint16_t> all;
    for (int64_t row = 0; row < kRows; ++row)
      for (uint16_t value : rowValues(row, hidden))
        all.push_back(value);
    dense.write(0, all);
    run(text, {dense.operand("x", {kRows, hidden}, {hidden, 1})},
        {denseResult.operand("y", {kRows, hidden}, {hidden, 1})});
    if (HasFatalFailure())
      return;
    std::vector<uint16_t> expected = denseResult.read(0);

    for (int64_t pagesApart : {2, 6}) {
      SpacedRows x(*device, hidden, pagesApart), y(*device, hidden, pagesApart);
      ASSERT_GE(x.strideElements(), pagesApart == 2 ? 1ll << 31 : (1ll << 32) + 1);
      for (int64_t row = 0; row < kRows; ++row)
        x.write(row, rowValues(row, hidden));
      run(text, {x.operand("x")}, {y.operand("y")});
      for (int64_t row = 0; row < kRows; ++row)
        EXPECT_EQ(y.read(row),
                  std::vector<uint16_t>(expected.begin() + row * hidden, expected.begin() + (row + 1) * hidden))
            << "row " << row << " of hidden " << hidden << ", stride " << x.strideElements();
    }
  }

  std::unique_ptr<Device> device = createEmulatorDevice();
};

TEST_F(FarRowsTest, NormInLanes) { expectSameFarApart("fastnorm.rms_norm %x {eps = 1.0e-5 : f32}", 128); }
TEST_F(FarRowsTest, NormOfACta) { expectSameFarApart("fastnorm.layer_norm %x {eps = 1.0e-5 : f32}", 2048); }
TEST_F(FarRowsTest, NormOfShiftedRows) { expectSameFarApart("fastnorm.rms_norm %x {eps = 1.0e-5 : f32}", 1537); }
TEST_F(FarRowsTest, NormOfAClusterOrGrid) { expectSameFarApart("fastnorm.rms_norm %x {eps = 1.0e-5 : f32}", 32768); }

/// Rows of a dense table: index × hidden passes 2^31 and 2^32.
TEST_F(FarRowsTest, Gather) {
  constexpr int64_t kHidden = 1024;
  for (int64_t pagesApart : {2, 6}) {
    SpacedRows table(*device, kHidden, pagesApart), y(*device, kHidden * kRows, 2);
    int64_t apart = table.strideElements() / kHidden;
    ASSERT_EQ(apart * kHidden, table.strideElements());
    ASSERT_GE(table.strideElements(), pagesApart == 2 ? 1ll << 31 : (1ll << 32) + 1);
    for (int64_t row = 0; row < kRows; ++row)
      table.write(row, rowValues(row, kHidden));
    std::vector<int64_t> rows = {2 * apart, 0, apart};
    Result<std::unique_ptr<DeviceBuffer>> indices = device->allocate(rows.size() * 8, "indices");
    ASSERT_TRUE(indices);
    ASSERT_TRUE(device->upload((*indices)->address(), rows.data(), rows.size() * 8));
    run(R"(func.func @far(%table: tensor<?x1024xbf16>, %row_index: tensor<?xi64>) -> (tensor<?x1024xbf16> {fastnorm.name = "y"}) {
  %y = fastnorm.gather %table[%row_index] : tensor<?x1024xbf16>, tensor<?xi64> -> tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
})",
        {table.operand("table", {2 * apart + 1, kHidden}, {}),
         Operand{"row_index", (*indices)->address(), DType::I64, {kRows}}},
        {y.operand("y", {kRows, kHidden}, {})});
    std::vector<uint16_t> expected;
    for (int64_t row : {2, 0, 1})
      for (uint16_t value : rowValues(row, kHidden))
        expected.push_back(value);
    EXPECT_EQ(y.read(0), expected);
  }
}

} // namespace
