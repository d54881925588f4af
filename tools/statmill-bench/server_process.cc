// See server_process.h.
#include "tools/statmill-bench/server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <utility>

namespace statmill {
namespace {

constexpr std::chrono::seconds kStartLimit{30};
constexpr std::chrono::seconds kAnswerLimit{30};

Error system_error(std::string_view what) {
  return {ErrorCode::kIo, std::string(what) + ": " + std::strerror(errno)};
}

// The value of `key=` in a log line, or empty.
std::string log_value(std::string_view line, std::string_view key) {
  for (const std::string_view word : split(line, ' ')) {
    if (word.starts_with(key) && word.substr(key.size()).starts_with('='))
      return std::string(word.substr(key.size() + 1));
  }
  return {};
}

// Runs `program` with standard error into `error_pipe`.
Result<pid_t> spawn(const std::filesystem::path& program, std::vector<std::string> arguments,
                    int error_pipe) {
  arguments.insert(arguments.begin(), program.string());
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, error_pipe, STDERR_FILENO);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Error{ErrorCode::kUnavailable, program.string() + ": " + std::strerror(error)};
  return pid;
}

// The line in which the server says that it is ready. Errors: kUnavailable with all it said instead.
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
    if (n <= 0) return Error{ErrorCode::kUnavailable, "statmilld does not come up: " + said};
    said.append(buffer.data(), static_cast<size_t>(n));
  }
}

}  // namespace

Result<ServerProcess> ServerProcess::running(ServerAddress address) {
  if (::kill(address.pid, 0) != 0) return system_error("process " + std::to_string(address.pid));
  ServerProcess server;
  server.address_ = std::move(address);
  if (Status connected = server.connect(); !connected) return connected.error();
  return server;
}

Result<ServerProcess> ServerProcess::start(const std::filesystem::path& program) {
  ServerProcess server;  // owns what is made, as it is made: every way out stops and removes it
  std::string directory = (std::filesystem::temp_directory_path() / "statmill-bench-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) return system_error(directory);
  server.data_ = directory;
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return system_error("pipe");
  server.error_pipe_ = pipe[0];
  const Result<pid_t> pid = spawn(
      program,
      {"--store.path", directory + "/server", "--line.listen", "127.0.0.1:0", "--http.listen", "127.0.0.1:0"},
      pipe[1]);
  ::close(pipe[1]);
  if (!pid) return pid.error();
  server.address_.pid = *pid;
  const Result<std::string> ready = wait_until_ready(server.error_pipe_);
  if (!ready) return ready.error();
  const Result<Endpoint> line = parse_endpoint(log_value(*ready, "line"));
  if (!line) return Error(line.error()).with("ready line of statmilld");
  server.address_.line = *line;
  server.address_.url = "http://" + log_value(*ready, "http");
  if (Status connected = server.connect(); !connected) return connected.error();
  return server;
}

Status ServerProcess::connect() {
  Result<Client> client = Client::to(address_.url, kAnswerLimit);
  if (!client) return client.error();
  client_ = std::move(*client);
  return Status::ok();
}

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : address_(std::move(other.address_)),
      client_(std::move(other.client_)),
      data_(std::exchange(other.data_, std::filesystem::path())),
      error_pipe_(std::exchange(other.error_pipe_, -1)) {}

ServerProcess::~ServerProcess() {
  if (data_.empty()) return;
  if (address_.pid != 0) {
    ::kill(address_.pid, SIGTERM);
    ::waitpid(address_.pid, nullptr, 0);
  }
  if (error_pipe_ >= 0) ::close(error_pipe_);
  std::error_code ignored;  // what cannot be removed is no failure of a measurement
  std::filesystem::remove_all(data_, ignored);
}

Result<std::chrono::nanoseconds> ServerProcess::cpu_time() const {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(address_.pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return system_error("CPU time of process " + std::to_string(address_.pid));
  }
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Result<uint64_t> ServerProcess::resident_bytes() const {
  std::ifstream file("/proc/" + std::to_string(address_.pid) + "/statm");
  uint64_t total_pages = 0;
  uint64_t resident_pages = 0;
  if (!(file >> total_pages >> resident_pages)) {
    return system_error("memory of process " + std::to_string(address_.pid));
  }
  return resident_pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

Result<uint64_t> ServerProcess::accepted(std::string_view listener) const {
  const Result<HttpAnswer> answer = client_->get("/metrics");
  if (!answer) return answer.error();
  const std::optional<uint64_t> found = find_accepted(answer->body, listener);
  if (answer->status != 200 || !found)
    return Error{ErrorCode::kNotFound, "/metrics does not count accepted samples"};
  return *found;
}

std::optional<uint64_t> find_accepted(std::string_view metrics, std::string_view listener) {
  const std::string wanted = "statmill_samples_accepted_total{listener=\"" + std::string(listener) + "\"} ";
  for (const std::string_view line : split(metrics, '\n')) {
    if (!line.starts_with(wanted)) continue;
    const std::string text(line.substr(wanted.size()));
    return static_cast<uint64_t>(std::strtod(text.c_str(), nullptr));  // large values come with an exponent
  }
  return std::nullopt;
}

}  // namespace statmill
