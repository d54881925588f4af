#include "agent/recording/recording_writer.h"

#include <string_view>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

constexpr int64_t kNoTime = 0;  // of a block without moments, as in gzip

std::string head_line(const RecordingHead& head) {
  std::string line;
  append_recording_head(line, head);
  return line;
}

}  // namespace

RecordingHead recording_head(const AgentConfig& config) {
  RecordingHead head{.host = recording_host(config.host), .interval = config.interval, .fast = {}};
  if (!config.hindsight.fast.empty()) head.fast = config.hindsight.fast_interval;
  return head;
}

RecordingWriter::RecordingWriter(const RecordingHead& head, std::string tags, Sink sink)
    : head_(head_line(head)), recorded_(std::move(tags)), sink_(std::move(sink)), text_(head_) {
  text_.reserve(kBlockTextBytesMax);
}

void RecordingWriter::add(const LineBatch& batch) {
  SM_CHECK(batch.time.has_value());
  at_ = *batch.time;
  moment_.clear();
  append_moment(moment_, at_);
  has_moment_ = false;
  recorded_.begin(at_);
  for (std::string_view rest = std::string_view(batch.text).substr(0, batch.fast_begin); !rest.empty();) {
    const size_t end = rest.find('\n');
    const std::string_view line = recorded_.complete(rest.substr(0, end));
    if (!line.empty()) append(line);
    rest.remove_prefix(end + 1);
  }
}

void RecordingWriter::append(std::string_view line) {
  if (head_.size() + moment_.size() + line.size() > kBlockTextBytesMax) {
    ++too_long_;
    return;
  }
  if (text_.size() + moment_.size() + line.size() > kBlockTextBytesMax) end_block();
  if (!has_lines()) begin_ = at_;
  if (!std::exchange(has_moment_, true)) text_.append(moment_);
  text_.append(line);
  ++lines_;
}

void RecordingWriter::end_block() {
  if (!has_lines()) return;
  sink_(blocks_.block(text_, unix_seconds(begin_)));
  text_ = head_;
  has_moment_ = false;
}

std::string RecordingWriter::open_block() {
  return has_lines() ? blocks_.block(text_, unix_seconds(begin_)) : std::string();
}

std::string RecordingWriter::family_blocks() {
  std::string out;
  std::string text = head_;
  const std::string families = recorded_.families();
  for (std::string_view rest = families; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1);
    if (text.size() + line.size() > kBlockTextBytesMax) {
      out.append(blocks_.block(text, kNoTime));
      text = head_;
    }
    text.append(line);
    rest.remove_prefix(line.size());
  }
  if (text.size() > head_.size()) out.append(blocks_.block(text, kNoTime));
  return out;
}

}  // namespace statmill
