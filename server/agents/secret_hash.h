// Hashes agents' secrets: the store keeps the hash, never the secret.
#pragma once

#include "proto/agent_id.h"
#include "storage/agent_row.h"

namespace statmill {

// Returns the SHA-256 of the secret. Cost: about 1 us.
SecretHash hash_secret(const AgentSecret& secret);

}  // namespace statmill
