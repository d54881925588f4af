// Sample: one observation as received, with views into the read buffer. Parsers of all dialects produce
// samples; the table adds them to its series.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/int128.h"
#include "proto/histogram_partition.h"
#include "proto/number.h"
#include "proto/refusal.h"

namespace statmill {

inline constexpr size_t kLineBytesMax = 65536;  // longer lines are refused (line_too_long)
inline constexpr size_t kNameBytesMax = 2048;   // the longest canonical name

// The kind of a series. Its first sample sets it for good. Stored on disk: never renumber.
enum class Kind : uint8_t {
  kGauge = 0,         // observations: each sample counts as one
  kEvent = 1,         // occurrences: samples of a slot add up; read as a rate per second
  kDistribution = 2,  // observations with a histogram
  kCounter = 3,       // what a counter elsewhere went up by: adds up as events do, but silence is unknown
};

inline constexpr std::array<Kind, 4> kKinds = {Kind::kGauge, Kind::kEvent, Kind::kDistribution,
                                               Kind::kCounter};
inline constexpr bool is_kind(uint8_t stored) { return stored <= static_cast<uint8_t>(Kind::kCounter); }

// Returns whether the samples of a slot are amounts, which add up to one total.
inline constexpr bool adds_up(Kind kind) { return kind == Kind::kEvent || kind == Kind::kCounter; }

// A bucket that the sender made of many samples. Its fields may still contradict each other.
struct ReadyBucket {
  uint64_t count = 0;
  Number sum_of_squares;
  Number min;
  Number max;
  // The sender's histogram: indices ascend, counts are not 0. Empty if it sent none, which
  // loses nothing if all samples are equal.
  std::span<const HistogramCell> cells = {};
  // How wide the sender's buckets are: as 2^joined_power of our partition, whose cells hold their middles. At
  // most kSentJoinedPowerMax.
  uint8_t joined_power = 0;
  // The rest comes from exact lines only, which carry what a store has.
  // The sum of squares is exact_squares / 10^squares_scale, unless squares_scale is negative: more digits
  // than a Number has.
  int8_t squares_scale = -1;
  Int128 exact_squares = 0;
  // The bucket is in doubles, and `sum_of_squares` is that of the deviations from the mean.
  bool has_deviations = false;
};

// What happens to a sample whose kind is not that of its series.
enum class OtherKind : uint8_t {
  kRefuse,  // with kind_mismatch
  kAccept,  // as a sample of the series' kind
};

struct Sample {
  Sample() {}  // if defaulted, emplace_back() would first zero all of it: 8 of 139 ns of a parsed line

  std::string_view name;               // canonical: normalised and fanned out; lives as long as its Batch
  Kind kind = Kind::kGauge;            // of the series, if the sample is its first one; see OtherKind
  bool is_in_ms = false;               // the dialect says that the values are milliseconds
  std::optional<int64_t> time_s;       // unix seconds; nullopt: the time of receipt
  Number value;                        // the observation, or the sum of a ready-made bucket
  const ReadyBucket* ready = nullptr;  // owned by its Batch; nullptr: a single observation
};

}  // namespace statmill
