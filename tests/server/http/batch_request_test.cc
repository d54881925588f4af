// The JSON body of a batch: what each query becomes, and what is wrong with it.
#include "server/http/batch_request.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

std::string summary_of(const BatchQuery& query) {
  std::string out = query.kind == BatchQuery::Kind::kHeatmap ? "heatmap" : "series";
  for (const Parameter& parameter : query.parameters) out += " " + parameter.name + "=" + parameter.value;
  return out;
}

std::vector<BatchQuery> parsed(std::string_view body) {
  auto queries = parse_batch_request(body);
  EXPECT_TRUE(queries) << body << ": " << queries.error().message;
  return queries ? *std::move(queries) : std::vector<BatchQuery>();
}

TEST(BatchRequest, QueriesBecomeParameters) {
  const auto queries = parsed(
      R"json({"from":"-1h","until":"now","max_points":600,"queries":[
          {"id":"p0","series":["a","b;c=d"],"stats":["avg","min"]},
          {"id":"p1","kind":"heatmap","series":["x*"],"grouping":3,"from":-7200,"step":60},
          {"id":"p2","kind":"series","expr":"sum(a)","until":1700000000,"align":true,"timeout":"2s"},
          {"id":"p3","series":["a"],"max_points":1}]})json");
  ASSERT_EQ(queries.size(), 4U);
  EXPECT_EQ(queries[0].id, "p0");
  EXPECT_EQ(summary_of(queries[0]),
            "series series=a series=b;c=d stats=avg,min from=-1h until=now max_points=600 missing=list");
  EXPECT_EQ(summary_of(queries[1]), "heatmap series=x* grouping=3 from=-7200 step=60 until=now missing=list");
  EXPECT_EQ(summary_of(queries[2]),
            "series expr=sum(a) until=1700000000 align=true timeout=2s from=-1h max_points=600 missing=list");
  EXPECT_EQ(summary_of(queries[3]), "series series=a max_points=1 from=-1h until=now missing=list");
  EXPECT_TRUE(parsed(R"({"queries":[]})").empty());
}

TEST(BatchRequest, AFaultOfOneQueryIsItsOwn) {
  struct Case {
    std::string_view query, error;
  };
  for (const Case& c : {Case{R"("kind":"table")", "\"kind\": must be \"series\" or \"heatmap\""},
                        Case{R"("kind":1)", "\"kind\": must be \"series\" or \"heatmap\""},
                        Case{R"("series":"a")", "\"series\": must be an array of texts"},
                        Case{R"("series":[1])", "\"series\": must be an array of texts"},
                        Case{R"("stats":"avg")", "\"stats\": must be an array of texts"},
                        Case{R"("from":null)", "\"from\": must be a text, a number or a truth value"},
                        Case{R"("from":{})", "\"from\": must be a text, a number or a truth value"},
                        Case{R"("format":"csv")", "\"format\": there is no such key"},
                        Case{R"("missing":"error")", "\"missing\": there is no such key"}}) {
    const auto queries = parsed("{\"queries\":[{\"id\":\"bad\"," + std::string(c.query) +
                                "},{\"id\":\"good\",\"series\":[\"a\"]}]}");
    ASSERT_EQ(queries.size(), 2U);
    EXPECT_EQ(queries[0].error, c.error);
    EXPECT_EQ(queries[1].error, "");
  }
}

TEST(BatchRequest, AFaultOfTheBodyIsAnError) {
  struct Case {
    std::string_view body, error;
  };
  for (const Case& c :
       {Case{"", "the body is not JSON: "}, Case{"{", "the body is not JSON: "},
        Case{"{} x", "the body is not JSON: "}, Case{"[]", "the body must be {\"queries\":[...]}"},
        Case{"{}", "the body must be {\"queries\":[...]}"},
        Case{R"({"queries":{}})", "the body must be {\"queries\":[...]}"},
        Case{R"({"queries":[1]})", "query 0: must be an object"},
        Case{R"({"queries":[{"id":"a"},{}]})", "query 1: \"id\" must be a text of 1 to 128 bytes"},
        Case{R"({"queries":[{"id":1}]})", "query 0: \"id\" must be a text of 1 to 128 bytes"},
        Case{R"({"queries":[{"id":""}]})", "query 0: \"id\" must be a text of 1 to 128 bytes"},
        Case{R"({"queries":[],"stats":["avg"]})", "\"stats\": there is no such key"},
        Case{R"({"queries":[],"from":[]})", "\"from\": must be a text, a number or a truth value"}}) {
    const auto queries = parse_batch_request(c.body);
    ASSERT_FALSE(queries) << c.body;
    EXPECT_EQ(queries.error().code, ErrorCode::kInvalid);
    EXPECT_TRUE(queries.error().message.starts_with(c.error)) << queries.error().message;
  }
  EXPECT_FALSE(parse_batch_request(std::string(100'000, '[')));
  EXPECT_FALSE(parse_batch_request(R"({"queries":[{"id":")" + std::string(129, 'a') + "\"}]}"));
}

TEST(BatchRequest, TheNumberOfQueriesIsLimited) {
  std::string body = R"({"queries":[{"id":"a"})";
  for (size_t i = 1; i < kBatchQueriesMax; ++i) body += R"(,{"id":"a"})";
  EXPECT_EQ(parsed(body + "]}").size(), kBatchQueriesMax);
  const auto over = parse_batch_request(body + R"(,{"id":"a"}]})");
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace statmill
