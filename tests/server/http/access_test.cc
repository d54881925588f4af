// Who may do what: the token file, and requests with and without tokens.
#include "server/http/access.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/server/http/http_peer.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

class AccessTest : public testing::Test {
 protected:
  // SHA-256 of "abc" (FIPS 180-2, B.1) and of "a".
  static constexpr std::string_view kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  static constexpr std::string_view kA = "CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB";

  std::string write(const std::string& text, mode_t mode = 0600) {
    const std::string path = directory_.write("tokens", text).string();
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  std::string error(const std::string& text, mode_t mode = 0600) {
    const std::string path = write(text, mode);
    const auto access = Access::from_file(path);
    if (access) return "";
    EXPECT_TRUE(access.error().message.starts_with("http.tokens " + path)) << access.error().message;
    return access.error().message.substr(12 + path.size());
  }
  static std::string line(std::string_view role, std::string_view hash) {
    return std::string(role) + " " + std::string(hash) + "\n";
  }

  TempDirectory directory_;
};

TEST_F(AccessTest, RolesComeFromTokens) {
  const auto access = Access::from_file(
      write("# people\n\n" + line("read", kAbc) + "  write\t" + std::string(kA) + " the deploy script\r\n"));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_TRUE(access->has_tokens());
  EXPECT_FALSE(access->has_admin());
  for (const bool is_local : {true, false}) {
    EXPECT_EQ(access->granted("Bearer abc", is_local).role, Role::kRead);
    EXPECT_EQ(access->granted("bearer  abc ", is_local).role, Role::kRead);
    EXPECT_EQ(access->granted("Bearer a", is_local).role, Role::kWrite);
    for (const std::string_view other : {"", "Bearer", "Bearer ", "Bearer ab", "Bearer abcd", "Basic abc",
                                         "abc", "Bearerabc", "Bearer x abc"})
      EXPECT_EQ(access->granted(other, is_local).role, Role::kNone) << other;
  }
}

TEST_F(AccessTest, ATokenComesInTheFormsOfInfluxToo) {
  const auto access = Access::from_file(write(line("read", kAbc) + line("write", kA)));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->granted("Token abc", false).role, Role::kRead);
  EXPECT_EQ(access->granted("token  a ", false).role, Role::kWrite);
  // The base64 of telegraf:a, :a, telegraf:abc and a:b:abc.
  EXPECT_EQ(access->granted("Basic dGVsZWdyYWY6YQ==", false).role, Role::kWrite);
  EXPECT_EQ(access->granted("basic OmE=", false).role, Role::kWrite) << "without a user";
  EXPECT_EQ(access->granted("Basic dGVsZWdyYWY6YWJj", false).role, Role::kRead);
  EXPECT_EQ(access->granted("Basic YTpiOmFiYw==", false).role, Role::kNone) << "the password is b:abc";
  for (const std::string_view none :
       {"Token", "Token ", "Token x", "Basic", "Basic ", "Basic a", "Basic YQ==", "Basic !!!!",
        "Basic dGVsZWdyYWY6", "Digest dGVsZWdyYWY6YQ=="})
    EXPECT_EQ(access->granted(none, false).role, Role::kNone) << none;
}

TEST_F(AccessTest, TheWordsOfATokenSayWhoseItIs) {
  const auto access = Access::from_file(write("write " + std::string(kA) + "   the deploy\tscript \n" +
                                              line("read", std::string(kAbc) + " " + std::string(100, 'x'))));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->granted("Bearer a", true), (Grant{Role::kWrite, "the deploy?script"}));
  EXPECT_EQ(access->granted("Bearer abc", true), (Grant{Role::kRead, std::string(64, 'x')}));
  EXPECT_EQ(access->granted("", true), Grant{});
}

TEST_F(AccessTest, ATokenWithTwoRolesHasTheHigherOne) {
  const auto access = Access::from_file(write(line("admin", kAbc) + line("read", kAbc)));
  ASSERT_TRUE(access);
  EXPECT_EQ(access->granted("Bearer abc", false).role, Role::kAdmin);
  EXPECT_TRUE(access->has_admin());
}

TEST_F(AccessTest, WithoutTokensClientsOfThisHostMayWrite) {
  const Access access;
  EXPECT_FALSE(access.has_tokens());
  EXPECT_EQ(access.granted("", true).role, Role::kWrite);
  EXPECT_EQ(access.granted("Bearer abc", false).role, Role::kRead);
}

TEST_F(AccessTest, BadFilesAreRefused) {
  for (const mode_t mode : {0644U, 0660U, 0604U, 0620U, 0602U})
    EXPECT_EQ(error(line("read", kAbc), mode), ": others can open it: its mode must be 0640, or less");
  for (const mode_t mode : {0400U, 0440U, 0640U, 0700U}) EXPECT_EQ(error(line("read", kAbc), mode), "");
  EXPECT_EQ(error("# nothing\n"), ": has no token");
  for (const std::string& bad :
       {std::string("read\n"), std::string("root ") + std::string(kAbc),
        "read " + std::string(kAbc).substr(1), "read " + std::string(kAbc) + "0",
        "read g" + std::string(kAbc).substr(1), std::string(kAbc), std::string("read secret")})
    EXPECT_TRUE(error("\n" + bad).starts_with(":2: must be read, write or admin, and the SHA-256")) << bad;
  std::string many;
  for (size_t i = 0; i <= Access::kTokensMax; ++i) many += line("read", kAbc);
  EXPECT_EQ(error(many), ":1001: over 1000 tokens");
  EXPECT_EQ(error(std::string(Access::kFileBytesMax + 1, '#')), ": is over 1 MiB");
  EXPECT_FALSE(Access::from_file(directory_.path().string()));
  EXPECT_FALSE(Access::from_file("/nowhere/at/all"));
}

class AccessSessionTest : public AccessTest {
 protected:
  PeerReply ask(std::string_view method, std::string_view target, std::string_view token) {
    if (!server_) server_ = std::make_unique<RunningServer>(fake_, HttpOptions{}, 2, nullptr, &access_);
    HttpPeer peer(server_->endpoint());
    std::string request = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n";
    if (!token.empty()) request += "Authorization: Bearer " + std::string(token) + "\r\n";
    peer.send(request + (method == "POST" ? "Content-Length: 4\r\n\r\na 1\n" : "\r\n"));
    return peer.receive();
  }

  FakeServices fake_;
  Access access_ = *Access::from_file(write(line("read", kAbc) + line("write", kA)));
  std::unique_ptr<RunningServer> server_;
};

TEST_F(AccessSessionTest, EachRouteNeedsItsRole) {
  struct Case {
    std::string_view method, target, token;
    int status;
  };
  for (const Case& c :
       {Case{"GET", "/api/v1/query?series=cpu", "", 401}, Case{"GET", "/api/v1/query?series=cpu", "no", 401},
        Case{"GET", "/api/v1/%71uery?series=cpu", "", 401}, Case{"POST", "/api/v1/line%73", "abc", 403},
        Case{"GET", "/api/v1/query?series=cpu", "abc", 200}, Case{"GET", "/api/v1/status", "", 401},
        Case{"GET", "/api/v1/status", "a", 200}, Case{"GET", "/metrics", "", 401},
        Case{"POST", "/api/v1/lines", "", 401}, Case{"POST", "/api/v1/lines", "abc", 403},
        Case{"POST", "/api/v1/lines", "a", 200}, Case{"GET", "/healthz", "", 200},
        Case{"GET", "/readyz", "", 200}, Case{"GET", "/", "", 200}, Case{"GET", "/nowhere", "", 404}}) {
    const PeerReply reply = ask(c.method, c.target, c.token);
    EXPECT_EQ(reply.status, c.status) << c.method << " " << c.target << " " << c.token;
  }
  PeerReply refused = ask("GET", "/metrics", "");
  EXPECT_EQ(refused.fields["WWW-Authenticate"], "Bearer");
  EXPECT_EQ(refused.body,
            "{\"error\":\"this needs a token that the server knows: Authorization: Bearer "
            "TOKEN\",\"status\":401}\n");
  EXPECT_EQ(fake_.batches().size(), 1U);
  EXPECT_EQ(fake_.reading("statmill.http_refused", "no_token"), 7);
  EXPECT_EQ(fake_.reading("statmill.http_refused", "low_role"), 2);
}

TEST_F(AccessSessionTest, WithoutTokensThisHostMayWrite) {
  access_ = Access();
  EXPECT_EQ(ask("POST", "/api/v1/lines", "").status, 200);
  EXPECT_EQ(ask("GET", "/api/v1/status", "").status, 200);
}

}  // namespace
}  // namespace statmill
