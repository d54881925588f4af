// The page of the binary, with the folder fixture/ as the packed one.
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <iterator>

#include "server/web/page_routes.h"

namespace statmill {

const Page& fixture_page();  // written by server/web/embed.mjs

namespace {

std::string file(const std::string& path) {
  std::ifstream in(std::string(STATMILL_PAGE_FIXTURE) + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string gunzip(const std::string& bytes) {
  std::string out(1 << 20, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 31), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

HttpResponse get(std::string_view target, std::string_view accept_encoding = "", std::string_view etag = "") {
  return Router(packed_page_routes(fixture_page()), "/api")
      .answer({.method = "GET",
               .target = target,
               .body = {},
               .host = "h",
               .origin = {},
               .content_encoding = {},
               .accept_encoding = accept_encoding,
               .if_none_match = etag});
}

TEST(PackedPage, IsServedAsItWas) {
  EXPECT_EQ(fixture_page().build, "b1");
  const HttpResponse page = get("/");
  EXPECT_EQ(page.body, file("/index.html"));
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page.content_encoding, "");
  const HttpResponse script = get("/a/b1/main.js");
  EXPECT_EQ(script.body, file("/a/b1/main.js"));
  EXPECT_EQ(script.content_type, "text/javascript; charset=utf-8");
  for (const std::string_view other : {"/index.html", "/a/b1", "/a/b1/", "/a/b2/main.js", "/a/b1/main.js/x"})
    EXPECT_EQ(get(other).status, 404U) << other;
}

TEST(PackedPage, IsCompressedForWhomeverAcceptsGzip) {
  for (const std::string_view accepted : {"gzip", "zstd, gzip", "gzip;q=0.1, zstd", "br, *"}) {
    const HttpResponse got = get("/a/b1/main.js", accepted);
    EXPECT_EQ(got.content_encoding, "gzip") << accepted;
    EXPECT_EQ(gunzip(got.body), file("/a/b1/main.js"));
    EXPECT_TRUE(got.varies_by_encoding);
  }
  for (const std::string_view refused : {"", "zstd", "gzip;q=0", "identity", "gzip;x"}) {
    const HttpResponse got = get("/a/b1/main.js", refused);
    EXPECT_EQ(got.content_encoding, "") << refused;
    EXPECT_EQ(got.body, file("/a/b1/main.js"));
    EXPECT_TRUE(got.varies_by_encoding);
  }
}

TEST(PackedPage, OnlyItsFirstFileIsAskedForAgain) {
  const HttpResponse page = get("/");
  EXPECT_EQ(page.cache_control, "no-cache");
  EXPECT_EQ(get("/a/b1/main.js").cache_control, "public, max-age=31536000, immutable");
  ASSERT_TRUE(page.etag.starts_with("W/\""));
  EXPECT_NE(page.etag, get("/a/b1/main.js").etag);
  const HttpResponse same = get("/", "gzip", page.etag);
  EXPECT_EQ(same.status, 304U);
  EXPECT_EQ(same.body, "");
  EXPECT_EQ(same.etag, page.etag);
  EXPECT_EQ(same.cache_control, "no-cache");
  EXPECT_EQ(get("/", "", "W/\"older\"").status, 200U);
}

}  // namespace
}  // namespace statmill
