// LiveHub: all live streams, and the thread that feeds them.
//
// Each stream gets its slots every second, or as it asked, the state of the server every five, new events at
// each turn, and word of a change of the page where it comes from a folder. The thread reads the store after
// flushes, so a disk that hangs makes all streams silent.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/folder_watch.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "server/live/live_stream.h"
#include "statmill/registry.h"

namespace statmill {

inline constexpr Duration kLiveStateEvery = std::chrono::seconds(5);
inline constexpr Duration kPageLookEvery = std::chrono::seconds(1);

// Thread-safe.
class LiveHub final : public LiveSource {
 public:
  struct Services {  // all must outlive it
    const Table& table;
    Store& store;
    Registry& registry;
    const Clock& clock;
    // Returns the data of the event `state`: a JSON object without a line end. Called on the hub's thread.
    std::function<std::string()> state;
    // The folder of the page, looked at every second while there are streams; null: the page does not change.
    std::unique_ptr<FolderWatch> page = {};
    // The newest id of an event, and the events after an id, at most about kLiveEventsBytesMax of them.
    // Called on any thread. Empty: there are no events.
    std::function<uint64_t()> last_event = {};
    std::function<LiveEvents(uint64_t id)> events_after = {};
  };
  // `streams_max`: of all clients.
  LiveHub(Services services, size_t streams_max);
  // Calls stop(). The streams may live on.
  ~LiveHub() override { stop(); }

  // Starts the thread, which calls turn(). `log` must outlive it.
  void start(Log& log);
  void stop();

  Result<std::shared_ptr<LiveFeed>> open(std::string_view body, std::function<void()> wake) override;
  // Feeds the streams that are due. Returns when the next one is. For the thread, and for tests without one.
  SteadyTime turn(SteadyTime now);

 private:
  // Shared with the streams, which may outlive the hub.
  struct Count {
    std::atomic<size_t> streams{0};  // relaxed: it guards no other memory
  };
  std::vector<std::shared_ptr<LiveStream>> alive() EXCLUDES(mutex_);
  bool send_events(LiveStream& stream, uint64_t last) const;
  // Returns true if the streams are to hear that the page has changed.
  bool page_changed(SteadyTime now, bool has_streams);
  void run();

  const Services services_;
  const size_t streams_max_;
  const std::shared_ptr<Count> count_ = std::make_shared<Count>();
  Counter& refused_;
  Counter& cut_;
  LiveLists lists_;
  // Confined to the thread.
  uint64_t turn_ = 0;  // the number of the last one
  SteadyTime state_due_{};
  SteadyTime page_due_{};
  bool had_streams_ = false;  // in the last turn
  Mutex mutex_;
  Condition changed_;
  std::vector<std::weak_ptr<LiveStream>> streams_ GUARDED_BY(mutex_);
  bool has_new_ GUARDED_BY(mutex_) = false;  // streams that turn() has not seen
  bool is_ending_ GUARDED_BY(mutex_) = false;
  Thread thread_;  // last: it uses the others
};

}  // namespace statmill
