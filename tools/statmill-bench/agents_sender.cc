#include "tools/statmill-bench/agents_sender.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/hash.h"
#include "base/net/tls_channel.h"
#include "proto/agent/frames.h"
#include "tools/statmill-bench/pacer.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

constexpr size_t kFleetUnacknowledged = 5;  // batches of a host, one per second

struct Part {
  std::string_view text;
  uint32_t lines = 0;
  std::string_view tags = {};
};

uint32_t count_lines(std::string_view text) {
  return static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

std::vector<Part> parts_of(std::string_view lines, size_t bytes_max) {
  std::vector<Part> out;
  while (!lines.empty()) {
    std::string_view part = lines.substr(0, bytes_max);
    part = part.substr(0, part.rfind('\n') + 1);
    out.push_back({part, count_lines(part)});
    lines.remove_prefix(part.size());
  }
  return out;
}

AgentId id_of(std::string_view host) {
  AgentId id;
  const uint64_t hash = hash_name(host);
  for (size_t i = 0; i < AgentId::kBytes; ++i)
    id.bytes[i] = static_cast<uint8_t>(hash >> (8 * (i % sizeof(hash))));
  return id;
}

// One agent's connection. Confined to one thread; every call blocks.
class Connection {
 public:
  Connection(const AgentLoad& load, asio::io_context& io) : load_(load), io_(io), socket_(io) {}

  // Waits for the server's welcome.
  Status open() {
    error_code error;
    const auto addresses =
        tcp::resolver(io_).resolve(load_.server.host, std::to_string(load_.server.port), error);
    if (!error) asio::connect(socket_, addresses, error);
    if (!error) socket_.set_option(tcp::no_delay(true), error);
    if (error) return Error{ErrorCode::kUnavailable, load_.server.text() + ": " + error.message()};
    if (load_.tls) {
      if (Status done = shake_hands(); !done) return done;
    }
    append_frame(frame_, HelloFrame{.id = id_of(load_.host),
                                    .acknowledged = {.epoch = 1},
                                    .clock = SystemClock().wall(),
                                    .host = load_.host});
    if (Status written = write(); !written) return written;
    auto frame = read();
    if (!frame) return frame.error();
    const bool is_welcome = frame->type == FrameType::kWelcome;
    unread_.erase(0, frame->bytes);
    return is_welcome ? Status::ok() : Status(Error{ErrorCode::kCorrupt, "the server does not welcome"});
  }

  Status send(const Part& part) {
    append_frame(frame_, BatchFrame{.seq = ++seq_,
                                    .lines_before = lines_,
                                    .lines = part.lines,
                                    .time = SystemClock().wall(),
                                    .tags = part.tags,
                                    .text = part.text});
    lines_ += part.lines;
    waiting_.push_back(steady_clock::now());
    return write();
  }
  // Reads the acknowledgments that have arrived, and waits until at most this many batches are
  // unacknowledged.
  Status take_acknowledgments(size_t unacknowledged_max) {
    while (waiting_.size() > unacknowledged_max || (!waiting_.empty() && has_arrived())) {
      const auto frame = read();
      if (!frame) return frame.error();
      const auto ack = frame->type == FrameType::kAck ? decode_ack(frame->payload) : std::nullopt;
      if (!ack || ack->seq > seq_) return Error{ErrorCode::kCorrupt, "the server acknowledges nothing sent"};
      const auto now = steady_clock::now();
      for (; acknowledged_ < ack->seq; ++acknowledged_, waiting_.pop_front())
        latencies_.push_back(now - waiting_.front());
      unread_.erase(0, frame->bytes);
    }
    return Status::ok();
  }
  // Reads acknowledgments until the given time, so that the time of arrival counts and not the time of a
  // later look.
  Status take_acknowledgments_until(steady_clock::time_point time) {
    for (auto now = steady_clock::now(); now < time; now = steady_clock::now()) {
      pollfd event{socket_.native_handle(), POLLIN, 0};
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - now);
      if (::poll(&event, 1, static_cast<int>(left.count())) <= 0 || waiting_.empty()) continue;
      if (Status taken = take_acknowledgments(waiting_.size()); !taken) return taken;
    }
    return Status::ok();
  }
  uint64_t lines() const { return lines_; }
  std::vector<std::chrono::nanoseconds> take_latencies() { return std::move(latencies_); }

 private:
  using State = TlsChannel::State;

  Status shake_hands() {
    error_code error;
    socket_.non_blocking(true, error);
    tls_ = std::make_unique<TlsChannel>(*load_.tls, socket_.native_handle(), load_.server.host);
    while (!error) {
      const auto outcome = tls_->handshake();
      if (outcome.state == State::kDone) return Status::ok();
      error = outcome.fault;
      if (outcome.state != State::kFailed) wait(outcome.state);
    }
    return Error{ErrorCode::kUnavailable, "TLS: " + error.message()};
  }
  void wait(State state) {
    pollfd event{socket_.native_handle(), static_cast<short>(state == State::kWaitWrite ? POLLOUT : POLLIN),
                 0};
    ::poll(&event, 1, -1);
  }
  bool has_arrived() {
    error_code error;
    return (tls_ && tls_->holds_bytes()) || socket_.available(error) > 0;
  }
  Status write() {
    error_code error;
    if (!tls_) asio::write(socket_, asio::buffer(frame_), error);
    for (std::string_view left = tls_ ? frame_ : std::string_view(); !left.empty() && !error;) {
      const auto outcome = tls_->write(left);
      left.remove_prefix(outcome.bytes);
      error = outcome.fault;
      if (outcome.state == State::kWaitRead || outcome.state == State::kWaitWrite) wait(outcome.state);
    }
    frame_.clear();
    return error ? Status(Error{ErrorCode::kIo, "send: " + error.message()}) : Status::ok();
  }
  size_t read_some(std::span<char> room, error_code& error) {
    if (!tls_) return socket_.read_some(asio::buffer(room.data(), room.size()), error);
    while (true) {
      const auto outcome = tls_->read(room);
      error = outcome.fault;
      if (outcome.state == State::kDone || outcome.state == State::kFailed) return outcome.bytes;
      wait(outcome.state);
    }
  }
  // Returns the next frame. Its bytes stay in unread_.
  Result<FrameRead> read() {
    while (true) {
      const FrameRead frame = read_frame(unread_);
      if (frame.state == FrameRead::State::kWhole) return frame;
      if (frame.state == FrameRead::State::kDamaged) return Error{ErrorCode::kCorrupt, "a damaged answer"};
      std::array<char, 4096> bytes;
      error_code error;
      const size_t size = read_some(bytes, error);
      if (error) return Error{ErrorCode::kIo, "receive: " + error.message()};
      unread_.append(bytes.data(), size);
    }
  }

  const AgentLoad& load_;
  asio::io_context& io_;
  tcp::socket socket_;
  std::unique_ptr<TlsChannel> tls_;  // null: plain TCP
  std::string frame_;
  std::string unread_;
  uint64_t seq_ = 0;
  uint64_t lines_ = 0;
  uint64_t acknowledged_ = 0;
  std::deque<steady_clock::time_point> waiting_;  // when each unacknowledged batch was sent
  std::vector<std::chrono::nanoseconds> latencies_;
};

}  // namespace

Result<Acknowledged> send_acknowledged(const AgentLoad& load, const std::string& lines) {
  const std::vector<Part> parts = parts_of(lines, load.batch_bytes);
  asio::io_context io;
  Connection connection(load, io);
  if (Status opened = connection.open(); !opened) return opened.error();
  const Pacer pacer(load.rate);
  const auto begin = steady_clock::now();
  for (size_t pass = 0; pass < load.passes; ++pass) {
    for (const Part& part : parts) {
      if (pacer.is_pacing()) {
        const auto due = begin + pacer.due(connection.lines());
        if (Status taken = connection.take_acknowledgments_until(due); !taken) return taken.error();
      }
      if (Status sent = connection.send(part); !sent) return sent.error();
      if (Status taken = connection.take_acknowledgments(load.unacknowledged_max - 1); !taken)
        return taken.error();
    }
  }
  if (Status taken = connection.take_acknowledgments(0); !taken) return taken.error();
  return Acknowledged{connection.lines(), connection.take_latencies()};
}

Result<uint64_t> send_fleet(const AgentLoad& load, const std::vector<std::string>& variants, size_t hosts,
                            std::chrono::seconds duration) {
  std::vector<Part> parts;
  for (const std::string& text : variants) parts.push_back({text, count_lines(text)});
  asio::io_context io;
  std::deque<AgentLoad> loads;  // the connections refer to them
  std::deque<std::string> tags;
  std::vector<std::unique_ptr<Connection>> connections;
  for (size_t i = 0; i < hosts; ++i) {
    loads.push_back(load);
    loads.back().host += std::to_string(i);
    tags.push_back("host=" + loads.back().host);
    connections.push_back(std::make_unique<Connection>(loads.back(), io));
    if (Status opened = connections.back()->open(); !opened) return opened.error();
  }
  const Pacer pacer(static_cast<double>(hosts));
  const auto begin = steady_clock::now();
  uint64_t lines = 0;
  for (uint64_t batch = 0; steady_clock::now() < begin + duration; ++batch) {
    const size_t host = batch % hosts;
    std::this_thread::sleep_until(begin + pacer.due(batch));
    Part part = parts[(batch / hosts + host) % parts.size()];
    part.tags = tags[host];
    if (Status sent = connections[host]->send(part); !sent) return sent.error();
    if (Status taken = connections[host]->take_acknowledgments(kFleetUnacknowledged); !taken)
      return taken.error();
    lines += part.lines;
  }
  for (const auto& connection : connections) {
    if (Status taken = connection->take_acknowledgments(0); !taken) return taken.error();
  }
  return lines;
}

Result<std::vector<std::chrono::nanoseconds>> connect_agents(const AgentLoad& load, const std::string& lines,
                                                             size_t count) {
  const std::vector<Part> parts = parts_of(lines, load.batch_bytes);
  const auto begin = steady_clock::now();
  asio::io_context io;
  std::deque<AgentLoad> loads;  // the connections refer to them
  std::vector<std::unique_ptr<Connection>> connections;
  for (size_t i = 0; i < count; ++i) {
    loads.push_back(load);
    loads.back().host += std::to_string(i);
    connections.push_back(std::make_unique<Connection>(loads.back(), io));
    if (Status opened = connections.back()->open(); !opened) return opened.error();
    if (Status sent = connections.back()->send(parts.front()); !sent) return sent.error();
  }
  std::vector<std::chrono::nanoseconds> out;
  for (const auto& connection : connections) {
    if (Status taken = connection->take_acknowledgments(0); !taken) return taken.error();
    out.push_back(steady_clock::now() - begin);
  }
  return out;
}

}  // namespace statmill
