#include "base/net/spare_descriptor.h"

#include <fcntl.h>
#include <sys/socket.h>

namespace statmill {
namespace {

Descriptor open_any() { return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

SpareDescriptor::SpareDescriptor() : spare_(open_any()) {}

bool SpareDescriptor::drop_connection(int listening) {
  spare_.reset();
  const bool dropped = Descriptor(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC)).is_open();
  spare_ = open_any();
  return dropped;
}

}  // namespace statmill
