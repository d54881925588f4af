// Capabilities: privileges that the agent needs only while it starts and then drops.
#pragma once

#include "base/log.h"

namespace statmill {

// Drops all capabilities of this thread, and so of all threads and programs that it starts, for good:
// effective, permitted, inheritable and ambient ones, and those that exec could grant (the bounding set as
// far as CAP_SETPCAP allows, and no_new_privs in any case). Open descriptors and eBPF programs keep working.
// Logs what it could not drop. Requires: no other thread runs yet.
void give_up_capabilities(Log& log);

}  // namespace statmill
