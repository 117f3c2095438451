// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/io/detail/architecture_figures.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/check_architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Layers in order: how many (`layers`, 1 unless said) are of a form, then how many of the next; from the start again
/// until all have one.
inline std::vector<transformer::layer_form> read_forms(const json_value& from, const transformer::architecture& a) {
  constexpr std::size_t most = 100'000;  // of layers, as `check` has it
  constexpr std::size_t widest = transformer::detail::most_of_a_count;
  std::vector<transformer::layer_form> pattern;
  for (const json_value& each : from.elements()) {
    each.only({"layers", "window", "dense"});
    transformer::layer_form form;
    std::size_t layers = 1;
    const figure_reader at(each);
    at("layers", layers, 1);
    at("window", form.window);
    at("dense", form.dense);
    if (form.window > widest) each.at("window").fail(std::to_string(form.window), " is above ", std::to_string(widest));
    if (layers > most || pattern.size() + layers > most) each.fail("more than ", std::to_string(most), " layers");
    pattern.insert(pattern.end(), layers, form);
  }
  if (pattern.empty()) from.fail("is empty");
  if (pattern.size() > a.layers) {
    from.fail("of ", std::to_string(pattern.size()), " layers, and there are ", std::to_string(a.layers));
  }
  std::vector<transformer::layer_form> made(a.layers <= most ? a.layers : pattern.size());
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = pattern[i % pattern.size()];
  return made;
}

/// The shortest start of forms that, repeated, is all of them.
inline std::size_t period_of(const std::vector<transformer::layer_form>& forms) {
  std::vector<std::size_t> border(forms.size() + 1, 0);  // of each start, its longest end that is a start as well
  std::size_t length = 0;
  for (std::size_t i = 1; i < forms.size(); ++i) {
    while (length != 0 && forms[i] != forms[length]) length = border[length];
    if (forms[i] == forms[length]) ++length;
    border[i + 1] = length;
  }
  return forms.size() - border[forms.size()];
}

/// Likewise, written.
inline json written_forms(const std::vector<transformer::layer_form>& forms) {
  json made = json::array();
  const std::size_t period = period_of(forms);
  for (std::size_t first = 0; first < period;) {
    std::size_t last = first;
    while (last < period && forms[last] == forms[first]) ++last;
    json each = json::object();
    each["layers"] = last - first;
    if (forms[first].window != 0) each["window"] = forms[first].window;
    if (forms[first].dense) each["dense"] = true;
    made.push_back(std::move(each));
    first = last;
  }
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
