// A connection whose client sends any bytes in any pieces. The first byte says how the answers are limited;
// then each piece has its length before it. Every answer is whole, and belongs to the next request; once the
// client has gone, so has the session, and the budget of bytes is whole.
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/descriptor.h"
#include "server/http/session.h"
#include "tests/fuzz/cost_bound.h"
#include "tests/support/manual_clock.h"

namespace statmill {
namespace {

namespace asio = boost::asio;

// Answers "n=I" where I counts the calls, and the size of the body.
std::vector<Route> routes(size_t& calls) {
  const auto count = [&calls](const Url&, std::string_view body) {
    return HttpResponse{
        200, "n=" + std::to_string(calls++) + " " + std::to_string(body.size()) + "\n", kPlainText, {}};
  };
  Route get{"GET", "/n", {}, 0, count, "n"};
  Route post{"POST", "/n", {}, 2000, count, "n"};
  return {get, post};
}

// One connection, of which the fuzzer is the client.
class Connection {
 public:
  explicit Connection(uint8_t mode) : options_(options(mode)), budget_(mode & 4 ? 3000 : 1 << 20) {
    int ends[2];
    SM_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    client_ = Descriptor(ends[0]);
    HttpSocket socket(asio::make_strand(io_), asio::generic::stream_protocol(AF_UNIX, 0), ends[1]);
    const auto session = std::make_shared<Session>(std::move(socket), std::nullopt, context_);
    session_ = session;
    session->run();
  }
  ~Connection() {
    ::shutdown(client_.get(), SHUT_WR);
    receive();
    client_.reset();
    while (io_.poll() > 0) {
    }
    SM_CHECK(session_.expired());
    SM_CHECK(budget_.reserved() == 0);
    SM_CHECK(counters_.connections.value() == 0);
    check_answers();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(std::string_view piece) {
    // The session may have closed; a client then gets an error.
    static_cast<void>(::send(client_.get(), piece.data(), piece.size(), MSG_NOSIGNAL));
    receive();
  }

 private:
  static HttpOptions options(uint8_t mode) {
    HttpOptions options;
    if (mode & 1) options.requests_max = 2;
    if (mode & 2) options.compression = HttpCompression::kAlways;
    return options;
  }
  void receive() {
    char buffer[4096];
    do {
      while (io_.poll() > 0) {
      }
      const ssize_t size = ::recv(client_.get(), buffer, sizeof buffer, 0);
      if (size > 0) received_.append(buffer, static_cast<size_t>(size));
      if (size <= 0) return;
    } while (true);
  }
  // Each answer begins a line; none of our bodies has a line that looks like it.
  void check_answers() const {
    size_t answers = 0;
    long last = -1;
    size_t begin = 0;
    while (begin < received_.size()) {
      const size_t end = std::min(received_.find('\n', begin), received_.size());
      const std::string_view line = std::string_view(received_).substr(begin, end - begin);
      answers += line.starts_with("HTTP/1.") && !line.starts_with("HTTP/1.1 100 ");
      if (line.starts_with("n=")) {
        const long n = std::strtol(line.data() + 2, nullptr, 10);
        SM_CHECK(n > last);  // one of a HEAD has no body
        last = n;
      }
      begin = end + 1;
    }
    SM_CHECK(last < static_cast<long>(calls_) && answers >= calls_);
    SM_CHECK(answers == answered());
  }
  // How many answers the session counts.
  size_t answered() const {
    size_t sum = 0;
    for (const Reading& reading : registry_.read())
      if (reading.path() == "statmill.http_requests") sum += reading.count;
    return sum;
  }

  size_t calls_ = 0;
  Registry registry_;
  ManualClock clock_;
  asio::io_context io_;
  const HttpOptions options_;
  HttpCounters counters_{registry_};
  ByteBudget budget_;
  const Router router_{routes(calls_)};
  SessionContext context_{router_, options_, clock_,  counters_, budget_, nullptr, nullptr,
                          nullptr, nullptr,  nullptr, nullptr,   nullptr, nullptr};
  Descriptor client_;
  std::weak_ptr<Session> session_;
  std::string received_;
};

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const CostBound bound(size);
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  if (rest.empty()) return 0;
  Connection connection(static_cast<uint8_t>(rest.front()));
  rest.remove_prefix(1);
  while (!rest.empty()) {
    const auto length = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    connection.send(rest.substr(0, length));
    rest.remove_prefix(std::min<size_t>(length, rest.size()));
  }
  return 0;
}
