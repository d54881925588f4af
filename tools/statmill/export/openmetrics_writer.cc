#include "tools/statmill/export/openmetrics_writer.h"

#include <string>
#include <utility>

#include "base/text.h"
#include "tools/statmill/export/prometheus_samples.h"

namespace statmill {
namespace {

constexpr size_t kOpenMetricsPieceBytes = size_t{64} << 10;

void append_label_value(std::string& out, std::string_view value) {
  out.push_back('"');
  for (const char c : value) {
    if (c == '\\' || c == '"') out.push_back('\\');
    c == '\n' ? out.append("\\n") : out.append(1, c);
  }
  out.push_back('"');
}

class OpenMetricsWriter final : public HistoryWriter {
 public:
  explicit OpenMetricsWriter(WriteOut out) : out_(std::move(out)) {}

  Status write(const Sample& sample) override {
    samples_.convert(sample, [this](const PrometheusSample& one) { append(one); });
    return text_.size() < kOpenMetricsPieceBytes ? Status::ok() : flush();
  }
  Status finish() override {
    text_.append("# EOF\n");
    return flush();
  }

 private:
  void append(const PrometheusSample& sample) {
    // A family of counters has the name without _total; those of other counters have no type in this format.
    const bool is_total = sample.is_counter && sample.name.ends_with("_total");
    const std::string_view family = is_total ? sample.name.substr(0, sample.name.size() - 6) : sample.name;
    if (family != family_) {
      family_ = family;
      text_.append("# TYPE ").append(family_);
      text_.append(is_total ? " counter\n" : sample.is_counter ? " unknown\n" : " gauge\n");
    }
    text_.append(sample.name);
    char before = '{';
    for (const auto& [name, value] : sample.labels) {
      text_.push_back(before);
      text_.append(name).append("=");
      append_label_value(text_, value);
      before = ',';
    }
    if (before == ',') text_.push_back('}');
    text_.push_back(' ');
    append_number(text_, sample.value);
    text_.append(" ").append(std::to_string(sample.time_s)).append("\n");
  }
  Status flush() {
    Status written = out_(text_);
    text_.clear();
    return written;
  }

  const WriteOut out_;
  PrometheusSamples samples_;
  std::string text_;
  std::string family_;
};

}  // namespace

std::unique_ptr<HistoryWriter> make_openmetrics_writer(WriteOut out) {
  return std::make_unique<OpenMetricsWriter>(std::move(out));
}

}  // namespace statmill
