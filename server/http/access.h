// Access: who may do what over HTTP: the roles of a token file, and what needs none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"

namespace statmill {

// Ascending: each role may do what those before it may.
enum class Role : uint8_t {
  kNone,   // health, and the files of the page
  kRead,   // queries and reports
  kWrite,  // also samples, and what the page saves
  kAdmin,  // also deleting and renaming
};

// What a request may do, and whose it is.
struct Grant {
  Role role = Role::kNone;
  // The words for people of its token; a view into Access. Empty: no token, or one without words.
  std::string_view user = {};

  bool operator==(const Grant&) const = default;
};

// Thread-safe: never changes after construction.
class Access {
 public:
  static constexpr size_t kTokensMax = 1000;
  static constexpr size_t kFileBytesMax = size_t{1} << 20;
  static constexpr size_t kUserBytesMax = 64;  // words for people are cut there

  // Without tokens: clients of this host may write, others may read.
  Access() = default;
  // With the tokens of a file: each line is a role (read, write or admin), the SHA-256 of a token as 64
  // hexadecimal digits, and perhaps words for people; empty lines and those that begin with # are comments.
  // Errors: kInvalid with the line if the file cannot be read, is open to other users, or is not of this
  // form.
  static Result<Access> from_file(const std::string& path);

  bool has_tokens() const { return !tokens_.empty(); }
  bool has_admin() const;
  // Returns what a request may do, and whose token it has. `authorization` is its field, or empty: "Bearer
  // TOKEN"; "Token TOKEN", as clients of InfluxDB 2 send it; or "Basic" with the token as the password of any
  // user, for clients that know no tokens. `is_local` says that its client is on this host. Cost: a hash of
  // the token, and a comparison with each one that takes the same time whatever the token is.
  Grant granted(std::string_view authorization, bool is_local) const;

 private:
  using Hash = std::array<unsigned char, 32>;
  struct Token {
    Hash hash;
    Role role;
    std::string user;
  };
  static std::optional<Token> parse(std::string_view line);

  std::vector<Token> tokens_;
};

// An Access that can be replaced while it is used. Thread-safe.
class CurrentAccess {
 public:
  explicit CurrentAccess(Access access = {}) { set(std::move(access)); }

  std::shared_ptr<const Access> get() const {
    MutexLock lock(mutex_);
    return access_;
  }
  void set(Access access) {
    auto next = std::make_shared<const Access>(std::move(access));
    MutexLock lock(mutex_);
    access_ = std::move(next);
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const Access> access_ GUARDED_BY(mutex_);
};

}  // namespace statmill
