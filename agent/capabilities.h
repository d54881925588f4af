// Capabilities: what the agent may do beyond other programs of its user, and gives up when it has started.
#pragma once

#include "base/log.h"

namespace statmill {

// Gives up all capabilities for good, of this thread and so of all that it starts: effective, permitted,
// inheritable, ambient, and those that an exec might bring (bounding set, as far as CAP_SETPCAP lets us;
// no_new_privs in any case). What is open stays open, eBPF programs go on. What could not be given up is
// logged. Requires: no other thread yet.
void give_up_capabilities(Log& log);

}  // namespace statmill
