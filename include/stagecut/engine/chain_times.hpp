// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// A model's figures for a chain, in the user's unit, each queried once and checked. A pass of a stage takes the sum of
/// its items and the stage's own time.
///
/// `tick_b` is B, or I where the schedule runs the gradients apart; a B of such a schedule takes I and W.
class chain_times {
 public:
  template <pipeline_model Model>
  chain_times(const Model& model, const schedule& order, const std::vector<link_speed>& links)
      : items(model.size()), stages(order.stages()), passes_(static_cast<double>(order.microbatches * order.slices)) {
    splits = has_kind(order, op_kind::backward_input) || has_kind(order, op_kind::backward_weight);
    rows_per_kind_ = promises<Model, stage_invariant> ? 1 : stages;
    const auto forward = [&](std::size_t s, std::size_t i) -> double { return model.forward(s, i); };
    const auto backward = [&](std::size_t s, std::size_t i) -> double { return model.backward(s, i); };
    const auto weight = [&](std::size_t s, std::size_t i) -> double {
      if constexpr (split_pipeline_model<Model>) return model.backward_weight(s, i);
      return 0;
    };
    const auto input = [&](std::size_t s, std::size_t i) -> double {
      if constexpr (detail::has_backward_input<Model>) return model.backward_input(s, i);
      return 0;
    };
    read_items(forward, backward, weight, input, detail::has_backward_input<Model>);
    const auto own_forward = [&](std::size_t s, std::size_t) { return detail::stage_forward(model, s); };
    const auto own_backward = [&](std::size_t s, std::size_t) { return detail::stage_backward(model, s); };
    const auto own_weight = [&](std::size_t s, std::size_t) { return detail::stage_backward_weight(model, s); };
    read_constants(own_forward, own_backward, own_weight);
    const auto sent = [&](std::size_t, std::size_t y) -> double {
      if constexpr (sending_pipeline_model<Model>) return model.sent(y);
      return 0;
    };
    read_messages(sent, order, links);
  }

  std::size_t items;          ///< n
  std::size_t stages;         ///< S
  bool splits = false;        ///< whether the schedule runs I and W
  bool has_messages = false;  ///< whether messages take time or order

  /// Whether stages take different times for the same items.
  [[nodiscard]] bool stages_differ() const noexcept { return rows_per_kind_ != 1 || has_constants_; }
  /// A pass of `[first, last)` as stage s, in the user's unit.
  [[nodiscard]] double time(std::size_t kind, std::size_t s, std::size_t first, std::size_t last) const noexcept;
  /// A message over the boundary after stage s, cut at y, in the user's unit.
  [[nodiscard]] double message_time(std::size_t s, std::size_t y) const noexcept {
    return times_[tick_message][boundary_[s] * (items + 1) + y];
  }

  /// An upper bound of every cut: all ops of an iteration in sequence; infinite if not representable.
  [[nodiscard]] double everything() const;

 protected:
  double passes_;                            // of a stage: microbatches times slices
  std::size_t rows_per_kind_ = 1;            // 1: items take the same on every stage
  std::vector<double> times_[tick_kinds]{};  // for every row and item, or for every link and cut
  std::vector<double> own_times_[3]{};       // for every stage, besides its items
  std::vector<std::size_t> boundary_{};      // its row of messages

 private:
  /// A model's figure for a stage and an item; type-erased, so that reading it is compiled once for all models.
  using answer = function_ref<double(std::size_t, std::size_t)>;

  /// Queries the passes of all items.
  ///
  /// @param is_given  whether the model has `input`; otherwise it is the backward pass minus the weight gradient
  void read_items(answer forward, answer backward, answer weight_of, answer input, bool is_given);

  /// Queries the own times of stages, besides their items.
  void read_constants(answer forward_of, answer backward_of, answer weight_of);

  /// Queries the bytes of all messages.
  void read_messages(answer sent, const schedule& order, const std::vector<link_speed>& links);

  static constexpr std::size_t none = ~std::size_t{0};

  /// Names an item on a stage, a stage (`i == items`), or the cut before an item (`s == none`).
  [[nodiscard]] std::string position(std::size_t s, std::size_t i) const;
  [[noreturn]] static void refuse(const char* what, const std::string& place, const char* why);
  [[nodiscard]] double checked(const char* what, double value, std::size_t s, std::size_t i) const;

  bool has_constants_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::engine

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/engine/detail/chain_times.ipp>
#endif
