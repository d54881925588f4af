// statmill put -: the lines of standard input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/sockets.h"
#include "tests/tools/fake_server.h"
#include "tools/statmill/cli.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kAllAccepted = R"({"received":1,"accepted":1,"refused":{}})";

// A pipe with these bytes, whose other end is closed.
class Input {
 public:
  explicit Input(std::string_view bytes) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    descriptor_ = ends[0];
  }
  ~Input() { ::close(descriptor_); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

Outcome put_lines(const std::string& server, std::string_view lines) {
  const Input input(lines);
  return run_cli(std::vector<std::string>{"put", "-"},
                 {.default_server = server, .now = {}, .input = input.descriptor()});
}

TEST(PutLines, SendsThoseOfStandardInput) {
  const FakeServer server(200, kAllAccepted);
  const Outcome outcome = put_lines(server.url(), "a 1\n\n*b 2\nc 3");
  EXPECT_EQ(outcome.code, ExitCode::kOk) << outcome.messages;
  EXPECT_EQ(outcome.messages + outcome.output, "");
  EXPECT_THAT(server.requests(), ElementsAre("POST /api/v1/lines a 1\n\n*b 2\nc 3"));
  EXPECT_EQ(put_lines(server.url(), "").code, ExitCode::kOk);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(PutLines, CountsRefusedLinesOfStandardInput) {
  const FakeServer server(400, R"({"received":3,"accepted":1,"refused":{"bad_value":2},"error":"2 of 3"})");
  const Outcome outcome = put_lines(server.url(), "a x\na y\na 1\n");
  EXPECT_EQ(outcome.code, ExitCode::kRefused);
  EXPECT_EQ(outcome.messages, "statmill: refused 2: bad_value\n");
}

TEST(PutLines, SaysWhichOfStandardInputMayBeLost) {
  const Outcome outcome = put_lines("http://127.0.0.1:" + std::to_string(unused_port()), "a 1\n");
  EXPECT_EQ(outcome.code, ExitCode::kUnreachable);
  EXPECT_THAT(outcome.messages, HasSubstr("statmill: line 1 and later ones may not have arrived; before, the "
                                          "server accepted 0 samples\n"));
  const FakeServer refusing(403, R"({"error":"no token","status":403})");
  EXPECT_THAT(put_lines(refusing.url(), "a 1\n").messages,
              HasSubstr("statmill: line 1 and later ones were not accepted"));
}

}  // namespace
}  // namespace statmill
