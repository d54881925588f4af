#include "storage/files/log_tail.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "storage/rocks/log_drops.h"
#include "storage/rocks/rocks_store.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

class LogTailTest : public testing::Test {
 protected:
  // Makes a store with kBatches batches in its log, as a kill leaves it: copied while it is open.
  void SetUp() override {
    RocksOptions options;
    options.path = directory_.path() / "live";
    auto opened = RocksStore::open(options, tiers_);
    ASSERT_TRUE(opened);
    for (TickNo tick = 1; tick <= kBatches; ++tick) {
      StoreBatch batch;
      batch.tick = tick;
      batch.journal.push_back({tick, std::string(kRowBytes, static_cast<char>(tick))});
      ends_.push_back(read(newest_log(options.path + "/db")).size());
      ASSERT_TRUE((*opened)->write(batch));
    }
    fs::copy(directory_.path() / "live", data(), fs::copy_options::recursive);
    fs::remove(data() / "db" / "LOCK");
    log_ = newest_log(data() / "db");
  }
  fs::path data() const { return directory_.path() / "data"; }
  static fs::path newest_log(const fs::path& database) {
    fs::path newest;
    for (const auto& entry : fs::directory_iterator(database)) {
      if (entry.path().extension() == ".log") newest = std::max(newest, entry.path());
    }
    return newest;
  }
  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(log_, std::ios::binary) << bytes; }
  Result<TickNo> last_tick(bool salvage = false) {
    RocksOptions options;
    options.path = data();
    options.salvage = salvage;
    options.warn = [this](std::string_view what) { warnings_ += std::string(what) + "\n"; };
    auto opened = RocksStore::open(options, tiers_);
    if (!opened) return opened.error();
    drops_ = (*opened)->log_drops();
    return (*opened)->snapshot()->last_tick();
  }

  static constexpr TickNo kBatches = 4;
  static constexpr size_t kRowBytes = 50'000;  // a batch spans several blocks of the log
  const Tiers tiers_ = *Tiers::parse("10s:10d");
  TempDirectory directory_;
  fs::path log_;
  std::vector<size_t> ends_;  // the log's size before each batch
  std::string warnings_;
  LogDrops drops_;
};

TEST_F(LogTailTest, AnUndamagedLogIsWhole) {
  const std::string bytes = read(log_);
  EXPECT_EQ(inspect_log(bytes), LogEnd::kWhole);
  EXPECT_EQ(*inspect_newest_log(*rocksdb::FileSystem::Default(), data() / "db"), LogEnd::kWhole);
  EXPECT_EQ(inspect_log({}), LogEnd::kWhole);
  EXPECT_EQ(*last_tick(), kBatches);
}

TEST_F(LogTailTest, TheBytesOfLogsAreThoseOfTheirFiles) {
  rocksdb::FileSystem& files = *rocksdb::FileSystem::Default();
  const uint64_t size = fs::file_size(log_);
  EXPECT_EQ(log_bytes(files, data() / "db"), size);
  std::ofstream(data() / "db" / "999999.log") << "seven..";
  EXPECT_EQ(log_bytes(files, data() / "db"), size + 7);
  EXPECT_EQ(log_bytes(files, data() / "nowhere"), 0U);
}

// Any pages of the last batch that never reached the disk may be zeros or noise.
TEST_F(LogTailTest, TheLastBatchMayBeTornAnywhere) {
  const std::string bytes = read(log_);
  for (size_t at = ends_.back(); at < bytes.size(); at += 4096) {
    for (const char filling : {'\0', '\xa5'}) {
      std::string torn = bytes;
      torn.replace(at, 4096, std::min<size_t>(4096, torn.size() - at), filling);
      EXPECT_NE(inspect_log(torn), LogEnd::kDamaged) << at;
      write(torn);
      const auto tick = last_tick();
      ASSERT_TRUE(tick) << at << ": " << tick.error().message;
      EXPECT_EQ(*tick, kBatches - 1) << at;
      fs::remove_all(data());
      fs::copy(directory_.path() / "live", data(), fs::copy_options::recursive);
      log_ = newest_log(data() / "db");
    }
  }
}

TEST_F(LogTailTest, DamageBeforeAnotherBatchIsRefusedAndSalvageReportsWhatItLeavesOut) {
  const std::string bytes = read(log_);
  std::string damaged = bytes;
  damaged[ends_[1] + 1000] ^= 1;
  EXPECT_EQ(inspect_log(damaged), LogEnd::kDamaged);
  write(damaged);
  const auto refused = last_tick();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(read(log_), damaged) << "a refused start changes nothing";
  EXPECT_EQ(*last_tick(true), kBatches);
  EXPECT_GE(drops_.places, 1U);
  EXPECT_GE(drops_.bytes, 30'000U);
  EXPECT_EQ(*last_tick(), kBatches) << "a salvaged log needs no second salvage";
}

TEST_F(LogTailTest, DamageOfAnyByteOfAHeaderIsFound) {
  const std::string bytes = read(log_);
  for (size_t i = 0; i < 7; ++i) {
    std::string damaged = bytes;
    damaged[ends_[2] + i] ^= 1;
    EXPECT_EQ(inspect_log(damaged), LogEnd::kDamaged) << i;
    damaged = bytes;
    damaged[ends_[3] + i] ^= 1;
    EXPECT_EQ(inspect_log(damaged), LogEnd::kTorn) << i;
  }
}

TEST(LogDrops, AreParsedFromWarnings) {
  EXPECT_EQ(dropped_bytes("/d/db/000012.log: dropping 4711 bytes; Corruption: checksum mismatch"), 4711U);
  EXPECT_EQ(dropped_bytes("(ignoring error) /d/000012.log: dropping 7 bytes; x"), 7U);
  EXPECT_EQ(dropped_bytes("stalling writes"), std::nullopt);
  EXPECT_EQ(dropped_bytes("x: dropping many bytes"), std::nullopt);
  EXPECT_EQ(dropped_bytes("x: dropping 7"), std::nullopt);
}

}  // namespace
}  // namespace statmill
