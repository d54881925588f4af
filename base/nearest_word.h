// Finds the word that somebody has probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace statmill {

// Returns the word of `known` that differs least from `word`, counting letters that are added, missing,
// wrong, or swapped with their neighbour. If more than a third of the letters differ, or more than three,
// returns the first word that begins with `word`, or an empty text. Among equals the first wins. Words above
// 64 bytes are not compared. Cost: the product of the lengths, for each word.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known);

// Returns "; did you mean WORD?", or an empty text if no word is near. `dashes` come before the word.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known,
                         std::string_view dashes = {});

}  // namespace statmill
