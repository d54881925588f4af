#include "base/program.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "base/ending_signals.h"
#include "base/journal_stream.h"
#include "base/out_of_memory.h"
#include "base/visible.h"

namespace statmill {
namespace {

const char* running_program = "";  // written before any thread starts

std::optional<Fault> run_body(const ProgramBody& body, std::span<const char* const> arguments) {
  try {
    return body(arguments);
  } catch (const std::exception& e) {  // for example when threads or descriptors run out
    return Fault{ExitCode::kFailed, {ErrorCode::kIo, e.what()}};
  }
}

}  // namespace

int run_program(const char* name, int argc, const char* const* argv, const ProgramBody& body) {
  running_program = name;
  end_when_out_of_memory(name);
  const std::span<const char* const> all(argv, static_cast<size_t>(argc));
  const std::optional<Fault> fault = report(run_body(body, all.empty() ? all : all.subspan(1)));
  return static_cast<int>(fault ? fault->code : ExitCode::kOk);
}

std::optional<Fault> report(std::optional<Fault> fault) {
  if (!fault || fault->error.message.empty()) return fault;
  const char* priority = is_journal_stream(STDERR_FILENO) ? "<3>" : "";  // an error, for journalctl -p
  std::fprintf(stderr, "%s%s: %s\n", priority, running_program, visible_lines(fault->error.message).c_str());
  fault->error.message.clear();
  return fault;
}

std::optional<Fault> print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return std::nullopt;
  if (errno == EPIPE) return Fault{ExitCode::kFailed, {}};
  return Fault{ExitCode::kFailed, {ErrorCode::kIo, std::string("cannot write: ") + std::strerror(errno)}};
}

void prepare_service() {
  block_ending_signals();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace statmill
