// The hash under which the secret of an agent is kept.
#pragma once

#include "proto/agent_id.h"
#include "storage/agent_row.h"

namespace statmill {

// SHA-256. Cost: about 1 us.
SecretHash hash_secret(const AgentSecret& secret);

}  // namespace statmill
