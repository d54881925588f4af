// Any bytes as a message of remote_write: decoding ends within a cost that is linear in the bytes, passes on
// only views into them, and as many samples as were announced. The first byte says how to read the others.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "proto/prometheus/remote_write.h"
#include "proto/prometheus/snappy_block.h"
#include "tests/fuzz/cost_bound.h"

namespace {

using namespace statmill;

class CheckParts final : public RemoteWriteVisitor {
 public:
  explicit CheckParts(std::string_view message) : message_(message) {}

  void begin_series(const RemoteSeries& series) override {
    SM_CHECK(series.labels.size() <= kRemoteLabelsMax);
    for (const LabelView& label : series.labels) {
      check_view(label.name);
      check_view(label.value);
    }
    check_view(series.help);
    check_view(series.unit);
    announced_ += series.samples;
    announced_histograms_ += series.histograms;
    announced_exemplars_ += series.exemplars;
  }
  void add_sample(const RemoteSample&) override { SM_CHECK(++samples_ <= announced_); }
  void add_histogram(const NativeHistogram& histogram) override {
    SM_CHECK(++histograms_ <= announced_histograms_);
    if (histogram.verdict.is_accepted() && !histogram.is_end)
      SM_CHECK(check_histogram(histogram.histogram).is_accepted());
  }
  void add_exemplar(const RemoteExemplar& exemplar) override {
    SM_CHECK(++exemplars_ <= announced_exemplars_);
    SM_CHECK(exemplar.labels.size() <= kRemoteLabelsMax);
    for (const LabelView& label : exemplar.labels) {
      check_view(label.name);
      check_view(label.value);
    }
  }
  void add_family(const RemoteFamily& family) override {
    check_view(family.name);
    check_view(family.help);
    check_view(family.unit);
  }
  void end() const {
    SM_CHECK(samples_ == announced_ && histograms_ == announced_histograms_);
    SM_CHECK(exemplars_ == announced_exemplars_);
  }

 private:
  void check_view(std::string_view text) const {
    SM_CHECK(text.empty() || (text.data() >= message_.data() &&
                              text.data() + text.size() <= message_.data() + message_.size()));
  }

  const std::string_view message_;
  uint64_t announced_ = 0;
  uint64_t samples_ = 0;
  uint64_t announced_histograms_ = 0;
  uint64_t histograms_ = 0;
  uint64_t announced_exemplars_ = 0;
  uint64_t exemplars_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view message(reinterpret_cast<const char*>(data) + 1, size - 1);
  const CostBound bound(size);
  if (data[0] == 2) {
    const auto decoded = decode_snappy(message, 1 << 20);
    SM_CHECK(!decoded || decoded->size() <= 22 * (message.size() + 1));
    return 0;
  }
  CheckParts parts(message);
  const auto version = data[0] == 0 ? RemoteWriteVersion::k1 : RemoteWriteVersion::k2;
  if (decode_remote_write(version, message, parts)) parts.end();
  return 0;
}
