#include "ingest/scrape/scraper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "tests/support/process.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;

constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n";

std::string answer(std::string_view body) {
  return std::string(kHead) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

// A target that answers each request in the same way, or, without an answer, never.
class FakeTarget {
 public:
  explicit FakeTarget(std::string answer) : answer_(std::move(answer)), thread_([this] { run(); }) {}
  ~FakeTarget() {
    listener_.stop();
    thread_.join();
  }
  Endpoint endpoint() const { return listener_.endpoint(); }
  int requests() const { return requests_; }
  std::string request() const {
    MutexLock lock(mutex_);
    return request_;
  }

 private:
  void run() {
    std::vector<TcpConnection> open;
    for (;;) {
      TcpConnection connection = listener_.accept();
      if (!connection.is_connected()) return;
      std::string request = connection.receive();
      {
        MutexLock lock(mutex_);
        request_ = std::move(request);
      }
      ++requests_;
      if (!answer_.empty()) {
        connection.send(answer_);
        connection.finish_sending();
      }
      open.push_back(std::move(connection));
    }
  }

  const std::string answer_;
  TcpListener listener_;
  std::atomic<int> requests_{0};
  mutable Mutex mutex_;
  std::string request_ GUARDED_BY(mutex_);
  std::thread thread_;
};

class Collected final : public ScrapeSink {
 public:
  void scraped(const Scrape& scrape) override {
    MutexLock lock(mutex_);
    instances_.emplace_back(scrape.target.label("instance"));
    bodies_.push_back(scrape.body != nullptr ? scrape.body->text : "none");
  }
  void removed(const ScrapeTarget& target) override {
    MutexLock lock(mutex_);
    removed_.emplace_back(target.label("instance"));
  }
  size_t size() const {
    MutexLock lock(mutex_);
    return bodies_.size();
  }
  std::vector<std::string> removed_instances() const {
    MutexLock lock(mutex_);
    return removed_;
  }
  std::vector<std::string> instances() const {
    MutexLock lock(mutex_);
    return instances_;
  }
  std::string last_body() const {
    MutexLock lock(mutex_);
    return bodies_.empty() ? "" : bodies_.back();
  }

 private:
  mutable Mutex mutex_;
  std::vector<std::string> instances_ GUARDED_BY(mutex_);
  std::vector<std::string> bodies_ GUARDED_BY(mutex_);
  std::vector<std::string> removed_ GUARDED_BY(mutex_);
};

class ScraperTest : public testing::Test {
 protected:
  // Scrapes the targets in each interval.
  void start(const std::vector<Endpoint>& targets) {
    write(targets);
    options.files = {path_};
    scraper_.emplace(options, Scraper::Services{sink, registry_, clock_, log_});
    ASSERT_TRUE(scraper_->open());
    scraper_->start();
  }
  void write(const std::vector<Endpoint>& targets) {
    std::string text = R"([{"labels": {"__scrape_interval__": ")" + interval +
                       R"(", "__scrape_timeout__": ")" + timeout + R"("}, "targets": [)";
    for (const Endpoint& target : targets) text += '"' + target.text() + "\",";
    if (!targets.empty()) text.pop_back();
    path_ = directory_.write("targets.json", text + "]}]");
  }
  // Returns the fault of the first target once it has been scraped.
  std::string fault() {
    EXPECT_TRUE(wait_until([&] { return sink.size() > 0; }));
    EXPECT_TRUE(wait_until([&] {
      const auto states = scraper_->board().states();
      return !states.empty() && states[0].at != Timestamp{};
    }));
    return scraper_->board().states().at(0).fault;
  }
  double metric(std::string_view path) const {
    for (const Reading& reading : registry_.read()) {
      if (reading.path() == path) return reading.value();
    }
    return -1;
  }

  ScrapeOptions options;
  std::string interval = "100ms";
  std::string timeout = "100ms";
  Collected sink;
  std::optional<Scraper> scraper_;

 private:
  TempDirectory directory_;
  std::string path_;
  Registry registry_;
  const SystemClock clock_;
  Log log_{LogLevel::kError};

 protected:
  void TearDown() override { scraper_.reset(); }
};

TEST_F(ScraperTest, ATargetIsScrapedAgainAndAgain) {
  const FakeTarget target(answer("a 1\n"));
  timeout = "20s";
  start({target.endpoint()});
  EXPECT_TRUE(wait_until([&] { return sink.size() >= 3; }));
  EXPECT_EQ(sink.last_body(), "a 1\n");
  EXPECT_EQ(fault(), "");
  EXPECT_THAT(target.request(), HasSubstr("GET /metrics HTTP/1.1\r\nHost: " + target.endpoint().text()));
  EXPECT_THAT(target.request(), HasSubstr("openmetrics"));
  EXPECT_GE(metric("statmill.scrapes"), 3);
  EXPECT_EQ(metric("statmill.scrapes_failed"), 0);
}

TEST_F(ScraperTest, AnAnswerInChunksIsJoined) {
  const FakeTarget target(std::string(kHead) +
                          "Transfer-Encoding: chunked\r\n\r\n4\r\na 1\n\r\n4\r\nb 2\n\r\n0\r\n\r\n");
  timeout = "20s";
  start({target.endpoint()});
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(sink.last_body(), "a 1\nb 2\n");
}

TEST_F(ScraperTest, WhatIsNoMetricsIsAFault) {
  const std::vector<std::pair<std::string, std::string>> answers = {
      {"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", "answers with status 503"},
      {"HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", "answers with status 301"},
      {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\na 1\n",
       "answers with text/html, which is no text of metrics"},
      {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\na 1\n",
       "answers with the Content-Encoding gzip"},
      {answer("a 1\na 12"), "the end of the answer is missing"},
      {std::string(kHead) + "Content-Length: 100\r\n\r\na 1\n", "partial message"},
      {"SSH-2.0-OpenSSH\r\n", "bad version"},
      {answer(std::string(2000, 'a') + " 1\n"), "the answer is longer than 1024 bytes"}};
  options.body_bytes_max = 1024;
  timeout = "20s";
  for (const auto& [text, why] : answers) {
    const FakeTarget target(text);
    start({target.endpoint()});
    EXPECT_EQ(fault(), why);
    EXPECT_EQ(sink.last_body(), "none");
    scraper_.reset();
  }
}

TEST_F(ScraperTest, ATargetThatDoesNotAnswerIsATimeout) {
  const FakeTarget target("");
  start({target.endpoint()});
  EXPECT_EQ(fault(), "timeout");
}

TEST_F(ScraperTest, ATargetThatIsNotThereIsDown) {
  start({{"127.0.0.1", unused_port()}});
  EXPECT_EQ(fault(), "Connection refused");
}

TEST_F(ScraperTest, AllAnswersTogetherHaveALimit) {
  options.all_bodies_bytes_max = 1024;
  const FakeTarget target(answer(std::string(2000, 'a') + " 1\n"));
  timeout = "20s";
  start({target.endpoint()});
  EXPECT_EQ(fault(), "there is no memory for the answer (--scrape.all_body_bytes)");
}

// Nobody needs what may follow the size of a chunk, so a long one is not collected.
TEST_F(ScraperTest, TheHeadOfAChunkIsLimited) {
  const FakeTarget target(std::string(kHead) + "Transfer-Encoding: chunked\r\n\r\n4;" +
                          std::string(size_t{1} << 20, 'x') + "\r\na 1\n\r\n0\r\n\r\n");
  timeout = "20s";
  start({target.endpoint()});
  EXPECT_THAT(fault(), HasSubstr("buffer"));
  EXPECT_EQ(sink.last_body(), "none");
}

// A target that never answers has the only connection; then the other one gets its turn.
TEST_F(ScraperTest, ScrapesWaitForAConnection) {
  options.connections_max = 1;
  const FakeTarget silent("");
  const FakeTarget target(answer("a 1\n"));
  start({silent.endpoint(), target.endpoint()});
  EXPECT_TRUE(wait_until([&] { return target.requests() >= 2 && silent.requests() >= 2; }));
}

TEST_F(ScraperTest, AChangedFileChangesTheTargets) {
  const FakeTarget one(answer("a 1\n"));
  const FakeTarget two(answer("b 1\n"));
  timeout = "20s";
  start({one.endpoint()});
  EXPECT_TRUE(wait_until([&] { return sink.size() > 0; }));
  write({two.endpoint()});
  EXPECT_TRUE(wait_until([&] { return two.requests() > 0; }));
  const int before = one.requests();
  EXPECT_TRUE(wait_until([&, now = two.requests()] { return two.requests() > now + 2; }));
  EXPECT_LE(one.requests(), before + 1);
  EXPECT_EQ(scraper_->board().states().size(), 1U);
  EXPECT_EQ(sink.removed_instances(), std::vector<std::string>{one.endpoint().text()});
}

TEST_F(ScraperTest, ATargetWithOtherSettingsIsNotRemoved) {
  const FakeTarget one(answer("a 1\n"));
  const FakeTarget two(answer("b 1\n"));
  timeout = "20s";
  start({one.endpoint()});
  EXPECT_TRUE(wait_until([&] { return sink.size() > 0; }));
  interval = "200ms";  // of both
  write({one.endpoint(), two.endpoint()});
  EXPECT_TRUE(wait_until([&] { return two.requests() > 0; }));
  EXPECT_EQ(sink.removed_instances(), std::vector<std::string>{});
}

TEST_F(ScraperTest, AStopEndsWhatIsUnderWay) {
  const FakeTarget silent("");
  timeout = "1m";
  start({silent.endpoint()});
  EXPECT_TRUE(wait_until([&] { return silent.requests() > 0; }));
  scraper_->stop();
  EXPECT_EQ(sink.size(), 0U);
  EXPECT_EQ(sink.removed_instances(), std::vector<std::string>{});
}

}  // namespace
}  // namespace statmill
