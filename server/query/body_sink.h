// BodySink: where a query writes its answer, piece by piece, while it computes the rest.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// Used by one thread, the one that runs the query.
class BodySink {
 public:
  virtual ~BodySink() = default;

  // Sets the content type: a string literal. Without a call it is JSON. Requires: nothing was written.
  virtual void set_content_type(std::string_view content_type) = 0;

  // Appends to the answer. Pieces may have any size: they are collected into blocks of 64 KiB. The first
  // block is held back until it is full, so a failure before that still gets its own status; a failure after
  // it cuts the connection. Waits while two blocks wait for the client. Errors: kUnavailable (the query was
  // stopped, or the client did not read in time): the caller must end.
  virtual Status write(std::string_view bytes) = 0;
  // Sends what was written, without waiting for a whole block. Errors: those of write().
  virtual Status flush() { return Status::ok(); }
};

// Collects the answer in memory: for tests, and for callers without a connection.
class StringSink final : public BodySink {
 public:
  void set_content_type(std::string_view content_type) override { content_type_ = content_type; }
  Status write(std::string_view bytes) override {
    text_.append(bytes);
    return Status::ok();
  }
  const std::string& text() const { return text_; }
  std::string_view content_type() const { return content_type_; }  // empty if it was not set

 private:
  std::string text_;
  std::string_view content_type_;
};

}  // namespace statmill
