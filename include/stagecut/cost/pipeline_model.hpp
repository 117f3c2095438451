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

/// What planners for the makespan ask of a chain of n items: the time of a forward and of a backward pass of one microbatch
/// (of one of its slices, where the schedule has slices) through item `i` on stage `s`, `forward(s, i)` and
/// `backward(s, i)`. A stage takes the sum of its items.
///
/// Optional members:
///
/// | member | meaning |
/// |---|---|
/// | `backward_weight(s, i)` | the part of the backward pass that is the gradient of the weights |
/// | `backward_input(s, i)` | the gradient of the input, where the two apart take another time than `backward(s, i)`; without it that less `backward_weight(s, i)` |
/// | `stage_forward(s)`, `stage_backward(s)`, `stage_backward_weight(s)` | what a pass of stage `s` takes beside its items, whichever they are: kernel launches, the loss, a reduction of what stages share |
/// | `sent(cut)` | bytes that cross a cut between the items `cut - 1` and `cut` |
/// | `memory(s, first, last, k)` | bytes of `[first, last)` as stage `s` with `k >= 0` microbatches in flight |
/// | `least_memory(s, first, last, k)` | what a stage takes at least that begins with `first` and reaches to `last` or beyond, which spares many questions |
/// | `recomputed(s, first, last)` | bytes more of a microbatch whose activations are computed again, from the start of its backward pass to the end of it or of the gradient of the weights; no part of `memory` |
/// | `recomputed_apart(s, first, last)` | bytes more than that of a microbatch whose gradients are run apart, from the start of that of the input to the end of that of the weights |
/// | `recomputes()` | false for a model that has `recomputed` where nothing is |
/// | `splits_backward()` | false for a model that has `backward_weight` but does not know it |
///
/// An optional member of that name and another form, not const say, does not compile where the model is used. A misspelt
/// one is none: what `testing::check_pipeline_model` says of a model names those that it has.
///
/// Axioms: pure; finite and not negative; a part is not above its whole, where there is no `backward_input`; memory never
/// falls with `k`, nor `least_memory` and `recomputed`, together, with `last`; and with
/// `stage_invariant` an item takes the same time on every stage, so that it is asked for on stage 0 alone (what stages
/// take beside their items, and memory, are asked for of every stage). `testing::check_pipeline_model` looks for a lie.
template <class Model>
concept pipeline_model = requires(const Model& model, std::size_t i) {
  { model.size() } -> std::convertible_to<std::size_t>;
  { model.forward(i, i) } -> std::convertible_to<double>;
  { model.backward(i, i) } -> std::convertible_to<double>;
};

/// Such a model that tells the gradient of the weights apart.
template <class Model>
concept split_pipeline_model = pipeline_model<Model> && detail::has_backward_weight<Model>;

/// Such a model that knows what crosses a cut.
template <class Model>
concept sending_pipeline_model = pipeline_model<Model> && detail::has_sent<Model>;

/// Such a model that knows the memory of a stage.
template <class Model>
concept memory_pipeline_model = pipeline_model<Model> && detail::has_memory<Model>;

namespace detail {

/// What a pass of a stage takes beside its items; nothing where the model does not tell.
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

/// A pipeline model made of lists with one element an item. Stages do not differ.
class item_times {
 public:
  /// Its promise: as every stage the same.
  using axioms = stagecut::axioms<stage_invariant>;

  /// @param forward   time of a forward pass, of every item
  /// @param backward  likewise backward
  /// @param weight    the part of `backward` that is the gradient of the weights; empty: not known apart
  /// @param sent      bytes that every item hands to the next; empty: nothing
  /// @throws          invalid_input for lists of other lengths, and for what is NaN, infinite or negative, or a part
  ///                  above its whole
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

  /// Whether the gradient of the weights is known apart.
  [[nodiscard]] bool splits_backward() const noexcept { return !weight_.empty(); }

 protected:
  /// Refuses a list of another length than `forward`, and what is no time, in the error's place `name`.
  void check(const char* name, const std::vector<double>& values, bool may_be_empty) const;

 private:
  std::vector<double> forward_;
  std::vector<double> backward_;
  std::vector<double> weight_;
  std::vector<double> sent_;
};

/// The same where the gradients of input and weights, run apart, take another time than the whole backward pass.
class split_item_times : public item_times {
 public:
  /// @param input  time of the gradient of the input, of every item
  /// @param weight likewise of the weights, which no schedule runs but with `input`
  /// @throws       invalid_input for lists of other lengths, and for what is NaN, infinite or negative
  split_item_times(std::vector<double> forward, std::vector<double> backward, std::vector<double> input,
                   std::vector<double> weight, std::vector<double> sent = {});

  /// See `pipeline_model`.
  /// @{
  [[nodiscard]] double backward_input(std::size_t, std::size_t item) const noexcept { return input_[item]; }
  [[nodiscard]] double backward_weight(std::size_t, std::size_t item) const noexcept { return weight_[item]; }
  /// @}

  /// Whether the gradient of the weights is known apart.
  [[nodiscard]] bool splits_backward() const noexcept { return true; }

 private:
  std::vector<double> input_;
  std::vector<double> weight_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/cost/detail/pipeline_model.ipp>
#endif
