// LiveList: the series of a request, whose new slots are collected once in each turn for all streams that ask
// for the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "server/live/live_request.h"
#include "server/live/live_slots.h"

namespace statmill {

// Confined to the hub's thread, but for its constructor, is_of() and its destructor.
class LiveList {
 public:
  // `pool` is used by the constructor alone.
  LiveList(LiveRequest request, LivePool& pool);

  Duration every() const { return request_.every; }
  // Returns true if both requests ask for the same.
  bool is_of(const LiveRequest& request) const;

  // Returns the data of an event with the slots that have changed since the last turn in which this was
  // called; empty if none have. A series that the store cannot read at present is left out. Cost: reads the
  // series in the first call of a turn.
  const std::string& changes(const LiveTurn& turn);
  // Returns the data of an event with all slots, for a stream that is new; empty if there are none. All that
  // changes later is in the changes() of later turns.
  std::string all(const LiveTurn& turn);

 private:
  enum class Which : uint8_t { kAll, kChanged };
  std::string print(const LiveTurn& turn, Which which);
  void append_series(std::string& out, size_t index, Which which, const Tiers& tiers);

  const LiveRequest request_;
  std::vector<std::shared_ptr<LiveSlots>> series_;
  uint64_t turn_ = 0;  // the turn of the last call of changes()
  std::string changes_;
  // A digest of what changes() has had, for kLiveSlots slots of each series; slot s is at s % kLiveSlots. 0:
  // it had nothing.
  std::vector<uint64_t> had_;
};

// Finds the LiveList that streams share. Thread-safe.
class LiveLists {
 public:
  // Cost: compares the request with the lists that there are.
  std::shared_ptr<LiveList> of(LiveRequest request) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  LivePool pool_;
  std::vector<std::weak_ptr<LiveList>> lists_ GUARDED_BY(mutex_);
};

}  // namespace statmill
