// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/parts/check_links.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_lanes.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/slot_program.hpp>
#include <stagecut/schedule/task_graph.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/detail/check_cut.hpp>
#include <stagecut/search/detail/makespan_steps.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// Evaluates the makespans of cuts in lanes.
class makespan_lanes {
 public:
  static constexpr std::size_t width = stagecut::engine::cut_lanes::width;

  makespan_lanes(const stagecut::engine::chain_ticks& chain, const slot_program& program,
                 const stagecut::engine::stage_durations& durations)
      : lanes_(chain, program, durations), points_(width * (chain.stages + 1)), tick_(chain.tick) {}

  /// Neighbours in a space differ in few points, so only the stages that changed in the lane are set.
  void set(std::size_t lane, candidate points) {
    std::uint32_t* const before = points_.data() + lane * points.size();
    for (std::size_t s = 0; s + 1 < points.size(); ++s) {
      if (before[s] != points[s] || before[s + 1] != points[s + 1]) lanes_.set(lane, points, s, s + 1);
    }
    for (std::size_t i = 0; i < points.size(); ++i) before[i] = points[i];
  }

  [[nodiscard]] const std::array<double, width>& costs() {
    const view<const double> found = lanes_.makespans();
    for (std::size_t lane = 0; lane < width; ++lane) costs_[lane] = tick_ * found[lane];
    return costs_;
  }

 private:
  stagecut::engine::cut_lanes lanes_;
  std::vector<std::uint32_t> points_;  // of the cut in every lane; all 0: none yet
  double tick_;
  std::array<double, width> costs_{};
};

}  // namespace detail

/// The makespan of a cut, under any schedule and transfers: a cost of candidates that are k + 1 cut points.
///
/// Times are rounded to ticks of about 2^-50 of the work of all stages, as in `minimize_makespan`, and summed exactly:
/// the same bits in lanes and on every device.
class cut_makespan {
 public:
  /// Element type of the scratch memory.
  using number = double;

  /// @param model      layer times
  /// @param order      the passes of the ranks
  /// @param links      one per boundary, or one for all; empty: no messages
  /// @param transfers  the resource that messages occupy
  /// @throws           invalid_input as `check_schedule`, for a schedule with a cyclic wait, for times that are NaN,
  ///                   infinite or negative, and if a simulation has more than 65,536 live values
  ///
  /// Queries each time of the model once.
  template <pipeline_model Model>
  cut_makespan(const Model& model, const schedule& order, const std::vector<link_speed>& links = {},
               transfer_kind transfers = transfer_kind::link)
      : chain_(checked(model, order, links)),
        graph_(order, {.transfers = transfers, .with_transfers = chain_.has_messages}),
        program_(graph_),
        durations_(chain_, graph_, program_) {}

  template <class Other, class Any>
  requires(!pipeline_model<Other>)
      cut_makespan(const Other&, const Any&,  // item_times(forward, backward), then a schedule
                   const std::vector<link_speed>& = {}, transfer_kind = transfer_kind::link)
  = delete;

  /// The same for the problem of a search for the smallest makespan.
  explicit cut_makespan(const stagecut::engine::cut_problem& problem)
      : chain_(problem.chain),
        graph_(problem.order, {.transfers = problem.transfers, .with_transfers = chain_.has_messages}),
        program_(graph_),
        durations_(chain_, graph_, program_) {}

  /// See `candidate_cost`.
  /// @{
  [[nodiscard]] std::size_t room() const noexcept { return seen().room(); }
  [[nodiscard]] double operator()(candidate points, strided_view<double> room) const { return seen()(points, room); }
  [[nodiscard]] auto lanes() const { return detail::makespan_lanes(chain_, program_, durations_); }
  void check(candidate points) const {
    detail::cut_shape{"search::cut_makespan", chain_.stages, chain_.items, true}.check(points);
  }
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    return seen().placed(memory);
  }
  /// @}

  /// Number of ops in a simulation of one candidate.
  [[nodiscard]] std::size_t ops() const noexcept { return program_.steps().ops.size(); }
  /// The unit of all makespans: a power of two of the unit of the model.
  [[nodiscard]] double tick() const noexcept { return chain_.tick; }

 private:
  template <class Model>
  [[nodiscard]] static stagecut::engine::chain_ticks checked(const Model& model, const schedule& order,
                                                             const std::vector<link_speed>& links) {
    check_schedule(order);
    stagecut::detail::check_links("search::cut_makespan", "links", links);
    if (links.size() > 1 && links.size() + 1 != order.stages()) {
      stagecut::detail::fail(
          argument_error("search::cut_makespan", "links.size()", std::to_string(links.size()),
                         stagecut::detail::joined({"must be 1 or the number of boundaries, ", order.stages() - 1})));
    }
    return {model, order, links};
  }

  [[nodiscard]] detail::makespan_steps seen() const noexcept {
    return {chain_.rows(), durations_.row(), program_.steps(), chain_.tick};
  }

  stagecut::engine::chain_ticks chain_;
  task_graph graph_;
  slot_program program_;
  stagecut::engine::stage_durations durations_;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
