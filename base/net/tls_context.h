// The TLS contexts of servers and clients: TLS 1.2 or later.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "base/text.h"

namespace statmill {

using TlsContext = boost::asio::ssl::context;

// Files with the certificate of a server; TLS is off if both names are empty.
struct TlsFiles {
  std::string certificate;  // the chain, PEM
  std::string key;          // its private key, PEM
};

// The certificate of a listener. Thread-safe.
class ServerTls {
 public:
  // `setting` is the prefix of the settings, such as "http"; a string literal.
  ServerTls(std::string_view setting, TlsFiles files) : setting_(setting), files_(std::move(files)) {}

  // Reads the files, again if they have changed since. Connections that exist keep what they have. On an
  // error new ones, too, get what was read before. Errors: kInvalid, with the name of the file or the
  // settings.
  Status load();
  // Null before load(), and if TLS is off.
  std::shared_ptr<TlsContext> context() const;
  bool is_on() const { return !files_.certificate.empty(); }
  // Returns an error if other hosts can reach `address`, TLS is off and `allows_plain` is false. `listen` is
  // the address as it was set.
  Status check_plain(const Endpoint& listen, const boost::asio::ip::address& address,
                     bool allows_plain) const;

 private:
  const std::string_view setting_;
  const TlsFiles files_;
  mutable Mutex mutex_;
  std::shared_ptr<TlsContext> context_ GUARDED_BY(mutex_);
};

// The TLS context of a client that trusts the certificates in a PEM file; those of the system if the name is
// empty. Errors: kInvalid.
Result<std::shared_ptr<TlsContext>> client_tls(const std::string& authority_file);

}  // namespace statmill
