#include "server/http/batch_request.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <optional>

#include "base/text.h"

namespace statmill {
namespace {

namespace json = boost::json;

constexpr auto kDefaults =
    std::to_array<std::string_view>({"from", "until", "step", "max_points", "align", "timeout", "about"});
constexpr auto kOwnParameters = std::to_array<std::string_view>({"expr", "grouping"});

Error invalid(std::string text) { return {ErrorCode::kInvalid, std::move(text)}; }

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

// Returns a text, a number or a truth value as the parameter of a URL; nullopt for anything else.
std::optional<std::string> text_of(const json::value& value) {
  if (const auto* text = value.if_string()) return std::string(view(*text));
  if (const auto* number = value.if_int64()) return std::to_string(*number);
  if (const auto* number = value.if_uint64()) return std::to_string(*number);
  if (const auto* yes = value.if_bool()) return std::string(*yes ? "true" : "false");
  const auto* number = value.if_double();
  if (number == nullptr) return std::nullopt;
  std::string text;
  append_number(text, *number);
  return text;
}

// Returns the texts of an array; nullopt if the value is anything else.
std::optional<std::vector<std::string>> texts_of(const json::value& value) {
  const auto* array = value.if_array();
  if (array == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const json::value& element : *array) {
    const auto* text = element.if_string();
    if (text == nullptr) return std::nullopt;
    texts.emplace_back(view(*text));
  }
  return texts;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out.append(out.empty() ? "" : ",").append(text);
  return out;
}

// Fills a query from its object.
class QueryReader {
 public:
  explicit QueryReader(BatchQuery& query) : query_(query) {}

  void read(const json::object& object, const std::vector<Parameter>& defaults) {
    for (const auto& [key, value] : object) {
      if (query_.error.empty()) read_key({key.data(), key.size()}, value);
    }
    // A query with a step of its own has no use for the common number of points, and the other way round.
    const bool has_steps = has("step") || has("max_points");
    for (const Parameter& parameter : defaults) {
      const bool is_step = parameter.name == "step" || parameter.name == "max_points";
      if (!has(parameter.name) && !(is_step && has_steps)) query_.parameters.push_back(parameter);
    }
    query_.parameters.push_back({"missing", "list"});
  }

 private:
  bool has(std::string_view name) const {
    return std::ranges::find(query_.parameters, name, &Parameter::name) != query_.parameters.end();
  }
  void fail(std::string_view key, std::string_view what) {
    query_.error = "\"" + std::string(key) + "\": " + std::string(what);
  }

  void read_key(std::string_view key, const json::value& value) {
    if (key == "id") return;
    if (key == "kind") return read_kind(value);
    if (key == "series" || key == "stats") return read_texts(key, value);
    if (!is_one_of(kDefaults, key) && !is_one_of(kOwnParameters, key))
      return fail(key, "there is no such key");
    auto text = text_of(value);
    if (!text) return fail(key, "must be a text, a number or a truth value");
    query_.parameters.push_back({std::string(key), *std::move(text)});
  }
  void read_kind(const json::value& value) {
    const auto* text = value.if_string();
    if (text != nullptr && *text == "heatmap") {
      query_.kind = BatchQuery::Kind::kHeatmap;
    } else if (text == nullptr || *text != "series") {
      fail("kind", "must be \"series\" or \"heatmap\"");
    }
  }
  void read_texts(std::string_view key, const json::value& value) {
    auto texts = texts_of(value);
    if (!texts) return fail(key, "must be an array of texts");
    if (key == "stats") {
      query_.parameters.push_back({"stats", joined(*texts)});
      return;
    }
    for (std::string& text : *texts) query_.parameters.push_back({"series", std::move(text)});
  }

  BatchQuery& query_;
};

Result<std::string> id_of(const json::value& query, size_t index) {
  const std::string where = "query " + std::to_string(index) + ": ";
  const auto* object = query.if_object();
  if (object == nullptr) return invalid(where + "must be an object");
  const auto* id = object->if_contains("id");
  const auto* text = id == nullptr ? nullptr : id->if_string();
  if (text == nullptr || text->empty() || text->size() > kBatchIdBytesMax) {
    return invalid(where + "\"id\" must be a text of 1 to " + std::to_string(kBatchIdBytesMax) + " bytes");
  }
  return std::string(view(*text));
}

// Parses what is not a query: parameters of all that do not have their own.
Result<std::vector<Parameter>> defaults_of(const json::object& batch) {
  std::vector<Parameter> out;
  for (const auto& [key, value] : batch) {
    const std::string_view name(key.data(), key.size());
    if (name == "queries") continue;
    if (!is_one_of(kDefaults, name)) return invalid("\"" + std::string(name) + "\": there is no such key");
    auto text = text_of(value);
    if (!text) return invalid("\"" + std::string(name) + "\": must be a text, a number or a truth value");
    out.push_back({std::string(name), *std::move(text)});
  }
  return out;
}

}  // namespace

Result<std::vector<BatchQuery>> parse_batch_request(std::string_view body) {
  boost::system::error_code error;
  const json::value root = json::parse({body.data(), body.size()}, error);
  if (error) return invalid("the body is not JSON: " + error.message());
  const auto* batch = root.if_object();
  const auto* queries = batch == nullptr ? nullptr : batch->if_contains("queries");
  if (queries == nullptr || !queries->is_array()) return invalid("the body must be {\"queries\":[...]}");
  if (queries->get_array().size() > kBatchQueriesMax) {
    return Error{ErrorCode::kLimit,
                 "over " + std::to_string(kBatchQueriesMax) + " queries: ask several times"};
  }
  const auto defaults = defaults_of(*batch);
  if (!defaults) return defaults.error();
  std::vector<BatchQuery> out;
  for (const json::value& value : queries->get_array()) {
    auto id = id_of(value, out.size());
    if (!id) return id.error();
    QueryReader(out.emplace_back(BatchQuery{*std::move(id)})).read(value.get_object(), *defaults);
  }
  return out;
}

}  // namespace statmill
