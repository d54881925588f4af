// HandshakeLog: says in the log who fails to agree on TLS with a listener, and why.
#pragma once

#include <boost/system/error_code.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/log.h"

namespace statmill {

// Thread-safe. Writes at most one line per second, which says how many were held back.
class HandshakeLog {
 public:
  // `setting` names the listener. The log and the clock must outlive it.
  HandshakeLog(Log& log, const Clock& clock, std::string setting)
      : log_(log), clock_(clock), setting_(std::move(setting)) {}

  void failed(std::string_view peer, const boost::system::error_code& fault);

 private:
  Log& log_;
  const Clock& clock_;
  const std::string setting_;
  LogLimiter limiter_{std::chrono::seconds(1)};
};

}  // namespace statmill
