#include "tools/statmill-bench/server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>
#include <utility>

#include "tools/statmill-bench/child_process.h"
#include "tools/statmill-bench/system_error.h"
#include "tools/statmill/answer.h"

namespace statmill {
namespace {

constexpr std::chrono::seconds kStartLimit{300};  // the recovery of a million series is one of the measures
constexpr std::chrono::seconds kAnswerLimit{30};
constexpr std::chrono::seconds kMoreLimit{60};
constexpr std::chrono::seconds kFlushLimit{300};
constexpr std::chrono::milliseconds kMetricsPollInterval{5};
constexpr unsigned kOk = 200;
constexpr std::string_view kTicks = "statmill_ticks_total";

// Returns the value of `key=` in a log line; empty if it is missing.
std::string log_value(std::string_view line, std::string_view key) {
  for (const std::string_view word : split(line, ' ')) {
    if (word.starts_with(key) && word.substr(key.size()).starts_with('='))
      return std::string(word.substr(key.size() + 1));
  }
  return {};
}

// Returns the log line that says that the server is ready. Errors: kUnavailable with its output.
Result<std::string> wait_until_ready(int pipe) {
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  std::string said;
  while (true) {
    for (const std::string_view line : split(said, '\n')) {
      if (line.find(" ready ") != std::string_view::npos && said.ends_with('\n')) return std::string(line);
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd event{pipe, POLLIN, 0};
    std::array<char, 4096> buffer;
    const bool is_late = left.count() <= 0 || ::poll(&event, 1, static_cast<int>(left.count())) == 0;
    const ssize_t n = is_late ? 0 : ::read(pipe, buffer.data(), buffer.size());
    if (n <= 0) return Error{ErrorCode::kUnavailable, "it does not come up: " + said};
    said.append(buffer.data(), static_cast<size_t>(n));
  }
}

}  // namespace

Result<ServerProcess> ServerProcess::running(ServerAddress address) {
  if (::kill(address.pid, 0) != 0)
    return system_error(ErrorCode::kIo, "process " + std::to_string(address.pid));
  ServerProcess server;
  server.address_ = std::move(address);
  if (server.address_.url.empty()) return server;
  if (Status connected = server.connect(); !connected) return connected.error();
  return server;
}

Result<ServerProcess> ServerProcess::start(const ServerCommand& command) {
  ServerProcess server;  // owns the process and its data as they are created, so that every return cleans up
  Result<ScratchDirectory> directory = ScratchDirectory::make(command.parent);
  if (!directory) return directory.error();
  server.data_.emplace(std::move(*directory));
  server.program_ = command.program;
  server.listener_ = command.listener;
  server.kind_ = command.kind;
  if (Status launched = server.launch(command.options); !launched) return launched.error();
  return server;
}

Status ServerProcess::start_again(const std::vector<std::string>& options) { return launch(options); }

Status ServerProcess::launch(const std::vector<std::string>& options) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return system_error(ErrorCode::kIo, "pipe");
  error_pipe_ = pipe[0];
  // Nobody reads the lines after the first ones; they must find room.
  static_cast<void>(::fcntl(pipe[0], F_SETPIPE_SZ, 1 << 20));
  std::vector<std::string> arguments = {"--line.listen", "127.0.0.1:0", "--http.listen", "127.0.0.1:0"};
  if (kind_ == ServerCommand::Kind::kServer)
    arguments.insert(arguments.end(), {"--store.path", store_path().string(), "--agent.listen", "127.0.0.1:0",
                                       "--agent.new_per_minute", "0"});
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Result<pid_t> pid = spawn_process(program_, std::move(arguments), {.error = pipe[1]});
  ::close(pipe[1]);
  if (!pid) return pid.error();
  address_.pid = *pid;
  const Result<std::string> ready = wait_until_ready(error_pipe_);
  if (!ready) return ready.error();
  const Result<Endpoint> line = parse_endpoint(log_value(*ready, listener_));
  if (!line) return Error(line.error()).with("ready line of " + program_.string());
  address_.line = *line;
  address_.url = "http://" + log_value(*ready, "http");
  return connect();
}

void ServerProcess::stop(int signal) {
  if (address_.pid != 0) {
    end_process(address_.pid, signal);
    address_.pid = 0;
  }
  if (error_pipe_ >= 0) ::close(std::exchange(error_pipe_, -1));
}

Status ServerProcess::connect() {
  Result<Client> client = Client::to(address_.url, kAnswerLimit);
  if (!client) return client.error();
  client_ = std::move(*client);
  return Status::ok();
}

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : program_(std::move(other.program_)),
      listener_(std::move(other.listener_)),
      kind_(other.kind_),
      address_(std::move(other.address_)),
      client_(std::move(other.client_)),
      data_(std::exchange(other.data_, std::nullopt)),
      error_pipe_(std::exchange(other.error_pipe_, -1)) {}

ServerProcess::~ServerProcess() {
  if (data_) stop(SIGTERM);
}

Endpoint ServerProcess::http() const {
  constexpr std::string_view kScheme = "http://";
  const auto endpoint = parse_endpoint(std::string_view(address_.url).substr(kScheme.size()));
  return endpoint ? *endpoint : Endpoint{};
}

Result<std::string> ServerProcess::get(std::string_view path, const UrlParameters& parameters) const {
  Result<HttpAnswer> answer = client_->get(path, parameters);
  if (!answer) return answer.error();
  if (answer->status != kOk) return Error{ErrorCode::kIo, std::string(path) + ": " + error_text(*answer)};
  return std::move(answer->body);
}

Result<double> ServerProcess::metric(std::string_view name) const {
  const Result<std::string> metrics = get("/metrics");
  if (!metrics) return metrics.error();
  const std::optional<double> found = find_metric(*metrics, name);
  if (!found) return Error{ErrorCode::kNotFound, "/metrics has no " + std::string(name)};
  return *found;
}

Result<ListenerCounts> ServerProcess::counts(std::string_view listener) const {
  const Result<std::string> metrics = get("/metrics");
  if (!metrics) return metrics.error();
  return find_listener_counts(*metrics, listener);
}

Result<ListenerCounts> ServerProcess::wait_for_received(std::string_view listener, uint64_t wanted,
                                                        Duration stall_limit) const {
  uint64_t seen = 0;
  auto last_progress = std::chrono::steady_clock::now();
  while (true) {
    Result<ListenerCounts> now = counts(listener);
    if (!now || now->received >= wanted) return now;
    if (now->received != seen) last_progress = std::chrono::steady_clock::now();
    seen = now->received;
    if (std::chrono::steady_clock::now() - last_progress > stall_limit) return now;
    std::this_thread::sleep_for(kMetricsPollInterval);  // the server has no event for a number of samples
  }
}

Status ServerProcess::wait_until_durable() const {
  // A tick is committed only if it has something to write, so each needs one more sample.
  for (int i = 0; i < 2; ++i) {
    const Result<double> before = metric(kTicks);
    if (!before) return before.error();
    if (const auto posted = client_->post("/api/v1/lines", "bench.marker 1\n"); !posted)
      return posted.error();
    if (Status s = wait_for_more(kTicks, *before); !s) return s;
  }
  return Status::ok();
}

Status ServerProcess::flush() const {
  const Result<Client> admin = Client::at_socket(admin_socket(), kFlushLimit);
  if (!admin) return admin.error();
  const Result<HttpAnswer> answer = admin->post("/admin/v1/flush", "");
  if (!answer) return answer.error();
  return answer->status == kOk ? Status::ok() : Error{ErrorCode::kIo, "flush: " + error_text(*answer)};
}

Status ServerProcess::wait_until_memory_is_returned() const {
  constexpr std::string_view kReturns = "statmill_memory_returns_total";
  const Result<double> before = metric(kReturns);
  if (!before) return before.error();
  return wait_for_more(kReturns, *before);
}

Status ServerProcess::wait_for_more(std::string_view metric_name, double than) const {
  const auto deadline = std::chrono::steady_clock::now() + kMoreLimit;
  while (std::chrono::steady_clock::now() < deadline) {
    const Result<double> now = metric(metric_name);
    if (!now) return now.error();
    if (*now > than) return Status::ok();
    std::this_thread::sleep_for(kMetricsPollInterval);  // there is no event for this either
  }
  return Error{ErrorCode::kUnavailable, std::string(metric_name) + " does not grow"};
}

std::optional<double> find_metric(std::string_view metrics, std::string_view name) {
  for (const std::string_view line : split(metrics, '\n')) {
    if (!line.starts_with(name) || !line.substr(name.size()).starts_with(' ')) continue;
    return std::strtod(std::string(line.substr(name.size())).c_str(), nullptr);
  }
  return std::nullopt;
}

Result<ListenerCounts> find_listener_counts(std::string_view metrics, std::string_view listener) {
  const std::string label = "listener=\"" + std::string(listener) + "\"";
  // The sum over the other labels.
  const auto sum = [&](std::string_view name) {
    std::optional<uint64_t> out;
    for (const std::string_view line : split(metrics, '\n')) {
      const size_t end = line.find("} ");
      if (!line.starts_with(name) || !line.substr(name.size()).starts_with('{') || end == line.npos) continue;
      if (line.substr(0, end).find(label) == line.npos) continue;
      out = out.value_or(0) +
            static_cast<uint64_t>(std::strtod(std::string(line.substr(end + 2)).c_str(), nullptr));
    }
    return out;
  };
  const auto received = sum("statmill_samples_received_total");
  if (!received) return Error{ErrorCode::kNotFound, "/metrics has no listener " + std::string(listener)};
  return ListenerCounts{
      *received, sum("statmill_samples_accepted_total").value_or(0),
      sum("statmill_samples_refused_total").value_or(0) + sum("statmill_samples_dropped_total").value_or(0),
      sum("statmill_udp_datagrams_dropped_total").value_or(0)};
}

}  // namespace statmill
