//===- ReportTest.cpp - JSON, CSV and the page ----------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Chart.h"
#include "runtime/Bench/CsvReport.h"
#include "runtime/Bench/HtmlReport.h"
#include "runtime/Bench/MeasurementJson.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace fastnorm;

namespace {

Timed timed(const std::string &name, std::vector<double> microseconds) {
  Timed made;
  made.name = name;
  made.readBytes = 3000000;
  made.writtenBytes = 1000000;
  made.memoryBytes = 4000000;
  made.samples.launchesPerReplay = 12;
  made.samples.microseconds = std::move(microseconds);
  made.samples.summary = summarize(made.samples.microseconds);
  return made;
}

/// With something in every field.
Measurement example(int64_t rows) {
  Measurement made;
  made.version = "fastnorm 0.1.0";
  made.commit = "abc";
  made.date = "2026-01-02T03:04:05Z";
  made.source = "a \"graph\" <of> mine.mlir";
  made.function = "norm";
  made.target = "h200";
  made.planDigest = "0123456789abcdef0123";
  made.symbols = {{"rows", rows}};
  made.device.name = "Fake H200";
  made.device.chip = "sm_90";
  made.device.l2Bytes = 1000;
  made.device.memoryBytesPerSecond = 4.9e12;
  made.device.maxThreadsPerMultiprocessor = 2048;
  DeviceReading reading;
  reading.driver = "580";
  reading.clockMegahertz = 1980;
  reading.watts = 412.5;
  reading.slowdowns = {"power cap"};
  made.readings = {reading, DeviceReading()};
  made.readingsMissing = "";
  made.state = CacheState::Serving;
  made.isFlushed = true;
  made.sets = 3;
  made.setBytes = 1000;
  made.footprintBytes = 3000;
  made.reason = StopReason::OutOfTime;
  made.seconds = 1.5;
  made.budgetSeconds = 1.5;
  made.failure = "";
  made.graph = timed("graph", {2.0, 2.5, 2.25});
  made.graph->samples.hostMicroseconds = {0.5, 0.75};
  made.graph->samples.hostSummary = summarize({0.5, 0.75});
  made.copy = timed("copy, 1 vectors x 256 threads", {2.0, 2.0, 2.0});
  made.stream = timed("stream of 3 reads to 1 write", {1.8});
  made.stream->refusal = "too fast";
  made.rivals = {{"apex", 9.0}};
  made.warnings = {{"it is <hot>", "cool it"}};
  KernelRow row;
  row.launch.kernel = "norm_0";
  row.launch.grid = 132;
  row.launch.threads = 256;
  row.launch.facts.registers = 40;
  row.launch.readBytes = 3000000;
  row.launch.writtenBytes = 1000000;
  row.time = timed("norm_0", {2.0, 2.5, 2.25});
  KernelRow counted;
  counted.launch.kernel = "norm_1";
  counted.counters = LaunchCounters{1, 2, 3, 4, 5, 6};
  made.kernels = {row, counted};
  return made;
}

TEST(MeasurementJson, WhatIsReadIsWhatWasWritten) {
  std::string text = writeMeasurementJson(example(16));
  Result<std::vector<Measurement>> read = readMeasurementJson(text);
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(writeMeasurementJson(read->front()), text);
  const Measurement &back = read->front();
  EXPECT_EQ(back.state, CacheState::Serving);
  EXPECT_EQ(back.reason, StopReason::OutOfTime);
  EXPECT_EQ(back.graph->samples.summary.median, 2.25);
  EXPECT_EQ(back.graph->samples.hostSummary.median, 0.625);
  EXPECT_EQ(back.kernels[1].counters->barriers, 6u);
  EXPECT_EQ(back.kernels[1].time, std::nullopt);
  EXPECT_EQ(back.readings[0].clockMegahertz, 1980);
  EXPECT_EQ(back.readings[1].clockMegahertz, std::nullopt);
}

TEST(MeasurementJson, HasTheFiguresThatFollowFromTheSamples) {
  std::string text = writeMeasurementJson(example(16));
  for (const char *figure : {"\"median\": 2.25", "\"share_of_copy\": 0.888888", "\"share_of_stream\": null",
                             "\"footprint_per_l2\": 3.0", "\"gigabytes_per_second\": 2000.0"})
    EXPECT_NE(text.find(figure), std::string::npos) << figure;
}

TEST(MeasurementJson, SeveralAreAList) {
  std::vector<Measurement> several{example(16), example(32)};
  Result<std::vector<Measurement>> read = readMeasurementJson(writeMeasurementJson(several));
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[1].symbols.at("rows"), 32);
}

TEST(MeasurementJson, WhatIsWrongIsNamed) {
  auto errorOf = [](std::string_view text) { return readMeasurementJson(text).error(); };
  EXPECT_EQ(errorOf(""), "expected JSON, as --report=json writes it");
  EXPECT_EQ(errorOf("[]"), "expected a measurement, but the list has none");
  EXPECT_EQ(errorOf("[1]"), "expected an object as measurement 0");
  EXPECT_EQ(errorOf("{}"), "expected \"fastnorm measurement\" at the measurement.format");
  std::string text = writeMeasurementJson(example(16));
  auto replaced = [&](const std::string &from, const std::string &to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  EXPECT_EQ(errorOf(replaced("\"serving\"", "\"warm\"")),
            "expected one of cold, hot, serving at the measurement.cache");
  EXPECT_EQ(errorOf(replaced("\"rows\": 16", "\"rows\": 1e300")),
            "expected an integer of 64 bits at the measurement.symbols.rows");
  EXPECT_EQ(errorOf(replaced("\"microseconds\": [", "\"microseconds\": [null,")),
            "expected a number at the measurement.graph.microseconds[0]");
  EXPECT_EQ(errorOf(replaced("\"threads\": 256,", "")), "expected a member 'threads' at the measurement.kernels[0]");
}

TEST(MeasurementJson, NoPrefixOfATextCrashes) {
  std::string text = writeMeasurementJson(example(16));
  for (size_t length = 0; length + 2 < text.size(); length += 7)
    EXPECT_FALSE(readMeasurementJson(std::string_view(text).substr(0, length)));
}

TEST(Csv, ALineAKernelAndOneEachForWhatItIsComparedWith) {
  std::string text = formatCsv({example(16)});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
  EXPECT_EQ(text.substr(0, 33), "function,symbols,target,device,ca");
  EXPECT_NE(text.find("norm,rows=16,h200,Fake H200,serving,kernel,norm_0,132,256,40,,0,,3000000,1000000,2.25,2,2.5,"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(",kernel,norm_1,0,0,,,0,,0,0,,,,,,,,,,1,2,3,4,5,6,\n"), std::string::npos) << text;
  // A name with a comma is quoted.
  EXPECT_NE(text.find(",copy,\"copy, 1 vectors x 256 threads\","), std::string::npos) << text;
}

TEST(Html, PageStandsAloneAndEscapesNames) {
  std::string page = formatHtml({example(16)});
  EXPECT_EQ(page.substr(0, 15), "<!DOCTYPE html>");
  for (const char *foreign : {"http", "<script", "src=", "@import", "url("})
    EXPECT_EQ(page.find(foreign), std::string::npos) << foreign;
  EXPECT_NE(page.find("a &quot;graph&quot; &lt;of&gt; mine.mlir"), std::string::npos);
  EXPECT_NE(page.find("it is &lt;hot&gt;"), std::string::npos);
  EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(page.find("@media print"), std::string::npos);
  for (const char *heading : {"Time by kernel", "Roofline", "Samples of the graph"})
    EXPECT_NE(page.find(heading), std::string::npos) << heading;
}

TEST(Html, SeveralOverASymbolAreASweepAndElseAHistory) {
  EXPECT_NE(formatHtml({example(16), example(32)}).find("Over rows: percent of the copy"), std::string::npos);
  EXPECT_NE(formatHtml({example(16), example(16)}).find("History: percent of the copy"), std::string::npos);
  EXPECT_EQ(formatHtml({example(16)}).find("History"), std::string::npos);
}

TEST(Html, NothingTimedIsSaid) {
  Measurement counted = example(16);
  counted.graph.reset();
  counted.device.isEmulator = true;
  EXPECT_NE(formatHtml({counted}).find("it does not model time"), std::string::npos);
  EXPECT_FALSE(formatHtml({counted, counted}).empty());
}

TEST(Html, OneSampleOfNoTimeCanBeDrawn) {
  Measurement zero = example(0);
  zero.graph = timed("graph", {0.0});
  zero.copy.reset();
  zero.kernels.clear();
  std::string page = formatHtml({zero, zero});
  EXPECT_EQ(page.find("nan"), std::string::npos);
  EXPECT_EQ(page.find("inf"), std::string::npos);
}

TEST(Chart, FiguresHaveThreeDigits) {
  EXPECT_EQ(shortFigure(0.0123456), "0.0123");
  EXPECT_EQ(shortFigure(4917.4), "4917");
  EXPECT_EQ(shortFigure(65536), "65.5k");
  EXPECT_EQ(shortFigure(2.5e6), "2.5M");
}

TEST(Chart, MarksStandWhereTheAxesSay) {
  // From 64 to 616 across and from 268 up to 14; logarithmic, 10 is half way from 1 to 100.
  Chart chart("c", {"x", 1.0, 100.0, true}, {"y", 0.0, 2.0, false});
  chart.mark(10.0, 1.0, "graph", "tip");
  EXPECT_NE(chart.svg().find("cx=\"340.0\" cy=\"141.0\""), std::string::npos) << chart.svg();
}

} // namespace
