// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/detail/transformer_work.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/transformer_architecture.hpp>

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
// Not in the times: what devices that share a layer send each other, and the optimizer's step.
namespace stagecut::inline v0::transformer {

namespace detail {

/// Makes layers of work and counts.
class builder {
 public:
  builder(const architecture& a, const training& r, const device& on) : z(a, r), a_(a), r_(r), on_(on) {}

  /// @param numbers  parameters on one device, without those of a matrix that is `tied`
  [[nodiscard]] stagecut::layer layer(std::string name, std::string kind, const passes& load, double numbers,
                                      double tied = 0) const {
    stagecut::layer made;
    made.name = std::move(name);
    made.kind = std::move(kind);
    spend(made, load);
    made.parameters = parameters(numbers);
    made.resident = resident(numbers);
    made.workspace = gathered(numbers + tied);
    made.output = z.bytes * z.rows * z.hidden;
    if (tied != 0) {
      using enum stagecut::tied_parameters::placement;
      made.tied = {{"tok_embeddings.weight", parameters(tied), resident(tied),
                    a_.tied == tying::colocate ? colocated : replicated}};
    }
    return made;
  }

  /// The layers of the model are alike but for their names.
  [[nodiscard]] stagecut::layer repeated(recomputing way) const {
    passes load = layer_work(a_, r_, z);
    const kept bytes = layer_activations(a_, r_, z);
    if (way == recomputing::selective) load.input = load.input + core_work(a_, r_, z).forward;
    if (way == recomputing::full) load.input = load.input + load.forward;
    auto made = layer("", a_.encoder ? "encoder" : "decoder", load, layer_parameters(a_, z));
    made.activations = way == recomputing::full ? bytes.input : bytes.rest;
    if (way == recomputing::none) made.activations += bytes.core;
    if (way == recomputing::selective) made.workspace += bytes.core;
    if (way == recomputing::full) made.workspace += bytes.rest - bytes.input + bytes.core;
    made.recomputation = way == recomputing::none ? "" : way == recomputing::full ? "full" : "selective";
    return made;
  }

  const shape z;

 private:
  [[nodiscard]] double seconds(const work& load) const {
    return load.flops / ((r_.precision == number::fp32 ? on_.flops_fp32 : on_.flops) * on_.efficiency) +
           load.bytes / on_.bandwidth;
  }

  void spend(stagecut::layer& made, const passes& load) const {
    made.forward = seconds(load.forward);
    made.backward_input = seconds(load.input);
    made.backward_weight = seconds(load.weight);
    made.backward = *made.backward_input + *made.backward_weight;
  }

  [[nodiscard]] double replicas(std::size_t stage) const {
    return r_.zero >= stage ? static_cast<double>(r_.data_parallel) : 1;
  }

  [[nodiscard]] double gradient() const { return r_.gradient_bytes.value_or(z.bytes); }

  [[nodiscard]] double parameters(double numbers) const { return numbers * z.bytes / replicas(3); }

  // Rajbhandari, sections 3.1 and 5: 16 bytes a parameter with Adam, whose parts are spread stage by stage. The state
  // has Adam's two moments and with 16 bit also the parameters, all in fp32.
  [[nodiscard]] double resident(double numbers) const {
    const double state = r_.state_bytes.value_or(r_.precision == number::fp32 ? 8 : 12);
    return numbers * (z.bytes / replicas(3) + gradient() / replicas(2) + state / replicas(1));
  }

  // What ZeRO spreads has to be whole while the layer runs: its parameters, and its gradients until they are summed.
  [[nodiscard]] double gathered(double numbers) const {
    if (r_.data_parallel == 1) return 0;
    return numbers * ((r_.zero == 3 ? z.bytes : 0) + (r_.zero >= 2 ? gradient() : 0));
  }

  const architecture& a_;
  const training& r_;
  const device& on_;
};

/// The figures of a layer as one of the ways to run another.
inline stagecut::layer_variant variant(const stagecut::layer& of) {
  stagecut::layer_variant made;
  made.name = of.recomputation.empty() ? "none" : of.recomputation;
  made.forward = of.forward;
  made.backward = of.backward;
  made.backward_input = of.backward_input;
  made.backward_weight = of.backward_weight;
  made.parameters = of.parameters;
  made.resident = of.resident;
  made.activations = of.activations;
  made.workspace = of.workspace;
  made.output = of.output;
  return made;
}

}  // namespace detail

/// The number of parameters of a model that `check` accepts; a matrix that embedding and head share counts once.
inline double parameters(const architecture& a) {
  const detail::shape z(a, {});
  return (a.tied == tying::none ? 2 : 1) * detail::word_parameters(z) + detail::table_parameters(a, z) +
         static_cast<double>(a.layers) * detail::layer_parameters(a, z) + (a.encoder ? 0 : detail::norm_parameters(a)) +
         detail::head_parameters(a, z);
}

/// The profile of a model on a device: an embedding, the layers, a norm and a head, the last two in one group; an
/// encoder has no norm there. The names are those of torchtitan's Llama.
///
/// @return  times of a microbatch, bytes on one of the devices that share a layer; all finite and not negative. With
///          sequence parallelism a device hands on its part of the tokens. The head hands on nothing: the loss stays.
/// @throws  stagecut::invalid_input as `check`, and at a layer with a figure that no double can hold
///
/// Recomputation adds to `backward` and `backward_input`: the core of attention or the whole layer forward, once. (For
/// the core, the 2.7 % that Korthikanti gives for GPT-3 are three times that.) Without scores in memory `selective` is
/// of little use: it drops next to nothing, and the core is computed a third time. `workspace` has what is recomputed
/// and what ZeRO has to gather; `resident` has the optimizer's state.
inline stagecut::profile profile(const architecture& a, const training& r = {}, const device& on = {}) {
  check(a, r);
  check(on);
  const detail::builder build(a, r, on);
  const auto& z = build.z;
  const double word = detail::word_parameters(z);
  const double own = a.tied == tying::none ? word : 0;
  const double narrow = z.rows * z.hidden;

  stagecut::profile made;
  made.name = a.name;
  made.layers.reserve(a.layers + 3);
  auto& embedding = made.layers.emplace_back(build.layer("tok_embeddings", "embedding", detail::embedding_work(a, z),
                                                         detail::table_parameters(a, z) + own, word - own));
  embedding.activations = (a.dropout ? narrow : 0) + (a.encoder ? z.bytes * narrow : 0);

  auto each = build.repeated(r.recomputation);
  for (const auto way : {recomputing::none, recomputing::selective, recomputing::full}) {
    if (r.variants && way != r.recomputation) each.recomputations.push_back(detail::variant(build.repeated(way)));
  }
  for (std::size_t i = 0; i < a.layers; ++i) {
    each.name = detail::joined({"layers.", i});
    made.layers.push_back(each);
  }

  if (!a.encoder) {
    auto& norm =
        made.layers.emplace_back(build.layer("norm", "norm", detail::norm_work(z), detail::norm_parameters(a)));
    norm.activations = z.bytes * narrow;
    norm.group = "output";
  }
  auto& head = made.layers.emplace_back(
      build.layer("output", "head", detail::head_work(a, z), detail::head_parameters(a, z) + own, word - own));
  head.activations = detail::head_activations(a, z);
  head.output = 0;
  head.group = "output";
  stagecut::check_figures(made);  // a device so slow, or a model so large
  return made;
}

}  // namespace stagecut::inline v0::transformer
