#include "tools/statmill-bench/background_work.h"

#include <chrono>
#include <optional>
#include <utility>

#include "tools/statmill-bench/http_connection.h"
#include "tools/statmill-bench/sender.h"
#include "tools/statmill/answer.h"

namespace statmill {
namespace {

constexpr std::chrono::seconds kBeginLimit{60};
constexpr std::chrono::milliseconds kLookInterval{5};

}  // namespace

BackgroundWork::BackgroundWork(const BackgroundOptions& options) : options_(options) {
  if (options_.streams != nullptr)
    threads_.emplace_back([this](const std::stop_token& stop) { send_lines(stop); });
  if (options_.compacts)
    threads_.emplace_back([this](const std::stop_token& stop) { repeat_compaction(stop); });
  for (size_t i = 0; options_.heavy != nullptr && i < options_.heavy_connections; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { repeat_query(stop); });
}

Status BackgroundWork::wait_until_running() {
  const auto before = options_.server.counts("tcp");
  if (!before) return before.error();
  const auto deadline = std::chrono::steady_clock::now() + kBeginLimit;
  while (std::chrono::steady_clock::now() < deadline) {
    if (Status s = first_error(); !s) return s;
    const auto now = options_.server.counts("tcp");
    if (!now) return now.error();
    const bool has_queries = options_.heavy == nullptr || counts().queries >= options_.heavy_connections;
    const bool has_lines = options_.streams == nullptr || now->received > before->received;
    if (has_queries && has_lines) return Status::ok();
    std::this_thread::sleep_for(kLookInterval);  // the server has no event for these
  }
  return Error{ErrorCode::kUnavailable, "the work in the background does not begin"};
}

BackgroundCounts BackgroundWork::counts() const {
  return {queries_.load(std::memory_order_relaxed), compactions_.load(std::memory_order_relaxed)};
}

Status BackgroundWork::stop() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
  return first_error();
}

void BackgroundWork::repeat_query(const std::stop_token& stop) {
  std::optional<HttpConnection> connection;
  for (size_t n = 0; !stop.stop_requested(); ++n) {
    if (n % kRequestsPerConnection == 0) {
      auto opened = HttpConnection::open(options_.server.http());
      if (!opened) return note(opened.error());
      connection.emplace(*std::move(opened));
    }
    const auto answer = connection->get(options_.heavy->target);
    if (!answer) return note(Error(answer.error()).with("heavy query"));
    if (const Status s = options_.heavy->check(answer->body); !s)
      return note(Error(s.error()).with("heavy query"));
    queries_.fetch_add(1, std::memory_order_relaxed);
  }
}

void BackgroundWork::send_lines(const std::stop_token& stop) {
  constexpr size_t kForEver = size_t{1} << 40;  // passes
  const auto sent =
      send({.server = options_.server.address().line, .stop = stop}, *options_.streams, {.count = kForEver});
  if (!sent) note(sent.error());
}

void BackgroundWork::repeat_compaction(const std::stop_token& stop) {
  constexpr std::chrono::seconds kLimit{300};
  constexpr unsigned kOk = 200;
  const auto admin = Client::at_socket(options_.server.admin_socket(), kLimit);
  if (!admin) return note(admin.error());
  while (!stop.stop_requested()) {
    const auto answer = admin->post("/admin/v1/flush", "", {{"compact", "true"}});
    if (!answer) return note(answer.error());
    if (answer->status != kOk) return note(Error{ErrorCode::kIo, "compaction: " + error_text(*answer)});
    compactions_.fetch_add(1, std::memory_order_relaxed);
  }
}

void BackgroundWork::note(const Status& end) {
  const MutexLock lock(mutex_);
  if (first_error_) first_error_ = end;
}

Status BackgroundWork::first_error() {
  const MutexLock lock(mutex_);
  return first_error_;
}

}  // namespace statmill
