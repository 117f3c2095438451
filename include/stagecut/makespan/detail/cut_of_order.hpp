// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <limits>
#include <optional>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/cut_and_order_request.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/search_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The best result so far, and the limits of a request.
class best_cut_and_order {
 public:
  /// @param bound  a lower bound
  best_cut_and_order(const cut_and_order_request& request, double bound) : request_(request), bound_(bound) {}

  /// Whether it is proved, or the limits are reached.
  [[nodiscard]] bool over() const;
  /// Whether it meets the bound, up to rounding.
  [[nodiscard]] bool proved() const { return best_ && best_->makespan - bound_ <= best_->makespan * 0x1p-30; }

  /// A share of the limits, or the rest of them, but at most `most_seconds`, so that later steps do not start much
  /// later under a long limit.
  [[nodiscard]] search_limits limits(double share, double most_seconds = std::numeric_limits<double>::infinity());

  /// Keeps a result that beats all previous ones.
  void keep(cut_and_order found);

  /// Keeps a better bound.
  void raise(double bound);

  [[nodiscard]] const std::optional<cut_and_order>& get() const noexcept { return best_; }

 private:
  // A search for a cut or a schedule takes the time of some nodes, however few its own limit allows.
  static constexpr std::size_t searches_at_least = 16;
  static constexpr std::size_t nodes_of_search = 20;

  const cut_and_order_request& request_;
  double bound_;
  double began_ = seconds_now();
  std::size_t searches_ = 0;
  std::optional<cut_and_order> best_{};
};

/// The best cut for a schedule, within a share of the limits.
template <pipeline_model Model, stage_constraint Constraint>
[[nodiscard]] outcome<makespan_cut> cut_of_order(const Model& model, const cut_and_order_request& request,
                                                 const Constraint& allowed, schedule order, std::optional<cuts> start,
                                                 const search_limits& limits) {
  makespan_request asked;
  asked.order = std::move(order);
  asked.links = request.links;
  asked.transfers = request.transfers;
  asked.memory_per_device = request.memory_per_device;
  asked.memory_of_ranks = request.memory_of_ranks;
  asked.start = std::move(start);
  asked.limits = limits;
  asked.helpers = request.helpers;
  return minimize_makespan(model, asked, allowed);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/makespan/detail/cut_of_order.ipp>
#endif
