// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/sapp_figures.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/sapp_choices.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/json/json_line.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

STAGECUT_DECL void refuse_figure(const std::string& name, const std::string& value, const char* requirement) {
  fail(argument_error("io::as_sapp_layers", "figures." + name, value, requirement));
}

STAGECUT_DECL void check_figure(const std::string& name, double value) {
  if (is_finite(value) && !is_negative(value)) return;
  refuse_figure(name, is_nan(value) ? "NaN" : stagecut::detail::number_text(value), "must be finite and not negative");
}

inline void check_sapp_figures(const sapp_figures& of) {
  if (of.layers == 0) refuse_figure("layers", "0", "must be at least 1");
  check_figure("times.head", of.times.head);
  check_figure("times.body", of.times.body);
  check_figure("times.tail", of.times.tail);
  if (!is_finite(of.constant)) refuse_figure("constant", stagecut::detail::number_text(of.constant), "must be finite");
  check_figure("parameters", of.parameters);
  check_figure("head", of.head);
  check_figure("tail", of.tail);
  if (of.choices.empty() || of.choices.front() != "none") refuse_figure("choices", "{…}", "must begin with none");
  if (of.activations.size() != of.choices.size()) {
    refuse_figure("activations.size()", std::to_string(of.activations.size()), "must be the number of choices");
  }
  std::vector<bool> seen(sapp_choices);
  for (std::size_t c = 0; c < of.choices.size(); ++c) {
    const auto* const known = stagecut::find_name(sapp_choice_names, of.choices[c]);
    const std::string place = joined({"[", c, "]"});
    if (known == nullptr) refuse_figure("choices" + place, of.choices[c], "must be one of SAPP's");
    const auto which = static_cast<std::size_t>(known->value);
    if (seen[which]) refuse_figure("choices" + place, of.choices[c], "stands twice");
    seen[which] = true;
    check_figure("activations" + place, of.activations[c]);
  }
}

/// In SAPP's MB; a thousandth is about a kB.
[[nodiscard]] inline json sapp_megabytes(double bytes) {
  return json_number(std::round(bytes / sapp_megabyte * 1000) / 1000);
}

/// In SAPP's ms, without the last digits, which result from unit conversion.
[[nodiscard]] inline json sapp_milliseconds(double seconds) {
  const double picoseconds = seconds * 1e12;
  const bool short_enough = picoseconds < 9007199254740992.0;
  return json_number(short_enough ? std::round(picoseconds) / 1e9 : seconds / sapp_millisecond);
}

}  // namespace detail

STAGECUT_DECL std::string as_sapp_layers(const sapp_figures& figures) {
  detail::check_sapp_figures(figures);
  using detail::json;
  const auto layer = [&](const char* name, const char* type, std::size_t number, double seconds, double parameters) {
    return json{{"name", name},
                {"type", type},
                {"model_name", figures.name},
                {"time", detail::sapp_milliseconds(seconds)},
                {"nb_layer", number},
                {"memory_parameter", detail::sapp_megabytes(parameters)}};
  };
  json body = layer("body", "BODY", figures.layers, figures.times.body, figures.parameters);
  for (std::size_t c = 0; c < figures.choices.size(); ++c) {
    const auto choice = stagecut::find_name(detail::sapp_choice_names, figures.choices[c])->value;
    const double least = detail::sapp_megabyte / 1000;
    body[detail::sapp_types[static_cast<std::size_t>(choice)].memory] =
        detail::sapp_megabytes(std::max(figures.activations[c], least));
  }
  const json head = layer("head", "HEAD", 1, figures.times.head, figures.head);
  const json tail = layer("tail", "TAIL", 1, figures.times.tail, figures.tail);
  return detail::joined({"{\"name\": ", json(figures.name).dump(),
                         ",\n \"pre_defined_layer\": ", json_line(json{{"head", 0}, {"tail", -1}}),
                         ",\n \"auto_partition_layer\": ", json_line(json{{"body", figures.layers}}),
                         ",\n \"stage_const_mem\": ", detail::sapp_megabytes(figures.constant).dump(),
                         ",\n \"layers_description\": [\n  ", json_line(head), ",\n  ", json_line(body), ",\n  ",
                         json_line(tail), "]}\n"});
}

}  // namespace stagecut::inline STAGECUT_ABI::io
