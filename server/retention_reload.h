// What SIGHUP does with the retention.
#pragma once

#include "base/log.h"
#include "server/admin/retention_outlook.h"
#include "server/agents/agent_registry.h"

namespace statmill {

enum class RetentionReload { kInUse, kNeedsRestart };

// Makes the server use `next` from now on, and logs for each class what changes and what that drops. Leaves
// all as it is, and logs why, if more than times differ or the server is stopping. Waits for the tick thread
// and the store. Agents are remembered for as long as any data are kept.
RetentionReload reload_retention(const OutlookSources& sources, AgentRegistry& agents, const Retention& next,
                                 Log& log);

}  // namespace statmill
