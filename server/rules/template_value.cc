#include "server/rules/template_value.h"

#include "server/promql/literals.h"

namespace statmill::rules {
namespace {

std::string float_text(double value) {
  std::string out;
  promql::append_float(out, value);
  return out;
}

std::string map_text(const LabelMap& map) {
  std::string out = "map[";
  for (const auto& [name, value] : map) {
    if (out.size() > 4) out.push_back(' ');
    out.append(name).append(":").append(value);
  }
  return out + "]";
}

std::string sample_text(const TemplateSample& sample) {
  return "{" + map_text(sample.labels) + " " + float_text(sample.value) + "}";
}

struct Text {
  std::string operator()(std::monostate) const { return "<no value>"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return float_text(value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const LabelMap& value) const { return map_text(value); }
  std::string operator()(const TemplateSample& value) const { return sample_text(value); }
  std::string operator()(const std::vector<TemplateSample>& value) const {
    std::string out = "[";
    for (const TemplateSample& sample : value) {
      if (out.size() > 1) out.push_back(' ');
      out += sample_text(sample);
    }
    return out + "]";
  }
  std::string operator()(const TemplateData& value) const {
    return "{" + map_text(value.labels) + " " + map_text(value.external_labels) + " " + value.external_url +
           " " + float_text(value.value) + "}";
  }
};

struct Truth {
  bool operator()(std::monostate) const { return false; }
  bool operator()(bool value) const { return value; }
  bool operator()(int64_t value) const { return value != 0; }
  bool operator()(double value) const { return value != 0; }
  bool operator()(const std::string& value) const { return !value.empty(); }
  bool operator()(const LabelMap& value) const { return !value.empty(); }
  bool operator()(const TemplateSample&) const { return true; }
  bool operator()(const std::vector<TemplateSample>& value) const { return !value.empty(); }
  bool operator()(const TemplateData&) const { return true; }
};

struct TypeName {
  std::string_view operator()(std::monostate) const { return "nil"; }
  std::string_view operator()(bool) const { return "bool"; }
  std::string_view operator()(int64_t) const { return "int"; }
  std::string_view operator()(double) const { return "float64"; }
  std::string_view operator()(const std::string&) const { return "string"; }
  std::string_view operator()(const LabelMap&) const { return "map[string]string"; }
  std::string_view operator()(const TemplateSample&) const { return "sample"; }
  std::string_view operator()(const std::vector<TemplateSample>&) const { return "list of samples"; }
  std::string_view operator()(const TemplateData&) const { return "data of the alert"; }
};

}  // namespace

bool is_true(const TemplateValue& value) { return std::visit(Truth(), value); }
std::string text_of(const TemplateValue& value) { return std::visit(Text(), value); }
std::string_view type_name(const TemplateValue& value) { return std::visit(TypeName(), value); }

}  // namespace statmill::rules
