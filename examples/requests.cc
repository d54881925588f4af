// Counts 1000 requests and sends them to a statmill server. Usage: requests [ADDRESS]
#include <statmill/reporter.h>

#include <cstdio>

static statmill::Counter requests{"shop.requests;code=200", "Requests answered."};
static statmill::Histogram<> latency{"shop.latency_us", "Request duration in microseconds."};

int main(int argc, char** argv) {
  std::string error;
  const auto reporter =
      statmill::Reporter::start({.address = argc > 1 ? argv[1] : "udp:127.0.0.1:8111"}, error);
  if (reporter == nullptr) return std::fprintf(stderr, "%s\n", error.c_str()), 1;
  for (int i = 1; i <= 1000; ++i) {
    requests.add();  // takes two or three nanoseconds; works on any thread
    latency.record(static_cast<uint64_t>(i));
  }
  std::printf("%llu requests\n", static_cast<unsigned long long>(requests.value()));
}
