// `statmill backup` with servers that answer nonsense, and the archives that it writes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/descriptor.h"
#include "tests/support/process.h"
#include "tests/support/temp_directory.h"
#include "tests/tools/fake_server.h"
#include "tests/tools/run_command.h"
#include "tools/statmill/server_snapshot.h"
#include "tools/statmill/tar_writer.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string listing(const std::string& files) {
  return R"({"snapshot":"0123","format":"statmill store 2.3\n","files":[)" + files + "]}";
}

TEST(BackupCommand, UnderstandsAListing) {
  const auto parsed = parse_snapshot(listing(R"({"name":"CURRENT","bytes":16},{"name":"1.sst","bytes":0})"));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->id, "0123");
  EXPECT_EQ(parsed->format, "statmill store 2.3\n");
  ASSERT_EQ(parsed->files.size(), 2U);
  EXPECT_EQ(parsed->files[0].name, "CURRENT");
  EXPECT_EQ(parsed->files[0].bytes, 16U);
  for (const std::string text : {"", "{}", R"({"snapshot":"","format":"","files":[]})",
                                 R"({"snapshot":"../x","format":"","files":[]})",
                                 R"({"snapshot":"1","format":"","files":[{"name":"a","bytes":-1}]})",
                                 R"({"snapshot":"1","format":"","files":[{"name":"a"}]})"}) {
    EXPECT_FALSE(parse_snapshot(text)) << text;
  }
}

TEST(BackupCommand, SaysWhatAServerWithoutTokensLacks) {
  const TempDirectory directory;
  const FakeServer server(404, R"({"error":"there is nothing at /admin/v1/snapshots","status":404})");
  const Outcome outcome =
      run_command(server.url(), {"backup", directory.path() / "backup", "--server", server.url()});
  EXPECT_EQ(outcome.code, ExitCode::kFailed);
  EXPECT_THAT(outcome.messages, HasSubstr("only with --http.tokens, for a token with the role admin"));
}

// The server answers each request with its listing, so a piece is never as long as it said.
TEST(BackupCommand, KeepsNothingOfAServerThatAnswersNonsense) {
  const TempDirectory directory;
  const std::string backup = directory.path() / "backup";
  for (const auto& [files, want] :
       {std::pair{R"({"name":"a.sst","bytes":16})", "bytes of a.sst instead of 16"},
        {R"({"name":"../evil","bytes":0})", "\"../evil\" is no name of a file"},
        {R"({"name":"/evil","bytes":0})", "\"/evil\" is no name of a file"}}) {
    const FakeServer server(200, listing(files));
    const Outcome outcome = run_command(server.url(), {"backup", backup, "--server", server.url()});
    EXPECT_EQ(outcome.code, ExitCode::kFailed);
    EXPECT_THAT(outcome.messages, HasSubstr(want));
    EXPECT_FALSE(fs::exists(backup));
    EXPECT_EQ(server.requests().back(), "POST /admin/v1/snapshots/0123/release")
        << "it gives the snapshot back";
  }
}

TEST(TarWriter, WritesWhatTarReads) {
  const TempDirectory directory;
  const std::string path = directory.path() / "a.tar";
  const std::string text(1000, 'x');
  {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    TarWriter tar(file.get(), 1'700'000'000);
    ASSERT_TRUE(tar.begin("db/a.sst", text.size()));
    ASSERT_TRUE(tar.write(text.substr(0, 7)));
    ASSERT_TRUE(tar.write(text.substr(7)));
    ASSERT_TRUE(tar.end());
    ASSERT_TRUE(tar.begin("db/empty", 0));
    ASSERT_TRUE(tar.end());
    ASSERT_TRUE(tar.finish());
  }
  EXPECT_EQ(fs::file_size(path), 512U + 1024 + 512 + 1024);
  Process unpack({"/bin/tar", {"-xf", path, "-C", directory.path()}, {}});
  ASSERT_EQ(unpack.wait(), 0) << unpack.standard_error();
  std::ifstream read(directory.path() / "db/a.sst");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(read), {}), text);
  EXPECT_TRUE(fs::is_empty(directory.path() / "db/empty"));
}

TEST(TarWriter, RefusesWhatTheFormatHasNoRoomFor) {
  TarWriter tar(-1, 0);
  EXPECT_EQ(tar.begin(std::string(100, 'a'), 1).error().code, ErrorCode::kLimit);
  EXPECT_EQ(tar.begin("a", uint64_t{1} << 33).error().code, ErrorCode::kLimit);
  EXPECT_EQ(tar.begin("a", 1).error().code, ErrorCode::kIo) << "there is no file";
}

}  // namespace
}  // namespace statmill
