#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/check.h"

namespace statmill {
namespace {

constexpr int kPipeBytes = 1 << 20;  // the maximum for unprivileged users (pipe(7))

std::array<Descriptor, 2> make_pipe() {
  std::array<int, 2> ends{};
  SM_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
  // If the system allows no more, a smaller pipe suffices.
  [[maybe_unused]] const int size = ::fcntl(ends[0], F_SETPIPE_SZ, kPipeBytes);
  SM_CHECK(::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Returns true if a variable is a setting of statmill, or set by a service manager that runs the tests.
bool is_of_this_machine(std::string_view entry) {
  constexpr std::array<std::string_view, 4> kNames = {"STATMILL_", "NOTIFY_SOCKET=", "WATCHDOG_",
                                                      "JOURNAL_STREAM="};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return entry.starts_with(name); });
}

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> out;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string_view entry(*e);
    const bool replaced =
        std::any_of(command.environment.begin(), command.environment.end(), [&](const auto& v) {
          return entry.starts_with(v.first) && entry.substr(v.first.size()).starts_with('=');
        });
    if (!replaced && !is_of_this_machine(entry)) out.emplace_back(entry);
  }
  for (const auto& [name, value] : command.environment) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Process::Process(const Command& command) {
  // Everything is created before the fork: between fork and exec only async-signal-safe calls are allowed.
  std::vector<std::string> arguments = command.arguments;
  arguments.insert(arguments.begin(), command.program);
  std::vector<std::string> environment = environment_of(command);
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> envp = pointers_to(environment);
  const std::string complaint = "cannot run " + command.program + "\n";
  auto [out_read, out_write] = make_pipe();
  auto [err_read, err_write] = make_pipe();

  pid_ = ::fork();
  SM_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(out_write.get(), STDOUT_FILENO);
    ::dup2(err_write.get(), STDERR_FILENO);
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execvpe(argv[0], argv.data(), envp.data());
    [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, complaint.data(), complaint.size());
    ::_exit(127);
  }
  out_.pipe = std::move(out_read);
  err_.pipe = std::move(err_read);
  // Called by number, because <sys/pidfd.h> of glibc 2.36 does not link from C++.
  pidfd_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  SM_CHECK(pidfd_.is_open());
}

Process::~Process() {
  if (exit_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

std::optional<std::string> Process::wait_for_line(std::string_view part, std::chrono::seconds limit) {
  const Deadline deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    for (size_t end; (end = err_.text.find('\n', searched_)) != std::string::npos;) {
      const std::string line = err_.text.substr(searched_, end - searched_);
      searched_ = end + 1;
      if (line.find(part) != std::string::npos) return line;
    }
    if (!err_.pipe.is_open() || !pump(deadline)) return std::nullopt;
  }
}

void Process::signal(int number) const {
  SM_CHECK(!exit_);
  SM_CHECK(::kill(pid_, number) == 0);
}

void Process::signal_if_running(int number) const {
  if (!exit_) signal(number);
}

std::optional<int> Process::wait(std::chrono::seconds limit) {
  const Deadline deadline = std::chrono::steady_clock::now() + limit;
  while (!reap()) {
    if (!pump(deadline)) return std::nullopt;
  }
  // Reads the last output. Does not wait for the end of the pipe: a grandchild may hold it open.
  out_.read();
  err_.read();
  return exit_;
}

const std::string& Process::Stream::read() {
  std::array<char, 65536> buffer;
  while (pipe.is_open()) {
    const ssize_t n = ::read(pipe.get(), buffer.data(), buffer.size());
    if (n > 0) {
      text.append(buffer.data(), static_cast<size_t>(n));
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else {
      if (n == 0) pipe.reset();
      break;
    }
  }
  return text;
}

bool Process::pump(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  if (left.count() <= 0) return false;
  // poll(2) ignores descriptors of -1. The pidfd of a child that has ended stays readable: then wait for
  // output only.
  std::array<pollfd, 3> events = {pollfd{out_.pipe.get(), POLLIN, 0}, pollfd{err_.pipe.get(), POLLIN, 0},
                                  pollfd{exit_ ? -1 : pidfd_.get(), POLLIN, 0}};
  const int ready = ::poll(events.data(), events.size(), static_cast<int>(left.count()));
  if (ready == 0 || (ready < 0 && errno != EINTR)) return false;
  out_.read();
  err_.read();
  reap();
  return true;
}

bool Process::reap() {
  int status = 0;
  if (!exit_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  return exit_.has_value();
}

Ended run_program(const Command& command) {
  Process process(command);
  const int status = process.wait().value_or(Ended{}.status);
  return {status, process.standard_output(), process.standard_error()};
}

std::string log_value(std::string_view line, std::string_view key) {
  for (std::string_view word : split(line, ' ')) {
    if (word.starts_with(key) && word.substr(key.size()).starts_with('=')) {
      return std::string(word.substr(key.size() + 1));
    }
  }
  return {};
}

}  // namespace statmill
