// ValueRow: what the series of senders that repeat themselves had last: the values of cumulative counters and
// histograms, which only their growth is stored of, and the times of all others, so that a repeated sample
// counts once.
//
// A tick writes one row of the entries that have changed, with their whole state: a later row replaces what
// an earlier one says of a name. FORMAT.md, "Last values".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "proto/last_value.h"
#include "storage/ids.h"

namespace statmill {

// Writes one row.
class ValueRowWriter {
 public:
  // `bytes_expected`: for how long a row memory is allocated at once.
  explicit ValueRowWriter(Timestamp now, size_t bytes_expected = 0);
  void add(const LastValue& value);
  size_t size() const { return bytes_.size(); }
  bool is_empty() const { return is_empty_; }
  // Returns the row of this tick. Call it once.
  std::string finish(TickNo tick) &&;

 private:
  std::string bytes_;
  int64_t time_ms_ = 0;  // of the entry before
  int64_t now_s_;
  bool is_empty_ = true;
};

// Reads the entries of a row whose checksum is right.
class ValueRowReader {
 public:
  // `bytes` must outlive it. Errors: kCorrupt, kVersion.
  static Result<ValueRowReader> open(TickNo tick, std::string_view bytes);
  // Returns nullopt after the last entry. Errors: kCorrupt.
  Result<std::optional<LastValue>> next();

 private:
  explicit ValueRowReader(std::string_view entries) : entries_(entries) {}
  std::string_view entries_;
  int64_t time_ms_ = 0;
  int64_t now_s_ = 0;
};

// The key of the row: "values", tick u64.
std::string value_row_key(TickNo tick);
// Returns nullopt if `bytes` are not the key of such a row.
std::optional<TickNo> parse_value_row_key(std::string_view bytes);

}  // namespace statmill
