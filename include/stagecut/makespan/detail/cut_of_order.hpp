// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <limits>
#include <optional>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/cut_and_schedule_request.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The best result so far, and the limits of a request.
class best_cut_and_schedule {
 public:
  /// @param bound  a lower bound
  best_cut_and_schedule(const cut_and_schedule_request& request, double bound) : request_(request), bound_(bound) {}

  /// Whether it is proved, or the limits are reached.
  [[nodiscard]] bool over() const;
  /// Whether it meets the bound, up to rounding.
  [[nodiscard]] bool proved() const { return best_ && best_->value - bound_ <= best_->value * 0x1p-30; }

  /// A share of the limits, or the rest of them, but at most `most_seconds`, so that later steps do not start much
  /// later under a long limit.
  [[nodiscard]] search_options limits(double share, double most_seconds = std::numeric_limits<double>::infinity());

  /// Keeps a result that beats all previous ones.
  void keep(cut_and_schedule found);

  /// Keeps a better bound.
  void raise(double bound);

  [[nodiscard]] const std::optional<cut_and_schedule>& get() const noexcept { return best_; }

 private:
  // A search for a cut or a schedule takes the time of some nodes, however few its own limit allows.
  static constexpr std::size_t searches_at_least = 16;
  static constexpr std::size_t nodes_of_search = 20;

  const cut_and_schedule_request& request_;
  double bound_;
  double began_ = seconds_now();
  std::size_t searches_ = 0;
  std::optional<cut_and_schedule> best_{};
};

/// The best cut for a schedule, within a share of the limits.
template <pipeline_model Model, stage_constraint Constraint>
[[nodiscard]] outcome<makespan_cut> cut_of_order(const Model& model, const cut_and_schedule_request& request,
                                                 const Constraint& allowed, schedule order, std::optional<cuts> start,
                                                 const search_options& limits) {
  makespan_request asked;
  asked.schedule = std::move(order);
  asked.links = request.links;
  asked.transfers = request.transfers;
  asked.memory_limit = request.memory_limit;
  asked.start = std::move(start);
  asked.search = limits;
  asked.backends = request.backends;
  return minimize_makespan(model, asked, allowed);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/makespan/detail/cut_of_order.ipp>
#endif
