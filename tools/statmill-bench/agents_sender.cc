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
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/hash.h"
#include "proto/agent/frames.h"
#include "tools/statmill-bench/pacer.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

struct Part {
  std::string_view text;
  uint32_t lines = 0;
};

std::vector<Part> parts_of(std::string_view lines, size_t bytes_max) {
  std::vector<Part> out;
  while (!lines.empty()) {
    std::string_view part = lines.substr(0, bytes_max);
    part = part.substr(0, part.rfind('\n') + 1);
    out.push_back({part, static_cast<uint32_t>(std::count(part.begin(), part.end(), '\n'))});
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
  explicit Connection(const AgentLoad& load) : load_(load), socket_(io_) {}

  // Waits for the server's welcome.
  Status open() {
    error_code error;
    const auto addresses =
        tcp::resolver(io_).resolve(load_.server.host, std::to_string(load_.server.port), error);
    if (!error) asio::connect(socket_, addresses, error);
    if (!error) socket_.set_option(tcp::no_delay(true), error);
    if (error) return Error{ErrorCode::kUnavailable, load_.server.text() + ": " + error.message()};
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
                                    .text = part.text});
    lines_ += part.lines;
    waiting_.push_back(steady_clock::now());
    return write();
  }
  // Reads the acknowledgments that have arrived, and waits until at most this many batches are
  // unacknowledged.
  Status take_acknowledgments(size_t unacknowledged_max) {
    error_code error;
    while (waiting_.size() > unacknowledged_max || (!waiting_.empty() && socket_.available(error) > 0)) {
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
  Status write() {
    error_code error;
    asio::write(socket_, asio::buffer(frame_), error);
    frame_.clear();
    return error ? Status(Error{ErrorCode::kIo, "send: " + error.message()}) : Status::ok();
  }
  // Returns the next frame. Its bytes stay in unread_.
  Result<FrameRead> read() {
    while (true) {
      const FrameRead frame = read_frame(unread_);
      if (frame.state == FrameRead::State::kWhole) return frame;
      if (frame.state == FrameRead::State::kDamaged) return Error{ErrorCode::kCorrupt, "a damaged answer"};
      std::array<char, 4096> bytes;
      error_code error;
      const size_t size = socket_.read_some(asio::buffer(bytes), error);
      if (error) return Error{ErrorCode::kIo, "receive: " + error.message()};
      unread_.append(bytes.data(), size);
    }
  }

  const AgentLoad& load_;
  asio::io_context io_;
  tcp::socket socket_;
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
  Connection connection(load);
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

}  // namespace statmill
