// Result<T> and Status: how a function says that the world failed (disk, peer, configuration).
//
// The caller must look: both types are [[nodiscard]]. Context is added once per layer, outermost first:
//   return error.with("open data directory /var/lib/statmill");
#pragma once

#include <boost/system/result.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace statmill {

enum class ErrorCode {
  kInvalid,      // what was given makes no sense: text, option, request
  kNotFound,     // the thing asked for does not exist
  kBusy,         // someone else holds it: address in use, data directory locked
  kCorrupt,      // bytes on disk or wire are damaged
  kVersion,      // a format of another version
  kUnavailable,  // the kernel, the peer or the build lacks it
  kLimit,        // a named limit was met
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
  std::abort();  // value() of a failed Result: a bug of ours.
}

// Either a T or an Error. `value()` of an error ends the process; ask `has_value()` first.
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
