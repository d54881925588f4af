// Compression of answers: which coding a client accepts, and the encoders, zstd and gzip at level 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace statmill {

enum class ContentCoding : uint8_t { kNone, kGzip, kZstd };

// Smaller answers are not compressed: they fit into one packet or two anyway.
inline constexpr size_t kCompressedBytesMin = 1024;

// Returns the value of Content-Encoding; empty for kNone.
std::string_view coding_name(ContentCoding coding);

// Chooses from the field Accept-Encoding (RFC 9110 section 12.5.3): the coding with the greatest weight, zstd
// before gzip if they are equal. Returns kNone if the text is malformed.
ContentCoding accepted_coding(std::string_view accept_encoding);

// Returns true if the field allows gzip, whatever else it allows.
bool accepts_gzip(std::string_view accept_encoding);

// Compresses one answer. Used by one thread at a time.
class BodyEncoder {
 public:
  virtual ~BodyEncoder() = default;
  // Returns the next compressed bytes; may be empty. With `is_last` all that is left; call nothing
  // afterwards.
  virtual std::string encode(std::string_view bytes, bool is_last) = 0;
  // Returns what is needed to decode all that was given so far.
  virtual std::string flush() = 0;
};

// Returns nullptr for kNone.
std::unique_ptr<BodyEncoder> make_encoder(ContentCoding coding);

}  // namespace statmill
