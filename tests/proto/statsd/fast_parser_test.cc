// The fast parser reads common lines like the general parser, and leaves all others to it.
#include "proto/statsd/fast_parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "tests/proto/generated_text.h"
#include "tests/proto/statsd/laws.h"

namespace statmill {
namespace {

const std::string kNext = "the.next.line:1|g|#which:is,long:enough,for:what,looks:ahead,of:it,and:on\n";

// Returns how many bytes the fast parser reads; 0 if it leaves the line to the general parser.
size_t bytes_parsed(const std::string& line) {
  const std::string text = line + kNext + kNext;
  StatsdBatch batch;
  const char* const end = parse_statsd_line_fast(text.data(), text.data() + text.size(), batch);
  EXPECT_EQ(batch.batch.samples.size(), end == nullptr ? 0U : 1U) << line;
  if (end != nullptr) return static_cast<size_t>(end - text.data());
  EXPECT_TRUE(same_batch(batch, StatsdBatch{})) << line;
  return 0;
}

TEST(FastStatsdLine, ParsesCommonLines) {
  const std::string tags = "env:prod,host:web-01.example,url:10.0.0.1:80,Version:1.2.3_a/b";
  for (const std::string& line :
       {std::string("a:1|c\n"), std::string("A.b-c_d:-12.5|g\n"), std::string("a:+1|g\n"),
        std::string("a:320.5|ms\n"), std::string("a:0|h\n"), std::string("a:-7|d\n"),
        std::string("a:1|c|@0.1\n"), std::string("a:1|ms|@0.3\n"), std::string("a:1|g|@0.5\n"),
        "a:1|c|#" + tags + "\n", "a:1|c|@0.1|#" + tags + "\n", "a:1|d|#" + tags + "|@0.1\n",
        "a:1|c|#z:1," + tags + "," + std::string(60, 'k') + ":" + std::string(200, 'v') + "\n",
        std::string(kNameBytesMax, 'n') + ":1|c\n", std::string(kNameBytesMax - 4, 'n') + ":1|c|#k:v\n"}) {
    EXPECT_EQ(bytes_parsed(line), line.size()) << line;
  }
}

TEST(FastStatsdLine, LeavesOtherLinesToTheGeneralParser) {
  for (const std::string& line : {std::string("\n"),
                                  std::string(":1|c\n"),
                                  std::string(" a:1|c\n"),
                                  std::string("~a:1|c\n"),
                                  std::string("_sc|a|0\n"),
                                  std::string("_e{1}:1|c\n"),
                                  std::string("a;k=v:1|c\n"),
                                  std::string("a,k=v:1|c\n"),
                                  std::string("a:1\n"),
                                  std::string("a:x|s\n"),
                                  std::string("a:x|c\n"),
                                  std::string("a:1:2|c\n"),
                                  std::string("a:1|c:2|g\n"),
                                  std::string("a:-1|ms\n"),
                                  std::string("a:1|m\n"),
                                  std::string("a:1|c\r\n"),
                                  std::string("a:1|c|T5\n"),
                                  std::string("a:1|c|@2\n"),
                                  std::string("a:1|c|@0.1|@0.5\n"),
                                  std::string("a:1|c|@\n"),
                                  std::string("a:1|c|#\n"),
                                  std::string("a:1|c|#flag\n"),
                                  std::string("a:1|c|#k:v,\n"),
                                  std::string("a:1|c|#k:\n"),
                                  std::string("a:1|c|#:v\n"),
                                  std::string("a:1|c|#k:~v\n"),
                                  std::string("a:1|c|#name:v\n"),
                                  std::string("a:1|c|#k:v,k:v\n"),
                                  std::string("a:1|c|#eightbytes1:v,eightbytes2:v\n"),
                                  std::string("a:1|c|#k:v|#l:w\n"),
                                  std::string("a:1|c|#k=v\n"),
                                  std::string("a:1|c|#k:\xc3\xa9\n"),
                                  std::string(kNameBytesMax + 1, 'n') + ":1|c\n",
                                  std::string(kNameBytesMax - 4, 'n') + ":1|c|#k:vv\n"}) {
    EXPECT_EQ(bytes_parsed(line), 0U) << line;
  }
}

TEST(FastStatsdLine, RefusesRatesThatEndWithZeroBytes) {
  for (const std::string& rate : {std::string(1, '\0'), std::string(8, '\0'), std::string("0.5\0", 4)}) {
    StatsdBatch batch;
    parse_statsd_line("a:2|ms|@" + rate, batch);
    EXPECT_EQ(batch.batch.received, 1U);
    EXPECT_EQ(batch.batch.refused[static_cast<size_t>(Refusal::kBadRate)], 1U) << rate.size();
  }
}

const std::vector<std::string> kCommonLines = {
    "servers.web-01.cpu_idle:1234.25|g\n",
    "a:+7|g\n",
    "b:-0.50|g|@0.1\n",
    "requests.by.some_long.name_of.a.series:1|c\n",
    "shop.orders:3|c|@0.25\n",
    "shop.latency:320.5|ms\n",
    "shop.latency:320.5|ms|@0.3\n",
    "x.y:1234567890123.5|h|@0.01\n",
    "shop.size:-2|d|#env:prod,host:web-01.a,region:eu\n",
    "shop.orders:1|c|@0.1|#region:eu-west-1,env:prod,host:10.0.0.1:80\n",
    "shop.orders:1|c|#env:prod,host:web-01,keys_alike_1:x,zone:some_value_that_is_quite_long,version:1.2.3|@"
    "0.5\n",
};

TEST(FastStatsdLine, ParsesCommonLinesAmongOthersLikeTheGeneralParser) {
  EXPECT_EQ(unlike_line_by_line<StatsdBatch>(kCommonLines, parse_statsd_lines, parse_statsd_line), "");
}

// Common lines, some of them with pieces of others inserted, removed or overwritten.
RC_GTEST_PROP(FastStatsdLine, ParsesAlmostCommonLinesLikeTheGeneralParser, ()) {
  const auto piece = rc::gen::weightedOneOf<std::string>(
      {{2, rc::gen::element<std::string>(":", "|", "\n", ",", ";", "=", "~", "#", "@", ".", "-", "+", " ")},
       {2, rc::gen::element<std::string>("|c", "|g", "|ms", "|h", "|s", "|@0.1", "|@1.0", "|@2", "|T5")},
       {2, rc::gen::element<std::string>("|#a:b", "|#", ",env:prod", ",name:x", "k:v,", ":1", "e5", "1.50")},
       {1, rc::gen::element<std::string>("\r", "\xc3\xa9", "\xff", "^", "!", "_", "0000000000", "\t")},
       {1, rc::gen::map(rc::gen::inRange<size_t>(0, 1100), [](size_t n) { return std::string(n, 'k'); })}});
  std::string text;
  const auto count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) {
    std::string line = *rc::gen::elementOf(kCommonLines);
    for (auto changes = *rc::gen::weightedElement<int>({{3, 0}, {3, 1}, {1, 3}}); changes > 0; --changes) {
      const auto begin = *rc::gen::inRange<size_t>(0, line.size() + 1);
      line.replace(begin, *rc::gen::weightedElement<size_t>({{3, 0}, {2, 1}, {1, 4}}), *piece);
    }
    text += line;
  }
  RC_ASSERT(law_broken_by_statsd(text) == "");
}

}  // namespace
}  // namespace statmill
