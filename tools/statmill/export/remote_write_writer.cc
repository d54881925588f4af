#include "tools/statmill/export/remote_write_writer.h"

#include <snappy.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "proto/protobuf_writer.h"
#include "tools/statmill/export/prometheus_samples.h"

namespace statmill {
namespace {

// Label { name = 1, value = 2 }, as field 1 of a series.
std::string label_field(std::string_view name, std::string_view value) {
  ProtobufWriter label;
  label.bytes(1, name);
  label.bytes(2, value);
  ProtobufWriter series;
  series.bytes(1, label.text());
  return series.text();
}

// Sample { value = 1 double, timestamp = 2 int64 ms }, as field 2 of a series.
std::string sample_field(double value, int64_t time_ms) {
  ProtobufWriter sample;
  sample.real(1, value);
  sample.integer(2, static_cast<uint64_t>(time_ms));
  ProtobufWriter series;
  series.bytes(2, sample.text());
  return series.text();
}

class RemoteWriteWriter final : public HistoryWriter {
 public:
  RemoteWriteWriter(const Client& client, std::string path, RemoteWriteAccount& account)
      : client_(client), path_(std::move(path)), account_(account) {}

  Status write(const Sample& sample) override {
    samples_.convert(sample, [this](const PrometheusSample& one) { append(one); });
    return count_ < kRemoteWriteSamplesMax ? Status::ok() : flush();
  }
  Status finish() override { return count_ == 0 ? Status::ok() : flush(); }

 private:
  // A series for each run of samples of one name.
  void append(const PrometheusSample& sample) {
    std::string labels = label_field("__name__", sample.name);
    for (const auto& [name, value] : sample.labels) labels += label_field(name, value);
    if (series_.empty() || series_.back().first != labels) {
      // Those of a distribution alternate.
      const bool is_one_before = series_.size() > 1 && series_[series_.size() - 2].first == labels;
      if (is_one_before) std::swap(series_[series_.size() - 2], series_.back());
      if (!is_one_before) series_.emplace_back(labels, labels);
    }
    series_.back().second += sample_field(sample.value, sample.time_s * 1000);
    ++count_;
  }

  Status flush() {
    ProtobufWriter message;
    for (const auto& [labels, series] : series_) message.bytes(1, series);
    std::string body;
    snappy::Compress(message.text().data(), message.text().size(), &body);
    Status sent = send(body);
    ++account_.requests;
    account_.samples += count_;
    series_.clear();
    count_ = 0;
    return sent;
  }

  Status send(const std::string& body) {
    auto pause = std::chrono::milliseconds(500);
    Error last;
    for (int i = 0; i < kRemoteWriteTries; ++i, pause *= 2) {
      if (i > 0) std::this_thread::sleep_for(pause);
      const auto answer = client_.post_with(path_, body,
                                            {{"Content-Type", "application/x-protobuf"},
                                             {"Content-Encoding", "snappy"},
                                             {"X-Prometheus-Remote-Write-Version", "0.1.0"}});
      if (answer && answer->status / 100 == 2) return Status::ok();
      if (answer && answer->status != 429 && answer->status / 100 != 5) {
        if (account_.refused == 0)
          account_.first_answer = std::to_string(answer->status) + " " + answer->body.substr(0, 500);
        account_.refused += count_;
        return Status::ok();
      }
      last = answer ? Error{ErrorCode::kUnavailable, "it answers " + std::to_string(answer->status)}
                    : answer.error();
    }
    return last;
  }

  const Client& client_;
  const std::string path_;
  RemoteWriteAccount& account_;
  PrometheusSamples samples_;
  std::vector<std::pair<std::string, std::string>> series_;  // labels, then labels and samples
  size_t count_ = 0;                                         // samples in them
};

}  // namespace

std::unique_ptr<HistoryWriter> make_remote_write_writer(const Client& client, std::string path,
                                                        RemoteWriteAccount& account) {
  return std::make_unique<RemoteWriteWriter>(client, std::move(path), account);
}

}  // namespace statmill
