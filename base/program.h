// The frame of each program's main function.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/exit_code.h"

namespace statmill {

// Runs the program with its arguments, without its own name. Returns nullopt on success.
using ProgramBody = std::function<std::optional<Fault>(std::span<const char* const> arguments)>;

// Runs `body` and returns the exit status, for main to return. A fault ends as one line on standard error,
// "NAME: MESSAGE"; nothing is printed if its message is empty. An exception, which only a library throws, is
// a fault, too. A failed allocation ends the process (base/out_of_memory.h). `name` must be a string literal.
int run_program(const char* name, int argc, const char* const* argv, const ProgramBody& body);

// Prints the line of a fault at once, and returns the fault without its message: for a program whose objects
// may take long to destroy. Call it in the body of run_program().
std::optional<Fault> report(std::optional<Fault> fault);

// Writes `text` to standard output. Returns a fault if not all of it can be written; the fault has no message
// if the reader has closed the pipe.
std::optional<Fault> print(std::string_view text);

// Prepares a program that runs until a signal ends it: blocks the ending signals (base/ending_signals.h), and
// makes a broken pipe and a file at its size limit errors of that write. Call it before any thread starts.
void prepare_service();

}  // namespace statmill
