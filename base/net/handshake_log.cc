#include "base/net/handshake_log.h"

namespace statmill {

void HandshakeLog::failed(std::string_view peer, const boost::system::error_code& fault) {
  const int64_t held_back = limiter_.admit(clock_.steady());
  if (held_back < 0) return;
  log_.warn("TLS handshake failed",
            {{"setting", setting_}, {"peer", peer}, {"reason", fault.message()}, {"held_back", held_back}});
}

}  // namespace statmill
