/* The library of counters for C, and for languages that call C. What is made lives as long as the process. */
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

/* The instrument of that name ("http.requests;code=200"), made when it is asked for first; both texts are
   copied. Null: there is no memory, or the name is one of another kind. Takes a lock: keep the pointer. */
statmill_counter* statmill_counter_of(const char* name, const char* help);
statmill_gauge* statmill_gauge_of(const char* name, const char* help);
statmill_max_gauge* statmill_max_gauge_of(const char* name, const char* help);
statmill_histogram* statmill_histogram_of(const char* name, const char* help);

/* From any thread and in signal handlers, as their namesakes of C++; a call is 2 ns more. */
void statmill_counter_add(statmill_counter* counter, uint64_t n);
uint64_t statmill_counter_value(const statmill_counter* counter);
void statmill_gauge_set(statmill_gauge* gauge, int64_t value);
void statmill_gauge_add(statmill_gauge* gauge, int64_t n);
void statmill_max_gauge_record(statmill_max_gauge* gauge, int64_t value);
void statmill_histogram_record(statmill_histogram* histogram, uint64_t value);

/* Sends everything to "udp:HOST:PORT", "tcp:HOST:PORT" or "unix:PATH" each interval. Null: the address or the
   interval (10 ms at least) is wrong, which `error`, unless null, says in so many bytes with the 0. */
statmill_reporter* statmill_reporter_start(const char* address, uint64_t interval_ms, char* error,
                                           uint64_t error_bytes);
/* Sends a last report and ends. Null does nothing. */
void statmill_reporter_stop(statmill_reporter* reporter);

#ifdef __cplusplus
}
#endif
