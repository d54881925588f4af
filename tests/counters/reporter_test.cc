#include "statmill/reporter.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "counters/report_lines.h"

namespace statmill {
namespace {

class Socket {
 public:
  // Binds to the given port of 127.0.0.1; 0 means any.
  explicit Socket(int type, uint16_t port = 0) : descriptor_(::socket(AF_INET, type, 0)) {
    const int on = 1;
    ::setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const timeval patience{10, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    if (type == SOCK_STREAM) {
      EXPECT_EQ(::listen(descriptor_, 8), 0);
    }
    socklen_t size = sizeof address;
    EXPECT_EQ(::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { ::close(descriptor_); }

  std::string address(const std::string& scheme) const {
    return scheme + ":127.0.0.1:" + std::to_string(port_);
  }
  uint16_t port() const { return port_; }
  int get() const { return descriptor_; }
  std::string receive() const { return receive_from(descriptor_); }
  static std::string receive_from(int descriptor) {
    std::string bytes(65536, '\0');
    const ssize_t n = ::recv(descriptor, bytes.data(), bytes.size(), 0);
    bytes.resize(n < 0 ? 0 : static_cast<size_t>(n));
    return bytes;
  }

 private:
  int descriptor_;
  uint16_t port_ = 0;
};

std::unique_ptr<Reporter> start(const std::string& address, Registry& registry) {
  std::string error;
  auto reporter =
      Reporter::start({.address = address, .interval = std::chrono::hours(1), .registry = &registry}, error);
  EXPECT_NE(reporter, nullptr) << error;
  return reporter;
}

TEST(ReportLines, CountersAreSentAsIncrements) {
  Registry registry;
  ReportLines lines;
  Counter& counter = registry.counter("a.b", "", {{"k", "v"}});
  registry.gauge("level", "").set(-5);
  EXPECT_EQ(lines.make(registry.read()), "*a.b;k=v 0\nlevel -5\n")
      << "a new counter is reported even if it is zero";
  EXPECT_EQ(lines.sent(20), 2u);
  EXPECT_EQ(lines.make(registry.read()), "level -5\n");
  counter.add(7);
  EXPECT_EQ(lines.make(registry.read()), "*a.b;k=v 7\nlevel -5\n");
  EXPECT_EQ(lines.sent(5), 0u) << "a partial line does not count";
  counter.add(1);
  EXPECT_EQ(lines.make(registry.read()), "*a.b;k=v 8\nlevel -5\n");
  EXPECT_EQ(lines.sent(11), 1u);
  EXPECT_EQ(lines.make(registry.read()), "level -5\n");
}

TEST(ReportLines, RecreatedCounterCountsFromZero) {
  Registry registry;
  ReportLines lines;
  for (const char* line : {"*a 100\n", "*a 30\n"}) {
    Counter counter("a", "", &registry);
    counter.add(std::string(line) == "*a 30\n" ? 30 : 100);
    EXPECT_EQ(lines.make(registry.read()), line);
    lines.sent(std::string(line).size());
  }
}

TEST(ReportLines, IntegerLevelsAreDecimals) {
  Registry registry;
  registry.gauge("a", "").set(1'000'000'000);
  ReportLines lines;
  EXPECT_EQ(lines.make(registry.read()), "a 1000000000\n");
}

TEST(ReportLines, AnExemplarFollowsItsHistogramAndIsOneLine) {
  Registry registry;
  ReportLines lines;
  Histogram<>& plain = registry.histogram("a.b_us", "", {{"k", "V^"}});
  Histogram<>& odd = registry.histogram("a b", "");
  plain.record_with(7, "trace_id=4bf9\n*evil 1");
  odd.record_with(7, "trace_id=4bf9");
  const std::string text(lines.make(registry.read(Maxima::kReset)));
  const size_t at = text.find("$x a.b_us;k=V^ 1");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_GT(at, text.find(" h5 7 7:1\n"));
  EXPECT_NE(text.find(" 7 trace_id=4bf9 *evil 1\n", at), std::string::npos) << text;
  EXPECT_EQ(text.find("$x", at + 1), std::string::npos) << "an exact line has no blank in its name";
  EXPECT_EQ(lines.sent(text.size()), 3u);
  EXPECT_EQ(lines.make(registry.read(Maxima::kReset)), "") << "it is sent once";
}

TEST(ReportLines, AnExemplarThatStaysIsSentOnce) {
  Reading reading;
  reading.name = "a.b_us";
  reading.type = Reading::Type::kHistogram;
  reading.exemplar = {7, 1'700'000'000'000, "trace_id=a"};
  ReportLines lines;
  const std::string text(lines.make({reading}));
  EXPECT_EQ(text, "$x a.b_us 1700000000000 7 trace_id=a\n");
  EXPECT_EQ(lines.make({reading}), text) << "it was not sent";
  EXPECT_EQ(lines.sent(text.size()), 1u);
  EXPECT_EQ(lines.make({reading}), "");
  reading.exemplar->time_ms += 10'000;
  EXPECT_EQ(lines.make({reading}), "$x a.b_us 1700000010000 7 trace_id=a\n");
}

TEST(ReportLines, AreSplitAtLineEnds) {
  Registry registry;
  registry.gauge("a", "").set(1);
  registry.gauge("b", "").set(22);
  registry.gauge("c", "").set(3);
  ReportLines lines;
  ASSERT_EQ(lines.make(registry.read()), "a 1\nb 22\nc 3\n");
  EXPECT_EQ(lines.end_of_lines(0, 4), 4u);
  EXPECT_EQ(lines.end_of_lines(0, 8), 4u);
  EXPECT_EQ(lines.end_of_lines(0, 9), 9u);
  EXPECT_EQ(lines.end_of_lines(4, 3), 9u) << "a longer line is returned whole";
  EXPECT_EQ(lines.end_of_lines(4, 100), 13u);
  EXPECT_EQ(lines.end_of_lines(13, 100), 13u);
}

TEST(ReportLines, NewCounterIsReportedUntilItIsSent) {
  Registry registry;
  Counter counter("requests", "", &registry);
  ReportLines lines;
  EXPECT_EQ(lines.make(registry.read()), "*requests 0\n");
  EXPECT_EQ(lines.make(registry.read()), "*requests 0\n");
  lines.sent(std::string::npos);
  EXPECT_EQ(lines.make(registry.read()), "");
}

TEST(ReportLines, InstancesOfANameCountSeparately) {
  Reading one;
  one.name = "requests";
  one.type = Reading::Type::kCounter;
  one.count = 5;
  one.instance = 1;
  Reading two = one;
  two.count = 3;
  two.instance = 2;
  ReportLines lines;
  EXPECT_EQ(lines.make({one, two}), "*requests 5\n*requests 3\n");
  lines.sent(std::string::npos);
  two.count = 4;
  EXPECT_EQ(lines.make({one, two}), "*requests 1\n") << "the other is not mistaken for a recreated one";
}

TEST(ReportLines, TellUnitAndHelpOfAFamilyOnce) {
  Registry registry;
  registry.counter("a.b", {"Amounts.", "bytes"}, {{"k", "v"}});
  registry.counter("a.b", "Others.", {{"k", "w"}});
  registry.gauge("level", "Level\nnow.").set(1);
  registry.histogram("sizes", {"", "bytes"});
  ReportLines lines;
  const std::string families = "$m e a.b bytes Amounts.\n$m g level - Level now.\n$m d sizes bytes \n";
  EXPECT_EQ(lines.make(registry.read()), families + "*a.b;k=v 0\n*a.b;k=w 0\nlevel 1\n");
  EXPECT_EQ(lines.make(registry.read()), families + "*a.b;k=v 0\n*a.b;k=w 0\nlevel 1\n") << "none was sent";
  lines.sent(families.find("$m d"));
  EXPECT_EQ(lines.make(registry.read()), "$m d sizes bytes \n*a.b;k=v 0\n*a.b;k=w 0\nlevel 1\n");
  EXPECT_EQ(lines.sent(std::string::npos), 4U);
  EXPECT_EQ(lines.make(registry.read()), "level 1\n");
  registry.gauge("new", "New.").set(2);
  EXPECT_EQ(lines.make(registry.read()), "$m g new - New.\nlevel 1\nnew 2\n");
}

TEST(ReportLines, TellFamiliesAgainEveryHour) {
  Registry registry;
  registry.gauge("level", "Level.").set(1);
  ReportLines lines;
  const auto report = [&](std::chrono::minutes now) {
    lines.resend_families_hourly(now);
    const std::string text(lines.make(registry.read()));
    lines.sent(std::string::npos);
    return text;
  };
  EXPECT_EQ(report(std::chrono::minutes(5)), "$m g level - Level.\nlevel 1\n");
  EXPECT_EQ(report(std::chrono::minutes(64)), "level 1\n");
  EXPECT_EQ(report(std::chrono::minutes(65)), "$m g level - Level.\nlevel 1\n");
  EXPECT_EQ(report(std::chrono::minutes(66)), "level 1\n");
}

TEST(ReportLines, TellNothingOfAGaugeWithoutAValue) {
  Registry registry;
  double level = std::numeric_limits<double>::quiet_NaN();
  registry.gauge_fn("level", "Level.", {}, [&] { return level; });
  ReportLines lines;
  EXPECT_EQ(lines.make(registry.read()), "");
  level = 1;
  EXPECT_EQ(lines.make(registry.read()), "$m g level - Level.\nlevel 1\n");
}

TEST(ReportLines, CutALongHelpBetweenCharacters) {
  Reading reading;
  reading.name = "level";
  const std::string help = std::string(1023, 'a') + "\xc3\xa4";
  reading.help = help;
  ReportLines lines;
  EXPECT_EQ(lines.make({reading}), "$m g level - " + std::string(1023, 'a') + "\nlevel 0\n");
}

TEST(ReportLines, SpellNamesSoThatEveryPortStoresThem) {
  Registry registry;
  registry.counter("Web/Hits^a", "", {{"name", "x y"}}).add(1);
  registry.gauge("#depth", "").set(2);
  registry.gauge("Queue", "").set(3);
  registry.histogram("\xc3\xa4", "").record(1);
  ReportLines lines;
  EXPECT_EQ(lines.make(registry.read()),
            "*^%57eb%2F%48its%5Ea;%6Eame=x%20y 1\n^#depth 2\n^%51ueue 3\n%^%C3%A4 h5 1 1:1\n");
  lines.sent(std::string::npos);
  EXPECT_EQ(lines.make(registry.read()), "^#depth 2\n^%51ueue 3\n") << "what was sent is remembered";
}

TEST(ReportLines, OmitsValuesThatLinesCannotExpress) {
  Registry registry;
  registry.gauge_fn("none", "", {}, [] { return std::numeric_limits<double>::quiet_NaN(); });
  registry.gauge_fn("half", "", {}, [] { return 0.5; });
  registry.max_gauge("highest", "").record(9);
  ReportLines lines;
  EXPECT_EQ(lines.make(registry.read(Maxima::kReset)), "half 0.5\nhighest 9\n");
  EXPECT_EQ(lines.make(registry.read(Maxima::kReset)), "half 0.5\n");
}

TEST(Reporter, SendsDatagramsOfCompleteLines) {
  Registry registry;
  for (int i = 0; i < 200; ++i)
    registry.counter("some.counter." + std::to_string(i), "").add(static_cast<uint64_t>(i));
  const Socket server(SOCK_DGRAM);
  const auto reporter = start(server.address("udp"), registry);
  ASSERT_TRUE(reporter->report());
  std::string all;
  size_t datagrams = 0;
  for (; all.find("some.counter.199 ") == std::string::npos; ++datagrams) {
    const std::string bytes = server.receive();
    ASSERT_FALSE(bytes.empty());
    EXPECT_LE(bytes.size(), 1400u);
    EXPECT_EQ(bytes.back(), '\n');
    all += bytes;
  }
  EXPECT_GE(datagrams, 2u);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 200);
  EXPECT_EQ(reporter->stats().lines, 200u);
}

TEST(Reporter, SendsALastReportOnDestruction) {
  Registry registry;
  const Socket server(SOCK_DGRAM);
  {
    const auto reporter = start(server.address("udp"), registry);
    registry.counter("late", "").add(3);
  }
  EXPECT_EQ(server.receive(), "*late 3\n");
}

TEST(Reporter, UnsentCountsAreInTheNextReport) {
  Registry registry;
  Counter& counter = registry.counter("c", "");
  auto server = std::make_unique<Socket>(SOCK_STREAM);
  const uint16_t port = server->port();
  const auto reporter = start(server->address("tcp"), registry);
  counter.add(1);
  ASSERT_TRUE(reporter->report());
  int connection = ::accept(server->get(), nullptr, nullptr);
  EXPECT_EQ(Socket::receive_from(connection), "*c 1\n");
  ::close(connection);
  server.reset();
  counter.add(2);
  EXPECT_FALSE(reporter->report());
  counter.add(4);
  EXPECT_FALSE(reporter->report());
  EXPECT_EQ(reporter->stats().failures, 2u);
  server = std::make_unique<Socket>(SOCK_STREAM, port);
  counter.add(8);
  ASSERT_TRUE(reporter->report());
  connection = ::accept(server->get(), nullptr, nullptr);
  EXPECT_EQ(Socket::receive_from(connection), "*c 14\n");
  ::close(connection);
}

TEST(Reporter, SendsToUnixDatagramSockets) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("reporter_test." + std::to_string(::getpid()))).string();
  const int server = ::socket(AF_UNIX, SOCK_DGRAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  Registry registry;
  registry.gauge("g", "").set(1);
  {
    const auto reporter = start("unix:" + path, registry);
    EXPECT_TRUE(reporter->report());
  }
  EXPECT_EQ(Socket::receive_from(server), "g 1\n");
  ::close(server);
  std::filesystem::remove(path);
}

TEST(Reporter, ReportsAtItsInterval) {
  Registry registry;
  registry.gauge("g", "").set(1);
  const Socket server(SOCK_DGRAM);
  std::string error;
  const auto reporter = Reporter::start(
      {.address = server.address("udp"), .interval = std::chrono::milliseconds(10), .registry = &registry},
      error);
  ASSERT_NE(reporter, nullptr) << error;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(server.receive(), "g 1\n");
}

TEST(Reporter, ReportsInvalidOptions) {
  std::string error;
  for (const char* address :
       {"", "udp", "udp:", "udp:host", "udp::1", "http:127.0.0.1:1", "unix:", "tcp:host:"}) {
    error.clear();
    EXPECT_EQ(Reporter::start({.address = address}, error), nullptr) << address;
    EXPECT_NE(error.find("address"), std::string::npos) << address;
  }
  EXPECT_EQ(Reporter::start({.interval = std::chrono::milliseconds(1)}, error), nullptr);
  EXPECT_NE(error.find("interval"), std::string::npos);
}

}  // namespace
}  // namespace statmill
