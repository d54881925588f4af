// Which lines go the short road. That they mean there what they mean on the general one, statsd_lines_test.cc
// shows.
#include "proto/usual_statsd_line.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/proto/statsd_laws.h"

namespace statmill {
namespace {

const std::string kNext = "the.next.line:1|g|#which:is,long:enough,for:what,looks:ahead,of:it,and:on\n";

// How much of `line` and what follows is taken; 0: nothing, and the batch is as before.
size_t taken(const std::string& line) {
  const std::string text = line + kNext + kNext;
  StatsdBatch batch;
  const char* const behind = take_usual_statsd_line(text.data(), text.data() + text.size(), batch);
  EXPECT_EQ(batch.batch.samples.size(), behind == nullptr ? 0U : 1U) << line;
  if (behind != nullptr) return static_cast<size_t>(behind - text.data());
  EXPECT_TRUE(same_batch(batch, StatsdBatch{})) << line;
  return 0;
}

TEST(UsualStatsdLine, TakesWhatNearlyAllLinesAre) {
  const std::string tags = "env:prod,host:web-01.example,url:10.0.0.1:80,Version:1.2.3_a/b";
  for (const std::string& line :
       {std::string("a:1|c\n"), std::string("A.b-c_d:-12.5|g\n"), std::string("a:+1|g\n"),
        std::string("a:320.5|ms\n"), std::string("a:0|h\n"), std::string("a:-7|d\n"),
        std::string("a:1|c|@0.1\n"), std::string("a:1|ms|@0.3\n"), std::string("a:1|g|@0.5\n"),
        "a:1|c|#" + tags + "\n", "a:1|c|@0.1|#" + tags + "\n", "a:1|d|#" + tags + "|@0.1\n",
        "a:1|c|#z:1," + tags + "," + std::string(60, 'k') + ":" + std::string(200, 'v') + "\n",
        std::string(kNameBytesMax, 'n') + ":1|c\n", std::string(kNameBytesMax - 4, 'n') + ":1|c|#k:v\n"}) {
    EXPECT_EQ(taken(line), line.size()) << line;
  }
}

TEST(UsualStatsdLine, LeavesOthersToTheGeneralRoad) {
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
    EXPECT_EQ(taken(line), 0U) << line;
  }
}

}  // namespace
}  // namespace statmill
