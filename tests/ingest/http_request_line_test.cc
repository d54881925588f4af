// Request lines of HTTP differ from the lines of all dialects.
#include "ingest/http_request_line.h"

#include <gtest/gtest.h>

#include <string>

namespace statmill {
namespace {

struct Case {
  std::string_view line;
  std::string_view why;
};

TEST(HttpRequestLine, KnowsWhatClientsSend) {
  const Case cases[] = {
      {"POST / HTTP/1.1\r", "a browser"},
      {"GET /a?b=c%20d HTTP/1.0\r", "an early version"},
      {"OPTIONS * HTTP/1.1\r", "about the server itself"},
      {"GET http://10.0.0.7:8111/ HTTP/1.1\r", "for a proxy"},
      {"PRI * HTTP/2.0\r", "the preface of version 2"},
      {"POST / HTTP/1.1", "LF alone ends the line"},
      {"post /\xc3\xa9 HTTP/1.1\r", "clients that do not escape"},
      {"#m / HTTP/1.1\r", "a script may choose any token as the method"},
  };
  for (const Case& c : cases) EXPECT_TRUE(is_http_request_line(c.line)) << c.line << ": " << c.why;
}

TEST(HttpRequestLine, LinesOfSendersAreNotOne) {
  const Case cases[] = {
      {"", "an empty line"},
      {"POST 1", "a series may have any name"},
      {"POST 1700000000 12", "with a time"},
      {"GET /status 200 HTTP/1.1", "a blank in the target"},
      {"POST / HTTP/1.1 1", "text after the version"},
      {"POST  HTTP/1.1", "no target"},
      {" / HTTP/1.1", "no method"},
      {" POST / HTTP/1.1", "a blank before the method"},
      {"POST\t/\tHTTP/1.1", "tabs"},
      {"HTTP/1.1", "one word"},
      {"POST HTTP/1.1", "two words"},
      {"POST / HTTP/1.", "half a version"},
      {"POST / HTTP/1.10", "no such version"},
      {"POST / http/1.1", "lower case"},
      {"POST / HTTPS/1.1", "another protocol"},
      {"#agent statsd HTTP/1.1", "metadata about a protocol"},
      {"#agent GET / HTTP/1.1", "metadata with a request line"},
      {"$m web.requests requests of GET / HTTP/1.1", "help of a family"},
      {"requests:1|c|#first:GET / HTTP/1.1", "a tag of statsd"},
      {"_e{5,15}:start|GET / HTTP/1.1", "an event of statsd"},
      {"web.requests;path=GET / HTTP/1.1", "a tag of Graphite"},
  };
  for (const Case& c : cases) EXPECT_FALSE(is_http_request_line(c.line)) << c.line << ": " << c.why;
}

TEST(HttpRequestLine, ATooLongLineIsOneByItsBeginning) {
  const std::string long_text(70'000, 'x');
  EXPECT_TRUE(begins_http_request_line("POST /" + long_text));
  EXPECT_TRUE(begins_http_request_line("POST /" + long_text + " HTTP/1."));
  EXPECT_TRUE(begins_http_request_line("POST http://a/" + long_text));
  EXPECT_FALSE(begins_http_request_line(long_text));
  EXPECT_FALSE(begins_http_request_line("POST " + long_text));
  EXPECT_FALSE(begins_http_request_line("a:1|c /" + long_text));
  EXPECT_FALSE(begins_http_request_line("#agent " + long_text + " http://a/"));
}

}  // namespace
}  // namespace statmill
