// The hash of this process for tables that strangers fill. Its secret is random, so nobody outside can choose
// keys that collide.
#pragma once

#include "base/hash.h"

namespace statmill {

// Returns bytes of the system's random generator. Cost: about 10 us.
HashSecret random_secret();

// The same for all tables of this process, and another one in each process: no hash of it may be stored or
// sent. Thread-safe. Draws its secret at the first call.
const KeyedHash& process_hash();

}  // namespace statmill
