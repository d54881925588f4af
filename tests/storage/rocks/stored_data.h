// StoredData: a data directory with some of everything in it, for tests of operations on whole stores.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "base/long_job.h"
#include "storage/activity.h"
#include "storage/codec/entry.h"
#include "storage/files/backup.h"
#include "storage/journal/journal.h"
#include "storage/rocks/rocks_store.h"
#include "tests/storage/buckets.h"
#include "tests/support/temp_directory.h"

namespace statmill {

// Every file under a directory with its content.
inline std::map<std::string, std::string> files_under(const std::filesystem::path& directory) {
  std::map<std::string, std::string> out;
  for (const auto& file : std::filesystem::recursive_directory_iterator(directory)) {
    std::ifstream in(file.path(), std::ios::binary);
    out[file.path().lexically_relative(directory)] =
        file.is_directory() ? "a directory" : std::string(std::istreambuf_iterator<char>(in), {});
  }
  return out;
}

inline void damage_byte(const std::filesystem::path& path, size_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(byte ^ 0x40));
  ASSERT_TRUE(file.flush().good()) << path;
}

class StoredData : public testing::Test {
 protected:
  static constexpr SeriesId kSeries = 100;
  static constexpr ChunkNo kChunk = 3;

  std::string data() const { return directory_.path() / "data"; }
  std::string path(std::string_view name) const { return directory_.path() / name; }

  Result<std::unique_ptr<RocksStore>> try_open(const std::string& path) {
    RocksOptions options;
    options.path = path;
    return RocksStore::open(options, tiers_);
  }
  // Copies the files of the store to a new backup, as a client of the server does.
  Result<BackupSummary> backup_to(const std::string& directory, LongJob& job) {
    constexpr size_t kPieceBytes = 100'000;
    const auto files = store_->files();
    if (!files) return files.error();
    auto writer = BackupWriter::make(directory);
    if (!writer) return writer.error();
    writer->set_format(files->format);
    const std::string from = files->checkpoint.path();
    job.expect(directory_bytes(from));
    for (const auto& file : std::filesystem::directory_iterator(from)) {
      uint64_t offset = 0;
      const auto next = [&] {
        auto piece = read_piece(file.path(), offset, kPieceBytes);
        if (piece) offset += piece->size();
        return piece;
      };
      if (Status added = writer->add(file.path().filename(), next, job); !added) return added.error();
    }
    return writer->finish();
  }
  void open() {
    store_.reset();
    auto opened = try_open(data());
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }
  void close() { store_.reset(); }
  void write(const StoreBatch& batch) {
    const Status written = store_->write(batch);
    ASSERT_TRUE(written) << written.error().message;
  }
  std::string frames(const ChunkKey& key, Slot offset, int64_t value) const {
    const Slot first = Slot{key.chunk} * tiers_[key.tier].chunk_slots;
    const SlotBucket bucket{first + offset, Bucket::of(Number::decimal(value, 0))};
    return encode_buckets(key, first, Combine::kMerge, {&bucket, 1});
  }
  // Two buckets, as two fragments, of every series in the finest tier, one in the next.
  void fill() {
    open();
    StoreBatch batch;
    for (SeriesId id = 0; id < kSeries; ++id) {
      batch.series.push_back({id, Kind::kGauge, "series." + std::to_string(id)});
      batch.fragments.push_back({{0, kChunk, id}, frames({0, kChunk, id}, 0, id)});
      batch.fragments.push_back({{0, kChunk, id}, frames({0, kChunk, id}, 1, id)});
      batch.fragments.push_back({{1, kChunk, id}, frames({1, kChunk, id}, 0, id)});
    }
    batch.flushed.push_back({5, 1, encode_activity({{1, 10, 20}, {7, 10, 10}})});
    batch.tick = 2;
    batch.journal.push_back({2, journal_row(2)});
    write(batch);
  }
  // One sample each of two series.
  static std::string journal_row(TickNo tick, SeriesId second = 9, TickNo previous = 0) {
    std::string entry;
    EntryReference reference;
    encode_entry(entry, reference, {30, Bucket::of(Number::decimal(5, 0))});
    const std::vector<JournalPiece> pieces = {{3, 1, entry}, {second, 1, entry}};
    return encode_journal_row({tick, previous}, pieces);
  }
  // The decoded content of every chunk of the store.
  std::map<ChunkKey, std::vector<SlotBucket>> content() {
    std::map<ChunkKey, std::vector<SlotBucket>> out;
    const auto snapshot = store_->snapshot();
    for (TierNo t = 0; t < tiers_.count(); ++t) {
      const int64_t slots = tiers_[t].chunk_slots;
      const Status scanned = snapshot->scan(t, kChunk, 0, [&](SeriesId id, std::string_view value) {
        const ChunkKey key{t, kChunk, id};
        out[key] = decode_chunk(key, Slot{kChunk} * slots, slots, value).buckets;
        return true;
      });
      EXPECT_TRUE(scanned);
    }
    return out;
  }
  // The largest file with this ending.
  static std::filesystem::path largest(const std::string& directory, std::string_view ending) {
    std::filesystem::path found;
    uint64_t size = 0;
    for (const auto& file : std::filesystem::directory_iterator(directory)) {
      if (file.path().extension() != ending || file.file_size() < size) continue;
      found = file.path();
      size = file.file_size();
    }
    EXPECT_FALSE(found.empty()) << ending;
    return found;
  }

  const Tiers tiers_ = *Tiers::parse("10s:1d,5m:1y");
  TempDirectory directory_;
  LongJob job_;  // all operations of a test
  std::unique_ptr<RocksStore> store_;
};

}  // namespace statmill
