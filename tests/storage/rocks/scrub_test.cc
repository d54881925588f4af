#include "storage/rocks/scrub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/document_row.h"
#include "storage/family_row.h"
#include "storage/keys.h"
#include "storage/rocks/rocks_database.h"
#include "storage/value_row.h"
#include "tests/storage/histograms.h"
#include "tests/storage/rocks/stored_data.h"

namespace statmill {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> words(const ScrubReport& report) {
  std::vector<std::string> out;
  for (const ScrubReport::Fault& fault : report.faults) out.push_back(fault.where + ": " + fault.what);
  EXPECT_EQ(out.size(), report.fault_count);
  return out;
}

class ScrubTest : public StoredData {
 protected:
  void SetUp() override { fill(); }

  // Writes a row that the store itself never writes.
  void plant(int family, const std::string& key, const std::string& value) {
    close();
    auto database = RocksDatabase::open(data() + "/db", {}, tiers_);
    ASSERT_TRUE(database);
    ASSERT_TRUE(
        (*database)->db().Put({}, (*database)->families()[static_cast<size_t>(family)], key, value).ok());
  }
  ScrubReport scrub_offline() {
    close();
    auto report = scrub_directory(data(), job_);
    EXPECT_TRUE(report) << report.error().message;
    return report ? std::move(*report) : ScrubReport{};
  }
  std::vector<std::string> faults() { return words(scrub_offline()); }
  // Returns the file of the family that begins with the key.
  std::string file_of(std::string_view family, const std::string& key) {
    const auto database = RocksDatabase::open(data() + "/db", {}, tiers_, RocksAccess::kReadOnly);
    std::vector<rocksdb::LiveFileMetaData> files;
    (*database)->db().GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      if (file.column_family_name == family && file.smallestkey == key) return file.db_path + file.name;
    }
    ADD_FAILURE() << "no such file";
    return {};
  }

  static constexpr int kMeta = 0;
  static constexpr int kCatalog = 1;
  static constexpr int kJournal = 2;
  static constexpr int kFinest = 3;
};

TEST_F(ScrubTest, CountsTheContentOfAnUndamagedStore) {
  ASSERT_TRUE(store_->flush());
  const auto report = store_->scrub(job_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(job_.progress().total, 2 * report->file_bytes) << "files, then rows";
  EXPECT_EQ(job_.progress().done, job_.progress().total);
  EXPECT_THAT(words(*report), IsEmpty());
  EXPECT_EQ(report->series, kSeries);
  EXPECT_EQ(report->journal_rows, 1U);
  EXPECT_EQ(report->journal_entries, 2U);
  EXPECT_EQ(report->activity_rows, 1U);
  EXPECT_GE(report->files, 4U);
  ASSERT_EQ(report->tiers.size(), 3U);
  EXPECT_EQ(report->tiers[0].name, "tier_10s");
  EXPECT_EQ(report->tiers[0].rows, kSeries);
  EXPECT_EQ(report->tiers[0].buckets, 2 * kSeries);
  EXPECT_EQ(report->tiers[1].name, "tier_5m");
  EXPECT_EQ(report->tiers[1].frames, kSeries);
  EXPECT_EQ(report->tiers[1].buckets, kSeries);
  EXPECT_GT(report->tiers[1].bytes, 0U);
  EXPECT_EQ(report->tiers[2].name, "tier_1s");
}

TEST_F(ScrubTest, ReadsTheLogToo) {
  const ScrubReport report = scrub_offline();
  EXPECT_THAT(words(report), IsEmpty());
  EXPECT_EQ(report.tiers.at(0).rows, kSeries);
}

TEST_F(ScrubTest, ChangesNothing) {
  close();
  const auto before = files_under(data());
  ASSERT_TRUE(scrub_directory(data(), job_));
  EXPECT_EQ(files_under(data()), before);
}

TEST_F(ScrubTest, ReadsABackupInPlace) {
  ASSERT_TRUE(backup_to(path("backup"), job_));
  const auto before = files_under(path("backup"));
  const auto report = scrub_directory(path("backup"), job_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(words(*report), IsEmpty());
  EXPECT_EQ(report->tiers.at(0).rows, kSeries);
  EXPECT_EQ(files_under(path("backup")), before);
}

TEST_F(ScrubTest, ComparesHistogramsWithTheirBuckets) {
  const ChunkKey key{0, kChunk, 7};
  const Slot first = Slot{kChunk} * tiers_[0].chunk_slots;
  const auto chunk = [&](Slot slot, uint64_t samples) {
    const std::vector<SlotHistogram> histograms = {{slot, histogram_of({{5, samples}})}};
    return frames(key, 0, 1) + encode_histogram_frame(key, first, histograms);
  };
  const uint64_t count =
      decode_chunk(key, first, tiers_[0].chunk_slots, frames(key, 0, 1)).buckets.at(0).bucket.count();
  plant(kFinest, chunk_key(kChunk, 7), chunk(first, count));
  const ScrubReport sound = scrub_offline();
  EXPECT_THAT(words(sound), IsEmpty());
  EXPECT_EQ(sound.tiers.at(0).histograms, 1U);
  for (const std::string& wrong : {chunk(first, count + 1), chunk(first + 1, count)}) {
    plant(kFinest, chunk_key(kChunk, 7), wrong);
    EXPECT_THAT(
        faults(),
        ElementsAre(
            "tier_10s chunk 3 series 7 (series.7): buckets and histograms differ in slots or counts"));
  }
}

TEST_F(ScrubTest, FindsInvalidRows) {
  std::string damaged = frames({0, kChunk, 7}, 0, 1);
  damaged[3] = static_cast<char>(damaged[3] ^ 1);
  std::string torn_journal = journal_row(9);
  torn_journal.pop_back();
  struct Case {
    int family;
    std::string key;
    std::string value;
    std::string fault;
  };
  const std::vector<Case> cases = {
      {kFinest, chunk_key(kChunk, 7), damaged, "tier_10s chunk 3 series 7 (series.7): 1 of 1 frames damaged"},
      {kFinest, chunk_key(kChunk, 7), frames({0, kChunk, 8}, 0, 1),
       "tier_10s chunk 3 series 7 (series.7): 1 of 1 frames damaged"},
      {kFinest, chunk_key(kChunk, 500), frames({0, kChunk, 500}, 0, 1),
       "tier_10s chunk 3 series 500: the series is not in the catalog"},
      {kFinest, "short", "", "tier_10s: a key is not 8 bytes long"},
      {kCatalog, series_key(500), std::string("\0series.7", 9),
       "series 500 (series.7): has the same name as series 7"},
      {kCatalog, series_key(500), std::string("\7odd", 4), "series 500: an impossible row"},
      {kCatalog, series_key(500), std::string("\0", 1), "series 500: an impossible row"},
      {kCatalog, "longer", "x", "series: a key is not 4 bytes long"},
      {kJournal, journal_key(9), torn_journal, "journal tick 9: journal row of tick 9: wrong checksum"},
      {kJournal, journal_key(9), journal_row(9, 500), "journal tick 9: series 500 is not in the catalog"},
      {kJournal, journal_key(9), journal_row(9, 9, 5),
       "journal tick 9: the row of tick 5 before it is missing"},
      {kJournal, "short", "", "journal: a key is not 8 bytes long"},
      {kMeta, flushed_key(6), std::string("12345678damage", 14), "activity of shard 6: activity: checksum"},
      {kMeta, flushed_key(6), std::string("12345678") + encode_activity({{500, 1, 1}}),
       "activity of shard 6: series 500 is not in the catalog"},
      {kMeta, std::string(kTickKey), "123", "default row tick: has 3 bytes"},
      {kMeta, family_key({"heat", Kind::kEvent}), std::string("\1\0\0damage", 9),
       "family heat: family row: checksum"},
      {kMeta, "family\4heat", "", "default: an unknown row"},
      {kMeta, document_key({DocumentKind::kEvent, "a\1"}), std::string("\1\0damage", 8),
       "event 6101: document row: checksum"},
      {kMeta, "document\5x", "", "default: an unknown row"},
      {kMeta, value_row_key(9), "\1damage", "values tick 9: value row: checksum"},
      {kMeta, "values", "", "default: an unknown row"},
      {kMeta, "novelty", "", "default: an unknown row"},
  };
  for (const Case& c : cases) {
    std::filesystem::remove_all(data());
    fill();
    plant(c.family, c.key, c.value);
    EXPECT_THAT(faults(), ElementsAre(c.fault));
  }
}

TEST_F(ScrubTest, KnowsDeletedSeries) {
  plant(kCatalog, series_key(7), encode_deleted_series());
  const ScrubReport report = scrub_offline();
  EXPECT_THAT(words(report), IsEmpty());
  EXPECT_EQ(report.series, kSeries - 1);
}

TEST_F(ScrubTest, FindsAChangedByteInAFile) {
  ASSERT_TRUE(store_->flush());
  close();
  const auto sst = largest(data() + "/db", ".sst");
  damage_byte(sst, 50);
  EXPECT_THAT(faults(), Contains(HasSubstr("file " + sst.filename().string())));
}

TEST_F(ScrubTest, FindsMissingAndTruncatedFiles) {
  ASSERT_TRUE(store_->flush());
  ASSERT_TRUE(backup_to(path("backup"), job_));
  const auto sst = largest(path("backup/db"), ".sst");
  std::filesystem::resize_file(sst, std::filesystem::file_size(sst) / 2);
  const auto report = scrub_directory(path("backup"), job_);
  if (report) {  // RocksDB may refuse the database as a whole
    EXPECT_THAT(words(*report), Contains(HasSubstr(sst.filename().string())));
  } else {
    EXPECT_THAT(report.error().message, HasSubstr(sst.filename().string()));
  }
}

TEST_F(ScrubTest, ContinuesAfterAnUnreadableFile) {
  ASSERT_TRUE(store_->flush());
  StoreBatch later;
  later.tick = 3;
  later.fragments.push_back({{0, kChunk + 1, 1}, frames({0, kChunk + 1, 1}, 0, 1)});
  write(later);
  ASSERT_TRUE(store_->flush());
  std::atomic<bool> no{false};
  ASSERT_TRUE(store_->compact(no, job_));  // a file for each chunk number
  close();
  damage_byte(file_of("tier_10s", chunk_key(kChunk, 0)), 50);
  const ScrubReport report = scrub_offline();
  EXPECT_THAT(words(report), Contains(StartsWith("tier_10s file ")));
  EXPECT_EQ(report.tiers.at(0).rows, 1U) << "of the later chunk";
}

TEST_F(ScrubTest, CanBeCancelled) {
  LongJob cancelled([] { return true; });
  const auto report = store_->scrub(cancelled);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kUnavailable);
}

TEST_F(ScrubTest, ReportsWhatIsNotAStore) {
  EXPECT_EQ(scrub_directory(path("nothing"), job_).error().code, ErrorCode::kNotFound);
  directory_.write("other/FORMAT", "a diary\n");
  EXPECT_EQ(scrub_directory(path("other"), job_).error().code, ErrorCode::kInvalid);
}

}  // namespace
}  // namespace statmill
