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
/// reduction of shared parameters. It is added to the model's own such times.
template <pipeline_model Model>
class with_stage_times : public Model {
 public:
  /// Its promises: the model's, which concern items.
  using axioms = std::remove_cvref_t<decltype(enable_axioms<Model>)>;

  /// @param model  any model
  /// @param times  finite and not negative
  /// @throws       invalid_input for other times
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
  /// @throws argument_error for a stage without times
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

}  // namespace stagecut::inline STAGECUT_ABI
