// Statuses, dates and JSON errors.
#include "server/http/http_message.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(HttpMessageTest, ErrorsAreJson) {
  const HttpResponse response = error_response(404, "no \"x\"");
  EXPECT_EQ(response.status, 404u);
  EXPECT_EQ(response.body, "{\"error\":\"no \\\"x\\\"\",\"status\":404}\n");
  EXPECT_EQ(response.content_type, kJson);
}

TEST(HttpMessageTest, EachErrorCodeHasAStatus) {
  EXPECT_EQ(error_response(Error{ErrorCode::kInvalid, ""}).status, 400u);
  EXPECT_EQ(error_response(Error{ErrorCode::kNotFound, ""}).status, 404u);
  EXPECT_EQ(error_response(Error{ErrorCode::kLimit, ""}).status, 422u);
  EXPECT_EQ(error_response(Error{ErrorCode::kIo, ""}).status, 500u);
  EXPECT_EQ(error_response(Error{ErrorCode::kCorrupt, ""}).status, 500u);
  EXPECT_EQ(error_response(Error{ErrorCode::kUnavailable, ""}).status, 503u);
}

TEST(HttpMessageTest, DateHasTheFormOfTheStandard) {
  EXPECT_EQ(http_date(from_unix_seconds(784'111'777)),
            "Sun, 06 Nov 1994 08:49:37 GMT");  // RFC 9110's example
  EXPECT_EQ(http_date(from_unix_seconds(951'782'399)), "Mon, 28 Feb 2000 23:59:59 GMT");
  EXPECT_EQ(http_date(from_unix_seconds(951'782'400)), "Tue, 29 Feb 2000 00:00:00 GMT");
}

}  // namespace
}  // namespace statmill
