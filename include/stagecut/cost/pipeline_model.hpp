// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/detail/pipeline_members.hpp>

namespace stagecut::inline v0 {

/// What planners for the makespan ask of a chain of n items: the time of a forward and of a backward pass of one microbatch
/// (of one of its slices, where the schedule has slices) through item `i` on stage `s`, `forward(s, i)` and
/// `backward(s, i)`. A stage takes the sum of its items.
///
/// Optional members:
///
/// | member | meaning |
/// |---|---|
/// | `backward_weight(s, i)` | the part of the backward pass that is the gradient of the weights |
/// | `stage_forward(s)`, `stage_backward(s)`, `stage_backward_weight(s)` | what a pass of stage `s` takes beside its items, whichever they are: kernel launches, the loss, a reduction of what stages share |
/// | `sent(cut)` | bytes that cross a cut between the items `cut - 1` and `cut` |
/// | `memory(s, first, last, k)` | bytes of `[first, last)` as stage `s` with `k >= 0` microbatches in flight |
/// | `least_memory(s, first, last, k)` | what a stage takes at least that begins with `first` and reaches to `last` or beyond, which spares many questions |
/// | `splits_backward()` | false for a model that has `backward_weight` but does not know it |
///
/// An optional member of that name and another form, not const say, does not compile where the model is used. A misspelt
/// one is none: what `testing::check_pipeline_model` says of a model names those that it has.
///
/// Axioms: pure; finite and not negative; a part is not above its whole; memory never falls with `k`; and with
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
      detail::fail(invalid_input(detail::joined({"weight[", i, "]"}), "is above the whole backward pass"));
    }
  }

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

 private:
  void check(const char* name, const std::vector<double>& values, bool may_be_empty) const {
    if (values.size() != forward_.size() && !(may_be_empty && values.empty())) {
      detail::fail(
          invalid_input(name, detail::joined({"has ", values.size(), " elements, forward has ", forward_.size()})));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_finite(values[i]) && !is_negative(values[i])) continue;
      detail::fail(invalid_input(detail::joined({name, "[", i, "]"}), "must be finite and not negative"));
    }
  }

  std::vector<double> forward_;
  std::vector<double> backward_;
  std::vector<double> weight_;
  std::vector<double> sent_;
};

/// What every stage takes beside its items: each list is empty (nothing), has one element for all stages, or one for
/// every stage. In the unit of the model.
struct stage_times {
  std::vector<double> forward{};          ///< of a forward pass
  std::vector<double> backward{};         ///< of a backward pass
  std::vector<double> backward_weight{};  ///< the part of that which is the gradient of the weights
};

/// A pipeline model whose stages take a time of their own beside that of their items: launching kernels, the loss on the
/// last one, reducing what stages share. It is added to what the model says of that already.
template <pipeline_model Model>
class with_stage_times : public Model {
 public:
  /// Its promise: that of the model, which is about items.
  using axioms = std::remove_cvref_t<decltype(enable_axioms<Model>)>;

  /// @param model  any
  /// @param times  finite and not negative
  /// @throws       invalid_input for times that are not
  with_stage_times(Model model, stage_times times) : Model(std::move(model)), times_(std::move(times)) {
    detail::check_pipeline_members<Model>();
    check("forward", times_.forward);
    check("backward", times_.backward);
    check("backward_weight", times_.backward_weight);
    const std::size_t most = times_.backward_weight.size() < times_.backward.size() ? times_.backward.size()
                                                                                     : times_.backward_weight.size();
    for (std::size_t s = 0; s < most; ++s) {
      if (last_of(times_.backward_weight, s) <= last_of(times_.backward, s)) continue;
      detail::fail(invalid_input(detail::joined({"backward_weight[", s, "]"}), "is above the whole backward pass"));
    }
  }

  /// See `pipeline_model`.
  /// @throws argument_error for a stage of which nothing was said
  /// @{
  [[nodiscard]] double stage_forward(std::size_t stage) const {
    return detail::stage_forward<Model>(*this, stage) + of("forward", times_.forward, stage);
  }
  [[nodiscard]] double stage_backward(std::size_t stage) const {
    return detail::stage_backward<Model>(*this, stage) + of("backward", times_.backward, stage);
  }
  [[nodiscard]] double stage_backward_weight(std::size_t stage) const {
    return detail::stage_backward_weight<Model>(*this, stage) + of("backward_weight", times_.backward_weight, stage);
  }
  /// @}

 private:
  static void check(const char* name, const std::vector<double>& values) {
    for (std::size_t s = 0; s < values.size(); ++s) {
      if (is_finite(values[s]) && !is_negative(values[s])) continue;
      detail::fail(invalid_input(detail::joined({name, "[", s, "]"}), "must be finite and not negative"));
    }
  }
  static double last_of(const std::vector<double>& values, std::size_t stage) {
    if (values.empty()) return 0;
    return stage < values.size() ? values[stage] : values.back();
  }
  static double of(const char* name, const std::vector<double>& values, std::size_t stage) {
    if (values.empty()) return 0;
    if (values.size() == 1) return values[0];
    if (stage < values.size()) return values[stage];
    detail::fail(argument_error("with_stage_times", detail::joined({"times.", name, ".size()"}),
                                std::to_string(values.size()),
                                detail::joined({"must be the number of stages, above ", stage})));
  }

  stage_times times_;
};

/// A pipeline model as run by devices of different speeds: times are divided by the speed of the stage,
/// those of its items and those that it takes beside them.
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
    detail::check_pipeline_members<Model>();
    for (std::size_t s = 0; s < speeds_.size(); ++s) {
      if (is_finite(speeds_[s]) && speeds_[s] > 0) continue;
      detail::fail(argument_error("with_speeds", detail::joined({"speeds[", s, "]"}), std::to_string(speeds_[s]),
                                  "must be above 0"));
    }
  }

  /// See `pipeline_model`.
  /// @throws argument_error for a stage whose speed was not said
  /// @{
  [[nodiscard]] double forward(std::size_t stage, std::size_t item) const {
    return Model::forward(stage, item) / speed(stage);
  }
  [[nodiscard]] double backward(std::size_t stage, std::size_t item) const {
    return Model::backward(stage, item) / speed(stage);
  }
  [[nodiscard]] double backward_weight(std::size_t stage,
                                       std::size_t item) const requires split_pipeline_model<Model> {
    return Model::backward_weight(stage, item) / speed(stage);
  }
  [[nodiscard]] double stage_forward(std::size_t stage) const {
    return detail::stage_forward<Model>(*this, stage) / speed(stage);
  }
  [[nodiscard]] double stage_backward(std::size_t stage) const {
    return detail::stage_backward<Model>(*this, stage) / speed(stage);
  }
  [[nodiscard]] double stage_backward_weight(std::size_t stage) const {
    return detail::stage_backward_weight<Model>(*this, stage) / speed(stage);
  }
  /// @}

 private:
  [[nodiscard]] double speed(std::size_t stage) const {
    if (stage < speeds_.size()) return speeds_[stage];
    detail::fail(argument_error("with_speeds", "speeds.size()", std::to_string(speeds_.size()),
                                detail::joined({"must be the number of stages, above ", stage})));
  }

  std::vector<double> speeds_;
};

}  // namespace stagecut::inline v0
