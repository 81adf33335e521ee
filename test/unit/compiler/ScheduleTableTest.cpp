//===- ScheduleTableTest.cpp - Tables of measured schedules ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/ScheduleTable.h"
#include "fastnorm/Compiler/Compiler.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace fastnorm;

namespace json = llvm::json;

namespace {

constexpr char kSchedule[] = "#fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, "
                             "vectors_per_thread = 4, min_ctas = 4>";

TunedSchedule measured(int64_t rows, double us = 2.0, double modelUs = 3.0) {
  TunedSchedule tuned;
  tuned.rows = rows;
  tuned.schedule = kSchedule;
  tuned.us = us;
  tuned.modelUs = modelUs;
  tuned.date = "2026-12-02";
  return tuned;
}

ScheduleTable example() {
  ScheduleTable table{"h200", "sm_90", {}};
  table.add("norm", "(…) { body }", measured(16), /*servesMore=*/false);
  table.add("norm", "(…) { body }", measured(4096), /*servesMore=*/true);
  table.add("other", "(…) { other }", measured(1), /*servesMore=*/false);
  return table;
}

std::vector<std::pair<int64_t, int64_t>> served(const ScheduleTable &table) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const TunedSchedule &tuned : table.kernels.front().schedules)
    ranges.emplace_back(tuned.low, tuned.high);
  return ranges;
}

using Ranges = std::vector<std::pair<int64_t, int64_t>>;

/// The text of the example with one change to its document, and the hash that goes with it.
std::string changed(llvm::function_ref<void(json::Object &)> change) {
  json::Value document = llvm::cantFail(json::parse(example().str()));
  json::Object &object = *document.getAsObject();
  object.erase("hash");
  change(object);
  std::string text;
  llvm::raw_string_ostream(text) << document;
  llvm::SHA256 hash;
  hash.update(text);
  object["hash"] = llvm::toHex(hash.final(), /*LowerCase=*/true);
  std::string sealed;
  llvm::raw_string_ostream(sealed) << document;
  return sealed;
}

json::Object &firstKernel(json::Object &document) { return *(*document.getArray("kernels"))[0].getAsObject(); }
json::Object &firstSchedule(json::Object &document) {
  return *(*firstKernel(document).getArray("schedules"))[0].getAsObject();
}

std::string errorOf(llvm::StringRef text) {
  Result<ScheduleTable> table = ScheduleTable::parse(text);
  return table ? "" : table.error();
}

TEST(ScheduleTable, AScheduleServesTheRowsAroundItsOwn) {
  ScheduleTable table{"h200", "sm_90", {}};
  table.add("norm", "body", measured(100), /*servesMore=*/false);
  EXPECT_EQ(served(table), (Ranges{{50, 200}}));
}

TEST(ScheduleTable, NeighboursMeetAtTheirGeometricMean) {
  ScheduleTable table{"h200", "sm_90", {}};
  table.add("norm", "body", measured(400), /*servesMore=*/false);
  table.add("norm", "body", measured(100), /*servesMore=*/false);
  EXPECT_EQ(served(table), (Ranges{{50, 200}, {201, 800}}));
  table.add("norm", "body", measured(1), /*servesMore=*/false);
  table.add("norm", "body", measured(2), /*servesMore=*/false);
  EXPECT_EQ(served(table), (Ranges{{1, 1}, {2, 4}, {50, 200}, {201, 800}}));
}

TEST(ScheduleTable, OnlyTheMostRowsServeAnyMore) {
  ScheduleTable table{"h200", "sm_90", {}};
  table.add("norm", "body", measured(100), /*servesMore=*/true);
  EXPECT_EQ(served(table), (Ranges{{50, INT64_MAX}}));
  table.add("norm", "body", measured(1000), /*servesMore=*/false);
  EXPECT_EQ(served(table), (Ranges{{50, 200}, {500, INT64_MAX}}));
}

TEST(ScheduleTable, ANewMeasurementReplacesTheOneAtItsRows) {
  ScheduleTable table = example();
  table.add("norm", "(…) { body }", measured(16, 1.5), /*servesMore=*/false);
  ASSERT_EQ(table.kernels[0].schedules.size(), 2u);
  EXPECT_EQ(table.kernels[0].schedules[0].us, 1.5);
}

TEST(ScheduleTable, AMergeKeepsWhatIsNewer) {
  ScheduleTable table{"h200", "sm_90", {}};
  table.add("norm", "(…) { body }", measured(16, 1.5), /*servesMore=*/false);
  table.merge(example());
  ASSERT_EQ(table.kernels.size(), 2u);
  ASSERT_EQ(table.kernels[0].schedules.size(), 2u);
  EXPECT_EQ(table.kernels[0].schedules[0].us, 1.5);
  EXPECT_EQ(table.kernels[0].schedules[1].high, INT64_MAX);
}

TEST(ScheduleTable, FindsByRowsAndForAnyRowsWhatHasNoEnd) {
  ScheduleTable table = example();
  const TunedKernel *kernel = table.find("(…) { body }");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(findTuned(*kernel, 20)->rows, 16);
  EXPECT_EQ(findTuned(*kernel, 100), nullptr);
  EXPECT_EQ(findTuned(*kernel, int64_t(1) << 40)->rows, 4096);
  EXPECT_EQ(findTuned(*kernel, std::nullopt)->rows, 4096);
  EXPECT_EQ(findTuned(*table.find("(…) { other }"), std::nullopt), nullptr);
  EXPECT_EQ(findTuned(*table.find("(…) { other }"), 0)->rows, 1);
  EXPECT_EQ(table.find("nothing"), nullptr);
}

TEST(ScheduleTable, ReadsWhatItWrote) {
  Result<ScheduleTable> table = ScheduleTable::parse(example().str());
  ASSERT_TRUE(table) << table.error();
  EXPECT_EQ(table->str(), example().str());
}

TEST(ScheduleTable, RefusesEveryFlippedBitAndEveryPart) {
  std::string whole = example().str();
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    // A blank for a blank or a line end is the same document.
    if (Result<ScheduleTable> table = ScheduleTable::parse(flipped))
      EXPECT_EQ(table->str(), whole) << "byte " << at;
    if (at + 1 < whole.size())
      EXPECT_NE(errorOf(whole.substr(0, at)), "") << "the first " << at << " bytes";
  }
}

TEST(ScheduleTable, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(errorOf(""), "expected a schedule table, but it is empty");
  EXPECT_EQ(errorOf("[]"), "expected a schedule table, but it is no JSON object");
  EXPECT_NE(errorOf("{\"a\": 1}").find("but it has no \"format\""), std::string::npos);
  EXPECT_EQ(errorOf(std::string(100000, '[')), "expected brackets nested at most 16 deep");
  std::string edited = example().str();
  edited.replace(edited.find("16"), 2, "17");
  EXPECT_EQ(errorOf(edited), "expected a table as it was written, but its content does not match its hash; it is "
                             "damaged or was edited");
}

TEST(ScheduleTable, RefusesOtherFormatsAndCompilers) {
  EXPECT_EQ(errorOf(changed([](json::Object &document) { document["format"] = 2; })),
            "expected a table of format 1, but got 2; tune again with this version");
  EXPECT_EQ(errorOf(changed([](json::Object &document) { document["compiler"] = "fastnorm 0.0.1"; })),
            "expected a table of fastnorm 0.1.0, but it is of fastnorm 0.0.1; tune again with this version");
}

TEST(ScheduleTable, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(errorOf(changed([](json::Object &document) { document["more"] = 1; })),
            "expected the members format, hash, compiler, target, chip, kernels of the document, but got 'more'");
  EXPECT_EQ(errorOf(changed([](json::Object &document) { firstSchedule(document)["noise"] = 1; })),
            "expected the members rows, measured_rows, schedule, us, model_us, date of /kernels/0/schedules/0, but got "
            "'noise'");
}

TEST(ScheduleTable, RefusesValuesThatCannotBe) {
  EXPECT_EQ(errorOf(changed([](json::Object &document) { firstSchedule(document)["us"] = 0; })),
            "expected microseconds above 0 as /kernels/0/schedules/0/us");
  EXPECT_EQ(errorOf(changed([](json::Object &document) { firstSchedule(document)["date"] = "today"; })),
            "expected a date, YYYY-MM-DD, as /kernels/0/schedules/0/date");
  EXPECT_EQ(errorOf(changed([](json::Object &document) { firstSchedule(document)["rows"] = json::Array{17, 32}; })),
            "expected the first and the last number of rows, or *, with measured_rows between them, as "
            "/kernels/0/schedules/0/rows");
  EXPECT_EQ(errorOf(changed([](json::Object &document) { firstKernel(document)["name"] = ""; })),
            "expected a string as /kernels/0/name");
  EXPECT_EQ(errorOf(changed([](json::Object &document) { document["kernels"] = 1; })), "expected a list as /kernels");
}

TEST(ScheduleTable, RefusesRangesThatOverlapAndAKernelTwice) {
  EXPECT_EQ(errorOf(changed([](json::Object &document) { firstSchedule(document)["rows"] = json::Array{8, 2048}; })),
            "expected ranges of rows that ascend and do not overlap, but /kernels/0/schedules/1/rows begins at 2048, "
            "where the one before it still serves");
  EXPECT_EQ(errorOf(changed([](json::Object &document) {
              json::Array &kernels = *document.getArray("kernels");
              kernels.push_back(json::Value(kernels[0]));
            })),
            "expected each kernel once, but /kernels/2 has the signature of one before it");
}

TEST(ScheduleTable, TheShippedOnesCanBeRead) {
  const ScheduleTable *table = ScheduleTable::shipped("h200");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->target, "h200");
  EXPECT_EQ(table->chip, "sm_90");
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Status known = table->checkSchedules(context);
  EXPECT_TRUE(known) << known.error();
  EXPECT_EQ(ScheduleTable::shipped("a100"), nullptr);
}

} // namespace
