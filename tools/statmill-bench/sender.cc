#include "tools/statmill-bench/sender.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <string>
#include <string_view>
#include <thread>

#include "tools/statmill-bench/pacer.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::steady_clock;

constexpr size_t kWriteBytesMax = size_t{128} << 10;
constexpr size_t kDatagramsPerCall = 64;
constexpr size_t kSegmentsPerCall = 46;  // 64 KiB, less the headers that the kernel adds to each datagram

error_code last_error() { return {errno, boost::system::system_category()}; }

// Counts in blocks of a fixed size, for which the compiler compares 16 bytes at a time: 4 ns per line. A
// plain loop takes 55, and the sender would be the bottleneck.
uint64_t lines_of(std::string_view bytes) {
  constexpr size_t kBlock = 64;
  uint64_t lines = 0;
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) {
    uint8_t n = 0;
    for (size_t i = 0; i < kBlock; ++i) n = static_cast<uint8_t>(n + (bytes[i] == '\n'));
    lines += n;
  }
  return lines + static_cast<uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

// Each of these consumes lines from a cursor, up to `bytes_max`, and writes them in one call. Returns the
// number of lines; 0 at the end.

class TcpWriter {
 public:
  using Protocol = asio::ip::tcp;
  static constexpr size_t kBytesMax = kWriteBytesMax;

  explicit TcpWriter(Protocol::socket& socket) : socket_(socket) {}
  uint64_t write(StreamCursor& cursor, size_t bytes_max, error_code& error) {
    const std::string_view bytes = cursor.consume(bytes_max);
    asio::write(socket_, asio::buffer(bytes), error);
    return lines_of(bytes);
  }

 private:
  Protocol::socket& socket_;
};

class UdpWriter {
 public:
  using Protocol = asio::ip::udp;
  static constexpr size_t kBytesMax = kDatagramsPerCall * kDatagramBytesMax;

  explicit UdpWriter(Protocol::socket& socket) : socket_(socket) {}
  uint64_t write(StreamCursor& cursor, size_t bytes_max, error_code& error) {
    uint64_t lines = 0;
    unsigned n = 0;
    for (size_t bytes = 0; n < kDatagramsPerCall && bytes < bytes_max; ++n) {
      if (n > 0 && cursor.is_at_pass_end()) break;  // the next call would overwrite the times of these
      const std::string_view datagram = cursor.consume(std::min(bytes_max, kDatagramBytesMax));
      if (datagram.empty()) break;
      parts_[n] = {const_cast<char*>(datagram.data()), datagram.size()};  // sendmmsg only reads
      messages_[n].msg_hdr.msg_iov = &parts_[n];
      messages_[n].msg_hdr.msg_iovlen = 1;
      bytes += datagram.size();
      lines += lines_of(datagram);
    }
    for (unsigned sent = 0; sent < n && !error;) {
      const int more = ::sendmmsg(socket_.native_handle(), messages_.data() + sent, n - sent, 0);
      if (more < 0) error = last_error();
      sent += static_cast<unsigned>(std::max(0, more));
    }
    return lines;
  }

 private:
  Protocol::socket& socket_;
  std::array<mmsghdr, kDatagramsPerCall> messages_{};
  std::array<iovec, kDatagramsPerCall> parts_{};
};

class UdpSegmentWriter {
 public:
  using Protocol = asio::ip::udp;
  static constexpr size_t kBytesMax = kSegmentsPerCall * kDatagramBytesMax;

  explicit UdpSegmentWriter(Protocol::socket& socket) : socket_(socket) {
    const int size = kDatagramBytesMax;
    is_able_ = ::setsockopt(socket.native_handle(), SOL_UDP, UDP_SEGMENT, &size, sizeof size) == 0;
    if (!is_able_) why_not_ = last_error();
  }
  uint64_t write(StreamCursor& cursor, size_t bytes_max, error_code& error) {
    error = why_not_;
    uint64_t lines = 0;
    joined_.clear();
    for (size_t n = 0; is_able_ && n < kSegmentsPerCall && joined_.size() < bytes_max; ++n) {
      const std::string_view datagram = cursor.consume(kDatagramBytesMax);
      if (datagram.empty()) break;
      joined_.append(datagram);
      joined_.resize((n + 1) * kDatagramBytesMax, '\n');
      lines += lines_of(datagram);
    }
    if (!joined_.empty()) socket_.send(asio::buffer(joined_), 0, error);
    return lines;
  }

 private:
  Protocol::socket& socket_;
  bool is_able_ = false;
  error_code why_not_;
  std::string joined_;
};

struct StreamPlan {
  Passes passes;
  Pacer pacer;
  std::stop_token stop;
};

// Sends one stream.
template <class Writer>
Sent send_stream(Writer writer, Stream& stream, const StreamPlan& plan, error_code& error) {
  const double line_bytes =
      static_cast<double>(stream.bytes.size()) / static_cast<double>(std::max<size_t>(1, stream.samples));
  const size_t bytes_max = plan.pacer.burst_bytes(line_bytes, Writer::kBytesMax);
  StreamCursor cursor(stream, plan.passes);
  Sent sent;
  const auto begin = steady_clock::now();
  while (!plan.stop.stop_requested()) {
    const auto before = steady_clock::now();
    const uint64_t lines = writer.write(cursor, bytes_max, error);
    if (lines == 0 || error) break;
    const std::chrono::nanoseconds taken = steady_clock::now() - before;
    sent.longest_write = std::max(sent.longest_write, taken);
    if (taken > kSlowWrite) ++sent.slow_writes;
    sent.samples += lines;
    if (plan.pacer.is_pacing()) std::this_thread::sleep_until(begin + plan.pacer.due(sent.samples));
  }
  return sent;
}

template <class Writer>
Result<Sent> send_each(const SendOptions& options, std::vector<Stream>& streams, const Passes& passes) {
  using Protocol = typename Writer::Protocol;
  const std::string peer = options.server.text();
  asio::io_context context;
  error_code error;
  const auto addresses = typename Protocol::resolver(context).resolve(
      options.server.host, std::to_string(options.server.port), error);
  if (error) return Error{ErrorCode::kUnavailable, peer + ": " + error.message()};
  std::vector<typename Protocol::socket> sockets;
  size_t samples = 0;
  for (const Stream& stream : streams) {
    asio::connect(sockets.emplace_back(context), addresses, error);
    if (!error && options.buffer_bytes != 0)
      sockets.back().set_option(asio::socket_base::send_buffer_size(options.buffer_bytes), error);
    if (error) return Error{ErrorCode::kUnavailable, "connect to " + peer + ": " + error.message()};
    samples += stream.samples;
  }
  std::vector<error_code> errors(streams.size());
  std::vector<Sent> sent(streams.size());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < streams.size(); ++i) {
      const double share =
          static_cast<double>(streams[i].samples) / static_cast<double>(std::max<size_t>(1, samples));
      const StreamPlan plan{passes, Pacer(static_cast<double>(options.rate) * share), options.stop};
      threads.emplace_back(
          [&, i, plan] { sent[i] = send_stream(Writer(sockets[i]), streams[i], plan, errors[i]); });
    }
  }
  Sent all;
  for (size_t i = 0; i < streams.size(); ++i) {
    if (errors[i]) return Error{ErrorCode::kIo, "send to " + peer + ": " + errors[i].message()};
    all.samples += sent[i].samples;
    all.longest_write = std::max(all.longest_write, sent[i].longest_write);
    all.slow_writes += sent[i].slow_writes;
  }
  return all;
}

}  // namespace

Result<Sent> send(const SendOptions& options, std::vector<Stream>& streams, const Passes& passes) {
  switch (options.transport) {
    case Transport::kTcp:
      return send_each<TcpWriter>(options, streams, passes);
    case Transport::kUdp:
      return send_each<UdpWriter>(options, streams, passes);
    case Transport::kUdpGso:
      return send_each<UdpSegmentWriter>(options, streams, passes);
  }
  return Sent{};
}

}  // namespace statmill
