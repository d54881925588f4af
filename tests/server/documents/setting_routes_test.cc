// GET and POST of istatd's settings.
#include "server/documents/setting_routes.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/server/documents/documents_fixture.h"

namespace statmill {
namespace {

class SettingRoutes : public DocumentsFixture {
 protected:
  HttpResponse set(std::string_view target, std::string_view body) {
    return send("POST", target, body, {.content_type = "text/plain;charset=UTF-8"});
  }
};

TEST_F(SettingRoutes, ValuesAreTextsAndStayAfterARestart) {
  EXPECT_EQ(set("/?s=global", R"({"dashboard.a":"{\"x\":1}","n":2,"r":0.5,"b":true,"gone":"1"})").body,
            "{\"success\":true}\n");
  EXPECT_EQ(set("/istatd/?s=global", R"({"gone":""})").status, 200U);
  restart();
  EXPECT_EQ(get("/?s=global").body, R"({"b":"true","dashboard.a":"{\"x\":1}","n":"2","r":"0.5"})"
                                    "\n");
  EXPECT_EQ(get("/istatd/?s=global&sk=dash*").body, R"({"dashboard.a":"{\"x\":1}"})"
                                                    "\n");
}

TEST_F(SettingRoutes, WhatThereIsNotIsA404) {
  EXPECT_EQ(get("/?s=nothing").body, "{\"error\":\"no such settings\",\"status\":404}\n");
  ASSERT_EQ(set("/?s=a", R"({"k":"v"})").status, 200U);
  const HttpResponse none = get("/?s=a&sk=x*");
  EXPECT_EQ(none.status, 404U);
  EXPECT_EQ(none.body, "null\n");
}

TEST_F(SettingRoutes, WrongRequestsAreRefusedAndChangeNothing) {
  EXPECT_EQ(get("/?s=a%20b").status, 400U);
  EXPECT_EQ(get("/?s=").status, 400U);
  for (const char* bad : {"", "[]", "{", R"({"k":null})", R"({"k":[]})", R"({"k":{}})", R"({"a b":"c"})"})
    EXPECT_EQ(set("/?s=a", bad).status, 400U) << bad;
  EXPECT_EQ(set("/?s=a", R"({"ok":"1","k":{}})").body,
            "{\"error\":\"JSON setting values cannot be compound (found k)\",\"status\":400}\n");
  EXPECT_EQ(get("/?s=a").status, 404U);
  EXPECT_EQ(set("/?s=a", "{\"k\":\"" + std::string(kSettingBodyBytesMax, 'x') + "\"}").status, 422U);
}

TEST_F(SettingRoutes, PagesOfOtherSitesChangeNothing) {
  EXPECT_EQ(send("POST", "/?s=a", R"({"k":"v"})", {.origin = "http://evil.example"}).status, 403U);
  EXPECT_EQ(router_->handling("POST", "/?s=a").role, Role::kWrite);
  EXPECT_EQ(router_->handling("GET", "/?s=a").role, Role::kRead);
  EXPECT_EQ(router_->body_bytes_max("POST", "/?x=1&s=a"), kSettingBodyBytesMax);
}

TEST_F(SettingRoutes, AStoreThatTakesNoTicksIsA503) {
  is_store_at_work_ = false;
  patience_ = Duration(1);
  restart();
  EXPECT_EQ(set("/?s=a", R"({"k":"v"})").status, 503U);
}

}  // namespace
}  // namespace statmill
