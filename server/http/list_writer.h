// ListWriter: writes a long list of JSON values piece by piece, so that its text is never in memory as a
// whole.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "server/query/body_sink.h"

namespace statmill {

// Confined to one thread.
class ListWriter {
 public:
  // `head` is what comes before the first element, with the bracket. The sink must outlive it.
  ListWriter(BodySink& sink, std::string head) : sink_(sink), out_(std::move(head)) {}

  // `append` appends the JSON of one element to a string. Errors: those of the sink.
  template <class Append>
  Status add(const Append& append) {
    if (!is_first_) out_ += ',';
    is_first_ = false;
    append(out_);
    if (out_.size() < kBlockBytes) return Status::ok();
    Status written = sink_.write(out_);
    out_.clear();
    return written;
  }
  // Writes what follows the last element, with the bracket.
  Status end(std::string_view tail) {
    out_ += tail;
    return sink_.write(out_);
  }

 private:
  static constexpr size_t kBlockBytes = size_t{16} << 10;

  BodySink& sink_;
  std::string out_;
  bool is_first_ = true;
};

}  // namespace statmill
