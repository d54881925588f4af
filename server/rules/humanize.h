// Numbers as texts that people read in alerts, as the template functions of Prometheus print them
// (prometheus.io/docs/prometheus/latest/configuration/template_reference). Four significant digits.
#pragma once

#include <string>

namespace statmill::rules {

std::string humanize(double value);             // 1.235M, 12.3m
std::string humanize_1024(double value);        // 1.178Mi
std::string humanize_duration(double seconds);  // 1d 2h 3m 4s, 120ms
std::string humanize_percentage(double ratio);  // 12.34%
std::string humanize_timestamp(double unix_s);  // 2026-11-20 19:03:20 +0000 UTC

}  // namespace statmill::rules
