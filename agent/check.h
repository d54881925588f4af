// check: what `statmill-agent --check` says of each collector on this host.
#pragma once

#include "agent/config.h"
#include "base/clock.h"
#include "base/log.h"

namespace statmill {

// Loads all collectors, those that are not on, too, lets them count for a second, and prints a table to
// standard output: what each reads and where its programs are attached, whether that works and why not, and
// what an event costs. Returns the exit code: 0 unless nothing can be printed.
int check_collectors(const AgentConfig& config, Log& log, const Clock& clock);

}  // namespace statmill
