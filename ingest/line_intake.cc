#include "ingest/line_intake.h"

#include "base/stage.h"
#include "proto/istatd/parser.h"

namespace statmill {
namespace {

void parse(const LineBlock& block, Batch& batch) {
  const InStage stage(Stage::kParse);
  batch.set_sender(block.sender);
  if (block.action == LinesAction::kSkip) return;
  parse_canonical_lines(block.text, block.tags, batch);
  if (block.action == LinesAction::kApply) return;
  batch.refuse_all_samples(Refusal::kTooNew);
  batch.samples.clear();
}

// Returns the whole lines at the front that have about kPieceBytes, or the first one if it is longer.
std::string_view first_lines(std::string_view text) {
  if (text.size() <= LineIntake::kPieceBytes) return text;
  size_t end = text.rfind('\n', LineIntake::kPieceBytes - 1);
  if (end == std::string_view::npos) end = text.find('\n', LineIntake::kPieceBytes);
  return text.substr(0, end == std::string_view::npos ? end : end + 1);
}

}  // namespace

LinesAccount LineIntake::submit(const LineBlock& block) const {
  account_.bytes.add(block.text.size());
  LinesAccount account;
  Batch batch;
  LineBlock piece = block;
  for (std::string_view rest = block.text; !rest.empty(); rest.remove_prefix(piece.text.size())) {
    piece.text = first_lines(rest);
    batch.clear();
    parse(piece, batch);
    account.accepted += intake_.submit(batch, account_, block.now);
    account.received += batch.received;
    for (size_t i = 0; i < account.refused.size(); ++i) account.refused[i] += batch.refused[i];
  }
  return account;
}

void LineIntake::submit(const LineBlock& block, SampleSink& sink, Batch& batch) const {
  batch.clear();
  parse(block, batch);
  account_.bytes.add(block.text.size());
  intake_.submit(batch, account_, block.now, sink);
}

}  // namespace statmill
