// Runs the examples of server/http/API.md about events, dashboards and views, in order: each is a request
// with its fields and its body, an empty line, and the status and body of the answer, which may be broken
// into lines.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/server/documents/documents_fixture.h"

namespace statmill {
namespace {

struct Example {
  std::vector<std::string> request;  // lines
  std::string answer;
};

std::vector<Example> examples() {
  std::ifstream in(STATMILL_SOURCE_TREE "/server/http/API.md");
  std::vector<Example> out;
  bool is_in_part = false;
  bool is_in_block = false;
  bool is_in_answer = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## "))
      is_in_part = line == "## Events" || line == "## Dashboards" || line == "## Views";
    if (!is_in_part) continue;
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
  std::erase_if(out, [](const Example& example) { return example.answer.empty(); });
  return out;
}

class ApiExamples : public DocumentsFixture {
 protected:
  std::string run(const std::vector<std::string>& request) {
    Fields fields{.content_type = {}};
    std::string body;
    for (size_t i = 1; i < request.size(); ++i) {
      const size_t colon = request[i].find(": ");
      const std::string name = request[i].substr(0, colon);
      if (name == "Content-Type") {
        fields.content_type = std::string_view(request[i]).substr(colon + 2);
      } else if (name == "If-Match") {
        fields.if_match = std::string_view(request[i]).substr(colon + 2);
      } else if (name == "If-None-Match") {
        fields.if_none_match = std::string_view(request[i]).substr(colon + 2);
      } else {
        body += request[i];
      }
    }
    const size_t blank = request[0].find(' ');
    const HttpResponse got = send(request[0].substr(0, blank), request[0].substr(blank + 1), body, fields);
    std::string answer = std::to_string(got.status) + " " + got.body;
    if (answer.ends_with('\n')) answer.pop_back();
    return answer;
  }
};

TEST_F(ApiExamples, AreAnsweredAsThePageSays) {
  const std::vector<Example> all = examples();
  EXPECT_GE(all.size(), 10U);
  for (const Example& example : all) EXPECT_EQ(run(example.request), example.answer) << example.request[0];
}

}  // namespace
}  // namespace statmill
