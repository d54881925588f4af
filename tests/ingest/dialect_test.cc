// The contents of the table and the counts do not depend on how a sender
// cuts its text into writes or datagrams.
#include "ingest/dialect.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "ingest/line_buffer.h"
#include "ingest/statsd/dialect.h"
#include "tests/ingest/ingest_fixture.h"

namespace statmill {
namespace {

const Timestamp kNow = from_unix_seconds(1'700'000'003);
constexpr std::string_view kListener = "test";

struct Outcome {
  IngestFixture::Content content;
  std::vector<uint64_t> account;  // received, accepted, refused by reason
  bool operator==(const Outcome&) const = default;
};

using MakeDialect = std::function<std::unique_ptr<Dialect>(IngestFixture&)>;

class Feed {
 public:
  explicit Feed(const MakeDialect& make) : dialect_(make(fixture_)), parser_(dialect_->make_parser()) {}

  // Sends the text as one stream, in pieces of these sizes.
  Outcome stream(std::string_view text, const std::vector<size_t>& pieces) {
    LineBuffer buffer;
    UnfinishedBytes budget(size_t{1} << 20);
    LineStream stream(budget);
    for (size_t next = 0; !text.empty(); ++next) {
      const size_t size = std::min({text.size(), pieces[next % pieces.size()], LineBuffer::kReadBytes});
      std::memcpy(buffer.space().data(), text.data(), size);
      text.remove_prefix(size);
      buffer.commit(size, stream, *parser_);
      submit();
    }
    LineBuffer::end(stream, *parser_, LastLine::kAccept);
    submit();
    return outcome();
  }

  // Sends the text as datagrams of these numbers of lines and submits all at once.
  Outcome datagrams(std::string_view text, const std::vector<size_t>& pieces) {
    for (size_t next = 0; !text.empty(); ++next) {
      size_t size = 0;
      for (size_t line = 0; line < pieces[next % pieces.size()] && size < text.size(); ++line)
        size = std::min(text.find('\n', size), text.size() - 1) + 1;
      parser_->parse(text.substr(0, size));
      text.remove_prefix(size);
    }
    submit();
    return outcome();
  }

 private:
  void submit() { parser_->submit(fixture_.intake, fixture_.intake.account(kListener), kNow); }
  Outcome outcome() {
    dialect_->close(kNow);
    Outcome outcome{fixture_.content(), {fixture_.received(kListener), fixture_.accepted(kListener)}};
    for (size_t i = 0; i < kRefusalCount; ++i)
      outcome.account.push_back(fixture_.refused(kListener, static_cast<Refusal>(i)));
    RC_ASSERT(fixture_.account_holds(kListener));
    return outcome;
  }

  IngestFixture fixture_;
  const std::unique_ptr<Dialect> dialect_;
  const std::unique_ptr<LineParser> parser_;
};

// Feeds these lines, and random ones without the characters of `left_out`.
void expect_cuts_do_not_matter(const MakeDialect& make, const std::vector<std::string>& lines,
                               std::string_view left_out = {}) {
  const auto any = rc::gen::map(rc::gen::string<std::string>(), [left_out](std::string line) {
    std::erase_if(line, [&](char c) { return left_out.find(c) != std::string_view::npos; });
    return line;
  });
  const auto chosen =
      *rc::gen::container<std::vector<std::string>>(rc::gen::oneOf(rc::gen::elementOf(lines), any));
  const auto pieces =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(1, 30)));
  std::string text;
  for (const std::string& line : chosen) text += line + "\n";
  if (!text.empty() && *rc::gen::arbitrary<bool>()) text.pop_back();
  const Outcome whole = Feed(make).datagrams(text, {text.size() + 1});
  RC_ASSERT(Feed(make).stream(text, pieces) == whole);
  RC_ASSERT(Feed(make).datagrams(text, pieces) == whole);
}

RC_GTEST_PROP(Dialect, IstatdResultsDoNotDependOnTheCutsOfAStream, ()) {
  expect_cuts_do_not_matter([](IngestFixture&) { return istatd_dialect(); },
                            {"a 1", "*b 2.5", "base^x^y 3", "#host web1", "a nan", "a 1 2 3 4 5 6"});
}

RC_GTEST_PROP(Dialect, GraphiteResultsDoNotDependOnTheCutsOfAStream, ()) {
  expect_cuts_do_not_matter([](IngestFixture&) { return graphite_dialect(); },
                            {"a.b 1 1700000000", "a.b;t=1;s=2 2.5", "~a.b 4 -1", "m{a=\"1\"} 5 N",
                             "a.b;k=v;k=w 1", "a.b x 1", "a.b 1 1000"});
}

// A stream is cut at each LF, also within a string; so no string begins in a random line.
RC_GTEST_PROP(Dialect, InfluxResultsDoNotDependOnTheCutsOfAStream, ()) {
  expect_cuts_do_not_matter([](IngestFixture&) { return influx_dialect(); },
                            {"a,t=1 f=1 1700000000000000000", "a,t=1 f=2.5,g=3i,s=\"x y\"", "# comment",
                             "a,t=1,t=2 f=1", "a f=x", "a f=t,g=f", "b\\ c,t=\\, f=1 1000"},
                            "\"");
}

// The limits of gauges and sets are low, so that they are reached.
RC_GTEST_PROP(Dialect, StatsdResultsDoNotDependOnTheCutsOfAStream, ()) {
  expect_cuts_do_not_matter(
      [](IngestFixture& f) {
        return std::make_unique<StatsdDialect>(StatsdLimits{.gauges_max = 2, .sets_max = 2}, f.intake,
                                               f.registry);
      },
      {"a:1|c|@0.1", "g:5|g", "g:+1|g", "g:-2.5|g", "h:+1|g", "i:+1|g", "t:1:2:3|ms|@0.5|#a:1", "u:x|s",
       "u:y|s", "u:x|s|#t:1", "v:x|s", "bad", "_e{1,1}:a|b", "a:1|zz"});
}

TEST(StatsdDialect, TicksForgetSilentGaugesAndCountThem) {
  IngestFixture fixture;
  StatsdDialect dialect({.gauge_expiry = std::chrono::hours(1)}, fixture.intake, fixture.registry);
  const auto parser = dialect.make_parser();
  parser->parse("a:1|g\nb:1|g");
  parser->submit(fixture.intake, fixture.intake.account(kListener), kNow);
  for (size_t i = 0; i < StatsdState::kSweepParts; ++i) dialect.tick(kNow + std::chrono::hours(2));
  EXPECT_EQ(fixture.registry.counter("statmill.statsd_gauges_forgotten", "").value(), 2U);
  EXPECT_EQ(fixture.registry.gauge("statmill.statsd_gauges", "").value(), 0);
}

// Keeps the events as texts.
class EventTexts final : public StatsdEventSink {
 public:
  bool add(const StatsdEvent& event, Timestamp) override {
    if (event.title == "no room") return false;
    texts.push_back(std::string(event.title) + ": " + std::string(event.text) + " " +
                    std::string(event.alert));
    return true;
  }
  std::vector<std::string> texts;
};

TEST(StatsdDialect, PassesEventsOnUpToTheLimitOfASecond) {
  IngestFixture fixture;
  EventTexts events;
  StatsdDialect dialect({.events_per_second_max = 2}, fixture.intake, fixture.registry, &events);
  const auto parser = dialect.make_parser();
  const ListenerAccount account = fixture.intake.account(kListener);
  parser->parse("_e{1,1}:a|b|t:error\n_e{7,0}:no room|\n_e{1,1}:c|d\n_e{1,1}:e|f");
  parser->submit(fixture.intake, account, kNow);
  parser->parse("_e{1,1}:g|h");
  parser->submit(fixture.intake, account, kNow + std::chrono::seconds(1));
  EXPECT_EQ(events.texts, (std::vector<std::string>{"a: b error", "g: h "}));
  EXPECT_EQ(fixture.received(kListener), 5U);
  EXPECT_EQ(fixture.accepted(kListener), 2U);
  EXPECT_EQ(fixture.refused(kListener, Refusal::kStateLimit), 3U);
  EXPECT_EQ(fixture.registry.counter("statmill.statsd_events", "").value(), 2U);
}

TEST(StatsdDialect, AServiceCheckIsAnEventWhenItsStatusChanges) {
  IngestFixture fixture;
  EventTexts events;
  StatsdDialect dialect({.events_per_second_max = 3, .checks_max = 1}, fixture.intake, fixture.registry,
                        &events);
  const auto parser = dialect.make_parser();
  const ListenerAccount account = fixture.intake.account(kListener);
  parser->parse("_sc|disk|0|m:fine\n_sc|disk|2|m:full\n_sc|disk|2\n_sc|net|1\n_sc|disk|0|m:fine");
  parser->submit(fixture.intake, account, kNow);
  EXPECT_EQ(events.texts,
            (std::vector<std::string>{"disk is critical: full error", "disk is ok: fine success"}))
      << "net is over the limit of checks";
  EXPECT_EQ(fixture.accepted(kListener), 5U) << "each is a sample, too";
  EXPECT_EQ(fixture.bucket("disk").sum(), 4);
  parser->parse("_sc|disk|1\n_sc|disk|2");
  parser->submit(fixture.intake, account, kNow);
  EXPECT_EQ(events.texts.size(), 3U) << "no more in this second";
  EXPECT_EQ(fixture.registry.counter("statmill.statsd_check_events_left_out", "").value(), 1U);
}

}  // namespace
}  // namespace statmill
