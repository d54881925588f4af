// The random events that happen to the server.
#include "tests/server/model/model_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <set>

#include "base/text.h"
#include "proto/istatd/exact_line.h"
#include "proto/istatd/parser.h"
#include "server/tick/recovery.h"
#include "tests/support/secrets.h"

namespace statmill {
namespace {

Retention retention_of_text(const std::string& text) {
  const std::vector<std::string_view> parts = split(text, '|');
  Retention out(*Tiers::parse(parts[0]));
  for (size_t i = 1; i < parts.size(); ++i) EXPECT_TRUE(out.add_rule(parts[i])) << parts[i];
  return out;
}

}  // namespace

World::World(uint64_t seed, const std::string& retention)
    : random_(seed),
      retention_(retention_of_text(retention.substr(0, retention.find('#')))),
      tiers_(retention_.tiers()),
      longest_s_(retention_.longest().coarsest().retention_s),
      store_(tiers_) {
  const size_t other = retention.find('#');
  if (other != std::string::npos) {
    const bool has_tiers = retention[other + 1] != '|';
    other_retention_ = retention_of_text((has_tiers ? "" : retention.substr(0, retention.find('|'))) +
                                         retention.substr(other + 1));
  }
  start();
  while (log_.empty()) send();
  tick();  // with data and a right clock, so that the ClockGuard trusts it
}

void World::step() {
  switch (below(16)) {
    case 0:
      advance(below(20 * 60));
      break;
    case 1:
      jump_days();
      break;
    case 2:
      crash();
      break;
    case 3:
      flush();
      break;
    case 4:
      fail_a_write();
      break;
    case 5:
      if (model_.series().empty()) return;
      ASSERT_TRUE(change());
      committed_ = log_.size();
      break;
    case 6:
      wrong_clock();
      break;
    case 7:
      if (below(4) == 0) {
        stop_for_days();
      } else {
        change_retention();
      }
      break;
    default:
      for (int64_t i = below(30); i >= 0; --i) send();
      if (below(3) == 0) send_family();
      if (below(3) != 0) tick();
      advance(below(8));
  }
}

void World::start() {
  if (table_ != nullptr) ids_reused_ = ids_reused();
  table_ = std::make_unique<Table>(retention_, TableLimits{});
  const auto recovery = recover(store_, *table_, Damage::kRefuse, secret_of(++starts_));
  ASSERT_TRUE(recovery);
  ids_at_start_ = table_->ids_end();
  TickOptions options;
  options.rollup.slice_series = 3;
  id_reuse_ = std::make_unique<IdReuse>(*table_, store_, 2);
  ticker_ = std::make_unique<Ticker>(
      Ticker::Services{*table_, store_, registry_, health_, log_lines_, nullptr, nullptr, id_reuse_.get()},
      options, recovery->start, now().steady);
  engine_ = std::make_unique<QueryEngine>(*table_, store_, QueryLimits{}, &cache_);
}

void World::tick() {
  ASSERT_TRUE(ticker_->tick(now()));
  note_expired();
  committed_ = log_.size();
  sent_families_.clear();
  std::atomic<bool> cancelled{false};
  if (below(4) == 0) {
    ASSERT_TRUE(store_.reclaim(cancelled));
  }
  if (below(4) == 0) {
    for (Result<bool> more = true; more && *more;) {
      more = id_reuse_->step(cancelled);
      ASSERT_TRUE(more);
    }
  }
}

void World::flush() {
  ASSERT_TRUE(ticker_->flush_all(now()));
  note_expired();
  committed_ = log_.size();
  sent_families_.clear();
}

void World::note_expired() {
  if (table_->series_count() == model_.series().size()) return;
  std::vector<std::string> gone;
  for (const auto& [name, series] : model_.series()) {
    if (table_->summary(name)) continue;
    gone.push_back(name);
    ASSERT_LT(series.last_s, wall_s_ - tiers_of(name).coarsest().retention_s) << name << " has data";
  }
  ASSERT_EQ(table_->series_count() + gone.size(), model_.series().size());
  expired_ += gone.size();
  for (const std::string& name : gone)
    happened([name, kept = sent_families_](model::Model& model) { model.expire(name, kept); });
}

void World::advance(int64_t seconds) {
  while (seconds > 0) {  // with a tick every two minutes
    const int64_t part = std::min<int64_t>(seconds, 120);
    wall_s_ += part;
    seconds -= part;
    tick();
  }
}

void World::jump_days() {
  flush();
  const int64_t pause_s = std::min(kDayS, finest_s() / 2);  // the longest time without a tick or doubt
  for (int64_t left = below(3 * kDayS / 2); left > 0; left -= pause_s) {
    wall_s_ += std::min(left, pause_s);
    tick();
  }
  for (int64_t i = below(60); i >= 0; --i) tick();
}

void World::wrong_clock() {
  const int64_t year_s = 365 * kDayS;
  const std::array<int64_t, 8> steps_s = {1, 59, 600, 3600, kDayS, 30 * kDayS, year_s, 10 * year_s};
  const int64_t step_s = steps_s[static_cast<size_t>(below(std::ssize(steps_s)))];
  const int64_t until_s = wall_s_ + below(std::min(std::max<int64_t>(step_s, 600), 2 * kDayS));
  ahead_s_ = below(2) == 0 ? step_s : -step_s;
  if (!may_have_been_slow()) slow_s_ = 0;
  const int64_t began_s = wall_s_;
  do {
    for (int64_t i = below(20); i >= 0; --i) send();
    if (below(4) == 0) {
      flush();
    }
    tick();
    // A clock within a day of the true time is trusted soon after a start, so only larger steps get one.
    if (step_s > kDayS && below(4) == 0) crash();
    if (below(3) == 0) advance(std::min(below(7200), until_s - wall_s_));
  } while (below(6) != 0);
  if (ahead_s_ < 0) slow_s_ += wall_s_ - began_s;
  ahead_s_ = 0;
  right_since_s_ = wall_s_;
  tick();
}

void World::stop_for_days() {
  flush();
  crash();
  const int64_t days = 1 + below(60);
  wall_s_ += days * kDayS;
  lag_s_ += days * kDayS;
  right_since_s_ = wall_s_;
  start();
  tick();
  if (below(2) == 0) return;
  ticker_->confirm_clock(now());
  lag_s_ = 0;
  tick();
}

void World::crash() {
  sent_families_.clear();
  log_.resize(committed_);
  model_ = {};
  for (const auto& happen : log_) happen(model_);
  store_.restart();
  if (other_retention_ && below(2) == 0) swap_retention();
  start();
}

void World::fail_a_write() {
  if (!sent_families_.empty()) tick();
  for (const size_t before = log_.size(); log_.size() == before;)
    send();  // so that the tick has something to write
  const bool whole = below(2) == 0;
  store_.fail_next_write(Error{ErrorCode::kIo, "planted"},
                         whole ? MemoryStore::Effect::kWhole : MemoryStore::Effect::kNone);
  const int64_t what = below(3);
  if (what == 0) {
    ASSERT_FALSE(ticker_->flush_all(now()));
  } else if (what == 1) {
    ASSERT_FALSE(ticker_->tick(now()));
  } else {
    ASSERT_FALSE(change());
  }
  note_expired();
  const size_t under_way = log_.size();
  EXPECT_TRUE(health_.problems().contains("store"));
  for (int64_t i = below(5); i >= 0; --i) send();
  compare_names();
  if (!model_.series().empty()) compare_series(any_name(), 10);
  compare_histograms(below(2) == 0 ? 10 : 3600);
  if (below(4) == 0) {  // crashes before the retry: the store has the tick or does not
    if (whole) committed_ = under_way;
    crash();
    return;
  }
  tick();
  EXPECT_FALSE(health_.problems().contains("store"));
}

void World::fill(const model::Sample& s, Batch& batch) {
  const bool is_alone = s.hundredths.size() == 1;
  if (s.kind != Kind::kDistribution) return parse_istatd_lines(batch.keep(model::line_of(s)), batch);
  parse_istatd_lines(batch.keep(model::line_of({s.name, Kind::kGauge, s.time_s, s.hundredths})), batch);
  batch.samples.back().kind = Kind::kDistribution;
  if (is_alone) return;
  SparseHistogram histogram;
  for (const int64_t h : s.hundredths) histogram.add(histogram_index(static_cast<double>(h) / 100));
  auto& ready = const_cast<ReadyBucket&>(*batch.samples.back().ready);
  ready.cells = batch.keep({histogram.cells().begin(), histogram.cells().end()});
}

int64_t World::age(bool is_amount) {
  switch (below(10)) {
    case 0:
      return -below(9 * 60);
    case 1:
      return below(20 * 60);
    case 2:
      return below(finest_s() * 3 / 4);
    case 3:
      return is_amount ? below(60) : below(longest_s_);
    case 4:
      return below(4) == 0 ? (below(2) == 0 ? -601 - below(1000) : longest_s_ + 1 + below(1000)) : 0;
    default:
      return below(6);
  }
}

void World::send() {
  model::Sample s;
  s.kind = static_cast<Kind>(below(4));
  s.name = "gedc"[static_cast<size_t>(s.kind)] + std::to_string(below(4));
  if (!model_.series().empty() && below(4) == 0) s.name = any_name();
  const auto known = model_.series().find(s.name);
  if (known != model_.series().end()) s.kind = model_.kind(s.name);
  const Kind kind = s.kind;
  const bool is_amount = adds_up(kind);
  // Late amounts of chunks that the finest tier has dropped are counted only approximately, so none are sent.
  s.time_s = (is_amount ? wall_s_ : shown_s()) - age(is_amount);
  if (known != model_.series().end()) {
    // Sometimes sends a sample of another kind, which is refused or does not change the kind of the series.
    if (below(20) == 0) s.kind = static_cast<Kind>(below(4));
    const auto& samples = known->second.samples;
    if (!samples.empty() && below(4) == 0) {  // another sample for a slot that has one
      const int64_t earlier_s = samples[static_cast<size_t>(below(std::ssize(samples)))].time_s;
      if (!is_amount || wall_s_ - earlier_s < finest_s() * 3 / 4) s.time_s = earlier_s;
    }
  }
  const bool is_alone = adds_up(s.kind) || (kind == Kind::kDistribution && s.kind != kind);
  const int64_t samples = is_alone || below(4) != 0 ? 1 : 1 + below(20);
  for (int64_t i = 0; i < samples; ++i)
    s.hundredths.push_back(below(3) == 0 ? 500 : below(2'000'000) - 1'000'000);
  s.is_alone = is_amount && may_be_alone(s);
  Batch batch;
  batch.other_kind = below(2) == 0 ? OtherKind::kAccept : OtherKind::kRefuse;
  fill(s, batch);
  const uint64_t accepted = table_->apply(batch, now().wall);
  uint64_t refused = 0;
  for (const uint64_t n : batch.refused) refused += n;
  ASSERT_EQ(batch.received, accepted + refused);
  const int64_t slot_end_s = (s.time_s / 10 + 1) * 10;
  const bool fits = s.time_s <= shown_s() + 600 && s.time_s >= shown_s() - longest_s_ &&
                    slot_end_s > shown_s() - tiers_of(s.name).coarsest().retention_s;
  const bool is_refused = !fits || (s.kind != kind && batch.other_kind == OtherKind::kRefuse);
  ASSERT_EQ(accepted, is_refused ? 0U : 1U) << s.name << " at " << s.time_s;
  if (is_refused) return;
  happened([s](model::Model& model) { model.add(s); });
}

void World::send_family() {
  const auto kind = static_cast<Kind>(below(4));
  const std::string path = std::string(1, "gedc"[below(4)]) + std::to_string(below(4));
  const std::string texts = std::array{"s", "bytes", "-"}[static_cast<size_t>(below(3))] +
                            std::string(" help ") + std::to_string(below(3));
  Batch batch;
  parse_istatd_lines(batch.keep(std::string("$m ") + exact_letter(kind) + " " + path + " " + texts), batch);
  table_->apply(batch, now().wall);
  ASSERT_EQ(batch.families.size(), 1U);
  sent_families_.emplace(path, kind);
  happened([=](model::Model& model) { model.note(path, kind, texts); });
}

void World::happened(std::function<void(model::Model&)> what) {
  what(model_);
  log_.push_back(std::move(what));
}

std::string World::any_name() {
  const auto& series = model_.series();
  return std::next(series.begin(), below(std::ssize(series)))->first;
}

// A family that was sent since the last tick would survive its last series.
Status World::change() {
  if (!sent_families_.empty()) tick();
  std::set<std::string> names;
  for (int64_t i = below(3); i >= 0; --i) names.insert(any_name());
  std::vector<std::string_view> deletes(names.begin(), names.end());
  deletes.push_back("no.such.name");
  switch (below(3)) {
    case 0:
      for (const std::string& name : names) happened([name](model::Model& m) { m.remove(name); });
      return done(ticker_->change({.deletes = deletes, .slots = {}, .renames = {}}, now()));
    case 1: {
      const int64_t unit_s = tiers_.coarsest().step_s;
      const int64_t from_s = below(4) == 0 ? 0 : (wall_s_ - below(longest_s_)) / unit_s * unit_s;
      const int64_t until_s = below(4) == 0 ? INT64_MAX / unit_s * unit_s : from_s + unit_s * (1 + below(30));
      for (const std::string& name : names)
        happened([=](model::Model& m) { m.erase(name, from_s, until_s); });
      const SlotRange slots{from_s / model::Model::kSlotS, until_s / model::Model::kSlotS};
      return done(ticker_->change({.deletes = deletes, .slots = slots, .renames = {}}, now()));
    }
    default: {
      const std::string from = *names.begin();
      const std::string to =
          std::array{"e", "g", "n", "d", "c"}[static_cast<size_t>(below(5))] + std::to_string(below(5));
      if (!model_.series().contains(to) && keeps_no_longer(to, from))
        happened([=](model::Model& m) { m.rename(from, to); });
      for (TierNo t = 0; t < tiers_.stored_count(); ++t) {
        int64_t& lost_s = lost_by_rename_[to][t];
        lost_s = std::max(lost_s, lost_before_s(from, t));
      }
      const NewName pair{from, model_.series().contains(to) ? to : from};
      return done(ticker_->change({.deletes = {}, .slots = {}, .renames = {&pair, 1}}, now()));
    }
  }
}

bool World::may_have_been_slow() const {
  return slow_s_ > 0 && wall_s_ - right_since_s_ <= std::max<int64_t>(slow_s_, 600) + 120;
}

}  // namespace statmill
