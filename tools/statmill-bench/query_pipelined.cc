#include "tools/statmill-bench/query_pipelined.h"

#include <sched.h>

#include <chrono>
#include <vector>

#include "tools/statmill-bench/http_connection.h"

namespace statmill {
namespace {

using std::chrono::steady_clock;

// Runs the calling thread on one processor, or on all but that one, until it is destroyed. Processes that it
// starts inherit this. On a machine with one processor it does nothing.
class OnProcessor {
 public:
  enum class Where : uint8_t { kFirst, kOthers };

  explicit OnProcessor(Where where) {
    CPU_ZERO(&before_);
    ::sched_getaffinity(0, sizeof(before_), &before_);
    if (CPU_COUNT(&before_) < 2) return;
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    bool is_first = true;
    for (size_t i = 0; i < CPU_SETSIZE; ++i) {
      if (!CPU_ISSET(i, &before_)) continue;
      if (is_first == (where == Where::kFirst)) CPU_SET(i, &wanted);
      is_first = false;
    }
    ::sched_setaffinity(0, sizeof(wanted), &wanted);
  }
  ~OnProcessor() { ::sched_setaffinity(0, sizeof(before_), &before_); }
  OnProcessor(const OnProcessor&) = delete;
  OnProcessor& operator=(const OnProcessor&) = delete;

 private:
  cpu_set_t before_;
};

}  // namespace

Measured measure_pipelined(QueryServer& server, const AskedQuery& asked, size_t runs,
                           const std::string& name) {
  constexpr size_t kAtOnce = 32;
  constexpr size_t kRounds = 5;  // per run
  constexpr double kRequests = kAtOnce * kRounds;
  {
    const OnProcessor one(OnProcessor::Where::kFirst);
    if (Status s = server.restart(); !s) return s.error();
  }
  const OnProcessor others(OnProcessor::Where::kOthers);
  const auto before = server.meter().cpu_time();
  if (!before) return before.error();
  std::vector<double> rates;
  for (size_t i = 0; i < runs; ++i) {
    auto connection = HttpConnection::open(server.http());  // a server may limit the requests of one
    if (!connection) return connection.error();
    const auto begin = steady_clock::now();
    for (size_t round = 0; round < kRounds; ++round) {
      const auto answer = connection->get_pipelined(asked.target, kAtOnce);
      if (!answer) return answer.error();
      if (Status s = asked.check(answer->body); !s) return s.error();
    }
    const std::chrono::duration<double> taken = steady_clock::now() - begin;
    rates.push_back(kRequests / taken.count());
  }
  const auto after = server.meter().cpu_time();
  if (!after) return after.error();
  const std::chrono::duration<double, std::micro> cpu = *after - *before;
  const auto requests = runs * kAtOnce * kRounds;
  return std::vector<Measurement>{
      {name + "_per_s", percentile(rates, 50), "1/s", requests},
      {name + "_cpu_us", cpu.count() / static_cast<double>(requests), "us", requests}};
}

}  // namespace statmill
