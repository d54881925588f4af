// See agents_report.h.
#include "server/agents/agents_report.h"

#include "server/json.h"

namespace statmill {
namespace {

void write_time(JsonObject& object, std::string_view name, Timestamp time) {
  object.number(name, static_cast<double>(unix_seconds(time)));
}

void write_gaps(std::string& out, const AgentRow& row) {
  JsonArray gaps(out);
  for (const AgentGap& gap : row.last_gaps) {
    JsonObject one(gaps.element());
    one.count("first", gap.first);
    one.count("last", gap.last);
    one.count("lines", gap.lines);
    one.text("reason", gap_reason_text(gap.reason));
    write_time(one, "from", gap.from);
    write_time(one, "to", gap.to);
  }
}

void write_agent(std::string& out, const AgentInfo& agent) {
  const AgentRow& row = agent.row;
  JsonObject one(out);
  one.text("host", row.host);
  one.text("id", shown_id(row.id));
  one.key("connected").append(agent.contact ? "true" : "false");
  one.count("epoch", row.position.epoch);
  one.count("taken", row.position.seq);
  one.count("durable", agent.durable.seq);
  one.count("lines", row.position.lines);
  write_time(one, "seen", row.seen);
  one.count("gaps", row.gaps);
  one.count("lines_lost", row.lines_lost);
  write_gaps(one.key("last_gaps"), row);
}

}  // namespace

std::string agents_json(const AgentBook& book) {
  std::string out;
  {
    JsonObject report(out);
    report.count("known", book.count());
    report.count("connected", book.connected());
    JsonArray agents(report.key("agents"));
    for (const AgentInfo& agent : book.list(kAgentsShown)) write_agent(agents.element(), agent);
  }
  out.push_back('\n');
  return out;
}

}  // namespace statmill
