// What `statmill export` makes of samples for other systems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>

#include "proto/batch.h"
#include "proto/istatd/parser.h"
#include "proto/prometheus/remote_write.h"
#include "tests/tools/fake_server.h"
#include "tests/tools/import/collected_history.h"
#include "tools/statmill/export/csv_writer.h"
#include "tools/statmill/export/openmetrics_writer.h"
#include "tools/statmill/export/prometheus_samples.h"
#include "tools/statmill/export/remote_write_writer.h"

namespace statmill {
namespace {

constexpr std::string_view kLines =
    "$g cpu.idle;host=a\"b 10 1.5\n"
    "$g cpu.idle;host=a\"b 20 6 14 1 3 3\n"
    "$e hits 10 2\n"
    "$e hits 30 3\n"
    "$d lat;q=x 10 41 ~0.5 20 21 2 32873:1 32875:1\n"
    "$c req_total 10 0.5\n";

void write_lines(HistoryWriter& writer) {
  Batch batch;
  parse_istatd_lines(kLines, batch);
  ASSERT_EQ(batch.samples.size(), 6U);
  for (const Sample& sample : batch.samples) ASSERT_TRUE(writer.write(sample));
  ASSERT_TRUE(writer.finish());
}

WriteOut append_to(std::string& text) {
  return [&text](std::string_view bytes) {
    text.append(bytes);
    return Status::ok();
  };
}

TEST(CsvWriter, WritesAllColumns) {
  std::string text;
  write_lines(*make_csv_writer(append_to(text)));
  EXPECT_EQ(text,
            "name,kind,time,value,count,squares,min,max,cells\r\n"
            "\"cpu.idle;host=a\"\"b\",gauge,10,1.5,1,,,,\r\n"
            "\"cpu.idle;host=a\"\"b\",gauge,20,6,3,14,1,3,\r\n"
            "hits,event,10,2,1,,,,\r\n"
            "hits,event,30,3,1,,,,\r\n"
            "lat;q=x,distribution,10,41,2,~0.5,20,21,32873:1 32875:1\r\n"
            "req_total,counter,10,0.5,1,,,,\r\n");
}

TEST(OpenMetricsWriter, WritesMeansAndRunningTotals) {
  std::string text;
  write_lines(*make_openmetrics_writer(append_to(text)));
  EXPECT_EQ(text,
            "# TYPE cpu_idle gauge\n"
            "cpu_idle{host=\"a\\\"b\"} 1.5 10\n"
            "cpu_idle{host=\"a\\\"b\"} 2 20\n"
            "# TYPE hits counter\n"
            "hits_total 0 0\n"
            "hits_total 2 10\n"
            "hits_total 5 30\n"
            "# TYPE lat_count unknown\n"
            "lat_count{q=\"x\"} 0 0\n"
            "lat_count{q=\"x\"} 2 10\n"
            "# TYPE lat_sum unknown\n"
            "lat_sum{q=\"x\"} 0 0\n"
            "lat_sum{q=\"x\"} 41 10\n"
            "# TYPE req counter\n"
            "req_total 0 0\n"
            "req_total 0.5 10\n"
            "# EOF\n");
}

TEST(PrometheusName, HasNoOtherBytes) {
  EXPECT_EQ(prometheus_name("a.b-c:d", true), "a_b_c:d");
  EXPECT_EQ(prometheus_name("a:b", false), "a_b");
  EXPECT_EQ(prometheus_name("9a", true), "_9a");
}

class CollectedWrite final : public RemoteWriteVisitor {
 public:
  void begin_series(const RemoteSeries& series) override {
    name_.clear();
    for (const LabelView& label : series.labels)
      name_ += std::string(label.name) + "=" + std::string(label.value) + " ";
  }
  void add_sample(const RemoteSample& sample) override {
    samples.push_back(name_ + std::to_string(sample.time_ms) + " " + std::to_string(sample.value));
  }
  void add_histogram(const NativeHistogram&) override {}
  void add_exemplar(const RemoteExemplar&) override {}
  void add_family(const RemoteFamily&) override {}
  std::vector<std::string> samples;

 private:
  std::string name_;
};

TEST(RemoteWriteWriter, SendsMeansAndRunningTotals) {
  const FakeServer server(204, "");
  const Client client = *Client::to(server.url() + "/api/v1/write", std::chrono::seconds(10));
  RemoteWriteAccount account;
  write_lines(*make_remote_write_writer(client, "", account));
  EXPECT_EQ(account.requests, 1U);
  EXPECT_EQ(account.samples, 11U);
  EXPECT_EQ(account.refused, 0U);
  ASSERT_EQ(server.requests().size(), 1U);
  constexpr std::string_view kHead = "POST /api/v1/write ";
  const std::string request = server.requests().front();
  ASSERT_TRUE(request.starts_with(kHead)) << request;
  std::string message;
  ASSERT_TRUE(snappy::Uncompress(request.data() + kHead.size(), request.size() - kHead.size(), &message));
  CollectedWrite read;
  ASSERT_TRUE(decode_remote_write(RemoteWriteVersion::k1, message, read));
  EXPECT_THAT(read.samples,
              testing::UnorderedElementsAre(
                  "__name__=cpu_idle host=a\"b 10000 1.500000", "__name__=cpu_idle host=a\"b 20000 2.000000",
                  "__name__=hits_total 0 0.000000", "__name__=hits_total 10000 2.000000",
                  "__name__=hits_total 30000 5.000000", "__name__=lat_count q=x 0 0.000000",
                  "__name__=lat_sum q=x 0 0.000000", "__name__=lat_count q=x 10000 2.000000",
                  "__name__=lat_sum q=x 10000 41.000000", "__name__=req_total 0 0.000000",
                  "__name__=req_total 10000 0.500000"));
}

TEST(RemoteWriteWriter, CountsWhatIsRefused) {
  const FakeServer server(400, "out of order");
  const Client client = *Client::to(server.url() + "/w", std::chrono::seconds(10));
  RemoteWriteAccount account;
  write_lines(*make_remote_write_writer(client, "", account));
  EXPECT_EQ(account.refused, 11U);
  EXPECT_EQ(account.first_answer, "400 out of order");
}

}  // namespace
}  // namespace statmill
