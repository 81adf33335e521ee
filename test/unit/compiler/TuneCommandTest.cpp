//===- TuneCommandTest.cpp - What --tune leaves in its file ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlantedDevice.h"

#include "fastnorm/Templates/Templates.h"
#include "tools/fastnorm-run/Interrupt.h"
#include "tools/fastnorm-run/TuneCommand.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace fastnorm;
using namespace fastnorm::tool;
using fastnorm::test::PlantedDevice;

namespace {

class TuneFile : public testing::Test {
protected:
  TuneFile() : folder(testing::TempDir() + "tune-" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder);
    options.tuneFile = folder + "/table.json";
    compileOptions.symbols["rows"] = 4;
    device.state.resultArgument = 1;
    device.state.cost = [](const LaunchShape &shape) { return 40.0 + static_cast<double>(shape.threads) / 4; };
  }
  ~TuneFile() override { std::filesystem::remove_all(folder); }

  static Source graph(const std::string &name, std::map<std::string, std::string> settings) {
    Result<std::string> text = instantiateTemplate(name, settings);
    EXPECT_TRUE(text) << (text ? "" : text.error());
    Result<Source> source = Source::parse(*text, name);
    EXPECT_TRUE(source);
    return std::move(*source);
  }
  static Source norm(const std::string &hidden = "256") {
    return graph("rms_norm", {{"hidden", hidden}, {"dtype", "f32"}, {"weight", "no"}});
  }

  /// Opens the file and tunes a graph; its error, or "".
  std::string tune(const Source &source, double seconds = 0.7) {
    Result<TuneCommand> command = TuneCommand::create(options, compileOptions, device);
    if (!command)
      return command.error();
    testing::internal::CaptureStdout();
    Status tuned = command->tune(source, compileOptions, seconds);
    command->finish();
    output = testing::internal::GetCapturedStdout();
    return tuned ? "" : tuned.error();
  }

  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(options.tuneFile).rdbuf();
    return text.str();
  }
  ScheduleTable written() const {
    Result<ScheduleTable> table = ScheduleTable::read(options.tuneFile);
    EXPECT_TRUE(table) << (table ? "" : table.error());
    return table ? *table : ScheduleTable();
  }
  size_t filesInFolder() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }

  std::string folder;
  Options options;
  CompileOptions compileOptions;
  PlantedDevice device;
  std::string output;
};

TEST_F(TuneFile, HasWhatWasFoundAndTheCompilerTakesIt) {
  ASSERT_EQ(tune(norm()), "");
  ScheduleTable table = written();
  ASSERT_EQ(table.kernels.size(), 1u);
  EXPECT_EQ(table.target, "h200");
  EXPECT_EQ(filesInFolder(), 1u);
  EXPECT_NE(output.find("rms_norm, rows = 4: "), std::string::npos) << output;
  EXPECT_NE(output.find(": 1 schedules of 1 kernels; the cost model's choice takes "), std::string::npos) << output;

  compileOptions.tuned = options.tuneFile;
  Result<std::string> text = norm().dump(compileOptions, "schedule");
  ASSERT_TRUE(text) << text.error();
  EXPECT_NE(text->find(table.kernels[0].schedules[0].schedule), std::string::npos) << *text;
}

TEST_F(TuneFile, KeepsWhatWasThere) {
  ASSERT_EQ(tune(norm("256")), "");
  ASSERT_EQ(tune(norm("512")), "");
  compileOptions.symbols["rows"] = 32;
  ASSERT_EQ(tune(norm("512")), "");
  ScheduleTable table = written();
  ASSERT_EQ(table.kernels.size(), 2u);
  EXPECT_EQ(table.kernels[1].schedules.size(), 2u);
}

TEST_F(TuneFile, TakesUpWhatAnotherProcessWroteMeanwhile) {
  Result<TuneCommand> command = TuneCommand::create(options, compileOptions, device);
  ASSERT_TRUE(command);
  ASSERT_EQ(tune(norm("512")), "");
  testing::internal::CaptureStdout();
  ASSERT_TRUE(command->tune(norm("256"), compileOptions, 0.7));
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(written().kernels.size(), 2u);
}

TEST_F(TuneFile, HasEachKernelOfAGraph) {
  compileOptions.fuse = "never";
  ASSERT_EQ(tune(graph("residual_rms_norm", {{"hidden", "256"}})), "");
  EXPECT_EQ(written().kernels.size(), 2u);
}

TEST_F(TuneFile, IsNotReplacedWhereItIsDamagedOrForeign) {
  std::ofstream(options.tuneFile) << "{";
  EXPECT_NE(tune(norm()).find("it does not parse"), std::string::npos);
  EXPECT_EQ(content(), "{");
  std::string foreign = ScheduleTable{"a100", "sm_80", {}}.str();
  std::ofstream(options.tuneFile) << foreign;
  EXPECT_EQ(tune(norm()), "'" + options.tuneFile +
                              "': expected a table for h200 (sm_90), but it was measured on a100 (sm_80); use another "
                              "file");
  EXPECT_EQ(content(), foreign);
  EXPECT_EQ(device.state.loads, 0);
}

TEST_F(TuneFile, ThatCannotBeWrittenIsSaidBeforeAnythingIsMeasured) {
  options.tuneFile = folder + "/none/table.json";
  EXPECT_EQ(tune(norm()), "cannot write '" + options.tuneFile + "': there is no directory '" + folder + "/none'");
  EXPECT_EQ(device.state.loads, 0);
}

TEST_F(TuneFile, OnAFullDiskGoesToStdout) {
  options.tuneFile = "/dev/full";
  EXPECT_EQ(tune(norm()), "cannot write '/dev/full': No space left on device");
  size_t begin = output.find("{\n");
  ASSERT_NE(begin, std::string::npos) << output;
  Result<ScheduleTable> table = ScheduleTable::parse(output.substr(begin, output.rfind("}\n") + 2 - begin));
  ASSERT_TRUE(table) << table.error();
  EXPECT_EQ(table->kernels.size(), 1u);
}

TEST_F(TuneFile, KeepsTheKernelsThatWereTunedBeforeTheDeviceWasLost) {
  compileOptions.fuse = "never";
  device.state.cost = [this](const LaunchShape &) {
    if (std::filesystem::exists(options.tuneFile))
      device.state.replaysUntilLost = 0;
    return 50.0;
  };
  std::string error = tune(graph("residual_rms_norm", {{"hidden", "256"}}), 1.4);
  EXPECT_NE(error.find("kernel 'rms_norm' at rows = 4: "), std::string::npos) << error;
  EXPECT_NE(error.find("the device was lost"), std::string::npos) << error;
  ASSERT_EQ(written().kernels.size(), 1u);
  EXPECT_EQ(written().kernels[0].name, "residual_add");
}

TEST_F(TuneFile, KeepsWhatWasMeasuredUntilTheInterrupt) {
  Interrupt interrupt;
  bool isRaised = false;
  device.state.cost = [&](const LaunchShape &shape) {
    if (device.state.replays > 60 && !std::exchange(isRaised, true))
      std::raise(SIGINT);
    return 40.0 + static_cast<double>(shape.threads) / 4;
  };
  device.state.isNoisy = true;
  compileOptions.fuse = "never";
  ASSERT_EQ(tune(graph("residual_rms_norm", {{"hidden", "256"}}), 600), "");
  EXPECT_TRUE(Interrupt::hasCome());
  EXPECT_EQ(written().kernels.size(), 1u);
}

} // namespace
