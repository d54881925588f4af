#include "tools/statmill/interruption.h"

#include <semaphore.h>

#include <atomic>

namespace statmill {
namespace {

// Posted by the handler and by the destructor; sem_post() is one of the few functions that a handler may
// call.
sem_t wake;
std::atomic<bool> is_over{
    false};  // set by the destructor before it posts, read by the thread after it has woken

void note(int) { ::sem_post(&wake); }

}  // namespace

Interruption::Interruption() {
  ::sem_init(&wake, 0, 0);
  is_over = false;
  thread_ = std::thread([this] { wait(); });
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  is_over = true;
  ::sem_post(&wake);
  thread_.join();
  ::sem_destroy(&wake);
}

void Interruption::wait() {
  while (::sem_wait(&wake) != 0) {
  }
  if (!is_over) stop_.request_stop();
}

}  // namespace statmill
