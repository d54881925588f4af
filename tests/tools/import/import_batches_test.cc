// Batches, states and comparisons of imports.
#include "tools/statmill/import/import_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/temp_directory.h"
#include "tools/statmill/import/counter_steps.h"
#include "tools/statmill/import/import_report.h"
#include "tools/statmill/import/import_state.h"
#include "tools/statmill/import/import_verify.h"

namespace statmill {
namespace {

using testing::ElementsAre;

struct SentBatch {
  uint64_t seq;
  std::string text;
  ImportCheckpoint end;
};

// Passes the samples of two pieces to batches, beginning at a checkpoint.
std::vector<SentBatch> batches_from(const ImportCheckpoint& from, int samples) {
  std::vector<SentBatch> sent;
  ImportBatches batches({.from = from, .send = [&](const BatchFrame& batch, const ImportCheckpoint& end) {
                           sent.push_back({batch.seq, std::string(batch.text), end});
                           return Status::ok();
                         }});
  Sample sample;
  sample.name = "some.series.with.a.name.of.some.length";
  for (uint64_t piece = 0; piece < 2; ++piece) {
    const ReadPosition at{piece * 100, piece};
    if (at.offset < from.from.offset) continue;
    batches.begin_piece(0, at);
    for (int i = 0; i < samples; ++i) {
      sample.time_s = i;
      sample.value = Number::decimal(static_cast<int64_t>(piece) * 1000 + i, 0);
      EXPECT_TRUE(batches.add(sample));
    }
  }
  EXPECT_TRUE(batches.finish());
  return sent;
}

TEST(ImportBatches, RefuseTimesThatNoServerCanBeAskedFor) {
  ImportTotals totals;
  ImportBatches batches({.totals = &totals});
  Sample sample;
  sample.name = "a";
  sample.value = Number::decimal(1, 0);
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const int64_t time_s : {kLeast, int64_t{-1}, int64_t{0}, int64_t{99'999'999'999}, kMost}) {
    sample.time_s = time_s;
    EXPECT_TRUE(batches.add(sample));
  }
  EXPECT_TRUE(batches.finish());
  EXPECT_EQ(batches.account().samples, 2U);
  EXPECT_EQ(batches.account().refused.at("too_old").count, 2U);
  EXPECT_EQ(batches.account().refused.at("too_new").count, 1U);
  EXPECT_EQ(totals.windows(), 2U);
}

TEST(ImportBatches, AreTheSameFromAnyCheckpoint) {
  const std::vector<SentBatch> all = batches_from({}, 7'000);
  ASSERT_GE(all.size(), 4U);
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<SentBatch> rest = batches_from(all[i].end, 7'000);
    ASSERT_EQ(rest.size(), all.size() - i - 1);
    for (size_t k = 0; k < rest.size(); ++k) {
      EXPECT_EQ(rest[k].seq, all[i + 1 + k].seq);
      EXPECT_EQ(rest[k].text, all[i + 1 + k].text);
      EXPECT_EQ(rest[k].end, all[i + 1 + k].end);
    }
  }
}

TEST(ImportBatches, RefuseWhatContradictsItselfAndLongNames) {
  ImportBatches batches({.prefix = std::string(2000, 'p'), .is_strict = false});
  batches.begin_file("f", "line");
  Sample sample;
  sample.time_s = 1;
  sample.name = "a";
  ReadyBucket ready{3, {}, Number::decimal(5, 0), Number::decimal(4, 0)};
  sample.ready = &ready;
  EXPECT_TRUE(batches.add(sample));
  sample.ready = nullptr;
  const std::string name(100, 'a');
  sample.name = name;
  EXPECT_TRUE(batches.add(sample));
  EXPECT_EQ(batches.account().samples, 0U);
  EXPECT_EQ(batches.account().refused.at("bad_bucket").count, 1U);
  EXPECT_EQ(batches.account().refused.at("name_too_long").first, "f");
}

TEST(ImportBatches, EndAtTheFirstRefusalIfTheyAreStrict) {
  ImportBatches batches({.is_strict = true});
  batches.begin_file("f", "line");
  EXPECT_FALSE(batches.refuse(3, "bad_value"));
  EXPECT_EQ(batches.status().error().message, "f, line 3: bad_value");
}

TEST(ImportState, IsReadAsItWasWritten) {
  TempDirectory directory;
  const std::string path = (directory.path() / "state").string();
  EXPECT_EQ(read_import_state(path).error().code, ErrorCode::kNotFound);
  ImportState state = ImportState::fresh(Timestamp(Duration(1'700'000'000'123)));
  state.input = UINT64_MAX;
  state.server = "[::1]:8113";
  state.checkpoint = {17, 9431, 3, {52'428'800, 1200}, 400};
  ASSERT_TRUE(write_import_state(path, state));
  const auto read = read_import_state(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, state);
  const std::string text = import_state_text(state);
  for (size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(parse_import_state(text.substr(0, size)));
}

TEST(CounterSteps, CountWhatIsNewer) {
  CounterSteps steps;
  const auto step = [&](int64_t time_ms, const char* text) {
    Number value;
    EXPECT_TRUE(parse_number(text, value).is_accepted());
    std::optional<Number> out;
    EXPECT_TRUE(steps.count("a", time_ms, value, out).is_accepted());
    return out ? std::to_string(out->value()).substr(0, 4) : "none";
  };
  EXPECT_EQ(step(10, "5.5"), "0.00") << "what came before is not known";
  EXPECT_EQ(step(20, "6.75"), "1.25");
  EXPECT_EQ(step(20, "7"), "none") << "not newer";
  EXPECT_EQ(step(30, "6.75"), "0.00");
  EXPECT_EQ(step(40, "2"), "2.00") << "it began again";
}

Bucket bucket_of_numbers(const std::vector<double>& numbers) {
  Bucket out;
  for (const double number : numbers) out.merge(Bucket::of(Number::shortest(number)));
  return out;
}

TEST(ImportVerify, SaysWhatDiffers) {
  const Bucket read = bucket_of_numbers({1.5, 2.5});
  EXPECT_EQ(difference_text(Kind::kGauge, read, {"2", "4", "1.5", "2.5", "0.7071067811865476"}), "");
  EXPECT_EQ(difference_text(Kind::kGauge, read, {"1", "4", "1.5", "2.5", "0"}), "count is 1, not 2");
  EXPECT_EQ(difference_text(Kind::kGauge, read, {"", "", "", "", ""}), "count is none, not 2");
  EXPECT_EQ(difference_text(Kind::kGauge, read, {"2", "4.1", "1.5", "2.5", "0"}), "sum is 4.1, not 4");
  EXPECT_EQ(difference_text(Kind::kGauge, read, {"2", "4", "1.5", "2.6", "0"}), "max is 2.6, not 2.5");
  EXPECT_EQ(difference_text(Kind::kGauge, read, {"2", "4", "1.5", "2.5", "0.8"}),
            "stddev is 0.8, not 0.7071067811865476");
  EXPECT_EQ(difference_text(Kind::kEvent, read, {"7", "4", "", "", ""}), "") << "only the total counts";
  EXPECT_EQ(difference_text(Kind::kEvent, read, {"7", "5", "", "", ""}), "sum is 5, not 4");
}

TEST(ImportReport, SaysWhatWasReadRefusedAndCompared) {
  ImportReport report;
  report.account = {1'234'567, 2, {{"bad_value", {3, "a.csv, line 7"}}}};
  report.sent.lines_refused = 5;
  report.by_reason = {{"too_old", 5}};
  report.elapsed = Duration(2'000);
  report.comparison = ImportComparison{.series = 1,
                                       .windows = 2,
                                       .differing = 1,
                                       .first = {{"a", 0, "count is 1, not 6"}},
                                       .refused_least = 4,
                                       .refused_most = 6};
  EXPECT_EQ(import_report_text(report),
            "imported 1,234,567 points from 2 files in 2.0 s, 617,283 a second\n"
            "refused 3: bad_value, the first in a.csv, line 7\n"
            "the server refused 5, too_old 5\n"
            "compared 1 series in 2 weeks: 1 differ, by what was refused\n"
            "  a from 1970-01-01T00:00:00Z: count is 1, not 6\n");
  EXPECT_EQ(report.code(), ExitCode::kRefused);
  report.comparison->refused_least = 6;
  EXPECT_EQ(report.code(), ExitCode::kFailed) << "fewer were refused than are missing";
  report.comparison->refused_least = 0;
  report.comparison->refused_most = 4;
  EXPECT_EQ(report.code(), ExitCode::kFailed) << "more were refused than are missing";
  report.left_out = 1;
  EXPECT_EQ(report.code(), ExitCode::kRefused);
  report.comparison->has_more = true;
  EXPECT_EQ(report.code(), ExitCode::kFailed);
}

TEST(ImportReport, SaysHowFarAComparisonCame) {
  ImportReport report;
  report.comparison = ImportComparison{.series = 1, .windows = 2};
  report.comparison->fault = Error{ErrorCode::kUnavailable, "cannot reach it"};
  EXPECT_THAT(import_report_text(report), testing::HasSubstr("in 2 weeks: nothing differs so far\n"));
  EXPECT_EQ(report.code(), ExitCode::kUnreachable);
}

}  // namespace
}  // namespace statmill
