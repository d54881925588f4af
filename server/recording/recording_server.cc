#include "server/recording/recording_server.h"

#include <fcntl.h>
#include <sys/stat.h>
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
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return os_error(errno).with(path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return os_error(errno).with(path);
  if (!S_ISREG(status.st_mode))
    return Error{ErrorCode::kInvalid, path + " is no regular file; copy it first"};
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

// A host whose clock was wrong for a while has moments of two times: those of the longer one count.
class LongestRun {
 public:
  void add(Timestamp at) {
    if (run_.moments == 0 || std::chrono::abs(at - last_) > kRunGapMax) run_ = {at, at, 0};
    last_ = at;
    run_.from = std::min(run_.from, at);
    run_.until = std::max(run_.until, at);
    ++run_.moments;
    if (run_.moments > longest_.moments) longest_ = run_;
  }
  bool is_empty() const { return longest_.moments == 0; }
  Timestamp from() const { return longest_.from; }
  Timestamp until() const { return longest_.until; }

 private:
  static constexpr Duration kRunGapMax = std::chrono::hours(24);
  struct Run {
    Timestamp from;
    Timestamp until;
    uint64_t moments = 0;
  };
  Run run_;
  Run longest_;
  Timestamp last_;
};

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
  // Without room for so long the memory is full: the rest is left out.
  static constexpr auto kRoomPatience = std::chrono::seconds(30);

  void run() {
    LinesAccount account;
    const Result<bool> read = for_each_block(path_, [&](const RecordingText& block) {
      if (!wait_for_room()) return false;
      add(account, server_.add_lines(block.lines));
      return !is_ending_.load(std::memory_order_relaxed);
    });
    if (!read) log_.error("recording not read to its end", {{"error", read.error().message}});
    if (is_ending_.load(std::memory_order_relaxed)) return;
    report(account);
  }

  // Returns false if the server ends, or has no room.
  bool wait_for_room() const {
    const auto deadline = std::chrono::steady_clock::now() + kRoomPatience;
    while (!server_.has_room()) {
      if (is_ending_.load(std::memory_order_relaxed)) return false;
      if (std::chrono::steady_clock::now() >= deadline) {
        log_.error("the memory is full: the rest of the recording is left out");
        return false;
      }
      std::this_thread::sleep_for(kRoomPoll);
    }
    return true;
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
    static_cast<void>(print(std::to_string(account.accepted) + " samples are loaded\n"));
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
  LongestRun moments;
  const Result<bool> complete = for_each_block(path, [&](const RecordingText& block) {
    if (summary.host.empty()) summary.host = block.head.host;
    for_each_moment(block.lines, [&](std::optional<Timestamp> at, std::string_view) {
      if (at) moments.add(*at);
    });
    return true;
  });
  if (!complete) return complete.error();
  if (moments.is_empty()) return Error{ErrorCode::kNotFound, path + " holds no samples"};
  summary.from = moments.from();
  summary.until = moments.until();
  summary.is_complete = *complete;
  return summary;
}

std::string page_of_recording(const Endpoint& http, bool uses_tls, const RecordingSummary& summary) {
  Endpoint seen = http;
  if (seen.host == "0.0.0.0") seen.host = "127.0.0.1";
  if (seen.host == "::") seen.host = "::1";
  const int64_t from = unix_seconds(summary.from);
  const int64_t until = unix_seconds(summary.until) + 1;  // the moment's second belongs to the range
  return (uses_tls ? "https://" : "http://") + seen.text() + "/#/host/" + summary.host +
         "?from=" + std::to_string(from) + "&until=" + std::to_string(until);
}

std::optional<Fault> serve_recording(ServerConfig config) {
  if (config.demo.is_on) return Fault{ExitCode::kUsage, {ErrorCode::kInvalid, "either demo or recording"}};
  const auto summary = summarize_recording(config.recording);
  if (!summary) return data_fault(summary.error());
  prepare_service();  // not before: signals end the process while a large file is read
  const StoppedClock clock(summary->until + std::chrono::seconds(1));
  Log log(config.log);
  auto directory = MemoryDirectory::make();
  if (!directory) return data_fault(directory.error());
  config.store.path = (directory->path() / "data").string();
  config.store.sync = false;
  config.admin_socket.clear();  // in that directory: the usual one is another server's
  // Series of programs, too; a rule of the settings comes first.
  const Duration finest = std::chrono::seconds(config.retention.tiers().finest().retention_s);
  const std::string seconds = format_duration(std::min<Duration>(finest, std::chrono::hours(240)));
  if (Status added = config.retention.add_rule("* 1s:" + seconds); !added)
    return Fault{ExitCode::kUsage, added.error()};
  const std::string path = config.recording;
  const bool uses_tls = !config.http_tls.certificate.empty();
  Server server(std::move(config), clock, log);
  if (auto fault = server.start()) return report(std::move(fault));
  {
    if (auto fault =
            print("The recording of " + summary->host + ", " + iso_time(unix_seconds(summary->from)) +
                  " to " + iso_time(unix_seconds(summary->until)) + ", is at\n" +
                  page_of_recording(server.ports().http, uses_tls, *summary) + "\n"))
      return fault;
    const Loading loading(path, *summary, server, log);
    server.wait_for_signal();
  }
  return report(server.stop());
}

}  // namespace statmill
