// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options/quantity.hpp"

/// The keywords of a call, as JSON: those that were given.
class keywords {
 public:
  using json = nlohmann::json;

  /// @param function  the called function of the module, for errors
  keywords(const char* function, const std::string& text) : function_(function), members_(json::parse(text)) {}

  /// The value of a keyword; null if it was not given.
  [[nodiscard]] const json* find(const std::string& name) const {
    const auto found = members_.find(name);
    return found == members_.end() || found->is_null() ? nullptr : &*found;
  }

  /// Whether a keyword has that text as its value.
  [[nodiscard]] bool has_text(const char* name, const char* text) const {
    const json* const given = find(name);
    return given != nullptr && given->is_string() && given->get_ref<const std::string&>() == text;
  }

  /// All keywords that were given, as an object.
  [[nodiscard]] const json& all() const noexcept { return members_; }

  /// Rejects a keyword.
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    const json* const given = find(name);
    throw stagecut::argument_error(function_, name, given == nullptr ? "None" : given->dump(), why);
  }

  /// Rejects an element of a list.
  [[noreturn]] void refuse(const std::string& name, std::size_t i, const std::string& why) const {
    throw stagecut::argument_error(function_, name + "[" + std::to_string(i) + "]", (*find(name))[i].dump(), why);
  }

  /// Reads a value, if it was given.
  template <class Value>
  void read(const char* name, Value& into) const {
    if (const json* const given = find(name)) into = given->get<Value>();
  }

  /// Reads a name, or rejects it.
  /// @param known  all names, for the error
  /// @param take   returns whether it is one of them
  template <class Take>
  void word(const char* name, const std::string& known, const Take& take) const {
    const json* const given = find(name);
    if (given == nullptr || take(given->get<std::string>())) return;
    refuse(name, "is none of " + known);
  }

  /// Reads a name of a table.
  template <class Value, std::size_t n>
  void named(const char* name, const stagecut::named<Value> (&words)[n], Value& into) const {
    word(name, stagecut::list_names(words), [&](const std::string& text) {
      const auto* const known = stagecut::find_name(words, text);
      if (known != nullptr) into = known->value;
      return known != nullptr;
    });
  }

  /// Bytes: a number, or a text such as 80GiB.
  [[nodiscard]] double bytes(const char* name, const json& given) const {
    if (!given.is_string()) return given.get<double>();
    const auto result = parse_bytes(given.get<std::string>());
    if (!result) refuse(name, "is no size: 80GiB, 25GB, or a number of bytes");
    return *result;
  }

  /// One size for all, or one each.
  [[nodiscard]] std::vector<double> sizes(const char* name) const {
    const json& given = *find(name);
    if (!given.is_array()) return {bytes(name, given)};
    std::vector<double> result;
    for (const json& each : given) result.push_back(bytes(name, each));
    return result;
  }

  /// One number, or several; none if the keyword was not given.
  [[nodiscard]] std::vector<std::size_t> counts(const char* name) const {
    const json* const given = find(name);
    if (given == nullptr) return {};
    if (given->is_array()) return given->get<std::vector<std::size_t>>();
    return {given->get<std::size_t>()};
  }

 private:
  const char* function_;
  json members_;
};

/// The value in an error of the library that does not show it.
inline constexpr std::string_view hidden_value = "{…}";

/// An argument error, as the module raises it.
struct keyword_error {
  std::string keyword;
  std::string text;
};

/// The keyword for an argument of the library.
/// @param given  the keywords of the call; null: not known
[[nodiscard]] inline std::string keyword_of(const std::string& argument, const keywords* given) {
  static constexpr std::pair<std::string_view, const char*> names[] = {
      {"memory_limit", "memory"},
      {"memory_accounting.checkpoint", "checkpoint"},
      {"buffer_fraction", "memory_buffer"},
      {"memory_accounting.boundary_buffers", "boundary_buffers"},
      {"parameter_multiplier", "optimizer"},
      {"memory_accounting.parameter_multiplier", "optimizer"},
      {"search.time_limit", "time_limit"},
      {"search.node_limit", "node_limit"},
      {"stages_per_rank", "stages_per_rank"},
      {"choices", "schedule"},
      {"choices.stages_per_rank", "stages_per_rank"},
      {"any_schedule", "schedule"},
      {"as_graph", "method"},
      {"by", "method"},
      {"weights", "weights"},
      {"forbidden_cuts", "forbid_cut"},
      {"kept_together", "keep_together"},
      {"recomputations", "recompute"},
      {"links", "bandwidth"},
      {"speeds", "speeds"},
      {"replicas", "replicas"},
      {"tensor_parallel", "tensor_parallel"},
      {"in_flight", "in_flight"},
      {"start", "start"},
      {"made", "plan"}};
  std::string name = argument;
  std::size_t length = 0;
  for (const auto& [begins, here] : names) {
    if (begins.size() <= length || argument.rfind(begins, 0) != 0) continue;
    name = here;
    length = begins.size();
  }
  if (argument.find("latency") != std::string::npos) name = "latency";
  if (given == nullptr || given->find(name) != nullptr) return name;
  // Some parts of a request have several keywords.
  for (const auto& [part, other] : {std::pair("schedule", "stages_per_rank"),
                                    {"replicas", "tensor_parallel"},
                                    {"replicas", "objective"},
                                    {"weights", "time_weight"},
                                    {"recompute", "slices"},
                                    {"method", "weights"},
                                    {"method", "time_weight"}}) {
    if (name == part && given->find(other) != nullptr) return other;
  }
  return name;
}

/// An error of the library in the names of the module.
/// @param given  the keywords of the call; null: not known
[[nodiscard]] inline keyword_error in_keywords(const stagecut::argument_error& error, const char* function = nullptr,
                                               const keywords* given = nullptr) {
  const std::string& argument = error.argument();
  keyword_error result{keyword_of(argument, given), error.what()};
  std::string& text = result.text;
  const std::string begins = ": " + argument + " = ";
  const auto at = text.find(begins);
  const auto* const value = given == nullptr ? nullptr : given->find(result.keyword);
  if (at != std::string::npos && text.compare(at + begins.size(), hidden_value.size(), hidden_value) == 0) {
    const std::string shown = value == nullptr ? std::string() : " = " + value->dump();
    text.replace(at + 2, begins.size() - 2 + hidden_value.size(), result.keyword + shown);
  } else if (at != std::string::npos) {
    text.replace(at + 2, argument.size(), result.keyword);
  }
  if (const auto end = text.find(": ");
      function != nullptr && text.rfind("stagecut::", 0) == 0 && end != std::string::npos) {
    text.replace(0, end, std::string("stagecut.") + function);
  }
  return result;
}
