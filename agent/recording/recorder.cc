#include "agent/recording/recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "agent/capabilities.h"
#include "agent/catalogue/family_lines.h"
#include "agent/host_name.h"
#include "base/ending_signals.h"

namespace statmill {
namespace {

constexpr mode_t kFileMode = 0640;
constexpr Duration kProgressInterval{1000};

// The fast collectors run only in the FastSampler, and what programs share stays for the agent that sends it.
AgentConfig recording_config(AgentConfig config) {
  const auto is_fast = [&](const std::string& name) {
    return std::find(config.hindsight.fast.begin(), config.hindsight.fast.end(), name) !=
           config.hindsight.fast.end();
  };
  std::erase_if(config.collectors, is_fast);
  config.http_listen.reset();
  config.hindsight.when.clear();
  config.removes_cells = false;
  return config;
}

Error write_error(const std::string& file) {
  return {ErrorCode::kIo, "write " + file + ": " + std::strerror(errno)};
}

}  // namespace

Recorder::Recorder(const AgentConfig& config, Log& log, const Clock& clock)
    : config_(recording_config(config)),
      log_(log),
      clock_(clock),
      sampler_(config_, log, clock),
      writer_(recording_head(config_), host_tags(config_.host, config_.tags),
              [this](const std::string& block) { write(block); }),
      timer_(
          loop_, [this] { return sampler_.until_next(); }, [this] { writer_.add(sampler_.collect()); }),
      fast_timer_(
          loop_, [this] { return fast_sampler_->until_next(); },
          [this] { writer_.add(fast_sampler_->collect()); }),
      progress_timer_(
          loop_, [] { return kProgressInterval; }, [this] { show_progress("\r"); }),
      deadline_(loop_) {
  if (!config_.hindsight.fast.empty()) fast_sampler_.emplace(config_, log, clock);
}

std::optional<Fault> Recorder::run() {
  if (auto error = open()) return Fault{ExitCode::kFailed, *std::move(error)};
  give_up_capabilities(log_);  // after the file is open, which may be in a directory of another user
  writer_.add({.text = family_lines(), .time = clock_.wall()});
  sampler_.collect();  // reads the first totals
  timer_.start();
  if (fast_sampler_) {
    fast_sampler_->collect();
    fast_timer_.start();
  }
  if (::isatty(STDERR_FILENO) == 1) progress_timer_.start();
  begin_ = clock_.steady();
  if (config_.record.length > Duration(0)) {
    deadline_.expires_after(config_.record.length);
    deadline_.async_wait([this](const boost::system::error_code&) { stop(); });
  }
  {
    const EndingSignals signals(log_, kSecondSignalAfter, {.stop = [this](int) { stop(); }});
    loop_.run();
    writer_.end_block();
    write(end_block());
    if (!failure_ && ::fsync(file_.get()) != 0 && errno != EINVAL)
      failure_ = write_error(config_.record.file);
  }
  if (::isatty(STDERR_FILENO) == 1) show_progress("\n");
  log_.info("recorded", {{"lines", writer_.lines()},
                         {"refused", writer_.lines_refused()},
                         {"bytes", bytes_},
                         {"file", config_.record.file}});
  if (failure_) return Fault{ExitCode::kFailed, *failure_};
  return std::nullopt;
}

std::optional<Error> Recorder::open() {
  const std::string& name = config_.record.file;
  if (name == "-") {
    if (::isatty(STDOUT_FILENO) == 1)
      return Error{ErrorCode::kInvalid, "a terminal cannot take a recording: redirect standard output"};
    file_ = Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
  } else {
    file_ = Descriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode));
  }
  if (!file_.is_open()) return Error{ErrorCode::kIo, "open " + name + ": " + std::strerror(errno)};
  return std::nullopt;
}

void Recorder::write(std::string_view bytes) {
  while (!failure_ && !bytes.empty()) {
    const ssize_t n = ::write(file_.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      failure_ = write_error(config_.record.file);
      return stop();
    }
    bytes_ += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void Recorder::show_progress(std::string_view end) {
  const auto elapsed = std::chrono::floor<std::chrono::seconds>(clock_.steady() - begin_).count();
  std::fprintf(stderr, "recording  %02lld:%02lld, %llu lines, %llu KiB%s",
               static_cast<long long>(elapsed / 60), static_cast<long long>(elapsed % 60),
               static_cast<unsigned long long>(writer_.lines()),
               static_cast<unsigned long long>(bytes_ / 1024), std::string(end).c_str());
}

}  // namespace statmill
