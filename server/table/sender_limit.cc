#include "server/table/sender_limit.h"

namespace statmill {

bool SenderLimit::admit(const LineSender& sender) {
  if (series_max_ == 0 || sender.kind == LineSender::Kind::kServer) return true;
  MutexLock lock(mutex_);
  size_t& count = count_of(sender);
  if (count >= series_max_) return false;
  ++count;
  return true;
}

size_t& SenderLimit::count_of(const LineSender& sender) {
  if (sender.kind == LineSender::Kind::kHttp) return http_;
  if (const auto it = hosts_.find(sender.address); it != hosts_.end()) return it->second;
  return hosts_.size() < kSendersMax ? hosts_[sender.address] : other_hosts_;
}

size_t SenderLimit::sender_count() const {
  MutexLock lock(mutex_);
  return hosts_.size();
}

}  // namespace statmill
