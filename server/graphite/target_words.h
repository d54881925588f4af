// The words and literals of Graphite's target language.
#pragma once

#include <optional>
#include <string_view>

#include "server/graphite/target.h"

namespace statmill::graphite {

inline bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool is_word(char c) { return is_word_start(c) || (c >= '0' && c <= '9'); }

// Parses -?digits[.digits][e[+-]digits], all of `text`. A number beyond a double's range is infinite or 0.
std::optional<SyntaxTree::Node> parsed_number(std::string_view text);

// Returns the value that a word is as an argument: a number, true, false, none or inf; nullopt if it is a
// path.
std::optional<SyntaxTree::Node> literal_of(std::string_view word);

}  // namespace statmill::graphite
