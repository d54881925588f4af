// Renames series: all their data move along, wherever they are, and names in use are refused.
#include <gmock/gmock.h>

#include "tests/server/admin/names_fixture.h"
#include "tests/support/answers.h"
#include "tests/support/series_copy.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using RenameTest = NamesFixture;

TEST_F(RenameTest, ARenamedSeriesKeepsItsSamplesWhereverTheyAre) {
  send("old 1");
  pass(7 * kHour);
  send("old 10");
  tick();
  send("old 100\nother 5");
  const SeriesId id = copy_of(*table_, "old")->id;
  rename("old", "short.new");
  const auto check = [&](double total) {
    EXPECT_THAT(names(), ElementsAre("other", "short.new"));
    EXPECT_EQ(ask("old").error().code, ErrorCode::kNotFound);
    EXPECT_EQ(copy_of(*table_, "short.new")->id, id);
    EXPECT_EQ(int{copy_of(*table_, "short.new")->retention}, 1);
    EXPECT_EQ(int{store_.expiry().class_of(id)}, 1);
    const auto answer = ask("short.new", kHour);
    double of_day = 0;
    for (const Bucket& b : buckets_of(answer->series.at(0))) of_day += b.is_empty() ? 0 : b.sum();
    EXPECT_EQ(of_day, total);
  };
  check(111);
  restart();
  check(111);
  send("short.new 1000");
  tick();
  restart();
  check(1111);
  rename("short.new", "old");
  rename("old", "newer");
  restart();
  EXPECT_THAT(names(), ElementsAre("newer", "other"));
}

TEST_F(RenameTest, TheOldNameIsFreeForAnotherSeries) {
  send("old 1");
  rename("old", "new");
  send("old 5\nnew 2");
  tick();
  restart();
  EXPECT_EQ(sum("old"), 5);
  EXPECT_EQ(sum("new"), 3);
}

TEST_F(RenameTest, RenamesAllSeriesThatAStarMatches) {
  send("web.1.cpu 1\nweb.22.cpu 2\nweb.cpu 3");
  rename("web.*.cpu", "host.*.cpu.all", 2);
  EXPECT_THAT(names(), ElementsAre("host.1.cpu.all", "host.22.cpu.all", "web.cpu"));
  EXPECT_EQ(sum("host.22.cpu.all"), 2);
  rename("none.*", "nothing.*", 0);
}

TEST_F(RenameTest, TakesAnySpelling) {
  send("a;s=1;t=2 1\nb.1 1\nb.2 1");
  rename("a;t=2;s=%31", "B c^/;z=1;y=~2", 1);
  rename("b.*", "x;n=*;k=v", 2);
  EXPECT_THAT(names(), ElementsAre("B%20c^/;y=%7E2;z=1", "x;k=v;n=1", "x;k=v;n=2"));
}

TEST_F(RenameTest, RefusesToGiveTwoSeriesOneName) {
  send("q.a 1\nq.%41 1");
  EXPECT_THAT(refusal(RenameRequest{"q.*", "x%6*"}), HasSubstr("two series would get the name \"xj\""));
  EXPECT_THAT(names(), ElementsAre("q.A", "q.a"));
}

TEST_F(RenameTest, RefusesNamesThatExistOrAreInvalid) {
  send("a 1\nb 1\na.1 1\nb.1 1");
  const struct {
    RenameRequest request;
    std::string why;
  } kRefused[] = {
      {{"a", "b"}, "the series \"b\" already exists"},
      {{"a", "a"}, "already"},
      {{"c", "d"}, "there is no series \"c\""},
      {{"a", ""}, "has no path"},
      {{"a", "x;y"}, "not of the form key=value"},
      {{"a", "x;y=1;y=2"}, "two values for one tag"},
      {{"a", "x\xe2\x80\x8b"}, "hidden character"},
      {{"a", "x\n"}, "control"},
      {{"a", "%62"}, "the series \"b\" already exists"},
      {{"a", "x*"}, "neither does"},
      {{"a*", "x"}, "neither does"},
      {{"a**", "x*"}, "one * at most"},
      {{"a.*", "b.*"}, "\"b.1\" already"},
      {{"[a].*", "x.*"}, "only wildcard"},
      {{"a", std::string(kNameBytesMax + 1, 'x')}, "name"},
  };
  for (const auto& [request, why] : kRefused)
    EXPECT_THAT(refusal(request), HasSubstr(why)) << request.from << " " << request.to;
  EXPECT_EQ(names().size(), 4U);
}

}  // namespace
}  // namespace statmill
