// Events of DogStatsD: tables of accepted and refused lines. Also the messages of service checks.
#include "proto/statsd/event.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/proto/batch_text.h"
#include "tests/proto/statsd/laws.h"

namespace statmill {
namespace {

std::vector<std::string> events_of(std::string_view line) {
  EXPECT_EQ(law_broken_by_statsd(line), "") << line;
  StatsdBatch batch;
  parse_statsd_line(line, batch);
  std::vector<std::string> texts = refused_texts(batch.batch);
  for (const Sample& sample : batch.batch.samples) texts.push_back(to_text(sample));
  for (const StatsdEvent& e : batch.events) {
    std::string text = "event \"" + std::string(e.title) + "\" \"" + std::string(e.text) + "\"";
    for (const auto& [name, field] :
         {std::pair{" #", e.tags}, std::pair{" h:", e.host}, std::pair{" t:", e.alert}}) {
      if (!field.empty()) text += name + std::string(field);
    }
    texts.push_back(text + (e.time_s ? "@" + std::to_string(*e.time_s) : ""));
  }
  return texts;
}

void expect_events(const std::vector<LineCase>& table) {
  for (const LineCase& c : table) EXPECT_EQ(events_of(c.input), c.want) << '"' << c.input << "\": " << c.why;
}

TEST(StatsdEvents, KeepsTheMessageOfAServiceCheck) {
  StatsdBatch batch;
  parse_statsd_lines("a:1|g\n_sc|disk|2|m:full|at 98%\n_sc|net|0\n_sc|bad|9|m:x", batch);
  ASSERT_EQ(batch.checks.size(), 2U);
  EXPECT_EQ(batch.checks[0].sample, 1U);
  EXPECT_EQ(batch.checks[0].message, "full|at 98%");
  EXPECT_EQ(batch.checks[1].sample, 2U);
  EXPECT_EQ(batch.checks[1].message, "");
}

TEST(StatsdEvents, ReadsEvents) {
  expect_events({
      {"_e{5,4}:title|text", {"event \"title\" \"text\""}, "title and text"},
      {"_e{1,0}:a|", {"event \"a\" \"\""}, "no text"},
      {"_e{3,5}:a|b|x|y\\n", {"event \"a|b\" \"x|y\\n\""}, "the sizes decide, not the bars"},
      {"_e{5,4}:title|text|d:1700000000|h:web1|k:key|p:low|s:src|t:error|#a:b,c",
       {"event \"title\" \"text\" #a:b,c h:web1 t:error@1700000000"},
       "all fields"},
      {"_e{4,2}:\xc3\xa9\xc3\xa9|ok", {"event \"\xc3\xa9\xc3\xa9\" \"ok\""}, "sizes are bytes"},
      {"_e{2,2}:\xc3\xa9\xc3\xa9|ok", {"refused field_count"}, "not characters"},
      {"_e{3,2}:\xc3\xa9\xc3|\xa9|ok", {"refused bad_name"}, "no UTF-8"},
      {"_e{5,9}:title|text", {"refused field_count"}, "the text is too short"},
      {"_e{5,2}:title|text", {"refused field_count"}, "the text is too long"},
      {"_e{-1,1}:a|b", {"refused field_count"}, "a negative size"},
      {"_e{1}:a|b", {"refused field_count"}, "one size"},
      {"_e{1,1}a|b", {"refused field_count"}, "no colon"},
      {"_e{0,1}:|b", {"refused empty_name"}, "no title"},
      {"_e{1,1}:a|b|d:now", {"refused bad_time"}, "not a time"},
      {"_e{1,1}:\x01|b", {"refused bad_name"}, "a control byte"},
      {"_e:1|c", {"event _e 1"}, "an ordinary name"},
  });
}

}  // namespace
}  // namespace statmill
