#include "tools/statmill-bench/remote_suite.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "base/text.h"
#include "tools/statmill-bench/http_connection.h"
#include "tools/statmill-bench/measures.h"
#include "tools/statmill-bench/query_answer.h"
#include "tools/statmill-bench/query_peer.h"
#include "tools/statmill-bench/remote_workload.h"
#include "tools/statmill-bench/server_process.h"
#include "tools/statmill-bench/suites.h"

namespace statmill {
namespace {

using std::chrono::nanoseconds;
using Wire = RemoteWorkloadOptions::Wire;

constexpr std::chrono::seconds kQueryLimit{120};

struct RemoteContext {
  const RemoteBenchOptions& options;
  const std::filesystem::path& programs;
};

// How requests are sent.
struct Door {
  std::string target;
  HttpFields fields;
  unsigned status;  // of a request whose samples are all stored
};

Door door_of(Wire wire, std::string_view prefix) {
  if (wire == Wire::kOtlp) return {"/v1/metrics", {{"Content-Type", "application/x-protobuf"}}, 200};
  return {std::string(prefix) + "/api/v1/write",
          {{"Content-Type", "application/x-protobuf"},
           {"Content-Encoding", "snappy"},
           {"X-Prometheus-Remote-Write-Version", "0.1.0"}},
          204};
}

// A server that samples are sent to.
class Target {
 public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;  // empty: statmill
  virtual Endpoint http() const = 0;
  virtual ProcessMeter meter() const = 0;
  virtual Door door(Wire wire) const = 0;
  // Waits until all that was sent is in the store, or in files.
  virtual Status settle() const = 0;
  virtual Status verify(const RemoteWorkload& sent) const = 0;
  // Returns its figures that others do not have, by name.
  virtual Result<std::map<std::string, double>> own_figures(const RemoteWorkload& sent) const = 0;
};

class StatmillTarget final : public Target {
 public:
  StatmillTarget(ServerProcess server, Wire wire) : server_(std::move(server)), wire_(wire) {}

  std::string_view name() const override { return {}; }
  Endpoint http() const override { return server_.http(); }
  ProcessMeter meter() const override { return server_.meter(); }
  Door door(Wire wire) const override { return door_of(wire, "/prometheus"); }
  Status settle() const override { return server_.wait_until_durable(); }

  Status verify(const RemoteWorkload& sent) const override {
    const SentTotals totals = sent.totals();
    const auto counts = server_.counts(wire_ == Wire::kOtlp ? "otlp" : "remote_write");
    if (!counts) return counts.error();
    const uint64_t wanted = totals.hundredths.size() * totals.count + sent.resources();
    if (counts->accepted != wanted || counts->received != wanted)
      return Error{ErrorCode::kCorrupt, "of " + std::to_string(wanted) + " samples " +
                                            std::to_string(counts->received) + " were received, " +
                                            std::to_string(counts->accepted) + " accepted"};
    const Result<size_t> verified = verify_stored(server_, totals, false);
    return verified ? Status::ok() : Status(verified.error());
  }

  // What it costs to write the samples to the tiers, which a server does some minutes after they came.
  Result<std::map<std::string, double>> own_figures(const RemoteWorkload& sent) const override {
    constexpr std::chrono::milliseconds kRest{600};
    const auto series = server_.metric("statmill_remote_series");
    const auto bytes = server_.metric("statmill_remote_value_bytes");
    const auto before = meter().cpu_time();
    if (!series || !bytes || !before) return Error{ErrorCode::kUnavailable, "the server does not answer"};
    if (Status s = server_.flush(); !s) return s.error();
    if (const auto idle = meter().wait_until_idle(kRest, kQueryLimit); !idle) return idle.error();
    const auto after = meter().cpu_time();
    if (!after) return after.error();
    const SentTotals totals = sent.totals();
    const auto samples = static_cast<double>(totals.hundredths.size() * totals.count);
    return std::map<std::string, double>{
        {"flush_us_per_sample",
         std::chrono::duration<double, std::micro>(*after - *before).count() / samples},
        {"value_bytes_per_series", *bytes / *series}};
  }

 private:
  const ServerProcess server_;
  const Wire wire_;
};

class PeerTarget final : public Target {
 public:
  explicit PeerTarget(std::unique_ptr<QueryServer> server) : server_(std::move(server)) {}

  std::string_view name() const override { return server_->name(); }
  Endpoint http() const override { return server_->http(); }
  ProcessMeter meter() const override { return server_->meter(); }
  Door door(Wire wire) const override { return door_of(wire, ""); }
  Status settle() const override { return Status::ok(); }

  Status verify(const RemoteWorkload& sent) const override {
    const SentTotals totals = sent.totals();
    const Result<Client> client = Client::to("http://" + http().text(), kQueryLimit);
    if (!client) return client.error();
    if (const auto flushed = client->get("/internal/force_flush"); !flushed) return flushed.error();
    const auto answer =
        client->get("/api/v1/query", {{"query", "sum(count_over_time({job=\"node-exporter\"}[" +
                                                    std::to_string(totals.until_s - totals.from_s) + "s]))"},
                                      {"time", std::to_string(totals.until_s - 1)}});
    if (!answer) return answer.error();
    const auto shape = shape_of_answer(answer->body);
    if (!shape) return shape.error();
    const auto wanted = static_cast<double>(totals.hundredths.size() * totals.count);
    if (shape->sum == wanted) return Status::ok();
    return Error{ErrorCode::kCorrupt, std::string(name()) + " has " + std::to_string(shape->sum) + " of " +
                                          std::to_string(wanted) + " samples"};
  }
  Result<std::map<std::string, double>> own_figures(const RemoteWorkload&) const override {
    return std::map<std::string, double>();
  }

 private:
  const std::unique_ptr<QueryServer> server_;
};

// Errors: kUnavailable if the peer is not installed.
Result<std::unique_ptr<Target>> start_target(std::string_view name, Wire wire, const RemoteContext& context) {
  if (!name.empty()) {
    auto peer = make_query_peer(name, context.options.directory);
    if (!peer) return peer.error();
    if (Status s = (*peer)->restart(); !s) return s.error();
    return std::unique_ptr<Target>(std::make_unique<PeerTarget>(*std::move(peer)));
  }
  auto server =
      ServerProcess::start({.program = context.programs / "statmilld", .parent = context.options.directory});
  if (!server) return server.error();
  return std::unique_ptr<Target>(std::make_unique<StatmillTarget>(*std::move(server), wire));
}

using Pass = std::vector<std::string>;

// Sends all requests of one connection, so that the samples of a series come in their order.
Status send_part(const Target& target, Wire wire, const std::vector<Pass>& passes, size_t part,
                 size_t parts) {
  const Door door = target.door(wire);
  std::optional<HttpConnection> connection;
  size_t sent = 0;
  for (const Pass& pass : passes) {
    for (size_t i = part; i < pass.size(); i += parts) {
      if (sent++ % kRequestsPerConnection == 0) {
        connection.reset();
        Result<HttpConnection> opened = HttpConnection::open(target.http());
        if (!opened) return opened.error();
        connection.emplace(*std::move(opened));
      }
      const Result<HttpAnswer> answer = connection->post(door.target, door.fields, pass[i]);
      if (!answer) return answer.error();
      if (answer->status != door.status)
        return Error{ErrorCode::kIo, "status " + std::to_string(answer->status) + ": " + answer->body};
    }
  }
  return Status::ok();
}

// Returns the CPU time of the server until it is at rest.
Result<nanoseconds> send_passes(const Target& target, Wire wire, const std::vector<Pass>& passes,
                                size_t connections) {
  constexpr std::chrono::seconds kRest{2};  // some servers write their data once a second
  constexpr std::chrono::seconds kBusyLimit{120};
  const auto before = target.meter().cpu_time();
  if (!before) return before.error();
  std::vector<Status> sent(connections, Status::ok());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < connections; ++i)
      threads.emplace_back([&, i] { sent[i] = send_part(target, wire, passes, i, connections); });
  }
  for (const Status& one : sent) {
    if (!one) return one.error();
  }
  if (Status s = target.settle(); !s) return s.error();
  if (const auto idle = target.meter().wait_until_idle(kRest, kBusyLimit); !idle) return idle.error();
  const auto after = target.meter().cpu_time();
  if (!after) return after.error();
  return *after - *before;
}

using Figures = std::map<std::string, double>;

Result<Figures> measure_once(const Target& target, Wire wire, const RemoteBenchOptions& options) {
  const int64_t now_s = unix_seconds(SystemClock().wall()) / RemoteWorkload::kPassS * RemoteWorkload::kPassS;
  RemoteWorkload workload(
      {.wire = wire,
       .series = options.series,
       .samples_per_request = options.samples_per_request,
       .first_time_s = now_s - static_cast<int64_t>(options.passes) * RemoteWorkload::kPassS});
  const std::vector<Pass> creating = {workload.next_pass()};
  std::vector<Pass> others;
  while (workload.passes() < options.passes) others.push_back(workload.next_pass());
  const auto bytes_before = target.meter().resident_bytes();
  const auto cpu_new = send_passes(target, wire, creating, options.connections);
  if (!cpu_new) return cpu_new.error();
  const auto cpu_known = send_passes(target, wire, others, options.connections);
  if (!cpu_known) return cpu_known.error();
  const auto bytes = target.meter().resident_bytes();
  if (!bytes_before || !bytes) return Error{ErrorCode::kUnavailable, "the server has ended"};
  if (Status s = target.verify(workload); !s) return s.error();
  Result<Figures> out = target.own_figures(workload);
  if (!out) return out;
  const auto per = [](nanoseconds cpu, size_t samples) {
    return std::chrono::duration<double, std::micro>(cpu).count() / static_cast<double>(samples);
  };
  out->emplace("cpu_us_per_new_series", per(*cpu_new, options.series));
  out->emplace("cpu_us_per_sample", per(*cpu_known, options.series * (options.passes - 1)));
  out->emplace("rss_per_series", (static_cast<double>(*bytes) - static_cast<double>(*bytes_before)) /
                                     static_cast<double>(options.series));
  return out;
}

Measured measure_remote(const std::string& name, Wire wire, const RemoteContext& context) {
  const RemoteBenchOptions& options = context.options;
  std::fprintf(stderr, "remote: %s: %zu series x %zu samples, %zu in a request\n", name.c_str(),
               options.series, options.passes, options.samples_per_request);
  std::vector<std::string> servers = {""};
  if (wire == Wire::kRemoteWrite) servers.insert(servers.end(), options.peers.begin(), options.peers.end());
  std::map<std::string, std::vector<double>> values;  // by name of the figure
  for (size_t round = 0; round < options.rounds; ++round) {
    for (const std::string& server : servers) {
      const auto target = start_target(server, wire, context);
      if (!target && !server.empty()) {
        if (round == 0)
          std::fprintf(stderr, "remote: %s: skipped: %s\n", server.c_str(), target.error().message.c_str());
        continue;
      }
      if (!target) return target.error();
      const Result<Figures> figures = measure_once(**target, wire, options);
      if (!figures) return figures.error();
      std::string prefix = "remote." + name + ".";
      if (!server.empty()) prefix.append(server).append(".");
      for (const auto& [figure, value] : *figures) values[prefix + figure].push_back(value);
    }
  }
  std::vector<Measurement> out;
  for (const auto& [figure, all] : values) {
    const bool is_new = figure.ends_with("new_series");
    const bool is_bytes = figure.ends_with("bytes_per_series") || figure.ends_with("rss_per_series");
    const size_t n = is_new || is_bytes ? options.series : options.series * (options.passes - 1);
    out.push_back({figure, percentile(all, 50), is_bytes ? "B" : "us", n});
  }
  return out;
}

std::vector<Measure<RemoteContext>> make_remote_measures() {
  const auto measure = [](const std::string& name, Wire wire) {
    return Measure<RemoteContext>{
        name, [name, wire](const RemoteContext& context) { return measure_remote(name, wire, context); }};
  };
  return {measure("write", Wire::kRemoteWrite), measure("otlp", Wire::kOtlp)};
}

}  // namespace

std::vector<std::string> remote_measures() { return names_of(make_remote_measures()); }

std::vector<std::string> remote_peers() { return {"victoria-metrics"}; }

po::options_description describe_remote() {
  po::options_description out("remote; takes three minutes", kHelpWidth);
  const std::string only = "runs only these measures: " + joined(remote_measures());
  const std::string peers =
      "sends the same to these, where they are installed: all, none, or some of " + joined(remote_peers());
  out.add_options()                                                                                  //
      ("only", text_value("NAME,..."), only.c_str())                                                 //
      ("series", text_value("COUNT")->default_value("100000"), "number of series, 1000 per host")    //
      ("request", text_value("COUNT")->default_value("2000"), "samples per request")                 //
      ("passes", text_value("COUNT")->default_value("20"), "samples per series, 10 s apart")         //
      ("connections", text_value("COUNT")->default_value("16"), "connections that send")             //
      ("rounds", text_value("COUNT")->default_value("3"), "runs of each server; medians are shown")  //
      ("peers", text_value("NAME,...")->default_value("all"), peers.c_str())                         //
      ("dir", text_value("DIR"), "directory for temporary data; the system's by default");
  return out;
}

Result<RemoteBenchOptions> remote_options(const po::variables_map& values) {
  RemoteBenchOptions out;
  auto only = measures_asked(values, remote_measures());
  if (!only) return only.error();
  out.only = std::move(*only);
  const auto read = [&values](const char* option, CountBounds bounds, size_t& value) -> Status {
    const Result<size_t> number = count(values, option, bounds);
    if (!number) return number.error();
    value = *number;
    return Status::ok();
  };
  if (Status s = read("series", {.max = 10'000'000}, out.series); !s) return s.error();
  if (Status s = read("request", {.max = 50'000}, out.samples_per_request); !s) return s.error();
  if (Status s = read("passes", {.min = 2, .max = 360}, out.passes); !s) return s.error();
  if (Status s = read("connections", {.max = 50}, out.connections); !s) return s.error();
  if (Status s = read("rounds", {.max = 99}, out.rounds); !s) return s.error();
  auto peers = peers_asked(values, remote_peers());
  if (!peers) return peers.error();
  out.peers = std::move(*peers);
  if (values.count("dir") != 0) out.directory = values["dir"].as<std::string>();
  return out;
}

Result<std::vector<Measurement>> run_remote(const RemoteBenchOptions& options,
                                            const std::filesystem::path& programs) {
  return run_measures(make_remote_measures(), options.only, RemoteContext{options, programs});
}

}  // namespace statmill
