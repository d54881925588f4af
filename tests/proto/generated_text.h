// A generator of texts for the line parsers. Meaningful pieces in random
// order find more faults than random bytes.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

namespace statmill {

// Generates concatenations of any number of pieces.
inline rc::Gen<std::string> texts_of(const rc::Gen<std::string>& piece) {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const std::string& p : pieces) text.append(p);
                        return text;
                      });
}

}  // namespace statmill
