// The text of /api/v1/hosts: hosts by the tag of their presence counter (proto/host_presence.h), with what is
// known of their agents and collectors.
#pragma once

#include <cstddef>
#include <string>

#include "base/clock.h"
#include "server/agents/agent_registry.h"
#include "server/table/table.h"

namespace statmill {

inline constexpr size_t kHostsShown = 10'000;
// Series of collectors that are looked at; those of further ones are left out.
inline constexpr size_t kCollectorSeriesMax = 500'000;

// API.md has the fields. Hosts are ordered by name; of more than kHostsShown the first ones are listed. Reads
// nothing from the store. Cost: 1 ns for each name with a tag `host`, 1 us for each presence counter, 1 us
// for each series of a collector, and another 2 us where its agent does not say how the collector is.
std::string hosts_json(const Table& table, const AgentRegistry& agents, Timestamp now);

}  // namespace statmill
