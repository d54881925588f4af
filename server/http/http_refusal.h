// Why the HTTP server turns a request or a connection away before any handler sees it.
//
// One table: the label of statmill_http_refused_total{reason}, the status answered, and the words for a
// person.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace statmill {

// Text forms are labels in /metrics and never change.
enum class HttpRefusal : uint8_t {
  kBadRequestLine,
  kBadVersion,
  kBadMethod,
  kTargetTooLong,
  kBadTarget,
  kBadEscape,
  kAmbiguousPath,
  kHeaderTooLarge,
  kFieldLimit,
  kBareLineEnd,
  kFoldedField,
  kBadFieldName,
  kBadFieldValue,
  kBadHost,
  kBadLength,
  kBadTransferEncoding,
  kBadExpectation,
  kBadBody,
  kBodyTooLarge,
  kMemoryLimit,
  kConnectionLimit,
  kHeaderTimeout,
  kBodyTimeout,
  kWriteTimeout,
  kCount_,  // how many there are; not a reason
};

inline constexpr size_t kHttpRefusalCount = static_cast<size_t>(HttpRefusal::kCount_);

struct HttpRefusalInfo {
  std::string_view label;
  unsigned status;  // 0: the connection is closed without an answer
  std::string_view text;
};

const HttpRefusalInfo& refusal_info(HttpRefusal refusal);

}  // namespace statmill
