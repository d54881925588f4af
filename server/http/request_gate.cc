#include "server/http/request_gate.h"

#include <algorithm>

#include "base/http_token.h"
#include "server/http/ignoring_case.h"
#include "server/http/url.h"

namespace statmill {
namespace {

// Section numbers refer to RFC 9112 unless another RFC is named.

constexpr std::string_view kCrLf = "\r\n";
// 18 digits always fit 64 bits.
constexpr size_t kLengthDigitsMax = 18;

bool is_alphanumeric(char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9'); }

// Visible bytes, blanks, and bytes from 0x80 up (RFC 9110 section 5.5).
bool is_value_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// Allows a name, an IPv4 or an [IPv6] address, with or without port. Bytes that could form user information,
// a path or a list are not allowed.
bool is_host(std::string_view text) {
  const auto is_host_byte = [](char c) {
    return is_alphanumeric(c) || std::string_view("-._~:[]%").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_host_byte);
}

bool is_length(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && text.size() <= kLengthDigitsMax && std::all_of(text.begin(), text.end(), is_digit);
}

// The fields that decide where a request ends and which host it is for.
struct Framing {
  bool is_version_1_1 = false;
  size_t fields = 0;
  size_t hosts = 0;
  size_t lengths = 0;
  size_t transfer_encodings = 0;
};

Verdict<HttpRefusal> check_request_line(std::string_view line, Framing& framing) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return HttpRefusal::kBadRequestLine;
  const std::string_view method = line.substr(0, first);
  const std::string_view version = line.substr(last + 1);
  if (!is_http_token(method)) return HttpRefusal::kBadRequestLine;
  if (method == "TRACE" || method == "CONNECT") return HttpRefusal::kBadMethod;
  if (!version.starts_with("HTTP/")) return HttpRefusal::kBadRequestLine;
  framing.is_version_1_1 = version == "HTTP/1.1";
  if (!framing.is_version_1_1 && version != "HTTP/1.0") return HttpRefusal::kBadVersion;
  return check_target(line.substr(first + 1, last - first - 1));
}

Verdict<HttpRefusal> check_field(std::string_view line, Framing& framing) {
  if (++framing.fields > kHeaderFieldsMax) return HttpRefusal::kFieldLimit;
  if (line.front() == ' ' || line.front() == '\t') return HttpRefusal::kFoldedField;
  const size_t colon = line.find(':');
  // A blank before the colon is not a token byte, so it is refused here, as section 5.1 requires.
  if (colon == std::string_view::npos || !is_http_token(line.substr(0, colon)))
    return HttpRefusal::kBadFieldName;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!std::all_of(value.begin(), value.end(), is_value_byte)) return HttpRefusal::kBadFieldValue;
  if (equals_ignoring_case(name, "host")) {
    if (++framing.hosts > 1 || !is_host(value)) return HttpRefusal::kBadHost;
  } else if (equals_ignoring_case(name, "content-length")) {
    if (++framing.lengths > 1 || !is_length(value)) return HttpRefusal::kBadLength;
  } else if (equals_ignoring_case(name, "transfer-encoding")) {
    if (++framing.transfer_encodings > 1 || !equals_ignoring_case(value, "chunked")) {
      return HttpRefusal::kBadTransferEncoding;
    }
  }
  return kAccepted;
}

Verdict<HttpRefusal> check_framing(const Framing& framing) {
  if (framing.is_version_1_1 && framing.hosts != 1) return HttpRefusal::kBadHost;
  const bool may_chunk = framing.is_version_1_1 && framing.lengths == 0;
  if (framing.transfer_encodings > 0 && !may_chunk) return HttpRefusal::kBadTransferEncoding;
  return kAccepted;
}

}  // namespace

HeaderScan scan_header(std::string_view bytes) {
  // A request starts with its method, so the first byte exposes TLS, binary protocols and stray line ends.
  if (!bytes.empty() && !is_http_token_byte(bytes.front())) return {0, HttpRefusal::kBadRequestLine};
  const std::string_view head = bytes.substr(0, kHeaderBytesMax);
  size_t line_begin = 0;
  size_t lines = 0;
  for (size_t end = head.find('\n'); end != std::string_view::npos; end = head.find('\n', line_begin)) {
    if (end == line_begin || head[end - 1] != '\r') return {0, HttpRefusal::kBareLineEnd};
    if (end == line_begin + 1) return {end + 1, check_header(head.substr(0, end + 1))};
    line_begin = end + 1;
    // Each read scans from the start, so a header that comes byte by byte must not have thousands of lines.
    if (++lines > kHeaderFieldsMax + 1) return {0, HttpRefusal::kFieldLimit};
  }
  if (head.size() < kHeaderBytesMax) return {};
  return {0, line_begin == 0 ? HttpRefusal::kTargetTooLong : HttpRefusal::kHeaderTooLarge};
}

Verdict<HttpRefusal> check_header(std::string_view block) {
  Framing framing;
  for (bool is_request_line = true; !block.starts_with(kCrLf); is_request_line = false) {
    const size_t end = block.find(kCrLf);
    if (end == std::string_view::npos) return HttpRefusal::kBareLineEnd;
    const std::string_view line = block.substr(0, end);
    if (line.find_first_of("\r\n") != std::string_view::npos) return HttpRefusal::kBareLineEnd;
    const auto verdict = is_request_line ? check_request_line(line, framing) : check_field(line, framing);
    if (verdict.is_refused()) return verdict;
    block.remove_prefix(end + kCrLf.size());
  }
  return check_framing(framing);
}

RequestLine request_line(std::string_view block) {
  const size_t method_end = block.find(' ');
  const size_t target_end = block.find(' ', method_end + 1);
  return {block.substr(0, method_end), block.substr(method_end + 1, target_end - method_end - 1)};
}

}  // namespace statmill
