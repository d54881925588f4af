// See counter.h.
#include "counters/counter.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text.h"

namespace statmill {
namespace {

void append_escaped(std::string& out, std::string_view text, bool quotes) {
  for (const char c : text) {
    if (c == '\\') {
      out.append("\\\\");
    } else if (c == '\n') {
      out.append("\\n");
    } else if (c == '"' && quotes) {
      out.append("\\\"");
    } else {
      out.push_back(c);
    }
  }
}

}  // namespace

Registry::Cell& Registry::cell(std::string_view name, std::string_view help, Labels labels,
                               Reading::Type type) {
  for (Cell& c : cells_) {
    if (c.name != name || c.labels != labels) continue;
    SM_CHECK(c.type == type);
    return c;
  }
  Cell& c = cells_.emplace_back();
  c.name = name;
  c.help = help;
  c.labels = std::move(labels);
  c.type = type;
  return c;
}

Counter& Registry::counter(std::string_view name, std::string_view help, Labels labels) {
  MutexLock lock(mutex_);
  return cell(name, help, std::move(labels), Reading::Type::kCounter).counter;
}

Gauge& Registry::gauge(std::string_view name, std::string_view help, Labels labels) {
  MutexLock lock(mutex_);
  return cell(name, help, std::move(labels), Reading::Type::kGauge).gauge;
}

void Registry::gauge_fn(std::string_view name, std::string_view help, Labels labels,
                        std::function<double()> read) {
  MutexLock lock(mutex_);
  cell(name, help, std::move(labels), Reading::Type::kGauge).function = std::move(read);
}

void Registry::counter_fn(std::string_view name, std::string_view help, Labels labels,
                          std::function<double()> read) {
  MutexLock lock(mutex_);
  cell(name, help, std::move(labels), Reading::Type::kCounter).function = std::move(read);
}

std::vector<Reading> Registry::read() const {
  std::vector<const Cell*> cells;
  {
    MutexLock lock(mutex_);
    for (const Cell& c : cells_) cells.push_back(&c);
  }
  // Functions run without the lock: they may take locks of their own.
  std::vector<Reading> out;
  std::vector<std::string_view> names;
  for (const Cell* c : cells) {
    if (std::find(names.begin(), names.end(), c->name) == names.end()) names.push_back(c->name);
  }
  for (const std::string_view name : names) {
    for (const Cell* c : cells) {
      if (c->name != name) continue;
      const double value = c->function                          ? c->function()
                           : c->type == Reading::Type::kCounter ? static_cast<double>(c->counter.value())
                                                                : static_cast<double>(c->gauge.value());
      out.push_back({c->name, c->help, &c->labels, c->type, value});
    }
  }
  return out;
}

namespace {

void append_prometheus_number(std::string& out, double value) {
  if (std::isnan(value)) {
    out.append("NaN");
  } else if (std::isinf(value)) {
    out.append(value > 0 ? "+Inf" : "-Inf");
  } else {
    append_number(out, value);
  }
}

}  // namespace

std::string prometheus_text(const std::vector<Reading>& readings) {
  std::string out;
  std::string_view previous;
  for (const Reading& r : readings) {
    if (r.name != previous) {
      out.append("# HELP ").append(r.name).append(" ");
      append_escaped(out, r.help, false);
      out.append("\n# TYPE ").append(r.name);
      out.append(r.type == Reading::Type::kCounter ? " counter\n" : " gauge\n");
      previous = r.name;
    }
    out.append(r.name);
    char open = '{';
    for (const auto& [key, value] : *r.labels) {
      out.push_back(open);
      out.append(key).append("=\"");
      append_escaped(out, value, true);
      out.push_back('"');
      open = ',';
    }
    if (open == ',') out.push_back('}');
    out.push_back(' ');
    append_prometheus_number(out, r.value);
    out.push_back('\n');
  }
  return out;
}

}  // namespace statmill
