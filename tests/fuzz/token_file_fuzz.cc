// Reads any bytes as the files of tokens: that of a peer, and that of the HTTP port. They are refused with
// the name of the file, or hold tokens within their bounds, and a request without a token of the file has no
// role.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/token_file.h"
#include "server/http/access.h"
#include "tests/fuzz/cost_bound.h"
#include "tests/fuzz/memory_file.h"

namespace statmill {
namespace {

void check_token(std::string_view text, const std::string& path) {
  const auto token = read_token_file("agent.token", path);
  if (!token) return SM_CHECK(token.error().message.starts_with("agent.token " + path + ": "));
  SM_CHECK(token->size() >= kTokenBytesMin && token->size() <= kTokenBytesMax);
  SM_CHECK(text.starts_with(*token) && token->find('\n') == std::string::npos);
}

void check_access(std::string_view text, const std::string& path) {
  const auto access = Access::from_file(path);
  if (!access) return SM_CHECK(access.error().message.starts_with("http.tokens " + path + ":"));
  SM_CHECK(access->has_tokens());
  for (const bool is_local : {true, false}) {
    for (const std::string_view other : {"", "Bearer", "Bearer ", "Basic YTpi"})
      SM_CHECK(access->granted(other, is_local) == Grant{});
    // The line itself is the hash of a token, never a token.
    SM_CHECK(access->granted("Bearer " + std::string(text), is_local).role == Role::kNone);
    const Grant grant = access->granted("Bearer abc", is_local);
    SM_CHECK(grant.user.size() <= Access::kUserBytesMax);
    SM_CHECK(std::ranges::all_of(grant.user, [](char c) { return c >= ' ' && c <= '~'; }));
  }
}

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  static const MemoryFile file;
  const CostBound bound(size);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  file.write(text);
  check_token(text, file.path());
  check_access(text, file.path());
  return 0;
}
