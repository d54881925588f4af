#include "base/net/name_lookups.h"

#include <netdb.h>
#include <pthread.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <system_error>
#include <thread>
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
  size_t threads GUARDED_BY(mutex) = 0;  // each counts up to its last use of these fields
  uint64_t next GUARDED_BY(mutex) = 0;
  std::map<uint64_t, Wanted> waiting GUARDED_BY(mutex);  // by number
  std::set<std::string> asked GUARDED_BY(mutex);         // hosts that threads ask for
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
  const MutexLock lock(shared_->mutex);
  shared_->is_ending = true;
  while (shared_->threads > 0) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= left.zero()) return;  // nothing ends a call that hangs
    shared_->changed.wait_for(shared_->mutex, left);
  }
}

std::unique_ptr<NameLookups::Lookup> NameLookups::start(std::string host, std::string port, Done done) {
  const auto shared_done = std::make_shared<Done>(std::move(done));
  const MutexLock lock(shared_->mutex);
  const uint64_t number = shared_->next++;
  const bool needs_thread = shared_->threads < kThreadsMax && !shared_->asked.contains(host);
  shared_->waiting.emplace(number, Shared::Wanted{std::move(host), std::move(port), shared_done});
  auto lookup = std::make_unique<Lookup>(shared_, number, shared_done);
  if (!needs_thread) return lookup;
  try {
    std::thread([shared = shared_] { run(shared); }).detach();
    ++shared_->threads;
  } catch (const std::system_error& e) {      // no thread could be made
    if (shared_->threads > 0) return lookup;  // another one takes it
    shared_->waiting.erase(number);
    asio::post(loop_, [shared_done, error = Error{ErrorCode::kUnavailable, e.what()}] {
      if (*shared_done) std::exchange(*shared_done, nullptr)(error);
    });
  }
  return lookup;
}

// Asks for one host at a time, and for none that another thread asks for: a host that hangs takes one thread.
void NameLookups::run(const std::shared_ptr<Shared>& shared) {
  ::pthread_setname_np(::pthread_self(), "names");
  shared->mutex.lock();
  while (!shared->is_ending) {
    const auto next = std::ranges::find_if(shared->waiting, [&](const auto& waiting) {
      shared->mutex.held();
      return !shared->asked.contains(waiting.second.host);
    });
    if (next == shared->waiting.end()) break;
    const Shared::Wanted wanted = std::move(next->second);
    shared->waiting.erase(next);
    shared->asked.insert(wanted.host);
    shared->mutex.unlock();
    Result<Addresses> found = shared->find(wanted.host, wanted.port);
    shared->mutex.lock();
    shared->asked.erase(wanted.host);
    if (shared->is_ending) break;
    asio::post(shared->loop, [done = wanted.done, found = std::move(found)]() mutable {
      if (*done) std::exchange(*done, nullptr)(std::move(found));
    });
  }
  --shared->threads;
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
