// PromQL over a table and a store agrees with the naive evaluator (tests/query/naive) on random series and
// queries. SM_AGREEMENT_SEEDS="BEGIN END" runs other seeds.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "server/promql/compile.h"
#include "server/promql/parser.h"
#include "server/query/plan/evaluation.h"
#include "server/query/read/table_pieces.h"
#include "server/query/stored_series.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/query/naive/random_case.h"
#include "tests/support/memory_store.h"
#include "tests/support/sanitized.h"

namespace statmill {
namespace {

class ListedSeries final : public SeriesSelector {
 public:
  void add(std::string name, SeriesId id) { series_.emplace_back(std::move(name), id); }

  Result<std::vector<SeriesRef>> select(std::span<const LabelMatcher> matchers,
                                        QueryControl&) const override {
    std::vector<SeriesRef> out;
    for (const auto& [name, id] : series_) {
      const SeriesLabels labels = SeriesLabels::of_name(name);
      const auto matches = [&labels](const LabelMatcher& matcher) {
        const std::string value(labels.get(matcher.label));
        switch (matcher.op) {
          case LabelMatcher::Op::kEqual:
            return value == matcher.value;
          case LabelMatcher::Op::kNotEqual:
            return value != matcher.value;
          case LabelMatcher::Op::kMatches:
            return RE2::FullMatch(value, matcher.value);
          case LabelMatcher::Op::kMatchesNot:
            return !RE2::FullMatch(value, matcher.value);
        }
        return false;
      };
      if (std::all_of(matchers.begin(), matchers.end(), matches)) out.push_back({name, id});
    }
    return out;
  }
  uint64_t names_version() const override { return 0; }

 private:
  std::vector<std::pair<std::string, SeriesId>> series_;
};

Kind kind_of(naive::SeriesKind kind) {
  switch (kind) {
    case naive::SeriesKind::kGauge:
      return Kind::kGauge;
    case naive::SeriesKind::kEvent:
      return Kind::kEvent;
    case naive::SeriesKind::kCounter:
      return Kind::kCounter;
    case naive::SeriesKind::kDistribution:
      return Kind::kDistribution;
  }
  return {};
}

// A table and a store with the samples of a case, some of them flushed.
class World {
 public:
  explicit World(const naive::RandomCase& c) : now_(c.setting.now) {
    struct Sent {
      Timestamp time;
      Number value;
      size_t series;
    };
    std::vector<Sent> sent;
    std::vector<std::string> names;
    for (const naive::SampledSeries& series : c.series) {
      for (const auto& [time, value] : series.samples) sent.push_back({time, value, names.size()});
      names.push_back(naive::canonical_name(series.labels));
    }
    std::ranges::stable_sort(sent, {}, &Sent::time);
    const Timestamp first = sent.empty() ? now_ : sent.front().time;
    const auto recovery = recover(store_, table_);
    Ticker ticker({table_, store_, registry_, health_, log_}, TickOptions{}, recovery->start, SteadyTime());
    const size_t flush_after = sent.size() / 3 + 1;
    for (size_t i = 0; i < sent.size(); ++i) {
      Batch batch;
      batch.samples.emplace_back();
      Sample& sample = batch.samples.back();
      sample.name = names[sent[i].series];
      sample.kind = kind_of(c.series[sent[i].series].kind);
      sample.time_s = unix_seconds(sent[i].time);
      sample.value = sent[i].value;
      batch.received = 1;
      is_whole_ = is_whole_ && table_.apply(batch, sent[i].time) == 1;
      const SteadyTime steady(std::chrono::duration_cast<Duration>(sent[i].time - first));
      if (i % flush_after == flush_after - 1)
        is_whole_ = is_whole_ && bool{ticker.flush_all({sent[i].time, steady})};
    }
    for (std::string& name : names) {
      const auto summary = table_.summary(name);
      if (summary) selector_.add(std::move(name), summary->id);
    }
  }

  // Returns false if a sample was refused.
  bool is_whole() const { return is_whole_; }

  Result<naive::Answer> ask(const naive::RandomCase& c) {
    const auto ms = [](Timestamp time) { return int64_t{time.time_since_epoch().count()}; };
    const Grid grid{ms(c.grid.start), ms(c.grid.end),
                    std::chrono::duration_cast<std::chrono::milliseconds>(c.grid.step).count()};
    const auto tree = promql::parse_promql(c.query);
    if (!tree) return tree.error();
    const auto plan = promql::compile(*tree, {.start_ms = grid.start_ms, .end_ms = grid.end_ms});
    if (!plan) return plan.error();
    QueryControl control;
    QueryNotes notes;
    StoredSeries source({selector_, pieces_, table_.live_retention(), store_.expiry()}, control, now_);
    Evaluation evaluation(*plan, source, control, notes);
    naive::Answer answer;
    if (plan::is_scalar(plan->nodes[plan->root])) {
      auto numbers = evaluation.run_scalar(grid);
      if (!numbers) return numbers.error();
      answer.push_back({{}, points_of(*numbers)});
      return answer;
    }
    const Status status = evaluation.run(grid, [&](const SeriesValues& series) {
      if (series.histograms) return Status(Error{ErrorCode::kUnavailable, "a histogram"});
      naive::Labels labels;
      for (const auto& [name, value] : series.labels.all()) labels[name] = value;
      answer.push_back({labels, points_of(series.numbers)});
      return Status::ok();
    });
    if (!status) return status.error();
    return answer;
  }

 private:
  static std::vector<std::optional<double>> points_of(const Numbers& numbers) {
    std::vector<std::optional<double>> out(numbers.size());
    for (size_t i = 0; i < out.size(); ++i) {
      if (numbers.present[i]) out[i] = numbers.value(i);
    }
    return out;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  const Timestamp now_;
  MemoryStore store_{tiers_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  Table table_{tiers_, TableLimits{}};
  TablePieces pieces_{table_, store_};
  ListedSeries selector_;
  bool is_whole_ = true;
};

// The label of count_values() is a number's text, so it must agree in each digit. Means of doubles, unlike
// those of decimals, may be an ulp off.
bool counts_values_of_doubles(const naive::RandomCase& c) {
  return c.query.find("count_values") != std::string::npos &&
         std::ranges::any_of(c.series, [](const naive::SampledSeries& series) {
           return std::ranges::any_of(series.samples, [](const auto& s) { return !s.value.is_decimal(); });
         });
}

// Compares the cases of seeds [begin, end); `change` is called with each first.
template <class Change>
void compare(uint64_t begin, uint64_t end, const Change& change) {
  uint64_t compared = 0;
  uint64_t differ = 0;
  for (uint64_t seed = begin; seed < end && differ < 20; ++seed) {
    naive::RandomCase c = naive::random_case(seed);
    change(c, seed);
    const auto tree = promql::parse_promql(c.query);
    ASSERT_TRUE(tree.has_value()) << c.query;
    const auto want = naive::evaluate(*tree, c.series, c.grid, c.setting);
    if (!want && want.error().code == ErrorCode::kUnavailable) continue;
    if (counts_values_of_doubles(c)) continue;
    World world(c);
    ASSERT_TRUE(world.is_whole()) << "seed " << seed;
    const auto got = world.ask(c);
    std::optional<std::string> difference;
    if (want.has_value() != got.has_value()) {
      difference = want ? "refused: " + got.error().message : "not refused: " + want.error().message;
    } else if (want) {
      difference = naive::difference(*want, *got, c.nearness);
    }
    ++compared;
    if (!difference) continue;
    ++differ;
    ADD_FAILURE() << "seed " << seed << ": " << c.query << "\n" << *difference;
  }
  EXPECT_GT(compared, (end - begin) / 2);
}

TEST(PromqlAgreement, WithTheNaiveEvaluator) {
  uint64_t begin = 0;
  uint64_t end = kIsSanitized ? 500 : 10'000;
  if (const char* seeds = std::getenv("SM_AGREEMENT_SEEDS")) std::istringstream(seeds) >> begin >> end;
  compare(begin, end, [](const naive::RandomCase&, uint64_t) {});
}

// The newest samples are up to two minutes ahead of the server's clock.
TEST(PromqlAgreement, AboutSamplesAheadOfTheClock) {
  compare(0, kIsSanitized ? 100 : 1000, [](naive::RandomCase& c, uint64_t seed) {
    c.setting.now -= std::chrono::seconds(30 + seed % 120);
  });
}

}  // namespace
}  // namespace statmill
