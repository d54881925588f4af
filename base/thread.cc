#include "base/thread.h"

#include <pthread.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

constexpr size_t kNameBytesMax = 15;  // TASK_COMM_LEN of Linux, without the final 0

}  // namespace

Thread::Thread(Log& log, std::string name, std::function<void()> run)
    : thread_([&log, name = std::move(name), run = std::move(run)] {
        ::pthread_setname_np(::pthread_self(), name.substr(0, kNameBytesMax).c_str());
        try {
          run();
        } catch (const std::exception& e) {
          log.error("thread failed", {{"thread", name}, {"reason", e.what()}});
          std::abort();
        }
      }) {}

void Thread::join() {
  if (thread_.joinable()) thread_.join();
}

void Thread::signal(int number) { SM_CHECK(::pthread_kill(thread_.native_handle(), number) == 0); }

}  // namespace statmill
