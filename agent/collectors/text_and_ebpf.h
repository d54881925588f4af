// One collector of two: the text of /proc has what it tells exactly, on every kernel, and eBPF the rest.
#pragma once

#include <memory>

#include "agent/collectors/collector.h"

namespace statmill {

// Both have the same name and share no series. The collector is degraded while one of them does not fully
// work, and unavailable while neither works. `ebpf_serves` is a gauge: 1 while eBPF serves its series, else
// 0.
std::unique_ptr<Collector> make_text_and_ebpf(std::unique_ptr<Collector> text,
                                              std::unique_ptr<Collector> ebpf, GaugeFamily ebpf_serves);

}  // namespace statmill
