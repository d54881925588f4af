#include "agent/scrape/scraped_lines.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "ingest/value_step.h"
#include "proto/family.h"
#include "proto/istatd/exemplar_line.h"
#include "proto/istatd/writer.h"

namespace statmill {
namespace {

// How often the spool gets a counter again that stays as it is, so that it does not forget it.
constexpr int64_t kKeepEvery_s = 3600;
// A batch has at most so many values without lines.
constexpr size_t kKeptMax = 5000;
// Longer than any scrape lasts, after which others have begun.
constexpr Duration kSetBack = std::chrono::hours(2);

}  // namespace

ScrapedLines::ScrapedLines(size_t series_max, Registry& registry, Send send)
    : series_max_(series_max),
      send_(std::move(send)),
      samples_(registry.counter("statmill.scraped_samples", "Samples of scraped targets that were sent.")),
      refused_(registry.counter("statmill.scraped_samples_refused",
                                "Samples of scraped targets that cannot be read or counted.")),
      repeated_(
          registry.counter("statmill.scraped_samples_repeated",
                           "Samples whose time the target says, and that are not newer than the last.")),
      resets_(registry.counter("statmill.scraped_resets", "Counters of scraped targets that began again.")),
      exemplars_(
          registry.counter("statmill.scraped_exemplars", "Exemplars of scraped targets that were sent.")),
      exemplars_refused_(
          registry.counter("statmill.scraped_exemplars_refused",
                           "Exemplars of scraped targets that cannot be read, or have too long labels.")) {
  registry.gauge_fn("statmill.scraped_series", "Counters of scraped targets whose last value is known.", {},
                    [this] { return static_cast<double>(series()); });
}

void ScrapedLines::restore(std::vector<LastValue> values) {
  for (LastValue& value : values) {
    at_ms_ = std::max(at_ms_, value.seen_s * 1000);
    last_[value.name] = std::move(value);
  }
  size_.store(last_.size(), std::memory_order_relaxed);
}

void ScrapedLines::scraped(const Scrape& scrape) {
  const int64_t before_ms = std::exchange(at_ms_, scrape.at.time_since_epoch().count());
  if (at_ms_ < before_ms - kSetBack.count()) begin_again_at(at_ms_);
  if (at_ms_ - forgotten_ms_ > std::chrono::milliseconds(std::chrono::hours(1)).count()) forget_old();
  uint64_t values = 0;
  if (scrape.body != nullptr)
    values = read_scraped(scrape.target, scrape.body->text, scrape.body->format, scrape.at, *this);
  add_reports(scrape.target, {scrape.body != nullptr, scrape.took, values}, scrape.at, *this);
  batch();  // counts what was refused last, and adds the last exemplars
  send_lines();
  size_.store(last_.size(), std::memory_order_relaxed);
}

// Each value is used before the next one comes.
Batch& ScrapedLines::batch() {
  if (names_.received > 0) refused_.add(names_.received);
  if (names_.has_exemplars()) add_exemplars();
  names_.clear();
  return names_;
}

// Adds those of the value before, whose line may be the last. As in a server, it may have been refused.
void ScrapedLines::add_exemplars() {
  for (const uint64_t refused : names_.exemplars_refused) exemplars_refused_.add(refused);
  for (const Exemplar& exemplar : names_.exemplars) {
    if (!is_new(exemplar)) continue;
    if (lines_.text.size() > kTextBytesMax) send_lines();
    append_exemplar_line(lines_.text, exemplar);
    ++lines_.lines;
    exemplars_.add();
  }
}

// One without a time of its own is the same as long as its value and labels are.
bool ScrapedLines::is_new(const Exemplar& exemplar) {
  exemplars_known_.resize(kExemplarsKnown);
  const int64_t own_ms = exemplar.has_own_time ? exemplar.time_ms : -1;
  const uint64_t series = hash_name(exemplar.series);
  const uint64_t hash = hash_name(exemplar.labels, series ^ std::bit_cast<uint64_t>(exemplar.value)).low ^
                        (static_cast<uint64_t>(own_ms) * 0x9e3779b97f4a7c15);
  return std::exchange(exemplars_known_[series % kExemplarsKnown], hash) != hash;
}

void ScrapedLines::add(const ScrapedValue& value) {
  if (value.has_own_time && value.time_ms > at_ms_ + kFutureMax.count()) return refuse();
  const auto known = last_.find(hash_name(value.name, 0));
  const bool is_counter = known != last_.end()
                              ? known->second.is_counter
                              : types_.is_counter(path_of(value.name), {value.type, value.has_le});
  if (is_counter || value.has_own_time) return add_counted(value, is_counter);
  add_line(value, Kind::kGauge, value.value);
}

// Adds a value that depends on the one before: of a counter, or with a time that may come again.
void ScrapedLines::add_counted(const ScrapedValue& value, bool is_counter) {
  if (is_counter && value.value.value() < 0) return refuse();
  const Hash128 name = hash_name(value.name, 0);
  const TimedValue sample{value.value, value.time_ms, 0};
  auto known = last_.find(name);
  const bool is_new = known == last_.end();
  if (is_new) {
    if (last_.size() >= series_max_) return refuse();
    known = last_.try_emplace(name).first;
    known->second.name = name;
  }
  LastValue& last = known->second;
  const Number before = last.value;
  const int64_t seen_before_s = std::exchange(last.seen_s, at_ms_ / 1000);
  const bool is_due = is_new || seen_before_s / kKeepEvery_s != last.seen_s / kKeepEvery_s;
  const Step step = is_new ? first_step(sample, is_counter, last) : next_step(sample, last);
  if (step.kind != StepKind::kAdd) {
    if (is_due && lines_.values.size() < kKeptMax) {
      lines_.values.push_back(last);
    } else if (is_due) {
      last.seen_s = seen_before_s;  // the next scrape tells
    }
    return step.kind == StepKind::kOutOfOrder ? refuse() : repeated_.add();
  }
  if (step.is_reset) resets_.add();
  add_line(value, is_counter ? Kind::kCounter : Kind::kGauge, step.amount);
  // The exact time of a counter that stays as it is need not survive a restart.
  const bool is_same = is_counter && last.value == before;
  if (!is_same || is_due || value.has_own_time) lines_.values.push_back(last);
}

void ScrapedLines::add_line(const ScrapedValue& value, Kind kind, const Number& number) {
  if (lines_.text.size() > kTextBytesMax) send_lines();
  Sample sample;
  sample.name = value.name;
  sample.kind = kind;
  sample.time_s = value.time_ms / 1000;
  sample.value = number;
  append_line(lines_.text, sample);
  ++lines_.lines;
  samples_.add();
}

void ScrapedLines::send_lines() {
  if (lines_.lines > 0) send_(std::exchange(lines_, {}));
}

// The clock was set back by so much that what is remembered has a time ahead, and would refuse all until
// then.
void ScrapedLines::begin_again_at(int64_t now_ms) {
  for (auto& [name, last] : last_) {
    last.time_ms = std::min(last.time_ms, now_ms - 1);
    last.seen_s = std::min(last.seen_s, now_ms / 1000);
  }
  forgotten_ms_ = now_ms;
}

void ScrapedLines::forget_old() {
  forgotten_ms_ = at_ms_;
  const int64_t oldest_s = (at_ms_ - kForget.count()) / 1000;
  std::erase_if(last_, [&](const auto& entry) { return entry.second.seen_s < oldest_s; });
}

}  // namespace statmill
