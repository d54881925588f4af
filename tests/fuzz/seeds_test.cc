// The fuzz seeds of frames, of files on disk and of queries have the formats that the code reads now. A
// target that refuses all of its seeds would start from nothing.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "agent/spool/identity.h"
#include "agent/spool/memory_directory.h"
#include "agent/spool/segment.h"
#include "agent/spool/segment_cursor.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "proto/agent/frames.h"
#include "proto/otlp/metrics.h"
#include "proto/otlp/otlp_json.h"
#include "proto/prometheus/remote_write.h"
#include "proto/prometheus/snappy_block.h"
#include "proto/recording/recording_reader.h"
#include "server/promql/parser.h"
#include "storage/agent_row.h"
#include "storage/document_row.h"
#include "storage/exemplar_row.h"
#include "storage/family_row.h"
#include "storage/series_row.h"
#include "storage/value_row.h"

namespace statmill {
namespace {

std::string seed(const std::string& name) {
  std::ifstream file(STATMILL_CORPUS "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

// Appends a valid checksum, as the fuzz target does.
std::string with_checksum(const std::string& text) {
  std::string digits(8, '0');
  for (size_t i = 0; i < digits.size(); ++i)
    digits[i] = "0123456789abcdef"[crc32c(text) >> (4 * (digits.size() - 1 - i)) & 15];
  return text + "crc " + digits + "\n";
}

TEST(Seeds, IdentitiesDecodeAsTheirNamesSay) {
  for (const char* whole : {"whole", "most_addresses"}) {
    const auto identity = decode_identity(seed(std::string("spool_identity/") + whole));
    EXPECT_TRUE(identity) << whole;
  }
  for (const char* whole : {"without_checksum", "last_epoch"}) {
    const std::string text = seed(std::string("spool_identity/") + whole);
    EXPECT_FALSE(decode_identity(text)) << whole;
    EXPECT_TRUE(decode_identity(with_checksum(text))) << whole;
  }
  const auto later = decode_identity(with_checksum(seed("spool_identity/later_version")));
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code, ErrorCode::kVersion);
  EXPECT_FALSE(decode_identity(with_checksum(seed("spool_identity/epoch_beyond"))));
}

// Returns the numbers of the records that a cursor finds, one digit each.
std::string records_of(const std::string& segment_bytes) {
  Segment segment;
  segment.before = decode_segment_header(segment_bytes).value().before;
  segment.last.seq = 9;
  segment.end = segment_bytes.size();
  MemoryDirectory directory;
  EXPECT_TRUE(directory.replace(segment.name(), segment_bytes));
  SegmentCursor cursor(directory, segment);
  std::string found;
  for (auto record = cursor.next(); record && record->has_value(); record = cursor.next()) {
    EXPECT_TRUE(decode_batch(read_frame((*record)->frame).payload));
    found += std::to_string((*record)->seq);
  }
  return found;
}

TEST(Seeds, SegmentsHaveTheRecordsThatTheirNamesSay) {
  const std::string header = encode_segment_header({.id = {}, .epoch = 1, .before = {}, .previous_end = {}});
  for (const auto& [name, found] : {std::pair{"records", "123"},
                                    {"torn_end", "12"},
                                    {"damaged_middle", "13"},
                                    {"zeros_between", "13"},
                                    {"swapped", "1"}}) {
    EXPECT_EQ(records_of(header + seed(std::string("spool_segment/") + name)), found) << name;
  }
  for (const auto& [name, found] : {std::pair{"whole_segment", "123"}, {"after_a_loss", "2"}}) {
    const std::string bytes = seed(std::string("spool_segment/") + name);
    ASSERT_TRUE(decode_segment_header(bytes)) << name;
    EXPECT_EQ(records_of(bytes), found) << name;
  }
}

TEST(Seeds, AgentRowDecodes) {
  for (const char* name : {"row", "row_with_a_run"}) {
    std::string bytes = seed(std::string("agent_row/") + name);
    Writer(bytes).u32be(crc32c(bytes, crc32c(std::string(AgentId::kBytes, '\0'))));
    const auto row = decode_agent_row(AgentId{}, bytes);
    ASSERT_TRUE(row) << name;
    EXPECT_EQ(row->ahead.has_value(), name == std::string_view("row_with_a_run"));
  }
}

TEST(Seeds, SeriesRowDecodes) { EXPECT_TRUE(decode_series_row(7, seed("series_row/wide"))); }

TEST(Seeds, ValueRowDecodes) {
  std::string bytes = seed("value_row/row");
  Writer(bytes).u32be(crc32c(bytes, crc32c(value_row_key(9))));
  auto reader = ValueRowReader::open(9, bytes);
  ASSERT_TRUE(reader);
  EXPECT_TRUE((*reader->next()).has_value());
}

TEST(Seeds, DocumentRowDecodes) {
  const DocumentKey key{DocumentKind::kView, "abc"};
  std::string bytes = seed("document_row/row");
  Writer(bytes).u32be(crc32c(bytes, crc32c(document_key(key))));
  EXPECT_TRUE(decode_document_row(key, bytes));
}

TEST(Seeds, ExemplarRowDecodes) {
  const ExemplarKey key{7, 170'000'000};
  std::string bytes = seed("exemplar_row/row");
  Writer(bytes).u32be(crc32c(bytes, crc32c(exemplar_key(key))));
  EXPECT_TRUE(decode_exemplar_row(key, bytes));
}

TEST(Seeds, FamilyRowDecodes) {
  const FamilyKey key{"room.heat", Kind::kGauge};
  std::string bytes = seed("family_row/row");
  Writer(bytes).u32be(crc32c(bytes, crc32c(family_key(key))));
  EXPECT_TRUE(decode_family_row(key, bytes));
}

bool decodes(const FrameRead& frame) {
  switch (frame.type) {
    case FrameType::kHello:
      return decode_hello(frame.payload).has_value();
    case FrameType::kBatch:
      return decode_batch(frame.payload).has_value();
    case FrameType::kGap:
      return decode_gap(frame.payload).has_value();
    case FrameType::kStatus:
      return decode_status(frame.payload).has_value();
    case FrameType::kWelcome:
      return decode_welcome(frame.payload).has_value();
    case FrameType::kAck:
      return decode_ack(frame.payload).has_value();
    case FrameType::kRefuse:
      return decode_refuse(frame.payload).has_value();
  }
  return false;
}

TEST(Seeds, FramesAreWholeAndDecode) {
  for (const auto& [name, count] :
       {std::pair{"agent", 4}, {"agent_before_kernels", 4}, {"server", 3}, {"server_with_a_run", 3}}) {
    const std::string bytes = seed(std::string("agent_frames/") + name);
    std::string_view unread = bytes;
    int frames = 0;
    for (; !unread.empty(); ++frames) {
      const FrameRead frame = read_frame(unread);
      ASSERT_EQ(frame.state, FrameRead::State::kWhole) << name << " " << frames;
      EXPECT_TRUE(decodes(frame)) << name << " " << frames;
      unread.remove_prefix(frame.bytes);
    }
    EXPECT_EQ(frames, count) << name;
  }
}

TEST(Seeds, RecordingsAreReadAsTheirNamesSay) {
  for (const auto& [name, blocks] : {std::pair{"whole", 2}, {"torn", 1}}) {
    const std::string bytes = seed(std::string("recording/") + name);
    std::string_view unread = bytes;
    RecordingReader reader([&](std::span<char> room) -> Result<size_t> {
      const size_t size = unread.copy(room.data(), room.size());
      unread.remove_prefix(size);
      return size;
    });
    int count = 0;
    for (auto block = reader.next(); block && block->has_value(); block = reader.next()) ++count;
    EXPECT_EQ(count, blocks) << name;
    EXPECT_EQ(reader.is_complete(), name == std::string_view("whole"));
  }
  EXPECT_TRUE(parse_recording_text(seed("recording/text")));
  EXPECT_EQ(parse_recording_text(seed("recording/later_version")).error().code, ErrorCode::kVersion);
}

// Counts the samples of a message.
class CountSamples final : public RemoteWriteVisitor {
 public:
  void begin_series(const RemoteSeries&) override {}
  void add_sample(const RemoteSample&) override { ++samples; }
  void add_histogram(const NativeHistogram&) override {}
  void add_exemplar(const RemoteExemplar&) override {}
  void add_family(const RemoteFamily&) override {}
  int samples = 0;
};

TEST(Seeds, RemoteWritesHaveTheSamplesThatTheirNamesSay) {
  CountSamples parts;
  EXPECT_TRUE(decode_remote_write(RemoteWriteVersion::k1, seed("remote_write/one_sample").substr(1), parts));
  EXPECT_EQ(parts.samples, 1);
  EXPECT_TRUE(
      decode_remote_write(RemoteWriteVersion::k2, seed("remote_write/one_sample_of_2").substr(1), parts));
  EXPECT_EQ(parts.samples, 2);
  EXPECT_TRUE(decode_snappy(seed("remote_write/block").substr(1), 1 << 20));
}

TEST(Seeds, QueriesAreReadAsTheirNamesSay) {
  for (const char* name : {"rate_of_a_group", "quantile", "subquery", "quoted_name", "operators", "strings",
                           "comment", "nested"}) {
    const auto tree = promql::parse_promql(seed(std::string("promql/") + name));
    EXPECT_TRUE(tree) << name << ": " << tree.error().message;
  }
  for (const char* name : {"broken_matchers", "bad_duration"}) {
    EXPECT_FALSE(promql::parse_promql(seed(std::string("promql/") + name))) << name;
  }
}

TEST(Seeds, RequestsOfOtlpHaveEachType) {
  class CountPoints final : public OtlpVisitor {
   public:
    void begin_resource(const OtlpAttributes& resource) override { attributes += resource.labels.size(); }
    void end_resource() override {}
    void begin_scope(std::string_view) override {}
    void begin_metric(const OtlpMetric&) override {}
    void add_number(const OtlpPoint&, const OtlpNumber&) override { ++numbers; }
    void add_histogram(const OtlpPoint&, const OtlpHistogram& histogram) override {
      if (histogram.verdict.is_accepted()) ++histograms;
    }
    void add_summary(const OtlpPoint&, const OtlpSummary&) override { ++summaries; }
    void add_exemplar(const OtlpExemplar&) override {}
    size_t attributes = 0;
    int numbers = 0;
    int histograms = 0;
    int summaries = 0;
  };
  CountPoints points;
  EXPECT_TRUE(decode_otlp_metrics(seed("otlp/each_type").substr(1), points));
  EXPECT_EQ(points.numbers, 2);
  EXPECT_EQ(points.histograms, 2);
  EXPECT_EQ(points.summaries, 1);
  EXPECT_EQ(points.attributes, 8U);
  const auto message = otlp_json_to_protobuf(seed("otlp/each_type_of_json").substr(1));
  ASSERT_TRUE(message.has_value()) << message.error().message;
  CountPoints of_json;
  EXPECT_TRUE(decode_otlp_metrics(*message, of_json));
  EXPECT_EQ(of_json.numbers, 1);
  EXPECT_EQ(of_json.histograms, 2);
  EXPECT_EQ(of_json.summaries, 1);
  EXPECT_EQ(of_json.attributes, 4U);
}

}  // namespace
}  // namespace statmill
