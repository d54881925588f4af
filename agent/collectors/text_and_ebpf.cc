#include "agent/collectors/text_and_ebpf.h"

#include <utility>

namespace statmill {
namespace {

using Level = CollectorStatus::Level;

class TextAndEbpf final : public Collector {
 public:
  TextAndEbpf(std::unique_ptr<Collector> text, std::unique_ptr<Collector> ebpf, GaugeFamily ebpf_serves)
      : text_(std::move(text)), ebpf_(std::move(ebpf)), ebpf_serves_(ebpf_serves) {}

  std::string_view name() const override { return text_->name(); }
  const BpfProbe* probe() const override { return ebpf_->probe(); }
  uint8_t sources() const override { return sources_; }

  CollectorStatus collect(MetricSink& sink) override {
    CollectorStatus text = text_->collect(sink);
    CollectorStatus ebpf = ebpf_->collect(sink);
    sink.gauge(ebpf_serves_, ebpf.level == Level::kUnavailable ? 0 : 1);
    sources_ = static_cast<uint8_t>((text.level == Level::kUnavailable ? 0 : text_->sources()) |
                                    (ebpf.level == Level::kUnavailable ? 0 : ebpf_->sources()));
    if (ebpf.level == Level::kOk) return text.level == Level::kOk ? text : degraded(std::move(text.reason));
    std::string reason = "eBPF: " + ebpf.reason;
    if (text.level != Level::kOk) reason = text.reason + "; " + reason;
    const bool has_none = text.level == Level::kUnavailable && ebpf.level == Level::kUnavailable;
    return has_none ? CollectorStatus::unavailable(std::move(reason)) : degraded(std::move(reason));
  }

 private:
  static CollectorStatus degraded(std::string reason) { return CollectorStatus::degraded(std::move(reason)); }

  const std::unique_ptr<Collector> text_;
  const std::unique_ptr<Collector> ebpf_;
  const GaugeFamily ebpf_serves_;
  uint8_t sources_ = kSourcesNotKnown;
};

}  // namespace

std::unique_ptr<Collector> make_text_and_ebpf(std::unique_ptr<Collector> text,
                                              std::unique_ptr<Collector> ebpf, GaugeFamily ebpf_serves) {
  return std::make_unique<TextAndEbpf>(std::move(text), std::move(ebpf), ebpf_serves);
}

}  // namespace statmill
