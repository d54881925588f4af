#include "server/documents/event_log.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace statmill {
namespace {

Timestamp at(int64_t s) { return Timestamp(std::chrono::seconds(s)); }

class EventLogTest : public testing::Test {
 protected:
  uint64_t add(int64_t s, const std::string& title, std::optional<int64_t> until = {}) {
    Event event{.time = at(s), .title = title};
    if (until) event.until = at(*until);
    return add(std::move(event));
  }
  uint64_t add(Event event) {
    const auto added = log_->add(std::move(event));
    EXPECT_TRUE(added);
    return added ? added->id : 0;
  }
  std::string titles(const EventQuery& query) const {
    std::string out;
    const EventPage page = log_->find(query);
    for (const Event& event : page.events) out += event.title + " ";
    return out + (page.is_truncated ? "..." : "");
  }
  // Makes a new log of what the store has.
  void restart(const EventLimits& limits = {}) {
    StoreBatch batch;
    changes_.add_to(batch);
    for (const DocumentRow& row : batch.documents) rows_[row.key] = row;
    for (const DocumentKey& key : batch.removed_documents) rows_.erase(key);
    registry_ = std::make_unique<Registry>();
    log_ = std::make_unique<EventLog>(limits, changes_, *registry_);
    for (const auto& [key, row] : rows_) log_->restore(*event_of(row));
  }
  double reading(std::string_view name) const {
    for (const Reading& r : registry_->read()) {
      if (r.path() == name) return r.value();
    }
    return -1;
  }

  DocumentChanges changes_;
  std::map<DocumentKey, DocumentRow> rows_;
  std::unique_ptr<Registry> registry_ = std::make_unique<Registry>();
  std::unique_ptr<EventLog> log_ = std::make_unique<EventLog>(EventLimits{}, changes_, *registry_);
};

TEST_F(EventLogTest, FindsEventsThatMeetARange) {
  add(30, "c");
  add(10, "a", 25);
  add(20, "b");
  EXPECT_EQ(titles({}), "a b c ");
  EXPECT_EQ(titles({.from = at(20)}), "a b c ") << "a is not over";
  EXPECT_EQ(titles({.from = at(26)}), "c ");
  EXPECT_EQ(titles({.until = at(20)}), "a ") << "half-open";
  EXPECT_EQ(titles({.from = at(20), .until = at(30)}), "a b ");
  EXPECT_EQ(titles({.limit = 2}), "b c ...") << "the newest";
  EXPECT_EQ(titles({.limit = 3}), "a b c ");
}

TEST_F(EventLogTest, FindsEventsByTagAndPlace) {
  add(Event{.time = at(1), .title = "everywhere"});
  add(Event{.time = at(2), .title = "web", .tags = {"deploy", "web"}, .where = "{host=web*,*;host=web*}"});
  add(Event{.time = at(3), .title = "db", .tags = {"deploy"}, .where = "*host=db1*"});
  EXPECT_EQ(titles({.tags = {"deploy"}}), "web db ");
  EXPECT_EQ(titles({.tags = {"web", "none"}}), "web ");
  EXPECT_EQ(titles({.where = {"host=web1"}}), "everywhere web ");
  EXPECT_EQ(titles({.where = {"host.up;host=db1;role=db"}}), "everywhere db ");
  EXPECT_EQ(titles({.tags = {"deploy"}, .where = {"host=x", "host=db1"}}), "db ");
}

TEST_F(EventLogTest, FindsEventsThatHaveAllTags) {
  add(Event{.time = at(1), .title = "both", .tags = {"a", "b"}});
  add(Event{.time = at(2), .title = "one", .tags = {"a"}});
  const EventPage page = log_->find({.tags = {"a", "b"}, .needs_all_tags = true});
  ASSERT_EQ(page.events.size(), 1U);
  EXPECT_EQ(page.events[0].title, "both");
  EXPECT_EQ(log_->find({.needs_all_tags = true}).events.size(), 2U);
}

TEST_F(EventLogTest, GivesTheTimesOfEventsWithAllTags) {
  add(Event{.time = at(3), .title = "late", .tags = {"a", "b"}});
  add(Event{.time = at(1), .until = at(9), .title = "long", .tags = {"b", "a", "c"}});
  add(Event{.time = at(3), .title = "same", .tags = {"a"}});
  using Times = std::vector<int64_t>;
  EXPECT_EQ(log_->times({}, at(0), at(10)), (Times{1, 3, 3}));
  EXPECT_EQ(log_->times({"a", "b"}, at(0), at(10)), (Times{1, 3}));
  EXPECT_EQ(log_->times({}, at(1), at(3)), Times{1}) << "half-open";
  EXPECT_TRUE(log_->times({}, at(2), at(3)).empty()) << "the long one began before";
  EXPECT_TRUE(log_->times({"d"}, at(0), at(10)).empty());
}

TEST_F(EventLogTest, GivesTheNewerOnesById) {
  EXPECT_EQ(log_->last_id(), 0U);
  for (const char* title : {"a", "b", "c", "d"}) add(Event{.time = at(9), .title = title});
  add(Event{.time = at(1), .title = "of long ago"});
  ASSERT_TRUE(log_->remove(4));
  const auto titles = [&](uint64_t id, size_t bytes_max) {
    std::string out;
    for (const auto& event : log_->after(id, bytes_max)) out += event->title + ",";
    return out;
  };
  EXPECT_EQ(log_->last_id(), 5U);
  EXPECT_EQ(titles(1, 1 << 20), "b,c,of long ago,");
  EXPECT_EQ(titles(1, 1), "b,") << "one always";
  EXPECT_EQ(titles(5, 1 << 20), "");
}

TEST_F(EventLogTest, SurvivesARestart) {
  add(10, "a");
  const uint64_t b = add(20, "b");
  add(30, "c");
  ASSERT_TRUE(log_->remove(b));
  restart();
  EXPECT_EQ(titles({}), "a c ");
  EXPECT_EQ(add(5, "d"), 4U) << "ids grow";
  restart();
  EXPECT_EQ(titles({}), "d a c ");
}

TEST_F(EventLogTest, OnlyKnownEventsAreRemoved) {
  const uint64_t a = add(10, "a");
  EXPECT_EQ(log_->remove(a + 1).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(log_->remove(a));
  EXPECT_EQ(log_->remove(a).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(log_->size(), 0U);
  EXPECT_EQ(log_->bytes(), 0U);
}

TEST_F(EventLogTest, TheOldestGo) {
  restart({.events_max = 3});
  for (int64_t s : {10, 20, 30, 40}) add(s, std::to_string(s));
  EXPECT_EQ(titles({}), "20 30 40 ");
  EXPECT_EQ(reading("statmill.events_dropped"), 1);
  const auto older = log_->add({.time = at(15), .title = "x"});
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().code, ErrorCode::kLimit);
  EXPECT_EQ(reading("statmill.events_refused"), 1);
  restart({.events_max = 2});
  EXPECT_EQ(titles({}), "30 40 ") << "the store has as few";
}

TEST_F(EventLogTest, TheOldestGoWhenTheirTextsAreTooLong) {
  restart({.events_max = 100, .bytes_max = 12'000});
  for (int64_t s = 1; s <= 5; ++s)
    add(Event{.time = at(s), .title = std::to_string(s), .text = std::string(4000, 'x')});
  EXPECT_EQ(titles({}), "4 5 ");
  EXPECT_LE(log_->bytes(), 12'000U);
}

TEST_F(EventLogTest, EventsOfTheServerDoNotDisplaceThoseOfUsers) {
  restart({.events_max = 4});
  add(1, "user");
  for (int64_t s = 2; s <= 9; ++s)
    log_->add_own({.time = at(s), .title = std::to_string(s), .tags = {"agent"}});
  EXPECT_EQ(titles({}), "user 7 8 9 ");
}

TEST_F(EventLogTest, FindsTheLastEventOfTheServer) {
  EXPECT_FALSE(log_->newest_own("server"));
  log_->add_own({.time = at(9), .title = "start", .tags = {"server", "start"}});
  log_->add_own({.time = at(5), .title = "stop", .tags = {"server", "stop"}});
  log_->add_own({.time = at(99), .title = "other", .tags = {"agent"}});
  EXPECT_EQ(log_->newest_own("server")->title, "stop") << "in the order that they came, not of their times";
}

TEST_F(EventLogTest, ExpensiveGlobsEndASearch) {
  std::string worst = "{";
  for (int i = 0; i < 8; ++i) worst += std::string(i == 0 ? "" : ",") + "*" + std::string(100, '?') + "b*";
  worst += "}";
  for (int64_t s = 1; s <= 3000; ++s)
    add(Event{.time = at(s), .title = "x", .where = worst + std::to_string(s)});
  const EventPage page = log_->find({.where = {std::string(4096, 'a')}});
  EXPECT_TRUE(page.is_truncated);
  EXPECT_TRUE(page.events.empty());
  EXPECT_FALSE(log_->find({.from = at(2950), .where = {"a"}}).is_truncated);
}

}  // namespace
}  // namespace statmill
