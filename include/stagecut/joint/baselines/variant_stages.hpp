// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/baselines/detail/variant_points.hpp>
#include <stagecut/joint/baselines/detail/variant_stage_solver.hpp>
#include <stagecut/joint/baselines/detail/variant_tables.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/profile/variant_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The stages of a graph whose layers run in one of several variants each, with Piper's costs: a `stage_option_model`.
/// Its points are the order ideals of the graph, so that all its cuts are considered.
///
/// A stage on d replicas, which divide the microbatches N of an iteration, with tensor-parallel degree t takes, per
/// microbatch,
///
///     (sum of time + sum over cut edges of 2 (bytes + sync) / bandwidth + 4 (d - 1) sum of parameters / (N bandwidth)) / d
///
/// and on each device y * (sum of activations) + (sum of resident) bytes with y microbatches in flight. All layers of a
/// stage have the same tensor-parallel degree; their variants are chosen so that they fit and the stage takes the least
/// time: exactly, by branch and bound. Only `time`, `activations`, `resident`, the devices and `choice` of an option
/// are set; `choice` is the number of microbatches for which its variants are chosen. The smallest_memory option is one that
/// is fast enough; `stages_of` returns the fastest one for the same number of microbatches.
///
/// Figures are summed as integer multiples of a power of two, less than 2^61 in all: sums do not depend on their order,
/// and are exact for integers below 2^53 in all.
///
/// An edge that is cut takes time, so a wider stage may take less than a narrower one: this axiom of
/// `stage_option_model` holds only without edges. `each_stage` and `each_stage_between` therefore visit all stages,
/// whatever `visit` returns.
///
/// Caches solutions: not thread-safe.
///
/// Source: J. M. Tarnawski, D. Narayanan and A. Phanishayee, Piper: Multidimensional Planner for DNN Parallelization,
/// NeurIPS 2021.
class variant_stages {
 public:
  /// @param graph  layers and their variants; its `devices` and `memory` are ignored
  /// @param most   limit of points
  /// @throws       invalid_input for invalid figures, an edge to a layer that does not exist or a duplicate edge, a
  ///               cycle, and more points
  explicit variant_stages(variant_graph graph, std::size_t most = 1'000'000);

  variant_stages(const variant_stages&) = delete;
  variant_stages& operator=(const variant_stages&) = delete;

  /// The layers.
  [[nodiscard]] const variant_graph& graph() const noexcept { return graph_; }

  /// See `stage_option_model`.
  /// @{
  [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }
  [[nodiscard]] double least_work(std::size_t point) const noexcept { return points_.work(point); }

  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    if (query.first >= query.last || query.last > size() || !points_.within(query.first, query.last)) return;
    solver_.set_memory(query.memory);
    for (std::size_t t = 0; t < tables_.ways.size(); ++t) {
      if (tables_.ways[t] > query.most_devices) break;
      const auto sums = points_.between(query.first, query.last, t);
      if (sums.missing > 0) continue;
      for (const std::size_t d : replicas_) {
        if (d > query.most_devices / tables_.ways[t]) break;
        if (solver_.time_of(sums.time, sums.parameters, d) <= query.most_time) each_of(query, t, d, sums, visit);
      }
    }
  }

  template <class Visit>
  void each_stage(std::size_t last, const Visit& visit) const {
    each_stage_between(last, 0, std::numeric_limits<double>::max(), visit);
  }

  template <class Visit>
  void each_stage_between(std::size_t last, double least, double most, const Visit& visit) const {
    const std::size_t end = points_.end_of(most);
    const detail::options_between<variant_stages> options{*this};
    for (std::size_t first = end < last ? end : last; first-- > 0 && points_.work(first) >= least;) {
      if (points_.within(first, last)) static_cast<void>(visit(first, options));
    }
  }
  /// @}

  /// Returns the layers of a stage between two points, ascending.
  [[nodiscard]] std::vector<std::size_t> layers_of(std::size_t first, std::size_t last) const;

  /// Returns the stages of a cut of this model.
  /// @param cut     as a planner returned it
  /// @param memory  the bytes of a device in the request
  /// @throws        argument_error for a stage that this model does not have, or that does not fit
  [[nodiscard]] std::vector<variant_stage> stages_of(const hybrid_cut& cut, const std::optional<double>& memory) const;

 private:
  template <class Visit>
  void each_of(const stage_query& query, std::size_t t, std::size_t d, const detail::variant_points::sums& sums,
               const Visit& visit) const {
    const std::size_t least = query.share_of(query.least_held, d);
    const std::size_t all = query.take_turns ? (graph_.microbatches - 1) / d + 1 : graph_.microbatches;
    std::size_t most = query.share_of(query.most_held, d);
    most = most < all ? most : all;
    const auto last = static_cast<std::int64_t>(most);
    if (most < least || !solver_.may_hold(sums, static_cast<std::int64_t>(least))) return;
    // Most stages that are fast enough, and fit, remain so if all their edges are cut.
    if (query.smallest_memory && solver_.room_of_fastest(sums) >= last) {
      const double slowest = solver_.time_of(sums.time + sums.cut, sums.parameters, d);
      if (slowest <= query.most_time) return visit(option_of({last, 0, last, sums.fastest}, t, d, slowest));
    }
    solver_.look_at(query.first, query.last, t, d);
    if (!(solver_.time(0, d) <= query.most_time)) return;
    const auto tell = [&](const detail::variant_stage_facts::fact& found) {
      visit(option_of(found, t, d, solver_.time(found.figures.time, d)));
    };
    if (query.smallest_memory) {
      if (solver_.room_of_fastest(sums) >= last) return tell({last, 0, last, sums.fastest});
      if (const auto found = solver_.solve_roomiest(static_cast<std::int64_t>(least), last, d, query.most_time))
        tell(*found);
      return;
    }
    for (auto held = static_cast<std::int64_t>(least); held <= last;) {
      const auto found = solver_.solve(held, d, query.most_time);
      if (!found) return;
      tell(*found);
      if (found->room >= last) return;
      held = found->room + 1;
    }
  }

  [[nodiscard]] stage_option option_of(const detail::variant_stage_facts::fact& found, std::size_t t, std::size_t d,
                                       double time) const;

  variant_graph graph_;
  detail::variant_tables tables_;
  detail::variant_points points_;
  mutable detail::variant_stage_solver solver_;
  std::vector<std::size_t> replicas_{};  // divisors of the microbatches, ascending
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/variant_stages.ipp>
#endif
