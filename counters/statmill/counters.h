/* statmill counters for C, and for languages that call C. Instruments live until the process ends. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct statmill_counter statmill_counter;
typedef struct statmill_gauge statmill_gauge;
typedef struct statmill_max_gauge statmill_max_gauge;
typedef struct statmill_histogram statmill_histogram;
typedef struct statmill_reporter statmill_reporter;

/* Returns the instrument with this name ("http.requests;code=200") and creates it on the first call. Help and
   unit say what its values are and what they are counted in ("bytes", "celsius"; if it is NULL or empty, what
   the name ends in); both may be NULL. Copies all strings. Returns NULL if memory is exhausted or the name
   belongs to an instrument of another kind. Takes a lock: keep the pointer. */
statmill_counter* statmill_counter_of(const char* name, const char* help, const char* unit);
statmill_gauge* statmill_gauge_of(const char* name, const char* help, const char* unit);
statmill_max_gauge* statmill_max_gauge_of(const char* name, const char* help, const char* unit);
statmill_histogram* statmill_histogram_of(const char* name, const char* help, const char* unit);

/* Thread-safe and async-signal-safe. They work like the C++ functions and take about 2 ns more. */
void statmill_counter_add(statmill_counter* counter, uint64_t n);
uint64_t statmill_counter_value(const statmill_counter* counter);
void statmill_gauge_set(statmill_gauge* gauge, int64_t value);
void statmill_gauge_add(statmill_gauge* gauge, int64_t n);
void statmill_max_gauge_record(statmill_max_gauge* gauge, int64_t value);
void statmill_histogram_record(statmill_histogram* histogram, uint64_t value);
/* Also keeps the labels, such as "trace_id=4bf9", if the value is the largest since the last report.
   NULL: there are none. */
void statmill_histogram_record_with(statmill_histogram* histogram, uint64_t value, const char* labels);

/* Starts a thread that sends all instruments to "udp:HOST:PORT", "tcp:HOST:PORT" or "unix:PATH" once per
   interval. Returns NULL if the address or the interval (at least 10 ms) is invalid, or memory or threads are
   exhausted; then `error`, unless NULL, holds the reason: at most `error_bytes` bytes, including the
   terminating 0. */
statmill_reporter* statmill_reporter_start(const char* address, uint64_t interval_ms, char* error,
                                           uint64_t error_bytes);
/* Sends a last report, then stops the thread. Does nothing if `reporter` is NULL. */
void statmill_reporter_stop(statmill_reporter* reporter);

#ifdef __cplusplus
}
#endif
