#include "server/http/content_coding.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/check.h"
#include "base/text.h"

namespace statmill {
namespace {

constexpr size_t kEncodedPiece = size_t{16} << 10;

std::string_view without_blanks(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// Parses a weight, "0" to "1" with up to three decimals, in thousandths.
std::optional<int> parse_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int weight = text[0] - '0';
  for (size_t i = 2; i < 5; ++i) {
    const char digit = i < text.size() ? text[i] : '0';
    if (digit < '0' || digit > '9') return std::nullopt;
    weight = weight * 10 + (digit - '0');
  }
  return weight <= 1000 ? std::optional(weight) : std::nullopt;
}

bool is_name(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// What a client accepts, in thousandths; 0: not at all.
struct Weights {
  int gzip = 0;
  int zstd = 0;
};

// Nothing is accepted if the text is malformed.
Weights parse_weights(std::string_view accept_encoding) {
  constexpr int kWeightMax = 1000;
  std::optional<int> gzip;
  std::optional<int> zstd;
  std::optional<int> others;
  for (const std::string_view element : split(accept_encoding, ',')) {
    const size_t semicolon = std::min(element.find(';'), element.size());
    const std::string_view name = without_blanks(element.substr(0, semicolon));
    int weight = kWeightMax;
    if (semicolon < element.size()) {
      const std::string_view parameter = without_blanks(element.substr(semicolon + 1));
      if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return {};
      const std::optional<int> parsed = parse_weight(parameter.substr(2));
      if (!parsed) return {};
      weight = *parsed;
    }
    if (is_name(name, "gzip") || is_name(name, "x-gzip")) gzip = weight;
    if (is_name(name, "zstd")) zstd = weight;
    if (name == "*") others = weight;
  }
  return {gzip.value_or(others.value_or(0)), zstd.value_or(others.value_or(0))};
}

class GzipEncoder final : public BodyEncoder {
 public:
  GzipEncoder() {
    constexpr int kGzipWindow = 15 + 16;  // 16 chooses the format of gzip (zlib.h)
    constexpr int kMemoryLevel = 8;       // zlib's default
    SM_CHECK(deflateInit2(&stream_, 1, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }

  std::string encode(std::string_view bytes, bool is_last) override {
    return deflated(bytes, is_last ? Z_FINISH : Z_NO_FLUSH);
  }
  std::string flush() override { return deflated({}, Z_SYNC_FLUSH); }

 private:
  std::string deflated(std::string_view bytes, int mode) {
    std::string out;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    int result = Z_OK;
    do {
      const size_t before = out.size();
      out.resize(before + kEncodedPiece);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
      stream_.avail_out = static_cast<uInt>(kEncodedPiece);
      result = deflate(&stream_, mode);
      SM_CHECK(result != Z_STREAM_ERROR);
      out.resize(out.size() - stream_.avail_out);
    } while (stream_.avail_out == 0 || (mode == Z_FINISH && result != Z_STREAM_END));
    return out;
  }

  z_stream stream_{};
};

class ZstdEncoder final : public BodyEncoder {
 public:
  ZstdEncoder() : context_(ZSTD_createCCtx()) {
    SM_CHECK(context_ != nullptr);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, 1);
  }
  ~ZstdEncoder() override { ZSTD_freeCCtx(context_); }
  ZstdEncoder(const ZstdEncoder&) = delete;
  ZstdEncoder& operator=(const ZstdEncoder&) = delete;

  std::string encode(std::string_view bytes, bool is_last) override {
    return compressed(bytes, is_last ? ZSTD_e_end : ZSTD_e_continue);
  }
  std::string flush() override { return compressed({}, ZSTD_e_flush); }

 private:
  std::string compressed(std::string_view bytes, ZSTD_EndDirective mode) {
    std::string out;
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    size_t left = 0;
    do {
      const size_t before = out.size();
      out.resize(before + kEncodedPiece);
      ZSTD_outBuffer piece{out.data() + before, kEncodedPiece, 0};
      left = ZSTD_compressStream2(context_, &piece, &in, mode);
      SM_CHECK(ZSTD_isError(left) == 0);
      out.resize(before + piece.pos);
    } while (in.pos < in.size || (mode != ZSTD_e_continue && left != 0));
    return out;
  }

  ZSTD_CCtx* const context_;
};

}  // namespace

std::string_view coding_name(ContentCoding coding) {
  switch (coding) {
    case ContentCoding::kGzip:
      return "gzip";
    case ContentCoding::kZstd:
      return "zstd";
    case ContentCoding::kNone:
      break;
  }
  return {};
}

ContentCoding accepted_coding(std::string_view accept_encoding) {
  const auto [gzip, zstd] = parse_weights(accept_encoding);
  if (gzip == 0 && zstd == 0) return ContentCoding::kNone;
  return zstd >= gzip ? ContentCoding::kZstd : ContentCoding::kGzip;
}

bool accepts_gzip(std::string_view accept_encoding) { return parse_weights(accept_encoding).gzip > 0; }

std::unique_ptr<BodyEncoder> make_encoder(ContentCoding coding) {
  switch (coding) {
    case ContentCoding::kGzip:
      return std::make_unique<GzipEncoder>();
    case ContentCoding::kZstd:
      return std::make_unique<ZstdEncoder>();
    case ContentCoding::kNone:
      break;
  }
  return nullptr;
}

}  // namespace statmill
