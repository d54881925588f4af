// The first line of the input is a pattern, the rest a name: parsing and matching terminate quickly, and a
// text without pattern characters matches only itself. A name that matches an alternative contains its
// literal. The automaton agrees with the glob.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/glob.h"
#include "base/glob_automaton.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t line_end = bytes.find('\n');
  const std::string_view pattern = bytes.substr(0, line_end);
  const std::string_view name = line_end == std::string_view::npos ? "" : bytes.substr(line_end + 1);
  const Result<Glob> glob = Glob::parse(pattern);
  if (!glob) return 0;
  SM_CHECK(glob->text() == pattern);
  const bool matches = glob->matches(name);
  if (!Glob::is_pattern(pattern)) SM_CHECK(matches == (name == pattern));
  GlobAutomaton automaton(*glob);
  const auto half = automaton.step(GlobAutomaton::kStart, name.substr(0, name.size() / 2));
  const auto state = automaton.step(half, name.substr(name.size() / 2));
  if (state != GlobAutomaton::kTooMany) SM_CHECK(automaton.accepts(state) == matches);
  for (const GlobAlternative& alternative : glob->alternatives()) {
    if (!alternative.matches(name)) continue;
    SM_CHECK(matches);
    SM_CHECK(name.find(alternative.literal().text) != std::string_view::npos);
  }
  return 0;
}
