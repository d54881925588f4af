#include "server/http/etag.h"

namespace statmill {
namespace {

std::string_view without_weakness(std::string_view etag) {
  if (etag.starts_with("W/")) etag.remove_prefix(2);
  return etag;
}

}  // namespace

bool is_in_etags(std::string_view list, std::string_view etag) {
  const std::string_view wanted = without_weakness(etag);
  if (list == "*") return true;
  for (;;) {
    const size_t begin = list.find_first_not_of(" \t,");
    if (begin == std::string_view::npos) return false;
    list = without_weakness(list.substr(begin));
    // A tag may have commas between its quotes.
    const size_t end = list.starts_with('"') ? list.find('"', 1) : std::string_view::npos;
    if (end == std::string_view::npos) return false;
    if (list.substr(0, end + 1) == wanted) return true;
    list.remove_prefix(end + 1);
  }
}

}  // namespace statmill
