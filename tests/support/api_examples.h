// The examples of server/http/API.md that tests run: in a block, a request, perhaps with fields and a body,
// an empty line, and the answer, which may be broken into lines.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace statmill {

struct ApiExample {
  std::vector<std::string> request;  // lines
  std::string answer;                // without line ends and the blanks after them
};

// Returns the examples of these sections ("Events"), in order. `tree`: the root of the source tree.
inline std::vector<ApiExample> api_examples(const std::string& tree,
                                            const std::vector<std::string>& sections) {
  std::ifstream in(tree + "/server/http/API.md");
  std::vector<ApiExample> out;
  bool is_in_section = false;
  bool is_in_block = false;
  bool is_in_answer = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## "))
      is_in_section = std::ranges::find(sections, line.substr(3)) != sections.end();
    if (!is_in_section) continue;
    if (line == "```") {
      is_in_block = !is_in_block;
      is_in_answer = false;
      if (is_in_block) out.emplace_back();
    } else if (is_in_block && line.empty()) {
      is_in_answer = true;
    } else if (is_in_answer) {
      out.back().answer += line.substr(std::min(line.find_first_not_of(' '), line.size()));
    } else if (is_in_block) {
      out.back().request.push_back(line);
    }
  }
  std::erase_if(out, [](const ApiExample& example) { return example.answer.empty(); });
  return out;
}

}  // namespace statmill
