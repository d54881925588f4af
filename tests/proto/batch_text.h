// Formats a parser's results as text, for tables of {input, want, why}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "proto/batch.h"

namespace statmill {

inline std::string_view kind_text(Kind kind) {
  if (kind == Kind::kGauge) return "gauge";
  if (kind == Kind::kCounter) return "counter";
  return kind == Kind::kEvent ? "event" : "distribution";
}

// Returns a sample as one line: "event name@time value" or "gauge name value {count squares min max}". Cells
// follow the max as lower edge and count: "32:5".
inline std::string to_text(const Sample& sample) {
  std::string text(kind_text(sample.kind));
  text.append(" ").append(sample.name);
  if (sample.time_s) text.append("@" + std::to_string(*sample.time_s));
  text.push_back(' ');
  append_number(text, sample.value.value());
  if (!sample.ready) return text;
  text.append(" {" + std::to_string(sample.ready->count));
  for (const Number& n : {sample.ready->sum_of_squares, sample.ready->min, sample.ready->max}) {
    text.push_back(' ');
    append_number(text, n.value());
  }
  for (const HistogramCell& cell : sample.ready->cells) {
    text.push_back(' ');
    append_number(text, histogram_lower_edge(cell.index));
    text.append(":" + std::to_string(cell.count));
  }
  return text + "}";
}

// Returns "refused reason" for each refusal.
inline std::vector<std::string> refused_texts(const Batch& batch) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < kRefusalCount; ++i) {
    const std::string text = "refused " + std::string(refusal_label(static_cast<Refusal>(i)));
    texts.insert(texts.end(), batch.refused[i], text);
  }
  return texts;
}

struct LineCase {
  std::string input;
  std::vector<std::string> want;
  std::string why;
};

}  // namespace statmill
