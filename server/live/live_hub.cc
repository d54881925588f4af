#include "server/live/live_hub.h"

#include <algorithm>
#include <utility>

namespace statmill {

LiveHub::LiveHub(Services services, size_t streams_max)
    : services_(std::move(services)),
      streams_max_(streams_max),
      refused_(services_.registry.counter("statmill.live_streams_refused",
                                          "Live streams refused because there were --http.live of them.")),
      cut_(services_.registry.counter("statmill.live_streams_cut",
                                      "Live streams ended because their client did not read them.")) {
  services_.registry.gauge_fn("statmill.live_streams", "Live streams.", {}, [count = count_] {
    return static_cast<double>(count->streams.load(std::memory_order_relaxed));
  });
}

void LiveHub::start(Log& log) {
  thread_ = Thread(log, "live", [this] { run(); });
}

void LiveHub::stop() {
  {
    MutexLock lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

Result<std::shared_ptr<LiveFeed>> LiveHub::open(std::string_view body, std::function<void()> wake) {
  auto request = parse_live_request(body);
  if (!request) return request.error();
  if (count_->streams.fetch_add(1, std::memory_order_relaxed) >= streams_max_) {
    count_->streams.fetch_sub(1, std::memory_order_relaxed);
    refused_.add();
    return Error{ErrorCode::kUnavailable,
                 "there are " + std::to_string(streams_max_) + " live streams already (--http.live)"};
  }
  const auto on_end = [count = count_] { count->streams.fetch_sub(1, std::memory_order_relaxed); };
  auto stream =
      std::make_shared<LiveStream>(lists_.of(*std::move(request)), LiveStream::Hooks{std::move(wake), on_end},
                                   services_.last_event ? services_.last_event() : 0);
  stream->send("state", services_.state());
  MutexLock lock(mutex_);
  streams_.push_back(stream);
  has_new_ = true;
  changed_.notify_all();
  return std::shared_ptr<LiveFeed>(std::move(stream));
}

std::vector<std::shared_ptr<LiveStream>> LiveHub::alive() {
  std::vector<std::shared_ptr<LiveStream>> out;
  MutexLock lock(mutex_);
  has_new_ = false;
  std::erase_if(streams_, [](const auto& stream) { return stream.expired(); });
  for (const auto& weak : streams_) {
    auto stream = weak.lock();
    if (stream && !stream->is_cut()) out.push_back(std::move(stream));
  }
  return out;
}

bool LiveHub::send_events(LiveStream& stream, uint64_t last) const {
  return stream.last_event() >= last || stream.send_events(services_.events_after(stream.last_event()));
}

// Clients that come after a change have the new page, so only those that were there before hear of it.
bool LiveHub::page_changed(SteadyTime now, bool has_streams) {
  const bool had_streams = std::exchange(had_streams_, has_streams);
  const bool are_first = has_streams && !had_streams;
  if (!services_.page || !has_streams) return false;
  if (are_first) services_.page->start();
  if (!are_first && now < page_due_) return false;
  page_due_ = now + kPageLookEvery;
  return !are_first && services_.page->has_changed();
}

SteadyTime LiveHub::turn(SteadyTime now) {
  const auto streams = alive();
  const bool has_new_page = page_changed(now, !streams.empty());
  const bool is_state_due = now >= state_due_;
  const std::string state = is_state_due && !streams.empty() ? services_.state() : std::string();
  if (is_state_due) state_due_ = now + kLiveStateEvery;
  SteadyTime next = services_.page ? std::min(state_due_, page_due_) : state_due_;
  const uint64_t last_event = services_.last_event ? services_.last_event() : 0;
  const LiveTurn turn{++turn_, services_.clock.wall(), services_.table, services_.store};
  for (const auto& stream : streams) {
    bool is_open = true;
    if (stream->is_due(now)) is_open = stream->send_slots(turn);
    if (is_open && is_state_due) is_open = stream->send("state", state);
    if (is_open) is_open = send_events(*stream, last_event);
    if (is_open && has_new_page) is_open = stream->send("assets", "{}");
    if (!is_open) cut_.add();
    next = std::min(next, stream->due());
  }
  return next;
}

void LiveHub::run() {
  for (;;) {
    const SteadyTime next = turn(services_.clock.steady());
    MutexLock lock(mutex_);
    if (is_ending_) return;
    if (streams_.empty()) {
      while (!is_ending_ && !has_new_) changed_.wait(mutex_);
    } else if (!has_new_) {
      changed_.wait_for(mutex_, std::max<SteadyTime::duration>(next - services_.clock.steady(),
                                                               std::chrono::milliseconds(1)));
    }
    if (is_ending_) return;
  }
}

}  // namespace statmill
