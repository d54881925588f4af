#include "tools/statmill-bench/bpf_agent.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "tools/statmill-bench/system_error.h"

namespace statmill {
namespace {

constexpr int kStartLimitMs = 30'000;
constexpr std::string_view kLastCollector = "collector name=programs";

}  // namespace

Result<std::unique_ptr<BpfAgent>> BpfAgent::start(const std::filesystem::path& program,
                                                  const std::string& collectors) {
  std::unique_ptr<BpfAgent> agent(new BpfAgent());
  if (Status status = agent->listen(); !status) return status.error();
  agent->server_ = std::thread([raw = agent.get()] { raw->swallow(); });
  if (Status status = agent->spawn(program, collectors); !status) return status.error();
  if (Status status = agent->wait_until_ready(); !status) return status.error();
  return agent;
}

BpfAgent::~BpfAgent() {
  if (pid_ != 0) {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  is_done_ = true;
  if (server_.joinable()) server_.join();
  if (listener_ >= 0) ::close(listener_);
  if (error_pipe_ >= 0) ::close(error_pipe_);
}

Status BpfAgent::listen() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || ::bind(listener_, any, size) != 0 || ::listen(listener_, 4) != 0 ||
      ::getsockname(listener_, any, &size) != 0)
    return system_error(ErrorCode::kUnavailable, "listener");
  port_ = ntohs(address.sin_port);
  return Status::ok();
}

Status BpfAgent::spawn(const std::filesystem::path& program, const std::string& collectors) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return system_error(ErrorCode::kUnavailable, "pipe");
  error_pipe_ = pipe[0];
  std::vector<std::string> arguments = {program.string(), "--collectors", collectors + ",programs",
                                        "--server", "127.0.0.1:" + std::to_string(port_)};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
  const int error = ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  if (error == 0) return Status::ok();
  pid_ = 0;
  return system_error(ErrorCode::kUnavailable, program.string(), error);
}

Status BpfAgent::wait_until_ready() {
  std::string said;
  while (said.find(kLastCollector) == std::string::npos) {
    pollfd event{error_pipe_, POLLIN, 0};
    std::array<char, 4096> buffer;
    const ssize_t n =
        ::poll(&event, 1, kStartLimitMs) == 1 ? ::read(error_pipe_, buffer.data(), buffer.size()) : 0;
    if (n <= 0) return Error{ErrorCode::kUnavailable, "the agent does not come up: " + said};
    said.append(buffer.data(), static_cast<size_t>(n));
  }
  if (said.find("unavailable reason=\"permission") == std::string::npos &&
      said.find("unavailable reason=\"no BTF") == std::string::npos &&
      said.find("unavailable reason=\"built without") == std::string::npos)
    return Status::ok();
  return Error{ErrorCode::kUnavailable, "no eBPF here: " + said};
}

void BpfAgent::swallow() {
  int connection = -1;
  std::array<char, 65536> buffer;
  while (!is_done_) {
    pollfd event{connection < 0 ? listener_ : connection, POLLIN, 0};
    if (::poll(&event, 1, 100) != 1) continue;
    if (connection < 0) {
      connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    } else if (::read(connection, buffer.data(), buffer.size()) <= 0) {
      ::close(connection);
      connection = -1;
    }
  }
  if (connection >= 0) ::close(connection);
}

}  // namespace statmill
