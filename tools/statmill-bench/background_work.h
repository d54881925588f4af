// BackgroundWork: what a server does for others while it is measured: heavy queries, ingest and compactions,
// each again and again without a pause.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "tools/statmill-bench/asked_query.h"
#include "tools/statmill-bench/server_process.h"
#include "tools/statmill-bench/workload.h"

namespace statmill {

struct BackgroundOptions {
  const ServerProcess& server;
  const AskedQuery* heavy = nullptr;  // the query; nullptr: none
  size_t heavy_connections = 4;
  std::vector<Stream>* streams = nullptr;  // sent over TCP as fast as the server reads; nullptr: none
  bool compacts = false;                   // a flush and a compaction of the whole store
};

// How much of it has ended.
struct BackgroundCounts {
  uint64_t queries = 0;
  uint64_t compactions = 0;
};

// The server and what the options point to must outlive this. Confined to one thread.
class BackgroundWork {
 public:
  // Begins the work, on threads of its own.
  explicit BackgroundWork(const BackgroundOptions& options);
  ~BackgroundWork() = default;
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  // Waits until there were as many answers as connections, and the server has read lines. Errors: the first
  // one of the work; kUnavailable if it does not begin.
  Status wait_until_running();
  BackgroundCounts counts() const;
  // Ends the work and waits for it. Returns the first error of it all.
  Status stop();

 private:
  void repeat_query(const std::stop_token& stop);
  void send_lines(const std::stop_token& stop);
  void repeat_compaction(const std::stop_token& stop);
  void note(const Status& end);
  Status first_error();

  const BackgroundOptions options_;
  // Written by the threads of the work, read by the owner; relaxed, since they guard no other memory.
  std::atomic<uint64_t> queries_{0};
  std::atomic<uint64_t> compactions_{0};
  Mutex mutex_;
  Status first_error_ GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // use all of the above
};

}  // namespace statmill
