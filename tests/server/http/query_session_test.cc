// Queries over a connection: on threads of their own, in pieces, and stopped when their client is gone.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <boost/asio/post.hpp>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "tests/server/http/http_peer.h"
#include "tests/support/http_client.h"
#include "tests/support/process.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 1> kBytesParameters = {{{"bytes"}}};

std::string text_of(size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += std::to_string(i) + ",";
  text.resize(bytes);
  return text;
}

// Writes text_of() that many bytes in odd pieces, made one by one; with `fails` it fails after them.
HttpResponse write_long(const Url& url, BodySink& sink, bool fails) {
  const size_t bytes = std::stoul(std::string(url.find("bytes").value_or("0")));
  std::string piece;
  for (size_t written = 0, number = 0; written < bytes; written += piece.size()) {
    for (piece.clear(); piece.size() < 777;) piece += std::to_string(number++) + ",";
    piece.resize(std::min(piece.size(), bytes - written));
    if (const Status status = sink.write(piece); !status) return error_response(status.error());
  }
  return fails ? error_response(500, "the disk failed") : HttpResponse{};
}

class QuerySessionTest : public testing::Test {
 protected:
  ~QuerySessionTest() override {
    is_stuck_ = false;
    stop();
  }

  HttpPeer connect() {
    if (!server_) start();
    return HttpPeer(server_->local_endpoint());
  }
  const Endpoint& endpoint() {
    if (!server_) start();
    return server_->local_endpoint();
  }
  void start() {
    service_ = std::make_unique<QueryService>(query_options_,
                                              QueryService::Services{fake_.registry, fake_.clock, nullptr});
    HttpSite site = fake_.site();
    site.queries = service_.get();
    for (const bool fails : {false, true}) {
      site.routes.push_back(
          {"GET",
           fails ? "/broken" : "/long",
           kBytesParameters,
           0,
           {},
           "test",
           Lane::kQuery,
           [fails](const Url& url, QueryControl&, BodySink& sink) { return write_long(url, sink, fails); }});
    }
    auto opened = HttpServer::open(io_, {"127.0.0.1", 0}, std::move(site), options_);
    ASSERT_TRUE(opened);
    server_ = *std::move(opened);
    io_.restart();
    loop_ = std::thread([this] { io_.run(); });
  }
  void stop() {
    if (!server_) return;
    server_->stop();
    loop_.join();
    server_.reset();
    service_.reset();
  }
  // A query that runs until it is stopped, and further while `is_stuck_`.
  void run_until_stopped() {
    fake_.on_controlled_query = [this](const QueryRequest&, QueryControl& control) -> Result<QueryAnswer> {
      ++started_;
      while (!control.should_stop()) std::this_thread::yield();
      ++stopped_;
      while (is_stuck_) std::this_thread::yield();
      return control.stop_reason().error();
    };
  }
  // A query that is stuck after its client has left.
  void leave_stuck_query() {
    is_stuck_ = true;
    run_until_stopped();
    HttpPeer peer = connect();
    peer.send_get("/api/v1/query?series=a");
    ASSERT_TRUE(reaches(started_, 1));
    EXPECT_EQ(overdue().id, 0U);
    peer.close();
    ASSERT_TRUE(reaches(stopped_, 1));
  }
  // Requires: the pool has one thread.
  void run_one_and_queue_one(HttpPeer& running, HttpPeer& waiting) {
    run_until_stopped();
    running.send_get("/api/v1/query?series=a");
    ASSERT_TRUE(reaches(started_, 1));
    waiting.send_get("/api/v1/query?series=b");
    ASSERT_TRUE(wait_until([&] { return service_->pool().waiting() == 1; }));
  }
  static bool reaches(const std::atomic<int>& count, int want) {
    return wait_until([&] { return count.load() >= want; });
  }
  QueryBoard::Overdue overdue() const { return service_->board().most_overdue(fake_.clock.steady()); }
  double canceled(std::string_view by) const { return fake_.reading("statmill.queries_canceled", by); }

  FakeServices fake_;
  HttpOptions options_;
  QueryOptions query_options_;
  std::atomic<int> started_ = 0;
  std::atomic<int> stopped_ = 0;
  std::atomic<bool> is_stuck_ = false;
  boost::asio::io_context io_;
  std::unique_ptr<QueryService> service_;
  std::unique_ptr<HttpServer> server_;
  std::thread loop_;
};

TEST_F(QuerySessionTest, AnswersHaveTheirCost) {
  HttpPeer peer = connect();
  peer.send_get("/api/v1/query?series=cpu");
  PeerReply reply = peer.receive();
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.body.find(",\"cost\":{\"series\":0,\"chunks\":0,"), std::string::npos) << reply.body;
  EXPECT_TRUE(reply.fields["Server-Timing"].starts_with("query;dur=")) << reply.fields["Server-Timing"];
  EXPECT_EQ(fake_.reading("statmill.query_ns", "/api/v1/query"), 1);
}

TEST_F(QuerySessionTest, AFormAsksTheSameAsATarget) {
  HttpPeer peer = connect();
  const std::string form = "series=a%2Bb+c&stats=max";
  peer.send(
      "POST /api/v1/query?series=d HTTP/1.1\r\nHost: h\r\nOrigin: http://other\r\n"
      "Content-Type: application/x-www-form-urlencoded; charset=UTF-8\r\nContent-Length: " +
      std::to_string(form.size()) + "\r\n\r\n" + form);
  EXPECT_EQ(peer.receive().status, 200);
  ASSERT_EQ(fake_.queries().size(), 1U);
  EXPECT_EQ(fake_.queries()[0].series, (std::vector<std::string>{"a+b c", "d"}));
}

TEST_F(QuerySessionTest, PipelinedRequestsAreAnsweredInOrder) {
  HttpPeer peer = connect();
  std::string all;
  for (int i = 0; i < 20; ++i) {
    all += i % 2 == 0 ? "GET /long?bytes=" + std::to_string(i * 20'000) + " HTTP/1.1\r\nHost: h\r\n\r\n"
                      : "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n";
  }
  peer.send(all);
  for (int i = 0; i < 20; ++i) {
    const PeerReply reply = peer.receive();
    EXPECT_TRUE(reply.body == (i % 2 == 0 ? text_of(static_cast<size_t>(i) * 20'000) : "ok\n")) << i;
  }
}

TEST_F(QuerySessionTest, ALongAnswerIsWholeOnEveryWay) {
  HttpPeer peer = connect();
  const std::string want = text_of(1'000'000);
  peer.send_get("/long?bytes=1000000");
  PeerReply reply = peer.receive();
  EXPECT_EQ(reply.fields["Transfer-Encoding"], "chunked");
  EXPECT_TRUE(reply.body == want);
  peer.send("HEAD /long?bytes=1000000 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(peer.receive_head().status, 200);
  peer.send_get("/long?bytes=10");
  reply = peer.receive();
  EXPECT_EQ(reply.fields["Content-Length"], "10") << "the connection is still in order";
  const HttpReply old = http_raw(endpoint(), "GET /long?bytes=1000000 HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.header("Transfer-Encoding"), "");
  EXPECT_TRUE(old.body == want);
}

// Clients that people use must report the failure.
TEST_F(QuerySessionTest, AnAnswerThatFailsMidwayNeverLooksWhole) {
  const std::string url = "http://" + endpoint().text() + "/broken?bytes=200000";
  HttpPeer peer = connect();
  peer.send_get("/broken?bytes=200000");
  EXPECT_EQ(peer.receive().status, 0) << "the answer has no end";
  HttpPeer early = connect();
  early.send_get("/broken?bytes=20000");
  EXPECT_EQ(early.receive().status, 500) << "the first block is held back";
  const Ended curl = run_program({"curl", {"-sS", "-o", "/dev/null", url}, {}});
  EXPECT_NE(curl.status, 0) << curl.said;
  const Ended curl10 = run_program({"curl", {"-sS", "--http1.0", "-o", "/dev/null", url}, {}});
  EXPECT_NE(curl10.status, 0) << curl10.said;
  const Ended whole = run_program(
      {"curl", {"-sS", "-o", "/dev/null", "http://" + endpoint().text() + "/long?bytes=200000"}, {}});
  EXPECT_TRUE(whole.status == 0 || whole.status == 127) << whole.said;
  const std::string script =
      "import sys, urllib.request\n"
      "try:\n  urllib.request.urlopen('" +
      url +
      "').read()\n"
      "except Exception as e:\n  sys.exit(3)\n";
  const Ended python = run_program({"python3", {"-c", script}, {}});
  EXPECT_TRUE(python.status == 3 || python.status == 127) << python.status << python.said;
}

TEST_F(QuerySessionTest, AClientThatLeavesStopsItsQuery) {
  run_until_stopped();
  HttpPeer peer = connect();
  peer.send_get("/api/v1/query?series=a");
  ASSERT_TRUE(reaches(started_, 1));
  peer.close();
  ASSERT_TRUE(reaches(stopped_, 1));
  EXPECT_TRUE(wait_until([&] { return canceled("client") == 1; }));
  EXPECT_TRUE(wait_until([&] { return fake_.reading("statmill.http_connections") == 0; }));
}

TEST_F(QuerySessionTest, AClientThatLeavesWhileItsQueryWaitsIsCounted) {
  query_options_.pool.threads = 1;
  HttpPeer running = connect();
  HttpPeer waiting = connect();
  ASSERT_NO_FATAL_FAILURE(run_one_and_queue_one(running, waiting));
  waiting.close();
  EXPECT_TRUE(wait_until([&] { return canceled("client") == 1; }));
  EXPECT_EQ(service_->pool().waiting(), 0U);
  EXPECT_EQ(started_, 1);
}

TEST_F(QuerySessionTest, AClientThatLeavesBehindMoreRequestsStopsItsQuery) {
  run_until_stopped();
  HttpPeer peer = connect();
  peer.send("GET /api/v1/query?series=a HTTP/1.1\r\nHost: h\r\n\r\nGET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(reaches(started_, 1));
  peer.close();
  EXPECT_TRUE(reaches(stopped_, 1));
}

TEST_F(QuerySessionTest, AStopOfTheServerStopsRunningAndWaitingQueries) {
  query_options_.pool.threads = 1;
  HttpPeer running = connect();
  HttpPeer waiting = connect();
  ASSERT_NO_FATAL_FAILURE(run_one_and_queue_one(running, waiting));
  server_->stop();
  const PeerReply reply = running.receive();
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("canceled: the server stops"), std::string::npos) << reply.body;
  EXPECT_EQ(waiting.receive().status, 503);
  EXPECT_EQ(started_, 1) << "the waiting one never runs";
}

TEST_F(QuerySessionTest, AStopWaitsForNoClientThatHasItsAnswer) {
  options_.linger_timeout = options_.stop_grace = std::chrono::hours(1);
  HttpPeer peer = connect();
  run_until_stopped();
  peer.send_get("/api/v1/query?series=a");
  ASSERT_TRUE(reaches(started_, 1));
  stop();
  EXPECT_EQ(peer.receive().status, 503);
}

TEST_F(QuerySessionTest, AnAdministratorStopsAQuery) {
  run_until_stopped();
  HttpPeer peer = connect();
  peer.send_get("/api/v1/query?series=a");
  ASSERT_TRUE(reaches(started_, 1));
  EXPECT_NE(service_->board().json().find("/api/v1/query?series=a"), std::string::npos);
  EXPECT_TRUE(service_->board().cancel(1));
  EXPECT_EQ(peer.receive().status, 503);
  EXPECT_EQ(canceled("admin"), 1);
}

TEST_F(QuerySessionTest, AQueryEndsAtItsTimeout) {
  run_until_stopped();
  HttpPeer peer = connect();
  peer.send_get("/api/v1/query?series=a&timeout=500ms");
  ASSERT_TRUE(reaches(started_, 1));
  fake_.clock.advance(Duration(500));
  PeerReply reply = peer.receive();
  EXPECT_EQ(reply.status, 503);
  EXPECT_TRUE(reply.body.starts_with("{\"error\":\"timeout: the query took longer than 500 ms"))
      << reply.body;
  EXPECT_EQ(reply.fields["Retry-After"], "1");
  EXPECT_EQ(canceled("timeout"), 1);
}

TEST_F(QuerySessionTest, AQueryThatDoesNotEndIsSeen) {
  ASSERT_NO_FATAL_FAILURE(leave_stuck_query());
  // The time of the stop is noted just after the stop.
  ASSERT_TRUE(wait_until([&] {
    fake_.clock.advance(Duration(1));
    return overdue().id == 1;
  }));
  const std::chrono::nanoseconds before = overdue().time;
  fake_.clock.advance(Duration(2000));
  EXPECT_EQ(overdue().time, before + std::chrono::seconds(2));
  is_stuck_ = false;
  EXPECT_TRUE(wait_until([&] { return overdue().id == 0; }));
}

// The session waits for the thread of the query, without a connection.
TEST_F(QuerySessionTest, AStopWaitsForNoClientThatLeftItsQuery) {
  options_.stop_grace = std::chrono::seconds(60);  // longer than wait_until() waits
  ASSERT_NO_FATAL_FAILURE(leave_stuck_query());
  server_->stop();
  std::promise<void> is_stopping;
  // Comes after the handlers that the stop posts.
  boost::asio::post(io_, [&] { boost::asio::post(io_, [&] { is_stopping.set_value(); }); });
  is_stopping.get_future().wait();
  is_stuck_ = false;
  EXPECT_TRUE(wait_until([&] { return fake_.reading("statmill.http_connections") == 0; }));
}

TEST_F(QuerySessionTest, QueriesWaitForAThreadButNotForLong) {
  run_until_stopped();
  query_options_.pool = {.threads = 1, .waiting_max = 1, .waiting_timeout = Duration(50)};
  HttpPeer running = connect();
  running.send_get("/api/v1/query?series=a");
  ASSERT_TRUE(reaches(started_, 1));
  HttpPeer waiting = connect();
  waiting.send_get("/api/v1/query?series=b");
  PeerReply reply = waiting.receive();
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.fields["Retry-After"], "1");
  waiting.send_get("/healthz");
  EXPECT_EQ(waiting.receive().status, 200) << "the connection stays open";
  EXPECT_EQ(fake_.reading("statmill.queries_refused", "waiting"), 1);
  EXPECT_EQ(started_, 1);
}

TEST_F(QuerySessionTest, AHeavyQueryMovesAndHoldsNoSmallOne) {
  query_options_.pool.threads = 1;
  std::promise<void> release;
  std::atomic<int> runs = 0;
  std::atomic<bool> is_heavy_running = false;
  fake_.on_controlled_query = [&](const QueryRequest& request, QueryControl& control) -> Result<QueryAnswer> {
    if (request.series.front() == "small") return small_answer();
    ++runs;
    if (Status status = control.add_slots(10'000'000); !status) return status.error();
    is_heavy_running = true;
    release.get_future().wait();
    return small_answer();
  };
  HttpPeer heavy = connect();
  heavy.send_get("/api/v1/query?series=heavy");
  ASSERT_TRUE(wait_until([&] { return is_heavy_running.load(); }));
  EXPECT_EQ(runs, 2) << "it starts again among the heavy ones";
  HttpPeer small = connect();
  small.send_get("/api/v1/query?series=small");
  EXPECT_EQ(small.receive().status, 200);
  release.set_value();
  const PeerReply reply = heavy.receive();
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.body.find("\"slots\":10000000,"), std::string::npos) << "counted once";
}

TEST_F(QuerySessionTest, AClientThatDoesNotReadHoldsNoOther) {
  query_options_.pool.threads = 1;
  HttpPeer slow = connect();
  slow.send_get("/long?bytes=64000000");
  ASSERT_TRUE(slow.receive_some());
  ASSERT_TRUE(wait_until([&] { return service_->pool().running() == 1; }));
  HttpPeer peer = connect();
  peer.send_get("/long?bytes=100");
  EXPECT_EQ(peer.receive().status, 200);
  const SteadyTime much_later = fake_.clock.steady() + std::chrono::hours(1);
  // It works until the buffers of its connection are full.
  EXPECT_TRUE(wait_until([&] { return service_->board().most_overdue(much_later).id == 0; }))
      << "its thread waits and is not stuck";
  slow.close();
  EXPECT_TRUE(wait_until([&] { return service_->pool().running() == 0; }));
}

TEST_F(QuerySessionTest, CompressesForOtherHostsOnly) {
  HttpPeer peer = connect();
  const std::string fields = " HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip, deflate\r\n\r\n";
  peer.send("GET /long?bytes=10000" + fields);
  PeerReply reply = peer.receive();
  EXPECT_FALSE(reply.fields.contains("Content-Encoding")) << "a client of this host";
  stop();
  options_.compression = HttpCompression::kAlways;
  HttpPeer other = connect();
  for (const size_t bytes : {size_t{10'000}, size_t{500'000}}) {
    other.send("GET /long?bytes=" + std::to_string(bytes) + fields);
    reply = other.receive();
    EXPECT_EQ(reply.fields["Content-Encoding"], "gzip");
    EXPECT_EQ(reply.fields["Vary"], "Accept-Encoding");
    EXPECT_LT(reply.body.size(), bytes * 3 / 4);
  }
  other.send("GET /long?bytes=1000" + fields);
  EXPECT_FALSE(other.receive().fields.contains("Content-Encoding")) << "too short";
  const std::string url = "http://" + endpoint().text() + "/long?bytes=500000";
  const Ended curl = run_program({"curl", {"-sS", "--compressed", url}, {}});
  EXPECT_TRUE(curl.status == 127 || curl.out == text_of(500'000)) << curl.said;
}

}  // namespace
}  // namespace statmill
