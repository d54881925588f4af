// What the first bytes of a stream say about its protocol.
#include "ingest/foreign_stream.h"

#include <gtest/gtest.h>

#include <string>

namespace statmill {
namespace {

using namespace std::string_literals;

TEST(ForeignStream, NamesWhatArrivesAtAPortForLines) {
  for (const std::string& pickle : {"\0\0\1\xd4\x80\2]q"s, "\0\0\1\xd4(lp0\n"s, "\0\1\0\0]q\0("s})
    EXPECT_EQ(foreign_to_lines(pickle).substr(0, 8), "a pickle") << pickle;
  EXPECT_EQ(foreign_to_lines("\x16\3\1\2\0\1\0"s).substr(0, 3), "TLS");
  EXPECT_EQ(foreign_to_lines("\x20\0\0\0web.requests:1|c"s).substr(0, 6), "frames");
  for (const std::string& lines : {"a.b 1 2\n"s, "\n\n\n\n\n\n"s, "*a^b 1\n"s, "#key text\n"s,
                                   "\xcf\x89.heat 1\n"s, "\1\2\3\4\5\6\n"s, "_e{1,1}:a|b"s})
    EXPECT_EQ(foreign_to_lines(lines), "") << lines;
}

TEST(ForeignStream, WaitsForWhatDecides) {
  EXPECT_TRUE(may_become_foreign("\0\0\1"s));
  EXPECT_TRUE(may_become_foreign("\x16"s));
  EXPECT_TRUE(may_become_foreign("\x20\0"s));
  EXPECT_FALSE(may_become_foreign("a 1\n"s));
  EXPECT_FALSE(may_become_foreign("\0\0\1\xd4\x80\2]"s)) << "that has decided";
  EXPECT_EQ(foreign_to_lines("\0\0\1"s), "");
}

TEST(ForeignStream, NamesWhatArrivesAtAPortForFrames) {
  EXPECT_EQ(foreign_to_frames("disk.used 12.5 -1\n"s).substr(0, 5), "lines");
  EXPECT_EQ(foreign_to_frames("POST /metrics HTTP/1.1\r\n"s), "an HTTP request");
  EXPECT_EQ(foreign_to_frames("\x16\3\1\2\0\1\0"s).substr(0, 3), "TLS");
  EXPECT_EQ(foreign_to_frames("\0\x20\0\0\x80\2]"s), "") << "only too long";
}

}  // namespace
}  // namespace statmill
