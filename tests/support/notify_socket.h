// NotifySocket: receives the messages to systemd of a program with this socket as NOTIFY_SOCKET in its
// environment.
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
  // Reads messages up to the first that contains `part`. Returns false if none arrives within kSocketTimeout.
  bool wait_for(std::string_view part) const;

 private:
  TempDirectory directory_;
  Descriptor socket_;
};

}  // namespace statmill
