// Suite `query` of statmill-bench: its command line, its samples, and what it takes for a right answer.
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/sockets.h"
#include "tests/tools/fake_server.h"
#include "tools/statmill-bench/http_connection.h"
#include "tools/statmill-bench/open_loop.h"
#include "tools/statmill-bench/options.h"
#include "tools/statmill-bench/query_answer.h"
#include "tools/statmill-bench/query_data.h"

namespace statmill {
namespace {

Result<QueryBenchOptions> parse_query(const std::vector<std::string>& arguments) {
  const auto values = parse_suite_arguments(arguments, describe_query());
  return values ? query_options(*values) : values.error();
}

TEST(QueryBench, ReadsOptionsWithinBounds) {
  const auto options = parse_query({"query", "--only", "avg100,one24h", "--runs", "7", "--starts", "2"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->only, (std::vector<std::string>{"avg100", "one24h"}));
  EXPECT_EQ(options->runs, 7U);
  EXPECT_EQ(options->starts, 2U);
  EXPECT_EQ(options->peers, (std::vector<std::string>{"prometheus", "victoria-metrics"}));
  EXPECT_FALSE(parse_query({"query", "--runs", "0"}).has_value());
  EXPECT_FALSE(parse_query({"query", "--peers", "graphite"}).has_value());
  EXPECT_FALSE(parse_query({"query", "--only", "nothing"}).has_value());
}

TEST(QueryBench, CountsTheRowsAndPointsOfAnAnswer) {
  struct Case {
    std::string_view body;
    AnswerShape want;
  };
  const std::vector<Case> cases = {
      {R"({"from":1,"series":[{"name":"a","avg":[1,null,2.5]},{"name":"b","avg":[null]}],"cost":{"ms":1}})",
       {2, 2, 3.5}},
      {R"({"series":[{"name":"a","kind":"gauge","last_s":7}],"truncated":false})", {1, 0, 0}},
      {R"({"data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"2"],[2,"-0.5"]]}]}})",
       {1, 2, 1.5}},
      {R"({"data":{"resultType":"vector","result":[{"metric":{},"value":[1,"3"]}]}})", {1, 1, 3}},
      {R"({"status":"success","data":[{"__name__":"a"},{"__name__":"b"}]})", {2, 0, 0}},
  };
  for (const auto& [body, want] : cases) {
    const auto shape = shape_of_answer(body);
    ASSERT_TRUE(shape.has_value()) << body;
    EXPECT_EQ(shape->rows, want.rows) << body;
    EXPECT_EQ(shape->points, want.points) << body;
    EXPECT_DOUBLE_EQ(shape->sum, want.sum) << body;
  }
  EXPECT_FALSE(shape_of_answer("").has_value());
  EXPECT_FALSE(shape_of_answer(R"({"status":"error","error":"no"})").has_value());
}

TEST(QueryBench, RefusesAnAnswerThatIsNotWhatWasStored) {
  constexpr std::string_view kBody = R"({"series":[{"name":"a","avg":[1,2]}]})";
  EXPECT_TRUE(check_answer(kBody, {1, 2, 3}, 0).has_value());
  EXPECT_FALSE(check_answer(kBody, {1, 3, 3}, 0).has_value());
  EXPECT_FALSE(check_answer(kBody, {2, 2, 3}, 0).has_value());
  EXPECT_FALSE(check_answer(kBody, {1, 2, 3.1}, 0.01).has_value());
  EXPECT_TRUE(check_answer(kBody, {1, 2, 3.1}, 0.05).has_value());
}

TEST(QueryBench, TheCostOfAnAnswerDoesNotLast) {
  EXPECT_EQ(lasting_part(R"({"series":[],"cost":{"ms":1.5}})"), R"({"series":[])");
  EXPECT_EQ(lasting_part("{}"), "{}");
}

QueryData events_of_two_series() {
  return QueryData({.kind = Kind::kEvent,
                    .series = 2,
                    .name =
                        [](size_t i) {
                          return QueryName{"hits", {{"host", std::to_string(i)}}};
                        },
                    .until_s = 1000,
                    .slots = 3});
}

TEST(QueryBench, SendsEachSampleInTheMiddleOfItsSlot) {
  const QueryData data = events_of_two_series();
  EXPECT_EQ(data.begin_s(), 970);
  EXPECT_EQ(data.sum(), data.sum_of_slot(0) + data.sum_of_slot(1) + data.sum_of_slot(2));
  const Stream stream = data.stream(1, 3);
  EXPECT_EQ(stream.samples, 4U);
  std::string want;
  for (const size_t slot : {size_t{1}, size_t{2}}) {
    for (const size_t i : {size_t{0}, size_t{1}}) {
      want += "*hits;host=" + std::to_string(i) + (slot == 1 ? " 985 " : " 995 ");
      want += std::to_string(static_cast<int>(data.value(i, slot))) + "\n";
    }
  }
  EXPECT_EQ(stream.bytes, want);
}

TEST(QueryBench, GivesPrometheusTheTotalOfEvents) {
  const QueryData data = events_of_two_series();
  std::string text;
  data.append_prometheus(text, 1, 1000);
  const auto total = [&](size_t slots) {
    double sum = 0;
    for (size_t slot = 0; slot < slots; ++slot) sum += data.value(1, slot);
    return std::to_string(static_cast<int>(sum));
  };
  EXPECT_EQ(text, "hits{host=\"1\"} " + total(1) + " 975000\nhits{host=\"1\"} " + total(2) +
                      " 985000\nhits{host=\"1\"} " + total(3) + " 995000\n");
}

TEST(QueryBench, ReadsAnswersOverAConnection) {
  const FakeServer server(200, "body");
  const auto endpoint = parse_endpoint(std::string_view(server.url()).substr(7));
  ASSERT_TRUE(endpoint.has_value());
  auto connection = HttpConnection::open(*endpoint);
  ASSERT_TRUE(connection.has_value()) << connection.error().message;
  const auto answer = connection->get("/path?a=b");
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ(answer->body, "body");
  EXPECT_EQ(server.requests(), std::vector<std::string>{"GET /path?a=b"});
}

// Answers each request over one connection.
void answer_requests(TcpListener& listener) {
  TcpConnection connection = listener.accept();
  while (!connection.receive().empty()) {
    if (!connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody")) return;
  }
}

TEST(QueryBench, AWaitingRequestsTimeCountsFromWhenItWasDue) {
  constexpr double kPerSecond = 1'000'000;  // all are due before the first answer
  constexpr double kEach_ms = 1e3 / kPerSecond;
  TcpListener listener;
  std::jthread server([&] { answer_requests(listener); });
  const AskedQuery asked{.target = "/", .answer = "body"};
  const auto times = run_open_loop(
      {.server = listener.endpoint(), .asked = asked, .per_s = kPerSecond, .requests = 20, .connections = 1});
  ASSERT_TRUE(times.has_value()) << times.error().message;
  ASSERT_EQ(times->answered_ms.size(), 20U);
  ASSERT_EQ(times->late_ms.size(), 20U);
  for (size_t i = 1; i < 20; ++i) {
    EXPECT_GE(times->late_ms[i], times->answered_ms[i - 1] - 2 * kEach_ms)
        << "it waited for the answer before";
    EXPECT_GE(times->answered_ms[i], times->late_ms[i]);
  }
}

TEST(QueryBench, AnOpenLoopRefusesAnotherAnswer) {
  TcpListener listener;
  std::jthread server([&] { answer_requests(listener); });
  const AskedQuery asked{.target = "/", .answer = "another"};
  const auto times =
      run_open_loop({.server = listener.endpoint(), .asked = asked, .requests = 1, .connections = 1});
  ASSERT_FALSE(times.has_value());
  EXPECT_EQ(times.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace statmill
