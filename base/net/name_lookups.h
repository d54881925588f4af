// NameLookups: finds the addresses of hosts in a thread of its own, since getaddrinfo() may take as long as
// no name server answers, and nothing ends it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"

namespace statmill {

// Confined to the thread of the loop, except for its constructor and destructor.
class NameLookups {
 public:
  using Addresses = std::vector<boost::asio::ip::tcp::endpoint>;
  using Find = std::function<Result<Addresses>(const std::string& host, const std::string& port)>;
  using Done = std::function<void(Result<Addresses>)>;

  // How long the destructor waits for a lookup under way.
  static constexpr std::chrono::milliseconds kWaitMax{100};

  // Asks the system; the port is a number. Errors: kUnavailable.
  static Result<Addresses> find_addresses(const std::string& host, const std::string& port);

  // A lookup that is wanted until this object is destroyed, on the thread of the loop.
  class Lookup;

  // `find` is called on the thread. The loop must outlive this object.
  explicit NameLookups(boost::asio::io_context& loop, Find find = find_addresses);
  // Leaves the thread to the end of the process if its lookup takes longer than kWaitMax. Requires: no Lookup
  // is left.
  ~NameLookups();
  NameLookups(const NameLookups&) = delete;
  NameLookups& operator=(const NameLookups&) = delete;

  // Calls `done` later, on the loop. One lookup follows the other.
  std::unique_ptr<Lookup> start(std::string host, std::string port, Done done);

 private:
  struct Shared;
  static void run(const std::shared_ptr<Shared>& shared);

  boost::asio::io_context& loop_;
  const std::shared_ptr<Shared> shared_;
  std::thread thread_;  // runs while there are lookups
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
  const std::shared_ptr<Done>
      done_;  // null once it is called or unwanted; confined to the thread of the loop
};

}  // namespace statmill
