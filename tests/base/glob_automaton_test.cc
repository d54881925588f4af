#include "base/glob_automaton.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

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
  const auto piece = rc::gen::weightedElement<std::string>({{6, "a"},
                                                            {6, "b"},
                                                            {4, "."},
                                                            {4, "*"},
                                                            {3, "?"},
                                                            {2, "[a]"},
                                                            {2, "[!b]"},
                                                            {1, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
                                                            {1, "[a-c]"},
                                                            {1, "{a,b}"},
                                                            {1, "{,*b,[!a]?}"}});
  const auto pieces =
      *rc::gen::resize(9, rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(piece)));
  std::string pattern;
  for (const std::string& p : pieces) pattern.append(p);
  const Result<Glob> glob = Glob::parse(pattern);
  RC_PRE(glob.has_value());  // too many alternatives
  GlobAutomaton automaton(*glob);
  const auto names = *rc::gen::container<std::vector<std::string>>(
      100, rc::gen::resize(8, rc::gen::container<std::string>(rc::gen::element('a', 'b', 'c', '.'))));
  for (const std::string& name : names) {
    RC_ASSERT(in_pieces(automaton, *glob, name, 1) == glob->matches(name));
    RC_ASSERT(in_pieces(automaton, *glob, name, 3) == glob->matches(name));
  }
}

}  // namespace
}  // namespace statmill
