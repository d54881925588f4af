// A hostile server: whatever it answers, no command prints a byte that a terminal obeys.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/terminal_text.h"
#include "tests/tools/fake_server.h"
#include "tests/tools/run_command.h"

namespace statmill {
namespace {

// A string of JSON: C0 escaped, as it must be, the rest as it is.
constexpr const char* kHostileJson = "\"a\\u001b[31m\\u0007\x7f\u009b2J\u202eZ\\r\\t\"";

// Returns the text with kHostileJson in the place of each `$`.
std::string hostile(std::string_view body) {
  std::string out;
  for (const char c : body) {
    if (c == '$') {
      out += kHostileJson;
    } else {
      out += c;
    }
  }
  return out;
}

const std::vector<std::vector<std::string>> kCommands = {
    {"put", "a", "1"},
    {"query", "a"},
    {"query", "a", "--format", "csv"},
    {"query", "a", "--format", "json"},
    {"query", "--expr", "a"},
    {"graph", "a"},
    {"graph", "--expr", "a"},
    {"top", "--once"},
    {"ls"},
    {"ls", "--long"},
    {"ls", "--long", "--format", "csv"},
    {"ls", "--format", "json"},
    {"describe", "a"},
    {"status"},
    {"status", "--format", "json"},
    {"doctor"},
    {"doctor", "--format", "json"},
    {"rejects"},
    {"rejects", "--format", "csv"},
    {"rejects", "--format", "json"},
    {"cardinality"},
    {"cardinality", "--format", "json"},
    {"agents"},
    {"agents", "--format", "json"},
};

// Gives each command the answer. Returns how many understand it.
size_t expect_clean(int status, const std::string& body) {
  size_t understood = 0;
  for (const auto& command : kCommands) {
    const FakeServer server(status, body);
    const Outcome outcome = run_command(server.url(), command);
    EXPECT_EQ(control_byte_in(outcome.output), "") << command[0] << " " << command.back();
    EXPECT_EQ(control_byte_in(outcome.messages), "") << command[0] << " " << command.back();
    if (outcome.output.find("<U+001B>") != std::string::npos) ++understood;
    if (outcome.messages.find("<U+001B>") != std::string::npos) ++understood;
  }
  return understood;
}

TEST(TerminalSafety, ErrorsOfAHostileServerAreVisible) {
  for (const int status : {400, 404, 500, 503})
    EXPECT_EQ(expect_clean(status, hostile(R"({"error":$})")), kCommands.size()) << status;
}

TEST(TerminalSafety, AnswersOfAHostileServerAreVisible) {
  for (
      const std::string body :
      {R"({"from":1699999990,"until":1700000000,"step":10,"warnings":[$],"infos":[$],"series":[{"name":$,"kind":$,"labels":{"a":$},"value":[1],"avg":[1],"unit":$}]})",
       R"({"truncated":false,"series":[{"name":$,"kind":$,"unit":$,"help":$,"retention":$,"first_s":1,"last_s":2}]})",
       R"({$:$,"host":{$:[$]}})",
       R"({"rejects":[{"time":1,"listener":$,"sender":$,"reason":$,"bytes":1,"line":$,"truncated":true,"accepted":false}]})",
       R"({"series":1,"active_series":1,"series_limit":1,"series_per_sender_limit":1,"new_in_last_minute":1,"refused":1,"prefixes":{"missed":1,"top":[{"prefix":$,"count":1}]},"keys":[{"key":$,"values":1}],"refused_by_sender":{"missed":1,"top":[{"sender":$,"count":1}]},"refused_by_prefix":{"missed":1,"top":[{"prefix":$,"count":1}]}})",
       R"({"known":1,"connected":1,"agents":[{"host":$,"id":$,"connected":true,"seen":1,"peer":$,"version":$,"clock_difference_ms":1,"durable":$,"lag_s":$,"lines_lost":$,"lines_refused":$,"gaps":$,"spool_bytes":$,"collectors_not_ok":$}]})",
       R"({"accepted":1,"refused":{$:1}})"})
    EXPECT_GT(expect_clean(200, hostile(body)), 0U) << body;
}

TEST(TerminalSafety, HostileArgumentsAreVisible) {
  const std::string text(kHostileText);
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{text},
                                                    {"query", text},
                                                    {"query", "a", "--from", text},
                                                    {"query", "a", "--format", text},
                                                    {"query", "a", "--" + text},
                                                    {"put", text, text},
                                                    {"ls", "--server", text},
                                                    {"flush", "--admin.socket", text},
                                                    {"check", text},
                                                    {"verify", text},
                                                    {"restore", text, text}}) {
    const Outcome outcome = run_command("http://127.0.0.1:1", arguments);
    EXPECT_NE(outcome.messages, "") << arguments[0];
    EXPECT_EQ(control_byte_in(outcome.output + outcome.messages), "") << arguments[0];
  }
}

}  // namespace
}  // namespace statmill
