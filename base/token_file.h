// Tokens by which peers authenticate: each side reads it from the first line of a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"

namespace statmill {

inline constexpr size_t kTokenBytesMin = 16;  // too many possibilities to try all
inline constexpr size_t kTokenBytesMax = 512;

// Returns an empty token if the path is empty. Errors: kInvalid, naming `setting`, if the file cannot be read
// or its first line is not a token.
Result<std::string> read_token_file(std::string_view setting, const std::string& path);

// The token in a file, which can be read again while the token is used. Thread-safe.
class TokenFile {
 public:
  // `setting` must be a string literal.
  TokenFile(std::string_view setting, std::string path) : setting_(setting), path_(std::move(path)) {}

  // Reads the file. On an error the token stays as it was. Errors: those of read_token_file().
  Status load();
  std::string token() const;

 private:
  const std::string_view setting_;
  const std::string path_;
  mutable Mutex mutex_;
  std::string token_ GUARDED_BY(mutex_);
};

}  // namespace statmill
