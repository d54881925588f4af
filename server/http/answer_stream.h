// AnswerStream: passes the answer of a query, piece by piece, from the thread that computes it to the session
// that sends it.
//
// The first block is held back until it is full, so a failure before that has its own status, and an answer
// that fits into it has a Content-Length. A failure after it cuts the connection: no client then takes the
// answer for a whole one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "server/http/content_coding.h"
#include "server/http/http_message.h"
#include "server/query/body_sink.h"
#include "server/query/query_control.h"

namespace statmill {

inline constexpr size_t kStreamBlockBytes = size_t{64} << 10;
inline constexpr size_t kStreamBlocksMax = 2;  // waiting for the socket or being written

// Thread-safe: the functions of BodySink and finish() are called on one thread, take() and abandon() on
// another.
class AnswerStream final : public BodySink {
 public:
  struct Options {
    QueryControl& control;  // must outlive the stream
    const Clock& clock;     // the same
    ContentCoding coding = ContentCoding::kNone;
    std::function<void()> wake;            // called on the query's thread after each change; must not block
    std::function<void(bool)> on_waiting;  // called with true before the query's thread waits, false after
  };
  explicit AnswerStream(Options options) : options_(std::move(options)) {}

  // For the query.
  void set_content_type(std::string_view content_type) override { content_type_ = content_type; }
  Status write(std::string_view bytes) override;
  Status flush() override;
  // Ends the answer. If nothing was written, or only the first block and the status is not 200, `response` is
  // the answer. Otherwise what was written is its body, which is cut if the status is not 200.
  void finish(HttpResponse response);
  // Returns true if a part of the answer has left the first block, so it cannot start again.
  bool has_begun() const { return has_begun_; }
  // Forgets what was written. Requires: !has_begun().
  void restart();

  enum class End : uint8_t {
    kMore,   // more will follow
    kWhole,  // the answer is complete
    kCut,    // the answer failed: the connection must end without a proper end of the body
  };
  struct Piece {
    // In the first piece only. With kWhole its body is the whole answer; else the body follows in blocks.
    std::optional<HttpResponse> head;
    std::string block;
    End end = End::kMore;
  };
  // Returns the next piece; nullopt if there is none yet. The piece before counts as written.
  std::optional<Piece> take();
  // The client is gone: write() fails from now on.
  void abandon();

 private:
  Status send_block(std::string_view bytes, bool is_flush = false);
  Status wait_for_room() EXCLUDES(mutex_);
  void push(Piece piece);

  const Options options_;
  // Confined to the query's thread.
  std::string block_;
  std::string_view content_type_ = kJson;
  std::unique_ptr<BodyEncoder> encoder_;
  bool has_begun_ = false;

  mutable Mutex mutex_;
  Condition changed_;
  std::deque<Piece> pieces_ GUARDED_BY(mutex_);
  bool is_writing_ GUARDED_BY(mutex_) = false;  // the piece that take() returned last
  bool is_abandoned_ GUARDED_BY(mutex_) = false;
};

// Compresses the body if the coding is not kNone and the body is long enough.
void compress_body(HttpResponse& response, ContentCoding coding);

}  // namespace statmill
