// The reasons why the HTTP server refuses a request or connection before a handler sees it, each with its
// label in statmill_http_refused_total{reason}, its status and its text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace statmill {

// The labels are part of /metrics and never change.
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
  kUnknownHost,
  kNoToken,
  kLowRole,
  kRemoteWrite,
  kBadLength,
  kBadTransferEncoding,
  kBadExpectation,
  kBadBody,
  kBodyTooLarge,
  kMemoryLimit,
  kConnectionLimit,
  kAddressLimit,
  kIdleLimit,
  kDenied,
  kHandshake,
  kHeaderTimeout,
  kBodyTimeout,
  kWriteTimeout,
  kCount_,  // the number of reasons, not a reason
};

inline constexpr size_t kHttpRefusalCount = static_cast<size_t>(HttpRefusal::kCount_);

struct HttpRefusalInfo {
  std::string_view label;
  unsigned status;  // 0: the connection is closed without an answer
  std::string_view text;
};

const HttpRefusalInfo& refusal_info(HttpRefusal refusal);

}  // namespace statmill
