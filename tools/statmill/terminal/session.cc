#include "tools/statmill/terminal/session.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <initializer_list>
#include <new>

#include "base/check.h"

namespace statmill {
namespace {

// The alternate screen, without a cursor; and back.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view kLeave = "\x1b[0m\x1b[?25h\x1b[?1049l";

// What a handler of a fatal signal needs. Written by open() and the destructor on the one thread that has a
// session; a handler on any thread reads it.
termios user_modes{};
volatile std::sig_atomic_t is_entered = 0;
std::new_handler handler_before = nullptr;

// Async-signal-safe.
void give_back() {
  if (is_entered == 0) return;
  is_entered = 0;
  // A terminal that is gone needs nothing.
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, kLeave.data(), kLeave.size());
  ::tcsetattr(STDIN_FILENO, TCSANOW, &user_modes);
}

// SA_RESETHAND makes the second delivery of the signal end the process.
void on_fatal_signal(int number) {
  give_back();
  ::raise(number);
}

void on_failed_allocation() {
  give_back();
  if (handler_before != nullptr) handler_before();
  throw std::bad_alloc();
}

void handle_fatal_signals() {
  struct sigaction action {};
  action.sa_handler = on_fatal_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(number, &action, nullptr);
}

void default_fatal_signals() {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(number, SIG_DFL);
}

}  // namespace

Result<std::unique_ptr<TerminalSession>> TerminalSession::open() {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0)
    return Error{ErrorCode::kUnavailable, "standard input and output must be a terminal"};
  std::unique_ptr<TerminalSession> session(new TerminalSession());
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int number : {SIGWINCH, SIGCONT, SIGTSTP, SIGTERM, SIGINT, SIGHUP, SIGQUIT})
    ::sigaddset(&signals, number);
  SM_CHECK(::pthread_sigmask(SIG_BLOCK, &signals, &session->blocked_before_) == 0);
  session->signals_ = Descriptor(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  session->wakeups_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  SM_CHECK(session->signals_.is_open() && session->wakeups_.is_open());
  SM_CHECK(::tcgetattr(STDIN_FILENO, &user_modes) == 0);
  handler_before = std::set_new_handler(on_failed_allocation);
  handle_fatal_signals();
  session->enter();
  return session;
}

TerminalSession::~TerminalSession() {
  leave();
  default_fatal_signals();
  std::set_new_handler(handler_before);
  // Pending signals of this set that end the process do so now.
  ::pthread_sigmask(SIG_SETMASK, &blocked_before_, nullptr);
}

void TerminalSession::enter() const {
  termios raw = user_modes;
  ::cfmakeraw(&raw);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  is_entered = 1;
  write(kEnter);
}

void TerminalSession::leave() const { give_back(); }

TerminalEvents TerminalSession::wait(Duration timeout) {
  std::array<pollfd, 3> polled = {
      {{STDIN_FILENO, POLLIN, 0}, {signals_.get(), POLLIN, 0}, {wakeups_.get(), POLLIN, 0}}};
  TerminalEvents events;
  if (::poll(polled.data(), polled.size(), static_cast<int>(timeout.count())) <= 0) return events;
  if (polled[1].revents != 0) read_signals(events);
  if (polled[2].revents != 0) {
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t size = ::read(wakeups_.get(), &count, sizeof(count));
  }
  if (polled[0].revents != 0) {
    std::array<char, 1024> buffer{};
    const ssize_t size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size > 0) events.bytes.assign(buffer.data(), static_cast<size_t>(size));
    if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) events.is_gone = true;
  }
  return events;
}

void TerminalSession::read_signals(TerminalEvents& events) {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
    const auto number = static_cast<int>(info.ssi_signo);
    if (number == SIGTSTP) {
      events.must_suspend = true;
    } else if (number == SIGCONT) {
      enter();  // the shell has used the terminal in the meantime
      events.must_repaint = true;
    } else if (number == SIGWINCH) {
      events.must_repaint = true;
    } else {
      events.ending = number;
    }
  }
}

void TerminalSession::wake() const {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t size = ::write(wakeups_.get(), &one, sizeof(one));
}

bool TerminalSession::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t size = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(size));
  }
  return true;
}

void TerminalSession::suspend() {
  leave();
  ::raise(SIGSTOP);
  enter();
}

}  // namespace statmill
