#include "proto/unit_name.h"

#include <array>

#include "proto/family.h"

namespace statmill {
namespace {

struct Ending {
  std::string_view text;
  std::string_view unit;
};

constexpr auto kEndings = std::to_array<Ending>({{"bytes", "bytes"},
                                                 {"bits", "bits"},
                                                 {"ns", "ns"},
                                                 {"us", "us"},
                                                 {"ms", "ms"},
                                                 {"s", "s"},
                                                 {"seconds", "s"},
                                                 {"percent", "percent"},
                                                 {"ratio", "ratio"},
                                                 {"celsius", "celsius"},
                                                 {"volts", "volts"},
                                                 {"amperes", "amperes"},
                                                 {"watts", "watts"},
                                                 {"joules", "joules"},
                                                 {"hertz", "hertz"}});

bool ends_in(std::string_view text, std::string_view word) {
  return text == word || (text.ends_with(word) && text[text.size() - word.size() - 1] == '_');
}

}  // namespace

std::string_view unit_of_name(std::string_view name) {
  constexpr std::string_view kTotal = "_total";
  std::string_view last = path_of(name);
  last.remove_prefix(last.rfind('.') + 1);
  if (last.ends_with(kTotal)) last.remove_suffix(kTotal.size());
  for (const auto& [text, unit] : kEndings) {
    if (ends_in(last, text)) return unit;
  }
  return last.starts_with("bytes_") ? "bytes" : "";
}

}  // namespace statmill
