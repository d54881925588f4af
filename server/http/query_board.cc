#include "server/http/query_board.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "server/json.h"

namespace statmill {
namespace {

constexpr std::chrono::hours kKeptFor{24};

// Rounds to microseconds: more digits say nothing.
double rounded_ms(double ms) { return static_cast<double>(static_cast<int64_t>(ms * 1000)) / 1000; }

}  // namespace

uint64_t QueryBoard::add(std::string_view text, std::string_view client, QueryControl& control) {
  Running query{std::string(text.substr(0, kQueryTextBytes)), std::string(client), clock_.steady(), &control};
  MutexLock lock(mutex_);
  running_.emplace(++last_id_, std::move(query));
  return last_id_;
}

void QueryBoard::remove(uint64_t id, unsigned status) {
  const Timestamp now = clock_.wall();
  MutexLock lock(mutex_);
  const auto at = running_.find(id);
  if (at == running_.end()) return;
  Running query = std::move(at->second);
  running_.erase(at);
  if (status == 0) return;
  const QueryCost cost = query.control->cost();
  std::erase_if(slowest_, [now](const Ended& ended) { return ended.time + kKeptFor < now; });
  const auto place = std::ranges::upper_bound(slowest_, cost.ms, std::ranges::greater{},
                                              [](const Ended& e) { return e.cost.ms; });
  slowest_.insert(place, {now, std::move(query.text), std::move(query.client), status, cost});
  if (slowest_.size() > slowest_max_) slowest_.pop_back();
}

bool QueryBoard::cancel(uint64_t id) {
  MutexLock lock(mutex_);
  const auto at = running_.find(id);
  if (at == running_.end()) return false;
  at->second.control->stop(QueryStop::kAdmin);
  return true;
}

void QueryBoard::stop_all(QueryStop reason) {
  MutexLock lock(mutex_);
  for (const auto& [id, query] : running_) query.control->stop(reason);
}

QueryBoard::Overdue QueryBoard::most_overdue(SteadyTime now) const {
  Overdue most;
  MutexLock lock(mutex_);
  for (const auto& [id, query] : running_) {
    const std::chrono::nanoseconds time = query.control->overdue(now);
    if (time > most.time) most = {id, time};
  }
  return most;
}

std::string QueryBoard::json() const {
  const SteadyTime now = clock_.steady();
  const Timestamp oldest = clock_.wall() - kKeptFor;
  std::string out;
  MutexLock lock(mutex_);
  {
    JsonObject answer(out);
    {
      JsonArray running(answer.key("running"));
      for (const auto& [id, query] : running_) {
        JsonObject one(running.element());
        one.count("id", id);
        one.text("query", query.text);
        one.text("client", query.client);
        const double age_ms = std::chrono::duration<double, std::milli>(now - query.since).count();
        one.number("age_ms", rounded_ms(age_ms));
        append_cost_json(one.key("cost"), query.control->cost());
      }
    }
    JsonArray slowest(answer.key("slowest"));
    for (const Ended& query : slowest_) {
      if (query.time < oldest) continue;
      JsonObject one(slowest.element());
      one.number("time", static_cast<double>(unix_seconds(query.time)));
      one.text("query", query.text);
      one.text("client", query.client);
      one.count("status", query.status);
      append_cost_json(one.key("cost"), query.cost);
    }
  }
  return out + "\n";
}

void append_cost_json(std::string& out, const QueryCost& cost) {
  JsonObject object(out);
  object.count("series", cost.series);
  object.count("chunks", cost.chunks);
  object.count("cached", cost.cached);
  object.count("slots", cost.slots);
  object.count("bytes", cost.bytes);
  object.number("ms", rounded_ms(cost.ms));
}

}  // namespace statmill
