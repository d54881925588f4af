#include "server/http/query_pool.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace statmill {
namespace {

constexpr std::array<int, kQueryLaneCount> kNice = {5, 10};
constexpr std::array<const char*, kQueryLaneCount> kThreadNames = {"query", "query heavy"};

}  // namespace

size_t QueryPoolOptions::thread_count() const {
  if (threads > 0) return threads;
  return std::max<size_t>(1, std::thread::hardware_concurrency() / 2);
}

QueryPool::QueryPool(const QueryPoolOptions& options) : options_(options), threads_(options.thread_count()) {}

QueryPool::~QueryPool() {
  std::vector<std::thread> threads;
  {
    MutexLock lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
    for (Line& line : lines_) std::ranges::move(line.threads, std::back_inserter(threads));
  }
  for (std::thread& thread : threads) thread.join();
}

bool QueryPool::post(QueryLane lane, std::shared_ptr<QueryJob> job) {
  MutexLock lock(mutex_);
  Line& to = line(lane);
  const bool starts_now = to.jobs.size() + to.working < threads_;
  if (!starts_now && to.jobs.size() >= options_.waiting_max) return false;
  to.jobs.push_back(std::move(job));
  add_thread_if_needed(lane);
  return true;
}

bool QueryPool::withdraw(const QueryJob* job) {
  std::shared_ptr<QueryJob> withdrawn;  // destroyed without the lock
  MutexLock lock(mutex_);
  for (Line& line : lines_) {
    const auto at = std::ranges::find_if(line.jobs, [job](const auto& other) { return other.get() == job; });
    if (at == line.jobs.end()) continue;
    withdrawn = std::move(*at);
    line.jobs.erase(at);
    return true;
  }
  return false;
}

void QueryPool::wait_for_client(QueryLane lane, bool begins) {
  MutexLock lock(mutex_);
  Line& of = line(lane);
  if (!begins) {
    ++of.working;  // for a moment more threads may work than the setting says
    return;
  }
  --of.working;
  add_thread_if_needed(lane);
}

void QueryPool::add_thread_if_needed(QueryLane lane) {
  Line& of = line(lane);
  changed_.notify_all();
  // An idle thread may be about to start another job.
  const size_t may_start = std::min(of.jobs.size(), threads_ - std::min(threads_, of.working));
  if (may_start <= of.idle || of.threads.size() >= threads_ + kSpareThreads) return;
  ++of.idle;
  of.threads.emplace_back([this, lane] { work(lane); });
}

void QueryPool::work(QueryLane lane) {
  ::pthread_setname_np(::pthread_self(), kThreadNames[static_cast<size_t>(lane)]);
  // Without the right to be nice to others the queries still run.
  static_cast<void>(
      ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice[static_cast<size_t>(lane)]));
  for (;;) {
    std::shared_ptr<QueryJob> job;
    {
      MutexLock lock(mutex_);
      Line& of = line(lane);
      while (!is_ending_ && (of.jobs.empty() || of.working >= threads_)) changed_.wait(mutex_);
      if (of.jobs.empty()) return;
      job = std::move(of.jobs.front());
      of.jobs.pop_front();
      --of.idle;
      ++of.working;
      ++of.running;
    }
    job->run(lane);
    job.reset();
    MutexLock lock(mutex_);
    Line& of = line(lane);
    ++of.idle;
    --of.working;
    --of.running;
    changed_.notify_all();
  }
}

size_t QueryPool::running() const {
  MutexLock lock(mutex_);
  return lines_[0].running + lines_[1].running;
}

size_t QueryPool::waiting() const {
  MutexLock lock(mutex_);
  return lines_[0].jobs.size() + lines_[1].jobs.size();
}

}  // namespace statmill
