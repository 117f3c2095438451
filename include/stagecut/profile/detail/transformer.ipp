// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/transformer.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/detail/each_part.hpp>
#include <stagecut/profile/detail/transformer_parts.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/parameters.hpp>
#include <stagecut/profile/pass_terms.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

namespace detail {

/// The word for the recomputation in a layer's figures; empty: none.
inline std::string recomputation_name(recomputing way) {
  return way == recomputing::none ? "" : stagecut::name_of(recomputation_names, way);
}

/// A part as a layer of a profile.
inline stagecut::layer layer_of(const part& from, const architecture& a, const part_maker& make) {
  const microbatch& z = make.batch();
  const device_group& all = z.replicas;
  stagecut::layer made;
  made.name = from.name;
  made.kind = from.kind;
  made.forward = seconds_of(from.terms.forward);
  made.backward_input = seconds_of(from.terms.input);
  made.backward_weight = seconds_of(from.terms.weight);
  made.backward = *made.backward_input + *made.backward_weight;
  made.update = seconds_of(from.terms.update);
  made.parameters = make.parameters(from.numbers, all) + make.parameters(from.expert_numbers, z.expert_replicas);
  made.resident = make.resident(from.numbers, all) + make.resident(from.expert_numbers, z.expert_replicas);
  made.activations = from.activations;
  made.workspace = from.workspace + make.gathered(from.numbers + from.tied, all) +
                   make.gathered(from.expert_numbers, z.expert_replicas);
  made.recomputed = from.recomputed;
  made.output = from.output;
  if (from.tied != 0) {
    using enum stagecut::tied_parameters::placement;
    made.tied = {{"tok_embeddings.weight", make.parameters(from.tied, all), make.resident(from.tied, all),
                  a.tied == tying::colocate ? colocated : replicated}};
  }
  return made;
}

STAGECUT_DECL stagecut::layer_variant variant(const stagecut::layer& of, recomputing way) {
  stagecut::layer_variant made;
  made.name = stagecut::name_of(recomputation_names, way);
  made.forward = of.forward;
  made.backward = of.backward;
  made.backward_input = of.backward_input;
  made.backward_weight = of.backward_weight;
  made.parameters = of.parameters;
  made.resident = of.resident;
  made.activations = of.activations;
  made.workspace = of.workspace;
  made.recomputed = of.recomputed;
  made.output = of.output;
  made.update = of.update;
  return made;
}

/// The alternative recomputations of layer `i` of a model, or of its tower.
inline std::vector<stagecut::layer_variant> other_ways(const architecture& a, const training& r, const part_maker& make,
                                                       std::size_t i, bool seeing) {
  std::vector<stagecut::layer_variant> made;
  for (const auto way : {recomputing::none, recomputing::selective, recomputing::full}) {
    if (way == r.recomputation) continue;
    made.push_back(variant(layer_of(seeing ? make.vision_layer(i, way) : make.layer(i, way), a, make), way));
  }
  return made;
}

STAGECUT_DECL void check_run(const architecture& a, const training& r, const device& on, const efficiencies& reached) {
  check(a, r);
  check(on);
  check(reached);
  if (r.offload == 0 || on.host_link > 0) return;
  stagecut::detail::fail(stagecut::invalid_input(
      "device.host_link", "is 0: how fast activations get to the host's memory, for offload, is not known"));
}

}  // namespace detail

STAGECUT_DECL stagecut::profile profile(const architecture& a, const training& r, const device& on,
                                        const efficiencies& reached) {
  detail::check_run(a, r, on, reached);
  const roofline clock(on, r.precision, reached);
  const detail::part_maker make(a, r, clock);
  stagecut::profile made;
  made.name = a.name;
  made.layers.reserve(a.layers + 3);
  const std::string way = detail::recomputation_name(r.recomputation);
  std::size_t of_text = 0, of_tower = 0;
  detail::each_part(a, r, make, [&](const detail::part& part) {
    stagecut::layer& next = made.layers.emplace_back(detail::layer_of(part, a, make));
    const bool seeing = next.kind == "vision";
    if (part.repeated) {
      next.recomputation = way;
      const std::size_t i = seeing ? of_tower++ : of_text++;
      if (r.variants) next.recomputations = detail::other_ways(a, r, make, i, seeing);
    }
    if (a.mtp_layers == 0 && (next.kind == "norm" || next.kind == "head")) next.group = "output";
  });
  stagecut::check_figures(made);  // a device may be too slow, or a model too large
  return made;
}

STAGECUT_DECL std::vector<pass_terms> explain(const architecture& a, const training& r, const device& on,
                                              const efficiencies& reached) {
  detail::check_run(a, r, on, reached);
  const roofline clock(on, r.precision, reached);
  const detail::part_maker make(a, r, clock);
  std::vector<pass_terms> made;
  detail::each_part(a, r, make, [&](const detail::part& part) { made.push_back(part.terms); });
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
