#include "proto/prometheus/remote_write.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "proto/prometheus/snappy_block.h"
#include "tests/support/remote_write_message.h"

namespace statmill {
namespace {

using Version = RemoteWriteVersion;

// Keeps all parts of a message.
class Parts final : public RemoteWriteVisitor {
 public:
  void begin_series(const RemoteSeries& of) override {
    SentSeries& added = series.emplace_back();
    for (const LabelView& label : of.labels) added.labels.emplace_back(label.name, label.value);
    added.type = of.type;
    announced_exemplars += of.exemplars;
    added.histograms = of.histograms;
    announced += of.samples;
    all_labels = all_labels && of.has_all_labels;
    help = of.help;
    unit = of.unit;
  }
  void add_sample(const RemoteSample& sample) override { series.back().samples.push_back(sample); }
  void add_histogram(const NativeHistogram&) override { ++histograms; }
  void add_exemplar(const RemoteExemplar& exemplar) override {
    SentExemplar& added = series.back().exemplars.emplace_back();
    for (const LabelView& label : exemplar.labels) added.labels.emplace_back(label.name, label.value);
    added.value = exemplar.value;
    added.time_ms = exemplar.time_ms;
  }
  void add_family(const RemoteFamily& family) override {
    families.push_back({std::string(family.name), family.type, std::string(family.help)});
  }

  std::vector<SentSeries> series;
  std::vector<SentFamily> families;
  uint64_t announced = 0;
  uint64_t announced_exemplars = 0;
  bool all_labels = true;
  std::string help;
  std::string unit;
  uint64_t histograms = 0;
};

Parts parts_of(Version version, std::string_view message) {
  Parts parts;
  const Status decoded = decode_remote_write(version, message, parts);
  EXPECT_TRUE(decoded) << (decoded ? "" : decoded.error().message);
  return parts;
}

std::string from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return out;
}

// up{job="a"} 1.5 at 1000 ms, and the type and help of up. Each text is a field.
std::string golden1() {
  return from_hex(
      "0a2a"
      "0a0e0a085f5f6e616d655f5f12027570"
      "0a080a036a6f62120161"
      "120c09000000000000f83f10e807"
      "2200"
      "1a0b0802120275702203796573");
}

TEST(RemoteWrite, ReadsGoldenBytesOf1) {
  const Parts parts = parts_of(Version::k1, golden1());
  ASSERT_EQ(parts.series.size(), 1U);
  const SentSeries& series = parts.series[0];
  EXPECT_EQ(series.labels, (decltype(series.labels){{"__name__", "up"}, {"job", "a"}}));
  EXPECT_EQ(series.samples, (std::vector<RemoteSample>{{1.5, 1000, 0}}));
  EXPECT_EQ(series.histograms, 1U);
  ASSERT_EQ(parts.families.size(), 1U);
  EXPECT_EQ(parts.families[0].name, "up");
  EXPECT_EQ(parts.families[0].type, FamilyType::kGauge);
  EXPECT_EQ(parts.families[0].help, "yes");
}

// A counter n_total, 2 at 1000 ms since 500 ms, with a help; then the symbols, since the order is free.
std::string golden2() {
  return from_hex(
      "2a1b"
      "0a020102"
      "120f09000000000000004010e80718f403"
      "2a0408011803"
      "2200"
      "22085f5f6e616d655f5f"
      "22076e5f746f74616c"
      "220468656c70");
}

TEST(RemoteWrite, ReadsGoldenBytesOf2) {
  const Parts parts = parts_of(Version::k2, golden2());
  ASSERT_EQ(parts.series.size(), 1U);
  EXPECT_EQ(parts.series[0].labels, (decltype(parts.series[0].labels){{"__name__", "n_total"}}));
  EXPECT_EQ(parts.series[0].samples, (std::vector<RemoteSample>{{2, 1000, 500}}));
  EXPECT_EQ(parts.series[0].type, FamilyType::kCounter);
  EXPECT_EQ(parts.help, "help");
  EXPECT_EQ(parts.unit, "");
}

TEST(RemoteWrite, ReadsTheStartOfDraftsOf2) {
  ProtobufWriter series;
  series.integer(1, 0);  // references that are not packed
  series.integer(1, 0);
  series.bytes(2, sample_message({1, 1000, 0}));
  series.integer(6, 700);
  ProtobufWriter request;
  request.bytes(4, {});
  request.bytes(5, series.text());
  const Parts parts = parts_of(Version::k2, request.text());
  ASSERT_EQ(parts.series.size(), 1U);
  EXPECT_EQ(parts.series[0].samples, (std::vector<RemoteSample>{{1, 1000, 700}}));
}

TEST(RemoteWrite, TellsTheStaleMarkerFromOtherNans) {
  const double stale = std::bit_cast<double>(kStaleMarkerBits);
  EXPECT_TRUE(is_stale_marker(stale));
  EXPECT_FALSE(is_stale_marker(std::bit_cast<double>(uint64_t{0x7ff8'0000'0000'0001})));
  EXPECT_FALSE(is_stale_marker(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(is_stale_marker(0));
  const Parts parts = parts_of(Version::k1, write_request1({{{}, {{stale, 1, 0}}}}));
  EXPECT_TRUE(is_stale_marker(parts.series.at(0).samples.at(0).value));
}

TEST(RemoteWrite, PassesOnABoundedNumberOfLabels) {
  SentSeries series;
  for (size_t i = 0; i < kRemoteLabelsMax; ++i) series.labels.emplace_back("l" + std::to_string(i), "x");
  EXPECT_TRUE(parts_of(Version::k1, write_request1({series})).all_labels);
  series.labels.emplace_back("more", "x");
  const Parts parts = parts_of(Version::k2, write_request2({series}));
  EXPECT_FALSE(parts.all_labels);
  EXPECT_EQ(parts.series.at(0).labels.size(), kRemoteLabelsMax);
}

// Each label is read as the general reader does, whatever form the labels before it have.
TEST(RemoteWrite, ReadsLabelsOfAnyForm) {
  const auto inside = [](uint64_t field, std::string_view bytes) {
    ProtobufWriter out;
    out.bytes(field, bytes);
    return out.text();
  };
  struct Case {
    std::string label;
    std::pair<std::string, std::string> want;
    std::string_view why;
  };
  const std::string long_text(200, 'x');
  const std::string name = inside(1, "k");
  const std::string value = inside(2, "v");
  const std::vector<Case> table = {
      {name + value, {"k", "v"}, "as senders write it"},
      {value + name, {"k", "v"}, "the value first"},
      {name, {"k", ""}, "no value"},
      {value, {"", "v"}, "no name"},
      {"", {"", ""}, "neither"},
      {inside(1, "") + inside(2, ""), {"", ""}, "empty ones"},
      {name + value + inside(3, "z"), {"k", "v"}, "a field of a later version"},
      {name + inside(1, "l") + value, {"l", "v"}, "the last name counts"},
      {inside(1, long_text) + value, {long_text, "v"}, "a size of two bytes"},
      {name + inside(2, long_text), {"k", long_text}, "the other size"},
      {inside(1, std::string(61, 'n')) + inside(2, std::string(62, 'v')),
       {std::string(61, 'n'), std::string(62, 'v')},
       "the longest whose size has one byte"},
      {inside(1, std::string(62, 'n')) + inside(2, std::string(62, 'v')),
       {std::string(62, 'n'), std::string(62, 'v')},
       "one more"},
  };
  const std::string plain = inside(1, name + value);
  const std::string sample = inside(2, sample_message({7, 1000}));
  for (const Case& c : table) {
    const std::string label = inside(1, c.label);
    for (const std::string& series : {label + plain + sample, plain + label + sample, sample + plain + label,
                                      plain + sample + sample + label}) {
      const Parts parts = parts_of(Version::k1, inside(1, series));
      ASSERT_EQ(parts.series.size(), 1U) << c.why;
      const auto& labels = parts.series[0].labels;
      ASSERT_EQ(labels.size(), 2U) << c.why;
      EXPECT_TRUE(labels[0] == c.want || labels[1] == c.want) << c.why;
      EXPECT_TRUE(labels[0] == std::pair(std::string("k"), std::string("v")) ||
                  labels[1] == std::pair(std::string("k"), std::string("v")))
          << c.why;
      EXPECT_EQ(parts.series[0].samples.size(), parts.announced) << c.why;
    }
  }
  // A size beyond the label.
  Parts parts;
  EXPECT_FALSE(decode_remote_write(Version::k1, inside(1, inside(1, "\x0a\x01k\x12\x02v")), parts));
  EXPECT_FALSE(decode_remote_write(Version::k1, inside(1, inside(1, "\x0a\x05k\x12\x01v")), parts));
}

TEST(RemoteWrite, RefusesWhatIsNoMessage) {
  struct Case {
    Version version;
    std::string hex;
    std::string why;
  };
  const std::vector<Case> table = {
      {Version::k1, "0a05", "a length beyond the end"},
      {Version::k1, "0b", "a group"},
      {Version::k1, "0200", "field 0"},
      {Version::k1, "0a03120109", "a sample that is cut"},
      {Version::k1, "0a020a01", "a label that is cut"},
      {Version::k1, "1a0208", "metadata that is cut"},
      {Version::k1, "0affffffffffffffffffff01", "a length of more than 64 bits"},
      {Version::k2, "22002a030a0100", "a name without a value"},
      {Version::k2, "22002a040a020001", "a label that refers to no symbol"},
      {Version::k2, "22002a042a021805", "a help that refers to no symbol"},
      {Version::k2, "22002a030a0180", "references that are cut"},
  };
  for (const Case& c : table) {
    Parts parts;
    EXPECT_FALSE(decode_remote_write(c.version, from_hex(c.hex), parts)) << c.why;
  }
}

TEST(RemoteWrite, RefusesMoreSymbolsThanTheLimit) {
  std::string symbols;
  for (size_t i = 0; i < kRemoteSymbolsMax; ++i) symbols.append("\x22\x00", 2);
  Parts parts;
  EXPECT_TRUE(decode_remote_write(Version::k2, symbols, parts));
  symbols.append("\x22\x00", 2);
  const Status refused = decode_remote_write(Version::k2, symbols, parts);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
}

// Damage is an error or other data, never a crash or a read past the end.
TEST(RemoteWrite, SurvivesEveryTruncationAndBitFlip) {
  for (const auto& [version, bytes] : {std::pair{Version::k1, golden1()}, {Version::k2, golden2()}}) {
    for (size_t size = 0; size < bytes.size(); ++size) {
      Parts parts;
      static_cast<void>(decode_remote_write(version, std::string(bytes, 0, size), parts));
      EXPECT_LE(parts.series.size(), 1U);
    }
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << (bit % 8));
      Parts parts;
      static_cast<void>(decode_remote_write(version, flipped, parts));
      EXPECT_LE(parts.series.size(), bytes.size());
    }
  }
}

std::vector<SentSeries> generated_series() {
  const auto text = rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  std::vector<SentSeries> all(*rc::gen::inRange<size_t>(0, 5));
  for (SentSeries& series : all) {
    for (int i = *rc::gen::inRange(0, 6); i > 0; --i) series.labels.emplace_back(*text, *text);
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
      series.samples.push_back(
          {static_cast<double>(*rc::gen::arbitrary<int>()) / 8, *rc::gen::arbitrary<int64_t>(), 0});
    for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
      SentExemplar& exemplar = series.exemplars.emplace_back();
      for (int k = *rc::gen::inRange(0, 3); k > 0; --k) exemplar.labels.emplace_back(*text, *text);
      exemplar.value = static_cast<double>(*rc::gen::arbitrary<int>()) / 8;
      exemplar.time_ms = *rc::gen::arbitrary<int64_t>();
    }
    series.histograms = *rc::gen::inRange<uint64_t>(0, 3);
  }
  return all;
}

void check_equal(const Parts& parts, const std::vector<SentSeries>& sent) {
  RC_ASSERT(parts.series.size() == sent.size());
  uint64_t samples = 0;
  uint64_t exemplars = 0;
  for (size_t i = 0; i < sent.size(); ++i) {
    samples += sent[i].samples.size();
    exemplars += sent[i].exemplars.size();
    RC_ASSERT(parts.series[i].labels == sent[i].labels);
    RC_ASSERT(parts.series[i].samples == sent[i].samples);
    RC_ASSERT(parts.series[i].exemplars == sent[i].exemplars);
    RC_ASSERT(parts.series[i].histograms == sent[i].histograms);
  }
  RC_ASSERT(parts.announced == samples);
  RC_ASSERT(parts.announced_exemplars == exemplars);
}

RC_GTEST_PROP(RemoteWrite, ReadsWhatASenderWrites, ()) {
  const std::vector<SentSeries> sent = generated_series();
  const auto decoded = decode_snappy(snappy_block(write_request1(sent)), 1 << 20);
  RC_ASSERT(decoded.has_value());
  check_equal(parts_of(Version::k1, *decoded), sent);
  check_equal(parts_of(Version::k2, write_request2(sent)), sent);
}

// Keeps how the labels of the only series came.
class LabelBytes final : public RemoteWriteVisitor {
 public:
  Status begin_series1(std::string_view labels, RemoteSeries) override {
    bytes = labels;
    return Status::ok();
  }
  void begin_series(const RemoteSeries& series) override { read = series.labels.size(); }
  void add_sample(const RemoteSample&) override { ++samples; }
  void add_histogram(const NativeHistogram&) override {}
  void add_exemplar(const RemoteExemplar&) override {}
  void add_family(const RemoteFamily&) override {}

  std::string bytes;
  size_t read = 0;
  size_t samples = 0;
};

TEST(RemoteWrite, LabelsThatComeFirstAreNotRead) {
  for (const size_t size : std::initializer_list<size_t>{1, 100, 115, 116, 128, 2048, 16'300, 20'000}) {
    ProtobufWriter labels;
    for (const char* const name : {"__name__", "b"})
      labels.bytes(1, label_message(name, std::string(size, 'x')));
    ProtobufWriter sample;
    sample.bytes(2, sample_message({1, 2, 0}));
    ProtobufWriter message;
    message.bytes(1, labels.text() + sample.text());
    LabelBytes plain;
    ASSERT_TRUE(decode_remote_write(Version::k1, message.text(), plain));
    EXPECT_EQ(plain.samples, 1U);
    const bool is_short = size < 20'000;
    EXPECT_EQ(plain.bytes, is_short ? labels.text() : "") << size << ": lengths of two bytes at most";
    EXPECT_EQ(plain.read, is_short ? 0U : 2U);
    ProtobufWriter mixed;
    mixed.bytes(1, labels.text() + sample.text() + labels.text());
    LabelBytes parts;
    ASSERT_TRUE(decode_remote_write(Version::k1, mixed.text(), parts));
    EXPECT_EQ(parts.samples, 1U);
    EXPECT_EQ(parts.read, 4U) << "others follow the sample";
  }
}

TEST(SnappyBlock, ChecksTheLengthAtItsHead) {
  const std::string zeros(1000, '\0');
  const std::string block = snappy_block(zeros);
  EXPECT_EQ(*decode_snappy(block, 1000), zeros);
  EXPECT_EQ(decode_snappy(block, 999).error().code, ErrorCode::kLimit);
  // 2^32 - 1 bytes in a block of 5.
  EXPECT_EQ(decode_snappy("\xff\xff\xff\xff\x0f", 64 << 20).error().code, ErrorCode::kLimit);
  // 64 MiB - 1 in a block that cannot have so many.
  EXPECT_EQ(decode_snappy("\xff\xff\xff\x1f", 64 << 20).error().message, "snappy: corrupt input");
  EXPECT_EQ(decode_snappy("not a block", 64 << 20).error().message, "snappy: corrupt input");
  EXPECT_EQ(decode_snappy("", 64 << 20).error().message, "snappy: corrupt input");
  EXPECT_EQ(*decode_snappy(std::string_view("\0", 1), 64 << 20), "");
}

}  // namespace
}  // namespace statmill
