#include "agent/relay/line_chunks.h"

#include <string>
#include <utility>

#include "proto/istatd/exemplar_line.h"
#include "proto/istatd/family_line.h"
#include "proto/istatd/writer.h"

namespace statmill {

void LineChunks::add(const Sample& sample) {
  add_line([&](std::string& text) { append_line(text, sample); });
}

void LineChunks::add(const FamilyText& family) {
  add_line([&](std::string& text) { append_family_line(text, family); });
}

void LineChunks::add(const Exemplar& exemplar) {
  add_line([&](std::string& text) { append_exemplar_line(text, exemplar); });
}

template <class AppendLine>
void LineChunks::add_line(const AppendLine& append) {
  const auto begin_batch = [this] { batches_.emplace_back().text.reserve(kBatchBytes); };
  if (batches_.empty()) begin_batch();
  std::string& text = batches_.back().text;
  const size_t before = text.size();
  append(text);
  if (text.size() > kTextBytesMax && before > 0) {
    const std::string line = text.substr(before);
    text.resize(before);
    begin_batch();
    batches_.back().text.append(line);
  }
  ++batches_.back().lines;
}

std::vector<LineBatch> LineChunks::drain() {
  for (LineBatch& batch : batches_) {
    if (batch.text.size() < kTextBytesMax / 2) batch.text.shrink_to_fit();  // it may wait long in the queue
  }
  return std::exchange(batches_, {});
}

std::vector<LineBatch> LineChunks::drain_full() {
  if (batches_.size() < 2) return {};
  LineBatch last = std::move(batches_.back());
  batches_.pop_back();
  std::vector<LineBatch> full = std::exchange(batches_, {});
  batches_.push_back(std::move(last));
  return full;
}

}  // namespace statmill
