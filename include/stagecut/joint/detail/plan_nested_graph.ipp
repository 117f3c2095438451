// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/plan_nested_graph.hpp>

#include <cstddef>
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

STAGECUT_DECL outcome<nested_graph_plan> plan_nested_graph_fn::operator()(const profile& model,
                                                                          const nested_machines& machines,
                                                                          const nested_graph_options& options) const {
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

}  // namespace stagecut::inline STAGECUT_ABI
