//===- SweepTest.cpp - Points of a sweep, and the file of their results ---===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/fastnorm-run/Sweep.h"
#include "tools/fastnorm-run/SweepFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace fastnorm;
using namespace fastnorm::tool;

namespace json = llvm::json;

namespace {

using Texts = std::vector<std::string>;

Texts pointsOf(const std::string &text) {
  Result<std::vector<SweepPoint>> points = parseSweep(text);
  Texts texts;
  if (!points)
    return {points.error()};
  for (const SweepPoint &point : *points)
    texts.push_back(describe(point));
  return texts;
}

TEST(Sweep, TakesEveryCombinationTheLastKeyFirst) {
  EXPECT_EQ(pointsOf("rows=1,8,hidden=64,128"),
            (Texts{"rows=1 hidden=64", "rows=1 hidden=128", "rows=8 hidden=64", "rows=8 hidden=128"}));
  EXPECT_EQ(pointsOf("dtype=bf16,f32"), (Texts{"dtype=bf16", "dtype=f32"}));
}

TEST(Sweep, HasRangesThatMultiplyAndThatAdd) {
  EXPECT_EQ(pointsOf("rows=1..20:x4"), (Texts{"rows=1", "rows=4", "rows=16"}));
  EXPECT_EQ(pointsOf("rows=3..9:+3,100"), (Texts{"rows=3", "rows=6", "rows=9", "rows=100"}));
  EXPECT_EQ(pointsOf("rows=1..9223372036854775807:x9000000000000000000"),
            (Texts{"rows=1", "rows=9000000000000000000"}));
}

TEST(Sweep, MultipliesKeysThatStandBefore) {
  EXPECT_EQ(pointsOf("rows=2,3,top_k=4,expert_rows=rows*top_k*2"),
            (Texts{"rows=2 top_k=4 expert_rows=16", "rows=3 top_k=4 expert_rows=24"}));
  EXPECT_EQ(pointsOf("expert_rows=rows*8,rows=2"),
            (Texts{"expected --sweep products of whole numbers from 1 and keys that stand before them, but got "
                   "'rows*8'"}));
}

TEST(Sweep, SaysWhatIsWrong) {
  EXPECT_EQ(pointsOf(""), (Texts{"expected --sweep KEY=VALUE,VALUE...,KEY=..., but got ''"}));
  EXPECT_EQ(pointsOf("16,32"), (Texts{"expected --sweep KEY=VALUE,VALUE...,KEY=..., but got '16'"}));
  EXPECT_EQ(pointsOf("rows=,8"), (Texts{"expected --sweep KEY=VALUE,VALUE...,KEY=..., but got ''"}));
  EXPECT_EQ(pointsOf("rows=1,rows=2"),
            (Texts{"expected --sweep a name for each key, and each once, but got 'rows=2'"}));
  for (const char *range : {"1..8", "1..8:2", "1..8:x1", "8..1:x2", "0..8:x2", "1..8:+0", "a..8:x2"})
    EXPECT_EQ(pointsOf(std::string("rows=") + range),
              (Texts{"expected --sweep ranges as A..B:xF or A..B:+S of whole numbers from 1, F from 2, but got '" +
                     std::string(range) + "'"}));
  EXPECT_EQ(pointsOf("rows=1..1000:+1,hidden=1..1000:+1"),
            (Texts{"expected --sweep at most 100000 points, but got 'rows=1..1000:+1,hidden=1..1000:+1'"}));
}

class SweepFileTest : public testing::Test {
protected:
  SweepFileTest() : path(testing::TempDir() + "sweep-" + std::to_string(getpid()) + ".jsonl") { clear(); }
  ~SweepFileTest() override { clear(); }
  void clear() const { std::filesystem::remove(path); }

  static json::Object header(const std::string &graph = "norm") { return json::Object{{"graph", graph}}; }
  static SweepPoint at(int64_t rows) { return {{"rows", std::to_string(rows)}}; }
  Result<SweepFile> open() const { return SweepFile::open(path, header()); }

  /// A file with points of 1, 2 and 3 rows.
  std::string three() const {
    Result<SweepFile> file = open();
    EXPECT_TRUE(file);
    for (int64_t rows : {1, 2, 3})
      EXPECT_TRUE(file->add({at(rows), json::Object{{"us", 1.5 * static_cast<double>(rows)}}, false}));
    return content();
  }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  void write(const std::string &text) const { std::ofstream(path, std::ios::trunc) << text; }

  std::string path;
};

TEST_F(SweepFileTest, GoesOnWhereItEnded) {
  three();
  Result<SweepFile> again = open();
  ASSERT_TRUE(again) << again.error();
  ASSERT_TRUE(again->find(at(2)));
  EXPECT_EQ(again->find(at(2))->values.getNumber("us"), 3.0);
  EXPECT_EQ(again->find(at(4)), nullptr);
}

TEST_F(SweepFileTest, DropsALastLineThatWasCutOffWhereverItWas) {
  std::string whole = three();
  size_t lastLine = whole.rfind('\n', whole.size() - 2) + 1;
  for (size_t length = lastLine; length < whole.size(); length += 7) {
    write(whole.substr(0, length));
    Result<SweepFile> again = open();
    ASSERT_TRUE(again) << again.error();
    EXPECT_TRUE(again->find(at(2)));
    EXPECT_EQ(again->find(at(3)), nullptr);
    EXPECT_TRUE(again->add({at(3), json::Object{{"us", 4.5}}, false}));
    EXPECT_EQ(content(), whole);
  }
}

TEST_F(SweepFileTest, RefusesDamageBeforeItsEndAndForeignFiles) {
  std::string whole = three();
  std::string damaged = whole;
  damaged[whole.find("\"us\":3")] = '!';
  write(damaged);
  Result<SweepFile> again = open();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error(), "'" + path + "': expected a line for each point, but line 3 is none; it is damaged");
  EXPECT_EQ(content(), damaged);
  write(whole);
  Result<SweepFile> other = SweepFile::open(path, header("another"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(),
            "'" + path +
                "': expected results of the same sweep, but graph is \"norm\" there and \"another\" here; "
                "use another file");
  write("a,b,c\n");
  Result<SweepFile> csv = open();
  ASSERT_FALSE(csv);
  EXPECT_EQ(csv.error(),
            "'" + path + "': expected the results of a sweep, but its first line is none of theirs; use another file");
}

TEST_F(SweepFileTest, TriesAgainWhatFailed) {
  Result<SweepFile> file = open();
  ASSERT_TRUE(file->add({at(1), {}, true}));
  Result<SweepFile> again = open();
  EXPECT_EQ(again->find(at(1)), nullptr);
  ASSERT_TRUE(again->add({at(1), json::Object{{"us", 1}}, false}));
  EXPECT_TRUE(open()->find(at(1)));
}

TEST_F(SweepFileTest, SaysThatTheDiskIsFull) {
  Result<SweepFile> full = SweepFile::open("/dev/full", header());
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error(), "cannot write '/dev/full': No space left on device");
}

} // namespace
