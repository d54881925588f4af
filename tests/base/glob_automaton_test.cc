#include "base/glob_automaton.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "tests/base/random_glob.h"

namespace statmill {
namespace {

// Matches the text in pieces of `piece` bytes.
bool in_pieces(GlobAutomaton& automaton, const Glob& glob, std::string_view text, size_t piece) {
  GlobAutomaton::State state = GlobAutomaton::kStart;
  for (size_t at = 0; at < text.size(); at += piece) state = automaton.step(state, text.substr(at, piece));
  return state == GlobAutomaton::kTooMany ? glob.matches(text) : automaton.accepts(state);
}

TEST(GlobAutomaton, SaysEarlyWhatIsDecided) {
  const Glob glob = *Glob::parse("dc1.*");
  GlobAutomaton automaton(glob);
  EXPECT_EQ(automaton.step(GlobAutomaton::kStart, "dc2"), GlobAutomaton::kDead);
  EXPECT_EQ(automaton.step(GlobAutomaton::kStart, "dc1."), GlobAutomaton::kAll);
  EXPECT_EQ(automaton.step(GlobAutomaton::kAll, "x"), GlobAutomaton::kAll);
  EXPECT_FALSE(automaton.accepts(automaton.step(GlobAutomaton::kStart, "dc1")));
}

TEST(GlobAutomaton, GivesUpWhenThereAreTooManyStates) {
  const Glob glob = *Glob::parse("*a" + std::string(40, '?') + "b");
  GlobAutomaton automaton(glob);
  std::string text;
  uint32_t random = 1;
  for (int i = 0; i < 20'000; ++i) {
    random = random * 1'664'525 + 1'013'904'223;
    text += (random >> 24 & 1) != 0 ? 'a' : 'c';
  }
  EXPECT_EQ(automaton.step(GlobAutomaton::kStart, text), GlobAutomaton::kTooMany);
}

RC_GTEST_PROP(GlobAutomaton, AgreesWithTheGlob, ()) {
  const std::string pattern = random_pattern();
  const Result<Glob> glob = Glob::parse(pattern);
  RC_PRE(glob.has_value());  // too many alternatives
  GlobAutomaton automaton(*glob);
  const std::vector<std::string> names = random_names();
  for (const std::string& name : names) {
    RC_ASSERT(in_pieces(automaton, *glob, name, 1) == glob->matches(name));
    RC_ASSERT(in_pieces(automaton, *glob, name, 3) == glob->matches(name));
  }
}

}  // namespace
}  // namespace statmill
