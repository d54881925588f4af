// A certificate made for a test: it vouches for itself, so it is its own authority.
#pragma once

#include <string>

#include "tests/support/temp_directory.h"

namespace statmill {

struct CertificateFiles {
  std::string certificate;  // PEM; also what a client believes that is to trust it
  std::string key;          // PEM, its own
};

// Writes both to the directory, valid for an hour. `names`: whom it is for, as OpenSSL writes it:
// "IP:127.0.0.1,DNS:stat.example". Ends the process when OpenSSL refuses.
CertificateFiles make_certificate(const TempDirectory& directory, const std::string& names);

}  // namespace statmill
