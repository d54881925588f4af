// Parses bytes as a form and as an Accept-Encoding field. A form that is accepted has names, no NUL, and
// stays the same when it is written and parsed again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "server/http/content_coding.h"
#include "server/http/url.h"

namespace statmill {
namespace {

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kHex[byte >> 4]);
    out.push_back(kHex[byte & 15]);
  }
}

// A byte that is NUL in the body stays as it is: only its escape is refused.
bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(accepted_coding(bytes));
  const auto form = parse_form(bytes);
  if (!form) return 0;
  std::string text;
  for (const Parameter& parameter : *form) {
    SM_CHECK(!parameter.name.empty());
    if (has_nul(parameter.name) || has_nul(parameter.value)) return 0;
    if (!text.empty()) text.push_back('&');
    append_escaped(text, parameter.name);
    text.push_back('=');
    append_escaped(text, parameter.value);
  }
  const auto again = parse_form(text);
  SM_CHECK(again && again->size() == form->size());
  for (size_t i = 0; i < form->size(); ++i)
    SM_CHECK((*again)[i].name == (*form)[i].name && (*again)[i].value == (*form)[i].value);
  return 0;
}
