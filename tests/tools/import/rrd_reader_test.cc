// What RRDtool writes: dumps with all archives, and xport's tables.
#include "tools/statmill/import/rrd_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/import/history_test.h"

namespace statmill {
namespace {

using testing::ElementsAre;

constexpr std::string_view kRrd = R"(<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE rrd SYSTEM "https://oss.oetiker.ch/rrdtool/rrdtool.dtd">
<!-- Round Robin Archive -->
<rrd>
  <version>0003</version>
  <step>10</step> <!-- Seconds -->
  <ds>
    <name> in </name>
  </ds>
  <ds>
    <name> out </name>
  </ds>
  <rra>
    <cf>AVERAGE</cf>
    <pdp_per_row>1</pdp_per_row> <!-- 10 seconds -->
    <database>
      <!-- 1970-01-01 00:16:20 UTC / 980 --> <row><v>1.5000000000e+00</v><v>NaN</v></row>
      <!-- 1970-01-01 00:16:30 UTC / 990 --> <row><v>2.0000000000e+00</v><v>3.0000000000e+00</v></row>
    </database>
  </rra>
  <rra>
    <cf>MAX</cf>
    <pdp_per_row>1</pdp_per_row>
    <database>
      <!-- 1970-01-01 00:16:30 UTC / 990 --> <row><v>9.0000000000e+00</v><v>9.0000000000e+00</v></row>
    </database>
  </rra>
  <rra>
    <cf>AVERAGE</cf>
    <pdp_per_row>6</pdp_per_row>
    <database>
      <!-- 1970-01-01 00:15:00 UTC / 900 --> <row><v>7.0000000000e+00</v><v>8.0000000000e+00</v></row>
      <!-- 1970-01-01 00:16:00 UTC / 960 --> <row><v>x</v></row>
    </database>
  </rra>
</rrd>
)";

using RrdHistory = History;

TEST_F(RrdHistory, RrdAveragesComeFromTheFinestArchive) {
  const CollectedHistory out = read("eth0.xml", std::string(kRrd), HistoryFormat::kRrd);
  EXPECT_EQ(error_, "");
  EXPECT_THAT(out.lines, ElementsAre("eth0.in 970 1.5", "eth0.in 980 2", "eth0.out 980 3", "eth0.in 840 7",
                                     "eth0.out 840 8"));
  EXPECT_THAT(out.refused, ElementsAre("33 field_count"));
}

TEST_F(RrdHistory, RrdDumpsOfImpossibleSizesAreRefused) {
  const auto refusal = [this](const std::string& find, const std::string& put) {
    std::string text(kRrd);
    text.replace(text.find(find), find.size(), put);
    const std::string path = directory_.write("b.xml", text);
    const auto reader = open_history({.path = path, .format = HistoryFormat::kRrd}, -1, {});
    return reader ? std::string() : reader.error().message;
  };
  EXPECT_EQ(refusal("<step>10<", "<step>9223372036854775807<"), "no text of rrdtool dump");
  EXPECT_EQ(refusal("<pdp_per_row>6<", "<pdp_per_row>9223372036854775807<"), "no text of rrdtool dump");
  EXPECT_EQ(refusal("<pdp_per_row>6<", "<pdp_per_row>9999999999<"), "no text of rrdtool dump")
      << "its two rows are longer than any time";
  EXPECT_EQ(refusal("<name> out <", "<name> in <"), "two columns have the name in");
  // A row of such a time is left out.
  std::string text(kRrd);
  text.replace(text.find("/ 900 "), 6, "/ -9223372036854775808 ");
  const CollectedHistory out = read("eth0.xml", text, HistoryFormat::kRrd);
  EXPECT_THAT(out.lines, ElementsAre("eth0.in 970 1.5", "eth0.in 980 2", "eth0.out 980 3"));
  EXPECT_THAT(out.refused, ElementsAre("32 field_count", "33 field_count"));
}

constexpr std::string_view kXport = R"(<?xml version="1.0" encoding="ISO-8859-1"?>

<xport>
  <meta>
    <start>1700000060</start>
    <end>1700000100</end>
    <step>10</step>
    <columns>2</columns>
    <legend>
      <entry>in & <out></entry>
      <entry></entry>
    </legend>
  </meta>
  <data>
    <row><v>6.0000000000e+00</v><v>NaN</v></row>
    <row><v>7.5000000000e+00</v></row>
    <row><v>8.0000000000e+00</v><v>9.0000000000e+00</v></row>
    <row><t>1700000090</t><v>x</v><v>1.0000000000e+01</v></row>
    <row><t>-9223372036854775808</t><v>1</v><v>2</v></row>
  </data>
</xport>
)";

TEST_F(RrdHistory, XportHasAGaugeForEachColumn) {
  const CollectedHistory out = read("net.xml", std::string(kXport), HistoryFormat::kXport);
  EXPECT_EQ(error_, "");
  EXPECT_THAT(out.lines, ElementsAre("net.in%20&%20<out> 1700000050 6", "net.in%20&%20<out> 1700000070 8",
                                     "net.column2 1700000070 9", "net.column2 1700000080 10"));
  EXPECT_THAT(out.refused, ElementsAre("16 field_count", "18 bad_value", "19 bad_time"));
}

TEST_F(RrdHistory, XportWithoutAHeadIsRefused) {
  const std::string whole(kXport);
  const size_t rows = whole.find("<data>");
  for (size_t size = 0; size < rows; ++size) {
    const std::string path = directory_.write("a.xml", whole.substr(0, size));
    EXPECT_FALSE(open_history({.path = path, .format = HistoryFormat::kXport}, -1, {})) << size;
  }
  for (const std::string step : {"0", "-1", "9223372036854775807", "x"}) {
    std::string text = whole;
    text.replace(text.find("<step>10"), 8, "<step>" + step);
    const std::string path = directory_.write("a.xml", text);
    EXPECT_FALSE(open_history({.path = path, .format = HistoryFormat::kXport}, -1, {})) << step;
  }
}

}  // namespace
}  // namespace statmill
