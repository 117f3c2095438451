// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <stagecut/cost/parts/pipeline_members.hpp>
#include <stagecut/cost/parts/wrapped.hpp>
#include <stagecut/cost/pipeline_model.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A pipeline model with exactly the members of another one, for adaptors that replace some of them. The other is held,
/// not inherited from: its class may be final.
template <pipeline_model Model>
class wrapped_model {
  using model_type = std::remove_cvref_t<Model>;

 public:
  explicit wrapped_model(Model model) : model_(std::forward<Model>(model)) { check_pipeline_members<model_type>(); }

  /// The model inside.
  [[nodiscard]] const model_type& model() const noexcept { return *model_; }

  /// See `pipeline_model`.
  /// @{
  [[nodiscard]] std::size_t size() const { return model_->size(); }
  [[nodiscard]] double forward(std::size_t stage, std::size_t item) const { return model_->forward(stage, item); }
  [[nodiscard]] double backward(std::size_t stage, std::size_t item) const { return model_->backward(stage, item); }
  [[nodiscard]] double backward_weight(std::size_t stage,
                                       std::size_t item) const requires has_backward_weight<model_type> {
    return model_->backward_weight(stage, item);
  }
  [[nodiscard]] double backward_input(std::size_t stage,
                                      std::size_t item) const requires has_backward_input<model_type> {
    return model_->backward_input(stage, item);
  }
  [[nodiscard]] double stage_forward(std::size_t stage) const requires has_stage_forward<model_type> {
    return model_->stage_forward(stage);
  }
  [[nodiscard]] double stage_backward(std::size_t stage) const requires has_stage_backward<model_type> {
    return model_->stage_backward(stage);
  }
  [[nodiscard]] double stage_backward_weight(std::size_t stage) const requires has_stage_backward_weight<model_type> {
    return model_->stage_backward_weight(stage);
  }
  [[nodiscard]] double sent(std::size_t cut) const requires has_sent<model_type> { return model_->sent(cut); }
  [[nodiscard]] double memory(std::size_t stage, std::size_t first, std::size_t last,
                              std::size_t in_flight) const requires has_memory<model_type> {
    return model_->memory(stage, first, last, in_flight);
  }
  [[nodiscard]] double least_memory(std::size_t stage, std::size_t first, std::size_t last,
                                    std::size_t in_flight) const requires has_least_memory<model_type> {
    return model_->least_memory(stage, first, last, in_flight);
  }
  [[nodiscard]] double recomputed(std::size_t stage, std::size_t first,
                                  std::size_t last) const requires has_recomputed<model_type> {
    return model_->recomputed(stage, first, last);
  }
  [[nodiscard]] double recomputed_apart(std::size_t stage, std::size_t first,
                                        std::size_t last) const requires has_recomputed_apart<model_type> {
    return model_->recomputed_apart(stage, first, last);
  }
  [[nodiscard]] bool recomputes() const requires has_recomputes<model_type> {
    return static_cast<bool>(model_->recomputes());
  }
  [[nodiscard]] bool splits_backward() const requires has_splits_backward<model_type> {
    return static_cast<bool>(model_->splits_backward());
  }
  /// @}

 private:
  holder<Model> model_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
