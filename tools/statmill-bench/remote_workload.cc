#include "tools/statmill-bench/remote_workload.h"

#include <snappy.h>

#include <algorithm>

#include "proto/protobuf_writer.h"

namespace statmill {
namespace {

using Label = std::pair<std::string, std::string>;
using Labels = std::vector<Label>;
using Wire = RemoteWorkloadOptions::Wire;

constexpr uint32_t kSeed = 20'261'128;
constexpr uint64_t kNsPerS = 1'000'000'000;
constexpr int64_t kCountedS = 86'400;  // for so long, counters of OTLP count when the first pass comes

std::string instance_of(size_t host) {
  return "node-" + std::to_string(1000 + host) + ".eu-central-1.example.net:9100";
}
std::string rack_of(size_t host) { return "rack-" + std::to_string(host / 20); }

// Those that Prometheus adds to all series of a target and of itself, ascending.
Labels labels_of_host(size_t host) {
  return {{"cluster", "production-1"}, {"environment", "production"}, {"instance", instance_of(host)},
          {"job", "node-exporter"},    {"rack", rack_of(host)},       {"region", "eu-central-1"}};
}

// An attribute of OTLP whose value is a text.
std::string attribute(const Label& label) {
  ProtobufWriter value;
  value.bytes(1, label.second);
  ProtobufWriter out;
  out.bytes(1, label.first);
  out.bytes(2, value.text());
  return out.text();
}

std::string resource_of(size_t host) {
  const Labels attributes = {{"service.name", "node-exporter"}, {"service.instance.id", instance_of(host)},
                             {"cluster", "production-1"},       {"deployment.environment", "production"},
                             {"rack", rack_of(host)},           {"cloud.region", "eu-central-1"}};
  ProtobufWriter out;
  for (const Label& one : attributes) out.bytes(1, attribute(one));
  return out.text();
}

double in_units(int64_t hundredths) { return static_cast<double>(hundredths) / 100; }

}  // namespace

RemoteWorkload::RemoteWorkload(const RemoteWorkloadOptions& options)
    : options_(options),
      of_host_(series_of_host()),
      random_(kSeed),
      values_(options.series),
      first_(options.series),
      sums_(options.series) {
  for (int64_t& value : values_) value = 100 * static_cast<int64_t>(random_() % 100'000'000);
}

std::vector<RemoteWorkload::Series> RemoteWorkload::series_of_host() {
  std::vector<Series> out;
  const auto add = [&out](std::string metric, Labels labels, Change change, bool is_counter) {
    out.push_back({std::move(metric), std::move(labels), change, is_counter});
  };
  constexpr size_t kDevices = 16;
  const auto number = [](const char* prefix, size_t i) { return prefix + std::to_string(i); };
  for (size_t cpu = 0; cpu < kDevices; ++cpu) {
    for (const char* mode : {"idle", "iowait", "irq", "nice", "softirq", "steal", "system", "user"})
      add("node_cpu_seconds_total", {{"cpu", number("", cpu)}, {"mode", mode}}, Change::kCountsHundredths,
          true);
  }
  for (const char* kind : {"disk", "network"}) {
    for (size_t metric = 0; metric < 16; ++metric) {
      for (size_t device = 0; device < kDevices; ++device)
        add(std::string("node_") + kind + "_operations_" + std::to_string(metric) + "_total",
            {{"device", number(*kind == 'd' ? "nvme0n" : "enp1s0f", device)}},
            device % 4 == 3 ? Change::kStays : Change::kCounts, true);
    }
  }
  for (const char* what :
       {"avail_bytes", "device_error", "files", "files_free", "free_bytes", "size_bytes"}) {
    const bool walks = std::string_view(what).find("free") != std::string_view::npos || *what == 'a';
    for (size_t mount = 0; mount < 30; ++mount)
      add(std::string("node_filesystem_") + what,
          {{"device", number("/dev/mapper/vg0-lv", mount)},
           {"fstype", "ext4"},
           {"mountpoint", number("/srv/data/volume-", mount)}},
          walks ? Change::kWalks : Change::kStays, false);
  }
  for (const char* what : {"", "_max", "_min", "_cur", "_boost"}) {
    for (size_t cpu = 0; cpu < kDevices; ++cpu)
      add(std::string("node_cpu_scaling_frequency_hertz") + what,
          {{"cpu", number("", cpu)}, {"governor", "performance"}}, Change::kWalks, false);
  }
  for (size_t i = 0; i < 50; ++i) {
    add(number("node_softnet_figure_", i) + "_total", {}, Change::kCounts, true);
    add(number("node_memory_Figure_", i) + "_bytes", {}, Change::kWalks, false);
  }
  return out;
}

std::vector<std::string> RemoteWorkload::next_pass() {
  if (passes_ > 0) move_on();
  std::vector<std::string> out;
  for (size_t first = 0; first < values_.size(); first += options_.samples_per_request) {
    const size_t end = std::min(first + options_.samples_per_request, values_.size());
    out.push_back(options_.wire == Wire::kOtlp ? otlp_request(first, end) : remote_write_request(first, end));
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    if (passes_ == 0) first_[i] = values_[i];
    sums_[i] += values_[i];
  }
  ++passes_;
  return out;
}

void RemoteWorkload::move_on() {
  for (size_t i = 0; i < values_.size(); ++i) {
    const auto step = static_cast<int64_t>(random_() % 1000);
    switch (of_host_[i % of_host_.size()].change) {
      case Change::kStays:
        break;
      case Change::kCounts:
        values_[i] += 100 * step * step;
        break;
      case Change::kCountsHundredths:
        values_[i] += step;
        break;
      case Change::kWalks:
        values_[i] = std::max<int64_t>(0, values_[i] + 100 * 4096 * (step - 500));
        break;
    }
  }
}

std::string RemoteWorkload::remote_write_request(size_t first, size_t end) const {
  ProtobufWriter request;
  for (size_t i = first; i < end; ++i) {
    const Series& series = of_host_[i % of_host_.size()];
    Labels labels = labels_of_host(i / of_host_.size());
    labels.insert(labels.end(), series.labels.begin(), series.labels.end());
    labels.emplace_back("__name__", series.metric);
    std::sort(labels.begin(), labels.end());
    ProtobufWriter message;
    for (const Label& label : labels) {
      ProtobufWriter pair;
      pair.bytes(1, label.first);
      pair.bytes(2, label.second);
      message.bytes(1, pair.text());
    }
    ProtobufWriter sample;
    sample.real(1, in_units(values_[i]));
    sample.integer(2, static_cast<uint64_t>(time_s()) * 1000);
    message.bytes(2, sample.text());
    request.bytes(1, message.text());
  }
  std::string body;
  snappy::Compress(request.text().data(), request.text().size(), &body);
  return body;
}

std::string RemoteWorkload::otlp_request(size_t first, size_t end) {
  ProtobufWriter request;
  for (size_t begin = first; begin < end;) {
    const size_t host = begin / of_host_.size();
    const size_t host_end = std::min(end, (host + 1) * of_host_.size());
    ProtobufWriter resource_metrics;
    resource_metrics.bytes(1, resource_of(host));
    resource_metrics.bytes(2, otlp_metrics(begin, host_end));
    request.bytes(1, resource_metrics.text());
    ++resources_;
    begin = host_end;
  }
  return request.text();
}

// The metrics of one host: consecutive series of one name are points of one metric.
std::string RemoteWorkload::otlp_metrics(size_t first, size_t end) const {
  constexpr uint64_t kCumulative = 2;
  ProtobufWriter scope_metrics;
  for (size_t i = first; i < end;) {
    const Series& metric = of_host_[i % of_host_.size()];
    ProtobufWriter points;
    for (; i < end && of_host_[i % of_host_.size()].metric == metric.metric; ++i) {
      ProtobufWriter point;
      if (metric.is_counter)
        point.fixed(2, static_cast<uint64_t>(options_.first_time_s - kCountedS) * kNsPerS);
      point.fixed(3, static_cast<uint64_t>(time_s()) * kNsPerS);
      point.real(4, in_units(values_[i]));
      for (const Label& label : of_host_[i % of_host_.size()].labels) point.bytes(7, attribute(label));
      points.bytes(1, point.text());
    }
    if (metric.is_counter) {
      points.integer(2, kCumulative);
      points.integer(3, 1);  // it is monotonic
    }
    ProtobufWriter message;
    message.bytes(1, metric.metric);
    message.bytes(metric.is_counter ? 7 : 5, points.text());
    scope_metrics.bytes(2, message.text());
  }
  return scope_metrics.text();
}

std::string RemoteWorkload::name(size_t series) const {
  const Series& one = of_host_[series % of_host_.size()];
  const size_t host = series / of_host_.size();
  Labels labels = options_.wire == Wire::kRemoteWrite
                      ? labels_of_host(host)
                      : Labels{{"instance", instance_of(host)}, {"job", "node-exporter"}};
  labels.insert(labels.end(), one.labels.begin(), one.labels.end());
  std::sort(labels.begin(), labels.end());
  std::string out = one.metric;
  for (const auto& [label, value] : labels) out.append(";").append(label).append("=").append(value);
  return out;
}

SentTotals RemoteWorkload::totals() const {
  SentTotals out{.count = passes_,
                 .from_s = options_.first_time_s - kPassS,
                 .until_s = time_s(),
                 .name = [this](size_t series) { return name(series); }};
  for (size_t i = 0; i < values_.size(); ++i) {
    const bool is_counter = of_host_[i % of_host_.size()].is_counter;
    const int64_t before = options_.wire == Wire::kRemoteWrite ? first_[i] : 0;
    out.hundredths.push_back(is_counter ? values_[i] - before : sums_[i]);
  }
  return out;
}

}  // namespace statmill
