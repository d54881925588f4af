// The readers of other systems' files: what becomes of each, and that hostile files are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/check.h"
#include "tests/support/temp_directory.h"
#include "tests/tools/import/collected_history.h"
#include "tests/tools/import/history_test.h"
#include "tools/statmill/import/block_file.h"
#include "tools/statmill/import/csv_reader.h"
#include "tools/statmill/import/exposition_reader.h"
#include "tools/statmill/import/history_files.h"
#include "tools/statmill/import/import_run.h"
#include "tools/statmill/import/istatd_reader.h"
#include "tools/statmill/import/tier_cover.h"
#include "tools/statmill/import/whisper_reader.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <class T>
void append_raw(std::string& out, T value, bool is_big_endian) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), &value, sizeof(T));
  if (is_big_endian) std::reverse(raw.begin(), raw.end());
  out.append(raw.data(), raw.size());
}

TEST_F(History, CsvHasALineForEachSample) {
  const CollectedHistory out = read("a.csv",
                                    "name,kind,time,value,count,squares,min,max,cells,dc\r\n"
                                    "cpu,gauge,1700000000,1.5,,,,,,eu\r\n"
                                    "\"'=a,\"\"b\"\"\",event,1700000000000,2,1,,,,,\r\n"
                                    "d,distribution,2023-11-14T22:13:20Z,41,2,841,20,21,32873:1 32875:1,\r\n"
                                    "g,gauge,7,0.3,3,~1e-40,0.1,0.1,,\r\n"
                                    "g,gauge,now,1,,,,,,\r\n"
                                    "g,nothing,7,1,,,,,,\r\n"
                                    "g,gauge,7,x,,,,,,\r\n"
                                    "g,7\r\n"
                                    "\"g\r\n",
                                    HistoryFormat::kCsv);
  EXPECT_THAT(out.lines,
              ElementsAre("cpu;dc=eu 1700000000 1.5", "$e =a,\"b\" 1700000000 2",
                          "$d d 1700000000 41 841 20 21 2 32873:1 32875:1", "$g g 7 0.3 ~1e-40 0.1 0.1 3"));
  EXPECT_THAT(out.refused,
              ElementsAre("6 bad_time", "7 bad_csv", "8 bad_value", "9 field_count", "10 bad_csv"));
}

TEST_F(History, CsvMayHaveAColumnForEachSeries) {
  const CollectedHistory out =
      read("a.csv", "time,cpu,mem;host=a\n10,1,2\n20,,3\n30,nan,4\n", HistoryFormat::kCsv);
  EXPECT_THAT(out.lines, ElementsAre("cpu 10 1", "mem;host=a 10 2", "mem;host=a 20 3", "mem;host=a 30 4"));
  EXPECT_THAT(out.refused, ElementsAre("4 not_finite"));
  const std::string path = directory_.write("b.csv", "a,b\n1,2\n");
  EXPECT_FALSE(open_history({.path = path, .format = HistoryFormat::kCsv}, -1, {})) << "no header";
}

TEST_F(History, CumulativeCountersBecomeIncrements) {
  const CollectedHistory out = read("a.om",
                                    "# TYPE req counter\n"
                                    "req_total{code=\"200\"} 10 1.5\n"
                                    "req_total{code=\"200\"} 15 2.5\n"
                                    "req_total{code=\"200\"} 3 3\n"
                                    "req_created 1 3\n"
                                    "# TYPE lat histogram\n"
                                    "lat_sum 1.5 1\n"
                                    "lat_sum 2 2\n"
                                    "# TYPE temp gauge\n"
                                    "temp 20 1\n"
                                    "temp NaN 2\n"
                                    "temp 20\n"
                                    "# EOF\n",
                                    HistoryFormat::kOpenMetrics);
  EXPECT_THAT(out.lines, ElementsAre("$c req_total;code=200 1 0", "$c req_total;code=200 2 5",
                                     "$c req_total;code=200 3 3", "req_created 3 1", "$c lat_sum 1 0",
                                     "$c lat_sum 2 0.5", "temp 1 20"));
  EXPECT_THAT(out.refused, ElementsAre("11 not_finite", "12 bad_time"));
}

TEST_F(History, PromtoolsDumpIsRead) {
  const CollectedHistory out = read("dump.txt",
                                    "{__name__=\"up\", job=\"a\"} 1 1700000000123\n"
                                    "{__name__=\"up\", job=\"a\"} 0 1700000010123\n"
                                    "{__name__=\"x_total\"} 7 1700000000123\n"
                                    "nonsense\n",
                                    HistoryFormat::kPrometheus);
  EXPECT_THAT(out.lines,
              ElementsAre("up;job=a 1700000000 1", "up;job=a 1700000010 0", "$c x_total 1700000000 0"));
  EXPECT_THAT(out.refused, ElementsAre("4 field_count"));
}

TEST(TierRanges, EachTimeIsOfTheFinestTierThatHasIt) {
  const FileTier tiers[] = {{10, 60}, {60, 600}, {300, 3000}};
  const auto ranges = tier_ranges(tiers, 10'000);
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_TRUE(ranges[0].has(10'000));
  EXPECT_EQ(ranges[0].begin_s, 9'960) << "9950, up to a whole minute";
  EXPECT_EQ(ranges[1].end_s, 9'960);
  EXPECT_EQ(ranges[1].begin_s, 9'600) << "9460, up to whole 5 minutes";
  EXPECT_EQ(ranges[2].begin_s, 6'900);
  EXPECT_EQ(tier_ranges(std::vector<FileTier>{{10, 20}, {60, 120}}, 980)[0].begin_s, 970)
      << "a minute that is not over yet";
}

std::string whisper(uint32_t aggregation,
                    const std::vector<std::vector<std::pair<uint32_t, double>>>& archives,
                    const std::vector<uint32_t>& steps) {
  std::string out;
  append_raw<uint32_t>(out, aggregation, true);
  append_raw<uint32_t>(out, 0, true);
  append_raw<float>(out, 0.5F, true);
  append_raw<uint32_t>(out, static_cast<uint32_t>(archives.size()), true);
  auto offset = static_cast<uint32_t>(16 + 12 * archives.size());
  for (size_t i = 0; i < archives.size(); ++i) {
    append_raw<uint32_t>(out, offset, true);
    append_raw<uint32_t>(out, steps[i], true);
    append_raw<uint32_t>(out, static_cast<uint32_t>(archives[i].size()), true);
    offset += static_cast<uint32_t>(12 * archives[i].size());
  }
  for (const auto& points : archives) {
    for (const auto& [time, value] : points) {
      append_raw<uint32_t>(out, time, true);
      append_raw<double>(out, value, true);
    }
  }
  return out;
}

TEST_F(History, WhisperTimesComeFromTheFinestArchive) {
  // 10 s for a minute, 60 s for ten; the newest point is of 1000.
  const std::string file =
      whisper(1,
              {{{960, 1}, {970, 0.1}, {0, 0}, {990, 3}, {1000, 4}, {950, 9}},
               {{900, 7}, {960, 8}, {840, 6}, {240, 5}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {780, NAN}}},
              {10, 60});
  const CollectedHistory out = read("a/b.wsp", file, HistoryFormat::kWhisper);
  EXPECT_THAT(out.lines,
              ElementsAre("a.b 900 7", "a.b 840 6", "a.b 960 1", "a.b 970 0.1", "a.b 990 3", "a.b 1000 4"));
  EXPECT_THAT(out.refused, ElementsAre(testing::EndsWith("not_finite")));
  EXPECT_THAT(read("c.wsp", whisper(2, {{{10, 3}}}, {10}), HistoryFormat::kWhisper).lines,
              ElementsAre("*c 10 3"))
      << "sums are of events";
}

// Otherwise all real points would be older than what the rings keep, and be left out.
TEST(Whisper, APointOfAWrongClockHidesNoOthers) {
  const std::string file =
      whisper(1, {{{960, 1}, {970, 2}, {980, 3}, {2'592'990, 9}, {1000, 4}, {950, 5}}, {{900, 7}, {840, 6}}},
              {10, 60});
  auto reader = make_whisper_reader(BlockFile::of(file, 1005), "a");
  ASSERT_TRUE(reader);
  CollectedHistory out;
  out.read_all(**reader);
  EXPECT_THAT(out.lines,
              ElementsAre("a 900 7", "a 840 6", "a 960 1", "a 970 2", "a 980 3", "a 2592990 9", "a 1000 4"));
}

TEST(NewestTime, LaterThanTheFileCountsOnlyAlone) {
  NewestTime newest(1000);
  EXPECT_EQ(newest.value(), 0);
  newest.add(1'000'000);
  EXPECT_EQ(newest.value(), 1'000'000);
  newest.add(900);
  newest.add(87'400);
  EXPECT_EQ(newest.value(), 87'400);
}

TEST(Whisper, NamesComeFromPaths) {
  EXPECT_EQ(whisper_name("a/b.c/d.wsp"), "a.b.c.d");
  EXPECT_EQ(whisper_name("_tagged/abc/def/disk_DOT_used;dc=eu.wsp"), "disk.used;dc=eu");
}

TEST(Whisper, EveryCutAndFlipEndsInOrder) {
  const std::string file = whisper(1, {{{960, 1}, {970, 2}}, {{900, 7}, {960, 8}}}, {10, 60});
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(make_whisper_reader(BlockFile::of(file.substr(0, size)), "a")) << size;
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string other = file;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    auto reader = make_whisper_reader(BlockFile::of(other), "a");
    CollectedHistory out;
    if (reader) out.read_all(**reader);
    EXPECT_LE(out.lines.size(), 4U);
  }
}

struct IstatdBucket {
  int64_t time_s;
  double sum;
  float min;
  float max;
  int32_t count;
  float squares;
};

std::string istatd(int32_t interval_s, int32_t flags, const std::vector<IstatdBucket>& buckets) {
  std::string out(kIstatdMagic);
  for (const int32_t value : {464, interval_s, flags, 8, 4, 0}) append_raw<int32_t>(out, value, false);
  append_raw<int64_t>(out, 8192, false);
  out.resize(8192);
  for (const IstatdBucket& b : buckets) {
    append_raw<int64_t>(out, b.time_s, false);
    append_raw<double>(out, b.sum, false);
    append_raw<float>(out, b.min, false);
    append_raw<float>(out, b.max, false);
    append_raw<int32_t>(out, b.count, false);
    append_raw<float>(out, b.squares, false);
  }
  return out;
}

CollectedHistory read_istatd(const std::vector<std::string>& files) {
  std::vector<BlockFile> opened;
  for (const std::string& file : files) opened.push_back(BlockFile::of(file));
  auto reader = make_istatd_reader(std::move(opened), "a.b");
  CollectedHistory out;
  EXPECT_TRUE(reader) << reader.error().message;
  if (reader) {
    EXPECT_EQ(out.read_all(**reader), "");
  }
  return out;
}

TEST(Istatd, BucketsKeepCountSumSquaresAndExtremes) {
  const std::string coarse =
      istatd(60, 0, {{840, 9, 1, 5, 3, 35}, {960, 100, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}});
  const std::string fine =
      istatd(10, 0, {{960, 0.3, 0.1F, 0.2F, 2, 0.05F}, {970, 4, 4, 4, 1, 16}, {0, 0, 0, 0, 0, 0}});
  const std::string trailing = istatd(300, 2, {{900, 5, 5, 5, 1, 25}});
  EXPECT_THAT(read_istatd({coarse, fine, trailing}).lines,
              ElementsAre("a.b 840 9 35 1 5 3", "a.b 960 0.3 0.05 0.1 0.2 2", "a.b 970 4"));
}

TEST(Istatd, RatesOfEventsBecomeAmounts) {
  const std::string fine = istatd(10, 1, {{960, 0.5, 0.5F, 0.5F, 1, 0.25F}});
  const std::string coarse = istatd(300, 4, {{600, 15, 0, 2, 30, 20}, {0, 0, 0, 0, 0, 0}});
  EXPECT_THAT(read_istatd({fine, coarse}).lines, ElementsAre("*a.b 600 150", "*a.b 960 5"));
}

TEST(Istatd, EveryCutAndFlipEndsInOrder) {
  const std::string file = istatd(10, 0, {{960, 9, 1, 5, 3, 35}, {970, 4, 4, 4, 1, 16}});
  for (const size_t size : {size_t{0}, size_t{40}, size_t{56}, size_t{8191}})
    EXPECT_FALSE(make_istatd_reader(
        [&] {
          std::vector<BlockFile> files;
          files.push_back(BlockFile::of(file.substr(0, size)));
          return files;
        }(),
        "a"));
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    if (bit > 56 * 8 && bit < 8192 * 8) continue;
    std::string other = file;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    std::vector<BlockFile> files;
    files.push_back(BlockFile::of(other));
    auto reader = make_istatd_reader(std::move(files), "a");
    CollectedHistory out;
    if (reader) out.read_all(**reader);
    EXPECT_LE(out.lines.size(), 512U);
  }
}

// As another user, since root may read everything.
class AsNobody {
 public:
  AsNobody() {
    if (::geteuid() == 0) is_other_ = ::seteuid(65'534) == 0;
  }
  ~AsNobody() {
    if (is_other_) SM_CHECK(::seteuid(0) == 0);
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  bool is_other_ = false;
};

TEST_F(History, WhatCannotBeReadIsSkippedAndCounted) {
  const std::string root = directory_.path();
  directory_.write("tree/a.csv", "time,a\n10,1\n");
  directory_.write("tree/closed/b.csv", "time,b\n10,1\n");
  directory_.write("tree/c.csv", "time,c\n10,1\n");
  directory_.write("tree/d.csv", "time,d\n10,1\n");
  std::filesystem::create_symlink("nowhere", root + "/tree/e.csv");
  ASSERT_EQ(::chmod(root.c_str(), 0755), 0);
  ASSERT_EQ(::chmod((root + "/tree/closed").c_str(), 0), 0);
  ASSERT_EQ(::chmod((root + "/tree/c.csv").c_str(), 0), 0);
  ImportBatches batches({});
  {
    const AsNobody other;
    const auto files = find_history_files({root + "/tree"}, std::nullopt);
    ASSERT_TRUE(files) << files.error().message;
    ASSERT_EQ(files->size(), 4U);
    LongJob job([] { return false; });
    EXPECT_TRUE(read_history({.files = *files}, {}, job, batches));
    const Status strict = read_history({.files = *files, .is_strict = true}, {}, job, batches);
    ASSERT_FALSE(strict);
    EXPECT_THAT(strict.error().message, testing::EndsWith("c.csv: Permission denied"));
  }
  ASSERT_EQ(::chmod((root + "/tree/closed").c_str(), 0700), 0);
  EXPECT_EQ(batches.account().samples, 2U + 2U);
  const auto& refused = batches.account().refused.at("unreadable");
  EXPECT_EQ(refused.count, 2U);
  EXPECT_EQ(refused.first, root + "/tree/c.csv: Permission denied");
}

TEST_F(History, APathThatIsNotThereEndsTheImport) {
  const auto files = find_history_files({directory_.path() / "no.csv"}, std::nullopt);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::kNotFound);
}

TEST_F(History, FormatsAreFoundOut) {
  const auto format = [this](const std::string& name, const std::string& bytes) {
    const auto files = find_history_files({directory_.write(name, bytes)}, std::nullopt);
    return files ? std::string(format_name(files->front().format)) : files.error().message;
  };
  EXPECT_EQ(format("a", "{\"name\":"), "jsonl");
  EXPECT_EQ(format("b", "{__name__=\"up\"} 1 2\n"), "prometheus");
  EXPECT_EQ(format("c", "# TYPE a gauge\na 1 2\n# EOF\n"), "openmetrics");
  EXPECT_EQ(format("d", "# TYPE a gauge\na 1 2\n"), "prometheus");
  EXPECT_EQ(format("e.csv", "time,a\n"), "csv");
  EXPECT_EQ(format("f.wsp", ""), "whisper");
  EXPECT_EQ(format("g", "<?xml version=\"1.0\"?>\n<!DOCTYPE rrd SYSTEM \"rrdtool.dtd\">"), "rrd");
  EXPECT_EQ(format("x", "<?xml version=\"1.0\"?>\n\n<xport>\n  <meta>"), "xport");
  EXPECT_EQ(format("h", "\x1f\x8b..."), "recording");
  EXPECT_EQ(format("10s", istatd(10, 0, {})), "istatd");
  EXPECT_THAT(format("i", "hello"), testing::HasSubstr("unknown format; use --format jsonl, csv"));
}

TEST_F(History, PipesAreRefusedAndDoNotBlock) {
  const std::string pipe = directory_.path() / "pipe.csv";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const auto format : {std::optional<HistoryFormat>(), std::optional(HistoryFormat::kCsv)}) {
    const auto files = find_history_files({pipe}, format);
    ASSERT_FALSE(files);
    EXPECT_THAT(files.error().message, testing::HasSubstr("no regular file"));
  }
}

TEST_F(History, FilesOfOneCounterOfIstatdBelongTogether) {
  std::filesystem::create_directories(directory_.path() / "store/a/b");
  std::filesystem::create_directories(directory_.path() / "store/a/c");
  for (const char* path : {"store/a/b/10s", "store/a/b/5m", "store/a/c/10s"})
    directory_.write(path, istatd(10, 0, {{960, 4, 4, 4, 1, 16}}));
  directory_.write("store/readme", "hello");
  const auto files = find_history_files({(directory_.path() / "store").string()}, std::nullopt);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].parts.size(), 2U);
  auto reader = open_history((*files)[1], -1, {});
  CollectedHistory out;
  ASSERT_TRUE(reader);
  EXPECT_EQ(out.read_all(**reader), "");
  EXPECT_THAT(out.lines, ElementsAre("a.c 960 4"));
  EXPECT_THAT(out.refused, IsEmpty());
}

}  // namespace
}  // namespace statmill
