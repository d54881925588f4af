// Helpers for the tests of the spool: batches of numbered lines, and what a reader finds of them.
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
#include "tests/support/sanitized.h"

namespace statmill {

inline constexpr std::string_view kHere = "here";

// Sanitizer builds run only one in this many of the thousands of cases, because each takes thirty
// times as long.
inline constexpr int kStride = kIsSanitized ? 7 : 1;

inline Timestamp at_second(int64_t s) { return from_unix_seconds(1'000'000 + s); }

// Counts up, so that ids made from it differ.
inline RandomSource counting_source(uint64_t first = 1) {
  return [next = first]() mutable { return next++; };
}

// Returns lines with a name and a number each, starting at `first`, each at least `bytes` long.
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

inline SpoolLocation location_at(std::string_view directory) { return {.directory = fact_hash(directory)}; }

inline std::unique_ptr<Spool> open_spool(SpoolDirectory& directory, const SpoolOptions& options,
                                         const SpoolLocation& location, uint64_t random = 1) {
  auto spool = Spool::open(directory, options, location, counting_source(random));
  if (!spool) {
    ADD_FAILURE() << spool.error().message;
    return nullptr;
  }
  return std::move(*spool);
}

inline std::unique_ptr<Spool> open_spool(SpoolDirectory& directory, const SpoolOptions& options = {},
                                         std::string_view location = kHere, uint64_t random = 1) {
  return open_spool(directory, options, location_at(location), random);
}

// A record that owns its bytes.
struct ReadBatch {
  uint64_t seq = 0;
  uint64_t lines_before = 0;
  uint32_t lines = 0;
  Timestamp time{};
  uint64_t damaged = 0;
  std::string frame;
  std::string text;
  std::string tags = {};
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
          std::string(batch->text),
          std::string(batch->tags)};
}

// Returns all remaining batches of a reader.
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
