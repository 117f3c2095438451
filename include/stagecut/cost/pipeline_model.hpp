// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/parts/pipeline_members.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The interface of a chain of n items for makespan planners: `forward(s, i)` and `backward(s, i)` are the times of a
/// forward and a backward pass of one microbatch (of one slice, if the schedule has slices) through item `i` on stage
/// `s`. A stage takes the sum of its items.
///
/// Optional members:
///
/// | member | meaning |
/// |---|---|
/// | `backward_weight(s, i)` | the part of the backward pass for the gradient of the weights |
/// | `backward_input(s, i)` | the gradient of the input, if it and `backward_weight(s, i)`, run separately, do not add up to `backward(s, i)`; default: `backward(s, i)` less `backward_weight(s, i)` |
/// | `stage_forward(s)`, `stage_backward(s)`, `stage_backward_weight(s)` | the time of a pass of stage `s` apart from its items: kernel launches, the loss, a reduction of shared parameters |
/// | `sent(cut)` | bytes that cross a cut between the items `cut - 1` and `cut` |
/// | `memory(s, first, last, k)` | bytes of `[first, last)` as stage `s` with `k >= 0` microbatches in flight |
/// | `least_memory(s, first, last, k)` | a lower bound for any stage that begins at `first` and reaches to `last` or beyond; spares many queries |
/// | `recomputed(s, first, last)` | additional bytes of a microbatch with recomputed activations, from the start of its backward pass to the end of it or of the gradient of the weights; not included in `memory` |
/// | `recomputed_apart(s, first, last)` | further bytes of a microbatch with a split backward pass, from the start of the gradient of the input to the end of the gradient of the weights |
/// | `recomputes()` | false for a model with `recomputed` that recomputes nothing |
/// | `splits_backward()` | false for a model with `backward_weight` that does not know it |
///
/// An optional member of that name but another form, for example not const, fails to compile where the model is used. A
/// misspelt name is ignored: the report of `testing::check_pipeline_model` lists the members that a model has.
///
/// Axioms: pure; finite and not negative; a part is at most its whole, unless there is `backward_input`; `memory` never
/// decreases in `k`, nor the sum of `least_memory` and `recomputed` in `last`; with `stage_invariant` an item takes the
/// same time on every stage, so that only stage 0 is queried (times of stages apart from their items, and memory, are
/// queried for every stage). `testing::check_pipeline_model` searches for violations.
template <class Model>
concept pipeline_model = requires(const Model& model, std::size_t i) {
  { model.size() } -> std::convertible_to<std::size_t>;
  { model.forward(i, i) } -> std::convertible_to<double>;
  { model.backward(i, i) } -> std::convertible_to<double>;
};

/// A model with a separate gradient of the weights.
template <class Model>
concept split_pipeline_model = pipeline_model<Model> && detail::has_backward_weight<Model>;

/// A model that knows the bytes crossing a cut.
template <class Model>
concept sending_pipeline_model = pipeline_model<Model> && detail::has_sent<Model>;

/// A model that knows the memory of a stage.
template <class Model>
concept memory_pipeline_model = pipeline_model<Model> && detail::has_memory<Model>;

namespace detail {

/// The time of a stage's pass apart from its items; 0 if the model has none.
/// @{
template <class Model>
[[nodiscard]] constexpr double stage_forward(const Model& model, std::size_t s) {
  if constexpr (has_stage_forward<Model>) return model.stage_forward(s);
  return 0;
}
template <class Model>
[[nodiscard]] constexpr double stage_backward(const Model& model, std::size_t s) {
  if constexpr (has_stage_backward<Model>) return model.stage_backward(s);
  return 0;
}
template <class Model>
[[nodiscard]] constexpr double stage_backward_weight(const Model& model, std::size_t s) {
  if constexpr (has_stage_backward_weight<Model>) return model.stage_backward_weight(s);
  return 0;
}
/// @}

}  // namespace detail

/// A pipeline model built from lists with one element per item. Stages do not differ.
class item_times {
 public:
  /// Its promise: all stages are the same.
  using axioms = stagecut::axioms<stage_invariant>;

  /// @param forward   time of a forward pass, of every item
  /// @param backward  time of a backward pass, of every item
  /// @param weight    the part of `backward` for the gradient of the weights; empty: unknown
  /// @param sent      bytes that every item sends to the next; empty: none
  /// @throws          invalid_input for lists of different lengths, and for values that are NaN, infinite or negative, or
  ///                  a part above its whole
  item_times(std::vector<double> forward, std::vector<double> backward, std::vector<double> weight = {},
             std::vector<double> sent = {});

  /// Number of items n.
  [[nodiscard]] std::size_t size() const noexcept { return forward_.size(); }

  /// See `pipeline_model`.
  /// @{
  [[nodiscard]] double forward(std::size_t, std::size_t item) const noexcept { return forward_[item]; }
  [[nodiscard]] double backward(std::size_t, std::size_t item) const noexcept { return backward_[item]; }
  [[nodiscard]] double backward_weight(std::size_t, std::size_t item) const noexcept {
    return weight_.empty() ? 0 : weight_[item];
  }
  [[nodiscard]] double sent(std::size_t cut) const noexcept { return sent_.empty() ? 0 : sent_[cut - 1]; }
  /// @}

  /// Whether the gradient of the weights is known separately.
  [[nodiscard]] bool splits_backward() const noexcept { return !weight_.empty(); }

 protected:
  /// Rejects a list of another length than `forward`, or with invalid times; `name` is its place in the error.
  void check(const char* name, const std::vector<double>& values, bool may_be_empty) const;

 private:
  std::vector<double> forward_;
  std::vector<double> backward_;
  std::vector<double> weight_;
  std::vector<double> sent_;
};

/// The same with gradients of input and weights that, run separately, take another time than the whole backward pass.
class split_item_times : public item_times {
 public:
  /// @param input  time of the gradient of the input, of every item
  /// @param weight time of the gradient of the weights, which schedules run only together with `input`
  /// @throws       invalid_input for lists of different lengths, and for values that are NaN, infinite or negative
  split_item_times(std::vector<double> forward, std::vector<double> backward, std::vector<double> input,
                   std::vector<double> weight, std::vector<double> sent = {});

  /// See `pipeline_model`.
  /// @{
  [[nodiscard]] double backward_input(std::size_t, std::size_t item) const noexcept { return input_[item]; }
  [[nodiscard]] double backward_weight(std::size_t, std::size_t item) const noexcept { return weight_[item]; }
  /// @}

  /// Whether the gradient of the weights is known separately.
  [[nodiscard]] bool splits_backward() const noexcept { return true; }

 private:
  std::vector<double> input_;
  std::vector<double> weight_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/cost/detail/pipeline_model.ipp>
#endif
