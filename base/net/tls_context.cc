#include "base/net/tls_context.h"

#include <openssl/ssl.h>

#include <utility>

namespace statmill {
namespace {

Error invalid(const std::string& file, const boost::system::error_code& why) {
  return {ErrorCode::kInvalid, file + ": " + why.message()};
}

constexpr size_t kReadAheadBytes = 68 << 10;  // four records, and what belongs to them
// Of TLS 1.3. For clients without AES in hardware, which offer ChaCha20 first, that stays first.
constexpr const char* kCiphers = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

std::shared_ptr<TlsContext> new_context() {
  auto context = std::make_shared<TlsContext>(TlsContext::tls);
  context->set_options(TlsContext::default_workarounds | TlsContext::no_tlsv1 | TlsContext::no_tlsv1_1 |
                       TlsContext::no_compression);
  // A client could ask for new handshakes of its connection without end.
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION);
  return context;
}

Result<std::shared_ptr<TlsContext>> server_context(const TlsFiles& files) {
  std::shared_ptr<TlsContext> context = new_context();
  boost::system::error_code fault;
  context->use_certificate_chain_file(files.certificate, fault);
  if (fault) return invalid(files.certificate, fault);
  context->use_private_key_file(files.key, TlsContext::pem, fault);
  if (fault) return invalid(files.key, fault);
  // One call of the system reads several records, not one for each head and each record.
  SSL_CTX_set_read_ahead(context->native_handle(), 1);
  SSL_CTX_set_default_read_buffer_len(context->native_handle(), kReadAheadBytes);
  // The fastest first: clients usually offer the longest key first, which is no safer in practice.
  SSL_CTX_set_ciphersuites(context->native_handle(), kCiphers);
  SSL_CTX_set_options(context->native_handle(), SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  // A sender that only writes would never read the tickets of TLS 1.3, and the kernel of a client that closes
  // with unread bytes resets the connection: what the server has not read yet would be lost.
  SSL_CTX_set_num_tickets(context->native_handle(), 0);
  return context;
}

}  // namespace

Status ServerTls::load() {
  const std::string setting(setting_);
  if (files_.certificate.empty() != files_.key.empty())
    return Error{ErrorCode::kInvalid, setting + ".certificate, " + setting + ".key: set both or neither"};
  if (!is_on()) return Status::ok();
  auto context = server_context(files_);
  if (!context) return context.error();
  MutexLock lock(mutex_);
  context_ = std::move(*context);
  return Status::ok();
}

Status ServerTls::check_plain(const Endpoint& listen, const boost::asio::ip::address& address,
                              bool allows_plain) const {
  if (is_on() || allows_plain || address.is_loopback()) return Status::ok();
  const std::string setting(setting_);
  return Error{ErrorCode::kInvalid, setting + ".listen " + listen.text() +
                                        ": an address that other hosts can reach needs --" + setting +
                                        ".certificate and --" + setting + ".key, or --" + setting + ".plain"};
}

std::shared_ptr<TlsContext> ServerTls::context() const {
  MutexLock lock(mutex_);
  return context_;
}

Result<std::shared_ptr<TlsContext>> client_tls(const std::string& authority_file) {
  auto context = new_context();
  boost::system::error_code fault;
  if (authority_file.empty()) {
    context->set_default_verify_paths(fault);
    if (fault) return invalid("the system's certificates", fault);
  } else {
    context->load_verify_file(authority_file, fault);
    if (fault) return invalid(authority_file, fault);
  }
  return context;
}

}  // namespace statmill
