#include "base/net/tls_channel.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <cerrno>

#include "base/check.h"

namespace statmill {

namespace asio = boost::asio;
using boost::system::error_code;

TlsChannel::TlsChannel(asio::ssl::context& context, int socket) : ssl_(SSL_new(context.native_handle())) {
  SM_CHECK(ssl_ != nullptr && SSL_set_fd(ssl_.get(), socket) == 1);
  SSL_set_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                               SSL_MODE_RELEASE_BUFFERS);
  SSL_set_accept_state(ssl_.get());
}

TlsChannel::TlsChannel(asio::ssl::context& context, int socket, const std::string& name)
    : TlsChannel(context, socket) {
  SSL_set_connect_state(ssl_.get());
  SSL_set_verify(ssl_.get(), SSL_VERIFY_PEER, nullptr);
  error_code not_an_address;
  asio::ip::make_address(name, not_an_address);
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl_.get());
  if (not_an_address) {
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    SM_CHECK(X509_VERIFY_PARAM_set1_host(wanted, name.c_str(), name.size()) == 1);
    SSL_set_tlsext_host_name(ssl_.get(), name.c_str());
  } else {
    SM_CHECK(X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) == 1);
  }
}

TlsChannel::~TlsChannel() = default;

TlsChannel::Outcome TlsChannel::handshake() {
  ERR_clear_error();
  const Outcome done = outcome(SSL_do_handshake(ssl_.get()));
  is_ready_ = done.state == State::kDone;
  return done;
}

TlsChannel::Outcome TlsChannel::read(std::span<char> room) {
  if (failed_) return *failed_;
  size_t all = 0;
  while (true) {
    ERR_clear_error();
    size_t bytes = 0;
    const int result = SSL_read_ex(ssl_.get(), room.data() + all, room.size() - all, &bytes);
    all += bytes;
    // Only what the socket no longer has: after it may come the end of a peer that waits for an answer.
    if (result == 1 && all < room.size() && holds_bytes()) continue;
    const Outcome last = outcome(result);
    if (all == 0) return last;
    // OpenSSL would call a fault by another name the next time.
    if (last.state == State::kFailed) failed_ = last;
    return {State::kDone, all, {}};
  }
}

TlsChannel::Outcome TlsChannel::write(std::string_view bytes) {
  ERR_clear_error();
  size_t written = 0;
  Outcome done = outcome(SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written));
  done.bytes = written;
  return done;
}

bool TlsChannel::holds_bytes() const { return SSL_has_pending(ssl_.get()) == 1; }

void TlsChannel::end_writing() {
  if (!is_ready_) return;  // OpenSSL forbids it during a handshake and after a fault
  ERR_clear_error();
  static_cast<void>(SSL_shutdown(ssl_.get()));
}

TlsChannel::Outcome TlsChannel::outcome(int result) {
  if (result == 1) return {State::kDone, 0, {}};
  const int system_error = errno;
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {State::kWaitRead, 0, {}};
    case SSL_ERROR_WANT_WRITE:
      return {State::kWaitWrite, 0, {}};
    case SSL_ERROR_ZERO_RETURN:
      return {State::kFailed, 0, asio::error::eof};
    case SSL_ERROR_SYSCALL:
      is_ready_ = false;
      return {State::kFailed, 0,
              system_error == 0 ? make_error_code(asio::ssl::error::stream_truncated)
                                : error_code(system_error, boost::system::system_category())};
    default:
      is_ready_ = false;
      const unsigned long why = ERR_get_error();
      // A peer that closes without saying so may have been cut off.
      if (ERR_GET_REASON(why) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
        return {State::kFailed, 0, asio::ssl::error::stream_truncated};
      return {State::kFailed, 0, error_code(static_cast<int>(why), asio::error::get_ssl_category())};
  }
}

}  // namespace statmill
