// The subcommands of `statmill`. `arguments` does not include the command's name; options may be anywhere.
#pragma once

#include <span>
#include <string>

#include "tools/statmill/cli.h"

namespace statmill {

Outcome run_put(std::span<const std::string> arguments, const Environment& environment);
Outcome run_query(std::span<const std::string> arguments, const Environment& environment);
Outcome run_graph(std::span<const std::string> arguments, const Environment& environment);
Outcome run_top(std::span<const std::string> arguments, const Environment& environment);
Outcome run_list(std::span<const std::string> arguments, const Environment& environment);
Outcome run_describe(std::span<const std::string> arguments, const Environment& environment);
Outcome run_status(std::span<const std::string> arguments, const Environment& environment);
Outcome run_profile(std::span<const std::string> arguments, const Environment& environment);
Outcome run_doctor(std::span<const std::string> arguments, const Environment& environment);
Outcome run_rejects(std::span<const std::string> arguments, const Environment& environment);
Outcome run_cardinality(std::span<const std::string> arguments, const Environment& environment);
Outcome run_open(std::span<const std::string> arguments, const Environment& environment);
Outcome run_grafana(std::span<const std::string> arguments, const Environment& environment);
Outcome run_alerts(std::span<const std::string> arguments, const Environment& environment);
Outcome run_slo(std::span<const std::string> arguments, const Environment& environment);
Outcome run_import(std::span<const std::string> arguments, const Environment& environment);
Outcome run_export(std::span<const std::string> arguments, const Environment& environment);
Outcome run_record(std::span<const std::string> arguments, const Environment& environment);
Outcome run_agents(std::span<const std::string> arguments, const Environment& environment);
Outcome run_forget_agent(std::span<const std::string> arguments, const Environment& environment);
Outcome run_delete(std::span<const std::string> arguments, const Environment& environment);
Outcome run_rename(std::span<const std::string> arguments, const Environment& environment);
Outcome run_retention(std::span<const std::string> arguments, const Environment& environment);
Outcome run_flush(std::span<const std::string> arguments, const Environment& environment);
Outcome run_backup(std::span<const std::string> arguments, const Environment& environment);
Outcome run_verify(std::span<const std::string> arguments, const Environment& environment);
Outcome run_clock(std::span<const std::string> arguments, const Environment& environment);
Outcome run_check(std::span<const std::string> arguments, const Environment& environment);
Outcome run_restore(std::span<const std::string> arguments, const Environment& environment);

}  // namespace statmill
