// SpareDescriptor: an open descriptor kept back, so that connections can be closed when there is no other
// left.
#pragma once

#include "base/descriptor.h"

namespace statmill {

// Without it, connections would wait in the kernel, and their clients with them, until a descriptor is free.
// Thread-compatible.
class SpareDescriptor {
 public:
  SpareDescriptor();

  // Closes the connection that waits at a listening socket for longest. Returns false if none waits, or
  // another thread has used the descriptor. Requires: the socket does not block.
  bool drop_connection(int listening);

 private:
  Descriptor spare_;
};

}  // namespace statmill
