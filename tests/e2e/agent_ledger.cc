#include "tests/e2e/agent_ledger.h"

#include <boost/json.hpp>
#include <cmath>
#include <random>

#include "agent/spool/disk_directory.h"
#include "agent/spool/spool.h"
#include "agent/spool/spool_reader.h"
#include "proto/istatd/parser.h"

namespace statmill {
namespace {

// Sums of integers are exact; decimals were added in another order. The error is relative to the sum of the
// absolute values, because the sum itself can be close to zero.
constexpr double kRelativeError = 1e-9;

void add(const Sample& sample, Spooled& out) {
  SpooledSeries& series = out.series[std::string(sample.name)];
  series.is_event = adds_up(sample.kind);
  series.totals.count += sample.ready == nullptr ? 1 : static_cast<double>(sample.ready->count);
  series.totals.sum += sample.value.value();
  series.magnitude += std::abs(sample.value.value());
}

// Reads all batches from the first one. Returns an empty text, or what is wrong.
std::string read_batches(Spool& spool, Spooled& out) {
  SpoolReader reader(spool);
  Batch batch;
  while (out.batches < spool.durable_seq()) {
    const auto record = reader.next();
    if (!record || !*record) return "no record after batch " + std::to_string(out.batches);
    const FrameRead frame = read_frame((*record)->frame);
    const auto content = decode_batch(frame.payload);
    if (!content || content->seq != out.batches + 1)
      return "expected batch " + std::to_string(out.batches + 1);
    batch.clear();
    const auto tags = AddedTags::read(content->tags);
    if (!tags) return "tags that no name has: " + std::string(content->tags);
    parse_canonical_lines(content->text, *tags, batch);
    if (batch.received != batch.samples.size()) return "refused lines in " + std::string(content->text);
    for (const Sample& sample : batch.samples) add(sample, out);
    ++out.batches;
    out.lines += content->lines;
  }
  return out.lines == spool.lines() ? "" : "lines in the batches: " + std::to_string(out.lines);
}

AgentAccount find_account(const ServerProcess& server, std::string_view key, const std::string& value) {
  const auto status = boost::json::parse(server.get("/api/v1/status/agents"));
  for (const auto& agent : status.at("agents").as_array()) {
    if (agent.at(key).as_string() != value) continue;
    const auto number = [&](std::string_view name) { return agent.at(name).to_number<double>(); };
    return {true,
            agent.at("connected").as_bool(),
            number("accepted"),
            number("durable"),
            number("lines"),
            number("backlog_lines"),
            number("lines_lost"),
            number("gaps")};
  }
  return {};
}

std::string compare(const std::string& what, double at_server, double spooled, double magnitude) {
  if (std::abs(at_server - spooled) <= kRelativeError * magnitude) return "";
  return what + ": at the server " + std::to_string(at_server) + ", spooled " + std::to_string(spooled) +
         "\n";
}

std::string compare(const std::string& what, double at_server, double spooled) {
  return compare(what, at_server, spooled, std::abs(spooled));
}

std::string compare_series(std::map<std::string, SeriesTotals> at_server, const Spooled& spooled) {
  std::string wrong;
  for (const auto& [name, series] : spooled.series) {
    const auto found = at_server.extract(name);
    const SeriesTotals totals = found ? found.mapped() : SeriesTotals{};
    if (!series.is_event) wrong += compare("count of " + name, totals.count, series.totals.count);
    wrong += compare("sum of " + name, totals.sum, series.totals.sum, series.magnitude);
  }
  for (const auto& [name, totals] : at_server) wrong += "only at the server: " + name + "\n";
  return wrong;
}

}  // namespace

Spooled read_spool(const std::string& path) {
  Spooled out;
  const auto directory = DiskDirectory::open(path);
  if (!directory) return out.fault = directory.error().message, out;
  const auto location = (*directory)->location();
  if (!location) return out.fault = location.error().message, out;
  const auto spool = Spool::open(**directory, {}, *location, [] { return uint64_t{std::random_device()()}; });
  if (!spool) return out.fault = spool.error().message, out;
  out.agent = (*spool)->id().text();
  if ((*spool)->epoch() != 1) return out.fault = "the batch numbers restarted at 1", out;
  if ((*spool)->first_seq() != 1) return out.fault = "the first batches are missing", out;
  out.fault = read_batches(**spool, out);
  return out;
}

AgentAccount account_of(const ServerProcess& server, const std::string& agent) {
  return find_account(server, "id", agent.substr(0, 8));  // the server shows 8 digits of an id
}

AgentAccount account_of_host(const ServerProcess& server, const std::string& host) {
  return find_account(server, "host", host);
}

std::string difference(const ServerProcess& server, const Spooled& spooled, const std::string& host) {
  if (!spooled.fault.empty()) return "spool of " + host + ": " + spooled.fault + "\n";
  auto at_server = server.totals(host + ".*");
  at_server.merge(server.totals("*;host=" + host + "{,;*}"));
  const AgentAccount account = account_of(server, spooled.agent);
  std::string wrong = compare_series(std::move(at_server), spooled);
  wrong += compare("batches of " + host, account.durable, static_cast<double>(spooled.batches));
  wrong += compare("lines of " + host, account.lines, static_cast<double>(spooled.lines));
  wrong += compare("lines lost of " + host, account.lines_lost, 0);
  wrong += compare("gaps of " + host, account.gaps, 0);
  return wrong;
}

}  // namespace statmill
