// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/detail/block_memory.hpp>
#include <stagecut/profile/detail/block_messages.hpp>
#include <stagecut/profile/detail/block_terms.hpp>
#include <stagecut/profile/detail/launches.hpp>
#include <stagecut/profile/detail/microbatch.hpp>
#include <stagecut/profile/detail/served_terms.hpp>
#include <stagecut/profile/pass_terms.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

// The layers of a transformer before conversion to layers of a profile. transformer.hpp lists the sources.
namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// A layer: its work, and its memory on one device.
struct part {
  std::string name{};
  std::string kind{};
  bool repeated = false;  ///< a layer of the text or of a tower
  pass_terms terms{};
  double numbers = 0;         ///< parameters without those of whole experts and of a tied matrix
  double expert_numbers = 0;  ///< of whole experts, which have fewer replicas
  double saved = 0;           ///< bytes that weights stored otherwise have less than those of the precision
  double tied = 0;            ///< of the matrix that embedding and head share
  double activations = 0;     ///< bytes
  double workspace = 0;       ///< bytes, without gathered ones
  double recomputed = 0;      ///< bytes
  double output = 0;          ///< bytes
};

/// The kind of a layer that is one part of a decoder, as `pattern_kinds` of targets.
inline const char* kind_of_part(const block& b) {
  if (b.feeds) return b.all_experts == 0 ? "mlp" : "moe";
  if (b.recurrent == nullptr) return "attention";
  if (b.attends) return "decoder";
  const recurrent_kind kind = b.recurrent->kind;
  return kind == recurrent_kind::mamba2 ? "mamba" : kind == recurrent_kind::gated_delta ? "gated_delta_net" : "decoder";
}

/// Builds the parts of a model for a training.
class part_maker {
 public:
  part_maker(const architecture& a, const training& r, const roofline& clock)
      : part_maker(a, r, clock, microbatch(a, r, clock)) {}

  /// For a given microbatch.
  part_maker(const architecture& a, const training& r, const roofline& clock, const microbatch& batch);

  /// A layer of the text model with that recomputation; those after the last one predict further tokens.
  [[nodiscard]] part layer(std::size_t i, recomputing way) const;

  /// A layer of the vision tower.
  [[nodiscard]] part vision_layer(std::size_t i, recomputing way) const;

  /// The patch embedding.
  [[nodiscard]] part patches() const;

  /// The projector from the tower's vectors to tokens of the text.
  [[nodiscard]] part projector() const;

  /// A lookup in each table, summed; the backward pass reads dy, and reads and writes the rows of each table. The input
  /// has no gradient.
  [[nodiscard]] part embedding() const;

  /// The norm after the layers of a decoder.
  [[nodiscard]] part norm() const;

  /// The logits (Narayanan, appendix) and their loss, which moves 12 bytes per logit; once for each predicted token. For
  /// BERT also the dense layer and its activation function; the pooler processes one token per sample.
  [[nodiscard]] part head() const;

  /// Resident bytes of a device for `numbers` parameters, with their gradients and optimizer state.
  [[nodiscard]] double resident(double numbers, const device_group& replicas) const;

  /// Bytes of the parameters only.
  [[nodiscard]] double parameters(double numbers, const device_group& replicas) const {
    return numbers * parameter_bytes() / (r_.zero == 3 ? replicas.members : 1);
  }

  /// Bytes that ZeRO partitions but that are whole while the layer runs: its parameters, and its gradients until their
  /// sum.
  [[nodiscard]] double gathered(double numbers, const device_group& replicas) const;

  /// Words of the vocabulary on one device, padded as Megatron does.
  [[nodiscard]] double words() const noexcept { return words_; }
  /// How the microbatch is shared.
  [[nodiscard]] const microbatch& batch() const noexcept { return z_; }

 private:
  [[nodiscard]] double narrow() const { return z_.rows * static_cast<double>(a_.hidden); }
  [[nodiscard]] double parameter_bytes() const { return r_.parameter_bytes.value_or(z_.bytes); }
  [[nodiscard]] double gradient_bytes() const { return r_.gradient_bytes.value_or(z_.bytes); }
  // Adam's two moments, and with 16 bits also the parameters, all in fp32.
  [[nodiscard]] double state_bytes() const { return r_.state_bytes.value_or(r_.precision == number::fp32 ? 8 : 12); }

  void give_names(part& made, double others) const;

  [[nodiscard]] part of_block(const block& b, const microbatch& z, recomputing way, bool joins) const;

  // The terms of a layer in inference.
  [[nodiscard]] part served_block(const block& b, const microbatch& z) const;

  // Sets what is kept and what is recomputed before the backward pass: some modules, or all, with its messages.
  void recompute(part& made, const kept& bytes, recomputing way) const;

  // The modules that a way of recomputation drops, with those of the training.
  [[nodiscard]] module_set modules_of(recomputing way) const;

  // Activations that wait in the host's memory: their transfers run behind the passes.
  void offload(part& made) const;

  // The host launches the kernels of a pass, and the pass waits for it if that takes longer.
  void wait_for_host(part& made, const block& b, recomputing way) const;

  /// Adds the replicas' messages.
  [[nodiscard]] part finished(part made, const device_group& replicas) const;

  const architecture& a_;
  const training& r_;
  const roofline& clock_;
  microbatch z_;
  ways split_;
  double words_ = 0;
  bool single_ = true;  // each layer has one part
};

inline part_maker::part_maker(const architecture& a, const training& r, const roofline& clock, const microbatch& batch)
    : a_(a), r_(r), clock_(clock), z_(batch), split_(ways_of(r)) {
  const std::size_t padded = (a.vocabulary + r.tensor_parallel - 1) / r.tensor_parallel;
  words_ = static_cast<double>(padded);
  for (std::size_t i = 0; i < a.layers && single_; ++i) {
    const layer_form form = form_of(a, i);
    single_ = form.mixer_only || form.mixer == mixing::none;
  }
}

inline part part_maker::layer(std::size_t i, recomputing way) const {
  const block b = block_of(a_, i, split_);
  part made = of_block(b, z_, way, i >= a_.layers);
  made.kind = i >= a_.layers ? "mtp" : a_.encoder ? "encoder" : single_ ? kind_of_part(b) : "decoder";
  made.repeated = true;
  return made;
}

inline part part_maker::vision_layer(std::size_t i, recomputing way) const {
  part made = of_block(block_of(*a_.vision, i, split_.tensor), z_.of(*a_.vision), way, false);
  made.kind = "vision";
  made.repeated = true;
  return made;
}

inline part part_maker::patches() const {
  const vision_tower& v = *a_.vision;
  const microbatch z = z_.of(v);
  const auto hidden = static_cast<double>(v.hidden);
  part made{.name = "vision.patches", .kind = "vision_embedding"};
  block_terms work(clock_, r_, z, made.terms);
  work.product("patches", z.rows, static_cast<double>(v.inputs), hidden);
  made.terms.input.clear();  // images have no gradient
  work.moves("norms", z.rows * hidden * static_cast<double>(v.extra_norms), 2 * z.bytes, 3 * z.bytes);
  made.numbers = patch_parameters(v);
  made.activations = z.bytes * z.rows * (static_cast<double>(v.inputs) + static_cast<double>(v.extra_norms) * hidden);
  made.output = z.bytes * z.rows * hidden;
  return finished(std::move(made), z.replicas);
}

inline part part_maker::projector() const {
  const vision_tower& v = *a_.vision;
  const microbatch z = z_.of(v);
  const auto hidden = static_cast<double>(a_.hidden);
  const double tokens = z.rows / static_cast<double>(v.merged);
  part made{.name = "projector", .kind = "projector"};
  block_terms work(clock_, r_, z, made.terms);
  for (std::size_t i = 0; i <= v.deepstack; ++i) {
    detail::each_projection(v, hidden, [&](double inner, double outer, bool joins) {
      const double rows = joins ? tokens : z.rows;
      work.product("projection", rows, inner, outer);
      made.activations += z.bytes * rows * inner;
    });
  }
  made.numbers = projector_parameters(v, hidden);
  made.output = z.bytes * tokens * hidden;
  return finished(std::move(made), z.replicas);
}

inline part part_maker::embedding() const {
  const double n = z_.bytes;
  const double tables = 1 + (a_.positions != 0 ? 1 : 0) + (a_.token_types != 0 ? 1 : 0);
  const double count = narrow();
  part made{.name = "tok_embeddings", .kind = "embedding"};
  block_terms work(clock_, r_, z_, made.terms);
  work.moves("lookup", count, (tables + 1) * n, 3 * tables * n);
  if (a_.dropout) work.moves("dropout", count, 2 * n + 1, 2 * n + 1);
  const bool normed = a_.encoder || a_.embedding_norm;
  if (normed) work.moves("norm", count, 2 * n, 3 * n);
  made.terms.weight = std::exchange(made.terms.input, {});
  give_names(made, table_parameters(a_));
  made.activations = count * ((a_.dropout ? 1 : 0) + (normed ? n : 0));
  made.output = n * count * static_cast<double>(a_.streams);
  return finished(std::move(made), z_.replicas);
}

inline part part_maker::norm() const {
  part made{.name = "norm", .kind = "norm"};
  block_terms(clock_, r_, z_, made.terms).moves("norm", narrow(), 2 * z_.bytes, 3 * z_.bytes);
  made.numbers = norm_parameters(a_.norm, static_cast<double>(a_.hidden));
  made.activations = made.output = z_.bytes * narrow();
  return finished(std::move(made), z_.replicas);
}

inline part part_maker::head() const {
  const auto h = static_cast<double>(a_.hidden);
  const auto times = static_cast<double>(1 + a_.mtp_layers);
  part made{.name = "output", .kind = "head"};
  block_terms work(clock_, r_, z_, made.terms);
  work.product("logits", z_.tokens * times, h, words_, r_.head_fp8);
  work.moves("loss", z_.tokens * words_ * times, z_.bytes + 4, z_.bytes + 4);
  if (a_.encoder || a_.head_dense) {
    work.product("dense layer", z_.rows, h, h);
    work.moves("activation, norm", narrow(), 4 * z_.bytes, 6 * z_.bytes);
  }
  if (a_.encoder && a_.pooler) work.product("pooler", z_.samples, h, h + 2);
  give_names(made, head_parameters(a_, words_));
  made.activations = kept_by_head(a_, z_, words_, times);
  return finished(std::move(made), z_.replicas);
}

inline double part_maker::resident(double numbers, const device_group& replicas) const {
  const auto spread = [&](std::size_t stage) { return r_.zero >= stage ? replicas.members : 1; };
  // Rajbhandari, sections 3.1 and 5: 16 bytes per parameter with Adam, partitioned ZeRO stage by stage.
  return numbers * (parameter_bytes() / spread(3) + gradient_bytes() / spread(2) + state_bytes() / spread(1));
}

inline double part_maker::gathered(double numbers, const device_group& replicas) const {
  if (replicas.members == 1) return 0;
  return numbers * ((r_.zero == 3 ? z_.bytes : 0) + (r_.zero >= 2 ? gradient_bytes() : 0));
}

inline void part_maker::give_names(part& made, double others) const {
  const double words = words_ * static_cast<double>(a_.hidden);
  made.numbers = others + (a_.tied == tying::none ? words : 0);
  made.tied = a_.tied == tying::none ? 0 : words;
}

inline part part_maker::of_block(const block& b, const microbatch& z, recomputing way, bool joins) const {
  if (z.serving) return served_block(b, z);
  part made;
  block_terms work(clock_, r_, z, made.terms);
  work.add(b);
  if (joins) {  // concatenates the state and the next token's embedding (DeepSeek-V3, section 2.2)
    work.product("joining", z.rows, 2 * b.hidden, b.hidden);
    work.moves("norms", z.rows * b.hidden * 3, 2 * z.bytes, 2 * z.bytes, 3);
  }
  block_messages(clock_, r_, z, made.terms).add(b);
  const bool whole = b.all_experts != 0 && r_.expert_parallel > 1;
  made.expert_numbers = whole ? routed_parameters(b) : 0;
  made.numbers = block_parameters(b) - made.expert_numbers + (joins ? joining_parameters(a_) : 0);
  made.output = z.bytes * z.rows * b.hidden * b.streams;
  kept bytes = kept_by_block(b, r_, z);
  if (joins) {  // the state and the next token's embedding, before and after their norms
    bytes.rest += bytes.input + 4 * z.bytes * z.rows * b.hidden;
    bytes.input *= 2;
  }
  made.workspace = bytes.workspace;
  recompute(made, bytes, way);
  offload(made);
  wait_for_host(made, b, way);
  return finished(std::move(made), z.replicas);
}

inline part part_maker::served_block(const block& b, const microbatch& z) const {
  part made;
  served_terms(clock_, r_, z, made.terms.forward).add(b);
  block_messages(clock_, r_, z, made.terms).add(b);
  const bool whole = b.all_experts != 0 && r_.expert_parallel > 1;
  made.expert_numbers = whole ? routed_parameters(b) : 0;
  made.numbers = block_parameters(b) - made.expert_numbers;
  const double plain = r_.precision == number::fp8 ? 1 : z.bytes;
  const double all = block_parameters(b);
  const double stored = z.weights.bytes != 0 ? stored_numbers(b, z.weights) : 0;
  made.saved = (plain - z.weights.bytes) * (stored < all ? stored : all);  // rounding may make it more
  made.output = z.bytes * z.rows * b.hidden * b.streams;
  return made;
}

inline module_set part_maker::modules_of(recomputing way) const {
  module_set modules = r_.recompute_modules;
  modules.core_attn = modules.core_attn || way == recomputing::selective;
  return modules;
}

inline void part_maker::recompute(part& made, const kept& bytes, recomputing way) const {
  const bool full = way == recomputing::full;
  const module_set modules = modules_of(way);
  const double dropped = bytes.dropped(modules);
  made.activations = full ? bytes.input : bytes.all() - dropped;
  made.recomputed = full ? bytes.all() - bytes.input : dropped;
  if (!full && modules.empty()) return;
  term again{full ? "forward pass, again" : "recomputed modules", term_kind::repetition};
  for (const term& each : made.terms.forward) {
    if (!full && !transformer::recomputes(modules, each.module)) continue;
    again.alone += each.seconds;
    again.waiting += each.kind == term_kind::message ? each.seconds : 0;
  }
  if (r_.recomputed_share) {
    again.name = "part of the forward pass, again";
    again.alone = *r_.recomputed_share * seconds_of(made.terms.forward);
    again.waiting = *r_.recomputed_share * seconds_of(made.terms.forward, term_kind::message);
  }
  again.seconds = again.alone;
  if (again.alone > 0) made.terms.input.push_back(again);
}

inline void part_maker::offload(part& made) const {
  if (r_.offload == 0) return;
  const double bytes = r_.offload * made.activations;
  made.activations -= bytes;
  for (std::vector<term>* const pass : {&made.terms.forward, &made.terms.input}) {
    term sent{"activations to and from the host", term_kind::message};
    sent.bytes = bytes;
    sent.rate = clock_.on().host_link;
    sent.alone = bytes / sent.rate;
    const double work = seconds_of(*pass);
    sent.beside = work < sent.alone ? work : sent.alone;
    sent.seconds = seconds_seen(sent.alone, sent.beside, clock_.reached().hidden);
    pass->push_back(sent);
  }
}

inline void part_maker::wait_for_host(part& made, const block& b, recomputing way) const {
  const launches kernels = launches_of(b, r_, clock_);
  const efficiencies& reached = clock_.reached();
  const auto wait = [&](std::vector<term>& pass, double count, double busy, double stopped) {
    term host{"waiting for the host", term_kind::host};
    host.kernels = count;
    host.alone = count * reached.launch + stopped;
    host.seconds = (count * reached.launch > busy ? count * reached.launch - busy : 0) + stopped;
    if (host.seconds > 0) pass.push_back(host);
  };
  const double again = r_.recomputed_share        ? *r_.recomputed_share * kernels.forward
                       : way == recomputing::full ? kernels.forward
                                                  : launched_again(b, r_, clock_, modules_of(way));
  const bool experts = b.feeds && b.all_experts != 0 && r_.cuda_graphs != graphing::full;
  wait(made.terms.forward, kernels.forward, seconds_of(made.terms.forward), experts ? reached.sync : 0);
  wait(made.terms.input, kernels.backward + again, seconds_of(made.terms.input) + seconds_of(made.terms.weight), 0);
}

inline part part_maker::finished(part made, const device_group& replicas) const {
  block_messages messages(clock_, r_, z_, made.terms);
  // A tied matrix is updated with the embedding: the first stage's passes end last.
  const double updated = made.numbers + (made.kind == "embedding" ? made.tied : 0);
  const bool experts = made.expert_numbers != 0;
  messages.add_gathers(made.numbers + made.tied, replicas);
  if (experts) messages.add_gathers(made.expert_numbers, z_.expert_replicas);
  if (updated != 0) messages.add_update(updated, replicas, gradient_bytes(), state_bytes());
  if (experts) messages.add_update(made.expert_numbers, z_.expert_replicas, gradient_bytes(), state_bytes());
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail
