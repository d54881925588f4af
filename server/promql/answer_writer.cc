#include "server/promql/answer_writer.h"

#include "server/promql/prometheus_json.h"

namespace statmill {

AnswerWriter AnswerWriter::of_query(BodySink& sink, std::string_view type) {
  return {sink, R"({"resultType":")" + std::string(type) + R"(","result":[)", "]}"};
}

Status AnswerWriter::end(const QueryNotes& notes) {
  out_ += tail_;
  append_notes(out_, notes);
  out_ += "}\n";
  return sink_.write(out_);
}

}  // namespace statmill
