// Documents: events, dashboards, shared views and istatd's settings of a server, with their routes and the
// events that the server makes itself.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/tick_time.h"
#include "server/agents/agent_registry.h"
#include "server/documents/agent_events.h"
#include "server/documents/dashboard_files.h"
#include "server/documents/dashboard_set.h"
#include "server/documents/document_options.h"
#include "server/documents/event_log.h"
#include "server/documents/setting_files.h"
#include "server/documents/view_set.h"
#include "server/documents/write_answers.h"
#include "server/http/router.h"
#include "server/tick/document_changes.h"
#include "statmill/registry.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe, but for restore() and tick().
class Documents {
 public:
  struct Services {  // all must outlive it
    const AgentRegistry& agents;
    Registry& registry;
    const Clock& clock;
    Log& log;
  };
  // `patience`: how long the answer to a change waits until the change is in the store.
  Documents(const DocumentOptions& options, Duration patience, const Services& services);

  // For the server's start: puts in the rows of the store. The first tick removes the damaged ones.
  void restore(DocumentRows rows);
  // Returns the rows of alerts that restore() has found.
  std::vector<DocumentRow> take_alerts() { return std::exchange(alerts_, {}); }
  // What the ticks write.
  DocumentChanges& changes() { return changes_; }
  // These objects must outlive the routes.
  std::vector<Route> routes();
  // Called on the tick thread before each tick.
  void tick(TickTime now);

  // Notes events of the server itself. `version` is that of the program. note_start() is called before agents
  // can connect.
  void note_start(std::string_view version);
  void note_stop();
  // Series were deleted, erased or renamed. `by`: whose request it was.
  void note_change(std::string title, std::string text, std::string by);

  EventLog& events() { return events_; }

 private:
  static constexpr Duration kExpiryInterval = std::chrono::hours(1);

  const Services services_;
  DocumentChanges changes_;
  const WriteAnswers writes_;
  EventLog events_;
  DashboardSet dashboards_;
  DashboardFiles files_;
  ViewSet views_;
  SettingFiles settings_;
  AgentEvents agent_events_;
  std::vector<DocumentRow> alerts_;
  SteadyTime next_expiry_{};
};

}  // namespace statmill
