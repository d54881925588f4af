// Live streams turn by turn, without a thread: what they send, and when they end.
#include "server/live/live_hub.h"

#include <gtest/gtest.h>

#include "tests/server/live/live_world.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

class LiveHubTest : public testing::Test {
 protected:
  std::shared_ptr<LiveFeed> open(std::string_view body) {
    auto feed = hub_.open(body, [this] { ++wakes_; });
    EXPECT_TRUE(feed) << feed.error().message;
    return feed ? *feed : nullptr;
  }
  void turn() { hub_.turn(clock_.steady()); }
  void pass_ms(int64_t ms) { clock_.advance(Duration(ms)); }
  void pass(int64_t seconds) {
    clock_.advance(std::chrono::seconds(seconds));
    world_.now_s += seconds;
  }
  double reading(std::string_view name) const {
    for (const Reading& r : world_.registry.read()) {
      if (r.path() == name) return r.value();
    }
    return -1;
  }

  LiveWorld world_;
  ManualClock clock_{LiveWorld::kBegin_s};
  LiveEvents events_after(uint64_t id) const {
    LiveEvents out{.last = id};
    for (; out.last < last_event_ && out.data.size() < 2; ++out.last)
      out.data.push_back("{\"id\":" + std::to_string(out.last + 1) + "}");
    return out;
  }
  // The slots of an event, and what follows it; empty if it has none.
  static std::string slots(const std::string& event) {
    return event.substr(std::min(event.find('['), event.size()));
  }
  static std::string event(int id) { return "event: event\ndata: {\"id\":" + std::to_string(id) + "}\n\n"; }

  std::atomic<int> wakes_{0};
  uint64_t last_event_ = 0;
  LiveHub hub_{
      {world_.table, world_.store, world_.registry, clock_, [] { return std::string("{\"ready\":true}"); },
       nullptr, [this] { return last_event_; }, [this](uint64_t id) { return events_after(id); }},
      2};
};

constexpr const char* kState = "event: state\ndata: {\"ready\":true}\n\n";

TEST_F(LiveHubTest, SendsWhatHasChanged) {
  const auto feed = open(R"({"series":["x","gone","h","d"],"stats":["count","min","max","p100"]})");
  EXPECT_EQ(feed->take(), kState) << "at once";
  turn();
  EXPECT_EQ(feed->take(), kState) << "nothing to tell of the series";
  world_.send("x 1\nx 2.5\n*h 3\n*h 4\n%d 8\n");
  turn();
  EXPECT_EQ(feed->take(), "") << "not yet due";
  pass(1);
  turn();
  EXPECT_EQ(feed->take(),
            "event: slots\ndata: {\"now\":1700000001,\"slots\":["
            "{\"i\":0,\"t\":1700000000,\"sum\":3.5,\"count\":2,\"min\":1,\"max\":2.5},"
            "{\"i\":2,\"t\":1700000000,\"sum\":7},"
            "{\"i\":3,\"t\":1700000000,\"sum\":8,\"count\":1,\"min\":8,\"max\":8,\"p100\":8}]}\n\n");
  pass(1);
  turn();
  EXPECT_EQ(feed->take(), "");
  pass(10);
  world_.send("x 1700000003 9\nx 4\n");
  turn();
  EXPECT_EQ(feed->take(),
            "event: slots\ndata: {\"now\":1700000012,\"slots\":["
            "{\"i\":0,\"t\":1700000000,\"sum\":12.5,\"count\":3,\"min\":1,\"max\":9},"
            "{\"i\":0,\"t\":1700000010,\"sum\":4,\"count\":1,\"min\":4,\"max\":4}]}\n\n" +
                std::string(kState))
      << "late samples, too";
}

TEST_F(LiveHubTest, EachNewEventIsSentOnceToThoseWhoWereThere) {
  last_event_ = 3;
  const auto first = open(R"({"series":["x"],"every":60})");
  turn();
  first->take();
  last_event_ = 4;
  const auto second = open(R"({"series":["x"]})");
  second->take();
  turn();
  EXPECT_EQ(first->take(), event(4));
  EXPECT_EQ(second->take(), "") << "it was not there";
  last_event_ = 7;
  turn();
  EXPECT_EQ(first->take(), event(5) + event(6)) << "as many as a turn has";
  turn();
  EXPECT_EQ(first->take(), event(7));
  EXPECT_EQ(second->take(), event(5) + event(6) + event(7));
  turn();
  EXPECT_EQ(first->take(), "");
}

TEST_F(LiveHubTest, TellsThatThePageHasChangedToThoseWhoHaveTheOldOne) {
  const TempDirectory folder;
  LiveHub hub({world_.table, world_.store, world_.registry, clock_, [] { return std::string("{}"); },
               std::make_unique<FolderWatch>(folder.path().string())},
              2);
  folder.write("main.js", "before there is a stream");
  const auto feed = *hub.open(R"({"series":["x"]})", [] {});
  std::string told;
  const auto second = [&] {
    pass(1);
    hub.turn(clock_.steady());
    told += feed->take();
  };
  hub.turn(clock_.steady());
  for (int i = 0; i < 3; ++i) second();
  EXPECT_EQ(told.find("assets"), std::string::npos) << told;
  folder.write("main.js", "new");
  second();
  EXPECT_EQ(told.find("assets"), std::string::npos) << "more may follow";
  second();
  EXPECT_NE(told.find("event: assets\ndata: {}\n\n"), std::string::npos) << told;
}

TEST_F(LiveHubTest, EachStreamHasItsOwnRhythm) {
  const auto slow = open(R"({"series":["x"],"every":3})");
  const auto quick = open(R"({"series":["x"]})");
  turn();
  slow->take();
  quick->take();
  std::string got;
  for (int i = 0; i < 6; ++i) {
    pass(1);
    world_.send("x 1\n");
    turn();
    got += slow->take().starts_with("event: slots") ? "s" : "-";
    got += quick->take().starts_with("event: slots") ? "q " : "- ";
  }
  EXPECT_EQ(got, "-q sq -q -q sq -q ") << "periods begin at multiples of three seconds";
}

TEST_F(LiveHubTest, StreamsThatAreOpenedAtOtherTimesShareTheTurns) {
  world_.send("x 1\n");
  const auto first = open(R"({"series":["x"]})");
  turn();
  pass_ms(300);
  const auto second = open(R"({"series":["x"]})");
  turn();
  first->take();
  second->take();
  pass_ms(600);
  world_.send("x 2\n");
  turn();
  EXPECT_EQ(first->take() + second->take(), "") << "their second is not over";
  pass_ms(100);
  turn();
  const std::string slots = first->take();
  EXPECT_TRUE(slots.starts_with("event: slots\ndata: {\"now\":1700000001,")) << slots;
  EXPECT_EQ(second->take(), slots);
}

TEST_F(LiveHubTest, ANewStreamHasAllSlotsAndLeavesTheOthersTheirChanges) {
  const auto slot = [](const char* sum, const char* count, const char* max) {
    return std::string("[{\"i\":0,\"t\":1700000000,\"sum\":") + sum + ",\"count\":" + count +
           ",\"min\":1,\"max\":" + max + "}]}\n\n";
  };
  world_.send("x 1\n");
  const auto first = open(R"({"series":["x"]})");
  first->take();
  turn();
  EXPECT_EQ(slots(first->take()), slot("1", "1", "1") + kState);
  pass(1);
  turn();
  EXPECT_EQ(first->take(), "") << "it has had them";
  pass_ms(300);
  world_.send("x 2\n");
  const auto second = open(R"({"series":["x"]})");
  second->take();
  turn();
  EXPECT_EQ(first->take(), "") << "not yet due";
  EXPECT_EQ(slots(second->take()), slot("3", "2", "2"));
  pass_ms(700);
  turn();
  EXPECT_EQ(slots(first->take()), slot("3", "2", "2"));
  pass(1);
  second->take();
  turn();
  EXPECT_EQ(first->take() + second->take(), "");
}

TEST_F(LiveHubTest, AStreamThatBeginsWhileTheStoreCannotBeReadHasAllSlotsLater) {
  const std::string slot = "[{\"i\":0,\"t\":1700000000,\"sum\":1,\"count\":1,\"min\":1,\"max\":1}]}\n\n";
  world_.send("x 1\n");
  const auto first = open(R"({"series":["x"]})");
  turn();
  EXPECT_TRUE(slots(first->take()).starts_with(slot));
  pass_ms(300);
  world_.flush();  // so that the next turn has to read the store
  world_.store.is_unreadable = true;
  const auto second = open(R"({"series":["x"]})");
  EXPECT_EQ(second->take(), kState);
  turn();
  EXPECT_EQ(second->take(), "");
  pass_ms(700);
  turn();
  EXPECT_EQ(first->take() + second->take(), "") << "it cannot be read yet";
  world_.store.is_unreadable = false;
  pass(1);
  turn();
  EXPECT_EQ(slots(second->take()), slot);
  pass(1);
  first->take();
  turn();
  EXPECT_EQ(first->take() + second->take(), "") << "once";
}

TEST_F(LiveHubTest, StreamsThatAskForOtherNumbersDoNotShareTexts) {
  world_.send("x 1\n");
  const auto sums = open(R"({"series":["x"],"stats":["sum"]})");
  const auto counts = open(R"({"series":["x"],"stats":["count"]})");
  turn();
  EXPECT_EQ(sums->take().find("count"), std::string::npos);
  EXPECT_NE(counts->take().find("\"count\":1"), std::string::npos);
}

TEST_F(LiveHubTest, AStreamOfManyFullSlotsIsNotCutAtItsStart) {
  std::string lines;
  for (size_t k = 0; k < kLiveSlots; ++k)
    lines += "x " + std::to_string(LiveWorld::kBegin_s - 10 * k) + " 125\n";
  world_.send(lines);
  std::string body = R"({"series":["x")";
  for (size_t i = 1; i < kLiveSeriesMax; ++i) body += ",\"x\"";
  const auto feed = open(body + "]}");
  turn();
  const std::string got = feed->take();
  EXPECT_FALSE(feed->is_cut());
  EXPECT_GT(got.size(), kLiveBufferBytesMax);
  EXPECT_NE(got.find("{\"i\":999,\"t\":1700000000"), std::string::npos);
}

TEST_F(LiveHubTest, TheNumberOfStreamsIsLimited) {
  auto first = open(R"({"series":["x"]})");
  const auto second = open(R"({"series":["x"]})");
  const auto third = hub_.open(R"({"series":["x"]})", [] {});
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(reading("statmill.live_streams"), 2);
  EXPECT_EQ(reading("statmill.live_streams_refused"), 1);
  EXPECT_FALSE(hub_.open("{}", [] {})) << "a bad body takes no place";
  first.reset();
  EXPECT_EQ(reading("statmill.live_streams"), 1);
  EXPECT_TRUE(hub_.open(R"({"series":["x"]})", [] {}));
}

TEST_F(LiveHubTest, AStreamThatIsNotReadIsCut) {
  std::string body = R"({"series":["x")";
  for (size_t i = 1; i < kLiveSeriesMax; ++i) body += ",\"x\"";
  const auto feed = open(body + "]}");
  const auto other = open(R"({"series":["x"]})");
  for (int i = 0; i < 1000 && !feed->is_cut(); ++i) {
    pass(1);
    world_.send("x 1\n");
    turn();
    other->take();
  }
  EXPECT_TRUE(feed->is_cut());
  EXPECT_EQ(feed->take(), "");
  EXPECT_FALSE(other->is_cut());
  EXPECT_EQ(reading("statmill.live_streams_cut"), 1);
  const int wakes = wakes_;
  pass(1);
  turn();
  turn();
  EXPECT_EQ(reading("statmill.live_streams_cut"), 1) << "once";
  EXPECT_LE(wakes_ - wakes, 2) << "only the other one";
}

}  // namespace
}  // namespace statmill
