// Random globs, and names that they have a fair chance to match.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

namespace statmill {

inline std::string random_pattern() {
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
  return pattern;
}

inline std::vector<std::string> random_names() {
  return *rc::gen::container<std::vector<std::string>>(
      100, rc::gen::resize(8, rc::gen::container<std::string>(rc::gen::element('a', 'b', 'c', '.'))));
}

}  // namespace statmill
