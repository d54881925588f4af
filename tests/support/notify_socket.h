// NotifySocket: what systemd would hear from a program whose environment names this socket as NOTIFY_SOCKET.
#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "tests/support/temp_directory.h"

namespace statmill {

class NotifySocket {
 public:
  NotifySocket();

  std::string path() const;
  // Reads messages up to the first that contains `part`. False: none comes for kSocketTimeout.
  bool wait_for(std::string_view part) const;

 private:
  TempDirectory directory_;
  Descriptor socket_;
};

}  // namespace statmill
