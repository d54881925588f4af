#include "ingest/intake.h"

#include "base/stage.h"

namespace statmill {

ListenerAccount Intake::account(std::string_view listener) {
  const Labels labels{{"listener", std::string(listener)}};
  const auto counter = [&](std::string_view name, std::string_view help) -> Counter& {
    return registry_.counter(name, help, labels);
  };
  std::array<Counter*, kRefusalCount> refused{};
  for (size_t i = 0; i < kRefusalCount; ++i) {
    Labels with_reason = labels;
    with_reason.emplace_back("reason", refusal_label(static_cast<Refusal>(i)));
    refused[i] = &registry_.counter("statmill.samples_refused", "Samples refused, by reason.", with_reason);
  }
  return {
      std::string(listener),
      counter("statmill.samples_received", "Samples received: accepted + refused."),
      counter("statmill.samples_accepted", "Samples accepted."),
      refused,
      counter("statmill.received_bytes", "Bytes of line protocol received."),
      counter("statmill.lines_extra_fields", "Accepted lines whose fields after the seventh were ignored."),
      counter("statmill.lines_renamed", "Accepted lines whose name lost a leading ~."),
      counter("statmill.samples_other_kind",
              "Accepted samples of another kind than their series, counted as its kind."),
      counter("statmill.fields_skipped", "Fields of points that are strings and were skipped."),
      counter("statmill.metadata_lines", "Metadata lines (#key value, $m) received.")};
}

uint64_t Intake::submit(Batch& batch, const ListenerAccount& account, Timestamp now, SampleSink& sink) {
  const InStage stage(Stage::kApply);
  const uint64_t accepted = sink.apply(batch, now);
  account.received.add(batch.received);
  account.accepted.add(accepted);
  for (size_t i = 0; i < kRefusalCount; ++i) {
    if (batch.refused[i] != 0) account.refused[i]->add(batch.refused[i]);
  }
  if (!batch.refused_lines.empty()) refusals_.add(batch, account.listener, now);
  if (batch.extra_fields != 0) account.extra_fields.add(batch.extra_fields);
  if (batch.renamed != 0) account.renamed.add(batch.renamed);
  if (batch.other_kinds != 0) account.other_kinds.add(batch.other_kinds);
  if (batch.skipped_fields != 0) account.skipped_fields.add(batch.skipped_fields);
  const size_t metadata = batch.metadata.size() + batch.families.size();
  if (metadata != 0) account.metadata.add(metadata);
  return accepted;
}

}  // namespace statmill
