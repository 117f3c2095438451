// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/parts/pipeline_members.hpp>
#include <stagecut/cost/parts/wrapped.hpp>
#include <stagecut/cost/parts/wrapped_model.hpp>
#include <stagecut/cost/pipeline_model.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A pipeline model on devices of different speeds: all times are divided by the speed of the stage, those of its items
/// and those apart from them.
///
/// All else in the model (`sent`, `memory`, a separate gradient of the weights) is unchanged. Members that are not those
/// of a `pipeline_model` are reached by `model()`.
template <pipeline_model Model>
class with_speeds : public detail::wrapped_model<Model> {
  using model_type = std::remove_cvref_t<Model>;
  using wrapped = detail::wrapped_model<Model>;

 public:
  /// Its promises: none, since stages differ.
  using axioms = stagecut::axioms<>;

  /// @param model   any model; copied, or referred to if given as `std::cref(model)`
  /// @param speeds  of every stage, above 0; 1: as in the model
  /// @throws        argument_error for a speed that is not above 0
  with_speeds(Model model, std::vector<double> speeds)
      : wrapped(std::forward<Model>(model)), speeds_(std::move(speeds)) {
    for (std::size_t s = 0; s < speeds_.size(); ++s) {
      if (is_finite(speeds_[s]) && speeds_[s] > 0) continue;
      detail::fail(argument_error("with_speeds", detail::joined({"speeds[", s, "]"}), std::to_string(speeds_[s]),
                                  "must be above 0"));
    }
  }

  with_speeds(std::remove_reference_t<Model>&&, std::vector<double>) requires std::is_reference_v<Model>
  = delete;  // the temporary would die before use

  /// See `pipeline_model`.
  /// @throws argument_error for a stage without a speed
  /// @{
  [[nodiscard]] double forward(std::size_t stage, std::size_t item) const {
    return this->model().forward(stage, item) / speed(stage);
  }
  [[nodiscard]] double backward(std::size_t stage, std::size_t item) const {
    return this->model().backward(stage, item) / speed(stage);
  }
  [[nodiscard]] double backward_weight(std::size_t stage,
                                       std::size_t item) const requires split_pipeline_model<model_type> {
    return this->model().backward_weight(stage, item) / speed(stage);
  }
  [[nodiscard]] double backward_input(std::size_t stage,
                                      std::size_t item) const requires detail::has_backward_input<model_type> {
    return this->model().backward_input(stage, item) / speed(stage);
  }
  [[nodiscard]] double stage_forward(std::size_t stage) const {
    return detail::stage_forward(this->model(), stage) / speed(stage);
  }
  [[nodiscard]] double stage_backward(std::size_t stage) const {
    return detail::stage_backward(this->model(), stage) / speed(stage);
  }
  [[nodiscard]] double stage_backward_weight(std::size_t stage) const {
    return detail::stage_backward_weight(this->model(), stage) / speed(stage);
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

/// The type, deduced from `std::cref(model)`.
template <detail::reference_wrapper Wrapper>
with_speeds(Wrapper, std::vector<double>) -> with_speeds<detail::wrapped_t<Wrapper>>;

}  // namespace stagecut::inline STAGECUT_ABI
