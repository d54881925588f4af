// Lines of JSON: a table of lines and what is read of them; whole buckets lose nothing; a reader goes on
// where another was.
#include "tools/statmill/import/jsonl_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "proto/batch.h"
#include "proto/istatd/parser.h"
#include "server/http/answer_buckets.h"
#include "tests/storage/buckets.h"
#include "tests/support/temp_directory.h"
#include "tests/tools/import/collected_history.h"
#include "tools/statmill/import/jsonl_line.h"

namespace statmill {
namespace {

using testing::ElementsAre;

CollectedHistory read_line(std::string_view text) {
  CollectedHistory out;
  JsonlLine line;
  EXPECT_TRUE(line.read(text, 7, out));
  return out;
}

TEST(JsonlLine, ReadsWhatExportWrites) {
  EXPECT_THAT(read_line(R"({"name":"cpu;host=a","kind":"gauge","step":10,"buckets":[[1700000000,1.50],)"
                        R"([1700000010,3,4.5,6.75,1,2],[1700000020000,-2e3]]})")
                  .lines,
              ElementsAre("cpu;host=a 1700000000 1.5", "cpu;host=a 1700000010 4.5 6.75 1 2 3",
                          "cpu;host=a 1700000020 -2000"));
  EXPECT_THAT(read_line(R"({"name":"hits","kind":"event","buckets":[[10,3]]})").lines,
              ElementsAre("*hits 10 3"));
  EXPECT_THAT(read_line(R"({"name":"n","kind":"counter","buckets":[[10,0]]})").lines,
              ElementsAre("$c n 10 0"));
  EXPECT_THAT(
      read_line(R"({"name":"d","kind":"distribution","buckets":[[10,2,41,841,20,21,[32873,1,32875,1]]]})")
          .lines,
      ElementsAre("$d d 10 41 841 20 21 2 32873:1 32875:1"));
  EXPECT_THAT(read_line(R"({"name":"g","kind":"gauge","buckets":[[10,3,0.3,"~1e-40",0.1,0.1]]})").lines,
              ElementsAre("$g g 10 0.3 ~1e-40 0.1 0.1 3"));
}

TEST(JsonlLine, ReadsWhatVictoriaMetricsExports) {
  EXPECT_THAT(read_line(R"({"metric":{"__name__":"cpu","host":"a b"},"values":[1.5,null,"Infinity",2],)"
                        R"("timestamps":[1700000000999,1700000010000,1700000020000,1700000030000]})")
                  .lines,
              ElementsAre("cpu;host=a%20b 1700000000 1.5", "cpu;host=a%20b 1700000030 2"));
  EXPECT_THAT(
      read_line(R"({"metric":{"__name__":"x_total"},"values":[5,7,7,2],"timestamps":[1000,2000,3000,4000]})")
          .lines,
      ElementsAre("$c x_total 1 0", "$c x_total 2 2", "$c x_total 3 0", "$c x_total 4 2"));
  EXPECT_THAT(
      read_line(R"({"timestamps":[1000],"values":[5],"kind":"gauge","metric":{"__name__":"x_total"}})").lines,
      ElementsAre("x_total 1 5"))
      << "the line says its kind, and keys may come in any order";
}

TEST(JsonlLine, RefusesWhatIsWrongAndGoesOn) {
  struct Case {
    std::string_view text;
    std::string_view reason;
  };
  for (const Case& c : {
           Case{"{", "bad_json"},
           {"[]", "bad_json"},
           {"{\"name\":\"a\"} x", "bad_json"},
           {R"({"kind":"gauge","buckets":[[1,2]]})", "bad_json"},
           {R"({"name":"a","buckets":[[1,2]]})", "bad_json"},
           {R"({"name":"a","kind":"x","buckets":[]})", "bad_json"},
           {R"({"name":"a","kind":"gauge","buckets":[1]})", "bad_json"},
           {R"({"name":"a","kind":"gauge","buckets":[[1,[2]]]})", "bad_json"},
           {R"({"name":"a","kind":"gauge","buckets":[[[1],2]]})", "bad_json"},
           {R"({"name":"a","kind":"gauge","buckets":[[1,2,3]]})", "field_count"},
           {R"({"name":"a","kind":"gauge","buckets":[[1,2,3,4,5,6,[1,1]]]})", "field_count"},
           {R"({"name":"a","kind":"event","buckets":[[1,2,3,4,5,6]]})", "field_count"},
           {R"({"name":"a","kind":"gauge","buckets":[[1.5,2]]})", "bad_time"},
           {R"({"name":"a","kind":"gauge","buckets":[[1,null]]})", "not_finite"},
           {R"({"name":"a","kind":"gauge","buckets":[[1,1e999]]})", "out_of_range"},
           {R"({"name":"a","kind":"gauge","buckets":[[1,3,4,"~ 1",1,2]]})", "bad_value"},
           {R"({"name":"a","kind":"gauge","buckets":[[1,0,4,4,1,2]]})", "bad_bucket"},
           {R"({"name":";a=b","kind":"gauge","buckets":[[1,2]]})", "empty_name"},
           {R"({"metric":{},"values":[1],"timestamps":[1]})", "empty_name"},
           {R"({"metric":{"__name__":"a"},"values":[1,2],"timestamps":[1]})", "bad_json"},
           {R"({"metric":{"__name__":"a"},"values":[{}],"timestamps":[1]})", "bad_json"},
           {R"({"metric":{"__name__":"x_total"},"values":[-1],"timestamps":[1]})", "bad_value"},
       }) {
    const CollectedHistory read = read_line(c.text);
    EXPECT_THAT(read.refused, testing::Contains("7 " + std::string(c.reason))) << c.text;
  }
  const CollectedHistory some = read_line(R"({"name":"a","kind":"gauge","buckets":[[1,2],[x]]})");
  EXPECT_THAT(some.lines, ElementsAre("a 1 2")) << "before the fault";
}

TEST(JsonlLine, LeavesOutUnknownKeys) {
  EXPECT_THAT(
      read_line(R"({"x":{"y":[1,{"z":null}]},"name":"a","kind":"gauge","note":"b","buckets":[[1,2]]})").lines,
      ElementsAre("a 1 2"));
  EXPECT_TRUE(read_line(R"({"end":true,"series":0})").refused.empty());
}

// Reads the bucket that a server would make of the sample.
Bucket bucket_of_line(const std::string& line) {
  Batch batch;
  parse_istatd_lines(line, batch);
  if (batch.samples.size() != 1) return {};
  const Sample& sample = batch.samples.front();
  if (sample.ready == nullptr) return Bucket::of(sample.value);
  return Bucket::ready(sample.value, *sample.ready).value_or(Bucket());
}

RC_GTEST_PROP(JsonlLine, AnyStoredBucketComesBackTheSame, ()) {
  // Sums of greater numbers overflow, so that the mean is not between the extremes.
  const auto numbers =
      rc::gen::suchThat(any_numbers(), [](const Number& n) { return std::abs(n.value()) < 1e300; });
  const Bucket bucket = merged(*rc::gen::nonEmpty(rc::gen::container<std::vector<Number>>(numbers)));
  std::string text = R"({"name":"a","kind":"gauge","buckets":[)";
  append_bucket_json(text, 10, bucket, nullptr);
  text += "]}";
  CollectedHistory read;
  JsonlLine line;
  RC_ASSERT(line.read(text, 1, read));
  RC_ASSERT(read.lines.size() == 1U);
  const Bucket again = bucket_of_line(read.lines.front());
  if (bucket.is_decimal()) {
    RC_ASSERT(again == bucket);
  } else {
    // A zero has no sign, and one sample in doubles may be a decimal.
    RC_ASSERT(again.count() == bucket.count());
    RC_ASSERT(again.sum() == bucket.sum());
    RC_ASSERT(again.m2() == bucket.m2());
    RC_ASSERT(again.min() == bucket.min());
    RC_ASSERT(again.max() == bucket.max());
  }
}

TEST(JsonlReader, GoesOnWhereAnotherOneWas) {
  TempDirectory directory;
  const std::string path = directory.write("a.jsonl", R"({"name":"a","kind":"gauge","buckets":[[1,2],[3,4]]})"
                                                      "\r\n\n"
                                                      R"({"name":"b","kind":"gauge","buckets":[[1,2]]})");
  auto reader = make_jsonl_reader(*LineFile::open(path, -1, {}), {});
  CollectedHistory first;
  ASSERT_TRUE(*reader->read(first));
  const ReadPosition at = reader->position();
  EXPECT_EQ(at.line, 1U);
  auto next = make_jsonl_reader(*LineFile::open(path, -1, at), at);
  CollectedHistory rest;
  EXPECT_EQ(rest.read_all(*next), "");
  EXPECT_THAT(rest.lines, ElementsAre("b 1 2"));
  EXPECT_EQ(next->bytes(), std::filesystem::file_size(path));
}

TEST(JsonlReader, StaysWhereCountersBegan) {
  TempDirectory directory;
  const std::string line = R"({"metric":{"__name__":"x_total"},"values":[5],"timestamps":[1000]})";
  const std::string path = directory.write("a.jsonl", line + "\n" + line + "\n");
  auto reader = make_jsonl_reader(*LineFile::open(path, -1, {}), {});
  CollectedHistory read;
  EXPECT_EQ(read.read_all(*reader), "");
  EXPECT_EQ(reader->position(), ReadPosition()) << "a later reader would not know the value before";
}

}  // namespace
}  // namespace statmill
