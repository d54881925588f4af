// The parts `store` and `disk_writes` of /api/v1/status: what the store does to the disk.
#pragma once

#include <string>
#include <vector>

#include "server/write_rate.h"
#include "statmill/registry.h"
#include "storage/store.h"

namespace statmill {

// Writes an object. The present state of write stalls comes from `readings`, the rest from `stats`.
void write_store(std::string& out, const StoreStats& stats, const std::vector<Reading>& readings);
// Writes an object, or null as long as nothing is known.
void write_disk_writes(std::string& out, const WriteRate& rate);

}  // namespace statmill
