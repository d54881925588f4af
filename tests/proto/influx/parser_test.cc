// InfluxDB's line protocol: tables of accepted and refused points, what they cost, and laws for any bytes.
#include "proto/influx/parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "proto/name_escapes.h"
#include "tests/proto/batch_text.h"
#include "tests/proto/generated_text.h"
#include "tests/proto/influx/influx_laws.h"

namespace statmill {
namespace {

std::vector<std::string> parsed(std::string_view line, const InfluxOptions& options = {}) {
  Batch batch;
  const ExactCopy bytes(line);
  parse_influx_line(bytes.text(), options, batch);
  EXPECT_TRUE(is_sane_influx(batch)) << line;
  std::vector<std::string> texts = refused_texts(batch);
  for (const Sample& sample : batch.samples) texts.push_back(to_text(sample));
  if (batch.skipped_fields != 0) texts.push_back("skipped " + std::to_string(batch.skipped_fields));
  return texts;
}

void expect_all(const std::vector<LineCase>& table, const InfluxOptions& options = {}) {
  for (const LineCase& c : table) {
    EXPECT_EQ(parsed(c.input, options), c.want) << '"' << c.input << "\": " << c.why;
  }
}

TEST(InfluxLines, MakesASeriesOfEachField) {
  expect_all({
      {"cpu,host=a usage=1.5 1700000000000000000", {"gauge cpu.usage;host=a@1700000000 1.5"}, "one field"},
      {"cpu,host=a user=1,idle=2.25 1700000000000000000",
       {"gauge cpu.user;host=a@1700000000 1", "gauge cpu.idle;host=a@1700000000 2.25"},
       "two fields"},
      {"cpu usage=1", {"gauge cpu.usage 1"}, "no tags, no time"},
      {"m value=1", {"gauge m.value 1"}, "the usual key of a single field is a key like others"},
      {"Cpu,Host=A Usage=1", {"gauge Cpu.Usage;Host=A 1"}, "capitals stay"},
      {"m,b=2,a=1 f=1", {"gauge m.f;a=1;b=2 1"}, "tags are sorted"},
      {"a.b,k=v c.d=1", {"gauge a.b.c.d;k=v 1"}, "dots"},
      {"", {}, "an empty line"},
      {" \t\r", {}, "white space"},
      {"# cpu usage=1", {}, "a comment"},
      {"  # cpu usage=1", {}, "a comment after white space"},
      {"cpu  usage=1   5000000000  \r", {"gauge cpu.usage@5 1"}, "runs of blanks, CRLF"},
      {"  cpu usage=1", {"gauge cpu.usage 1"}, "white space in front"},
      {"cpu usage=1,usage=2", {"gauge cpu.usage 1", "gauge cpu.usage 2"}, "a repeated field is two samples"},
  });
}

TEST(InfluxLines, KeepsNumbersAndMakesNumbersOfBooleans) {
  expect_all({
      {"m f=-12.50", {"gauge m.f -12.5"}, "a float"},
      {"m f=1e3", {"gauge m.f 1000"}, "an exponent"},
      {"m f=-1.234456e+78", {"gauge m.f -1.234456e+78"}, "with signs"},
      {"m f=.5", {"gauge m.f 0.5"}, "no digit before the point"},
      {"m f=5.", {"gauge m.f 5"}, "none after it"},
      {"m f=+4", {"gauge m.f 4"}, "a plus sign"},
      {"m f=42i", {"gauge m.f 42"}, "an integer"},
      {"m f=-42i", {"gauge m.f -42"}, "a negative one"},
      {"m f=9223372036854775807i", {"gauge m.f 9223372036854775808"}, "the largest one, as a double"},
      {"m f=-9223372036854775808i", {"gauge m.f -9223372036854775808"}, "the smallest one"},
      {"m f=9223372036854775808i", {"refused out_of_range"}, "one more"},
      {"m f=18446744073709551615u", {"gauge m.f 18446744073709551616"}, "the largest unsigned one"},
      {"m f=18446744073709551616u", {"refused out_of_range"}, "one more"},
      {"m f=7u", {"gauge m.f 7"}, "unsigned"},
      {"m f=-7u", {"refused out_of_range"}, "a sign"},
      {"m f=1.0i", {"refused bad_value"}, "no integer"},
      {"m f=1e3i", {"refused bad_value"}, "nor this"},
      {"m f=i", {"refused bad_value"}, "no digit"},
      {"m a=t,b=T,c=true,d=True,e=TRUE",
       {"gauge m.a 1", "gauge m.b 1", "gauge m.c 1", "gauge m.d 1", "gauge m.e 1"},
       "true"},
      {"m a=f,b=F,c=false,d=False,e=FALSE",
       {"gauge m.a 0", "gauge m.b 0", "gauge m.c 0", "gauge m.d 0", "gauge m.e 0"},
       "false"},
      {"m f=tRUE", {"refused bad_value"}, "another spelling"},
      {"m f=nan", {"refused not_finite"}, "not a number"},
      {"m f=-inf", {"refused not_finite"}, "not finite"},
      {"m f=1e400", {"refused out_of_range"}, "no double can hold it"},
      {"m f=0x10", {"refused bad_value"}, "hex"},
      {"m f=1_000", {"refused bad_value"}, "an underscore"},
      {"m f=abc", {"refused bad_value"}, "a word"},
      {"m f=", {"refused bad_value"}, "no value"},
      {"m f=,g=1", {"refused bad_value"}, "no value before a comma"},
  });
}

TEST(InfluxLines, SkipsAndCountsStrings) {
  expect_all({
      {R"(m s="text",f=1)", {"gauge m.f 1", "skipped 1"}, "a string before a number"},
      {R"(m f=1,s="text" 5000000000)", {"gauge m.f@5 1", "skipped 1"}, "after it"},
      {R"(m s="text")", {"skipped 1"}, "nothing else"},
      {R"(m s="")", {"skipped 1"}, "empty"},
      {R"(m s="a, b=1 2",f=1)", {"gauge m.f 1", "skipped 1"}, "with what separates fields"},
      {R"(m s="a\"b",f=1)", {"gauge m.f 1", "skipped 1"}, "an escaped quote"},
      {R"(m s="a\\",f=1)", {"gauge m.f 1", "skipped 1"}, "an escaped backslash at the end"},
      {R"(m s="a\b",f=1)", {"gauge m.f 1", "skipped 1"}, "a backslash before another byte"},
      {"m s=\"\xff\x01\",f=1", {"gauge m.f 1", "skipped 1"}, "any bytes"},
      {R"(m s="1",t="2")", {"skipped 2"}, "two"},
      {R"(m s="a)", {"refused bad_value"}, "no closing quote"},
      {R"(m s="a\")", {"refused bad_value"}, "an escaped one"},
      {R"(m s="a\)", {"refused bad_value"}, "a backslash at the end"},
      {R"(m s="a"b,f=1)", {"refused bad_value"}, "bytes after it"},
      {R"(m f=1,s="a" x)", {"refused bad_time"}, "a refused point counts no string"},
  });
}

TEST(InfluxLines, UndoesEscapesWhereInfluxDoes) {
  expect_all({
      {R"(a\ b\,c,k=v f=1)", {"gauge a%20b,c.f;k=v 1"}, "blank and comma of a measurement"},
      {R"(a\=b f=1)", {R"(gauge a\=b.f 1)"}, "= needs no escape there, so this is a backslash"},
      {"a=b f=1", {"gauge a=b.f 1"}, "without"},
      {R"(m,k\ 1=v\,w\=x f=1)", {"gauge m.f;k%201=v,w=x 1"}, "a tag"},
      {R"(m,a\=b=c f=1)", {"gauge m.f;a%3Db=c 1"}, "= in a key is stored as an escape"},
      {R"(m,k=C:\dir f=1)", {R"(gauge m.f;k=C:\dir 1)"}, "another backslash stays"},
      {R"(m,k=\\srv f=1)", {R"(gauge m.f;k=\\srv 1)"}, "two of them, too"},
      {R"(m,k=a\\,b=c f=1)", {R"(gauge m.f;k=a\,b=c 1)"}, "the one before the comma escapes it"},
      {R"(m f\ g\,h\=i=1)", {"gauge m.f%20g,h=i 1"}, "a key of a field"},
      {R"(m f\g=1)", {R"(gauge m.f\g 1)"}, "another backslash in it"},
      {R"(m,k=v\ )", {"refused field_count"}, "an escaped blank separates nothing"},
  });
}

TEST(InfluxLines, StoresWhatANameCannotHaveAsEscapes) {
  expect_all({
      {"a;b,k=c;d f;g=1", {"gauge a%3Bb.f%3Bg;k=c%3Bd 1"}, "; means tags"},
      {"~m,k=~v f=1", {"gauge %7Em.f;k=%7Ev 1"}, "a ~ in front"},
      {"m,k=v ~f=1", {"gauge m.~f;k=v 1"}, "elsewhere it stays"},
      {"m,name=eth0 f=1", {"gauge m.f;%6Eame=eth0 1"}, "the key that means the path"},
      {"m,k!=v f=1", {"gauge m.f;k%21=v 1"}, "! in a key"},
      {"m,k=a%20b f=1",
       {"gauge m.f;k=a%2520b 1"},
       "a % that looks like an escape is another value than a blank"},
      {"m,k=100% f=1", {"gauge m.f;k=100% 1"}, "any other % stays"},
      {"m%41 f%42=1", {"gauge m%2541.f%2542 1"}, "in a path"},
      {"m,k=a\tb f=1", {"gauge m.f;k=a%09b 1"}, "a tab is part of a value"},
      {"m,k=\x7f"
       "x f=1",
       {"gauge m.f;k=%7Fx 1"},
       "DEL"},
      {"\xc3\xa9,k=\xe2\x82\xac f\xc3\xa9=1", {"gauge \xc3\xa9.f\xc3\xa9;k=\xe2\x82\xac 1"}, "UTF-8"},
      {"m\xff f=1", {"refused bad_name"}, "not UTF-8"},
      {"m,k=\xc3 f=1", {"refused bad_name"}, "a truncated sequence"},
      {"m f\xe2\x80\x8d=1", {"refused bad_name"}, "a zero-width joiner"},
      {"m,k=v\xe2\x80\xae f=1", {"refused bad_name"}, "a control of the direction of writing"},
  });
}

TEST(InfluxLines, RefusesWhatIsNoPoint) {
  expect_all({
      {"cpu", {"refused field_count"}, "a measurement alone"},
      {"cpu,host=a", {"refused field_count"}, "no field"},
      {"cpu,host=a ", {"refused field_count"}, "nor after a blank"},
      {"cpu usage", {"refused field_count"}, "a field without ="},
      {"cpu usage=1,", {"refused field_count"}, "nothing after the comma"},
      {"cpu usage=1,,x=2", {"refused field_count"}, "nothing between two"},
      {"cpu a=1 b=2", {"refused bad_time"}, "fields separated by a blank"},
      {"cpu =1", {"refused empty_name"}, "no key"},
      {",host=a usage=1", {"refused empty_name"}, "no measurement"},
      {"cpu, usage=1", {"refused bad_tag"}, "nothing after the comma"},
      {"cpu,host usage=1", {"refused bad_tag"}, "a tag without ="},
      {"cpu,host= usage=1", {"refused bad_tag"}, "no value"},
      {"cpu,=a usage=1", {"refused bad_tag"}, "no key"},
      {R"(cpu,ho\ st= usage=1)", {"refused bad_tag"}, "no value after an escape"},
      {"cpu,host=a,,b=c usage=1", {"refused bad_tag"}, "nothing between two"},
      {"cpu,host=a,host=b usage=1", {"refused duplicate_tag"}, "two values"},
      {"cpu,host=a,host=a usage=1", {"gauge cpu.usage;host=a 1"}, "a repeated pair adds nothing"},
      {"cpu usage=1\x01", {"refused bad_value"}, "a control byte after the value"},
      {"cpu a=1,b=x 5", {"refused bad_value"}, "one bad field refuses the point"},
      {"cpu,k=v=w usage=1", {"gauge cpu.usage;k=v=w 1"}, "a further = is part of the value"},
  });
}

TEST(InfluxLines, ReadsTimesInTheUnitOfTheRequest) {
  const auto at = [](std::string_view unit) { return InfluxOptions{.unit = *parse_influx_unit(unit)}; };
  expect_all({{"m f=1 1700000000999999999", {"gauge m.f@1700000000 1"}, "cut to seconds"},
              {"m f=1 -1", {"gauge m.f@-1 1"}, "rounded down"},
              {"m f=1 0", {"gauge m.f@0 1"}, "no time is different from 0"},
              {"m f=1 9223372036854775807", {"gauge m.f@9223372036 1"}, "the largest"},
              {"m f=1 9223372036854775808", {"refused bad_time"}, "one more"},
              {"m f=1 1.5", {"refused bad_time"}, "a fraction"},
              {"m f=1 1e9", {"refused bad_time"}, "an exponent"},
              {"m f=1 1 2", {"refused bad_time"}, "two times"},
              {"m f=1 now", {"refused bad_time"}, "a word"}},
             at("ns"));
  for (const auto& [unit, time, want] :
       std::vector<std::array<std::string, 3>>{{"n", "1700000000000000000", "1700000000"},
                                               {"u", "1700000000999999", "1700000000"},
                                               {"us", "-1", "-1"},
                                               {"\xc2\xb5", "1700000000000000", "1700000000"},
                                               {"ms", "1700000000123", "1700000000"},
                                               {"s", "1700000000", "1700000000"},
                                               {"m", "28333333", "1699999980"},
                                               {"h", "472222", "1699999200"}}) {
    EXPECT_EQ(parsed("m f=1 " + time, at(unit)), std::vector<std::string>{"gauge m.f@" + want + " 1"})
        << unit;
  }
  expect_all({{"m f=1 153722867280912931", {"refused bad_time"}, "minutes whose seconds do not fit"}},
             at("m"));
  expect_all({{"m f=1 2562047788015216", {"refused bad_time"}, "hours whose seconds do not fit"}}, at("h"));
  for (const char* none : {"", "ms ", "NS", "d", "sec"}) EXPECT_FALSE(parse_influx_unit(none)) << none;
}

TEST(InfluxLines, AddsATagOfTheRequest) {
  const InfluxOptions db = {.tag_key = "db", .tag_value = "tele graf"};
  expect_all({{"cpu usage=1", {"gauge cpu.usage;db=tele%20graf 1"}, "to a point without tags"},
              {"cpu,host=a usage=1", {"gauge cpu.usage;db=tele%20graf;host=a 1"}, "in order"},
              {"cpu,db=x usage=1", {"gauge cpu.usage;db=x 1"}, "the point's own tag wins"}},
             {.tag_key = "db", .tag_value = escaped_value("tele graf")});
  EXPECT_EQ(parsed("cpu usage=1", {.tag_key = "db", .tag_value = ""}),
            std::vector<std::string>{"gauge cpu.usage 1"});
  EXPECT_EQ(db.unit, InfluxUnit::kNanosecond);
}

TEST(InfluxLines, EnforcesItsLimits) {
  const auto tags = [](size_t count) {
    std::string out = "m";
    for (size_t i = 0; i < count; ++i) out += ",k" + std::to_string(100 + i) + "=v";
    return out + " f=1";
  };
  EXPECT_EQ(parsed(tags(kTagsMax)).size(), 1u);
  EXPECT_EQ(parsed(tags(kTagsMax + 1)), std::vector<std::string>{"refused tag_limit"});
  const std::string longest(kNameBytesMax - 2, 'n');
  const auto fields = [](size_t count) {
    std::string out = "m f=1";
    for (size_t i = 1; i < count; ++i) out += ",f=1";
    return out;
  };
  const std::string long_tag = "m,k=" + std::string(2000, 'v');
  const size_t most_names = kInfluxNameBytesMax / (2000 + std::string("m.f;k=").size());
  const std::string rest(kLineBytesMax - 5, ' ');
  expect_all({
      {longest + " f=1", {"gauge " + longest + ".f 1"}, "the longest name"},
      {longest + "n f=1", {"refused name_too_long"}, "one more byte"},
      {longest + " ff=1", {"refused name_too_long"}, "one more byte of a field"},
      {"m,k=" + longest + "v f=1", {"refused name_too_long"}, "of a tag"},
      {"m f=1" + rest, {"gauge m.f 1"}, "the longest line"},
      {"m f=1" + rest + " ", {"refused line_too_long"}, "one more byte"},
      {fields(kInfluxFieldsMax + 1), {"refused fan_out_limit"}, "more fields than a point may have"},
      {long_tag + fields(most_names + 1).substr(1), {"refused fan_out_limit"}, "too long names together"},
  });
  EXPECT_EQ(parsed(fields(kInfluxFieldsMax)).size(), kInfluxFieldsMax);
  EXPECT_EQ(parsed(long_tag + fields(most_names - 1).substr(1)).size(), most_names - 1);
}

TEST(InfluxLines, StopsAPieceBeforeItsNamesTakeMuchMemory) {
  std::string point = "m,k=" + std::string(2000, 'v') + " f=1";
  for (int i = 1; i < 400; ++i) point += ",f=1";
  std::string text;
  for (int i = 0; i < 10; ++i) text += point + "\n";
  Batch batch;
  EXPECT_EQ(parse_influx_piece(text, {}, batch), 2 * (point.size() + 1));
  EXPECT_EQ(batch.samples.size(), 2u * 400);
}

TEST(InfluxLines, ParsesPiecesOfWholePoints) {
  std::string text;
  while (text.size() < 3 * kInfluxPieceBytes) text += "m f=1,s=\"a\nb\"\n";
  size_t samples = 0;
  size_t pieces = 0;
  for (std::string_view rest = text; !rest.empty(); ++pieces) {
    Batch batch;
    rest.remove_prefix(parse_influx_piece(rest, {}, batch));
    EXPECT_EQ(sum_of_refused(batch), 0u);
    samples += batch.samples.size();
  }
  EXPECT_EQ(samples, (text.size() + 13) / 14);
  EXPECT_EQ(pieces, 3u);
}

TEST(InfluxLines, KeepsTheFirstLineOfARefusedPoint) {
  Batch batch;
  parse_influx_lines("m s=\"a\nb\",f=x\nm f=2\n", batch);
  ASSERT_EQ(batch.refused_lines.size(), 1u);
  EXPECT_EQ(batch.refused_lines[0].text, "m s=\"a");
  EXPECT_EQ(batch.samples.size(), 1u);
}

rc::Gen<std::string> line_like_bytes() {
  const auto piece = rc::gen::weightedOneOf<std::string>(
      {{8, rc::gen::element<std::string>("m", "cpu", ",k=v", ",j=w", " f=1", ",g=2i", "=", ",", "\\", "=\"")},
       {6, rc::gen::element<std::string>(" ", "\n", "\r\n", "\"", "\\,", "\\ ", "\\=", "\\\"", "#", "\t")},
       {2, rc::gen::element<std::string>("t", "false", "nan", "1e400", " 1700000000000000000", "7u", "i")},
       {2, rc::gen::element<std::string>("%41", ";", "~", "name", "!", "\xff", "\xc3\xa9", "\xe2\x80\x8d")},
       {1, rc::gen::container<std::string>(rc::gen::arbitrary<char>())}});
  return texts_of(piece);
}

RC_GTEST_PROP(InfluxLines, AnyBytesHaveConsistentCountsAndParseTheSamePointByPoint, ()) {
  const auto texts = *rc::gen::container<std::vector<std::string>>(100, line_like_bytes());
  for (const std::string& text : texts) {
    const ExactCopy bytes(text);
    Batch whole;
    parse_influx_lines(bytes.text(), whole);
    RC_ASSERT(is_sane_influx(whole));
    RC_ASSERT(is_same_point_by_point(bytes.text()));
    const bool has_string = text.find('"') != std::string::npos;
    RC_ASSERT(has_string || is_same_line_by_line(whole, bytes.text(), [](std::string_view line, Batch& to) {
                parse_influx_line(line, {}, to);
              }));
  }
}

// Writes a text as senders do.
std::string sent(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

rc::Gen<std::string> words() {
  const auto word = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::element(
      'a', 'b', 'C', '.', ',', ' ', '=', '\\', '%', '4', '1', ';', '~', '\t', '!', '^', '"')));
  // What ends in a backslash cannot be sent, and a blank or tab around a line is not part of it.
  return rc::gen::map(word, [](const std::string& text) { return "x" + text + "y"; });
}

RC_GTEST_PROP(InfluxLines, WhatIsSentIsStored, ()) {
  const std::string measurement = *words();
  const auto tags = *rc::gen::container<std::map<std::string, std::string>>(words(), words());
  const auto field = *words();
  RC_PRE(tags.size() <= kTagsMax);
  std::string line = sent(measurement, ", ");
  std::map<std::string, std::string> stored;
  for (const auto& [key, value] : tags) {
    line += "," + sent(key, ",= ") + "=" + sent(value, ",= ");
    stored[escaped_key(key)] = escaped_value(value);
  }
  std::string name = escaped_path(measurement + "." + field);
  for (const auto& [key, value] : stored) name.append(";").append(key).append("=").append(value);
  RC_PRE(name.size() <= kNameBytesMax);
  line += " " + sent(field, ",= ") + "=-2.5 77000000000";
  RC_ASSERT(parsed(line) == std::vector<std::string>{"gauge " + name + "@77 -2.5"});
}

}  // namespace
}  // namespace statmill
