#include "proto/recording/recording_reader.h"

#include <utility>

#include "proto/recording/block.h"

namespace statmill {

Status RecordingReader::fill(size_t bytes) {
  size_t size = pending_.size();
  while (size < bytes) {
    pending_.resize(bytes);
    const Result<size_t> read = read_(std::span(pending_).subspan(size));
    pending_.resize(size + (read ? *read : 0));
    if (!read) return read.error();
    if (*read == 0) break;
    size += *read;
  }
  return Status::ok();
}

Result<std::optional<RecordingText>> RecordingReader::next() {
  while (true) {
    if (Status filled = fill(kBlockHeadBytes); !filled) return filled.error();
    if (pending_.size() < kBlockHeadBytes && (bytes_ > 0 || pending_.empty()))
      return std::optional<RecordingText>();
    const std::optional<BlockHead> head = read_block_head(pending_);
    if (!head) return Error{ErrorCode::kCorrupt, bytes_ == 0 ? "not a recording" : "no block begins here"};
    if (Status filled = fill(head->bytes); !filled) return filled.error();
    if (pending_.size() < head->bytes) return std::optional<RecordingText>();
    Result<std::string> text = inflate_block(pending_);
    if (!text) return text.error();
    bytes_ += pending_.size();
    pending_.clear();
    is_ended_ = text->empty();
    if (is_ended_) continue;
    text_ = *std::move(text);
    const Result<RecordingText> parsed = parse_recording_text(text_);
    if (!parsed) return parsed.error();
    return std::optional(*parsed);
  }
}

}  // namespace statmill
