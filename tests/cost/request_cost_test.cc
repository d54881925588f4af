// What the parts of a request cost is at most linear in them: header, body in chunks, parameters, JSON.
#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>

#include "server/documents/dashboard_check.h"
#include "server/documents/event.h"
#include "server/documents/graphite_events.h"
#include "server/http/arriving_body.h"
#include "server/http/batch_request.h"
#include "server/http/query_parameters.h"
#include "server/http/request_gate.h"
#include "server/http/url.h"
#include "server/live/live_request.h"
#include "tests/cost/linear_cost.h"

namespace statmill {
namespace {

namespace http = boost::beast::http;

constexpr Timestamp kNow{Duration(1'700'000'000'500)};

void header(const std::string& text) { static_cast<void>(scan_header(text)); }

// A session scans from the start at each read.
void header_by_bytes(const std::string& text) {
  for (size_t size = 1; size <= text.size(); ++size)
    static_cast<void>(scan_header(std::string_view(text).substr(0, size)));
}

void form(const std::string& text) {
  auto parameters = parse_form(text);
  if (!parameters) return;
  const Url url{"/x", *std::move(parameters)};
  static_cast<void>(parse_query_parameters(url, kNow));
  static_cast<void>(parse_heatmap_parameters(url, kNow));
  static_cast<void>(parse_series_parameters(url));
}

// Passes a body to the parser as a session does: in pieces of 1 KiB, from a buffer that is never longer than
// a session's.
void chunks(const std::string& body) {
  constexpr size_t kPiece = 1024;
  constexpr std::string_view kHead = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  ByteBudget budget(64 << 20);
  auto share = budget.reserve(0);
  http::request_parser<ArrivingBody> parser;
  parser.body_limit(boost::none);
  parser.eager(true);
  boost::system::error_code error;
  parser.put(boost::asio::buffer(kHead), error);
  parser.get().body().share = &*share;
  boost::beast::flat_buffer buffer(64 << 10);
  for (size_t at = 0; at < body.size() && !parser.is_done();) {
    const size_t size = std::min(kPiece, body.size() - at);
    if (buffer.size() + size > buffer.max_size()) return;  // the session refuses the body
    boost::asio::buffer_copy(buffer.prepare(size), boost::asio::buffer(body.data() + at, size));
    buffer.commit(size);
    at += size;
    error = {};
    buffer.consume(parser.put(buffer.data(), error));
    if (error && error != http::error::need_more) return;
  }
}

// Reads JSON as each kind of body.
void json(const std::string& text) {
  static_cast<void>(parse_batch_request(text));
  static_cast<void>(parse_live_request(text));
  static_cast<void>(parse_event(text, kNow));
  static_cast<void>(parse_graphite_event(text, kNow));
  static_cast<void>(check_dashboard(text));
}

auto between(std::string begin, std::string middle, std::string end) {
  return [=](size_t bytes) { return begin + repeated(middle, bytes) + end; };
}
auto numbered(std::string begin, std::string before, std::string after, std::string end) {
  return [=](size_t bytes) {
    return begin + series_of(bytes, [&](const std::string& i) { return before + i + after; }) + end;
  };
}

std::vector<CostCase> http_cases() {
  return {
      {"HeaderFields", between("GET / HTTP/1.1\r\n", "a: b\r\n", "\r\n"), header, 40, 400, 24 << 10},
      {"HeaderOneField", between("GET / HTTP/1.1\r\nx: ", "y", "\r\n\r\n"), header, 40, 400, 24 << 10},
      {"HeaderByteByByte", between("GET / HTTP/1.1\r\n", "a:\r\n", ""), header_by_bytes, 40, 4000, 24 << 10},
      {"HeaderLineByteByByte", between("GET /", "a", " HTTP/1.1\r\n"), header_by_bytes, 40, 8000, 24 << 10},
      {"ChunksOfOneByte", between("", "1\r\nx\r\n", "0\r\n\r\n"), chunks, 40, 2000},
      {"ChunkExtensions", between("", "1;a=b;c=\"d\"\r\nx\r\n", "0\r\n\r\n"), chunks, 40, 2000},
      {"ChunkOneExtension", between("1;", "a", "=b\r\nx\r\n0\r\n\r\n"), chunks, 40, 2000},
      {"ChunkTrailers", between("1\r\nx\r\n0\r\n", "a: b\r\n", "\r\n"), chunks, 400, 2000},
      {"FormOfMany", numbered("", "series=a", "&", ""), form, 400, 4000},
      {"FormOfUnknown", numbered("", "key", "=value&", ""), form, 400, 4000},
      {"FormEncoded", between("series=", "%2A", ""), form, 400, 4000},
      {"FormStats", between("series=a&stats=", "p99,", "p1"), form, 400, 4000},
      {"FormNothing", between("", "&", ""), form, 400, 4000},
  };
}

std::vector<CostCase> json_cases() {
  return {
      {"JsonDeep", between("", "[", ""), json, 400, 4000},
      {"JsonDeepObjects", between("", "{\"a\":", ""), json, 400, 4000},
      {"JsonManyKeys", numbered("{", "\"k", "\":1,", "\"z\":1}"), json, 400, 4000},
      {"JsonSameKeys", between("{", "\"queries\":1,", "\"z\":1}"), json, 400, 4000},
      {"JsonManyTags", between("{\"title\":\"x\",\"tags\":[", "\"a\",", "\"b\"]}"), json, 400, 4000},
      {"JsonEscapes", between("{\"title\":\"", "\\u0041", "\"}"), json, 400, 4000},
      {"JsonNumbers", between("[", "1e300,", "1]"), json, 400, 4000},
      {"JsonDigits", between("", "1", ""), json, 400, 4000},
      {"JsonSeries", numbered("{\"series\":[", "\"a", "\",", "\"b\"]}"), json, 400, 4000},
      {"JsonStats", between("{\"series\":[\"a\"],\"stats\":[", "\"count\",", "\"sum\"]}"), json, 400, 4000},
      {"JsonQueries", numbered("{\"queries\":[", "{\"id\":\"", "\",\"series\":[\"a\"]},", "{\"id\":\"x\"}]}"),
       json, 400, 4000},
      {"JsonSameIds", between("{\"queries\":[", "{\"id\":\"a\",\"x\":1},", "{\"id\":\"x\"}]}"), json, 400,
       4000},
      {"JsonPanels", between("{\"title\":\"x\",\"panels\":[", "{\"x\":0,\"y\":0,\"w\":1,\"h\":1},", "{}]}"),
       json, 400, 4000},
      {"JsonFaults", between("{\"title\":\"x\",\"panels\":[", "7,", "7]}"), json, 400, 4000},
  };
}

class RequestCost : public testing::TestWithParam<CostCase> {};

TEST_P(RequestCost, IsLinear) { EXPECT_TRUE(is_linear(GetParam())); }

constexpr auto kName = [](const auto& test) { return std::string(test.param.name); };
INSTANTIATE_TEST_SUITE_P(Http, RequestCost, testing::ValuesIn(http_cases()), kName);
INSTANTIATE_TEST_SUITE_P(Json, RequestCost, testing::ValuesIn(json_cases()), kName);

}  // namespace
}  // namespace statmill
