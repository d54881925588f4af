// Graphite's pickles: what Python writes in each protocol, what is refused, and that hostile pickles cost
// little.
#include "proto/graphite/pickle_parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "proto/graphite/parser.h"
#include "proto/graphite/unpickler.h"
#include "tests/proto/batch_text.h"
#include "tests/proto/tag_laws.h"

namespace statmill {
namespace {

using namespace std::string_literals;

// Made by Python 3.11's pickle; those of Python 2 are written by hand, and pickle reads them as the same
// list.
std::string fixture(const std::string& name) {
  std::ifstream file(STATMILL_CORPUS "/graphite_pickle/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> texts_of(const Batch& batch) {
  EXPECT_TRUE(account_holds(batch));
  std::vector<std::string> texts = refused_texts(batch);
  for (const Sample& sample : batch.samples) {
    EXPECT_TRUE(is_sane_tagged(sample)) << sample.name;
    texts.push_back(to_text(sample));
  }
  return texts;
}

std::vector<std::string> parsed(std::string_view pickle) {
  const ExactCopy copy(pickle);
  Batch batch;
  const std::string fault = parse_graphite_pickle(copy.text(), batch);
  EXPECT_EQ(fault.empty(), batch.refused[static_cast<size_t>(Refusal::kBadPickle)] == 0);
  return texts_of(batch);
}

std::string fault_of(std::string_view pickle) {
  Batch batch;
  const std::string fault = parse_graphite_pickle(pickle, batch);
  EXPECT_TRUE(batch.samples.empty());
  EXPECT_EQ(texts_of(batch), std::vector<std::string>(fault.empty() ? 0 : 1, "refused bad_pickle"));
  return fault;
}

// A list of one pair in protocol 2: `path`, `time` and `value` are opcodes.
std::string pair_of(const std::string& path, const std::string& time, const std::string& value) {
  return "\x80\x02](" + path + time + value + "\x86\x86" + "e.";
}
std::string text(const std::string& text) {
  const auto size = static_cast<uint32_t>(text.size());
  std::string out = "X";
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(size >> (8 * i)));
  return out + text;
}
std::string number(const std::string& digits) { return "F" + digits + "\n"; }

TEST(GraphitePickle, ReadsWhatPythonWritesInEachProtocol) {
  const std::vector<std::string> want = {"gauge shop.orders@1700000000 12.5",
                                         "gauge disk.used;device=sda;host=web1@1700000001 7",
                                         "gauge shop.orders@1700000002 -3", "gauge \u03c9.heat 0.1",
                                         "gauge big.count@1700000003 9007199254740992"};
  for (const char* name :
       {"python3_protocol_0", "python3_protocol_1", "python3_protocol_2", "python3_protocol_3",
        "python3_protocol_4", "python3_protocol_5", "python2_protocol_0", "python2_protocol_2"}) {
    EXPECT_EQ(parsed(fixture(name)), want) << name;
    Batch batch;
    parse_graphite_pickle(fixture(name), batch);
    ASSERT_EQ(batch.samples.size(), 5U);
    EXPECT_EQ(batch.samples[4].value, Number::decimal(9007199254740993, 0)) << "integers are exact";
  }
}

TEST(GraphitePickle, ReadsNumbersAsCarbonDoes) {
  const std::vector<LineCase> table = {
      {"K\x05", {"gauge a 5"}, "BININT1"},
      {"M\x10\x27", {"gauge a 10000"}, "BININT2"},
      {"J\xff\xff\xff\xff", {"gauge a -1"}, "BININT"},
      {"\x88", {"gauge a 1"}, "True"},
      {"I00\n", {"gauge a 0"}, "False in protocol 0"},
      {"\x8a\x00"s, {"gauge a 0"}, "LONG1 without bytes"},
      {"\x8a\x01\x80", {"gauge a -128"}, "LONG1, negative"},
      {"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01"s, {"gauge a 18446744073709551616"}, "2^64"},
      {"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xff"s, {"gauge a -18446744073709551616"}, "-2^64"},
      {"\x8a\x11" + std::string(16, '\0') + "\x01", {"refused not_finite"}, "over 128 bits"},
      {"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", {"gauge a 9223372036854775808"}, "2^63 - 1"},
      {"L123L\n", {"gauge a 123"}, "LONG"},
      {"U\x04"
       "12.5",
       {"gauge a 12.5"},
       "a text: carbon calls float()"},
      {"N", {"refused bad_value"}, "None"},
      {"]", {"refused bad_value"}, "a list"},
      {"Fnan\n", {"refused not_finite"}, "nan"},
      {"G\x7f\xf0\x00\x00\x00\x00\x00\x00"s, {"refused not_finite"}, "inf"},
      {"F1_000\n", {"refused bad_value"}, "underscores"},
      {"I\n", {"refused bad_value"}, "an integer without digits"},
  };
  for (const LineCase& c : table)
    EXPECT_EQ(parsed(pair_of(text("a"), number("-1"), c.input)), c.want) << c.why;
}

TEST(GraphitePickle, ReadsTimesAsLinesDo) {
  const std::vector<LineCase> table = {
      {"I1000\n", {"gauge a@1000 1"}, "an integer"},
      {"G\x40\x8f\x40\x00\x00\x00\x00\x00"s, {"gauge a@1000 1"}, "a float"},
      {"F1000.9\n", {"gauge a@1000 1"}, "cut to seconds"},
      {"J\xff\xff\xff\xff", {"gauge a 1"}, "-1 is now"},
      {"U\x04"
       "1000",
       {"gauge a@1000 1"},
       "a text"},
      {"G\x7f\xf8\x00\x00\x00\x00\x00\x00"s, {"refused bad_time"}, "nan"},
      {"F1e30\n", {"refused bad_time"}, "far ahead"},
      {"N", {"refused bad_time"}, "None"},
  };
  for (const LineCase& c : table) EXPECT_EQ(parsed(pair_of(text("a"), c.input, "K\x01")), c.want) << c.why;
}

// Names and refusals are exactly those of Graphite's lines.
TEST(GraphitePickle, ReadsNamesAsLinesDo) {
  for (const char* name : {"a.b;t=1;s=2", "a.b;t=", "a;=x", "a;k", "a;k!=v", "a;k=v=w", "a;k=v;k=w", "a;k=~v",
                           "~~m;k=v", "~~", "m{a=\"1\",b=\"x\\\"y\"}", "a\x01", "\xff", "Web.GC[old]"}) {
    Batch lines;
    const std::string line = name + " 1 1000"s;
    parse_graphite_line(line, lines);
    Batch pickle;
    const std::string bytes = pair_of(text(name), number("1000"), number("1"));
    parse_graphite_pickle(bytes, pickle);
    EXPECT_EQ(texts_of(pickle), texts_of(lines)) << name;
    EXPECT_EQ(pickle.renamed, lines.renamed) << name;
  }
  EXPECT_EQ(parsed(pair_of(text(""), "K\x01", "K\x01")), std::vector<std::string>{"refused empty_name"});
  EXPECT_EQ(parsed(pair_of(text("my disk"), "K\x01", "K\x01")),
            std::vector<std::string>{"gauge my%20disk@1 1"})
      << "a line cannot say that";
  EXPECT_EQ(parsed(pair_of("K\x01", "K\x01", "K\x01")), std::vector<std::string>{"refused bad_name"});
}

TEST(GraphitePickle, OneBadSampleRefusesItselfOnly) {
  EXPECT_EQ(parsed("](" + text("a") + "K\x01K\x02\x86\x86" + "K\x05" + text("b") + "K\x01\x86" + text("c") +
                   "K\x01K\x02K\x03\x87\x86" + text("d") + "K\x01K\x04\x86\x86" + "e."),
            (std::vector<std::string>{"refused field_count", "refused field_count", "refused field_count",
                                      "gauge a@1 2", "gauge d@1 4"}));
}

TEST(GraphitePickle, RefusesWhatIsNoData) {
  EXPECT_EQ(fault_of(fixture("reduce")).substr(0, 32), "it names a class or a function (");
  for (const char* bytes :
       {"cos\nsystem\n(S'ls'\ntR.", "\x80\x04\x93.", "(cos\nsystem\no.", "\x80\x02\x82\x01.", "K\x01R.",
        "K\x01"
        "b.",
        "P1\n.", "}.", "(d.", "\x80\x04\x8f.",
        "K\x01"
        "0.",
        "K\x01"
        "2."}) {
    EXPECT_NE(fault_of(bytes), "") << bytes;
  }
  EXPECT_EQ(fault_of("cos\nsystem\n(S'ls'\ntR."), "it names a class or a function (opcode c) at byte 0");
  EXPECT_EQ(fault_of("\x80\x06]."), "its protocol is later than 5 at byte 0");
  EXPECT_EQ(fault_of("](\x85"
                     "e."),
            "a tuple needs more objects than there are at byte 2")
      << "none from below the mark";
  EXPECT_EQ(fault_of("](K\x01"
                     "ae."),
            "a list is missing (opcode a) at byte 4")
      << "the same";
  EXPECT_EQ(fault_of("]z."), "it has an unknown opcode (opcode z) at byte 1");
  EXPECT_EQ(fault_of("K\x01."), "it is no list of samples");
}

TEST(GraphitePickle, RefusesDamage) {
  for (const auto& [bytes, why] : std::vector<std::pair<std::string, const char*>>{
           {"", "nothing"},
           {"]", "no end"},
           {"].x", "bytes after the end"},
           {"]].", "two objects"},
           {"(].", "an open mark"},
           {".", "no object"},
           {"e.", "no mark"},
           {"]e.", "no mark"},
           {"t.", "no mark"},
           {"(a.", "no list"},
           {"]a.", "no item"},
           {"K\x01K\x02"
            "a.",
            "no list"},
           {"K\x01(K\x02"
            "e.",
            "no list"},
           {"](K\x01"
            "a.",
            "a list below the mark"},
           {"\x86.", "no items"},
           {"](\x85"
            "e.",
            "items below the mark"},
           {"q\x01.", "nothing to remember"},
           {"]h\x01"
            "a.",
            "nothing remembered"},
           {"]px\n.", "no place"},
           {"]gx\n.", "no place"},
           {"]p-1\n.", "a negative place"},
           {fixture("high_place"), "a place that asks for 8 GiB"},
           {fixture("false_length"), "a length that lies"},
           {"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xff].", "a frame that lies"},
           {"\x8b\xff\xff\xff\x7f.", "a long that lies"},
           {"\x8e\xff\xff\xff\xff\xff\xff\xff\xff].", "bytes that lie"},
           {"S'a\n.", "an open quote"},
           {"Sa\n.", "no quotes"},
           {"S'\\x4'\n.", "half an escape"},
           {"S'\\q'\n.", "no escape"},
           {"V\\u00\n.", "half an escape"},
           {"V\\U00110000\n.", "no code point"},
           {"I5", "no LF"},
       }) {
    EXPECT_NE(fault_of(bytes), "") << why;
  }
}

TEST(GraphitePickle, EveryTruncationIsRefused) {
  for (const char* name :
       {"python3_protocol_0", "python3_protocol_2", "python3_protocol_4", "python2_protocol_2"}) {
    const std::string whole = fixture(name);
    for (size_t size = 0; size < whole.size(); ++size)
      EXPECT_NE(fault_of(whole.substr(0, size)), "") << name << size;
  }
}

TEST(GraphitePickle, ReferencesMultiplyNothing) {
  EXPECT_EQ(fault_of(fixture("repeated_pair")), "it has more samples than its bytes can say")
      << "30 samples of 2 bytes each";
  EXPECT_EQ(parsed(fixture("memo_of_itself")), std::vector<std::string>{"refused field_count"});
  EXPECT_EQ(parsed(fixture("deep")), std::vector<std::string>{"refused field_count"});
  // A long name that 60,000 samples share is read once.
  std::string pickle = "](" + text(std::string(500'000, 'a')) + "q\x01K\x01K\x01\x86q\x02\x86";
  for (int i = 0; i < 60'000; ++i) pickle += "h\x01h\x02\x86";
  Batch batch;
  EXPECT_EQ(parse_graphite_pickle(pickle + "e.", batch), "");
  EXPECT_EQ(batch.refused[static_cast<size_t>(Refusal::kNameTooLong)], 60'001U);
  // Lists in lists, each twice: 2^40 leaves, 40 pairs.
  std::string bomb = "]q\x00"s;
  for (char i = 0; i < 40; ++i) bomb += "](h"s + i + "h" + i + "eq" + static_cast<char>(i + 1);
  EXPECT_NE(fault_of(bomb + "."), "");
}

TEST(GraphitePickle, ManyNestedListsCostNoStack) {
  std::string deep(500'000, '(');
  EXPECT_NE(fault_of(deep + "."), "");
  deep.assign(200'000, ']');
  EXPECT_EQ(fault_of(deep + "."),
            "it has too many objects (opcode ]) at byte " + std::to_string(Unpickler::objects_max(200'001)));
}

RC_GTEST_PROP(GraphitePickle, AnyBytesAreAccountedFor, (const std::string& bytes)) {
  const ExactCopy copy(bytes);
  Batch batch;
  parse_graphite_pickle(copy.text(), batch);
  RC_ASSERT(account_holds(batch));
  for (const Sample& sample : batch.samples) RC_ASSERT(is_sane_tagged(sample));
}

}  // namespace
}  // namespace statmill
