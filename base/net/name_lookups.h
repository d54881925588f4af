// NameLookups: finds the addresses of hosts in threads of its own, since getaddrinfo() may take as long as no
// name server answers, and nothing ends it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace statmill {

// Confined to the thread of the loop, except for its constructor and destructor.
class NameLookups {
 public:
  using Addresses = std::vector<boost::asio::ip::tcp::endpoint>;
  using Find = std::function<Result<Addresses>(const std::string& host, const std::string& port)>;
  using Done = std::function<void(Result<Addresses>)>;

  // Hosts that are asked for at the same time; further lookups wait.
  static constexpr size_t kThreadsMax = 8;
  // How long the destructor waits for lookups under way.
  static constexpr std::chrono::milliseconds kWaitMax{100};

  // Asks the system; the port is a number. Errors: kUnavailable.
  static Result<Addresses> find_addresses(const std::string& host, const std::string& port);

  // A lookup that is wanted until this object is destroyed, on the thread of the loop.
  class Lookup;

  // `find` is called on the threads. The loop must outlive this object.
  explicit NameLookups(boost::asio::io_context& loop, Find find = find_addresses);
  // Leaves threads whose lookups take longer than kWaitMax to the end of the process. A Lookup may be
  // destroyed later.
  ~NameLookups();
  NameLookups(const NameLookups&) = delete;
  NameLookups& operator=(const NameLookups&) = delete;

  // Calls `done` later, on the loop. Lookups of one host follow each other, so that one that hangs takes one
  // thread.
  std::unique_ptr<Lookup> start(std::string host, std::string port, Done done);

 private:
  struct Shared;
  static void run(const std::shared_ptr<Shared>& shared);

  boost::asio::io_context& loop_;
  const std::shared_ptr<Shared> shared_;
};

class NameLookups::Lookup {
 public:
  Lookup(std::shared_ptr<Shared> shared, uint64_t number, std::shared_ptr<Done> done);
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

 private:
  const std::shared_ptr<Shared> shared_;
  const uint64_t number_;
  // The function is null once it is called or unwanted. Confined to the thread of the loop.
  const std::shared_ptr<Done> done_;
};

}  // namespace statmill
