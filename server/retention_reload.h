// What SIGHUP does with the retention.
#pragma once

#include <atomic>
#include <functional>

#include "base/log.h"
#include "base/thread.h"
#include "server/admin/retention_outlook.h"
#include "server/agents/agent_registry.h"

namespace statmill {

enum class RetentionReload { kInUse, kNeedsRestart };

// Makes the server use `next` from now on, and logs for each class what changes and what that drops. Leaves
// all as it is, and logs why, if more than times differ or the server is stopping. Waits for the tick thread
// and the store. Agents are remembered for as long as any data are kept.
RetentionReload reload_retention(const OutlookSources& sources, AgentRegistry& agents, const Retention& next,
                                 Log& log);

// Does that on a thread of its own, since it may wait for long, and the thread that receives the signal
// serves an event loop. Confined to the thread of that loop.
class RetentionReloader {
 public:
  struct Services {
    OutlookSources sources;
    AgentRegistry& agents;
    std::function<void(std::function<void()>)> post;  // MainLoop::post
    Log& log;
  };
  // What `services` refers to must outlive it. After its end nothing that was posted may run.
  explicit RetentionReloader(Services services);
  // Cancels what is under way, and waits for it.
  ~RetentionReloader();

  bool is_busy() const { return thread_.is_started(); }
  // Reloads the retention, and then calls `done` on the loop. Requires: !is_busy().
  using Done = std::function<void(RetentionReload)>;
  void start(Retention next, Done done);
  // What is under way changes nothing any more, unless it is at that already.
  void cancel() { is_canceled_.store(true, std::memory_order_relaxed); }

 private:
  Services services_;
  std::atomic<bool> is_canceled_{false};  // the owner writes it, the thread reads it. Relaxed: independent
  Thread thread_;
};

}  // namespace statmill
