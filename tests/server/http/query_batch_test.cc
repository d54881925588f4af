// Batches of queries over a connection: lines in order, the same answers as alone, limits, and clients that
// leave.
#include "server/http/query_batch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <thread>

#include "tests/server/http/http_peer.h"
#include "tests/support/http_client.h"

namespace statmill {
namespace {

std::string json_post(std::string_view body, std::string_view type = "application/json") {
  return "POST /api/v1/query HTTP/1.1\r\nHost: h\r\nContent-Type: " + std::string(type) +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::vector<std::string> lines_of(const std::string& body) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(body, '\n')) lines.emplace_back(line);
  EXPECT_EQ(lines.back(), "") << "each line ends";
  lines.pop_back();
  return lines;
}

// Returns what follows the members `id`, `status` and `ms`.
std::string answer_of(const std::string& line) {
  const size_t ms = line.find(",\"ms\":");
  EXPECT_NE(ms, std::string::npos) << line;
  return line.substr(line.find(',', ms + 1) + 1);
}

// The costs differ from run to run.
std::string without_cost(std::string_view text) {
  return std::string(text.substr(0, text.find(",\"cost\":")));
}

class QueryBatchTest : public testing::Test {
 protected:
  ~QueryBatchTest() override { stop(); }

  void start() {
    service_ = std::make_unique<QueryService>(query_options_,
                                              QueryService::Services{fake_.registry, fake_.clock, nullptr});
    HttpSite site = fake_.site();
    site.queries = service_.get();
    add_batches(site.routes, fake_.clock, [] { return uint64_t{88'123}; });
    auto opened = HttpServer::open(io_, {"127.0.0.1", 0}, std::move(site), {});
    ASSERT_TRUE(opened);
    server_ = *std::move(opened);
    loop_ = std::thread([this] { io_.run(); });
  }
  void stop() {
    if (!server_) return;
    server_->stop();
    loop_.join();
    server_.reset();
    service_.reset();
  }
  PeerReply post(std::string_view body) {
    if (!server_) start();
    HttpPeer peer(server_->local_endpoint());
    peer.send(json_post(body));
    return peer.receive();
  }
  std::string get(std::string_view target) {
    HttpPeer peer(server_->local_endpoint());
    peer.send_get(target);
    return peer.receive().body;
  }

  FakeServices fake_;
  QueryOptions query_options_;
  boost::asio::io_context io_;
  std::unique_ptr<QueryService> service_;
  std::unique_ptr<HttpServer> server_;
  std::thread loop_;
};

TEST_F(QueryBatchTest, EachAnswerIsThatOfItsOwnRequest) {
  PeerReply reply = post(
      R"({"from":"-2h","queries":[{"id":"a","series":["cpu"],"stats":["avg","max"]},
          {"id":"b","series":["cpu"],"stats":["median"]},{"id":"c","series":"cpu"},
          {"id":"d","series":["cpu"],"grouping":3},{"id":"e"}]})");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.fields["Content-Type"], "application/x-ndjson");
  const auto lines = lines_of(reply.body);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(lines[0].starts_with(R"({"id":"a","status":200,"ms":)"));
  EXPECT_EQ(without_cost("{" + answer_of(lines[0]) + "\n"),
            without_cost(get("/api/v1/query?series=cpu&stats=avg,max&from=-2h")));
  EXPECT_TRUE(lines[1].starts_with(R"({"id":"b","status":400,"ms":)"));
  EXPECT_TRUE(answer_of(lines[1]).starts_with(R"("error":"parameter stats: no such stat \"median\")"));
  EXPECT_FALSE(lines[1].ends_with(",\"status\":400}"));
  EXPECT_EQ(lines[2], R"({"id":"c","status":400,"ms":0,"error":"\"series\": must be an array of texts"})");
  EXPECT_TRUE(lines[3].starts_with(
      R"({"id":"d","status":400,"ms":0,"error":"unknown parameter \"grouping\" (known: series,)"));
  EXPECT_TRUE(lines[4].starts_with(R"({"id":"e","status":400,)"));
  EXPECT_TRUE(lines[5].starts_with(R"({"done":5,"ms":)"));
  EXPECT_TRUE(lines[5].ends_with(R"(,"now":1795176000,"names":88123})")) << lines[5];
  for (const std::string& line : lines) EXPECT_NO_THROW(boost::json::parse(line)) << line;
  const auto queries = fake_.queries();
  ASSERT_FALSE(queries.empty());
  EXPECT_TRUE(queries[0].lists_missing);
  EXPECT_EQ(queries[0].from_s, kFakeNow_s - 7200);
}

TEST_F(QueryBatchTest, BodiesThatAreNoBatchAreRefused) {
  EXPECT_EQ(post("{").status, 400);
  EXPECT_EQ(post("{}").body, "{\"error\":\"the body must be {\\\"queries\\\":[...]}\",\"status\":400}\n");
  std::string many = R"({"queries":[{"id":"a"})";
  for (size_t i = 0; i < kBatchQueriesMax; ++i) many += R"(,{"id":"a"})";
  EXPECT_EQ(post(many + "]}").status, 422);
  EXPECT_EQ(post("{\"queries\":[]}" + std::string(kFormBytesMax, ' ')).status, 413);
  HttpPeer peer(server_->local_endpoint());
  peer.send(json_post("{\"queries\":[]}", "text/plain"));
  EXPECT_EQ(peer.receive().status, 415);
  peer.send(json_post("series=cpu", "application/x-www-form-urlencoded"));
  EXPECT_EQ(peer.receive().status, 200) << "a form is one query";
  peer.send(json_post("{\"queries\":[]}", "Application/JSON; charset=utf-8"));
  EXPECT_EQ(lines_of(peer.receive().body).size(), 1U);
}

TEST_F(QueryBatchTest, LinesComeAsTheyAreDone) {
  std::atomic<bool> may_end{false};
  fake_.on_query = [&](const QueryRequest& request) {
    while (request.series.front() == "slow" && !may_end) std::this_thread::yield();
    return small_answer();
  };
  start();
  HttpPeer peer(server_->local_endpoint());
  peer.send(json_post(R"({"queries":[{"id":"a","series":["cpu"]},{"id":"b","series":["slow"]}]})"));
  EXPECT_TRUE(peer.receive_some()) << "the first line does not wait for the second one";
  may_end = true;
  EXPECT_EQ(lines_of(peer.receive().body).size(), 3U);
}

TEST_F(QueryBatchTest, AHeavyQueryMovesTheRestToTheHeavyOnes) {
  query_options_.limits.heavy_slots = 10;
  std::atomic<int> heavy_runs{0};
  fake_.on_controlled_query = [&](const QueryRequest& request, QueryControl& control) -> Result<QueryAnswer> {
    if (request.series.front() == "heavy") ++heavy_runs;
    if (Status s = control.add_slots(request.series.front() == "heavy" ? 11 : 1); !s) return s.error();
    return small_answer();
  };
  const auto lines = lines_of(
      post(
          R"({"queries":[{"id":"a","series":["x"]},{"id":"b","series":["heavy"]},{"id":"c","series":["heavy"]}]})")
          .body);
  ASSERT_EQ(lines.size(), 4U);
  for (size_t i = 0; i < 3; ++i) EXPECT_NE(lines[i].find("\"status\":200"), std::string::npos) << lines[i];
  EXPECT_EQ(heavy_runs, 3) << "only the first one starts again";
}

TEST_F(QueryBatchTest, WhatIsNotReachedInTheTimeOfAQueryIsSaid) {
  query_options_.limits.timeout = std::chrono::seconds(25);
  fake_.on_controlled_query = [&](const QueryRequest& request, QueryControl& control) -> Result<QueryAnswer> {
    if (request.series.front() == "slow") fake_.clock.advance(std::chrono::seconds(25));
    if (Status s = control.check(); !s) return s.error();
    return small_answer();
  };
  const auto lines = lines_of(
      post(
          R"({"queries":[{"id":"a","series":["x"]},{"id":"b","series":["slow"]},{"id":"c","series":["x"]}]})")
          .body);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(lines[0].starts_with(R"({"id":"a","status":200,)"));
  EXPECT_TRUE(lines[1].starts_with(R"({"id":"b","status":503,"ms":25000,"error":"timeout)")) << lines[1];
  EXPECT_EQ(lines[2],
            R"({"id":"c","status":503,"ms":0,"error":"not reached: the batch took its whole time"})");
  EXPECT_TRUE(lines[3].starts_with(R"({"done":3,)"));
}

TEST_F(QueryBatchTest, AllAnswersTogetherAreLimited) {
  fake_.on_query = [](const QueryRequest& request) {
    QueryAnswer answer = small_answer();
    if (request.series.front() != "small") answer.series.front().name.assign(size_t{25} << 20, 'a');
    return answer;
  };
  const auto lines = lines_of(
      post(R"({"queries":[{"id":"a","series":["x"]},{"id":"b","series":["x"]},{"id":"c","series":["x"]},
               {"id":"d","series":["small"]}]})")
          .body);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_NE(lines[1].find("\"status\":200"), std::string::npos);
  EXPECT_NE(lines[2].find("\"status\":422,"), std::string::npos);
  EXPECT_NE(lines[3].find("\"status\":200"), std::string::npos) << "a shorter one still fits";
}

TEST_F(QueryBatchTest, ABatchEndsWhenItsClientLeaves) {
  std::atomic<int> started{0};
  std::atomic<int> stopped{0};
  fake_.on_controlled_query = [&](const QueryRequest&, QueryControl& control) -> Result<QueryAnswer> {
    ++started;
    while (!control.should_stop()) std::this_thread::yield();
    ++stopped;
    return control.stop_reason().error();
  };
  start();
  HttpPeer peer(server_->local_endpoint());
  peer.send(json_post(R"({"queries":[{"id":"a","series":["x"]},{"id":"b","series":["x"]}]})"));
  while (started == 0) std::this_thread::yield();
  EXPECT_NE(service_->board().json().find("POST /api/v1/query, 2 queries: /api/v1/query?series=x"),
            std::string::npos);
  peer.close();
  // The query and its batch.
  while (fake_.reading("statmill.queries_canceled", "client") < 2) std::this_thread::yield();
  EXPECT_EQ(stopped, 1);
  stop();
  EXPECT_EQ(started, 1) << "the second query does not start";
}

}  // namespace
}  // namespace statmill
