// Names at the line port: folded as istatd does, then spelled canonically.
#include "proto/istatd/line_names.h"

#include <gtest/gtest.h>

#include "proto/istatd/parser.h"
#include "tests/proto/batch_text.h"
#include "tests/proto/line_laws.h"

namespace statmill {
namespace {

void expect_all(const std::vector<LineCase>& cases) {
  for (const LineCase& c : cases) {
    Batch batch;
    parse_istatd_line(c.input, batch);
    EXPECT_TRUE(account_holds(batch)) << c.input;
    std::vector<std::string> got = refused_texts(batch);
    for (const Sample& sample : batch.samples) got.push_back(to_text(sample));
    EXPECT_EQ(got, c.want) << c.input << ": " << c.why;
  }
}

TEST(FoldedNames, AreThoseOfIstatd) {
  expect_all({
      {"Disk.C:\\Temp 1", {"gauge disk.c__temp 1"}, "case, colon, backslash"},
      {"a/b\"c'd 1", {"gauge a_b_c_d 1"}, "slash and quotes"},
      {"a\x01\x7f\xff\xc3\xa4 1", {"gauge a_____ 1"}, "control bytes and all above 126, byte by byte"},
      {std::string("a\0b 1", 5), {"gauge a_b 1"}, "NUL"},
      {"a,(b)&!*~c;t=v 1", {"gauge a,(b)&!*~c;t=v 1"}, "other bytes are kept"},
      {"a..b 1", {"gauge a..b 1"}, "empty components are allowed"},
      {"**a 1", {"event *a 1"}, "only the first star marks an event"},
      {"*A^B 1", {"event a.b 1"}, "also after fan-out"},
  });
}

TEST(FoldedNames, HaveSortedTags) {
  expect_all({
      {"a;T=1;s=X/y 1", {"gauge a;s=x_y;t=1 1"}, "folded, then sorted"},
      {"a;T=1;t=2 1", {"refused duplicate_tag"}, "one key after folding"},
      {"a; 1", {"refused bad_tag"}, "nothing after the ;"},
      {"a;b= 1", {"refused bad_tag"}, "no value"},
      {"a;name=x;k!=~y 1", {"gauge a;%6Eame=x;k%21=%7Ey 1"}, "what a tag cannot have is escaped"},
      {"a%2Fb%41;k=x%3by 1", {"gauge a/bA;k=x%3By 1"}, "escapes are not folded"},
      {"a%2541%zz%e2%80%8 1", {"gauge a%2541%zz%E2%80%8 1"}, "the shortest escape of each text"},
      {"a%e2%80%8b 1", {"refused bad_name"}, "a hidden character"},
  });
}

}  // namespace
}  // namespace statmill
