// The page from a folder: what is served, and what is not.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>

#include "server/web/page_routes.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

class PageFolderTest : public testing::Test {
 protected:
  PageFolderTest() {
    directory_.write("secret.txt", "secret");
    std::filesystem::create_directories(root() / "src");
    directory_.write("web/index.html", "<title>x</title>");
    directory_.write("web/src/main.js", "1;");
    directory_.write("web/src/.hidden.js", "secret");
    directory_.write("web/unknown.bin", "b");
  }
  std::filesystem::path root() const { return directory_.path() / "web"; }
  HttpResponse get(std::string_view target, std::string_view method = "GET") const {
    auto routes = page_folder_routes(root().string());
    EXPECT_TRUE(routes);
    return Router(*std::move(routes), "/api")
        .answer({.method = method,
                 .target = target,
                 .body = {},
                 .host = "h",
                 .origin = {},
                 .content_encoding = {}});
  }

  TempDirectory directory_;
};

TEST_F(PageFolderTest, FilesAreServedAsTheyAreNow) {
  HttpResponse page = get("/");
  EXPECT_EQ(page.body, "<title>x</title>");
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page.cache_control, "no-store");
  EXPECT_EQ(get("/src/main.js").body, "1;");
  EXPECT_EQ(get("/src/main.js").content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(get("/unknown.bin").content_type, "application/octet-stream");
  directory_.write("web/src/main.js", "2;");
  EXPECT_EQ(get("/src/main.js").body, "2;");
}

TEST_F(PageFolderTest, NothingOutsideIsServed) {
  std::filesystem::create_symlink("../secret.txt", root() / "link.txt");
  std::filesystem::create_symlink("..", root() / "up");
  std::filesystem::create_symlink(directory_.path() / "secret.txt", root() / "absolute.txt");
  std::filesystem::create_directory(directory_.path() / "web2");
  directory_.write("web2/secret.txt", "secret");
  std::filesystem::create_symlink("../web2", root() / "sibling");
  for (const std::string_view target : {"/link.txt", "/absolute.txt", "/up/secret.txt", "/sibling/secret.txt",
                                        "/src/.hidden.js", "/src", "/none", "/.hidden"}) {
    const HttpResponse got = get(target);
    EXPECT_EQ(got.status, 404U) << target;
    EXPECT_EQ(got.body.find("secret\n"), std::string::npos) << target;
  }
  for (const std::string_view target : {"/../secret.txt", "/%2e%2e/secret.txt", "/src/../../secret.txt",
                                        "/..%2fsecret.txt", "//secret.txt", "/src/%00", "/..\\secret.txt"})
    EXPECT_EQ(get(target).status, 400U) << target;
  std::filesystem::create_symlink("src/main.js", root() / "inside.js");
  EXPECT_EQ(get("/inside.js").status, 200U) << "a link within the folder";
}

TEST_F(PageFolderTest, OnlyRegularFilesOfBoundedSizeAreServed) {
  directory_.write("web/big.js", std::string(kPageFileBytesMax + 1, 'a'));
  directory_.write("web/fits.js", std::string(kPageFileBytesMax, 'a'));
  ASSERT_EQ(::mkfifo((root() / "fifo.js").c_str(), 0600), 0);
  EXPECT_EQ(get("/big.js").status, 404U);
  EXPECT_EQ(get("/fifo.js").status, 404U);
  EXPECT_EQ(get("/fits.js").body.size(), kPageFileBytesMax);
}

TEST_F(PageFolderTest, TheFolderMustExist) {
  EXPECT_EQ(page_folder_routes("/nowhere/at/all").error().message,
            "http.assets /nowhere/at/all: is not a folder");
  EXPECT_FALSE(page_folder_routes((root() / "index.html").string()));
}

TEST(MissingPage, SaysWhatIsMissing) {
  const Page page{"", {}, "This binary has no page: reason."};
  const Router router(packed_page_routes(page), "/api");
  const HttpResponse got = router.answer(
      {.method = "GET", .target = "/", .body = {}, .host = "h", .origin = {}, .content_encoding = {}});
  EXPECT_EQ(got.status, 200U);
  EXPECT_EQ(
      got.body,
      "statmill\n\nThis binary has no page: reason.\n\nThe HTTP API works; /api lists its endpoints.\n");
}

}  // namespace
}  // namespace statmill
