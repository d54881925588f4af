// The subcommands against a server with prepared answers.
#include "tools/statmill/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"
#include "tests/tools/fake_server.h"
#include "tests/tools/run_command.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kAccepted = R"({"received":1,"accepted":1,"refused":{}})";

std::string unused_url() { return "http://127.0.0.1:" + std::to_string(unused_port()); }

TEST(Cli, RefusesInvalidCommandLines) {
  struct Case {
    std::vector<std::string> arguments;
    std::string_view why;
  };
  const std::vector<Case> cases = {
      {{}, "Usage: statmill COMMAND"},
      {{"launch"}, "unknown command \"launch\""},
      {{"put"}, "too few arguments"},
      {{"put", "a"}, "too few arguments"},
      {{"put", "a", "1", "2", "3"}, "too many arguments"},
      {{"put", "", "1"}, "NAME is empty"},
      {{"put", "a", "1\n"}, "VALUE is empty or contains white space"},
      {{"put", "#a", "1"}, "NAME cannot start with #"},
      {{"put", "a", "1", "soon"}, "TIME: "},
      {{"put", "--colour", "a", "1"}, "unrecognised option '--colour'"},
      {{"put", "--serv", "http://h", "a", "1"}, "unrecognised option '--serv'; did you mean --server?"},
      {{"qurey", "a"}, "unknown command \"qurey\"; did you mean query?"},
      {{"query", "a", "---"}, "unrecognised option '---'"},
      {{"query", "a", "--form", "-1h"}, "unrecognised option '--form'; did you mean --from?"},
      {{"put", "a", "1", "--timeout", "long"}, "--timeout: "},
      {{"put", "a", "1", "--server", "localhost:port"}, "server URL \"localhost:port\""},
      {{"put", "a", "1", "--server", "ftp://h"}, "server URL \"ftp://h\""},
      {{"query"}, "too few arguments"},
      {{"query", "--expr"}, "'--expr' is missing"},
      {{"query", "a", "--expr", "b"}, "--expr takes the place of names"},
      {{"graph"}, "too few arguments"},
      {{"graph", "a", "--stat", "avg,min"}, "--stat \"avg,min\" is not one statistic"},
      {{"graph", "a", "--from", "once"}, "--from: "},
      {{"query", "a", "--from"}, "'--from' is missing"},
      {{"query", "a", "--from", "once"}, "--from: "},
      {{"query", "a", "--until", "1.x"}, "--until: "},
      {{"query", "a", "--step", "ten"}, "--step: "},
      {{"query", "a", "--step", "0"}, "--step: "},
      {{"query", "a", "--step", "-10"}, "--step: "},
      {{"query", "a", "--step", "31622401"}, "--step: "},
      {{"query", "a", "--max-points", "0"}, "--max-points: "},
      {{"query", "a", "--format", "xml"}, "--format \"xml\""},
      {{"ls", "a", "b"}, "too many arguments"},
      {{"ls", "--limit", "-1"}, "--limit: "},
      {{"status", "now"}, "too many arguments"},
      {{"flush", "now"}, "too many arguments"},
      {{"clock"}, "too few arguments"},
      {{"clock", "set", "--admin.socket", "a.sock"}, "\"set\" is not \"confirm\""},
      {{"backup"}, "too few arguments"},
      {{"backup", "-", "--since", "a", "--admin.socket", "a.sock"}, "a tar archive cannot have links"},
      {{"verify"}, "too few arguments"},
      {{"verify", "a", "--server", "http://h"}, "unrecognised option '--server'"},
      {{"restore", "a"}, "too few arguments"},
      {{"check", "a", "b"}, "too many arguments"},
      {{"delete"}, "too few arguments"},
      {{"delete", "a", "--until", "soon", "--admin.socket", "a.sock"}, "--until"},
      {{"rename", "a"}, "too few arguments"},
      {{"flush", "--server", "http://h"}, "unrecognised option '--server'"},
      {{"status", "--admin.socket", "a.sock"}, "unrecognised option '--admin.socket'"},
      {{"flush", "--admin.socket", ""}, "a socket's path must have 1 to 107 bytes"},
      {{"flush", "--admin.socket", std::string(108, 'a')}, "has 108"},
      {{"status", "--format", "csv"}, "--format csv"},
      {{"rejects", "all"}, "too many arguments"},
      {{"cardinality", "--format", "csv"}, "--format csv"},
      {{"cardinality", "--parts", "9"}, "--parts: "},
  };
  const FakeServer server(200, std::string(kAccepted));
  for (const Case& c : cases) {
    const Outcome outcome = run_command(server.url(), c.arguments);
    EXPECT_EQ(outcome.code, ExitCode::kUsage) << c.why;
    EXPECT_THAT(outcome.messages, HasSubstr(c.why));
    EXPECT_EQ(outcome.output, "") << c.why;
  }
  EXPECT_THAT(server.requests(), ElementsAre());
}

TEST(Cli, PrintsHelpAndVersion) {
  EXPECT_THAT(run_command(unused_url(), {"--help"}).output, StartsWith("Usage: statmill COMMAND"));
  EXPECT_THAT(run_command(unused_url(), {"--version"}).output, StartsWith("statmill "));
  for (const std::string command : {"put", "query", "ls", "status"}) {
    const Outcome outcome = run_command(unused_url(), {command, "--help"});
    EXPECT_EQ(outcome.code, ExitCode::kOk);
    EXPECT_THAT(outcome.output, StartsWith("Usage: statmill " + command));
    EXPECT_THAT(outcome.output, HasSubstr("--server"));
    EXPECT_EQ(outcome.messages, "");
  }
}

TEST(Cli, HelpOfACommandIsItsOwn) {
  const std::string url = unused_url();
  const std::string all = run_command(url, {"help"}).output;
  EXPECT_EQ(all, run_command(url, {"--help"}).output);
  // Those that the help lists: two blanks, the name, the summary.
  size_t commands = 0;
  for (const std::string_view line :
       split(std::string_view(all).substr(all.find("Commands:\n") + 10), '\n')) {
    if (line.empty()) break;
    const std::string command(line.substr(2, line.find(' ', 2) - 2));
    const Outcome outcome = run_command(url, {"help", command});
    EXPECT_EQ(outcome.code, ExitCode::kOk) << command;
    EXPECT_THAT(outcome.output, StartsWith("Usage: statmill " + command + " "));
    EXPECT_EQ(outcome.output, run_command(url, {command, "--help"}).output);
    ++commands;
  }
  EXPECT_EQ(commands, 29U);
  const Outcome unknown = run_command(url, {"help", "imprt"});
  EXPECT_EQ(unknown.code, ExitCode::kUsage);
  EXPECT_THAT(unknown.messages, HasSubstr("import"));
}

TEST(Cli, AdminCommandsUseTheAdminSocket) {
  for (const std::string command : {"flush", "check", "backup"}) {
    const Outcome outcome = run_command(unused_url(), {command, "--help"});
    EXPECT_THAT(outcome.output, StartsWith("Usage: statmill " + command));
    EXPECT_THAT(outcome.output, HasSubstr("--admin.socket"));
  }
  const Outcome unreachable = run_command(unused_url(), {"--admin.socket", "/no/such.sock", "flush"});
  EXPECT_EQ(unreachable.code, ExitCode::kUnreachable);
  EXPECT_EQ(unreachable.messages, "statmill: cannot reach /no/such.sock: No such file or directory\n");
}

TEST(Cli, FileCommandsReportTheMissingFile) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"verify", "/no/such"}, {"restore", "/no/such", "/nor/this"}}) {
    const Outcome outcome = run_command(unused_url(), arguments);
    EXPECT_EQ(outcome.code, ExitCode::kFailed);
    EXPECT_EQ(outcome.messages,
              "statmill: /no/such: it has no file BACKUP: not a backup, or an unfinished one\n");
  }
  const Outcome checked = run_command(unused_url(), {"check", "/no/such", "--admin.socket", "/any.sock"});
  EXPECT_EQ(checked.code, ExitCode::kFailed);
  EXPECT_EQ(checked.messages,
            "statmill: /no/such: it has no file FORMAT: not a data directory of statmill\n");
}

TEST(Cli, CheckOfADirectoryEndsWithTheStatusOfTheServer) {
  struct Case {
    std::string_view file;
    std::string_view content;
    ExitCode code;
    std::string_view why;
  };
  const std::vector<Case> cases = {
      {"FORMAT", "statmill store 9.0\nsteps 10s\n", ExitCode::kOtherFormat, "format version 9.0"},
      {"FORMAT", "statmill store 2.99\nsteps 10s\n", ExitCode::kOtherFormat, "format version 2.99"},
      {"FORMAT", "another program's\n", ExitCode::kUsage, "is not statmill's"},
      {"BACKUP", "statmill backup 9\n", ExitCode::kOtherFormat, "backup version 9"},
      {"BACKUP", "statmill backup 1\nstatmill store 1.0\n", ExitCode::kDamaged, "it is cut short"},
      {"db", "no directory", ExitCode::kFailed, "it has no file FORMAT"},
  };
  for (const Case& c : cases) {
    const TempDirectory directory;
    directory.write(c.file, c.content);
    const Outcome outcome =
        run_command(unused_url(), {"check", directory.path().string(), "--admin.socket", "/any.sock"});
    EXPECT_EQ(outcome.code, c.code) << c.why;
    EXPECT_THAT(outcome.messages, HasSubstr(c.why));
  }
}

TEST(Cli, ReportsAnUnreachableServer) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"put", "a", "1"}, {"query", "a"}, {"ls"}, {"status"}}) {
    const Outcome outcome = run_command(unused_url(), arguments);
    EXPECT_EQ(outcome.code, ExitCode::kUnreachable);
    EXPECT_THAT(outcome.messages, HasSubstr("cannot reach 127.0.0.1:"));
  }
}

TEST(Cli, AcceptsOptionsBeforeTheCommand) {
  const FakeServer server(200, std::string(kAccepted));
  EXPECT_EQ(run_command(unused_url(), {"--server", server.url(), "--timeout=5s", "put", "a", "1"}).code,
            ExitCode::kOk);
  EXPECT_THAT(server.requests(), ElementsAre("POST /api/v1/lines a 1\n"));
}

TEST(Cli, PutSendsOneLine) {
  struct Case {
    std::vector<std::string> operands;
    std::string_view line;
  };
  const std::vector<Case> cases = {
      {{"temp", "21.5"}, "temp 21.5\n"},        {{"temp", "-5"}, "temp -5\n"},
      {{"*logins", "3"}, "*logins 3\n"},        {{"-odd", "1"}, "-odd 1\n"},
      {{"--", "--odd", "1"}, "--odd 1\n"},      {{"a", "1", "1600000000"}, "a 1600000000 1\n"},
      {{"a", "1", "-90s"}, "a 1699999910 1\n"}, {{"a", "1", "now"}, "a 1700000000 1\n"},
  };
  for (const Case& c : cases) {
    const FakeServer server(200, std::string(kAccepted));
    std::vector<std::string> arguments = {"put"};
    arguments.insert(arguments.end(), c.operands.begin(), c.operands.end());
    const Outcome outcome = run_command(server.url(), arguments);
    EXPECT_EQ(outcome.code, ExitCode::kOk) << c.line << outcome.messages;
    EXPECT_EQ(outcome.messages + outcome.output, "");
    EXPECT_THAT(server.requests(), ElementsAre("POST /api/v1/lines " + std::string(c.line)));
  }
}

TEST(Cli, PutPrintsWhyASampleIsRefused) {
  const FakeServer server(
      400, R"({"received":1,"accepted":0,"refused":{"bad_value":1},"error":"1 of 1 refused"})");
  const Outcome outcome = run_command(server.url(), {"put", "a", "x"});
  EXPECT_EQ(outcome.code, ExitCode::kRefused);
  EXPECT_EQ(outcome.messages, "statmill: refused: bad_value\n");
}

TEST(Cli, PutFailsIfTheServerAcceptsNoSample) {
  const FakeServer server(200, R"({"received":0,"accepted":0,"refused":{}})");
  EXPECT_EQ(run_command(server.url(), {"put", "a", "1"}).code, ExitCode::kRefused);
}

TEST(Cli, PrintsTheErrorOfTheServer) {
  const FakeServer server(404, R"({"error":"no series \"a\"","status":404})");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"put", "a", "1"}, {"query", "a"}, {"ls"}, {"status"}}) {
    const Outcome outcome = run_command(server.url(), arguments);
    EXPECT_EQ(outcome.code, ExitCode::kFailed);
    EXPECT_EQ(outcome.messages, "statmill: no series \"a\"\n");
    EXPECT_EQ(outcome.output, "");
  }
}

TEST(Cli, PrintsTheStatusOfAnErrorWithoutMessage) {
  const FakeServer server(502, "<html>proxy</html>");
  EXPECT_EQ(run_command(server.url(), {"query", "a"}).messages,
            "statmill: the server answered with status 502\n");
}

TEST(Cli, ListSendsPatternAndLimitAndReportsTruncation) {
  const FakeServer server(
      200,
      R"({"series":[{"name":"a.b","kind":"event","unit":"bytes","help":"Sent.","retention":"10s:1d","first_s":0,)"
      R"("last_s":1700000000}],"truncated":true})");
  const Outcome outcome = run_command(server.url(), {"ls", "a.*", "--limit", "1", "--format", "csv"});
  EXPECT_EQ(outcome.output, "series,kind,last,unix\na.b,event,2023-11-14T22:13:20Z,1700000000\n");
  EXPECT_EQ(outcome.messages, "statmill: more series match than --limit 1\n");
  EXPECT_THAT(server.requests(), ElementsAre("GET /api/v1/series?match=a.%2A&limit=1"));
  for (const char* option : {"-l", "--long"}) {
    EXPECT_EQ(run_command(server.url(), {"ls", option}).output,
              "series  kind   unit   last sample (UTC)    help\n"
              "a.b     event  bytes  2023-11-14 22:13:20  Sent.\n");
  }
  run_command(server.url(), {"ls", "--", "-l"});
  EXPECT_EQ(server.requests().back(), "GET /api/v1/series?match=-l&limit=1000") << "an operand";
}

TEST(Cli, DescribePrintsAllThatIsKnown) {
  const FakeServer server(
      200,
      R"({"series":[{"name":"a.b;c=d","kind":"event","unit":"","help":"Sent.","retention":"10s:1d","first_s":0,)"
      R"("last_s":1700000000}],"truncated":false})");
  const Outcome outcome = run_command(server.url(), {"describe", "a.b;c=d"});
  EXPECT_EQ(outcome.code, ExitCode::kOk);
  EXPECT_EQ(outcome.output,
            "a.b;c=d\n"
            "  kind          event\n"
            "  unit          -\n"
            "  help          Sent.\n"
            "  tags          c=d\n"
            "  retention     10s:1d\n"
            "  first sample  1970-01-01 00:00:00 UTC\n"
            "  last sample   2023-11-14 22:13:20 UTC\n");
  EXPECT_THAT(server.requests(), ElementsAre("GET /api/v1/series?match=a.b%3Bc%3Dd&limit=20"));
  EXPECT_EQ(run_command(server.url(), {"describe"}).code, ExitCode::kUsage);
  const FakeServer empty(200, R"({"series":[],"truncated":false})");
  EXPECT_EQ(run_command(empty.url(), {"describe", "none"}).code, ExitCode::kFailed);
}

TEST(Cli, RejectsPrintsEachFormat) {
  const std::string answer =
      R"({"rejects":[{"time":1700000000,"listener":"udp","sender":"10.0.0.7","reason":"bad_value",)"
      R"("accepted":false,"bytes":7,"line":"cpu \\\\ x","truncated":false},{"time":1700000001,"listener":"tcp","sender":"[::1]:4711",)"
      R"("reason":"kind_mismatch","accepted":true,"bytes":201,"line":"a,b","truncated":true}]})"
      "\n";
  const FakeServer server(200, answer);
  EXPECT_EQ(run_command(server.url(), {"rejects"}).output,
            "time (UTC)           listener  sender      reason                    line\n"
            "2023-11-14 22:13:20  udp       10.0.0.7    bad_value                 cpu \\\\ x\n"
            "2023-11-14 22:13:21  tcp       [::1]:4711  kind_mismatch (accepted)  a,b...\n");
  EXPECT_EQ(run_command(server.url(), {"rejects", "--format", "csv"}).output,
            "time,unix,listener,sender,reason,accepted,bytes,line\n"
            "2023-11-14T22:13:20Z,1700000000,udp,10.0.0.7,bad_value,no,7,cpu \\\\ x\n"
            "2023-11-14T22:13:21Z,1700000001,tcp,[::1]:4711,kind_mismatch,yes,201,\"a,b\"\n");
  EXPECT_EQ(run_command(server.url(), {"rejects", "--format", "json"}).output, answer);
  EXPECT_THAT(server.requests(), testing::Each("GET /api/v1/status/rejects"));
}

TEST(Cli, RejectsReportsAnEmptyList) {
  const FakeServer server(200, R"({"rejects":[]})");
  EXPECT_EQ(run_command(server.url(), {"rejects"}).messages, "statmill: nothing has been refused\n");
}

TEST(Cli, AgentsPrintsOneRowPerAgent) {
  const std::string answer =
      R"({"known":2,"connected":1,"agents":[{"host":"web1","id":"674ddfbe","connected":true,"peer":"10.0.0.7:99",)"
      R"("version":"0.1.0","ephemeral":false,"epoch":1,"accepted":8,"durable":7,"lag_s":3,"lines":70,)"
      R"("seen":1700000000,"gaps":1,"lines_lost":18446744073709551615,"lines_refused":2,"clock_difference_ms":-15,)"
      R"("refused":{"too_old":2},"spool_bytes":4096,"lines_dropped":0,"collectors":9,"collectors_not_ok":1,)"
      R"("troubles":[],"last_gaps":[]},{"host":"a\u001b[2Jb","id":"00000001","connected":false,"peer":"",)"
      R"("version":"","ephemeral":true,"epoch":1,"accepted":1,"durable":1,"lag_s":90,"lines":1,"seen":1,"gaps":0,)"
      R"("lines_lost":0,"lines_refused":0,"clock_difference_ms":null,"refused":{},"spool_bytes":null,)"
      R"("lines_dropped":null,"collectors":null,"collectors_not_ok":null,"troubles":[],"last_gaps":[]}]})"
      "\n";
  const FakeServer server(200, answer);
  const Outcome table = run_command(server.url(), {"agents"});
  EXPECT_EQ(table.output,
            "host           id        connected  peer         version  clock ms  durable  lag s              "
            "    lost  "
            "refused  gaps  spool bytes  trouble\n"
            "web1           674ddfbe  yes        10.0.0.7:99  0.1.0         -15        7      3  "
            "18446744073709551615  "
            "      2     1         4096        1\n"
            "a<U+001B>[2Jb  00000001  no                                      -        1     90              "
            "       0  "
            "      0     0            -        -\n");
  EXPECT_EQ(table.messages, "statmill: 2 known agents, 1 connected\n");
  EXPECT_EQ(run_command(server.url(), {"agents", "--format", "json"}).output, answer);
  EXPECT_THAT(server.requests(), testing::Each("GET /api/v1/status/agents"));
}

TEST(Cli, CardinalityPrintsCountsAndTopSenders) {
  const FakeServer server(
      200,
      R"({"series":9,"active_series":8,"series_limit":10,"series_per_sender_limit":5,"new_in_last_minute":2,"name_bytes":1,)"
      R"("prefixes":{"top":[{"prefix":"host","count":8},{"prefix":"shop","count":1}],"missed":0},)"
      R"("keys":[{"key":"request","values":800000},{"key":"pod","values":3}],)"
      R"("refused":12,"refused_by_sender":{"top":[{"sender":"10.0.0.7","count":12}],"missed":0},)"
      R"("refused_by_prefix":{"top":[{"prefix":"bomb","count":11}],"missed":1}})");
  EXPECT_EQ(run_command(server.url(), {"cardinality", "--parts", "2"}).output,
            "series                            9\n"
            "with samples in the last 24 h     8 of 10\n"
            "new in the last minute            2\n"
            "samples refused for lack of room  12\n"
            "limit of series per sender        5\n"
            "\n"
            "prefix  series\n"
            "host         8\n"
            "shop         1\n"
            "\n"
            "label    values\n"
            "request  800000\n"
            "pod           3\n"
            "\n"
            "sender    samples refused\n"
            "10.0.0.7               12\n"
            "\n"
            "prefix  samples refused\n"
            "bomb                 11\n"
            "each count may be up to 1 too low, also the 0 of a key that is not listed\n");
  EXPECT_THAT(server.requests(), ElementsAre("GET /api/v1/status/cardinality?parts=2"));
}

TEST(Cli, StatusCommandsRefuseUnexpectedAnswers) {
  for (const char* command : {"rejects", "cardinality", "agents"}) {
    for (const char* answer : {"", "{}", R"({"rejects":[{}]})", R"({"series":1})"}) {
      const FakeServer server(200, std::string(answer));
      const Outcome outcome = run_command(server.url(), {command});
      EXPECT_EQ(outcome.code, ExitCode::kFailed) << command << answer;
      EXPECT_THAT(outcome.messages, HasSubstr("not as expected")) << command << answer;
    }
  }
}

TEST(Cli, StatusFlattensTheAnswerOfTheServer) {
  const FakeServer server(200, R"({"version":"0.1.0","series":{"count":3,"limit":1.5},"ready":true})");
  EXPECT_EQ(run_command(server.url(), {"status"}).output,
            "version       0.1.0\n"
            "series.count  3\n"
            "series.limit  1.5\n"
            "ready         true\n");
}

}  // namespace
}  // namespace statmill
