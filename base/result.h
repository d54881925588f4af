// Result<T> and Status: report failures of the environment (disk, peer, configuration) to the caller.
//
// Both are [[nodiscard]]: the caller must check. Each layer adds context once, so the outermost comes first:
//   return error.with("open data directory /var/lib/statmill");
#pragma once

#include <boost/system/result.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace statmill {

enum class ErrorCode {
  kInvalid,      // the input is invalid: text, option, request
  kNotFound,     // the requested thing does not exist
  kBusy,         // another process holds it: address in use, data directory locked
  kCorrupt,      // bytes on disk or wire are damaged
  kVersion,      // a format of another version
  kUnavailable,  // the kernel, the peer or the build does not support it
  kLimit,        // a named limit was reached
  kIo,           // any other failure of disk or network
};

struct Error {
  ErrorCode code = ErrorCode::kIo;
  std::string message;

  Error with(std::string_view context) && {
    message = std::string(context) + ": " + message;
    return std::move(*this);
  }
};

[[noreturn]] inline void throw_exception_from_error(const Error&, const boost::source_location&) {
  std::abort();  // value() of a failed Result is a bug of ours
}

// Either a T or an Error. Calling value() on an error ends the process; check has_value() first.
template <class T>
class [[nodiscard]] Result : public boost::system::result<T, Error> {
 public:
  using boost::system::result<T, Error>::result;
};

// Success, or an Error.
class [[nodiscard]] Status : public boost::system::result<void, Error> {
 public:
  using boost::system::result<void, Error>::result;
  static Status ok() { return {}; }
};

}  // namespace statmill
