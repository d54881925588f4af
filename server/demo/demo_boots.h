// Which kernels the hosts of the demo run, and since when. One of them booted lately, with another kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "proto/agent_id.h"
#include "proto/host_boot.h"
#include "server/demo/fleet.h"
#include "storage/agent_row.h"

namespace statmill {

AgentId demo_agent_id(const DemoHost& host);

// Returns the boot that a host reports now. `start_s`: the start of the demo, in unix seconds.
HostBoot demo_boot(const DemoHost& host, int64_t start_s);

// Returns the stored rows of the agents whose hosts have booted since the server saw them last.
std::vector<AgentRow> demo_agents_before(const std::vector<DemoHost>& fleet, int64_t start_s);

}  // namespace statmill
