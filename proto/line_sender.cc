#include "proto/line_sender.h"

#include <arpa/inet.h>

#include <algorithm>

#include "base/text.h"

namespace statmill {

std::string LineSender::name() const {
  constexpr std::array<uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (kind == Kind::kServer) return "server";
  if (kind == Kind::kHttp) return "http";
  if (kind == Kind::kLocal) return "unix";
  const bool is_v4 = std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), address.begin());
  std::array<char, INET6_ADDRSTRLEN> text{};
  const uint8_t* const bytes = address.data() + (is_v4 ? kMappedPrefix.size() : 0);
  ::inet_ntop(is_v4 ? AF_INET : AF_INET6, bytes, text.data(), text.size());
  return text.data();
}

std::string LineSender::text() const { return port == 0 ? name() : Endpoint{name(), port}.text(); }

}  // namespace statmill
