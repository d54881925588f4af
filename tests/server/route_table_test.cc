// Walks the table of routes of a whole server, so that no route is without the checks of Host, token, role
// and origin. A route that a client reaches without a token, or one that changes something and needs less
// than the role write, must be in a list here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/server.h"
#include "server/web/page.h"
#include "tests/support/http_client.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

// What needs no token: whether the server lives, the list of routes, and (is_page_file) the files of the
// page.
constexpr std::array<std::string_view, 7> kOpen = {
    "/api", "/healthz", "/readyz", "/prometheus/-/healthy", "/prometheus/-/ready", "/ping", "/health"};
// What is no GET and changes nothing.
constexpr std::array<std::string_view, 8> kReads = {"/api/v1/live",         "/query",
                                                    "/tags/tagSeries",      "/graphite/tags/tagSeries",
                                                    "/tags/tagMultiSeries", "/graphite/tags/tagMultiSeries",
                                                    "/tags/delSeries",      "/graphite/tags/delSeries"};
constexpr std::array<std::string_view, 6> kAdmin = {"/admin/v1/delete",
                                                    "/admin/v1/rename",
                                                    "/admin/v1/snapshots",
                                                    "/admin/v1/snapshots/*/piece",
                                                    "/admin/v1/snapshots/*/release",
                                                    "/admin/v1/snapshots/*/sum"};

// SHA-256 of abc, of a, and of secret.
constexpr std::string_view kReader =
    "read ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n";
constexpr std::string_view kWriter =
    "write ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\n";
constexpr std::string_view kAdministrator =
    "admin 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\n";

std::string token_of(Role role) {
  switch (role) {
    case Role::kNone:
      return "";
    case Role::kRead:
      return "abc";
    case Role::kWrite:
      return "a";
    case Role::kAdmin:
      return "secret";
  }
  return "";
}

bool is_page_file(std::string_view path) {
  return path == "/" ||
         std::ranges::any_of(packed_page().assets, [path](const Asset& asset) { return asset.path == path; });
}

// A path that the route matches.
std::string path_of(const Route& route) {
  std::string path(route.path);
  if (path.ends_with("/**")) path.pop_back();
  if (const size_t star = path.find("\\*"); star != path.npos) return path.replace(star, 2, "*");
  std::ranges::replace(path, '*', 'x');
  return route.needs.empty() ? path : path + "?" + std::string(route.needs) + "=x";
}

std::vector<std::string> methods_of(const Route& route) {
  if (route.method != "GET") return {std::string(route.method)};
  if (route.lane == Lane::kQuery) return {"GET", "HEAD", "POST"};
  return {"GET", "HEAD"};
}

struct Question {
  std::string method;
  std::string path;
  std::string token = {};
  std::string host = "localhost";
  std::string origin = {};
};

class RouteTable : public testing::Test {
 protected:
  // Starts a server with these lines in its token file; empty: without one.
  void start(std::string_view tokens) {
    std::vector<std::string> options = {"--store.path",   (directory_.path() / "data").string(),
                                        "--line.listen",  "127.0.0.1:0",
                                        "--http.listen",  "127.0.0.1:0",
                                        "--log.level",    "error",
                                        "--agent.listen", ""};
    if (!tokens.empty()) {
      const std::filesystem::path file = directory_.write("tokens", tokens);
      std::filesystem::permissions(file, std::filesystem::perms(0600));
      options.insert(options.end(), {"--http.tokens", file.string()});
    }
    std::vector<const char*> arguments;
    for (const std::string& option : options) arguments.push_back(option.c_str());
    ServerConfig config;
    ASSERT_TRUE(apply_settings(server_settings(config), {arguments, {}}));
    server_ = std::make_unique<Server>(config, clock_, log_);
    const auto fault = server_->start();
    ASSERT_FALSE(fault) << fault->error.message;
  }
  ~RouteTable() override {
    if (!server_) return;
    EXPECT_FALSE(server_->stop());
  }

  int ask(const Question& question) {
    std::string request = question.method + " " + question.path +
                          " HTTP/1.1\r\nConnection: close\r\nHost: " + question.host + "\r\n";
    if (!question.token.empty()) request += "Authorization: Bearer " + question.token + "\r\n";
    if (!question.origin.empty()) request += "Origin: " + question.origin + "\r\n";
    if (question.method != "GET" && question.method != "HEAD") request += "Content-Length: 0\r\n";
    return http_raw(server_->ports().http, request + "\r\n").status;
  }
  // Calls check(route, method, path) for each route and each method that it accepts.
  template <class Check>
  void for_each(Check check) {
    ASSERT_GT(server_->routes().size(), 30U);
    for (const Route& route : server_->routes()) {
      const std::string path = path_of(route);
      for (const std::string& method : methods_of(route)) {
        SCOPED_TRACE(method + " " + path);
        check(route, method, path);
      }
    }
  }
  std::vector<std::string_view> admin_paths() const {
    std::vector<std::string_view> out;
    for (const Route& route : server_->routes())
      if (route.path.starts_with("/admin")) out.push_back(route.path);
    std::ranges::sort(out);
    return out;
  }

  TempDirectory directory_;
  SystemClock clock_;
  Log log_{LogLevel::kError};
  std::unique_ptr<Server> server_;
};

TEST_F(RouteTable, EachRouteIsCheckedForHostTokenRoleAndOrigin) {
  start(std::string(kReader) + std::string(kWriter) + std::string(kAdministrator));
  for_each([this](const Route& route, const std::string& method, const std::string& path) {
    const std::string token = token_of(route.role);
    const int allowed = ask({method, path, token});
    EXPECT_TRUE(allowed != 0 && allowed != 401 && allowed != 403 && allowed != 421) << allowed;
    EXPECT_EQ(ask({method, path, token, "evil.example"}), 421);
    if (route.method != "GET" && route.lane != Lane::kQuery) {
      EXPECT_EQ(ask({method, path, token, "localhost", "http://evil.example"}), 403);
    }
    if (route.role == Role::kNone) return;
    EXPECT_EQ(ask({method, path}), 401);
    EXPECT_EQ(ask({method, path, "unknown"}), 401);
    if (route.role >= Role::kWrite) {
      EXPECT_EQ(ask({method, path, token_of(Role::kRead)}), 403);
    }
    if (route.role >= Role::kAdmin) {
      EXPECT_EQ(ask({method, path, token_of(Role::kWrite)}), 403);
    }
  });
}

TEST_F(RouteTable, NoRouteNeedsLessThanItMust) {
  start(std::string(kReader) + std::string(kWriter) + std::string(kAdministrator));
  for_each([](const Route& route, const std::string&, const std::string& path) {
    const bool is_open = std::ranges::count(kOpen, route.path) > 0 || is_page_file(path);
    EXPECT_EQ(route.role == Role::kNone, is_open);
    const bool changes =
        route.method != "GET" && std::ranges::count(kReads, route.path) == 0 && route.lane != Lane::kQuery;
    const bool is_admin = path.starts_with("/admin");
    EXPECT_EQ(route.role >= Role::kWrite, changes || is_admin);
    EXPECT_EQ(route.role == Role::kAdmin, is_admin);
  });
  EXPECT_TRUE(std::ranges::equal(admin_paths(), kAdmin));
}

TEST_F(RouteTable, WithoutAnAdminTokenThereAreNoAdminRoutes) {
  start(std::string(kReader) + std::string(kWriter));
  EXPECT_TRUE(admin_paths().empty());
  for (const std::string_view path : kAdmin) {
    EXPECT_EQ(ask({"POST", std::string(path), token_of(Role::kWrite)}), 404);
    EXPECT_EQ(ask({"POST", std::string(path)}), 404);
  }
}

TEST_F(RouteTable, WithoutTokensOtherHostsMayOnlySendLines) {
  start("");
  EXPECT_TRUE(admin_paths().empty());
  for_each([this](const Route& route, const std::string& method, const std::string& path) {
    EXPECT_EQ(ask({method, path, "", "evil.example"}), 421);
    if (route.method == "GET") return;
    if (route.lane == Lane::kQuery) {
      EXPECT_EQ(route.role, Role::kRead);
      return;
    }
    const bool is_for_all = std::ranges::count(kReads, route.path) > 0 || route.is_traffic;
    EXPECT_EQ(route.role >= Role::kWrite, !is_for_all);
    EXPECT_EQ(ask({method, path, "", "localhost", "http://evil.example"}), 403);
  });
}

}  // namespace
}  // namespace statmill
