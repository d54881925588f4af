#include "server/recording/recording_server.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "base/descriptor.h"
#include "base/program.h"
#include "base/thread.h"
#include "base/time_text.h"
#include "proto/recording/recording_reader.h"
#include "server/demo/demo_clock.h"
#include "server/demo/memory_directory.h"
#include "server/server.h"

namespace statmill {
namespace {

Error os_error(int number) { return {ErrorCode::kIo, std::generic_category().message(number)}; }

// Calls `block` with each block of the recording at `path` until it returns false, or to the end. Returns
// whether the recording is complete.
Result<bool> for_each_block(const std::string& path, const std::function<bool(const RecordingText&)>& block) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return os_error(errno).with(path);
  RecordingReader reader([&](std::span<char> room) -> Result<size_t> {
    for (;;) {
      const ssize_t bytes = ::read(file.get(), room.data(), room.size());
      if (bytes >= 0) return static_cast<size_t>(bytes);
      if (errno != EINTR) return os_error(errno);
    }
  });
  for (;;) {
    auto next = reader.next();
    if (!next) return Error(next.error()).with(path);
    if (!next->has_value()) return reader.is_complete();
    if (!block(**next)) return false;
  }
}

// Gives the samples of a recording to a server, on a thread of its own.
class Loading {
 public:
  Loading(const std::string& path, const RecordingSummary& summary, Server& server, Log& log)
      : path_(path), summary_(summary), server_(server), log_(log) {
    thread_ = Thread(log, "loading", [this] { run(); });
  }
  ~Loading() { is_ending_.store(true, std::memory_order_relaxed); }

 private:
  static constexpr auto kRoomPoll = std::chrono::milliseconds(10);

  void run() {
    LinesAccount account;
    const Result<bool> read = for_each_block(path_, [&](const RecordingText& block) {
      while (!server_.has_room()) {
        if (is_ending_.load(std::memory_order_relaxed)) return false;
        std::this_thread::sleep_for(kRoomPoll);
      }
      add(account, server_.add_lines(block.lines));
      return !is_ending_.load(std::memory_order_relaxed);
    });
    if (!read) log_.error("recording not read to its end", {{"error", read.error().message}});
    if (is_ending_.load(std::memory_order_relaxed)) return;
    report(account);
  }

  static void add(LinesAccount& sum, const LinesAccount& one) {
    sum.accepted += one.accepted;
    for (size_t i = 0; i < sum.refused.size(); ++i) sum.refused[i] += one.refused[i];
  }

  void report(const LinesAccount& account) const {
    uint64_t refused = 0;
    for (const uint64_t count : account.refused) refused += count;
    if (refused > 0) log_.warn("samples of the recording were refused", {{"samples", refused}});
    if (!summary_.is_complete) log_.warn("the end of the recording is missing");
    static_cast<void>(print("The recording of " + summary_.host + ", " +
                            iso_time(unix_seconds(summary_.from)) + " to " +
                            iso_time(unix_seconds(summary_.until)) + ", " + std::to_string(account.accepted) +
                            " samples, is at\n" + page_of_recording(server_.ports().http, summary_) + "\n"));
    log_.info("recording loaded", {{"samples", account.accepted}});
  }

  const std::string path_;
  const RecordingSummary summary_;
  Server& server_;
  Log& log_;
  // The main thread writes it and the other one reads it; it guards no other data.
  std::atomic<bool> is_ending_ = false;
  Thread thread_;
};

}  // namespace

void use_recording_defaults(std::vector<Setting>& settings) {
  const std::pair<std::string_view, std::string> defaults[] = {
      {"line.listen", "127.0.0.1:0"}, {"agent.listen", ""},
      {"http.listen", "127.0.0.1:0"}, {"store.reserve", "0"},
      {"store.cache", "16M"},         {"store.write_buffer", "8M"},
      {"query.timeout", "1m"},        {"retention.host_seconds", "10d"}};
  for (const auto& [name, value] : defaults) {
    const auto setting = std::ranges::find(settings, name, &Setting::name);
    if (setting != settings.end()) setting->default_value = value;
  }
}

Result<RecordingSummary> summarize_recording(const std::string& path) {
  RecordingSummary summary;
  bool has_moments = false;
  const Result<bool> complete = for_each_block(path, [&](const RecordingText& block) {
    if (summary.host.empty()) summary.host = block.head.host;
    for_each_moment(block.lines, [&](std::optional<Timestamp> at, std::string_view) {
      if (!at) return;
      summary.from = has_moments ? std::min(summary.from, *at) : *at;
      summary.until = has_moments ? std::max(summary.until, *at) : *at;
      has_moments = true;
    });
    return true;
  });
  if (!complete) return complete.error();
  if (!has_moments) return Error{ErrorCode::kNotFound, path + " holds no samples"};
  summary.is_complete = *complete;
  return summary;
}

std::string page_of_recording(const Endpoint& http, const RecordingSummary& summary) {
  const int64_t from = unix_seconds(summary.from);
  const int64_t until = unix_seconds(summary.until) + 1;  // the moment's second belongs to the range
  return "http://" + http.text() + "/#/host/" + summary.host + "?from=" + std::to_string(from) +
         "&until=" + std::to_string(until);
}

std::optional<Fault> serve_recording(ServerConfig config) {
  const auto summary = summarize_recording(config.recording);
  if (!summary) return data_fault(summary.error());
  const StoppedClock clock(summary->until + std::chrono::seconds(1));
  Log log(config.log);
  auto directory = MemoryDirectory::make();
  if (!directory) return data_fault(directory.error());
  config.store.path = (directory->path() / "data").string();
  config.store.sync = false;
  // Series of programs, too; a rule of the settings comes first.
  if (const Status added = config.retention.add_rule("* 1s:10d"); !added) return data_fault(added.error());
  const std::string path = config.recording;
  Server server(std::move(config), clock, log);
  if (auto fault = server.start()) return report(std::move(fault));
  {
    const Loading loading(path, *summary, server, log);
    server.wait_for_signal();
  }
  return report(server.stop());
}

}  // namespace statmill
