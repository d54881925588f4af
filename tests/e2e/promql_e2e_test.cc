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
        server_.http(), "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
                            "application/x-www-form-urlencoded\r\nConnection: close\r\nContent-Length: " +
                            std::to_string(form.size()) + "\r\n\r\n" + form);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }
  // The body of the own API's answer to an expression, over [end - 300, end], with a row a minute.
  std::string rows(const std::string& parameters) {
    return server_.get("/api/v1/query?from=" + std::to_string(end_s_ - 300) +
                       "&until=" + std::to_string(end_s_) + "&step=60&" + parameters);
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

TEST_F(PromqlE2e, TheOwnApiAnswersTheSameInColumns) {
  const auto matrix = post("query_range", range_form("cpu%20*%202"));
  const json::value own = json::parse(rows("expr=cpu%20*%202"));
  EXPECT_EQ(own.at("from").as_int64(), end_s_ - 240) << "a row is the end of a step";
  EXPECT_EQ(own.at("until").as_int64(), end_s_ + 60);
  EXPECT_EQ(own.at("tier").as_int64(), 10);
  ASSERT_EQ(own.at("series").as_array().size(), 2U);
  for (size_t s = 0; s < 2; ++s) {
    const json::value& theirs = matrix.at("data").at("result").at(s);
    const json::value& ours = own.at("series").at(s);
    EXPECT_EQ(ours.at("labels"), theirs.at("metric"));
    const auto& values = theirs.at("values").as_array();
    ASSERT_EQ(ours.at("value").as_array().size() + 1, values.size());
    for (size_t i = 1; i < values.size(); ++i) {
      const auto number = ours.at("value").at(i - 1).to_number<double>();
      EXPECT_EQ(number, std::stod(std::string(values[i].at(1).as_string())));
    }
  }
  EXPECT_EQ(own.at("cost").at("series").as_int64(), 2);
  const HttpReply form = http_raw(server_.http(),
                                  "POST /api/v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                  "application/x-www-form-urlencoded\r\nConnection: close\r\n"
                                  "Content-Length: 9\r\n\r\nexpr=1%2B");
  EXPECT_EQ(form.status, 400) << form.body;
  EXPECT_NE(form.body.find("1:3: parse error"), std::string::npos) << form.body;
}

TEST_F(PromqlE2e, TheOwnApiAnswersSeveralStatistics) {
  const json::value own =
      json::parse(rows("expr=sum(buckets_over_time(latency%5B1m%5D))&stats=count,max,p50"));
  const json::value& series = own.at("series").at(0);
  EXPECT_EQ(text(series.at("count")), "[6,6,6,6,6]");
  EXPECT_EQ(text(series.at("max")), "[100,100,100,100,100]");
  EXPECT_EQ(text(series.at("p50")), "[100,100,100,100,100]");
  const std::string csv = rows("expr=cpu%7Bhost%3D%22web1%22%7D&stats=avg&format=csv");
  EXPECT_TRUE(csv.starts_with("time,\"cpu{host=\"\"web1\"\", mode=\"\"user\"\"}:avg\"\r\n" +
                              std::to_string(end_s_ - 300) + ",1.5\r\n"))
      << csv;
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
  EXPECT_EQ(text(get("status/tsdb?limit=1").at("data").at("seriesCountByLabelValuePair")),
            R"([{"name":"host=web1","value":3}])");
  EXPECT_EQ(text(get("status/runtimeinfo").at("data").at("corruptionCount")), "0");
  EXPECT_EQ(server_.get("/prometheus/-/healthy"), "ok\n");
}

TEST_F(PromqlE2e, ACounterSurvivesAKillAndIsAbsentInSilence) {
  std::string lines;
  for (int64_t t = end_s_ - 600; t < end_s_ - 310; t += 10)
    lines += "$c requests_total;host=web1 " + std::to_string(t) + " 20\n";
  server_.send(lines);
  const auto value_at_end = [this](const std::string& query) {
    const auto answer = get(at_end(query));
    const auto& result = answer.at("data").at("result").as_array();
    return result.empty() ? "nothing" : text(result.at(0).at("value").at(1));
  };
  const auto expect_answers = [&](const std::string& where) {
    EXPECT_EQ(value_at_end("increase(requests_total%5B10m%5D)"), R"("580")") << where;
    EXPECT_EQ(value_at_end("rate(requests_total%5B5m%5D)"), "nothing") << where;
    EXPECT_EQ(value_at_end("requests_total"), "nothing") << where;
    EXPECT_EQ(value_at_end("absent(requests_total)"), R"("1")") << where;
    const std::string slots =
        server_.get("/api/v1/query?series=requests_total;host=web1&stats=sum,rate&step=60&from=" +
                    std::to_string(end_s_ - 420) + "&until=" + std::to_string(end_s_ - 240));
    EXPECT_NE(slots.find(R"("kind":"counter","sum":[120,100,null],"rate":[2,1.6666666666666667,null])"),
              std::string::npos)
        << where << ": " << slots;
  };
  expect_answers("from RAM");
  server_.wait_until_durable();
  server_.kill();
  server_.start();
  expect_answers("from the journal");
  ASSERT_EQ(server_.cli({"flush", "--compact"}).status, 0);
  ASSERT_EQ(server_.stop(), 0);
  server_.start();
  expect_answers("from the files");
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
