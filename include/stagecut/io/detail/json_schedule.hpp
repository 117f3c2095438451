// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/json/json_line.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/schedule/op.hpp>

// The execution of a plan in JSON: its schedule, a custom order, the timeline.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// An array with one element per line.
template <class Element>
[[nodiscard]] std::string json_lines(std::size_t size, const std::string& place, const Element& element) {
  std::string text(1, '[');
  for (std::size_t i = 0; i < size; ++i) {
    text.append(i == 0 ? "\n  " : ",\n  ").append(json_line(element(i, joined({place, "/", i}))));
  }
  return text += "\n ]";
}

/// The kind of pass for a word; unset: none.
[[nodiscard]] inline std::optional<op_kind> pass_kind(std::string_view word) {
  const auto* const known = stagecut::find_name(op_names, word);
  return known == nullptr || !is_compute(known->value) ? std::nullopt : std::optional(known->value);
}

/// The words of passes: `F, B, I, W`.
[[nodiscard]] inline std::string pass_words(std::string_view last = ", ") {
  return stagecut::list_names(op_names, last, [](const auto& each) { return is_compute(each.value); });
}

/// One pass, as `3F12`.
inline op read_op(const json_value& value) {
  const std::string_view text = value.text();
  const char* const end = text.data() + text.size();
  op result;
  const auto stage = std::from_chars(text.data(), end, result.stage);
  if (stage.ec == std::errc() && stage.ptr != end) {
    const auto kind = pass_kind(std::string_view(stage.ptr, 1));
    const auto microbatch = std::from_chars(stage.ptr + 1, end, result.microbatch);
    if (kind && microbatch.ec == std::errc() && microbatch.ptr == end) {
      result.kind = *kind;
      return result;
    }
  }
  value.fail(value.shown(), " is no pass: a stage, ", pass_words(" or "), ", and a microbatch, as \"2F0\"");
}

inline std::vector<op> read_order(const json_value& value) {
  std::vector<op> result;
  for (const json_value& element : value.elements()) {
    if (!(*element).is_array()) {
      result.push_back(read_op(element));
      continue;
    }
    const auto both = element.elements();
    if (both.size() != 2) element.fail(element.shown(), " is not [F, B], two passes that run together");
    result.push_back(read_op(both[0]));
    result.back().with_next = true;
    result.push_back(read_op(both[1]));
  }
  return result;
}

/// @param orders  whether the file may contain an order, a group of microbatches, or slices
inline schedule_choice read_schedule(const json_value& value, bool orders) {
  schedule_choice result{value.at("name").text(), value.at("microbatches").count(), {}};
  if (!orders) {
    value.only({"name", "microbatches"});
    return result;
  }
  if (const auto given = value.find("orders")) {
    for (const json_value& element : given->elements()) result.orders.push_back(read_order(element));
    if (result.orders.empty()) given->fail("holds no order");
  }
  if (const auto group = value.find("group")) result.group = group->count(1);
  if (const auto slices = value.find("slices")) result.slices = slices->count(1);
  value.only({"name", "microbatches", "orders", "group", "slices"});
  return result;
}

inline timed_pass read_pass(const json_value& value) {
  const auto parts = value.elements();
  if (parts.size() != 5) value.fail(value.shown(), " is not [stage, microbatch, \"F\", start, end]");
  const std::optional<op_kind> kind = pass_kind(parts[2].text());
  if (!kind) parts[2].fail(parts[2].shown(), " is none of ", pass_words());
  return {parts[0].count(), parts[1].count(), *kind, parts[3].amount(), parts[4].amount()};
}

inline json order_json(const std::vector<op>& order) {
  json result = json::array();
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!order[i].with_next) {
      result.push_back(to_string(order[i]));
      continue;
    }
    result.push_back(json::array({to_string(order[i]), to_string(order[i + 1])}));
    ++i;
  }
  return result;
}

inline std::string schedule_text(const schedule_choice& schedule) {
  json_object object("plan#/schedule");
  object.text("name", schedule.name);
  object.set("microbatches", schedule.microbatches);
  if (schedule.group != 0) object.set("group", schedule.group);
  if (schedule.slices != 1) object.set("slices", schedule.slices);
  std::string text = json_line(object.members());
  if (schedule.orders.empty()) return text;
  text.pop_back();
  const auto order = [&](std::size_t r, const std::string&) { return order_json(schedule.orders[r]); };
  return text.append(", \"orders\": ")
      .append(json_lines(schedule.orders.size(), "plan#/schedule/orders", order))
      .append("}");
}

inline json pass_json(const timed_pass& pass, const std::string& place) {
  json_object times(place);
  times.amount("3", pass.start);
  times.amount("4", pass.end);
  return {pass.stage, pass.microbatch, to_string(pass.kind), times.members()["3"], times.members()["4"]};
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
