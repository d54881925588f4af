#include "server/live/live_list.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace statmill {

LiveList::LiveList(LiveRequest request, LivePool& pool)
    : request_(std::move(request)), had_(request_.series.size() * kLiveSlots, 0) {
  series_.reserve(request_.series.size());
  for (const std::string& name : request_.series) series_.push_back(pool.of(name));
}

bool LiveList::is_of(const LiveRequest& request) const {
  return request_.every == request.every && request_.numbers == request.numbers &&
         request_.series == request.series;
}

const std::string& LiveList::changes(const LiveTurn& turn) {
  if (turn_ != turn.number) {
    turn_ = turn.number;
    changes_ = print(turn, Which::kChanged);
  }
  return changes_;
}

std::string LiveList::all(const LiveTurn& turn) {
  // The first changes are all, and those of the next turn then begin here.
  return turn_ == 0 ? changes(turn) : print(turn, Which::kAll);
}

std::string LiveList::print(const LiveTurn& turn, Which which) {
  std::string slots;
  for (size_t i = 0; i < series_.size(); ++i) {
    if (series_[i]->read(turn, request_)) {
      append_series(slots, i, which, turn.table.tiers());
    } else if (which == Which::kAll) {  // a later turn gives the new stream what it lacks
      std::fill_n(had_.begin() + static_cast<std::ptrdiff_t>(i * kLiveSlots), kLiveSlots, 0);
    }
  }
  if (slots.empty()) return slots;
  std::string data = "{\"now\":";
  append_number(data, static_cast<double>(turn.now.time_since_epoch().count()) / 1000);
  return data.append(",\"slots\":[").append(slots).append("]}");
}

void LiveList::append_series(std::string& out, size_t index, Which which, const Tiers& tiers) {
  LiveSlots& series = *series_[index];
  for (size_t k = 0; k < kLiveSlots; ++k) {
    const uint64_t digest = series.digest(k);
    if (digest == 0) continue;
    if (which == Which::kChanged) {
      uint64_t& had = had_[index * kLiveSlots + static_cast<size_t>(series.slot(k)) % kLiveSlots];
      if (digest == had) continue;
      had = digest;
    }
    if (!out.empty()) out.push_back(',');
    out.append("{\"i\":").append(std::to_string(index)).append(",").append(series.text(k, request_, tiers));
  }
}

std::shared_ptr<LiveList> LiveLists::of(LiveRequest request) {
  MutexLock lock(mutex_);
  std::erase_if(lists_, [](const auto& list) { return list.expired(); });
  for (const auto& weak : lists_) {
    auto list = weak.lock();
    if (list && list->is_of(request)) return list;
  }
  auto list = std::make_shared<LiveList>(std::move(request), pool_);
  lists_.push_back(list);
  return list;
}

}  // namespace statmill
