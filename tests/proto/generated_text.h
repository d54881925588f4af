// Generated texts for the line parsers: bytes that mean something, in no order, find more than random ones.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

namespace statmill {

// Any number of pieces, one after the other.
inline rc::Gen<std::string> texts_of(const rc::Gen<std::string>& piece) {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const std::string& p : pieces) text.append(p);
                        return text;
                      });
}

}  // namespace statmill
