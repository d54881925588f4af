// KnownHosts: the hosts that requests may name in their Host field.
//
// The page of a foreign site can make a browser send requests here under the site's own name, if that name
// resolves to this server's address (DNS rebinding). The browser then sees one origin, so it lets the page
// read the answers. Such a request has the foreign name as its Host, and the server refuses it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

// Thread-safe once it is filled.
class KnownHosts {
 public:
  // Adds a name, without a port; letter case and a final dot do not count. Errors: kInvalid if it is not a
  // host name of at most 253 bytes.
  Status add(std::string_view name);

  // Returns true for the value of a Host field, with any port or none, that is `localhost`, an IPv4 address,
  // an IPv6 address in brackets, or an added name. Cost: one comparison per added name.
  bool contains(std::string_view host) const;

 private:
  std::vector<std::string> names_;  // lower case, without the final dot
};

}  // namespace statmill
