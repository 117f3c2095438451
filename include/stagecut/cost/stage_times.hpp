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
#include <stagecut/cost/parts/wrapped.hpp>
#include <stagecut/cost/parts/wrapped_model.hpp>
#include <stagecut/cost/pipeline_model.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The time of every stage apart from its items: each list is empty (0), has one element for all stages, or one for every
/// stage. In the unit of the model.
struct stage_times {
  std::vector<double> forward{};          ///< of a forward pass
  std::vector<double> backward{};         ///< of a backward pass
  std::vector<double> backward_weight{};  ///< the part of `backward` for the gradient of the weights
};

/// A pipeline model whose stages have a time apart from their items: kernel launches, the loss on the last stage, a
/// reduction of shared parameters. It is added to the model's own such times. Members that are not those of a
/// `pipeline_model` are reached by `model()`.
template <pipeline_model Model>
class with_stage_times : public detail::wrapped_model<Model> {
  using wrapped = detail::wrapped_model<Model>;

 public:
  /// Its promises: the model's, which concern items.
  using axioms = std::remove_cvref_t<decltype(enable_axioms<Model>)>;

  /// @param model  any model; copied, or referred to if given as `std::cref(model)`
  /// @param times  finite and not negative
  /// @throws       invalid_input for other times
  with_stage_times(Model model, stage_times times) : wrapped(std::forward<Model>(model)), times_(std::move(times)) {
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

  with_stage_times(std::remove_reference_t<Model>&&, stage_times) requires std::is_reference_v<Model>
  = delete;  // the temporary would die before use

  /// See `pipeline_model`.
  /// @throws argument_error for a stage without times
  /// @{
  [[nodiscard]] double stage_forward(std::size_t stage) const {
    return detail::stage_forward(this->model(), stage) + of("forward", times_.forward, stage);
  }
  [[nodiscard]] double stage_backward(std::size_t stage) const {
    return detail::stage_backward(this->model(), stage) + of("backward", times_.backward, stage);
  }
  [[nodiscard]] double stage_backward_weight(std::size_t stage) const {
    return detail::stage_backward_weight(this->model(), stage) + of("backward_weight", times_.backward_weight, stage);
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

/// The type, deduced from `std::cref(model)`.
template <detail::reference_wrapper Wrapper>
with_stage_times(Wrapper, stage_times) -> with_stage_times<detail::wrapped_t<Wrapper>>;

}  // namespace stagecut::inline STAGECUT_ABI
