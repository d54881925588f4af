// Client: sends HTTP requests to a statmilld, over TCP or its admin socket, with Boost.Beast.
//
// A request blocks the caller, with a time limit for every step, and uses a connection of its own.
#pragma once

#include <stop_token>
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
using HttpFields = std::vector<std::pair<std::string, std::string>>;  // of a header: name, value

// Returns PATH?NAME=VALUE&..., with all bytes of values but unreserved ones percent-encoded.
std::string url_target(std::string_view path, const UrlParameters& parameters);

// Confined to one thread.
class Client {
 public:
  static constexpr uint64_t kAnswerBytesMax = uint64_t{1} << 30;

  // `server` is "http://HOST[:PORT][/PREFIX]", or https; `timeout` bounds each step: connect, send, receive.
  // Errors: kInvalid if `server` is not a URL of this form.
  static Result<Client> to(std::string_view server, Duration timeout);
  // Connects to the unix socket at `path`. Errors: kInvalid if a socket cannot have that path.
  static Result<Client> at_socket(std::string path, Duration timeout);

  // The PEM file with the certificates to trust for https; empty, or not called: those of the system.
  void set_authority(std::string file) { authority_ = std::move(file); }
  // Sends the token with each request (--http.tokens of the server); empty: none.
  void set_token(std::string token) { token_ = std::move(token); }

  // Returns a client whose requests fail with kUnavailable, at once, when a stop is requested. (The search
  // for a host's address continues until it ends.)
  Client until(std::stop_token stop) const;
  // Returns a client whose steps have at most this limit.
  Client within(Duration timeout) const;

  // The host that it connects to; empty for a socket.
  const std::string& host() const { return host_; }

  // Percent-encodes the parameters. Errors: kUnavailable if the server cannot be reached or does not answer
  // in time, kIo if the answer is not HTTP, kLimit if it is larger than kAnswerBytesMax.
  Result<HttpAnswer> get(std::string_view path, const UrlParameters& parameters = {}) const;
  Result<HttpAnswer> post(std::string_view path, std::string body,
                          const UrlParameters& parameters = {}) const;
  // The same with these fields in the header, one of which is Content-Type.
  Result<HttpAnswer> post_with(std::string_view path, std::string body, const HttpFields& fields) const;

 private:
  struct Sent {
    bool is_post = false;
    std::string target;
    std::string body = {};
    HttpFields fields = {};
  };
  Client() = default;
  Result<HttpAnswer> exchange(Sent sent) const;

  std::string host_;
  std::string port_;
  bool uses_tls_ = false;
  std::string authority_;
  std::string socket_path_;  // empty: connect to host and port
  std::string prefix_;       // before every path; does not end with a slash
  std::string peer_;         // for messages
  std::string token_;
  Duration timeout_{};
  std::stop_token stop_;
};

}  // namespace statmill
