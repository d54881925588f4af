#include "agent/delivery/server_link.h"

#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>

#include "agent/spool/memory_directory.h"
#include "tests/agent/spool/spool_words.h"
#include "tests/base/net/held_names.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class ServerLinkTest : public testing::Test {
 protected:
  std::shared_ptr<ServerLink> link_through(NameLookups& names) {
    return std::make_shared<ServerLink>(ServerLink::Services{loop_, log_, clock_, names}, delivery_,
                                        ServerLinkOptions{.server = {"server.test", 1}, .tls = nullptr},
                                        [] {});
  }

  HeldNames held_;  // waits for the threads when all else is gone
  asio::io_context loop_{1};
  Log log_{LogLevel::kError};
  SystemClock clock_;
  MemoryDirectory directory_;
  std::unique_ptr<Spool> spool_ = open_spool(directory_);
  Delivery delivery_{*spool_, {}};
};

TEST_F(ServerLinkTest, AStopWaitsForNoNameServer) {
  {
    NameLookups names(loop_, held_.find());
    const auto link = link_through(names);
    link->start();
    held_.wait_for("server.test");
    link->stop();
  }
  loop_.run();  // nothing is left
  held_.release_all();
  held_.wait_until_forgotten();
}

// The loop has the link until it is destroyed.
TEST_F(ServerLinkTest, ALookupMayBeLeftWhenTheLoopEnds) {
  NameLookups names(loop_, held_.find());
  const auto link = link_through(names);
  link->start();
  held_.wait_for("server.test");
}

TEST_F(ServerLinkTest, ConnectsToTheAddressThatIsFound) {
  tcp::acceptor server(loop_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  NameLookups names(loop_, [&](const std::string& host, const std::string&) {
    EXPECT_EQ(host, "server.test");
    return NameLookups::Addresses{server.local_endpoint()};
  });
  const auto link = link_through(names);
  link->start();
  bool is_accepted = false;
  server.async_accept([&](const boost::system::error_code& fault, const tcp::socket&) {
    EXPECT_FALSE(fault);
    is_accepted = true;
    link->stop();
  });
  while (!is_accepted) loop_.run_one();
}

}  // namespace
}  // namespace statmill
