// Passes the bytes of a connection through gate, HTTP parser and router, without sockets. The parser must
// agree with the gate on every header that the gate accepts, and every answer must be text, or valid JSON
// that has an error if and only if the status is not 200. What is refused before the body is refused with it.
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "server/http/arriving_body.h"
#include "server/http/request_gate.h"
#include "server/http/router.h"
#include "tests/server/http/fake_services.h"

namespace statmill {
namespace {

namespace http = boost::beast::http;

using RequestParser = http::request_parser<ArrivingBody>;

// Returns true if the parser accepts a header that the gate accepted; checks that both read the same from it.
bool parse(std::string_view block, RequestParser& parser) {
  boost::system::error_code error;
  const size_t used = parser.put(boost::asio::buffer(block), error);
  if (error) return false;
  SM_CHECK(used == block.size());
  SM_CHECK(parser.is_header_done());
  const RequestLine line = request_line(block);
  SM_CHECK(parser.get().method_string() == line.method);
  SM_CHECK(parser.get().target() == line.target);
  SM_CHECK(!(parser.chunked() && parser.content_length().has_value()));
  SM_CHECK(parser.get().version() == 10 || parser.get().count(http::field::host) == 1);
  return true;
}

// Passes the rest to the parser in two pieces, as a session does; the body takes no more memory than its
// share.
void parse_body(std::string_view bytes, RequestParser& parser) {
  constexpr size_t kBodyMax = 4096;
  ByteBudget budget(2048);
  auto share = budget.reserve(0);
  parser.get().body().share = &*share;
  parser.eager(true);
  parser.body_limit(kBodyMax);
  boost::system::error_code error;
  size_t used = 0;
  for (const size_t end : {bytes.size() / 2, bytes.size()}) {
    while (used < end && !error && !parser.is_done())
      used += parser.put(boost::asio::buffer(bytes.substr(used, end - used)), error);
    if (error == http::error::need_more) error = {};
  }
  const std::string& text = parser.get().body().text;
  SM_CHECK(text.size() <= kBodyMax);
  SM_CHECK(text.capacity() <= std::max<size_t>(budget.reserved(), 2 * std::string().capacity()));
}

void check_answer(const HttpResponse& response) {
  SM_CHECK(response.status == 200 || response.status >= 400);
  if (response.content_type != kJson) return;
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(response.body, error);
  SM_CHECK(!error && value.is_object());
  SM_CHECK((response.status == 200) == !value.as_object().contains("error"));
}

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const HeaderScan scan = scan_header(bytes);
  if (scan.verdict.is_refused() || scan.size == 0) return 0;
  RequestParser parser;
  if (!parse(bytes.substr(0, scan.size), parser)) return 0;
  FakeServices fake;
  fake.on_query = [](const QueryRequest& request) {
    QueryAnswer answer = small_answer();
    answer.series.front().percentiles.resize(request.percentiles.size());  // of a gauge: no values
    return answer;
  };
  const auto& message = parser.get();
  const HttpRequest request = {.method = message.method_string(),
                               .target = message.target(),
                               .body = bytes.substr(scan.size),
                               .host = message[http::field::host],
                               .origin = message[http::field::origin],
                               .content_encoding = message[http::field::content_encoding],
                               .content_type = message[http::field::content_type],
                               .accept_encoding = message[http::field::accept_encoding]};
  const Router router(api_routes(fake.services()));
  const HttpResponse answer = router.answer(request);
  check_answer(answer);
  if (const auto refusal = router.refusal_before_body(request, !request.body.empty()))
    SM_CHECK(refusal->status == answer.status && refusal->body == answer.body);
  parse_body(request.body, parser);
  return 0;
}
