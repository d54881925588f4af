// Runs the examples of server/http/API.md about events, dashboards and views, in order: each is a request
// with its fields and its body, an empty line, and the status and body of the answer, which may be broken
// into lines.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/documents/documents_fixture.h"
#include "tests/support/api_examples.h"

namespace statmill {
namespace {

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
  const std::vector<ApiExample> all = api_examples(STATMILL_SOURCE_TREE, {"Events", "Dashboards", "Views"});
  EXPECT_GE(all.size(), 10U);
  for (const ApiExample& example : all) EXPECT_EQ(run(example.request), example.answer) << example.request[0];
}

}  // namespace
}  // namespace statmill
