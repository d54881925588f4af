#include "server/http/access.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/base64.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "server/http/ignoring_case.h"

namespace statmill {
namespace {

std::optional<Role> parse_role(std::string_view word) {
  if (word == "read") return Role::kRead;
  if (word == "write") return Role::kWrite;
  if (word == "admin") return Role::kAdmin;
  return std::nullopt;
}

std::optional<unsigned char> parse_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned char>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned char>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned char>(c - 'A' + 10);
  return std::nullopt;
}

// Removes and returns the first word.
std::string_view consume_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

// Returns the words for people that end a line, at most kUserBytesMax of printable ASCII; others become "?".
std::string words_of(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  std::string words(rest.substr(0, Access::kUserBytesMax));
  words.erase(words.find_last_not_of(" \t") + 1);
  for (char& c : words) c = c >= ' ' && c <= '~' ? c : '?';
  return words;
}

// Returns the token of an Authorization field; empty: none.
std::string token_of(std::string_view authorization) {
  const std::string_view scheme = authorization.substr(0, authorization.find(' '));
  authorization.remove_prefix(scheme.size());
  const std::string_view credentials = consume_word(authorization);
  if (equals_ignoring_case(scheme, "bearer") || equals_ignoring_case(scheme, "token"))
    return std::string(credentials);
  if (!equals_ignoring_case(scheme, "basic")) return {};
  const auto user_and_password = base64_decoded(credentials);
  if (!user_and_password) return {};
  const size_t colon = user_and_password->find(':');
  return colon == std::string::npos ? std::string() : user_and_password->substr(colon + 1);
}

Result<std::string> read_private_file(const std::string& path) {
  const auto invalid = [&path](std::string_view why) {
    return Error{ErrorCode::kInvalid, "http.tokens " + path + ": " + std::string(why)};
  };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (!file.is_open() || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode))
    return invalid("is no file that can be read");
  // Its group may read it: Kubernetes and systemd give secrets to a program that way.
  if ((about.st_mode & 027) != 0) return invalid("others can open it: its mode must be 0640, or less");
  if (static_cast<uint64_t>(about.st_size) > Access::kFileBytesMax) return invalid("is over 1 MiB");
  std::string text(static_cast<size_t>(about.st_size), '\0');
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size < 0) return invalid("cannot be read");
  text.resize(static_cast<size_t>(size));
  return text;
}

}  // namespace

std::optional<Access::Token> Access::parse(std::string_view line) {
  const auto role = parse_role(consume_word(line));
  const std::string_view digits = consume_word(line);
  if (!role || digits.size() != 2 * sizeof(Hash)) return std::nullopt;
  Token token{{}, *role, words_of(line)};
  for (size_t i = 0; i < token.hash.size(); ++i) {
    const auto high = parse_digit(digits[2 * i]);
    const auto low = parse_digit(digits[2 * i + 1]);
    if (!high || !low) return std::nullopt;
    token.hash[i] = static_cast<unsigned char>(*high << 4 | *low);
  }
  return token;
}

Result<Access> Access::from_file(const std::string& path) {
  const auto text = read_private_file(path);
  if (!text) return text.error();
  Access out;
  size_t number = 0;
  for (std::string_view line : split(*text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#')) continue;
    const auto token = parse(line);
    const std::string where = "http.tokens " + path + ":" + std::to_string(number) + ": ";
    if (!token) {
      return Error{ErrorCode::kInvalid,
                   where + "must be read, write or admin, and the SHA-256 of a token in hexadecimal digits"};
    }
    if (out.tokens_.size() == kTokensMax)
      return Error{ErrorCode::kInvalid, where + "over " + std::to_string(kTokensMax) + " tokens"};
    out.tokens_.push_back(*token);
  }
  if (out.tokens_.empty()) return Error{ErrorCode::kInvalid, "http.tokens " + path + ": has no token"};
  return out;
}

bool Access::has_admin() const {
  return std::ranges::any_of(tokens_, [](const Token& token) { return token.role == Role::kAdmin; });
}

Grant Access::granted(std::string_view authorization, bool is_local) const {
  if (tokens_.empty()) return {is_local ? Role::kWrite : Role::kRead};
  const std::string text = token_of(authorization);
  if (text.empty()) return {};
  Hash hash;
  static_assert(SHA256_DIGEST_LENGTH == sizeof(hash));
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
  Grant grant;
  for (const Token& token : tokens_) {
    const bool is_same = CRYPTO_memcmp(token.hash.data(), hash.data(), hash.size()) == 0;
    if (is_same && token.role > grant.role) grant = {token.role, token.user};
  }
  return grant;
}

}  // namespace statmill
