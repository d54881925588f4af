#include "tests/support/certificate.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <random>

#include "base/check.h"

namespace statmill {
namespace {

constexpr long kValidSeconds = 3600;

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using Memory = std::unique_ptr<BIO, Free<BIO_free>>;

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  SM_CHECK(extension != nullptr);
  SM_CHECK(X509_add_ext(certificate, extension.get(), -1) == 1);
}

Certificate signed_by(EVP_PKEY* key, const std::string& names) {
  Certificate out(X509_new());
  SM_CHECK(X509_set_version(out.get(), X509_VERSION_3) == 1);
  // Distinguishes several certificates of one test.
  const long serial = static_cast<long>(std::random_device()());
  SM_CHECK(ASN1_INTEGER_set(X509_get_serialNumber(out.get()), serial) == 1);
  SM_CHECK(X509_gmtime_adj(X509_getm_notBefore(out.get()), -kValidSeconds) != nullptr);
  SM_CHECK(X509_gmtime_adj(X509_getm_notAfter(out.get()), kValidSeconds) != nullptr);
  SM_CHECK(X509_set_pubkey(out.get(), key) == 1);
  X509_NAME* const name = X509_get_subject_name(out.get());
  const std::string text = "test " + std::to_string(serial);
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.c_str());
  SM_CHECK(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, bytes, -1, -1, 0) == 1);
  SM_CHECK(X509_set_issuer_name(out.get(), name) == 1);
  add_extension(out.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(out.get(), NID_subject_alt_name, names);
  SM_CHECK(X509_sign(out.get(), key, EVP_sha256()) > 0);
  return out;
}

std::string text_of(BIO* memory) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory, &bytes);
  return {bytes, static_cast<size_t>(size)};
}

}  // namespace

CertificateFiles make_certificate(const TempDirectory& directory, const std::string& names) {
  const Key key(EVP_EC_gen("P-256"));
  SM_CHECK(key != nullptr);
  const Certificate certificate = signed_by(key.get(), names);
  const Memory certificate_text(BIO_new(BIO_s_mem()));
  SM_CHECK(PEM_write_bio_X509(certificate_text.get(), certificate.get()) == 1);
  const Memory key_text(BIO_new(BIO_s_mem()));
  SM_CHECK(PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return {directory.write("certificate.pem", text_of(certificate_text.get())).string(),
          directory.write("key.pem", text_of(key_text.get())).string()};
}

}  // namespace statmill
