/* requests.cc in C, with a gauge instead of the histogram. Usage: requests-c [ADDRESS] */
#include <inttypes.h>
#include <statmill/counters.h>
#include <stdio.h>

int main(int argc, char** argv) {
  char error[200];
  statmill_reporter* reporter =
      statmill_reporter_start(argc > 1 ? argv[1] : "udp:127.0.0.1:8111", 10000, error, sizeof error);
  if (reporter == NULL) return fprintf(stderr, "%s\n", error), 1;
  statmill_counter* requests = statmill_counter_of("shop.requests;code=200", "Requests answered.", NULL);
  statmill_max_gauge* longest =
      statmill_max_gauge_of("shop.longest_queue", "Longest queue since the last report.", "requests");
  for (int i = 1; i <= 1000; ++i) {
    statmill_counter_add(requests, 1);
    statmill_max_gauge_record(longest, i % 17);
  }
  printf("%" PRIu64 " requests\n", statmill_counter_value(requests));
  statmill_reporter_stop(reporter);
  return 0;
}
