// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/detail/each_part.hpp>
#include <stagecut/profile/detail/transformer_parts.hpp>
#include <stagecut/profile/parameters.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

// Analytic profiles: from the published figures of an architecture to the time and memory of every layer.
//
// Sources, by the names that comments call them:
//   Dao           Dao, FlashAttention-2, arXiv 2307.08691
//   Ivanov        Ivanov et al., Data Movement Is All You Need, MLSys 2021
//   Korthikanti   Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, arXiv 2205.05198
//   Narayanan     Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters, SC 2021
//   Rajbhandari   Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, SC 2020
//   Shazeer       Shazeer et al., Outrageously Large Neural Networks, ICLR 2017
//   Shoeybi       Shoeybi et al., Megatron-LM, arXiv 1909.08053
namespace stagecut::inline STAGECUT_ABI::transformer {

namespace detail {

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
  made.output = from.output;
  if (from.tied != 0) {
    using enum stagecut::tied_parameters::placement;
    made.tied = {{"tok_embeddings.weight", make.parameters(from.tied, all), make.resident(from.tied, all),
                  a.tied == tying::colocate ? colocated : replicated}};
  }
  return made;
}

/// The word for what a layer's figures recompute; empty: nothing.
inline std::string recomputation_name(recomputing way) {
  return way == recomputing::none ? "" : stagecut::name_of(recomputation_words, way);
}

/// The figures of a layer as one of the ways to run another.
inline stagecut::layer_variant variant(const stagecut::layer& of, recomputing way) {
  stagecut::layer_variant made;
  made.name = stagecut::name_of(recomputation_words, way);
  made.forward = of.forward;
  made.backward = of.backward;
  made.backward_input = of.backward_input;
  made.backward_weight = of.backward_weight;
  made.parameters = of.parameters;
  made.resident = of.resident;
  made.activations = of.activations;
  made.workspace = of.workspace;
  made.output = of.output;
  made.update = of.update;
  return made;
}

/// The other ways to recompute layer `i` of a model, or of its tower.
inline std::vector<stagecut::layer_variant> other_ways(const architecture& a, const training& r, const part_maker& make,
                                                       std::size_t i, bool seeing) {
  std::vector<stagecut::layer_variant> made;
  for (const auto way : {recomputing::none, recomputing::selective, recomputing::full}) {
    if (way == r.recomputation) continue;
    made.push_back(variant(layer_of(seeing ? make.vision_layer(i, way) : make.layer(i, way), a, make), way));
  }
  return made;
}

}  // namespace detail

/// The profile of a model on a device: for a model that sees, what makes vectors of patches, its tower's layers and a
/// projector; an embedding, the layers, a norm, those that guess further tokens, and a head; norm and head are in one group
/// where nothing stands between them; an encoder has no norm there. The names are those of torchtitan's Llama.
///
/// @return  times of a microbatch, `update` at the end of an iteration, bytes on one of the devices that share a layer; all
///          finite and not negative. With sequence parallelism a device hands on its part of the tokens. The head hands on
///          nothing: the loss stays.
/// @throws  stagecut::invalid_input as `check`, and at a layer with a figure that no double can hold
///
/// Recomputation adds to `backward` and `backward_input`: the core of attention or the whole layer forward, once, with
/// its messages. Without scores in memory `selective` is of little use: it drops next to nothing, and the core is computed a
/// third time. `workspace` has what is recomputed and what ZeRO has to gather; `resident` has the optimizer's state.
inline stagecut::profile profile(const architecture& a, const training& r = {}, const device& on = {},
                                 const efficiencies& reached = {}) {
  check(a, r);
  check(on);
  check(reached);
  const roofline clock(on, r.precision, reached);
  const detail::part_maker make(a, r, clock);
  stagecut::profile made;
  made.name = a.name;
  made.layers.reserve(a.layers + 3);
  const std::string way = detail::recomputation_name(r.recomputation);
  std::size_t of_text = 0, of_tower = 0;
  detail::each_part(a, r, make, [&](const detail::part& each) {
    stagecut::layer& next = made.layers.emplace_back(detail::layer_of(each, a, make));
    const bool seeing = next.kind == "vision";
    if (next.kind == "decoder" || next.kind == "encoder" || next.kind == "mtp" || seeing) {
      next.recomputation = way;
      const std::size_t i = seeing ? of_tower++ : of_text++;
      if (r.variants) next.recomputations = detail::other_ways(a, r, make, i, seeing);
    }
    if (a.mtp_layers == 0 && (next.kind == "norm" || next.kind == "head")) next.group = "output";
  });
  stagecut::check_figures(made);  // a device so slow, or a model so large
  return made;
}

/// The terms of the times in a profile: those of each of its layers, in its order.
///
/// @throws  stagecut::invalid_input as `profile`
inline std::vector<pass_terms> explain(const architecture& a, const training& r = {}, const device& on = {},
                                       const efficiencies& reached = {}) {
  check(a, r);
  check(on);
  check(reached);
  const roofline clock(on, r.precision, reached);
  const detail::part_maker make(a, r, clock);
  std::vector<pass_terms> made;
  detail::each_part(a, r, make, [&](const detail::part& each) { made.push_back(each.terms); });
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
