// Which values of Host are this server's own, without sockets; then over a connection.
#include "server/http/known_hosts.h"

#include <gtest/gtest.h>

#include "tests/server/http/http_peer.h"

namespace statmill {
namespace {

KnownHosts hosts(std::initializer_list<std::string_view> names) {
  KnownHosts out;
  for (const std::string_view name : names) EXPECT_TRUE(out.add(name)) << name;
  return out;
}

TEST(KnownHosts, KnowsAddressesLocalhostAndAddedNames) {
  const KnownHosts known = hosts({"Stats.Example.org", "nas."});
  for (const std::string_view host :
       {"localhost", "localhost:8112", "LOCALHOST.:80", "127.0.0.1", "127.0.0.1:8112", "10.0.0.7:1",
        "0.0.0.0", "[::1]", "[::1]:8112", "[fe80::1]", "[::ffff:127.0.0.1]:1", "stats.example.org",
        "STATS.example.ORG.:8112", "nas", "nas:1", "nas:"})
    EXPECT_TRUE(known.contains(host)) << host;
}

TEST(KnownHosts, RefusesEveryOtherHost) {
  const KnownHosts known = hosts({"stats.example.org"});
  for (const std::string_view host : {"",
                                      "evil.example",
                                      "evil.example:8112",
                                      "localhost.evil.example",
                                      "evil.localhost",
                                      "127.0.0.1.evil.example",
                                      "127.0.0.1.example",
                                      "xstats.example.org",
                                      "a.stats.example.org",
                                      "example.org",
                                      "stats.example.org..",
                                      "stats.example.org:evil",
                                      "::1",
                                      "[::1",
                                      "[::1]evil",
                                      "[::1]:evil",
                                      "[]",
                                      "[localhost]",
                                      "[fe80::1%eth0]",
                                      "127.1",
                                      "0x7f.0.0.1",
                                      "2130706433",
                                      "127.0.0.256",
                                      "127.0.0.1:8112:8112",
                                      ":8112",
                                      "."})
    EXPECT_FALSE(known.contains(host)) << host;
}

TEST(KnownHosts, AddRefusesWhatIsNoName) {
  for (const std::string_view name : {"", ".", "a b", "http://a", "a:80", "*", "a,b", "[::1]", "a/b"}) {
    const Status added = KnownHosts().add(name);
    ASSERT_FALSE(added) << name;
    EXPECT_EQ(added.error().message,
              "\"" + std::string(name) + "\": must be a host name, without scheme and port");
  }
  EXPECT_FALSE(KnownHosts().add(std::string(254, 'a')));
  EXPECT_TRUE(KnownHosts().add(std::string(253, 'a')));
}

class HostGuardTest : public testing::Test {
 protected:
  PeerReply ask(std::string_view request) {
    HttpPeer peer(server_.endpoint());
    peer.send(request);
    PeerReply reply = peer.receive();
    if (reply.status == 421) {
      EXPECT_TRUE(peer.sees_end());
    }
    return reply;
  }
  static KnownHosts known() { return hosts({"stats.example.org"}); }

  FakeServices fake_;
  const KnownHosts known_ = known();
  RunningServer server_{fake_, {}, 2, &known_};
};

TEST_F(HostGuardTest, ReadsAndWritesUnderAForeignNameAreMisdirected) {
  for (const std::string_view request :
       {"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET /nowhere HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET /api/v1/query?series=cpu HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET /healthz HTTP/1.0\r\nHost: evil.example\r\n\r\n",
        "POST /api/v1/lines HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n"
        "Content-Length: 4\r\n\r\na 1\n"}) {
    const PeerReply reply = ask(request);
    EXPECT_EQ(reply.status, 421) << request;
    EXPECT_EQ(reply.body,
              "{\"error\":\"the Host of the request is neither localhost, nor an address, nor in "
              "--http.hosts\",\"status\":421}\n");
  }
  EXPECT_TRUE(fake_.batches().empty());
  EXPECT_TRUE(fake_.queries().empty());
  EXPECT_EQ(fake_.reading("statmill.http_refused", "unknown_host"), 5);
  EXPECT_EQ(fake_.reading("statmill.http_requests", "421"), 5);
}

TEST_F(HostGuardTest, OwnNamesAreServed) {
  for (const std::string_view host : {"localhost:8112", "127.0.0.1", "[::1]:8112", "stats.example.org"})
    EXPECT_EQ(ask("GET /healthz HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n").status, 200) << host;
  EXPECT_EQ(ask("GET /healthz HTTP/1.0\r\n\r\n").status, 200) << "HTTP/1.0 needs no Host";
  EXPECT_EQ(ask("GET /healthz HTTP/1.1\r\n\r\n").status, 400) << "HTTP/1.1 does";
}

}  // namespace
}  // namespace statmill
