#include "proto/refusal.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace statmill {
namespace {

TEST(Refusal, LabelsNeverChange) {
  constexpr std::array<std::pair<Refusal, std::string_view>, kRefusalCount> kPinned = {{
      {Refusal::kFieldCount, "field_count"},
      {Refusal::kBadValue, "bad_value"},
      {Refusal::kNotFinite, "not_finite"},
      {Refusal::kOutOfRange, "out_of_range"},
      {Refusal::kBadTime, "bad_time"},
      {Refusal::kBadBucket, "bad_bucket"},
      {Refusal::kEmptyName, "empty_name"},
      {Refusal::kNameTooLong, "name_too_long"},
      {Refusal::kBadName, "bad_name"},
      {Refusal::kBadTag, "bad_tag"},
      {Refusal::kDuplicateTag, "duplicate_tag"},
      {Refusal::kTagLimit, "tag_limit"},
      {Refusal::kFanOutLimit, "fan_out_limit"},
      {Refusal::kBadType, "bad_type"},
      {Refusal::kBadRate, "bad_rate"},
      {Refusal::kBadExtension, "bad_extension"},
      {Refusal::kUnsupported, "unsupported"},
      {Refusal::kReserved, "reserved"},
      {Refusal::kBadMetadata, "bad_metadata"},
      {Refusal::kMetadataLimit, "metadata_limit"},
      {Refusal::kLineTooLong, "line_too_long"},
      {Refusal::kUnterminated, "unterminated"},
      {Refusal::kBadPickle, "bad_pickle"},
      {Refusal::kWrongProtocol, "wrong_protocol"},
      {Refusal::kStateLimit, "state_limit"},
      {Refusal::kTooOld, "too_old"},
      {Refusal::kTooNew, "too_new"},
      {Refusal::kSeriesLimit, "series_limit"},
      {Refusal::kNameLimit, "name_limit"},
      {Refusal::kSenderLimit, "sender_limit"},
      {Refusal::kMemoryLimit, "memory_limit"},
      {Refusal::kKindMismatch, "kind_mismatch"},
      {Refusal::kOutOfOrder, "out_of_order"},
      {Refusal::kReplica, "replica"},
  }};
  std::set<Refusal> seen;
  for (const auto& [reason, label] : kPinned) {
    EXPECT_EQ(refusal_label(reason), label);
    seen.insert(reason);
  }
  EXPECT_EQ(seen.size(), kRefusalCount) << "a reason without a pinned label";
}

}  // namespace
}  // namespace statmill
