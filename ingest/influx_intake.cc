#include "ingest/influx_intake.h"

#include <algorithm>

#include "base/stage.h"

namespace statmill {
namespace {

size_t parse(std::string_view text, const InfluxOptions& options, Batch& batch) {
  const InStage stage(Stage::kParse);
  return parse_influx_piece(text, options, batch);
}

void note_first(const Batch& batch, std::optional<InfluxAccount::Refused>& first) {
  if (first) return;
  const auto refused = std::ranges::find(batch.refused_lines, false, &RefusedLine::is_accepted);
  if (refused == batch.refused_lines.end()) return;
  first = {refused->reason, std::string(refused->text.substr(0, InfluxAccount::kTextBytesMax))};
}

}  // namespace

InfluxAccount InfluxIntake::submit(const InfluxBlock& block) const {
  account_.bytes.add(block.text.size());
  InfluxAccount out;
  Batch batch;
  batch.set_sender(block.sender);
  for (std::string_view rest = block.text; !rest.empty();) {
    batch.clear();
    rest.remove_prefix(parse(rest, block.options, batch));
    out.samples.accepted += intake_.submit(batch, account_, block.now);
    out.samples.received += batch.received;
    for (size_t i = 0; i < kRefusalCount; ++i) out.samples.refused[i] += batch.refused[i];
    note_first(batch, out.first);
  }
  return out;
}

}  // namespace statmill
