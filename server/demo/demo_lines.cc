#include "server/demo/demo_lines.h"

#include "proto/istatd/writer.h"

namespace statmill {
namespace {

Number number_of(Int128 value) {
  const auto is_short = value <= Number::kMantissaMax;
  return is_short ? Number::decimal(static_cast<int64_t>(value), 0) : Number::of(static_cast<double>(value));
}

}  // namespace

void append_demo_line(std::string& out, const DemoSeries& series, int64_t time_s, const DemoSample& sample) {
  const Bucket::Decimal numbers = sample.bucket.decimal();
  Sample line;
  line.name = series.name;
  line.kind = series.kind();
  line.time_s = time_s;
  line.value = Number::decimal(numbers.sum, numbers.scale);
  ReadyBucket ready;
  if (line.kind == Kind::kDistribution) {
    ready = {sample.bucket.count(), number_of(numbers.sum_of_squares), number_of(numbers.min),
             number_of(numbers.max), sample.cells};
    line.ready = &ready;
  }
  append_line(out, line);
}

}  // namespace statmill
