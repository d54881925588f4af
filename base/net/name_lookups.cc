#include "base/net/name_lookups.h"

#include <netdb.h>
#include <pthread.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>
#include <utility>

#include "base/mutex.h"

namespace statmill {

namespace asio = boost::asio;

struct NameLookups::Shared {
  struct Wanted {
    std::string host;
    std::string port;
    std::shared_ptr<Done> done;
  };

  Shared(asio::io_context& io, Find function) : loop(io), find(std::move(function)) {}

  asio::io_context& loop;  // gone once is_ending
  const Find find;
  Mutex mutex;
  Condition changed;
  bool is_ending GUARDED_BY(mutex) = false;
  bool is_running GUARDED_BY(mutex) = false;  // the thread, up to its last use of these fields
  uint64_t next GUARDED_BY(mutex) = 0;
  std::map<uint64_t, Wanted> waiting GUARDED_BY(mutex);  // by number
};

Result<NameLookups::Addresses> NameLookups::find_addresses(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int fault = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (fault != 0)
    return Error{ErrorCode::kUnavailable, fault == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(fault)};
  Addresses out;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    asio::ip::tcp::endpoint& address = out.emplace_back();
    address.resize(one->ai_addrlen);
    std::memcpy(address.data(), one->ai_addr, one->ai_addrlen);
  }
  ::freeaddrinfo(found);
  return out;
}

NameLookups::NameLookups(asio::io_context& loop, Find find)
    : loop_(loop), shared_(std::make_shared<Shared>(loop, std::move(find))) {}

NameLookups::~NameLookups() {
  const auto end = std::chrono::steady_clock::now() + kWaitMax;
  bool is_running = true;
  {
    const MutexLock lock(shared_->mutex);
    shared_->is_ending = true;
    while (shared_->is_running) {
      const auto left = end - std::chrono::steady_clock::now();
      if (left <= left.zero()) break;
      shared_->changed.wait_for(shared_->mutex, left);
    }
    is_running = shared_->is_running;
  }
  if (!thread_.joinable()) return;
  is_running ? thread_.detach() : thread_.join();  // nothing else ends a call that hangs
}

std::unique_ptr<NameLookups::Lookup> NameLookups::start(std::string host, std::string port, Done done) {
  const auto shared_done = std::make_shared<Done>(std::move(done));
  uint64_t number = 0;
  bool is_running = false;
  {
    const MutexLock lock(shared_->mutex);
    number = shared_->next++;
    shared_->waiting.emplace(number, Shared::Wanted{std::move(host), std::move(port), shared_done});
    is_running = std::exchange(shared_->is_running, true);
  }
  auto lookup = std::make_unique<Lookup>(shared_, number, shared_done);
  if (is_running) return lookup;
  if (thread_.joinable()) thread_.join();  // it has ended
  try {
    thread_ = std::thread([shared = shared_] { run(shared); });
  } catch (const std::system_error& e) {  // no thread could be made
    const MutexLock lock(shared_->mutex);
    shared_->is_running = false;
    shared_->waiting.erase(number);
    asio::post(loop_, [shared_done, error = Error{ErrorCode::kUnavailable, e.what()}] {
      if (*shared_done) std::exchange(*shared_done, nullptr)(error);
    });
  }
  return lookup;
}

void NameLookups::run(const std::shared_ptr<Shared>& shared) {
  ::pthread_setname_np(::pthread_self(), "names");
  shared->mutex.lock();
  while (!shared->is_ending && !shared->waiting.empty()) {
    const Shared::Wanted wanted = std::move(shared->waiting.extract(shared->waiting.begin()).mapped());
    shared->mutex.unlock();
    Result<Addresses> found = shared->find(wanted.host, wanted.port);
    shared->mutex.lock();
    if (shared->is_ending) break;
    asio::post(shared->loop, [done = wanted.done, found = std::move(found)]() mutable {
      if (*done) std::exchange(*done, nullptr)(std::move(found));
    });
  }
  shared->is_running = false;
  shared->changed.notify_all();
  shared->mutex.unlock();
}

NameLookups::Lookup::Lookup(std::shared_ptr<Shared> shared, uint64_t number, std::shared_ptr<Done> done)
    : shared_(std::move(shared)), number_(number), done_(std::move(done)) {}

NameLookups::Lookup::~Lookup() {
  *done_ = nullptr;
  const MutexLock lock(shared_->mutex);
  shared_->waiting.erase(number_);
}

}  // namespace statmill
