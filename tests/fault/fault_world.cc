#include "tests/fault/fault_world.h"

#include <algorithm>

#include "proto/istatd/parser.h"
#include "server/tick/recovery.h"
#include "tests/fault/fault_file_system.h"
#include "tests/support/answers.h"

namespace statmill {
namespace {

constexpr int64_t kStartS = 1'700'006'400;  // a multiple of six hours: the first slot of a chunk
constexpr int kSeries = 12;                 // one in three an event
constexpr int64_t kFineS = 12 * 3600;       // how far back the finest tier is compared
constexpr int kTicksToResume = 20;

}  // namespace

FaultWorld::FaultWorld(const FaultWorldOptions& options)
    : options_(options), random_(options.seed), wall_s_(kStartS) {
  const auto scratch = directory_.path() / "scratch";
  std::filesystem::create_directory(scratch);
  disk_ = std::make_shared<FaultyDisk>(scratch);
}

FaultWorld::~FaultWorld() { stop(); }

Status FaultWorld::start() {
  RocksOptions options;
  options.path = directory_.path() / "data";
  options.write_buffer_bytes = uint64_t{64} << 10;
  options.wal_bytes_max = uint64_t{6} << 10;
  options.sync = options_.sync;
  options.file_system = std::make_shared<FaultFileSystem>(disk_);
  auto store = RocksStore::open(options, tiers_);
  if (!store) return store.error();
  auto life = std::make_unique<Life>();
  life->store = std::move(*store);
  TableLimits limits;
  limits.pending_bytes = options_.pending_bytes;
  life->table = std::make_unique<Table>(tiers_, limits);
  const auto recovery = recover(*life->store, *life->table);
  if (!recovery) return recovery.error();
  life->ticker = std::make_unique<Ticker>(
      Ticker::Services{*life->table, *life->store, life->registry, life->health, life->log}, TickOptions{},
      recovery->start, now().steady);
  life->engine = std::make_unique<QueryEngine>(*life->table, *life->store, QueryLimits{});
  life_ = std::move(life);
  Status reconciled = reconcile_ledger();
  if (!reconciled) life_.reset();  // the ledger is unchanged
  return reconciled;
}

void FaultWorld::stop() {
  if (!life_) return;
  durable_ = gauge("statmill.durable_tick");
  under_way_ = gauge("statmill.open_tick") - 1;
  life_.reset();
}

void FaultWorld::cut_power_and_restore() {
  disk_->cut_power();
  stop();
  disk_->restore_power(random_);
}

TickNo FaultWorld::gauge(std::string_view name) {
  for (const Reading& reading : life_->registry.read()) {
    if (reading.name == name) return static_cast<TickNo>(reading.value());
  }
  ADD_FAILURE() << name << " is not there";
  return 0;
}

void FaultWorld::send(int samples) {
  for (int i = 0; i < samples; ++i) {
    const int64_t series = below(kSeries);
    const bool event = series % 3 == 0;
    Entry entry{(event ? "e" : "g") + std::to_string(series),
                wall_s_ - (below(5) == 0 ? below(3600) : below(5)), 1 + below(1000),
                gauge("statmill.open_tick")};
    const std::string line = (event ? "*" : "") + entry.name + " " + std::to_string(entry.time_s) + " " +
                             std::to_string(entry.value);
    Batch batch;
    parse_istatd_lines(line, batch);
    if (life_->table->apply(batch, now().wall) == 1) {
      ledger_.push_back(std::move(entry));
    } else {
      ASSERT_EQ(batch.refused[static_cast<size_t>(Refusal::kMemoryLimit)], 1U) << line;
      ++refused_for_memory_;
    }
  }
}

Status FaultWorld::tick() {
  const TaskTime::Span span(tick_time_, now().steady);
  return life_->ticker->tick(now());
}

Status FaultWorld::flush_all() {
  const TaskTime::Span span(tick_time_, now().steady);
  return life_->ticker->flush_all(now());
}

void FaultWorld::run(int rounds, Reads reads) {
  for (int i = 1; i <= rounds && disk_->has_power(); ++i) {
    send(static_cast<int>(1 + below(40)));
    static_cast<void>(i % 9 == 0 ? flush_all() : tick());
    // Rolls up closed chunks and drops old ones.
    advance(i % 25 == 0 ? 13 * 3600 : 20);
    if (i % 4 == 0) {
      const Status read = compare();
      EXPECT_TRUE(read || reads == Reads::kMayFail || !disk_->has_power()) << read.error().message;
    }
    if (i != rounds / 2) continue;
    stop();
    if (!start()) return;
  }
}

bool FaultWorld::resumes() {
  for (int i = 0; i < kTicksToResume; ++i) {
    send(1);
    if (tick()) return true;
    advance(1);
  }
  return false;
}

std::string FaultWorld::problem() const {
  const auto problems = life_->health.problems();
  const auto store = problems.find("store");
  return store == problems.end() ? std::string() : store->second;
}

FaultWorld::AllTotals FaultWorld::owed(TickNo last, int64_t from_s) const {
  AllTotals out;
  for (const Entry& entry : ledger_) {
    if (entry.tick > last || entry.time_s < from_s) continue;
    Totals& totals = out[entry.name];
    totals.sum += static_cast<double>(entry.value);
    totals.count += 1;
  }
  return out;
}

Result<FaultWorld::AllTotals> FaultWorld::stored(int64_t from_s, int64_t step_s) {
  const auto answer = life_->engine->run({{"*"}, from_s, wall_s_ + 10, step_s, {}}, now().wall);
  if (!answer) return answer.error();
  AllTotals out;
  for (const SeriesAnswer& series : answer->series) {
    Totals totals;
    totals.sum = total_of(Stat::kSum, *answer, series);
    totals.count = total_of(Stat::kCount, *answer, series);
    if (totals.sum != 0) out[series.name] = totals;
  }
  return out;
}

// Returns for each series what is too much or, if negative, missing; empty if nothing is.
std::string FaultWorld::difference(const AllTotals& want, const AllTotals& got) {
  std::map<std::string, double> sums;
  for (const auto& [name, totals] : want) sums[name] -= totals.sum;
  for (const auto& [name, totals] : got) sums[name] += totals.sum;
  for (const auto& [name, totals] : want) {
    // The count of an event series is that of its slots.
    const auto found = got.find(name);
    if (name[0] == 'g' && found != got.end()) sums[name] += 0.001 * (found->second.count - totals.count);
  }
  std::string out;
  for (const auto& [name, sum] : sums) {
    if (sum != 0) out += " " + name + (sum > 0 ? "+" : "") + std::to_string(sum);
  }
  return out;
}

Status FaultWorld::compare() {
  const int64_t recent_s = (wall_s_ - kFineS) / 3600 * 3600;
  for (const auto& [from_s, step_s] :
       {std::pair(kStartS - 7200, int64_t{3600}), std::pair(recent_s, int64_t{10})}) {
    const auto got = stored(from_s, step_s);
    if (!got) return got.error();
    EXPECT_EQ(difference(owed(UINT64_MAX, from_s), *got), "") << "step " << step_s;
  }
  return Status::ok();
}

// After a start: finds out which of the possible states the store has, and makes the ledger equal to it.
Status FaultWorld::reconcile_ledger() {
  if (ledger_.empty()) return Status::ok();
  const auto got = stored(kStartS - 7200, 3600);
  if (!got) return got.error();
  const std::string without = difference(owed(durable_, 0), *got);
  const std::string with = difference(owed(under_way_, 0), *got);
  if (!without.empty() && !with.empty()) {
    ++lost_;
    EXPECT_FALSE(options_.sync) << "seed " << options_.seed << ": neither what was durable (" << without
                                << " ) nor the tick under way with it (" << with << " )";
    ledger_.clear();
    return Status::ok();
  }
  const TickNo last = without.empty() ? durable_ : under_way_;
  std::erase_if(ledger_, [&](const Entry& entry) { return entry.tick > last; });
  return compare();
}

}  // namespace statmill
