#include "statmill/registry.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "counters/name_text.h"
#include "counters/sharing.h"
#include "counters/unfinished.h"

namespace statmill {
namespace {

// Never destroyed, because instruments of other source files may leave it after the destructors of this file
// ran.
union ForEver {
  constexpr ForEver() : registry() {}
  ~ForEver() {}
  Registry registry;
};
constinit ForEver process_registry;

Reading read_histogram(const AnyHistogram& histogram) {
  Reading out;
  out.type = Reading::Type::kHistogram;
  out.grouping_power = histogram.grouping_power();
  // unfinished.h explains why this order matters.
  const Cells& cells = histogram.cells();
  std::vector<uint64_t> finished(group_count(histogram.grouping_power(), histogram.bucket_count()));
  cells.sums(histogram.bucket_count() + 2, finished);
  std::atomic_thread_fence(std::memory_order_acquire);
  out.sum = histogram.sum();
  std::atomic_thread_fence(std::memory_order_acquire);
  std::vector<uint64_t> counts(histogram.bucket_count());
  cells.sums(0, counts);
  out.sum_missing_max = sum_missing_max(out.grouping_power, counts, finished);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    out.buckets.push_back({static_cast<uint32_t>(i), counts[i]});
    out.count += counts[i];
  }
  out.overflows = histogram.overflows();
  return out;
}

Reading counted(uint64_t count) {
  Reading out;
  out.type = Reading::Type::kCounter;
  out.count = count;
  return out;
}

Reading level(double level) {
  Reading out;
  out.level = level;
  return out;
}

std::optional<Reading> read_one(Instrument& instrument, Maxima maxima) {
  switch (instrument.type()) {
    case Instrument::Type::kCounter:
      return counted(static_cast<const AnyCounter&>(instrument).value());
    case Instrument::Type::kCounterFn:
      return counted(static_cast<const CounterFn&>(instrument).value());
    case Instrument::Type::kGauge:
      return level(static_cast<double>(static_cast<const Gauge&>(instrument).value()));
    case Instrument::Type::kGaugeFn:
      return level(static_cast<const GaugeFn&>(instrument).value());
    case Instrument::Type::kMax: {
      auto& gauge = static_cast<MaxGauge&>(instrument);
      const std::optional<int64_t> highest =
          maxima == Maxima::kReset ? gauge.value_and_reset() : gauge.value();
      if (!highest) return std::nullopt;
      return level(static_cast<double>(*highest));
    }
    case Instrument::Type::kHistogram: {
      auto& histogram = static_cast<AnyHistogram&>(instrument);
      // Before the buckets, so that they have its value.
      auto exemplar = histogram.exemplar().read(maxima == Maxima::kReset);
      Reading out = read_histogram(histogram);
      out.exemplar = std::move(exemplar);
      return out;
    }
  }
  return std::nullopt;
}

// Enters an instrument with cells into the shared file; see sharing::enter().
uint32_t share(const Instrument& instrument) {
  cell_file::Entry entry{};
  if (instrument.type() == Instrument::Type::kCounter) {
    entry.type = cell_file::Type::kCounter;
    entry.first_cell = static_cast<uint32_t>(static_cast<const AnyCounter&>(instrument).cell());
    entry.count = 1;
  } else if (instrument.type() == Instrument::Type::kHistogram) {
    const auto& histogram = static_cast<const AnyHistogram&>(instrument);
    entry.type = cell_file::Type::kHistogram;
    entry.grouping_power = static_cast<uint8_t>(histogram.grouping_power());
    entry.first_cell = static_cast<uint32_t>(histogram.cells().offset());
    entry.count = static_cast<uint32_t>(histogram.bucket_count());
  }
  return entry.first_cell == 0
             ? 0
             : sharing::enter(entry, {instrument.name(), instrument.unit(), instrument.help()});
}

// Using one name for two kinds of instruments is a bug of the program.
template <class Made>
Made& known(Made* made) {
  if (made == nullptr) std::abort();
  return *made;
}

}  // namespace

Instrument::Instrument(const char* name, const Help& help, Type type, Registry* registry) noexcept
    : name_(name),
      help_(help),
      registry_(registry == nullptr ? &Registry::process() : registry),
      type_(type) {}

void Instrument::join() noexcept {
  shared_at_ = share(*this);
  registry_->join(*this);
}

void Instrument::leave() noexcept {
  registry_->leave(*this);
  const bool is_counter = type_ == Type::kCounter;
  sharing::end(shared_at_, is_counter ? static_cast<const AnyCounter&>(*this).value() : 0);
}

uint64_t AnyHistogram::count() const { return read_histogram(*this).count; }

static_assert(LargestExemplar::kTextBytesMax == cell_file::kExemplarTextBytesMax);

void AnyHistogram::share_exemplar(uint64_t value, std::string_view labels) noexcept {
  if (!labels.empty() && labels.size() <= cell_file::kExemplarTextBytesMax)
    sharing::offer_exemplar(shared_at(), value, labels);
}

std::string name_with(std::string_view path, Labels labels) {
  for (auto& [key, value] : labels) {
    key = tag_text(key, TagPart::kKey);
    value = tag_text(value, TagPart::kValue);
  }
  std::sort(labels.begin(), labels.end());
  std::string name(path);
  for (const auto& [key, value] : labels) {
    if (!value.empty())
      name.append(";").append(key).append("=").append(value);  // empty means the same as none
  }
  return name;
}

std::string_view Reading::tag(std::string_view key) const {
  std::string_view rest = name.substr(path().size());
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the ;
    const std::string_view tag = rest.substr(0, rest.find(';'));
    if (tag.starts_with(key) && tag.substr(key.size()).starts_with('=')) return tag.substr(key.size() + 1);
    rest.remove_prefix(tag.size());
  }
  return {};
}

struct Registry::Owned {
  struct Entry {
    std::string help;
    std::string unit;
    std::shared_ptr<Instrument> instrument;  // its deleter knows the type
  };
  std::map<std::string, Entry, std::less<>> by_name;
};

Registry& Registry::process() noexcept { return process_registry.registry; }

Registry::~Registry() { delete owned_; }

template <class Made, class... Arguments>
Made* Registry::make(std::string_view path, const Help& help, const Labels& labels, Instrument::Type type,
                     Arguments&&... arguments) {
  const std::lock_guard lock(owned_mutex_);
  if (owned_ == nullptr) owned_ = new Owned;
  const auto place = owned_->by_name.try_emplace(name_with(path, labels)).first;
  Owned::Entry& entry = place->second;
  if (entry.instrument == nullptr) {  // new, or an earlier allocation failed
    entry.help = help.text;
    entry.unit = help.unit;
    entry.instrument = std::make_shared<Made>(place->first.c_str(), Help(entry.help, entry.unit),
                                              std::forward<Arguments>(arguments)..., this);
  }
  return entry.instrument->type() == type ? static_cast<Made*>(entry.instrument.get()) : nullptr;
}

Instrument* Registry::find_or_make(std::string_view path, const Help& help, Instrument::Type type) {
  switch (type) {
    case Instrument::Type::kCounter:
      return make<Counter>(path, help, {}, type);
    case Instrument::Type::kGauge:
      return make<Gauge>(path, help, {}, type);
    case Instrument::Type::kMax:
      return make<MaxGauge>(path, help, {}, type);
    case Instrument::Type::kHistogram:
      return make<Histogram<>>(path, help, {}, type);
    default:
      return nullptr;
  }
}

Counter& Registry::counter(std::string_view path, const Help& help, const Labels& labels) {
  return known(make<Counter>(path, help, labels, Instrument::Type::kCounter));
}

Gauge& Registry::gauge(std::string_view path, const Help& help, const Labels& labels) {
  return known(make<Gauge>(path, help, labels, Instrument::Type::kGauge));
}

MaxGauge& Registry::max_gauge(std::string_view path, const Help& help, const Labels& labels) {
  return known(make<MaxGauge>(path, help, labels, Instrument::Type::kMax));
}

Histogram<>& Registry::histogram(std::string_view path, const Help& help, const Labels& labels) {
  return known(make<Histogram<>>(path, help, labels, Instrument::Type::kHistogram));
}

void Registry::gauge_fn(std::string_view path, const Help& help, const Labels& labels,
                        std::function<double()> read) {
  known(make<GaugeFn>(path, help, labels, Instrument::Type::kGaugeFn, std::move(read)));
}

void Registry::counter_fn(std::string_view path, const Help& help, const Labels& labels,
                          std::function<uint64_t()> read) {
  known(make<CounterFn>(path, help, labels, Instrument::Type::kCounterFn, std::move(read)));
}

void Registry::join(Instrument& instrument) noexcept {
  const std::lock_guard lock(mutex_);
  instrument.previous_ = last_;
  (last_ == nullptr ? first_ : last_->next_) = &instrument;
  last_ = &instrument;
}

void Registry::leave(Instrument& instrument) noexcept {
  const std::lock_guard reading(read_mutex_);
  const std::lock_guard lock(mutex_);
  (instrument.previous_ == nullptr ? first_ : instrument.previous_->next_) = instrument.next_;
  (instrument.next_ == nullptr ? last_ : instrument.next_->previous_) = instrument.previous_;
}

std::vector<Reading> Registry::read(Maxima maxima) const {
  // Functions of instruments are called with only the lock that prevents instruments from leaving. So they
  // may take locks of their own and create instruments.
  const std::lock_guard reading(read_mutex_);
  std::vector<Instrument*> instruments;
  {
    const std::lock_guard lock(mutex_);
    for (Instrument* i = first_; i != nullptr; i = i->next_) instruments.push_back(i);
  }
  std::vector<Reading> readings;
  std::vector<std::pair<size_t, size_t>> order;  // the number of the path; the index in `readings`
  readings.reserve(instruments.size());
  order.reserve(instruments.size());
  std::unordered_map<std::string_view, size_t> paths(instruments.size());
  for (Instrument* instrument : instruments) {
    std::optional<Reading> reading_of = read_one(*instrument, maxima);
    if (!reading_of) continue;
    reading_of->name = instrument->name();
    reading_of->help = instrument->help();
    reading_of->unit = instrument->unit();
    const size_t path = paths.try_emplace(reading_of->path(), paths.size()).first->second;
    order.emplace_back(path, readings.size());
    readings.push_back(std::move(*reading_of));
  }
  if (std::is_sorted(order.begin(), order.end())) return readings;
  std::sort(order.begin(), order.end());
  std::vector<Reading> out;
  out.reserve(readings.size());
  for (const auto& [path, place] : order) out.push_back(std::move(readings[place]));
  return out;
}

}  // namespace statmill
