// AdminApi: the operations of the admin socket and their routes, connected to a running server.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "server/admin/admin.h"
#include "server/admin/name_changes.h"
#include "server/admin/profile_route.h"
#include "server/admin/retention_route.h"
#include "server/admin/snapshots.h"
#include "server/agents/agent_registry.h"
#include "server/documents/documents.h"
#include "server/health.h"
#include "server/http/query_board.h"
#include "server/http/router.h"
#include "server/table/table.h"
#include "server/tick/tick_thread.h"
#include "storage/rocks/rocks_store.h"

namespace statmill {

// Thread-safe.
class AdminApi {
 public:
  struct Services {  // all must outlive it
    const Table& table;
    RocksStore& store;
    AgentRegistry& agents;
    // Runs a job on the tick thread (TickThread::call). Not called before the first request.
    std::function<Status(const TickThread::Job&)> on_tick_thread;
    const Health& health;
    QueryBoard& queries;
    Documents& documents;
    ProfileLease& profile;
    RetentionReader read_retention;
    const Clock& clock;
    Log& log;
  };
  explicit AdminApi(Services services);

  // All routes of the admin socket, with the role admin; those that change something on Lane::kStore. This
  // object must outlive them.
  std::vector<Route> routes();
  // Those of them that a token with the role admin may use over TCP: they delete and rename series, and back
  // up the store.
  std::vector<Route> remote_routes();
  // Cancels the running job and refuses new ones.
  void stop() { admin_.stop(); }
  // Releases what clients have left (Snapshots::release_idle()).
  void release_idle() { snapshots_.release_idle(); }

 private:
  Result<ChangedSeries> change_series(const SeriesChanges& changes);
  Result<AgentRow> forget_agent(const AgentRegistry::ForgetRequest& request);

  const Services services_;
  const OutlookSources outlook_;
  Snapshots snapshots_;
  Admin admin_;
  const NameChanges name_changes_;
};

}  // namespace statmill
