// Which request headers are accepted: none that two parsers could understand differently.
#include "server/http/request_gate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace statmill {
namespace {

using namespace std::literals;

// Returns a request with these fields after a valid request line and Host.
std::string with_fields(std::string_view fields) {
  return "GET / HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n";
}

TEST(RequestGateTest, AcceptsValidHeaders) {
  const std::vector<std::string> blocks = {
      "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET / HTTP/1.0\r\n\r\n",
      "GET / HTTP/1.0\r\nHost: h\r\n\r\n",
      "POST /x?a=b HTTP/1.1\r\nhost:[::1]:8112\r\nContent-Length: 5\r\n\r\n",
      "POST / HTTP/1.1\r\nHOST: \t h.example:80 \t\r\nTransfer-Encoding: Chunked\r\n\r\n",
      "M-SEARCH / HTTP/1.1\r\nHost: h\r\nX-Empty:\r\nX: \xc3\xa9\r\n\r\n",
  };
  for (const std::string& block : blocks) {
    const HeaderScan scan = scan_header(block + "next");
    EXPECT_EQ(scan.size, block.size()) << block;
    EXPECT_TRUE(scan.verdict.is_accepted()) << block;
  }
}

TEST(RequestGateTest, ReadsTheRequestLine) {
  const RequestLine line = request_line("POST /x?a=b HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(line.method, "POST");
  EXPECT_EQ(line.target, "/x?a=b");
}

TEST(RequestGateTest, RefusesAmbiguousHeaders) {
  struct Case {
    std::string block;
    HttpRefusal want;
    std::string_view why;
  };
  const std::vector<Case> cases = {
      {"GET /\r\n\r\n", HttpRefusal::kBadRequestLine, "HTTP/0.9"},
      {"GET  / HTTP/1.1\r\nHost: h\r\n\r\n", HttpRefusal::kBadTarget, "two spaces"},
      {"GET / HTTP/1.1 \r\nHost: h\r\n\r\n", HttpRefusal::kBadRequestLine, "space at the end"},
      {"GET\t/\tHTTP/1.1\r\nHost: h\r\n\r\n", HttpRefusal::kBadRequestLine, "tabs"},
      {"G@T / HTTP/1.1\r\nHost: h\r\n\r\n", HttpRefusal::kBadRequestLine, "method is no token"},
      {" GET / HTTP/1.1\r\nHost: h\r\n\r\n", HttpRefusal::kBadRequestLine, "space before"},
      {"\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", HttpRefusal::kBadRequestLine, "empty line before"},
      {"\x16\x03\x01\x02", HttpRefusal::kBadRequestLine, "TLS"},
      {"GET / HTTX/1.1\r\nHost: h\r\n\r\n", HttpRefusal::kBadRequestLine, "another protocol"},
      {"GET / HTTP/1.2\r\nHost: h\r\n\r\n", HttpRefusal::kBadVersion, "1.2"},
      {"GET / HTTP/2.0\r\nHost: h\r\n\r\n", HttpRefusal::kBadVersion, "2.0"},
      {"GET / HTTP/1.1x\r\nHost: h\r\n\r\n", HttpRefusal::kBadVersion, "1.1x"},
      {"GET / HTTP/01.1\r\nHost: h\r\n\r\n", HttpRefusal::kBadVersion, "01.1"},
      {"TRACE / HTTP/1.1\r\nHost: h\r\n\r\n", HttpRefusal::kBadMethod, "TRACE"},
      {"CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n", HttpRefusal::kBadMethod, "CONNECT"},
      {"GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", HttpRefusal::kBadTarget, "absolute form"},
      {"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", HttpRefusal::kBadTarget, "asterisk form"},
      {"GET //x HTTP/1.1\r\nHost: h\r\n\r\n", HttpRefusal::kAmbiguousPath, "empty segment"},
      {"GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n", HttpRefusal::kBadEscape, "NUL"},
      {"GET / HTTP/1.1\r\n\r\n", HttpRefusal::kBadHost, "no Host"},
      {"GET / HTTP/1.1\r\nHost:\r\n\r\n", HttpRefusal::kBadHost, "empty Host"},
      {"GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", HttpRefusal::kBadHost, "two Hosts, equal"},
      {"GET / HTTP/1.0\r\nHost: h\r\nhost: i\r\n\r\n", HttpRefusal::kBadHost, "two Hosts on 1.0"},
      {"GET / HTTP/1.1\r\nHost: h, i\r\n\r\n", HttpRefusal::kBadHost, "a list"},
      {"GET / HTTP/1.1\r\nHost: a@h\r\n\r\n", HttpRefusal::kBadHost, "user information"},
      {"GET / HTTP/1.1\r\nHost: h/x\r\n\r\n", HttpRefusal::kBadHost, "a path"},
      {with_fields("Transfer-Encoding: gzip\r\nContent-Length: 5\r\n"), HttpRefusal::kBadTransferEncoding,
       "gzip"},
      {with_fields("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), HttpRefusal::kBadTransferEncoding,
       "both, length first"},
      {with_fields("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), HttpRefusal::kBadTransferEncoding,
       "both, encoding first"},
      {with_fields("Transfer-Encoding: xchunked\r\n"), HttpRefusal::kBadTransferEncoding, "xchunked"},
      {with_fields("Transfer-Encoding: identity\r\n"), HttpRefusal::kBadTransferEncoding, "identity"},
      {with_fields("Transfer-Encoding:\r\n"), HttpRefusal::kBadTransferEncoding, "empty"},
      {with_fields("Transfer-Encoding: chunked, chunked\r\n"), HttpRefusal::kBadTransferEncoding, "a list"},
      {with_fields("Transfer-Encoding: gzip, chunked\r\n"), HttpRefusal::kBadTransferEncoding,
       "gzip, chunked"},
      {with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
       HttpRefusal::kBadTransferEncoding, "two"},
      {with_fields("Transfer-Encoding: \x0b"
                   "chunked\r\n"),
       HttpRefusal::kBadFieldValue, "vertical tab"},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", HttpRefusal::kBadTransferEncoding, "on 1.0"},
      {with_fields("Content-Length: 5, 5\r\n"), HttpRefusal::kBadLength, "a list"},
      {with_fields("Content-Length: 5\r\nContent-Length: 5\r\n"), HttpRefusal::kBadLength, "two, equal"},
      {with_fields("Content-Length: 5\r\nContent-Length: 6\r\n"), HttpRefusal::kBadLength, "two"},
      {with_fields("Content-Length: +5\r\n"), HttpRefusal::kBadLength, "sign"},
      {with_fields("Content-Length: -1\r\n"), HttpRefusal::kBadLength, "negative"},
      {with_fields("Content-Length: 0x5\r\n"), HttpRefusal::kBadLength, "hexadecimal"},
      {with_fields("Content-Length: 5 5\r\n"), HttpRefusal::kBadLength, "two numbers"},
      {with_fields("Content-Length:\r\n"), HttpRefusal::kBadLength, "empty"},
      {with_fields("Content-Length: 18446744073709551621\r\n"), HttpRefusal::kBadLength, "wraps to 5"},
      {with_fields("X: a\r\n b\r\n"), HttpRefusal::kFoldedField, "folded by space"},
      {with_fields("X: a\r\n\tb\r\n"), HttpRefusal::kFoldedField, "folded by tab"},
      {"GET / HTTP/1.1\r\n Host: h\r\n\r\n", HttpRefusal::kFoldedField, "space before the first field"},
      {with_fields("X : a\r\n"), HttpRefusal::kBadFieldName, "space before the colon"},
      {with_fields(": a\r\n"), HttpRefusal::kBadFieldName, "no name"},
      {with_fields("X\r\n"), HttpRefusal::kBadFieldName, "no colon"},
      {with_fields("X\0Y: a\r\n"s), HttpRefusal::kBadFieldName, "NUL in a name"},
      {with_fields("Content-Length\xc2\xa0: 5\r\n"), HttpRefusal::kBadFieldName, "no-break space"},
      {with_fields("X: a\0b\r\n"s), HttpRefusal::kBadFieldValue, "NUL in a value"},
      {with_fields("X: a\rb\r\n"), HttpRefusal::kBareLineEnd, "CR in a value"},
      {with_fields("X: a\nY: b\r\n"), HttpRefusal::kBareLineEnd, "LF alone"},
      {"GET / HTTP/1.1\nHost: h\n\n", HttpRefusal::kBareLineEnd, "LF alone throughout"},
      {"GET / HTTP/1.1\r\nHost: h\r\n\n", HttpRefusal::kBareLineEnd, "LF alone at the end"},
  };
  for (const Case& c : cases) {
    const HeaderScan scan = scan_header(c.block);
    ASSERT_TRUE(scan.verdict.is_refused()) << c.why;
    EXPECT_EQ(scan.verdict.reason(), c.want) << c.why << ": " << refusal_info(scan.verdict.reason()).label;
  }
}

TEST(RequestGateTest, WaitsForTheRestAtEveryByte) {
  const std::string block = "POST /api/v1/lines HTTP/1.1\r\nHost: h:1\r\nContent-Length: 12\r\n\r\n";
  for (size_t size = 0; size < block.size(); ++size) {
    const HeaderScan scan = scan_header(std::string_view(block).substr(0, size));
    EXPECT_EQ(scan.size, 0u) << size;
    EXPECT_TRUE(scan.verdict.is_accepted()) << size;
  }
}

TEST(RequestGateTest, HeaderBytesAreLimited) {
  const std::string start = "GET / HTTP/1.1\r\nHost: h\r\nX: ";
  const std::string at_limit = start + std::string(kHeaderBytesMax - start.size() - 4, 'a') + "\r\n\r\n";
  EXPECT_EQ(scan_header(at_limit).size, kHeaderBytesMax);
  EXPECT_EQ(scan_header(start + std::string(kHeaderBytesMax, 'a')).verdict, HttpRefusal::kHeaderTooLarge);
  EXPECT_EQ(scan_header("GET /" + std::string(kHeaderBytesMax, 'a')).verdict, HttpRefusal::kTargetTooLong);
}

TEST(RequestGateTest, HeaderFieldsAreLimited) {
  std::string fields;
  for (size_t i = 1; i < kHeaderFieldsMax; ++i) fields += "X: a\r\n";
  EXPECT_TRUE(scan_header(with_fields(fields)).verdict.is_accepted());
  EXPECT_EQ(scan_header(with_fields(fields + "X: a\r\n")).verdict, HttpRefusal::kFieldLimit);
  const std::string without_end = "GET / HTTP/1.1\r\nHost: h\r\n" + fields;
  EXPECT_TRUE(scan_header(without_end).verdict.is_accepted());
  EXPECT_EQ(scan_header(without_end + "X: a\r\n").verdict, HttpRefusal::kFieldLimit)
      << "before the end has come";
}

TEST(RequestGateTest, EveryRefusalHasItsOwnLabelAndAnErrorStatus) {
  std::vector<std::string_view> labels;
  for (size_t i = 0; i < kHttpRefusalCount; ++i) {
    const HttpRefusalInfo& info = refusal_info(static_cast<HttpRefusal>(i));
    EXPECT_EQ(std::count(labels.begin(), labels.end(), info.label), 0) << info.label;
    EXPECT_TRUE(info.status == 0 || info.status >= 400) << info.label;
    labels.push_back(info.label);
  }
}

}  // namespace
}  // namespace statmill
