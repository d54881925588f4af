#include "agent/relay/relay_sink.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/process_hash.h"
#include "proto/istatd/exemplar_line.h"

namespace statmill {
namespace {

constexpr size_t kGenerations = 2;  // waiting samples, and those being handed over

// Returns how many observations of one value the sample is; nullopt if it has several values or a sum cannot
// hold it.
std::optional<uint64_t> weight_of(const Sample& sample) {
  if (sample.ready == nullptr || adds_up(sample.kind)) {
    return SampleSum::can_hold(sample.kind, sample.value, 1) ? std::optional<uint64_t>(1) : std::nullopt;
  }
  const ReadyBucket& ready = *sample.ready;
  const bool is_one_value = ready.cells.empty() && ready.min == ready.max && ready.count > 0;
  if (sample.kind != Kind::kDistribution || !is_one_value) return std::nullopt;
  if (!SampleSum::can_hold(sample.kind, ready.min, ready.count)) return std::nullopt;
  // The server refuses samples that contradict themselves.
  const bool is_sound = SampleSum(sample.kind, ready.min, ready.count).sum() == sample.value;
  return is_sound ? std::optional(ready.count) : std::nullopt;
}

const Number& value_of(const Sample& sample) { return sample.ready ? sample.ready->min : sample.value; }

// Returns an upper bound for the bytes of the sample's line, without the name.
size_t line_bound(const Sample& sample) {
  constexpr size_t kNumbers = 192;
  constexpr size_t kCell = 24;
  return kNumbers + (sample.ready ? sample.ready->cells.size() * kCell : 0);
}

// Returns the sample that represents a sum. It refers to `rest`.
Sample sample_of(const SecondSums::Sum& sum, ReadyBucket& rest) {
  Sample sample;
  sample.name = sum.key.name;
  sample.kind = sum.key.kind;
  sample.time_s = sum.key.time_s;
  sample.value = sum.sum.sum();
  if (adds_up(sum.key.kind) || sum.sum.count() == 1) return sample;
  rest = sum.sum.rest();
  if (sum.cells != nullptr && !sum.sum.is_one_value()) rest.cells = *sum.cells;
  sample.ready = &rest;
  return sample;
}

}  // namespace

RelaySink::RelaySink(RelaySinkOptions options, Registry& registry, std::function<void()> wake)
    : options_(std::move(options)),
      bytes_max_(options_.bytes_max / kGenerations),
      wake_(std::move(wake)),
      handed_over_(
          registry.counter("statmill.relay_samples_handed_over", "Accepted samples that were handed over.")),
      lines_(registry.counter("statmill.relay_lines", "Lines made from these samples.")),
      exemplars_dropped_(registry.counter(
          "statmill.relay_exemplars_dropped",
          "Exemplars that had no room, or whose name with the tags of the host is refused.")) {}

uint64_t RelaySink::apply(Batch& batch, Timestamp now) {
  constexpr size_t kSlotsAhead = 16;
  constexpr size_t kSumsAhead = 8;
  const bool adds_up = options_.aggregate > Duration(0);
  const int64_t now_s = unix_seconds(now);
  const std::span<Sample> samples(batch.samples);
  std::vector<uint64_t> hashes(adds_up ? samples.size() + kSlotsAhead : 0);  // computed before locking
  for (size_t i = 0; i < samples.size(); ++i) {
    if (!samples[i].time_s) samples[i].time_s = now_s;
    if (adds_up) hashes[i] = SecondSums::hash_of(samples[i].name, samples[i].kind, *samples[i].time_s);
  }
  uint64_t accepted = 0;
  bool wakes = false;
  {
    MutexLock lock(mutex_);
    std::erase_if(batch.families, [&](const Batch::Family& family) {
      mutex_.held();
      const auto verdict = add_family(family.text);
      if (verdict.is_refused()) batch.refuse(verdict.reason(), family.text.path, family.sender);
      return verdict.is_refused();
    });
    for (const Exemplar& exemplar : batch.exemplars) add_exemplar(exemplar);
    for (size_t i = 0; i < samples.size(); ++i) {
      if (adds_up) {
        sums_.prefetch_slot(hashes[i + kSlotsAhead]);
        sums_.prefetch_sum(hashes[i + kSumsAhead]);
      }
      const auto verdict = adds_up ? add_up(samples[i], hashes[i]) : pass_on(samples[i]);
      if (verdict.is_refused()) {
        batch.refuse_sample(i, verdict.reason());
      } else {
        ++accepted;
      }
    }
    wakes = is_much() && !std::exchange(is_woken_, true);
  }
  if (wakes) wake_();
  return accepted;
}

Verdict<Refusal> RelaySink::pass_on(const Sample& sample) {
  const auto verdict = add_lines(sample);
  if (verdict.is_refused()) return verdict;
  ++chunk_samples_;
  add_ms(sample);
  return verdict;
}

Verdict<Refusal> RelaySink::add_up(const Sample& sample, uint64_t hash) {
  const auto weight = weight_of(sample);
  if (!weight) return pass_on(sample);
  const SecondSums::Key key{sample.name, sample.kind, *sample.time_s, hash};
  SecondSums::Sum* const sum = sums_.find(key);
  if (sum == nullptr) return make_sum(key, sample, *weight);
  if (sum->cells != nullptr && !has_room(SecondSums::kCellsGrowthMax)) return Refusal::kMemoryLimit;
  if (sums_.add(*sum, value_of(sample), *weight)) return kAccepted;
  if (const auto verdict = end_sum(*sum); verdict.is_refused()) return verdict;
  sums_.restart(*sum, value_of(sample), *weight);
  return kAccepted;
}

Verdict<Refusal> RelaySink::make_sum(const SecondSums::Key& key, const Sample& sample, uint64_t weight) {
  if (!has_room(sums_.growth(key.name.size()))) return Refusal::kMemoryLimit;
  if (!options_.names.add_nothing()) {
    scratch_.clear();
    const auto verdict = options_.names.apply(key.name, scratch_, names_);
    if (verdict.is_refused()) return verdict;
  }
  sums_.make(key, value_of(sample), weight);
  add_ms(sample);
  return kAccepted;
}

Verdict<Refusal> RelaySink::add_family(const FamilyText& family) {
  const size_t text_bytes = options_.names.count() * (kNameBytesMax + kUnitBytesMax + kHelpBytesMax);
  if (!has_room(LineChunks::growth(text_bytes))) return Refusal::kMemoryLimit;
  scratch_.clear();
  if (const auto verdict = options_.names.apply(family.path, scratch_, names_); verdict.is_refused())
    return verdict;
  FamilyText named = family;
  for (const std::string_view name : names_) {
    named.path = path_of(name);
    chunks_.add(named);
  }
  return kAccepted;
}

void RelaySink::add_exemplar(const Exemplar& exemplar) {
  const size_t text_bytes = options_.names.count() * (kNameBytesMax + kExemplarLineBytesMax);
  const size_t growth = LineChunks::growth(text_bytes);
  scratch_.clear();
  // However many come, most of the room remains for samples.
  if (exemplars_.memory_bytes() + growth > bytes_max_ / 4 || !has_room(growth) ||
      options_.names.apply(exemplar.series, scratch_, names_).is_refused())
    return exemplars_dropped_.add();
  Exemplar named = exemplar;
  for (const std::string_view name : names_) {
    named.series = name;
    exemplars_.add(named);
  }
}

void RelaySink::add_ms(const Sample& sample) {
  if (!sample.is_in_ms || ms_paths_.size() >= kUnitsMax) return;
  const std::string_view path = path_of(sample.name);
  const uint64_t hash = process_hash()(path);
  if (!ms_paths_.insert(hash).second) return;
  if (add_family({sample.kind, path, "ms", {}}).is_refused()) ms_paths_.erase(hash);
}

Verdict<Refusal> RelaySink::end_sum(const SecondSums::Sum& sum) {
  ReadyBucket rest;
  const auto verdict = add_lines(sample_of(sum, rest));
  if (verdict.is_accepted()) chunk_samples_ += sum.samples;
  return verdict;
}

Verdict<Refusal> RelaySink::add_lines(const Sample& sample) {
  const size_t text_bytes = options_.names.count() * (kNameBytesMax + line_bound(sample));
  if (!has_room(LineChunks::growth(text_bytes))) return Refusal::kMemoryLimit;
  if (options_.names.add_nothing()) {
    chunks_.add(sample);
    return kAccepted;
  }
  scratch_.clear();
  const auto verdict = options_.names.apply(sample.name, scratch_, names_);
  if (verdict.is_refused()) return verdict;
  Sample named = sample;
  for (const std::string_view name : names_) {
    named.name = name;
    chunks_.add(named);
  }
  return kAccepted;
}

void RelaySink::drain(Which which, SteadyTime now, const BatchSink& sink) {
  // The timer is never early but may be late, so that the next interval is shorter.
  const bool is_time = which == Which::kAll || now - sums_begun_ + kDrainInterval / 2 >= options_.aggregate;
  bool takes_sums = false;
  uint64_t samples = 0;
  std::vector<LineBatch> batches;
  std::vector<LineBatch> exemplars;  // after the samples, since an exemplar needs a series
  {
    MutexLock lock(mutex_);
    is_woken_ = false;
    if (now - ms_begun_ >= kUnitInterval) {
      ms_paths_.clear();
      ms_begun_ = now;
    }
    takes_sums = is_time || are_many_sums();
    if (takes_sums) std::swap(sums_, draining_);
    samples = std::exchange(chunk_samples_, 0);
    batches = chunks_.drain();
    if (takes_sums) exemplars = exemplars_.drain();
  }
  handed_over_.add(samples);
  hand_over_batches(std::move(batches), sink);
  if (!takes_sums) return;
  sums_begun_ = now;
  hand_over_sums(sink);
  hand_over_batches(std::move(exemplars), sink);
}

// The sums in draining_ are used only by this thread.
void RelaySink::hand_over_sums(const BatchSink& sink) {
  LineChunks chunks;
  Batch scratch;
  std::vector<std::string_view> names;
  draining_.for_each([&](const SecondSums::Sum& sum) {
    ReadyBucket rest;
    Sample sample = sample_of(sum, rest);
    scratch.clear();
    names.assign(1, sample.name);
    // The same names were accepted when the sum was made.
    if (!options_.names.add_nothing()) static_cast<void>(options_.names.apply(sum.key.name, scratch, names));
    for (const std::string_view name : names) {
      sample.name = name;
      chunks.add(sample);
    }
    handed_over_.add(sum.samples);
    hand_over_batches(chunks.drain_full(), sink);
  });
  hand_over_batches(chunks.drain(), sink);
  draining_.clear();
}

void RelaySink::hand_over_batches(std::vector<LineBatch> batches, const BatchSink& sink) {
  for (LineBatch& batch : batches) {
    lines_.add(batch.lines);
    sink(std::move(batch));
  }
}

}  // namespace statmill
