// See batch_queue.h.
#include "agent/batch_queue.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace statmill {

void BatchQueue::push(LineBatch batch) {
  if (batch.text.empty()) return;
  const size_t added = cost(batch);
  const bool fits = added <= bytes_max_;
  while (fits && bytes_ + added > bytes_max_ && drop_oldest()) {
  }
  if (bytes_ + added > bytes_max_) {
    lines_dropped_ += batch.lines;
    return;
  }
  bytes_ += added;
  batches_.push_back(std::move(batch));
}

void BatchQueue::took(size_t bytes) {
  const std::string_view taken = next().substr(0, bytes);
  SM_CHECK(taken.size() == bytes);
  const auto lines = static_cast<uint64_t>(std::count(taken.begin(), taken.end(), '\n'));
  position_ += bytes;
  position_lines_ += lines;
  lines_sent_ += lines;
  if (position_ == batches_.front().text.size()) pop();
}

void BatchQueue::rewind_to_line() {
  if (position_ == 0) return;
  const size_t line_end = batches_.front().text.rfind('\n', position_ - 1);
  position_ = line_end == std::string::npos ? 0 : line_end + 1;
}

bool BatchQueue::inside_line() const { return position_ > 0 && batches_.front().text[position_ - 1] != '\n'; }

bool BatchQueue::drop_oldest() {
  if (batches_.empty()) return false;
  if (!inside_line()) {
    lines_dropped_ += batches_.front().lines - position_lines_;
    pop();
    return true;
  }
  if (batches_.front().lines - position_lines_ > 1) {
    cut_to_begun_line();
    return true;
  }
  if (batches_.size() == 1) return false;
  bytes_ -= cost(batches_[1]);
  lines_dropped_ += batches_[1].lines;
  batches_.erase(batches_.begin() + 1);
  return true;
}

// A connection that has seen the beginning of a line must see its end before anything else.
void BatchQueue::cut_to_begun_line() {
  LineBatch& oldest = batches_.front();
  const size_t begin = oldest.text.rfind('\n', position_ - 1) + 1;  // npos + 1 is 0
  const size_t end = oldest.text.find('\n', position_) + 1;
  lines_dropped_ += oldest.lines - position_lines_ - 1;
  bytes_ -= cost(oldest);
  oldest = {oldest.text.substr(begin, end - begin), 1};
  oldest.text.shrink_to_fit();  // it kept the memory of the whole batch
  bytes_ += cost(oldest);
  position_ -= begin;
  position_lines_ = 0;
}

void BatchQueue::pop() {
  bytes_ -= cost(batches_.front());
  batches_.pop_front();
  position_ = 0;
  position_lines_ = 0;
}

}  // namespace statmill
