#include "agent/collectors/libbpf_log.h"

#include <bpf/libbpf.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace statmill {
namespace {

// libbpf calls one function for all its messages and passes no context, so each thread stores its listener in
// a variable. Only LibbpfLog sets it.
thread_local LibbpfLog* listener = nullptr;

int print(libbpf_print_level, const char* format, va_list arguments) {
  if (listener == nullptr) return 0;
  std::array<char, 1024> text{};
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  if (length > 0) listener->message(text.data());
  return length;
}

}  // namespace

LibbpfLog::LibbpfLog(Log& log) : log_(log) {
  listener = this;
  libbpf_set_print(print);
}

LibbpfLog::~LibbpfLog() { listener = nullptr; }

std::string LibbpfLog::pop_refused() { return std::exchange(refused_, {}); }

// libbpf reports which program the kernel refused only in a message: "libbpf: prog 'x': failed to load: -22".
void LibbpfLog::message(std::string_view text) {
  constexpr std::string_view kBefore = "prog '";
  constexpr std::string_view kAfter = "': failed to load";
  const size_t begin = text.find(kBefore);
  const size_t end = text.find(kAfter);
  if (begin != std::string_view::npos && end != std::string_view::npos && begin + kBefore.size() <= end)
    refused_ = text.substr(begin + kBefore.size(), end - begin - kBefore.size());
  if (text.ends_with('\n')) text.remove_suffix(1);
  log_.debug(text);
}

}  // namespace statmill
