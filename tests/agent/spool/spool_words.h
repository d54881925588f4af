// The words of the spool's tests: batches of numbered lines, and what a reader finds of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/spool/spool.h"
#include "agent/spool/spool_reader.h"
#include "tests/support/faulty_spool_directory.h"

namespace statmill {

inline constexpr std::string_view kHere = "here";

// Sanitizers see one in so many of the thousands of cases: each takes them thirty times as long.
inline constexpr int kStride = std::string_view(STATMILL_SANITIZE).empty() ? 1 : 7;

inline Timestamp at_second(int64_t s) { return from_unix_seconds(1'000'000 + s); }

// Counts up: the ids made of it differ.
inline RandomSource counting_source(uint64_t first = 1) {
  return [next = first]() mutable { return next++; };
}

// Lines of a name and a number each, from `first` on; with `bytes` each is at least as long.
inline LineBatch numbered_lines(uint64_t first, uint64_t count, size_t bytes = 0) {
  LineBatch batch;
  for (uint64_t i = first; i < first + count; ++i) {
    const std::string number = std::to_string(i);
    batch.text +=
        "n" + std::string(bytes > number.size() ? bytes - number.size() : 0, 'x') + " " + number + "\n";
  }
  batch.lines = count;
  return batch;
}

inline SpoolLocation place_at(std::string_view directory) { return {.directory = fact_hash(directory)}; }

inline std::unique_ptr<Spool> open_spool(SpoolDirectory& directory, const SpoolOptions& options,
                                         const SpoolLocation& place, uint64_t random = 1) {
  auto spool = Spool::open(directory, options, place, counting_source(random));
  if (!spool) {
    ADD_FAILURE() << spool.error().message;
    return nullptr;
  }
  return std::move(*spool);
}

inline std::unique_ptr<Spool> open_spool(SpoolDirectory& directory, const SpoolOptions& options = {},
                                         std::string_view place = kHere, uint64_t random = 1) {
  return open_spool(directory, options, place_at(place), random);
}

// A record with its own bytes.
struct ReadBatch {
  uint64_t seq = 0;
  uint64_t lines_before = 0;
  uint32_t lines = 0;
  Timestamp time{};
  uint64_t damaged = 0;
  std::string frame;
  std::string text;
};

inline ReadBatch own(const SpoolRecord& record) {
  const FrameRead frame = read_frame(record.frame);
  EXPECT_EQ(frame.state, FrameRead::State::kWhole);
  EXPECT_EQ(frame.bytes, record.frame.size());
  const auto batch = decode_batch(frame.payload);
  EXPECT_TRUE(batch.has_value());
  if (!batch) return {};
  EXPECT_EQ(batch->seq, record.seq);
  return {record.seq,
          record.lines_before,
          record.lines,
          record.time,
          record.damaged,
          std::string(record.frame),
          std::string(batch->text)};
}

// All that a reader gives from `seq` on.
inline std::vector<ReadBatch> read_from(SpoolReader& reader) {
  std::vector<ReadBatch> out;
  for (;;) {
    const auto record = reader.next();
    if (!record) {
      ADD_FAILURE() << record.error().message;
      return out;
    }
    if (!record->has_value()) return out;
    out.push_back(own(**record));
  }
}
inline std::vector<ReadBatch> read_all(Spool& spool, uint64_t seq = 1) {
  SpoolReader reader(spool);
  reader.seek(seq);
  return read_from(reader);
}
inline std::vector<uint64_t> seqs(const std::vector<ReadBatch>& batches) {
  std::vector<uint64_t> out;
  for (const ReadBatch& batch : batches) out.push_back(batch.seq);
  return out;
}
inline std::string texts(const std::vector<ReadBatch>& batches) {
  std::string out;
  for (const ReadBatch& batch : batches) out += batch.text;
  return out;
}

}  // namespace statmill
