// `statmill top` in a real pseudo-terminal.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>

#include "base/descriptor.h"
#include "tests/support/process.h"
#include "tests/tools/fake_server.h"
#include "tests/tools/terminal/small_terminal.h"

namespace statmill {
namespace {

using testing::HasSubstr;

// One answer for every request: fields that a request does not ask for are ignored.
constexpr const char* kAnswer =
    R"({"known":1,"connected":1,"agents":[{"host":"db3","id":"1","connected":true,"peer":"","version":"",)"
    R"("clock_difference_ms":0,"durable":1,"lag_s":0,"lines_lost":0,"lines_refused":0,"gaps":0,"spool_bytes":0,)"
    R"("collectors_not_ok":0,"seen":0}],"from":0,"until":20,"step":10,"truncated":false,"series":[)"
    R"({"name":"host.cpu.busy_percent;host=db3","kind":"gauge","unit":"percent","help":"","retention":"","first_s":0,"last_s":10,)"
    R"("avg":[97,97],"min":[96,96],"max":[99,99],)"
    R"("count":[10,10]}]})";

// A program that runs in a terminal of its own.
class PtyProcess {
 public:
  PtyProcess(const std::string& url, int rows, int columns) : rows_(rows), columns_(columns) {
    const std::string variable = "STATMILL_URL=" + url;
    std::array<const char*, 3> environment = {variable.c_str(), "TZ=UTC", nullptr};
    winsize size = window();
    int master = -1;
    pid_ = ::forkpty(&master, nullptr, nullptr, &size);
    if (pid_ == 0) {
      ::execle(STATMILL_PROGRAM, "statmill", "top", static_cast<char*>(nullptr), environment.data());
      ::_exit(127);
    }
    master_ = Descriptor(master);
    ::tcgetattr(master, &modes_before_);
  }
  ~PtyProcess() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
  }
  PtyProcess(const PtyProcess&) = delete;
  PtyProcess& operator=(const PtyProcess&) = delete;

  void type(std::string_view bytes) const {
    ASSERT_EQ(::write(master_.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void resize(int rows, int columns) {
    rows_ = rows;
    columns_ = columns;
    winsize size = window();
    ASSERT_EQ(::ioctl(master_.get(), TIOCSWINSZ, &size), 0);
  }
  void signal(int number) const { ASSERT_EQ(::kill(pid_, number), 0); }

  // Waits until the screen has the text. Returns the screen.
  std::string wait_for(std::string_view text) {
    std::string shown;
    wait_until([&] {
      read_some();
      shown = as_lines(terminal().screen(), false);
      return shown.find(text) != std::string::npos;
    });
    return shown;
  }
  // Returns what waitpid() says when the program has ended.
  int wait_for_end() {
    int status = -1;
    wait_until([&] {
      read_some();
      return ::waitpid(pid_, &status, WNOHANG) == pid_;
    });
    pid_ = -1;
    read_some();
    return status;
  }
  // What a terminal shows that has the present size, from the last time that everything was painted.
  SmallTerminal terminal() const {
    SmallTerminal out(rows_, columns_);
    const size_t cleared = bytes_.rfind("\x1b[2J");
    if (cleared != std::string::npos) out.write(std::string_view(bytes_).substr(cleared));
    return out;
  }
  bool is_given_back() const {
    termios modes{};
    ::tcgetattr(master_.get(), &modes);
    return modes.c_lflag == modes_before_.c_lflag && modes.c_iflag == modes_before_.c_iflag &&
           modes.c_oflag == modes_before_.c_oflag && (modes.c_lflag & ECHO) != 0 &&
           bytes_.ends_with("\x1b[0m\x1b[?25h\x1b[?1049l");
  }

 private:
  winsize window() const {
    winsize size{};
    size.ws_row = static_cast<unsigned short>(rows_);
    size.ws_col = static_cast<unsigned short>(columns_);
    return size;
  }
  void read_some() {
    pollfd polled{master_.get(), POLLIN, 0};
    while (::poll(&polled, 1, 20) > 0) {
      std::array<char, 4096> buffer{};
      const ssize_t size = ::read(master_.get(), buffer.data(), buffer.size());
      if (size <= 0) return;  // EIO: the program has ended
      bytes_.append(buffer.data(), static_cast<size_t>(size));
    }
  }

  int rows_;
  int columns_;
  pid_t pid_ = -1;
  Descriptor master_;
  termios modes_before_{};
  std::string bytes_;
};

TEST(TopProgram, ShowsHostsSeriesAndAChartAndGivesTheTerminalBack) {
  const FakeServer server(200, kAnswer);
  PtyProcess top(server.url(), 20, 100);
  EXPECT_THAT(top.wait_for("97 %✕"), HasSubstr("1 host: 0 ok, 1 ✕"));
  top.type("\r");
  EXPECT_THAT(top.wait_for("db3: 1 series"), HasSubstr("host.cpu.busy_percent "));
  top.wait_for("97 %");
  top.type("\r");
  EXPECT_THAT(top.wait_for("(dots: min to max)"), HasSubstr("━ host.cpu.busy_percent;host=db3"));
  top.resize(12, 60);
  EXPECT_THAT(top.wait_for("+ - range"), HasSubstr("┤"));
  EXPECT_EQ(top.terminal().faults(), 0);
  top.type("\x1b");
  top.wait_for("db3: 1 series");
  top.type("q");
  const int status = top.wait_for_end();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(top.is_given_back());
}

TEST(TopProgram, CtrlCEndsItEvenIfTheServerIsAway) {
  PtyProcess top("http://127.0.0.1:" + std::to_string(unused_port()), 12, 80);
  EXPECT_THAT(top.wait_for("no answer from"), HasSubstr("✕ cannot reach 127.0.0.1:"));
  top.type("\x03");
  EXPECT_EQ(top.wait_for_end(), 0);
  EXPECT_TRUE(top.is_given_back());
}

TEST(TopProgram, SignalsAndFaultsGiveTheTerminalBack) {
  const FakeServer server(200, kAnswer);
  for (const int number : {SIGTERM, SIGHUP, SIGSEGV, SIGABRT}) {
    PtyProcess top(server.url(), 12, 80);
    top.wait_for("97 %");
    top.signal(number);
    const int status = top.wait_for_end();
    EXPECT_TRUE(WIFSIGNALED(status)) << number;
    EXPECT_EQ(WTERMSIG(status), number);
    EXPECT_TRUE(top.is_given_back()) << number;
  }
}

TEST(TopProgram, WithoutATerminalPrintsATableOnRequest) {
  const FakeServer server(200, kAnswer);
  const Ended refused = run_program({STATMILL_PROGRAM, {"top", "--server", server.url()}, {}});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.said, "statmill: standard output is no terminal; --once prints the table of hosts\n");
  const Ended once = run_program({STATMILL_PROGRAM, {"top", "--once", "--server", server.url()}, {}});
  EXPECT_EQ(once.status, 0);
  EXPECT_THAT(once.out, HasSubstr("✕ db3    97 %✕"));
  const FakeServer empty(
      200, R"({"known":0,"connected":0,"agents":[],"from":0,"until":10,"step":10,"series":[]})");
  EXPECT_EQ(run_program({STATMILL_PROGRAM, {"top", "--once", "--server", empty.url()}, {}}).said,
            "statmill: no host sends to this server yet\n");
}

}  // namespace
}  // namespace statmill
