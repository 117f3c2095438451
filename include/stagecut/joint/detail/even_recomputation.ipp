// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/even_recomputation.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/joint/recompute_model.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Assigns equally many layers to each stage; any remainder goes to the first ones, one each.
[[nodiscard]] inline cuts even_layers(const recompute_model& model, std::size_t stages) {
  if (stages == 0) fail(argument_error("even_recomputation", "stages", "0", "must be at least 1"));
  const std::size_t layers = model.layers.size();
  std::vector<std::size_t> points{0};
  for (std::size_t s = 0; s < stages; ++s) {
    points.push_back(points.back() + layers / stages + (s < layers % stages ? 1 : 0));
  }
  return cuts(std::move(points), empty_stages::allowed);
}

/// The plan in which every layer takes the choice for its type.
[[nodiscard]] inline recompute_strategy even_strategy(const recompute_model& model, std::size_t stages,
                                                      const std::vector<std::size_t>& of_types) {
  recompute_strategy result{even_layers(model, stages), {}};
  for (const std::size_t type : model.layers) result.choices.push_back(of_types[type]);
  return result;
}

}  // namespace detail

STAGECUT_DECL recompute_strategy even_recomputation(const recompute_model& model, std::size_t stages,
                                                    even_choice choice) {
  detail::check_recompute_model(model);
  std::vector<std::size_t> of_types;
  for (const layer_type& type : model.types) {
    std::size_t best = 0;
    for (std::size_t r = 1; r < type.choices.size(); ++r) {
      const recompute_choice& a = type.choices[r];
      const recompute_choice& b = type.choices[best];
      const bool is_faster = a.backward < b.backward;
      const bool is_leaner = a.activations < b.activations;
      const bool is_better = choice == even_choice::fastest
                                 ? is_faster || (a.backward == b.backward && is_leaner)
                                 : is_leaner || (a.activations == b.activations && is_faster);
      if (is_better) best = r;
    }
    of_types.push_back(best);
  }
  return detail::even_strategy(model, stages, of_types);
}

STAGECUT_DECL recompute_strategy even_recomputation(const recompute_model& model, std::size_t stages,
                                                    std::string_view name) {
  detail::check_recompute_model(model);
  std::vector<std::size_t> of_types;
  for (const layer_type& type : model.types) {
    std::size_t found = 0;
    while (found < type.choices.size() && type.choices[found].name != name) ++found;
    if (found == type.choices.size()) {
      std::string names;
      for (const recompute_choice& each : type.choices) names += (names.empty() ? "" : " or ") + each.name;
      detail::fail(argument_error("even_recomputation", "name", detail::in_quotes(name),
                                  detail::joined({"must be a choice of ", detail::in_quotes(type.name), ": ", names})));
    }
    of_types.push_back(found);
  }
  return detail::even_strategy(model, stages, of_types);
}

}  // namespace stagecut::inline STAGECUT_ABI
