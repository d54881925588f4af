#include "server/http/answer_stream.h"

#include <utility>

namespace statmill {
namespace {

// How often a query that waits for its client looks if it was stopped.
constexpr Duration kStopPoll{10};

}  // namespace

Status AnswerStream::write(std::string_view bytes) {
  if (Status status = options_.control.check(); !status) return status;
  while (block_.size() + bytes.size() >= kStreamBlockBytes) {
    const size_t part = kStreamBlockBytes - block_.size();
    block_.append(bytes.substr(0, part));
    bytes.remove_prefix(part);
    if (Status status = send_block(block_); !status) return status;
    block_.clear();
  }
  block_.append(bytes);
  return Status::ok();
}

Status AnswerStream::flush() {
  if (Status status = options_.control.check(); !status) return status;
  if (block_.empty()) return Status::ok();
  Status status = send_block(block_, true);
  block_.clear();
  return status;
}

Status AnswerStream::send_block(std::string_view bytes, bool is_flush) {
  if (!has_begun_) {
    has_begun_ = true;
    options_.control.keep_running();
    encoder_ = make_encoder(options_.coding);
    Piece head;
    head.head.emplace();
    head.head->content_type = content_type_;
    head.head->content_encoding = coding_name(options_.coding);
    push(std::move(head));
  }
  Piece piece;
  piece.block = encoder_ ? encoder_->encode(bytes, false) : std::string(bytes);
  if (encoder_ && is_flush) piece.block += encoder_->flush();
  if (piece.block.empty()) return Status::ok();
  push(std::move(piece));
  return wait_for_room();
}

// The time that the client takes does not count as the query's.
Status AnswerStream::wait_for_room() {
  const auto has_room = [this]() REQUIRES(mutex_) {
    return pieces_.size() + (is_writing_ ? 1 : 0) <= kStreamBlocksMax || is_abandoned_;
  };
  {
    MutexLock lock(mutex_);
    if (has_room()) return options_.control.stop_reason();
  }
  const SteadyTime begin = options_.clock.steady();
  if (options_.on_waiting) options_.on_waiting(true);
  {
    MutexLock lock(mutex_);
    while (!has_room() && options_.control.stopped_by() == QueryStop::kNone)
      changed_.wait_for(mutex_, kStopPoll);
  }
  options_.control.extend_deadline(options_.clock.steady() - begin);
  if (options_.on_waiting) options_.on_waiting(false);
  return options_.control.stop_reason();
}

void AnswerStream::finish(HttpResponse response) {
  Piece piece;
  piece.end = End::kWhole;
  if (!has_begun_) {
    if (response.status == 200 && !block_.empty()) {
      response.body = std::move(block_);
      response.content_type = content_type_;
    }
    compress_body(response, options_.coding);
    piece.head = std::move(response);
  } else if (response.status == 200) {
    piece.block = encoder_ ? encoder_->encode(block_, true) : std::move(block_);
  } else {
    piece.end = End::kCut;
  }
  push(std::move(piece));
}

void AnswerStream::restart() {
  block_.clear();
  content_type_ = kJson;
}

std::optional<AnswerStream::Piece> AnswerStream::take() {
  MutexLock lock(mutex_);
  is_writing_ = false;
  changed_.notify_all();
  if (pieces_.empty()) return std::nullopt;
  Piece piece = std::move(pieces_.front());
  pieces_.pop_front();
  is_writing_ = true;
  return piece;
}

void AnswerStream::abandon() {
  options_.control.stop(QueryStop::kClient);
  MutexLock lock(mutex_);
  is_abandoned_ = true;
  pieces_.clear();
  changed_.notify_all();
}

void AnswerStream::push(Piece piece) {
  {
    MutexLock lock(mutex_);
    if (!is_abandoned_) pieces_.push_back(std::move(piece));
  }
  options_.wake();
}

void compress_body(HttpResponse& response, ContentCoding coding) {
  if (coding == ContentCoding::kNone || response.body.size() < kCompressedBytesMin) return;
  response.body = make_encoder(coding)->encode(response.body, true);
  response.content_encoding = coding_name(coding);
}

}  // namespace statmill
