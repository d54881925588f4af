#include "server/query/query_control.h"

#include <algorithm>
#include <string>

namespace statmill {
namespace {

std::string stop_text(QueryStop reason, Duration timeout) {
  switch (reason) {
    case QueryStop::kClient:
      return "canceled: the client is gone";
    case QueryStop::kServer:
      return "canceled: the server stops";
    case QueryStop::kAdmin:
      return "canceled by an administrator";
    case QueryStop::kTimeout:
      return "timeout: the query took longer than " + std::to_string(timeout.count()) +
             " ms (--query.timeout, or the parameter timeout): ask for fewer series, a shorter range or a "
             "larger step";
    case QueryStop::kNone:
      break;
  }
  return {};
}

}  // namespace

bool QueryMemory::take(size_t bytes) {
  const size_t before = bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes <= bytes_max_ && before <= bytes_max_ - bytes) return true;
  give(bytes);
  return false;
}

QueryControl::QueryControl(const QueryLimits& limits, QueryMemory* memory, const Clock* clock,
                           const QueryControl* outer)
    : limits_(limits), memory_(memory), clock_(clock), outer_(outer), timeout_(limits.timeout) {}

QueryControl::~QueryControl() {
  if (memory_ != nullptr) memory_->give(held_bytes_.load(std::memory_order_relaxed));
}

bool QueryControl::should_stop() const {
  if (stop_.load(std::memory_order_relaxed) != QueryStop::kNone) return true;
  if (outer_ != nullptr && outer_->should_stop()) {
    QueryStop none = QueryStop::kNone;
    stop_.compare_exchange_strong(none, outer_->stopped_by(), std::memory_order_relaxed);
    return true;
  }
  if (clock_ == nullptr || clock_->steady() < deadline_.load(std::memory_order_relaxed)) return false;
  QueryStop none = QueryStop::kNone;
  stop_.compare_exchange_strong(none, QueryStop::kTimeout, std::memory_order_relaxed);
  return true;
}

Status QueryControl::stop_reason() const {
  const QueryStop reason = stopped_by();
  if (reason == QueryStop::kNone) return Status::ok();
  return Error{ErrorCode::kUnavailable, stop_text(reason, timeout_)};
}

Status QueryControl::add_slots(uint64_t slots) {
  const uint64_t all = counts_.slots.fetch_add(slots, std::memory_order_relaxed) + slots;
  if (all > limits_.slots_max) return refuse(QueryLimit::kSlots, all);
  if (all <= limits_.heavy_slots || !is_among_small_.load(std::memory_order_relaxed)) return Status::ok();
  is_too_heavy_.store(true, std::memory_order_relaxed);
  return Error{ErrorCode::kBusy, "a heavy query: " + std::to_string(all) + " slots"};
}

Status QueryControl::take_memory(size_t bytes) {
  const size_t all = held_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (all > limits_.memory_bytes_max) {
    held_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return refuse(QueryLimit::kMemory, all);
  }
  if (memory_ == nullptr || memory_->take(bytes)) return Status::ok();
  held_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  return refuse(QueryLimit::kMemoryTotal, memory_->bytes() + bytes);
}

void QueryControl::give_memory(size_t bytes) {
  held_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  if (memory_ != nullptr) memory_->give(bytes);
}

void QueryControl::start_again() {
  give_memory(held_bytes_.load(std::memory_order_relaxed));
  for (std::atomic<uint64_t>* count :
       {&counts_.series, &counts_.chunks, &counts_.cached, &counts_.slots, &counts_.bytes})
    count->store(0, std::memory_order_relaxed);
}

void QueryControl::add_cost(const QueryCost& cost) {
  counts_.series.fetch_add(cost.series, std::memory_order_relaxed);
  counts_.chunks.fetch_add(cost.chunks, std::memory_order_relaxed);
  counts_.cached.fetch_add(cost.cached, std::memory_order_relaxed);
  counts_.bytes.fetch_add(cost.bytes, std::memory_order_relaxed);
}

Error QueryControl::refuse(QueryLimit limit, uint64_t needed) {
  refused_by_.store(limit, std::memory_order_relaxed);
  const QueryLimitInfo& info = limit_info(limit);
  std::string text = "the query needs " + std::to_string(needed) + " " + std::string(info.what) +
                     ", over the limit of " + std::to_string(limit_value(limits_, limit));
  if (!info.setting.empty()) text.append(" (--").append(info.setting).append(")");
  text.append(": ").append(info.advice);
  return {limit == QueryLimit::kMemoryTotal ? ErrorCode::kBusy : ErrorCode::kLimit, std::move(text)};
}

void QueryControl::begin() {
  if (clock_ == nullptr) return;
  began_.store(clock_->steady(), std::memory_order_relaxed);
  lower_timeout(timeout_);
  set_working(true);
}

void QueryControl::lower_timeout(Duration timeout) {
  timeout_ = std::min(timeout_, timeout);
  if (clock_ != nullptr)
    deadline_.store(began_.load(std::memory_order_relaxed) + timeout_, std::memory_order_relaxed);
}

void QueryControl::extend_deadline(std::chrono::nanoseconds waited) {
  if (clock_ != nullptr)
    deadline_.store(deadline_.load(std::memory_order_relaxed) + waited, std::memory_order_relaxed);
}

void QueryControl::stop(QueryStop reason) {
  QueryStop none = QueryStop::kNone;
  if (!stop_.compare_exchange_strong(none, reason, std::memory_order_relaxed) || clock_ == nullptr) return;
  stopped_at_.store(clock_->steady(), std::memory_order_relaxed);
}

std::chrono::nanoseconds QueryControl::overdue(SteadyTime now) const {
  const SteadyTime end =
      std::min(deadline_.load(std::memory_order_relaxed), stopped_at_.load(std::memory_order_relaxed));
  if (!is_working_.load(std::memory_order_relaxed) || now <= end) return std::chrono::nanoseconds(0);
  return now - std::max(end, began_.load(std::memory_order_relaxed));
}

QueryCost QueryControl::cost() const {
  const auto read = [](const std::atomic<uint64_t>& count) { return count.load(std::memory_order_relaxed); };
  QueryCost cost{.series = read(counts_.series),
                 .chunks = read(counts_.chunks),
                 .cached = read(counts_.cached),
                 .slots = read(counts_.slots),
                 .bytes = read(counts_.bytes)};
  if (clock_ != nullptr)
    cost.ms =
        std::chrono::duration<double, std::milli>(clock_->steady() - began_.load(std::memory_order_relaxed))
            .count();
  return cost;
}

std::optional<QueryLimit> QueryControl::refused_by() const {
  const QueryLimit limit = refused_by_.load(std::memory_order_relaxed);
  return limit == QueryLimit::kCount_ ? std::nullopt : std::optional(limit);
}

void QueryControl::run_among_small(bool yes) {
  is_among_small_.store(yes, std::memory_order_relaxed);
  is_too_heavy_.store(false, std::memory_order_relaxed);
  start_again();
}

}  // namespace statmill
