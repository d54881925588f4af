#include "base/net/wire.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>

namespace statmill {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;

Wire::Wire(Tcp::socket socket, ssl::context* tls) {
  if (tls == nullptr) {
    plain_ = std::make_unique<Tcp::socket>(std::move(socket));
    return;
  }
  tls_ = std::make_unique<TlsStream>(std::move(socket), *tls);
  tls_bytes_.resize(kTlsReadBytes);
}

Wire::Tcp::socket& Wire::socket() { return tls_ ? tls_->next_layer() : *plain_; }

void Wire::accept(std::function<void(const Fault&)> done) {
  if (tls_) return tls_->async_handshake(ssl::stream_base::server, std::move(done));
  asio::post(plain_->get_executor(), [done = std::move(done)] { done({}); });
}

void Wire::connect(const std::string& name, std::function<void(const Fault&)> done) {
  if (!tls_) {
    asio::post(plain_->get_executor(), [done = std::move(done)] { done({}); });
    return;
  }
  SSL_set_tlsext_host_name(tls_->native_handle(),
                           name.c_str());  // fails for an IP address; then the request has no name
  tls_->set_verify_mode(ssl::verify_peer);
  tls_->set_verify_callback(ssl::host_name_verification(name));
  tls_->async_handshake(ssl::stream_base::client, std::move(done));
}

void Wire::read(std::span<char> room, std::function<void(const Fault&, std::string_view)> done) {
  if (tls_) {
    tls_->async_read_some(asio::buffer(tls_bytes_),
                          [this, done = std::move(done)](const Fault& fault, size_t bytes) {
                            done(fault, {tls_bytes_.data(), bytes});
                          });
    return;
  }
  // Many connections share `room`, so it is used only once there is data to read.
  plain_->async_wait(Tcp::socket::wait_read, [this, room, done = std::move(done)](const Fault& waited) {
    Fault fault = waited;
    const size_t bytes = fault ? 0 : plain_->read_some(asio::buffer(room.data(), room.size()), fault);
    if (fault == asio::error::would_block) return read(room, done);
    done(fault, {room.data(), bytes});
  });
}

void Wire::write(std::string_view bytes, std::function<void(const Fault&)> done) {
  const auto wrote = [done = std::move(done)](const Fault& fault, size_t) { done(fault); };
  if (tls_) {
    asio::async_write(*tls_, asio::buffer(bytes), wrote);
  } else {
    asio::async_write(*plain_, asio::buffer(bytes), wrote);
  }
}

void Wire::close() {
  Fault ignored;  // the connection is gone either way
  socket().close(ignored);
}

namespace {

Error invalid(const std::string& file, const boost::system::error_code& why) {
  return {ErrorCode::kInvalid, file + ": " + why.message()};
}

std::unique_ptr<ssl::context> new_context() {
  auto context = std::make_unique<ssl::context>(ssl::context::tls);
  context->set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 |
                       ssl::context::no_compression);
  return context;
}

}  // namespace

Result<std::unique_ptr<ssl::context>> server_tls(const std::string& certificate_file,
                                                 const std::string& key_file) {
  auto context = new_context();
  boost::system::error_code fault;
  context->use_certificate_chain_file(certificate_file, fault);
  if (fault) return invalid(certificate_file, fault);
  context->use_private_key_file(key_file, ssl::context::pem, fault);
  if (fault) return invalid(key_file, fault);
  return context;
}

Result<std::unique_ptr<ssl::context>> client_tls(const std::string& authority_file) {
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
