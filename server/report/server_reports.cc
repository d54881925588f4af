#include "server/report/server_reports.h"

#include "server/report/agents_report.h"
#include "server/report/hosts_report.h"
#include "server/report/limits_report.h"
#include "server/report/retention_report.h"
#include "server/report/status.h"

namespace statmill {

std::string ServerReports::status(const Reader& reader) const {
  const Sources& s = sources_;
  return status_json({s.table, s.store_stats, s.forecast, s.writes, s.registry, s.health, s.connections,
                      s.clock, s.started, s.build, s.is_demo, s.recording, reader, listeners_});
}

std::string ServerReports::rejects() const { return rejects_json(sources_.refusals); }

std::vector<Reports::Refused> ServerReports::refused_with(const std::vector<std::string>& words,
                                                          size_t limit) const {
  return refused_lines_with(sources_.refusals, words, limit);
}

std::string ServerReports::cardinality(size_t parts) const {
  return cardinality_json({sources_.table, sources_.refusals, sources_.new_series}, parts);
}

std::string ServerReports::agents(const AgentFilter& filter) const {
  return agents_json(sources_.agents, sources_.clock.wall(), filter);
}

std::string ServerReports::retention(const std::string& name) const {
  return retention_json(sources_.table, name);
}

std::string ServerReports::hosts() const {
  return hosts_json(sources_.table, sources_.agents, sources_.clock.wall());
}

}  // namespace statmill
