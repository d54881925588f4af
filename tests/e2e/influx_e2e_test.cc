// Clients of InfluxDB write to a real server: requests of Telegraf, written by hand from its documentation;
// and npm's influx and @influxdata/influxdb-client, Debian's python3-influxdb and influxdb-client, if they
// are installed. What they send is stored exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

std::string gzipped(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::string hex_size(std::string_view text) {
  std::array<char, 20> digits{};
  std::snprintf(digits.data(), digits.size(), "%zx", text.size());
  return digits.data();
}

class InfluxE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }
  // Sends a request with these fields of its header and this body.
  HttpReply send(std::string_view request_line, std::string_view fields, std::string_view body) const {
    return http_raw(server_.http(),
                    std::string(request_line) + " HTTP/1.1\r\nHost: " + server_.http().text() +
                        "\r\nConnection: close\r\n" + std::string(fields) +
                        "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
  }
  // The same with a body in chunks.
  HttpReply send_chunks(std::string_view request_line, std::string_view fields, std::string_view body) const {
    return http_raw(server_.http(), std::string(request_line) + " HTTP/1.1\r\nHost: " +
                                        server_.http().text() + "\r\nConnection: close\r\n" +
                                        std::string(fields) + "Transfer-Encoding: chunked\r\n\r\n" +
                                        hex_size(body) + "\r\n" + std::string(body) + "\r\n0\r\n\r\n");
  }
  SeriesTotals total(const std::string& name) const {
    const auto totals = server_.totals(name);
    const auto found = totals.find(name);
    return found == totals.end() ? SeriesTotals{} : found->second;
  }
  // The most memory that the server had so far.
  double peak_bytes() {
    std::ifstream status("/proc/" + std::to_string(server_.process().pid()) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) * 1024;
    }
    ADD_FAILURE() << "no VmHWM";
    return 0;
  }
  // Runs a script with the packages of the page's build; its last arguments are host and port of the server.
  Ended run_node(std::string_view script) const {
    return run_program({"env",
                        {std::string("NODE_PATH=") + STATMILL_NODE_MODULES, "node", "-e", std::string(script),
                         server_.http().host, std::to_string(server_.http().port)},
                        {}});
  }
  double accepted(const std::string& listener) const {
    return server_.metric("statmill_samples_accepted_total{listener=\"" + listener + "\"}");
  }

  ServerProcess server_{STATMILL_BIN, {"--influx.listen", "127.0.0.1:0"}};
};

// What outputs.influxdb sends: it creates its database, then writes gzip in chunks.
TEST_F(InfluxE2e, TelegrafWritesAsToInfluxDb1) {
  const std::string user = "User-Agent: Telegraf/1.28.5 Go/1.21.4\r\nAccept-Encoding: gzip\r\n";
  const HttpReply created = send("POST /query", user + "Content-Type: application/x-www-form-urlencoded\r\n",
                                 "q=CREATE+DATABASE+%22telegraf%22");
  EXPECT_EQ(created.status, 200);
  EXPECT_EQ(created.body, "{\"results\":[{\"statement_id\":0}]}\n");
  EXPECT_EQ(created.header("X-Influxdb-Version"), "1.8.10-statmill");
  const std::string time = now_ns();
  const std::string batch =
      "cpu,cpu=cpu0,host=web1 usage_user=12.5,usage_system=3.25,usage_idle=84.25 " + time +
      "\ncpu,cpu=cpu-total,host=web1 usage_user=10.5,usage_system=2.25,usage_idle=87.25 " + time +
      "\nmem,host=web1 total=16777216i,available_percent=42.125,commit_limit=9223372036854775807u " + time +
      "\nsystem,host=web1 load1=0.5,n_cpus=2i,uptime_format=\" 2:03\" " + time +
      "\ndisk,device=sda1,fstype=ext4,host=web1,mode=rw,path=/var/lib/a\\ b free=1024i,inodes_free=7u " +
      time + "\nnet_response,host=web1,protocol=tcp,result=success success=true,result_code=0i " + time +
      "\n";
  const std::string fields = user + "Content-Type: text/plain; charset=utf-8\r\nContent-Encoding: gzip\r\n";
  for (int i = 0; i < 3; ++i) {
    const HttpReply written =
        send_chunks("POST /write?consistency=any&db=telegraf&rp=", fields, gzipped(batch));
    ASSERT_EQ(written.status, 204) << written.body;
    EXPECT_EQ(written.body, "");
    EXPECT_EQ(written.header("Content-Length"), "") << "a 204 has none";
  }
  EXPECT_EQ(total("cpu.usage_user;cpu=cpu0;host=web1").sum, 37.5);
  EXPECT_EQ(total("cpu.usage_idle;cpu=cpu-total;host=web1").sum, 3 * 87.25);
  EXPECT_EQ(total("mem.total;host=web1").sum, 3 * 16777216.0);
  EXPECT_EQ(total("system.n_cpus;host=web1").sum, 6);
  EXPECT_EQ(total("disk.free;device=sda1;fstype=ext4;host=web1;mode=rw;path=/var/lib/a%20b").sum, 3072);
  EXPECT_EQ(total("net_response.success;host=web1;protocol=tcp;result=success").sum, 3);
  EXPECT_EQ(accepted("influx"), 3 * 15);
  EXPECT_EQ(server_.metric("statmill_fields_skipped_total{listener=\"influx\"}"), 3);
}

// What outputs.influxdb_v2 sends.
TEST_F(InfluxE2e, TelegrafWritesAsToInfluxDb2) {
  const std::string fields =
      "User-Agent: Telegraf/1.28.5 Go/1.21.4\r\nAuthorization: Token unused\r\nContent-Type: text/plain; "
      "charset=utf-8\r\nAccept: application/json\r\nContent-Encoding: gzip\r\n";
  const std::string batch = "cpu,host=web1 usage_idle=84.25 " + now_ns() + "\n";
  EXPECT_EQ(send_chunks("POST /api/v2/write?bucket=telegraf&org=mine", fields, gzipped(batch)).status, 204);
  const HttpReply partly = send_chunks("POST /api/v2/write?bucket=telegraf&org=mine", fields,
                                       gzipped(batch + "cpu,host= usage_idle=1\n"));
  EXPECT_EQ(partly.status, 400);
  EXPECT_EQ(partly.header("Content-Type"), "application/json");
  EXPECT_EQ(partly.body,
            "{\"code\":\"invalid\",\"message\":\"partial write: unable to parse 'cpu,host= usage_idle=1': "
            "bad_tag; 1 "
            "of 2 samples refused (bad_tag 1) dropped=1\"}\n");
  EXPECT_EQ(total("cpu.usage_idle;host=web1").sum, 168.5);
}

TEST_F(InfluxE2e, PointsArriveOverUdpAndTcp) {
  const Endpoint influx = server_.listener("influx");
  ASSERT_TRUE(
      UdpSender(influx).send("udp,host=a f=1.5,s=\"x\ny\"\nudp,host=a f=2.5 " + now_ns() + "\nbad\n"));
  ServerProcess::send_to(influx, "tcp,host=a f=1i,g=t\ntcp,host=a f=2i");
  ASSERT_TRUE(server_.wait_for_metric("statmill_samples_received_total{listener=\"influx_udp\"}", 3));
  EXPECT_EQ(total("udp.f;host=a").sum, 4);
  EXPECT_EQ(total("tcp.f;host=a").sum, 3);
  EXPECT_EQ(total("tcp.g;host=a").sum, 1);
  EXPECT_THAT(server_.cli({"rejects", "--format", "csv"}).out,
              testing::HasSubstr(",influx_udp,127.0.0.1,field_count,no,3,bad\n"));
}

// Fails the test, unless the package of the client is not installed.
bool is_installed(const Ended& look, const std::string& package) {
  if (look.status == 0) return true;
  std::printf("skipped: %s is not installed\n", package.c_str());
  return false;
}

TEST_F(InfluxE2e, DebiansPythonClientWrites) {
  constexpr const char* kPython = "/usr/bin/python3";
  if (!is_installed(run_program({kPython, {"-c", "import influxdb"}, {}}), "python3-influxdb"))
    GTEST_SKIP() << "python3-influxdb is not installed";
  constexpr std::string_view kScript = R"(
import sys, time
from influxdb import InfluxDBClient
from influxdb.exceptions import InfluxDBClientError
for gzip in (False, True):
    client = InfluxDBClient(sys.argv[1], int(sys.argv[2]), database='my db', gzip=gzip)
    print(client.ping())
    client.create_database('my db')
    print(client.get_list_database())
    now = time.time_ns()
    points = [{'measurement': 'cpu load', 'tags': {'host': 'a, b', 'dc': 'e=u', 'i': i % 10},
               'time': now, 'fields': {'value': i + 0.25, 'n': i, 'b': True, 's': 'x "y"\nz'}} for i in range(1000)]
    client.write_points(points, batch_size=300)
    client.write_points([{'measurement': 'seconds', 'time': int(time.time()), 'fields': {'value': 1.5}}],
                        time_precision='s')
    try:
        client.write_points(['good f=1', 'bad'], protocol='line')
    except InfluxDBClientError as error:
        print(error.code, error.content)
)";
  const Ended ended = run_program(
      {kPython, {"-c", std::string(kScript), server_.http().host, std::to_string(server_.http().port)}, {}});
  EXPECT_EQ(ended.status, 0) << ended.said;
  EXPECT_THAT(ended.out, testing::StartsWith("1.8.10-statmill\n[{'name': 'statmill'}]\n400 "));
  EXPECT_THAT(ended.out, testing::HasSubstr("partial write: unable to parse 'bad': field_count; 1 of 2"));
  double values = 0;
  for (const auto& [name, sums] : server_.totals("cpu%20load.value;dc=e=u;host=a,%20b;i=*"))
    values += sums.sum;
  EXPECT_EQ(values, 2 * (999 * 500 + 250));
  EXPECT_EQ(total("cpu%20load.n;dc=e=u;host=a,%20b;i=3").sum, 2 * (100 * 3 + 10 * 99 * 50));
  EXPECT_EQ(total("cpu%20load.b;dc=e=u;host=a,%20b;i=0").count, 200);
  EXPECT_EQ(total("seconds.value").sum, 3);
  EXPECT_EQ(total("good.f").sum, 2);
  EXPECT_EQ(accepted("influx"), 2 * (3 * 1000 + 2));
}

TEST_F(InfluxE2e, NpmsInfluxWrites) {
  if (!std::filesystem::exists(STATMILL_NODE_MODULES "/influx"))
    GTEST_SKIP() << STATMILL_NODE_MODULES " has no package influx: the page is not packed";
  constexpr std::string_view kScript = R"(
const { InfluxDB } = require('influx');
const [host, port] = process.argv.slice(-2);
(async () => {
  const db = new InfluxDB({ host, port: Number(port), database: 'my db' });
  console.log((await db.ping(5000)).map((one) => one.online + ' ' + one.version).join());
  await db.createDatabase('my db');
  console.log((await db.getDatabaseNames()).join());
  const timestamp = new Date();
  for (let batch = 0; batch < 10; ++batch) {
    await db.writePoints([...Array(100).keys()].map((i) => ({
      measurement: 'cpu', tags: { host: 'a, b=c', i: String(i % 10) },
      fields: { value: i + 0.25, text: 'x "y"\nz', ok: true }, timestamp })));
  }
  await db.writeMeasurement('seconds', [{ fields: { value: 1.5 }, timestamp }], { precision: 's' });
  await db.writePoints([{ measurement: 'cpu load', fields: { value: 1 } }]).then(
    () => console.log('accepted'), (error) => console.log('refused: ' + error.message));
})();
)";
  const Ended ended = run_node(kScript);
  ASSERT_EQ(ended.status, 0) << ended.said;
  EXPECT_THAT(ended.out, testing::StartsWith("true 1.8.10-statmill\nstatmill\nrefused: "));
  EXPECT_THAT(ended.out, testing::HasSubstr("unable to parse 'cpu load value=1'"))
      << "it does not escape the blank of a measurement";
  double values = 0;
  for (const auto& [name, sums] : server_.totals("cpu.value;host=a,%20b=c;i=*")) values += sums.sum;
  EXPECT_EQ(values, 10 * (99 * 50 + 25));
  EXPECT_EQ(total("cpu.ok;host=a,%20b=c;i=3").count, 100);
  EXPECT_EQ(total("seconds.value").sum, 1.5);
}

TEST_F(InfluxE2e, NpmsClientOfInfluxDb2Writes) {
  if (!std::filesystem::exists(STATMILL_NODE_MODULES "/@influxdata/influxdb-client"))
    GTEST_SKIP() << STATMILL_NODE_MODULES
        " has no package @influxdata/influxdb-client: the page is not packed";
  constexpr std::string_view kScript = R"(
const { InfluxDB, Point } = require('@influxdata/influxdb-client');
const [host, port] = process.argv.slice(-2);
(async () => {
  const db = new InfluxDB({ url: `http://${host}:${port}`, token: 'unused' });
  const points = db.getWriteApi('mine', 'my bucket', 'ms', { batchSize: 100, gzipThreshold: 1000 });
  points.useDefaultTags({ host: 'a, b=c' });
  for (let i = 0; i < 1000; ++i) {
    points.writePoint(new Point('cpu load').tag('i', String(i % 10)).floatField('value', i + 0.25)
      .intField('n', i).uintField('u', i).booleanField('ok', true).stringField('text', 'x "y"\nz').timestamp(new Date()));
  }
  await points.close();
  const refused = db.getWriteApi('mine', 'my bucket', 'ms', { maxRetries: 0 });
  refused.writeRecord('cpu value=x');
  await refused.close().then(() => console.log('accepted'), (error) => console.log('refused: ' + error.message));
})();
)";
  const Ended ended = run_node(kScript);
  ASSERT_EQ(ended.status, 0) << ended.said;
  EXPECT_THAT(ended.out, testing::HasSubstr("refused: "));
  double values = 0;
  for (const auto& [name, sums] : server_.totals("cpu%20load.value;host=a,%20b=c;i=*")) values += sums.sum;
  EXPECT_EQ(values, 999 * 500 + 250);
  EXPECT_EQ(total("cpu%20load.n;host=a,%20b=c;i=3").count, 100);
  EXPECT_EQ(total("cpu%20load.u;host=a,%20b=c;i=9").sum, 100 * 504);
  EXPECT_EQ(total("cpu%20load.ok;host=a,%20b=c;i=3").sum, 100);
}

TEST_F(InfluxE2e, DebiansShellInserts) {
  if (!is_installed(run_program({"influx", {"-version"}, {}}), "influxdb-client"))
    GTEST_SKIP() << "influxdb-client is not installed";
  const auto execute = [this](const std::string& statement) {
    return run_program({"influx",
                        {"-host", server_.http().host, "-port", std::to_string(server_.http().port),
                         "-database", "mine", "-execute", statement},
                        {}});
  };
  EXPECT_EQ(execute("INSERT cpu,host=a\\ b value=1.5,n=2i").status, 0);
  EXPECT_EQ(total("cpu.value;host=a%20b").sum, 1.5);
  EXPECT_EQ(total("cpu.n;host=a%20b").sum, 2);
  const Ended refused = execute("INSERT cpu value=x");
  EXPECT_THAT(refused.out + refused.said, testing::HasSubstr("unable to parse ' cpu value=x': bad_value"));
  EXPECT_THAT(execute("SHOW DATABASES").out, testing::HasSubstr("statmill"));
}

TEST(InfluxAccess, TokensComeInEveryFormOfInflux) {
  TempDirectory directory;
  // SHA-256 of a and of abc.
  const std::filesystem::path tokens =
      directory.write("tokens",
                      "write ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\n"
                      "read ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n");
  std::filesystem::permissions(tokens, std::filesystem::perms(0600));
  ServerProcess server(STATMILL_BIN, {"--http.tokens", tokens.string(), "--influx.db_tag", "db"});
  server.start();
  const auto status = [&server](std::string_view path, std::string_view authorization) {
    return http_raw(server.http(), "POST " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" +
                                       "Connection: close\r\n" + std::string(authorization) +
                                       "Content-Length: 7\r\n\r\na f=1.5")
        .status;
  };
  for (const std::string path : {"/write?db=x", "/api/v2/write?bucket=x"}) {
    EXPECT_EQ(status(path, ""), 401) << path;
    EXPECT_EQ(status(path, "Authorization: Token b\r\n"), 401) << path;
    EXPECT_EQ(status(path, "Authorization: Token abc\r\n"), 403) << path;
    EXPECT_EQ(status(path, "Authorization: Token a\r\n"), 204) << path;
    EXPECT_EQ(status(path, "Authorization: Bearer a\r\n"), 204) << path;
    EXPECT_EQ(status(path, "Authorization: Basic dGVsZWdyYWY6YQ==\r\n"), 204) << path;
  }
  EXPECT_EQ(http_get(server.http(), "/ping").status, 204);
  EXPECT_EQ(http_get(server.http(), "/health").status, 200);
  EXPECT_EQ(http_get(server.http(), "/query?q=SHOW+DATABASES").status, 401);
  const HttpReply metrics = http_raw(server.http(),
                                     "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                     "Authorization: Token abc\r\n\r\n");
  EXPECT_THAT(metrics.body, testing::HasSubstr("statmill_samples_accepted_total{listener=\"influx\"} 6\n"));
  EXPECT_EQ(server.stop(), 0);
}

// The bodies are as large as they may be; each is answered in time, and none leaves the server without
// memory.
TEST_F(InfluxE2e, HostileBodiesTakeBoundedTimeAndMemory) {
  constexpr size_t kBody = 24'000'000;
  const auto repeated = [](std::string_view text, size_t bytes) {
    std::string out;
    out.reserve(bytes);
    while (out.size() + text.size() <= bytes) out += text;
    return out;
  };
  const std::string long_tag = "m,k=" + std::string(2000, 'v') + " f=1" + repeated(",f=1", 2000) + "\n";
  struct Body {
    std::string name;
    std::string text;
    int status;
  };
  const std::vector<Body> bodies = {
      {"one line", "m f" + std::string(kBody, 'f') + "=1", 400},
      {"escapes", "m" + repeated("\\,", kBody) + " f=1", 400},
      {"short lines of escapes", repeated("m\\,\\ \\,,k\\==\\, f\\,=1\n", kBody), 204},
      {"fields of one point", "m f=1" + repeated(",f=1", kBody), 400},
      {"tags of one point", "m" + repeated(",k=v", kBody) + " f=1", 400},
      {"points with too many tags", repeated("m" + repeated(",k=v,l=w,a=b", 60'000) + " f=x\n", kBody), 400},
      {"points of fields with long names", repeated(long_tag, kBody), 204},
      {"points of too many fields",
       repeated("m,k=" + std::string(2000, 'v') + " f=1" + repeated(",f=1", 60'000) + "\n", kBody), 400},
      {"strings of other lines", repeated("m f=\"\n", kBody), 204},
      {"crossed strings", repeated("a k=\",x\",z=\"\n", kBody), 400},
      {"line ends", std::string(kBody, '\n'), 204},
      {"zeros", std::string(kBody, '\0'), 400},
  };
  for (const auto& [name, text, status] : bodies) {
    const auto begin = std::chrono::steady_clock::now();
    const HttpReply reply = send_chunks("POST /write", "Content-Encoding: gzip\r\n", gzipped(text));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(reply.status, status) << name << ": " << reply.body;
    EXPECT_LT(reply.body.size(), 2000u) << name;
    std::printf("%s: %.2f s, at most %.0f MB\n", name.c_str(), taken.count(), peak_bytes() / 1e6);
  }
  std::string text;
  text.resize(200'000'000, 'a');
  const std::string bomb = gzipped(text);
  EXPECT_EQ(send("POST /write", "Content-Encoding: gzip\r\n", bomb).status, 413);
  text.assign(25'000'001, '\n');
  EXPECT_EQ(send("POST /write", "", text).status, 413);
  EXPECT_LT(peak_bytes(), 300e6);
}

}  // namespace
}  // namespace statmill
