// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/layer_orders.hpp>
#include <stagecut/joint/detail/nested_bound.hpp>
#include <stagecut/joint/minimize_nested_time.hpp>
#include <stagecut/joint/nested_machines.hpp>
#include <stagecut/joint/pipeline_states.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How long a plan of a graph is looked for.
struct nested_graph_options {
  std::size_t most_states = 500;  ///< points without point 0; if there are at most as many, all of them are taken
  std::size_t orders = 40;        ///< else, how many orders of the layers are tried at most
  std::uint64_t seed = 1;         ///< of orders that are drawn
};

/// A graph spread over nested machines.
struct nested_graph_plan {
  graph_states
      points{};      ///< where it may be cut: its `layers_between(stage.first, stage.last)` are the layers of a stage
  nested_cut cut{};  ///< stages, by these points
  double bound = 0;  ///< seconds that the slowest stage takes at least in any plan
};

namespace detail {

/// Plans of a graph that has too many points: by orders of its layers, in part of those that go through the stages of
/// the best plan so far.
class nested_order_search {
 public:
  nested_order_search(const profile& model, const nested_machines& machines, const nested_graph_options& options)
      : model_(model),
        machines_(machines),
        options_(options),
        orders_(model, options.seed),
        stage_of_(model.layers.size()) {}

  /// The best plan that was found.
  [[nodiscard]] std::optional<nested_graph_plan> run() {
    constexpr std::size_t drawn = 4;  // in each turn
    const std::size_t fixed = orders_.size();
    for (std::size_t i = 0; i < fixed && i < options_.orders; ++i) (void)improves(orders_[i], false);
    const std::size_t turn = fixed + drawn;
    std::size_t in_vain = 0;
    for (std::size_t i = fixed; best_ && i < options_.orders && in_vain < turn; ++i) {
      in_vain = improves(orders_.through(stage_of_, (i - fixed) % turn), true) ? 0 : in_vain + 1;
    }
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool improves(const std::vector<std::size_t>& order, bool through) {
    std::vector<bool> kept(order.size() + 1);  // so that the plan is found again
    for (std::size_t p = 1; through && p < order.size(); ++p) kept[p] = stage_of_[order[p - 1]] != stage_of_[order[p]];
    // Where each device has to have a stage, no fewer points will do.
    std::size_t most = points_in_time(machines_, order.size());
    const std::size_t devices = devices_in(machines_);
    if (machines_.straight && !machines_.at_most && most < devices) most = devices;
    graph_states points = with_fewer_points(states_of_order(model_, order), most, kept);
    const nested_search search(points.states, machines_, false);
    if (search.least() == no_nested_plan || (best_ && search.least() >= best_->cut.bottleneck)) return false;
    best_ = nested_graph_plan{{}, search.told(), 0};
    for (std::size_t s = 0; s < best_->cut.stages.size(); ++s) {
      const nested_stage& stage = best_->cut.stages[s];
      for (const std::size_t v : points.layers_between(stage.first, stage.last)) {
        stage_of_[v] = s;
      }
    }
    best_->points = std::move(points);
    return true;
  }

  const profile& model_;
  const nested_machines& machines_;
  const nested_graph_options& options_;
  layer_orders orders_;
  std::vector<std::size_t> stage_of_;  // of the best plan
  std::optional<nested_graph_plan> best_{};
};

}  // namespace detail

/// See `plan_nested_graph`.
struct plan_nested_graph_fn {
  /// See `plan_nested_graph`.
  [[nodiscard]] outcome<nested_graph_plan> operator()(const profile& model, const nested_machines& machines,
                                                      const nested_graph_options& options = {}) const {
    using answer = outcome<nested_graph_plan>;
    if (machines.as_published) {
      detail::fail(argument_error("plan_nested_graph", "machines.as_published", "true",
                                  "must be false: see states_of_graph and minimize_nested_time"));
    }
    if (options.orders == 0) detail::fail(argument_error("plan_nested_graph", "orders", "0", "must be at least 1"));
    auto all = states_of_graph(model, {.most_states = options.most_states});
    if (all) {
      detail::check_nested_machines("plan_nested_graph", all->states, machines);
      auto best = minimize_nested_time(all->states, machines);
      if (!best) return answer::infeasible(best.why());
      const double least = best->bottleneck;
      return answer::optimal({std::move(*all), std::move(*best), least});
    }
    const graph_states plain = states_of_order(model, detail::edges_between_points(model).order());
    detail::check_nested_machines("plan_nested_graph", plain.states, machines);
    const std::size_t devices = detail::devices_in(machines);
    if (machines.straight && !machines.at_most && devices > plain.states.size()) {
      return answer::infeasible({reason::cause::more_stages_than_layers, devices, plain.states.size()});
    }
    auto found = detail::nested_order_search(model, machines, options).run();
    if (!found) {
      return answer::unknown(
          {reason::cause::constraint, 0, 0, "no order of the layers was found that keeps to the memory"});
    }
    const auto [seconds, error] = detail::bound_of_nested(model, plain.states, machines);
    const bool proved = found->cut.bottleneck <= seconds + error;
    found->bound = proved ? found->cut.bottleneck : seconds > error ? seconds - error : 0;
    return proved ? answer::optimal(std::move(*found)) : answer::feasible(std::move(*found));
  }
};

/// Cuts a graph as `minimize_nested_time` does, and also where it has too many points to take all of them. Then it takes
/// those at which one runs the layers in an order: by number, by depth, by breadth, backwards, with the least in flight;
/// and then in orders that go through the stages of the best plan so far.
///
/// @param model     a graph, or a chain, times and bytes of a minibatch
/// @param machines  levels, memory and rules, which are not those of the published planner
/// @param options   how long it looks
/// @return          optimal where all points were taken, or if the plan meets its bound but for rounding; else feasible:
///                  the bound is all seconds divided by all devices, or what the heaviest layer takes; infeasible: as
///                  `minimize_nested_time`; unknown, `constraint`, if no order was found that keeps to the memory
/// @throws          argument_error for machines that are none, rules as published, and no orders; invalid_input as
///                  `states_of_graph`
///
/// Heuristic where there are more points. Of an order it takes as many points as make a plan in about a tenth of a second:
/// of neighbours that at which the least crosses. It ends after ten orders without a better plan. The same answer every
/// time; of equals that of the order tried first. An order of n layers and m edges takes O(n (n + m)) besides.
inline constexpr plan_nested_graph_fn plan_nested_graph{};

}  // namespace stagecut::inline STAGECUT_ABI
