// Makes self-signed certificates for tests.
#pragma once

#include <string>

#include "tests/support/temp_directory.h"

namespace statmill {

struct CertificateFiles {
  std::string certificate;  // PEM; a client that trusts the certificate uses it as its authority
  std::string key;          // PEM
};

// Writes both files to the directory; the certificate is valid for an hour. `names` are in the syntax of
// OpenSSL: "IP:127.0.0.1,DNS:stat.example". Ends the process on errors of OpenSSL.
CertificateFiles make_certificate(const TempDirectory& directory, const std::string& names);

}  // namespace statmill
