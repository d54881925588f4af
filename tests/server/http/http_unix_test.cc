// HttpServer at a unix socket: its permissions, the file it replaces, and its removal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/server/http/http_peer.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class HttpUnixTest : public testing::Test {
 protected:
  ~HttpUnixTest() override { stop(); }

  std::string path(std::string_view name = "admin.sock") const { return directory_.path() / name; }
  Result<std::unique_ptr<HttpServer>> open(const std::string& path) {
    return HttpServer::open_unix(io_, path, fake_.site());
  }
  void start() {
    auto server = open(path());
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    thread_ = std::thread([this] { io_.run(); });
  }
  void stop() {
    if (!server_) return;
    server_->stop();
    thread_.join();
    server_.reset();
    io_.restart();
  }
  int status_of_healthz() {
    HttpPeer peer(unix_connection(path()));
    peer.send_get("/healthz");
    return peer.receive().status;
  }
  // Creates a socket file without a server.
  void leave_socket_behind() {
    boost::asio::io_context io;
    ASSERT_TRUE(HttpServer::open_unix(io, path(), fake_.site()));
    ASSERT_TRUE(std::filesystem::is_socket(path()));
  }
  Error refusal(const std::string& path) {
    const auto server = open(path);
    EXPECT_FALSE(server);
    return server ? Error{} : server.error();
  }

  TempDirectory directory_;
  FakeServices fake_;
  boost::asio::io_context io_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

TEST_F(HttpUnixTest, AnswersAsOverTcp) {
  start();
  HttpPeer peer(unix_connection(path()));
  peer.send_get("/healthz");
  EXPECT_EQ(peer.receive().body, "ok\n");
  peer.send("POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\na 1\n");
  EXPECT_EQ(peer.receive().status, 200);
  EXPECT_THAT(fake_.batches(), testing::ElementsAre("a"));
}

TEST_F(HttpUnixTest, OnlyItsUserCanOpenIt) {
  start();
  struct stat found {};
  ASSERT_EQ(::stat(path().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777U, 0600U);
}

TEST_F(HttpUnixTest, RemovesItsFileWhenItStops) {
  start();
  ASSERT_EQ(status_of_healthz(), 200);
  stop();
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(path())));
}

TEST_F(HttpUnixTest, ReplacesTheSocketOfADeadServer) {
  leave_socket_behind();
  start();
  EXPECT_EQ(status_of_healthz(), 200);
}

TEST_F(HttpUnixTest, RefusesTheSocketOfARunningServer) {
  start();
  const Error refused = refusal(path());
  EXPECT_EQ(refused.code, ErrorCode::kBusy);
  EXPECT_EQ(refused.message, "admin.socket " + path() + ": another server listens there");
  EXPECT_EQ(status_of_healthz(), 200) << "the running server continues";
}

TEST_F(HttpUnixTest, DoesNotReplaceFilesThatAreNotSockets) {
  directory_.write("admin.sock", "precious");
  const Error refused = refusal(path());
  EXPECT_EQ(refused.code, ErrorCode::kInvalid);
  EXPECT_THAT(refused.message, HasSubstr("a file that is not a socket exists there"));
  std::string text;
  std::getline(std::ifstream(path()), text);
  EXPECT_EQ(text, "precious");
}

TEST_F(HttpUnixTest, RefusesADirectoryThatOthersCanWriteTo) {
  for (const mode_t mode : {0720U, 0702U, 01777U, 03777U}) {
    ASSERT_EQ(::chmod(path("").c_str(), mode), 0);
    const Error refused = refusal(path());
    EXPECT_EQ(refused.code, ErrorCode::kInvalid) << mode;
    EXPECT_THAT(refused.message, HasSubstr("the directory " + directory_.path().string() +
                                           " can be written to by other users, who could replace the socket"))
        << mode;
    EXPECT_FALSE(std::filesystem::exists(path()));
  }
  ASSERT_EQ(::chmod(path("").c_str(), 0755), 0);
  EXPECT_TRUE(open(path()));
}

TEST_F(HttpUnixTest, RefusesADirectoryOfAnotherUserThanRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory to another user";
  ASSERT_EQ(::chown(path("").c_str(), 12345, 12345), 0);
  const Error refused = refusal(path());
  EXPECT_EQ(refused.code, ErrorCode::kInvalid);
  EXPECT_THAT(refused.message,
              HasSubstr("the directory " + directory_.path().string() + " belongs to another user"));
  ASSERT_EQ(::chown(path("").c_str(), 0, 0), 0);
  ASSERT_EQ(::seteuid(12345), 0);
  const Error of_root = refusal(path());
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(of_root.code, ErrorCode::kIo)
      << "a directory of root is accepted, but this user may not write there: " << of_root.message;
}

TEST_F(HttpUnixTest, ReportsTheMaximumPathLength) {
  const std::string fits = path(std::string(kSocketPathBytesMax - path("").size(), 'a'));
  ASSERT_EQ(fits.size(), kSocketPathBytesMax);
  EXPECT_TRUE(open(fits));
  const Error refused = refusal(fits + "a");
  EXPECT_EQ(refused.code, ErrorCode::kInvalid);
  EXPECT_EQ(refused.message,
            "admin.socket " + fits + "a: the path has 108 bytes, and the path of a socket may have 107");
}

TEST_F(HttpUnixTest, ReportsAnInvalidPath) {
  const Error refused = refusal(path("none/admin.sock"));
  EXPECT_EQ(refused.code, ErrorCode::kIo);
  EXPECT_EQ(refused.message, "admin.socket " + path("none/admin.sock") + ": No such file or directory");
}

}  // namespace
}  // namespace statmill
