// Client: one HTTP request at a time to a statmilld, over TCP or at its admin socket, by Boost.Beast.
//
// Blocking for the caller, but every step has a time limit. One connection per request.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

struct HttpAnswer {
  unsigned status = 0;
  std::string body;
};

using UrlParameters = std::vector<std::pair<std::string, std::string>>;

// Confined to one thread.
class Client {
 public:
  static constexpr uint64_t kAnswerBytesMax = uint64_t{1} << 30;

  // `server` is "http://HOST[:PORT][/PREFIX]"; `timeout` bounds each step: connect, send, receive.
  // Errors: kInvalid when it is no such URL.
  static Result<Client> to(std::string_view server, Duration timeout);
  // Of the unix socket at `path`. Errors: kInvalid when no socket can have that path.
  static Result<Client> at_socket(std::string path, Duration timeout);

  // Parameters are percent-encoded here. Errors: kUnavailable when the server cannot be reached or does not
  // answer in time, kIo when what comes is not HTTP, kLimit over kAnswerBytesMax.
  Result<HttpAnswer> get(std::string_view path, const UrlParameters& parameters = {}) const;
  Result<HttpAnswer> post(std::string_view path, std::string body,
                          const UrlParameters& parameters = {}) const;

 private:
  Client() = default;
  std::string target(std::string_view path, const UrlParameters& parameters) const;
  Result<HttpAnswer> exchange(bool post, std::string target, std::string body) const;

  std::string host_;
  std::string port_;
  std::string socket_path_;  // empty: host and port count
  std::string prefix_;       // of every path; no slash at its end
  std::string peer_;         // for messages
  Duration timeout_{};
};

}  // namespace statmill
