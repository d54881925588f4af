// AnswerWriter: writes a long answer of Prometheus' HTTP API piece by piece, so that it is never in memory
// as a whole text.
#pragma once

#include <string>
#include <string_view>

#include "server/http/http_message.h"
#include "server/query/body_sink.h"
#include "server/query/series_source.h"

namespace statmill {

// Confined to one thread.
class AnswerWriter {
 public:
  // An answer whose data are a list: {"status":"success","data":[...]}. The sink must outlive it.
  explicit AnswerWriter(BodySink& sink) : AnswerWriter(sink, "[", "]") {}
  // One whose data are the result of a query, of the type "matrix" or "vector".
  static AnswerWriter of_query(BodySink& sink, std::string_view type);

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
  // Writes what follows the last element, with the notes that there are.
  Status end(const QueryNotes& notes = {});

 private:
  static constexpr size_t kBlockBytes = size_t{16} << 10;

  AnswerWriter(BodySink& sink, const std::string& head, std::string_view tail)
      : sink_(sink), tail_(tail), out_(R"({"status":"success","data":)" + head) {}

  BodySink& sink_;
  const std::string tail_;  // of the data
  std::string out_;
  bool is_first_ = true;
};

}  // namespace statmill
