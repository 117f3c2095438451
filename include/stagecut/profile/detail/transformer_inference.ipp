// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/transformer_inference.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/detail/each_part.hpp>
#include <stagecut/profile/detail/transformer_parts.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

namespace detail {

STAGECUT_DECL training training_of(const serving& how) {
  training made;
  made.sequence = how.sequence;
  made.microbatch = how.concurrent;
  made.precision = how.precision;
  made.tensor_parallel = how.tensor_parallel;
  made.expert_parallel = how.expert_parallel;
  made.data_parallel = how.expert_parallel;  // the devices that share experts run their own groups
  made.sequence_parallel = false;
  return made;
}

STAGECUT_DECL microbatch batch_of(const architecture& a, const training& r, const roofline& clock,
                                  serving_phase phase) {
  microbatch made(a, r, clock);
  made.serving = true;
  if (phase == serving_phase::prefill) return made;
  made.cached = made.sequence;
  made.tokens = made.rows = made.samples;
  return made;
}

/// A model in inference, and how its passes are shared.
class serving_run {
 public:
  serving_run(const architecture& a, const serving& how, serving_phase phase, const device& on,
              const efficiencies& reached)
      : model_(without_training(a)),
        pass_(training_of(how)),
        phase_(phase),
        clock_((checked(a, how, phase, on, reached), check(model_, pass_), without_sustained(on)), how.precision,
               reached),
        batch_(stored(batch_of(model_, pass_, clock_, phase), how)),
        make_(model_, pass_, clock_, batch_) {}

  /// Calls `visit` for every part with its terms in this phase.
  template <class Visit>
  void each(const Visit& visit) const {
    detail::each_part(model_, pass_, make_, [&](part next) {
      const bool sees = next.kind.starts_with("vision") || next.kind == "projector";
      if (next.kind == "head") only_last_token(next);
      if (sees && phase_ == serving_phase::decode) next.terms = {}, next.output = 0;  // images are part of the prompt
      next.terms = {.forward = std::move(next.terms.forward)};
      visit(next);
    });
  }

  /// Bytes of the keys and values of `concurrent` requests, and the further bytes of a pass over a prompt.
  /// @{
  [[nodiscard]] double cached(std::size_t layer, std::size_t concurrent) const {
    const block b = block_of(model_, layer, ways_of(pass_));
    double bytes = b.attends ? kept_of_sample(b, batch_.sequence) * batch_.cached_bytes : 0;
    bytes += 4 * kept_states(b) + kept_inputs(b) * batch_.bytes;
    return static_cast<double>(concurrent) * bytes;
  }
  [[nodiscard]] double of_prompt(std::size_t layer) const {
    const block b = block_of(model_, layer, ways_of(pass_));
    const bool whole = b.all_experts != 0 && pass_.expert_parallel > 1;  // a device's own tokens then visit experts
    const double routed = b.ffn * b.visits / (whole ? batch_.tensor.members : 1);
    return at_once() * (b.query + b.key + b.value + (b.gates + 1) * (routed < b.shared_ffn ? b.shared_ffn : routed));
  }
  [[nodiscard]] double of_prompt() const { return 2 * at_once() * static_cast<double>(model_.hidden); }
  /// @}

  /// Bytes of a weight: with fp8, layers have 1-byte weights, but not embedding, norm and head.
  [[nodiscard]] double weight_bytes(const part& of) const {
    if (of.kind == "head" && batch_.weights.head && batch_.weights.bytes != 0) return batch_.weights.bytes;
    const bool narrow = of.kind != "embedding" && of.kind != "norm" && of.kind != "head";
    return narrow ? pass_.precision == number::fp8 ? 1 : batch_.bytes : batch_.bytes;
  }

 private:
  static microbatch stored(microbatch made, const serving& how) {
    made.weights = how.weights;
    made.cached_bytes = how.cached_bytes != 0 ? how.cached_bytes : made.bytes;
    return made;
  }

  // Bytes for one number of each token in a prompt pass: engines split longer prompts.
  [[nodiscard]] double at_once() const {
    constexpr double most = 8192;
    return batch_.bytes * (batch_.sequence < most ? batch_.sequence : most);
  }

  static architecture without_training(architecture a) {
    a.dropout = false;
    a.mtp_layers = 0;
    return a;
  }

  // Inference has its own efficiencies, of the best products.
  static device without_sustained(device on) {
    if (on.gemm > 0) on.sustained = 0;
    if (on.gemm_fp8 > 0) on.sustained_fp8 = 0;
    if (on.gemm_fp4 > 0) on.sustained_fp4 = 0;
    on.sustained_bandwidth = on.sustained_link = 0;
    return on;
  }

  static void checked(const architecture& a, const serving& how, serving_phase phase, const device& on,
                      const efficiencies& reached) {
    if (a.encoder && phase == serving_phase::decode) {
      stagecut::detail::fail(stagecut::invalid_input("serving.phase", "decode, but an encoder guesses no next token"));
    }
    if (how.concurrent == 0) stagecut::detail::fail(stagecut::invalid_input("serving.concurrent", "is 0"));
    if (how.precision > number::fp8) {
      stagecut::detail::fail(stagecut::invalid_input(
          "serving.precision", stagecut::detail::joined({"is ", stagecut::name_of(precision_names, how.precision),
                                                         ", which is computed for training alone"})));
    }
    const auto refuse = [](const char* field, const char* problem) {
      stagecut::detail::fail(stagecut::invalid_input(field, problem));
    };
    if (!(how.weights.bytes >= 0 && how.weights.bytes <= 16)) refuse("serving.weights", "bytes are not from 0 to 16");
    if (!(how.cached_bytes >= 0 && how.cached_bytes <= 16)) refuse("serving.cached_bytes", "is not from 0 to 16");
    check(on);
    check(reached);
  }

  // Only one token per request is predicted.
  void only_last_token(part& head) const {
    const auto hidden = static_cast<double>(model_.hidden);
    const double stored = batch_.weights.head ? batch_.weights.bytes : 0;
    head.terms.forward = {clock_.served_product("logits", batch_.samples, hidden, make_.words(), 1, false, stored),
                          clock_.movement("choice of a word", batch_.samples * make_.words() * (batch_.bytes + 4), 0)};
    head.output = 0;
  }

  architecture model_;
  training pass_;
  serving_phase phase_;
  roofline clock_;
  microbatch batch_;
  part_maker make_;
};

}  // namespace detail

STAGECUT_DECL stagecut::profile inference_profile(const architecture& a, const serving& how, serving_phase phase,
                                                  const device& on, const efficiencies& reached) {
  const detail::serving_run run(a, how, phase, on, reached);
  stagecut::profile made;
  made.name = a.name;
  made.inference = true;
  std::size_t decoders = 0;
  run.each([&](const detail::part& part) {
    stagecut::layer& next = made.layers.emplace_back();
    next.name = part.name;
    next.kind = part.kind;
    next.forward = seconds_of(part.terms.forward);
    next.output = part.output;
    next.parameters = (part.numbers + part.expert_numbers) * run.weight_bytes(part) - part.saved;
    next.resident = next.parameters;
    next.workspace = run.of_prompt();
    if (part.repeated && part.kind != "vision") {
      next.activations = run.cached(decoders, how.concurrent);
      next.workspace = run.of_prompt(decoders++);
    }
    if (part.tied != 0) {
      using enum stagecut::tied_parameters::placement;
      const double bytes = part.tied * run.weight_bytes(part);
      next.tied = {{"tok_embeddings.weight", bytes, bytes, a.tied == tying::colocate ? colocated : replicated}};
    }
    if (part.kind == "norm" || part.kind == "head") next.group = "output";
  });
  stagecut::check_figures(made);
  return made;
}

STAGECUT_DECL std::vector<pass_terms> explain_inference(const architecture& a, const serving& how, serving_phase phase,
                                                        const device& on, const efficiencies& reached) {
  std::vector<pass_terms> made;
  const detail::serving_run run(a, how, phase, on, reached);
  run.each([&](const detail::part& part) { made.push_back(part.terms); });
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
