// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/sharded_transformer.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

STAGECUT_DECL std::vector<std::size_t> possible_ways(const architecture& a, training r,
                                                     const std::vector<std::size_t>& ways) {
  std::vector<std::size_t> result;
  for (const std::size_t degree : ways) {
    r.tensor_parallel = degree;
    if (!detail::find_fault(a, r)) result.push_back(degree);
  }
  return result;
}

STAGECUT_DECL stagecut::profile sharded_profile(const architecture& a, const training& r, const device& on,
                                                const efficiencies& reached, const std::vector<std::size_t>& ways) {
  if (r.tensor_parallel != 1) {
    stagecut::detail::fail(stagecut::invalid_input("training.tensor_parallel", "must be 1: the degrees give it"));
  }
  const std::size_t replicas = r.context_parallel * r.data_parallel;
  if (r.expert_parallel > 1 && replicas % r.expert_parallel != 0) {
    stagecut::detail::fail(stagecut::invalid_input(
        "training.expert_parallel",
        stagecut::detail::joined({"expert_parallel = ", r.expert_parallel,
                                  ", must divide context_parallel * data_parallel, ", replicas,
                                  ": where tensor-parallel degrees are planned, layers may run at degree 1, too"})));
  }
  stagecut::profile made = profile(a, r, on, reached);
  for (const std::size_t degree : ways) {
    if (degree == 1) continue;
    training shared = r;
    shared.tensor_parallel = degree;
    const stagecut::profile of = profile(a, shared, on, reached);
    for (std::size_t i = 0; i < made.layers.size(); ++i) {
      std::vector<stagecut::layer_variant> variants = made.layers[i].shardings;
      const std::string name = stagecut::detail::joined({"tp", degree});
      const auto add = [&](stagecut::layer_variant variant, const std::string& how) {
        variant.name = how.empty() ? name : stagecut::detail::joined({name, "+", how});
        variant.tensor_parallel = degree;
        variant.recomputation = how;
        variant.output = made.layers[i].output;
        variants.push_back(std::move(variant));
      };
      add(detail::variant(of.layers[i], recomputing::none), of.layers[i].recomputation);
      for (const stagecut::layer_variant& variant : of.layers[i].recomputations.get()) {
        add(variant, variant.name == "none" ? "" : variant.name);
      }
      made.layers[i].shardings = std::move(variants);
    }
  }
  stagecut::check_figures(made);
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
