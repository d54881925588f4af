// The page of the server: files that are packed into the binary when it is built. cmake/Page.cmake packs
// them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace statmill {

// One file of the page.
struct Asset {
  std::string_view path;  // of its URL: "/" or "/a/BUILD/NAME"
  std::string_view type;  // content type
  std::string_view etag;  // as in the field ETag: a weak one, since a file is sent as it is and compressed
  std::span<const unsigned char> gzip;
  size_t bytes;  // before compression
};

struct Page {
  std::string_view build;         // a hash of all files; empty if there are none
  std::span<const Asset> assets;  // one of them is "/"
  std::string_view missing;       // why there are none, and what to do: a sentence each
};

// Returns the page of this binary.
const Page& packed_page();

}  // namespace statmill
