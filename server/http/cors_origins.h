// CorsOrigins: the origins of foreign pages that may read what the HTTP port answers (fetch.spec.whatwg.org,
// "CORS protocol").
//
// Such a page needs a token where others do; it may not send samples or change anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

// Thread-compatible.
class CorsOrigins {
 public:
  static constexpr size_t kCountMax = 100;

  // Adds "https://dash.example.org", or with a port. Errors: kInvalid for all else, so for "*" and "null".
  Status add(std::string_view origin);
  bool is_empty() const { return origins_.empty(); }
  // Returns the origin of the list that a request has; nullptr if it has none of them. Cost: a comparison
  // with each.
  const std::string* find(std::string_view origin) const;

 private:
  std::vector<std::string> origins_;
};

}  // namespace statmill
