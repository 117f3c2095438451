// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/merged_items.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A profile as a pipeline model: its items are the indivisible blocks of layers, its memory is that used in training.
class chain_model {
 public:
  /// Its axiom: all stages are alike.
  using axioms = stagecut::axioms<stage_invariant>;

  /// @param model    a chain, which `as_chain` makes from a graph
  /// @param options  how memory is computed; with `checkpointing::always` a backward pass repeats the forward pass
  /// @throws         argument_error for edges, and for `checkpointing::except_last`, whose microbatches differ;
  ///                 otherwise as `training_memory`
  explicit chain_model(const profile& model, const memory_options& options = {})
      : chain_model(model, options, layer_blocks(model)) {}

  /// The same with user-defined blocks, given as the stages of these cuts.
  chain_model(const profile& model, const memory_options& options, cuts blocks);

  /// Number of blocks n.
  [[nodiscard]] std::size_t size() const noexcept { return times_.size(); }
  /// The layers of each block, as the stages of these cuts.
  [[nodiscard]] const cuts& blocks() const noexcept { return blocks_; }
  /// Converts cuts between blocks to cuts between layers.
  /// @throws argument_error for cuts of another number of blocks
  [[nodiscard]] cuts expand(const cuts& between_blocks) const {
    return detail::expanded("chain_model::expand", blocks_, between_blocks);
  }
  /// Whether every layer has a separate time for the weight gradient.
  [[nodiscard]] bool splits_backward() const noexcept { return splits_; }

  /// See `pipeline_model`.
  /// @{
  [[nodiscard]] double forward(std::size_t s, std::size_t item) const noexcept { return times_.forward(s, item); }
  [[nodiscard]] double backward(std::size_t s, std::size_t item) const noexcept { return times_.backward(s, item); }
  [[nodiscard]] double backward_weight(std::size_t s, std::size_t item) const noexcept {
    return times_.backward_weight(s, item);
  }
  [[nodiscard]] double backward_input(std::size_t s, std::size_t item) const noexcept {
    return times_.backward_input(s, item);
  }
  [[nodiscard]] double sent(std::size_t cut) const noexcept { return times_.sent(cut); }

  [[nodiscard]] double memory(std::size_t, std::size_t first, std::size_t last, std::size_t in_flight) const {
    return memory_(blocks_[first], blocks_[last], detail::held_microbatches{in_flight, 0, 0}).total();
  }
  /// The least memory of a stage that begins with `first` and reaches `last` or beyond.
  [[nodiscard]] double least_memory(std::size_t, std::size_t first, std::size_t last, std::size_t in_flight) const {
    return memory_.least(blocks_[first], blocks_[last], detail::held_microbatches{in_flight, 0, 0});
  }
  [[nodiscard]] double recomputed(std::size_t, std::size_t first, std::size_t last) const {
    return (checkpointed_ ? memory_.of_microbatch(blocks_[first], blocks_[last]) : 0) +
           memory_.recomputed_whole(blocks_[first], blocks_[last]);
  }
  [[nodiscard]] double recomputed_apart(std::size_t, std::size_t first, std::size_t last) const {
    return memory_.recomputed_apart(blocks_[first], blocks_[last]) -
           memory_.recomputed_whole(blocks_[first], blocks_[last]);
  }
  [[nodiscard]] bool recomputes() const noexcept { return checkpointed_ || memory_.layers_recompute(); }
  /// @}

 private:
  static cuts checked(const profile& model, cuts blocks);

  static split_item_times times_of(const profile& model, const memory_options& options, const cuts& blocks);

  cuts blocks_;
  training_memory memory_;
  split_item_times times_;
  bool splits_;
  bool checkpointed_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/chain_model.ipp>
#endif
