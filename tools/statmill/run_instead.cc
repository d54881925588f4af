#include "tools/statmill/run_instead.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace statmill {

Outcome run_instead(const std::string& program, std::vector<std::string> arguments, const std::string& what) {
  std::error_code unknown;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string next_to_us = own.parent_path() / program;
  arguments.insert(arguments.begin(), program);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  if (!unknown) ::execv(next_to_us.c_str(), pointers.data());
  ::execvp(program.c_str(), pointers.data());
  return {.code = ExitCode::kFailed,
          .messages = "statmill: cannot run " + program + ", " + what + ": " + std::strerror(errno) + "\n"};
}

}  // namespace statmill
