#include "server/http/http_refusal.h"

#include <array>

#include "base/check.h"

namespace statmill {
namespace {

struct Row {
  HttpRefusal refusal;
  HttpRefusalInfo info;
};

// In the order of the enumeration.
constexpr std::array<Row, kHttpRefusalCount> kRows = {{
    {HttpRefusal::kBadRequestLine,
     {"bad_request_line", 400, "the request line is not METHOD SP TARGET SP HTTP/1.1"}},
    {HttpRefusal::kBadVersion, {"bad_version", 505, "only HTTP/1.1 and HTTP/1.0 are supported"}},
    {HttpRefusal::kBadMethod, {"bad_method", 400, "the methods TRACE and CONNECT are not supported"}},
    {HttpRefusal::kTargetTooLong, {"target_too_long", 414, "the target is over 16384 bytes"}},
    {HttpRefusal::kBadTarget,
     {"bad_target", 400, "the target is not a path of printable ASCII that starts with /"}},
    {HttpRefusal::kBadEscape,
     {"bad_escape", 400, "the target has an invalid percent escape or an escaped NUL"}},
    {HttpRefusal::kAmbiguousPath,
     {"ambiguous_path", 400,
      "the path has an empty or dot segment, or an escaped slash, backslash or control byte"}},
    {HttpRefusal::kHeaderTooLarge, {"header_too_large", 431, "the header is over 24576 bytes"}},
    {HttpRefusal::kFieldLimit, {"field_limit", 431, "the header has over 64 fields"}},
    {HttpRefusal::kBareLineEnd, {"bare_line_end", 400, "a line of the header does not end in CR LF"}},
    {HttpRefusal::kFoldedField, {"folded_field", 400, "a header field is continued on the next line"}},
    {HttpRefusal::kBadFieldName,
     {"bad_field_name", 400, "a header field name is empty or has an illegal byte"}},
    {HttpRefusal::kBadFieldValue,
     {"bad_field_value", 400, "a header field value has an illegal byte or list"}},
    {HttpRefusal::kBadHost,
     {"bad_host", 400, "the header must have exactly one Host field with a valid host"}},
    {HttpRefusal::kUnknownHost,
     {"unknown_host", 421,
      "the Host of the request is neither localhost, nor an address, nor in --http.hosts"}},
    {HttpRefusal::kNoToken,
     {"no_token", 401, "this needs a token that the server knows: Authorization: Bearer TOKEN"}},
    {HttpRefusal::kLowRole, {"low_role", 403, "the role of the token does not allow this"}},
    {HttpRefusal::kRemoteWrite,
     {"remote_write", 403,
      "clients on other hosts may change this only with a token, and there are none (--http.tokens)"}},
    {HttpRefusal::kBadLength, {"bad_length", 400, "Content-Length is not exactly one decimal number"}},
    {HttpRefusal::kBadTransferEncoding,
     {"bad_transfer_encoding", 400,
      "Transfer-Encoding must be a single `chunked`, on HTTP/1.1 and without Content-Length"}},
    {HttpRefusal::kBadExpectation,
     {"bad_expectation", 417, "the only supported expectation is 100-continue"}},
    {HttpRefusal::kBadBody, {"bad_body", 400, "the chunks of the body are malformed"}},
    {HttpRefusal::kBodyTooLarge, {"body_too_large", 413, "the body is over the limit of this path"}},
    {HttpRefusal::kMemoryLimit,
     {"memory_limit", 503, "requests and answers under way have reached their memory limit"}},
    {HttpRefusal::kConnectionLimit, {"connection_limit", 503, "too many connections"}},
    {HttpRefusal::kAddressLimit, {"address_limit", 503, "too many connections from this address"}},
    {HttpRefusal::kIdleLimit, {"idle_limit", 0, "the connection was idle, and a new one needed its place"}},
    {HttpRefusal::kDenied, {"denied", 0, "the network of the client may not connect"}},
    {HttpRefusal::kHandshake, {"handshake", 0, "the TLS handshake failed"}},
    {HttpRefusal::kHeaderTimeout, {"header_timeout", 0, "the header did not arrive in time"}},
    {HttpRefusal::kBodyTimeout, {"body_timeout", 0, "the body did not arrive in time"}},
    {HttpRefusal::kWriteTimeout, {"write_timeout", 0, "the client did not read the answer in time"}},
}};

}  // namespace

const HttpRefusalInfo& refusal_info(HttpRefusal refusal) {
  const Row& row = kRows[static_cast<size_t>(refusal)];
  SM_CHECK(row.refusal == refusal);
  return row.info;
}

}  // namespace statmill
