// `statmill top` as a function: keys and answers in, screens out.
#include "tools/statmill/top/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tools/statmill/top/view.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::Not;

class TopTest : public testing::Test {
 protected:
  TopTest() {
    state_.rows = 10;
    state_.columns = 80;
  }
  void add_host(const std::string& host, double cpu_busy = 10) {
    HostRow row{.host = host};
    row.figures[0] = Measure{cpu_busy, cpu_busy >= 95 ? Level::kCritical : Level::kOk};
    row.level = row.figures[0]->level;
    data_.hosts.push_back(row);
    data_.at_s = 1'700'000'000;
  }
  void list(const std::vector<std::string>& names) {
    data_.listed = listed_pattern(state_);
    data_.series = {};
    for (const std::string& name : names)
      data_.series.series.push_back({.name = name, .kind = "gauge", .last_s = 1'699'999'990});
    data_.at_s = 1'700'000'000;
    state_ = after_data(state_, data_);
  }
  void press(KeyName name) { state_ = after_key(state_, {name}, data_); }
  void type(const std::string& text) {
    for (const char c : text) state_ = after_key(state_, {KeyName::kText, std::string(1, c)}, data_);
  }
  std::string screen() const {
    return as_lines(draw_top(state_, data_, {"http://server", [](int64_t) { return ZoneOffset(); }, true}),
                    false);
  }

  TopState state_;
  TopData data_;
};

TEST_F(TopTest, ShowsTheHostsWithTheWorstOnTop) {
  add_host("db3.example.org", 97);
  add_host("web1.example.org");
  EXPECT_EQ(screen(),
            "statmill  2 hosts: 1 ok, 1 ✕                                        22:13:20 UTC\n"
            "  host    cpu  wait p99   press     mem    disk       p99         net     lag\n"
            "✕ db3    97 %✕        ·       ·       ·       ·         ·           ·       ·\n"
            "  web1   10 %         ·       ·       ·       ·         ·           ·       ·\n"
            "\n\n\n\n\n"
            "↑↓ move  enter open  / filter  s all series  ? help  q quit\n");
}

TEST_F(TopTest, SaysWhyThereIsNothing) {
  EXPECT_THAT(screen(), HasSubstr("asking http://server"));
  data_.problem = "cannot reach server: refused";
  EXPECT_THAT(screen(), HasSubstr("no answer from http://server"));
  EXPECT_THAT(screen(), HasSubstr("✕ cannot reach server: refused"));
  data_.problem.clear();
  data_.at_s = 1;
  EXPECT_THAT(screen(), HasSubstr("no host sends to this server yet"));
  type("s");
  EXPECT_THAT(screen(), HasSubstr("asking ..."));
  list({});
  EXPECT_THAT(screen(), HasSubstr("nothing was sent to this server yet"));
}

TEST_F(TopTest, OpensAHostASeriesAndAChart) {
  add_host("db3");
  state_ = after_data(state_, data_);
  press(KeyName::kEnter);
  EXPECT_EQ(wanted(state_, data_).pattern, "*;host=db3{,;*}");
  list({"host.cpu.busy_percent;host=db3", "host.net.bytes;device=eth0;host=db3;op=x"});
  EXPECT_THAT(screen(), HasSubstr("db3: 2 series"));
  EXPECT_THAT(screen(), HasSubstr("\nhost.net.bytes;device=eth0;op=x "));
  type("j");
  press(KeyName::kEnter);
  EXPECT_EQ(wanted(state_, data_).chart[0],
            std::pair(std::string("series"), std::string("host.net.bytes;device=eth0;host=db3;op=x")));
  EXPECT_EQ(wanted(state_, data_).chart[1].second, "-1h");
  type("--+");
  EXPECT_EQ(wanted(state_, data_).chart[1].second, "-3h");
  press(KeyName::kEscape);
  EXPECT_EQ(state_.view, View::kSeries);
  EXPECT_EQ(state_.selected_series, "host.net.bytes;device=eth0;host=db3;op=x");
  press(KeyName::kEscape);
  EXPECT_EQ(state_.view, View::kHosts);
}

TEST_F(TopTest, FiltersNamesWhileTyping) {
  type("s");
  list({"a.wait_ns", "b.busy", "c.WAIT"});
  type("/wAq");  // q is text here
  EXPECT_THAT(screen(), HasSubstr("no series matches \"wAq\""));
  press(KeyName::kBackspace);
  EXPECT_THAT(screen(), HasSubstr("a.wait_ns"));
  EXPECT_THAT(screen(), HasSubstr("c.WAIT"));
  EXPECT_THAT(screen(), Not(HasSubstr("b.busy")));
  press(KeyName::kEnter);
  EXPECT_EQ(wanted(state_, data_).names, (std::vector<std::string>{"a.wait_ns", "c.WAIT"}));
  press(KeyName::kEscape);
  EXPECT_THAT(screen(), HasSubstr("b.busy"));
  EXPECT_EQ(state_.view, View::kSeries);
}

TEST_F(TopTest, TheCursorStaysOnItsRowWhenTheOrderChanges) {
  add_host("a");
  add_host("b");
  add_host("c");
  state_ = after_data(state_, data_);
  type("j");
  EXPECT_EQ(state_.selected_host, "b");
  std::swap(data_.hosts[1], data_.hosts[2]);
  state_ = after_data(state_, data_);
  EXPECT_EQ(state_.hosts.cursor, 2U);
  data_.hosts.pop_back();
  state_ = after_data(state_, data_);
  EXPECT_EQ(state_.selected_host, "c") << "its host is gone: the row before";
}

TEST_F(TopTest, QuitsByKeys) {
  type("q");
  EXPECT_TRUE(state_.is_done);
  state_ = {};
  type("/");
  press(KeyName::kInterrupt);
  EXPECT_TRUE(state_.is_done);
}

TEST_F(TopTest, AnyKeysAndSizesGiveAScreen) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 40; ++i)
    add_host("host." + std::string(static_cast<size_t>(i), 'x') + "\xff\x1b", i * 3);
  const std::string characters = "jkgGhls/+-?xj\x7f";
  for (int i = 0; i < 4000; ++i) {
    if (random() % 5 == 0) {
      const auto names = static_cast<KeyName>(1 + random() % 12);
      press(names == KeyName::kInterrupt ? KeyName::kEnter : names);
    } else {
      type(std::string(1, characters[random() % characters.size()]));
    }
    if (random() % 10 == 0) list({"a", "host.b.c", std::string(300, 'n'), "\u202e"});
    if (random() % 10 == 0) {
      state_.rows = static_cast<int>(random() % 40);
      state_.columns = static_cast<int>(random() % 200);
      state_ = after_data(state_, data_);
    }
    const Screen drawn = draw_top(state_, data_, {"s", [](int64_t) { return ZoneOffset(); }, false});
    ASSERT_EQ(drawn.rows(), state_.rows);
    const size_t rows =
        state_.view == View::kHosts ? shown_hosts(state_, data_).size() : shown_series(state_, data_).size();
    const Place& place = state_.view == View::kHosts ? state_.hosts : state_.series;
    if (state_.view == View::kChart || rows == 0 || list_rows(state_) == 0) continue;
    ASSERT_LT(place.cursor, rows);
    ASSERT_GE(place.cursor, place.first);
    ASSERT_LT(place.cursor, place.first + list_rows(state_));
  }
}

}  // namespace
}  // namespace statmill
