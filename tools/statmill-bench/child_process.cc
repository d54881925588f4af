#include "tools/statmill-bench/child_process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tools/statmill-bench/system_error.h"

namespace statmill {

Result<pid_t> spawn_process(const std::filesystem::path& program, std::vector<std::string> arguments,
                            const ChildStreams& streams) {
  arguments.insert(arguments.begin(), program.string());
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (streams.output >= 0) ::posix_spawn_file_actions_adddup2(&actions, streams.output, STDOUT_FILENO);
  if (streams.error >= 0) ::posix_spawn_file_actions_adddup2(&actions, streams.error, STDERR_FILENO);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return system_error(ErrorCode::kUnavailable, program.string(), error);
  return pid;
}

int end_process(pid_t pid, int signal) {
  ::kill(pid, signal);
  return wait_for_process(pid);
}

int wait_for_process(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool is_process_running(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

}  // namespace statmill
