// check: implements `statmill-agent --check`, which reports what each collector can do on this host.
#pragma once

#include <optional>

#include "agent/config.h"
#include "base/clock.h"
#include "base/exit_code.h"
#include "base/log.h"

namespace statmill {

// Loads all collectors, including those that are off, and lets them count for one second. Then prints a table
// to standard output: what each collector reads, where its programs are attached, whether that works and if
// not why, and the cost of an event. Returns the fault if printing fails.
std::optional<Fault> check_collectors(const AgentConfig& config, Log& log, const Clock& clock);

}  // namespace statmill
