// Backups of a server under load: they contain all durable data, an interrupted one is refused, and damage is
// found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <fstream>
#include <thread>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kSeries = 10;

// Line i goes to series i % kSeries, so in any prefix of the lines the counts of the series differ by at
// most 1.
std::string lines_from(int64_t first, int64_t count) {
  std::string text;
  for (int64_t i = first; i < first + count; ++i) text += "load." + std::to_string(i % kSeries) + " 1\n";
  return text;
}

class BackupE2e : public testing::Test {
 protected:
  Ended cli(std::vector<std::string> arguments) { return server_.cli(std::move(arguments)); }
  void expect_good(const Ended& ended) { EXPECT_EQ(ended.status, 0) << ended.out << ended.said; }
  std::string path(std::string_view name) const { return directory_.path() / name; }
  static fs::path largest_file(const fs::path& directory) {
    fs::path found;
    for (const auto& file : fs::directory_iterator(directory)) {
      if (file.path().extension() != ".sst") continue;
      if (found.empty() || file.file_size() > fs::file_size(found)) found = file.path();
    }
    return found;
  }
  static void damage_byte(const fs::path& file) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(64);
    const int byte = bytes.get();
    bytes.seekp(64);
    bytes.put(static_cast<char>(byte ^ 1));
    ASSERT_TRUE(bytes.flush().good()) << file;
  }

  std::string interrupted_backup(int signal);

  TempDirectory directory_;
  ServerProcess server_{STATMILL_BIN, {"--tick", "20ms", "--flush.interval", "200ms"}};
};

// Returns the number of samples of the load. Expects that counts and sums agree and that the samples are a
// prefix of what was sent.
int64_t counted(const ServerProcess& server) {
  const auto totals = server.totals("load.*");
  double all = 0;
  for (const auto& [name, t] : totals) {
    EXPECT_EQ(t.count, t.sum) << name;
    EXPECT_LE(std::abs(t.count - totals.begin()->second.count), 1) << name << ": a hole";
    all += t.count;
  }
  return static_cast<int64_t>(all);
}

TEST_F(BackupE2e, ContainsAllThatWasAcceptedWhenItBegan) {
  server_.start();
  std::string exact;
  for (int i = 1; i <= 1000; ++i)
    exact += "exact." + std::to_string(i % 7) + " " + std::to_string(i) + ".25\n";
  server_.send(exact);
  const auto want = server_.totals("exact.*");
  std::atomic<int64_t> sent{0};
  std::atomic<bool> ended{false};
  std::thread sender([&] {
    TcpConnection connection = TcpConnection::to(server_.line());
    while (!ended && connection.send(lines_from(sent, 100))) sent += 100;
    connection.finish_sending();
    connection.receive_all();
  });
  const std::string accepted = "statmill_samples_accepted_total{listener=\"tcp\"}";
  EXPECT_TRUE(server_.wait_for_metric(accepted, 20'000));
  const int64_t before = static_cast<int64_t>(server_.metric(accepted)) - 1000;
  const Ended backup = cli({"backup", path("backup")});
  ended = true;
  sender.join();
  expect_good(backup);
  EXPECT_THAT(backup.out, HasSubstr(path("backup") + ": "));
  EXPECT_EQ(server_.conservation(), "");
  EXPECT_EQ(counted(server_), sent) << "the backup must not stop ingest";
  EXPECT_EQ(server_.stop(), 0);

  expect_good(cli({"verify", path("backup")}));
  expect_good(cli({"check", path("backup")}));
  ServerProcess restored(STATMILL_BIN);
  expect_good(cli({"restore", path("backup"), restored.data() / "data"}));
  expect_good(cli({"check", restored.data() / "data"}));
  restored.start();
  const int64_t found = counted(restored);
  EXPECT_GE(found, before);
  EXPECT_LE(found, sent);
  for (const auto& [name, totals] : want) {
    EXPECT_EQ(restored.totals(name).at(name).sum, totals.sum) << name;
    EXPECT_EQ(restored.totals(name).at(name).count, totals.count) << name;
  }
  restored.send("later 1\n");
  EXPECT_EQ(restored.totals("later").at("later").sum, 1) << "the restored server accepts samples";
  EXPECT_EQ(restored.conservation(), "");
  EXPECT_EQ(restored.stop(), 0);
}

// Starts backups until a signal ends one before it is whole. Returns its directory.
std::string BackupE2e::interrupted_backup(int signal) {
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += "many." + std::to_string(i * 7919) + " 1\n";
  server_.send(many);
  server_.wait_until_durable();
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string directory = path("backup" + std::to_string(attempt));
    Process backup({std::string(STATMILL_BIN) + "/statmill",
                    {"backup", directory, "--admin.socket", server_.admin_socket()},
                    {}});
    const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
    const auto has_begun = [&] {
      std::error_code error;
      return fs::exists(directory + "/BACKUP", error) ||
             fs::directory_iterator(directory + "/db", error) != fs::directory_iterator();
    };
    while (!has_begun()) {
      if (std::chrono::steady_clock::now() > deadline) {
        ADD_FAILURE() << "no backup begins";
        return directory;
      }
    }
    backup.signal(SIGSTOP);
    if (!fs::exists(directory + "/BACKUP")) backup.signal(signal);
    backup.signal(SIGCONT);
    if (backup.wait() != 0) return directory;
  }
  ADD_FAILURE() << "no signal came in time";
  return {};
}

TEST_F(BackupE2e, ABackupThatWasKilledIsRefused) {
  server_.start();
  const std::string directory = interrupted_backup(SIGKILL);
  ASSERT_FALSE(fs::exists(directory + "/BACKUP"));
  const Ended verified = cli({"verify", directory});
  EXPECT_EQ(verified.status, 1);
  EXPECT_THAT(verified.said, HasSubstr("not a backup, or an unfinished one"));
  EXPECT_EQ(cli({"restore", directory, path("restored")}).status, 1);
  EXPECT_FALSE(fs::exists(path("restored")));
  const Ended busy = cli({"backup", path("next")});
  EXPECT_EQ(busy.status, 1);
  EXPECT_THAT(busy.said, HasSubstr("another job is running: backup"));

  EXPECT_EQ(server_.stop(), 0);
  server_.start();
  EXPECT_FALSE(fs::exists(server_.data() / "data/checkpoint"));
  const Ended occupied = cli({"backup", directory});
  EXPECT_EQ(occupied.status, 1);
  EXPECT_THAT(occupied.said, HasSubstr("exists and is not empty"));
  expect_good(cli({"backup", path("again")}));
  expect_good(cli({"verify", path("again")}));
  EXPECT_EQ(server_.conservation(), "");
  EXPECT_EQ(server_.stop(), 0);
}

TEST_F(BackupE2e, NothingIsLeftOfABackupThatIsGivenUp) {
  server_.start();
  const std::string directory = interrupted_backup(SIGTERM);
  EXPECT_FALSE(fs::exists(directory));
  // The server may still read the piece that the client no longer waits for.
  EXPECT_TRUE(wait_until([&] { return !fs::exists(server_.data() / "data/checkpoint"); }));
  expect_good(cli({"backup", directory}));
  EXPECT_EQ(server_.stop(), 0);
}

TEST_F(BackupE2e, DoesNotWaitForTheNextTick) {
  ServerProcess slow(STATMILL_BIN, {"--tick", "1m"});
  slow.start();
  slow.send("shop.orders 3\n");
  expect_good(slow.cli({"backup", path("backup")}));
  slow.kill();
  ServerProcess restored(STATMILL_BIN);
  expect_good(cli({"restore", path("backup"), restored.data() / "data"}));
  restored.start();
  EXPECT_EQ(restored.totals("shop.orders").at("shop.orders").sum, 3);
  EXPECT_EQ(restored.stop(), 0);
}

TEST_F(BackupE2e, SinceAnEarlierBackupCopiesOnlyWhatIsNew) {
  server_.start();
  server_.send("first 1\n");
  expect_good(cli({"flush"}));
  expect_good(cli({"backup", path("monday")}));
  server_.send("second 2\n");
  const auto want = server_.totals("*");
  expect_good(cli({"flush"}));
  const Ended tuesday = cli({"backup", path("tuesday"), "--since", path("monday")});
  expect_good(tuesday);
  EXPECT_THAT(tuesday.out, HasSubstr(" files as in " + path("monday")));
  // Compactions may have replaced some files, but not all.
  size_t shared = 0;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(path("tuesday")))
    shared += file.is_regular_file() && file.hard_link_count() == 2 ? 1U : 0U;
  EXPECT_GT(shared, 0U);
  EXPECT_THAT(tuesday.out, HasSubstr(std::to_string(shared) + " files as in "));
  EXPECT_EQ(server_.stop(), 0);
  fs::remove_all(path("monday"));

  expect_good(cli({"verify", path("tuesday")}));
  ServerProcess restored(STATMILL_BIN);
  expect_good(cli({"restore", path("tuesday"), restored.data() / "data"}));
  restored.start();
  for (const auto& [name, totals] : want) EXPECT_EQ(restored.totals(name).at(name).sum, totals.sum) << name;
  EXPECT_EQ(restored.stop(), 0);
}

TEST_F(BackupE2e, ATarArchiveIsABackup) {
  server_.start();
  server_.send("a.gauge 7\n");
  server_.wait_until_durable();
  const std::string archive = path("backup.tar");
  Process backup({"/bin/sh",
                  {"-c", std::string(STATMILL_BIN) + "/statmill backup - --admin.socket " +
                             server_.admin_socket() + " > " + archive},
                  {}});
  ASSERT_EQ(backup.wait(), 0) << backup.standard_error();
  EXPECT_EQ(server_.stop(), 0);
  fs::create_directory(path("unpacked"));
  Process unpack({"/bin/tar", {"-xf", archive, "-C", path("unpacked")}, {}});
  ASSERT_EQ(unpack.wait(), 0) << unpack.standard_error();
  expect_good(cli({"verify", path("unpacked")}));
  ServerProcess restored(STATMILL_BIN);
  expect_good(cli({"restore", path("unpacked"), restored.data() / "data"}));
  restored.start();
  EXPECT_EQ(restored.totals("a.gauge").at("a.gauge").sum, 7);
  EXPECT_EQ(restored.stop(), 0);
}

TEST_F(BackupE2e, VerifyAndCheckFindADamagedByte) {
  server_.start();
  std::string some;
  for (int i = 0; i < 1000; ++i) some += "some." + std::to_string(i) + " 1\n";
  server_.send(some);
  expect_good(cli({"flush"}));
  expect_good(cli({"backup", path("backup")}));
  EXPECT_EQ(server_.stop(), 0);
  const fs::path sst = largest_file(path("backup/db"));
  damage_byte(sst);
  const Ended verified = cli({"verify", path("backup")});
  EXPECT_EQ(verified.status, 1);
  EXPECT_THAT(verified.out, HasSubstr("db/" + sst.filename().string() + ": wrong checksum\n"));
  const Ended checked = cli({"check", path("backup")});
  EXPECT_EQ(checked.status, 3);
  EXPECT_THAT(checked.out, HasSubstr(sst.filename().string()));
  const Ended restored = cli({"restore", path("backup"), path("restored")});
  EXPECT_EQ(restored.status, 1);
  EXPECT_THAT(restored.said, HasSubstr(sst.filename().string() + ": wrong checksum"));
  EXPECT_FALSE(fs::exists(path("restored")));
}

TEST_F(BackupE2e, CheckWorksOnARunningServer) {
  server_.start();
  std::string long_series;  // long enough that most of the stored bytes are chunks
  const int64_t now = std::time(nullptr);
  for (int64_t i = 0; i < 40'000; ++i) {
    long_series += "long." + std::to_string(i % 20) + " " + std::to_string(now - i / 20 * 10) + " " +
                   std::to_string(i * 7919 % 100'003) + ".37\n";
  }
  server_.send(long_series);
  expect_good(cli({"flush", "--compact"}));
  const Ended sound = cli({"check"});
  expect_good(sound);
  EXPECT_THAT(sound.out, HasSubstr("tier_10s"));
  EXPECT_EQ(server_.stop(), 0);
  damage_byte(largest_file(server_.data() / "data/db"));
  server_.start();
  const Ended damaged = cli({"check"});
  EXPECT_EQ(damaged.status, 3);
  EXPECT_THAT(damaged.out, HasSubstr(".sst"));
  server_.send("b.gauge 1\n");
  EXPECT_EQ(server_.totals("b.gauge").at("b.gauge").sum, 1) << "the server keeps working";
  EXPECT_EQ(server_.conservation(), "");
  server_.kill();
}

}  // namespace
}  // namespace statmill
