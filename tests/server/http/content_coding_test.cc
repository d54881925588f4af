#include "server/http/content_coding.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>
#include <vector>

namespace statmill {
namespace {

TEST(ContentCodingTest, ChoosesWhatTheClientLikesBest) {
  struct Case {
    std::string_view field;
    ContentCoding want;
    std::string_view why;
  };
  const std::vector<Case> cases = {
      {"", ContentCoding::kNone, "nothing"},
      {"gzip", ContentCoding::kGzip, "one"},
      {"gzip, deflate, br, zstd", ContentCoding::kZstd, "what browsers send"},
      {"gzip;q=1.0, zstd;q=0.5", ContentCoding::kGzip, "weights"},
      {"GZIP", ContentCoding::kGzip, "names have no case"},
      {"x-gzip", ContentCoding::kGzip, "the old name"},
      {"*", ContentCoding::kZstd, "any"},
      {"*, zstd;q=0", ContentCoding::kGzip, "any but one"},
      {"gzip;q=0", ContentCoding::kNone, "refused"},
      {"gzip;q=0.000", ContentCoding::kNone, "refused in three digits"},
      {"identity", ContentCoding::kNone, "no other"},
      {"br;q=1, gzip ; q=0.2", ContentCoding::kGzip, "blanks"},
      {"gzip;q=2", ContentCoding::kNone, "above 1"},
      {"gzip;q=1.001", ContentCoding::kNone, "above 1"},
      {"gzip;q=", ContentCoding::kNone, "no weight"},
      {"gzip;q=0.1234", ContentCoding::kNone, "too many digits"},
      {"gzip;x=1", ContentCoding::kNone, "no weight"},
      {",,gzip,", ContentCoding::kGzip, "empty elements are allowed"},
  };
  for (const Case& c : cases) EXPECT_EQ(accepted_coding(c.field), c.want) << c.field << ": " << c.why;
}

std::string gunzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(size_t{1} << 21, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

std::string unzstd(const std::string& bytes) {
  std::string out(size_t{1} << 21, '\0');
  ZSTD_DCtx* context = ZSTD_createDCtx();
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  EXPECT_EQ(ZSTD_decompressStream(context, &to, &in), 0U) << "a whole frame";
  ZSTD_freeDCtx(context);
  out.resize(to.pos);
  return out;
}

TEST(ContentCodingTest, WhatIsEncodedInPiecesDecodesToTheWhole) {
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i) text += std::to_string(i * 7919 % 100'003) + ",";
  for (const size_t piece : {size_t{1} << 16, size_t{999}, size_t{2'000'000}}) {
    for (const ContentCoding coding : {ContentCoding::kGzip, ContentCoding::kZstd}) {
      const auto encoder = make_encoder(coding);
      std::string encoded;
      for (size_t at = 0; at < text.size(); at += piece)
        encoded += encoder->encode(std::string_view(text).substr(at, piece), false);
      encoded += encoder->encode({}, true);
      EXPECT_LT(encoded.size(), text.size() * 2 / 3);
      EXPECT_TRUE((coding == ContentCoding::kGzip ? gunzip(encoded) : unzstd(encoded)) == text) << piece;
    }
  }
  EXPECT_EQ(make_encoder(ContentCoding::kNone), nullptr);
}

// Returns what the bytes decode to without what follows them.
std::string decoded_so_far(ContentCoding coding, const std::string& bytes) {
  std::string out(size_t{1} << 16, '\0');
  if (coding == ContentCoding::kZstd) {
    ZSTD_DCtx* context = ZSTD_createDCtx();
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    EXPECT_EQ(ZSTD_isError(ZSTD_decompressStream(context, &to, &in)), 0U);
    ZSTD_freeDCtx(context);
    out.resize(to.pos);
    return out;
  }
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_SYNC_FLUSH), Z_OK);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(ContentCodingTest, WhatIsFlushedCanBeDecoded) {
  for (const ContentCoding coding : {ContentCoding::kGzip, ContentCoding::kZstd}) {
    const auto encoder = make_encoder(coding);
    std::string encoded;
    std::string text;
    for (int i = 0; i < 20; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      text += line;
      encoded += encoder->encode(line, false);
      encoded += encoder->flush();
      EXPECT_EQ(decoded_so_far(coding, encoded), text);
    }
    encoded += encoder->encode({}, true);
    EXPECT_EQ(coding == ContentCoding::kGzip ? gunzip(encoded) : unzstd(encoded), text);
  }
}

}  // namespace
}  // namespace statmill
