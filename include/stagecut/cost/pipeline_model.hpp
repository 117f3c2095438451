// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/axioms.hpp>

namespace stagecut::inline v0 {

/// What planners for the makespan ask of a chain of n items, for the items `[first, last)` as stage `s`: the time of a
/// forward and of a backward pass of one microbatch (of one of its slices, where the schedule has slices).
///
/// Optional members: `backward_weight(s, first, last)`, the part of the backward pass that is the gradient of the
/// weights; `sent(cut)`, bytes that cross a cut between the items `cut - 1` and `cut`; `memory(s, first, last, k)`, bytes
/// with `k >= 0` microbatches in flight; `least_memory(s, first, last, k)`, what a stage takes at least that begins with
/// `first` and reaches to `last` or beyond, which spares many questions; `splits_backward()`, false for a model that has
/// `backward_weight` but does not know it.
///
/// Axioms: pure; finite and not negative; times are sums over the items, so only single items are asked for; memory never
/// falls with `k`. One that promises `stage_invariant` is asked for the times of stage 0 alone.
template <class Model>
concept pipeline_model = requires(const Model& model, std::size_t i) {
  { model.size() } -> std::convertible_to<std::size_t>;
  { model.forward(i, i, i) } -> std::convertible_to<double>;
  { model.backward(i, i, i) } -> std::convertible_to<double>;
};

/// Such a model that tells the gradient of the weights apart.
template <class Model>
concept split_pipeline_model = pipeline_model<Model> && requires(const Model& model, std::size_t i) {
  { model.backward_weight(i, i, i) } -> std::convertible_to<double>;
};

/// Such a model that knows what crosses a cut.
template <class Model>
concept sending_pipeline_model = pipeline_model<Model> && requires(const Model& model, std::size_t i) {
  { model.sent(i) } -> std::convertible_to<double>;
};

/// Such a model that knows the memory of a stage.
template <class Model>
concept memory_pipeline_model = pipeline_model<Model> && requires(const Model& model, std::size_t i) {
  { model.memory(i, i, i, i) } -> std::convertible_to<double>;
};

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
             std::vector<double> sent = {})
      : forward_(std::move(forward)),
        backward_(std::move(backward)),
        weight_(std::move(weight)),
        sent_(std::move(sent)) {
    check("forward", forward_, false);
    check("backward", backward_, false);
    check("weight", weight_, true);
    check("sent", sent_, true);
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      if (weight_[i] <= backward_[i]) continue;
      detail::fail(
          invalid_input(detail::joined("weight[", std::to_string(i), "]"), "is above the whole backward pass"));
    }
  }

  /// Number of items n.
  [[nodiscard]] std::size_t size() const noexcept { return forward_.size(); }

  /// See `pipeline_model`.
  /// @{
  [[nodiscard]] double forward(std::size_t, std::size_t first, std::size_t last) const noexcept {
    return sum(forward_, first, last);
  }
  [[nodiscard]] double backward(std::size_t, std::size_t first, std::size_t last) const noexcept {
    return sum(backward_, first, last);
  }
  [[nodiscard]] double backward_weight(std::size_t, std::size_t first, std::size_t last) const noexcept {
    return sum(weight_, first, last);
  }
  [[nodiscard]] double sent(std::size_t cut) const noexcept { return sent_.empty() ? 0 : sent_[cut - 1]; }
  /// @}

  /// Whether the gradient of the weights is known apart.
  [[nodiscard]] bool splits_backward() const noexcept { return !weight_.empty(); }

 private:
  static double sum(const std::vector<double>& values, std::size_t first, std::size_t last) noexcept {
    double result = 0;
    for (std::size_t i = first; i < last && i < values.size(); ++i) result += values[i];
    return result;
  }

  void check(const char* name, const std::vector<double>& values, bool may_be_empty) const {
    if (values.size() != forward_.size() && !(may_be_empty && values.empty())) {
      detail::fail(invalid_input(name, detail::joined("has ", std::to_string(values.size()), " elements, forward has ",
                                                      std::to_string(forward_.size()))));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_finite(values[i]) && !is_negative(values[i])) continue;
      detail::fail(invalid_input(detail::joined(name, "[", std::to_string(i), "]"), "must be finite and not negative"));
    }
  }

  std::vector<double> forward_;
  std::vector<double> backward_;
  std::vector<double> weight_;
  std::vector<double> sent_;
};

/// A pipeline model as run by devices of different speeds: times are divided by the speed of the stage.
///
/// What else a model knows (`sent`, `memory`, the gradient of the weights) is known as before.
template <pipeline_model Model>
class with_speeds : public Model {
 public:
  /// Its promise: none, stages differ.
  using axioms = stagecut::axioms<>;

  /// @param model   any
  /// @param speeds  of every stage, above 0; 1: as in the model
  /// @throws        argument_error for a speed that is not above 0
  with_speeds(Model model, std::vector<double> speeds) : Model(std::move(model)), speeds_(std::move(speeds)) {
    for (std::size_t s = 0; s < speeds_.size(); ++s) {
      if (is_finite(speeds_[s]) && speeds_[s] > 0) continue;
      detail::fail(argument_error("with_speeds", detail::joined("speeds[", std::to_string(s), "]"),
                                  std::to_string(speeds_[s]), "must be above 0"));
    }
  }

  /// See `pipeline_model`.
  /// @throws argument_error for a stage whose speed was not said
  /// @{
  [[nodiscard]] double forward(std::size_t stage, std::size_t first, std::size_t last) const {
    return Model::forward(stage, first, last) / speed(stage);
  }
  [[nodiscard]] double backward(std::size_t stage, std::size_t first, std::size_t last) const {
    return Model::backward(stage, first, last) / speed(stage);
  }
  [[nodiscard]] double backward_weight(std::size_t stage, std::size_t first,
                                       std::size_t last) const requires split_pipeline_model<Model> {
    return Model::backward_weight(stage, first, last) / speed(stage);
  }
  /// @}

 private:
  [[nodiscard]] double speed(std::size_t stage) const {
    if (stage < speeds_.size()) return speeds_[stage];
    detail::fail(argument_error("with_speeds", "speeds.size()", std::to_string(speeds_.size()),
                                detail::joined("must be the number of stages, above ", std::to_string(stage))));
  }

  std::vector<double> speeds_;
};

}  // namespace stagecut::inline v0
