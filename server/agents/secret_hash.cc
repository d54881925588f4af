#include "server/agents/secret_hash.h"

#include <openssl/sha.h>

namespace statmill {

SecretHash hash_secret(const AgentSecret& secret) {
  SecretHash hash;
  static_assert(SHA256_DIGEST_LENGTH == sizeof(hash));
  SHA256(secret.bytes.data(), secret.bytes.size(), hash.data());
  return hash;
}

}  // namespace statmill
