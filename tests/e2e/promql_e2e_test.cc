// PromQL over HTTP, with the requests that Grafana's data source for Prometheus sends.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <string>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

namespace json = boost::json;

class PromqlE2e : public testing::Test {
 protected:
  PromqlE2e() {
    server_.start();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    // All samples are in the past, on a minute, so the answers do not depend on when the test runs.
    end_s_ = std::chrono::duration_cast<std::chrono::seconds>(now).count() / 60 * 60 - 120;
    std::string lines;
    for (int64_t t = end_s_ - 600; t < end_s_; t += 10) {
      const std::string time = " " + std::to_string(t) + " ";
      lines += "cpu;host=web1;mode=user" + time + "1.5\n";
      lines += "cpu;host=web2;mode=user" + time + "2.25\n";
      lines += "*hits;host=web1" + time + "20\n";
      lines += "*hits;host=web2" + time + "30\n";
      lines += "%latency;host=web1" + time + "100\n";
    }
    server_.send(lines);
  }
  json::value get(const std::string& path) { return json::parse(server_.get("/prometheus/api/v1/" + path)); }
  // Sends a form, as Grafana does.
  json::value post(const std::string& path, const std::string& form) {
    const std::string target = "/prometheus/api/v1/" + path;
    const HttpReply reply = http_raw(
        server_.http(), "POST " + target + " HTTP/1.1\r\nHost: h\r\nContent-Type: " +
                            "application/x-www-form-urlencoded\r\nConnection: close\r\nContent-Length: " +
                            std::to_string(form.size()) + "\r\n\r\n" + form);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }
  std::string range_form(const std::string& query) const {
    return "query=" + query + "&start=" + std::to_string(end_s_ - 300) + "&end=" + std::to_string(end_s_) +
           "&step=60";
  }
  std::string at_end(const std::string& query) const {
    return "query?query=" + query + "&time=" + std::to_string(end_s_);
  }
  static std::string text(const json::value& value) { return json::serialize(value); }

  ServerProcess server_{STATMILL_BIN};
  int64_t end_s_ = 0;
};

TEST_F(PromqlE2e, TheHealthCheckOfGrafana) {
  const auto answer = post("query", "query=1%2B1&time=1700000000.5");
  EXPECT_EQ(text(answer.at("data")), R"({"resultType":"scalar","result":[1.7000000005E9,"2"]})");
}

TEST_F(PromqlE2e, AnswersAtOneTime) {
  const auto answer = get(at_end("sum%20by%20(host)%20(rate(hits%5B5m%5D))"));
  const std::string time = text(json::value(end_s_));
  EXPECT_EQ(text(answer.at("data").at("result")), R"([{"metric":{"host":"web1"},"value":[)" + time +
                                                      R"(,"2"]},{"metric":{"host":"web2"},"value":[)" + time +
                                                      R"(,"3"]}])");
  EXPECT_EQ(
      text(
          get(at_end("cpu%7Bhost%3D~%22web.%22%7D%20*%202")).at("data").at("result").at(1).at("value").at(1)),
      R"("4.5")");
  EXPECT_EQ(text(get(at_end("histogram_quantile(0.99,%20sum(buckets_over_time(latency%5B5m%5D)))"))
                     .at("data")
                     .at("result")
                     .at(0)
                     .at("value")
                     .at(1)),
            R"("100")");
}

TEST_F(PromqlE2e, AnswersOverARange) {
  const auto answer = post("query_range", range_form("sum(rate(hits%5B1m%5D))"));
  EXPECT_EQ(answer.at("data").at("resultType"), "matrix");
  const auto& values = answer.at("data").at("result").at(0).at("values").as_array();
  ASSERT_EQ(values.size(), 6U);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i].at(0).as_int64(), end_s_ - 300 + static_cast<int64_t>(i) * 60);
    EXPECT_EQ(values[i].at(1), "5");
  }
}

TEST_F(PromqlE2e, SurvivesTheWayThroughTheStore) {
  const std::string before = text(post("query_range", range_form("avg_over_time(cpu%5B1m%5D)")));
  server_.wait_until_durable();
  EXPECT_EQ(server_.stop(), 0);
  server_.start();
  EXPECT_EQ(text(post("query_range", range_form("avg_over_time(cpu%5B1m%5D)"))), before);
}

TEST_F(PromqlE2e, ListsSeriesLabelsAndValues) {
  EXPECT_EQ(text(get("label/__name__/values?match%5B%5D=%7Bhost%3D%22web2%22%7D").at("data")),
            R"(["cpu","hits"])");
  EXPECT_EQ(text(get("label/host/values").at("data").at(0)), R"("web1")");
  EXPECT_EQ(text(get("labels?match%5B%5D=cpu").at("data")), R"(["__name__","host","mode"])");
  EXPECT_EQ(text(get("series?match%5B%5D=hits").at("data")),
            R"([{"__name__":"hits","host":"web1"},{"__name__":"hits","host":"web2"}])");
  EXPECT_EQ(text(get("status/buildinfo").at("data").at("application")), R"("statmill")");
  EXPECT_EQ(text(get("rules").at("data")), R"({"groups":[]})");
}

TEST_F(PromqlE2e, ErrorsHaveTheEnvelopeOfPrometheus) {
  const HttpReply bad = http_get(server_.http(), "/prometheus/api/v1/query?query=sum(");
  EXPECT_EQ(bad.status, 400);
  EXPECT_EQ(json::parse(bad.body).at("errorType"), "bad_data");
  const HttpReply many =
      http_get(server_.http(),
               "/prometheus/api/v1/query?query=cpu%20%2B%20on%20()%20cpu&time=" + std::to_string(end_s_));
  EXPECT_EQ(many.status, 422);
  EXPECT_EQ(json::parse(many.body).at("errorType"), "execution");
}

}  // namespace
}  // namespace statmill
