// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/plan_nested_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/baselines/detail/nested_prices.hpp>
#include <stagecut/joint/baselines/minimize_nested_time.hpp>
#include <stagecut/joint/baselines/nested_machines.hpp>
#include <stagecut/joint/detail/layer_orders.hpp>
#include <stagecut/joint/pipeline_states.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Number of devices of the machines.
[[nodiscard]] inline std::size_t devices_in(const nested_machines& machines) noexcept {
  std::size_t product = 1;
  for (const machine_level& level : machines.levels) product *= level.count;
  return product;
}

/// A lower bound for all plans of a model on nested machines, whatever order ideals its stages use.
struct nested_bound {
  double seconds = 0;  ///< of the slowest stage, as computed
  double error = 0;    ///< the possible error, as times of stages are differences of sums
};

/// Let W be the number of machines of a level with those inside it. A stage with r replicas takes at least 1/r of its
/// cost at the level below; messages and gradients only add to it. So by induction a level takes at least 1/W of the
/// seconds of its layers: if the slowest of its stages takes V, each of them has at most `V r W'` seconds of layers, W'
/// being inside one of its machines, and their r sum to at most `W/W'`. A layer is in one stage of each level, which
/// has at least its seconds and its parameters: so if the level below takes t for it, this one takes the least of
/// `(t + 4 (r - 1) p / (b r)) / r`, and at the innermost level t is its seconds.
///
/// @param states  points of the model
[[nodiscard]] inline nested_bound bound_of_nested(const profile& model, const pipeline_states& states,
                                                  const nested_machines& machines) {
  nested_bound result{states.seconds[states.size()], states.seconds[states.size()]};
  for (const machine_level& level : machines.levels) {
    result.seconds /= static_cast<double>(level.count);
    if (level.bandwidth != 0) result.error += 4 * states.parameters[states.size()] / level.bandwidth;
  }
  for (const auto& layer : model.layers) {
    double time = layer.time();
    for (const machine_level& level : machines.levels) {
      double least = time;
      for (std::size_t replicas = 2; !machines.straight && replicas <= level.count; ++replicas) {
        const auto r = static_cast<double>(replicas);
        const double exchange = level.bandwidth == 0 ? 0 : 4 * (r - 1) * layer.parameters / (level.bandwidth * r);
        const double taken = (time + exchange) / r;
        least = std::min(least, taken);
      }
      time = least;
    }
    result.seconds = time > result.seconds ? time : result.seconds;
  }
  // Each sum of n numbers has a relative error below n 2^-53, and a stage takes two of each.
  result.error *= static_cast<double>(model.layers.size() + 4 * machines.levels.size() + 16) * 0x1p-51;
  return result;
}

/// The number of points of an order that take about a tenth of a second to plan.
[[nodiscard]] inline std::size_t points_in_time(const nested_machines& machines, std::size_t layers) {
  constexpr double most_steps = 1e7;
  const auto steps = [&](std::size_t points) {
    const auto n = static_cast<double>(points);
    double sum = 0;
    for (std::size_t l = 0; l < machines.levels.size(); ++l) {
      const auto m = static_cast<double>(machines.levels[l].count);
      sum += l + 1 < machines.levels.size() ? n * n * n * m * m / 12 : n * n * m * m / 4;
    }
    return sum;
  };
  std::size_t points = 16;
  while (points < layers && steps(points) < most_steps) ++points;
  return points;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Plans of a graph with too many points: tries linear orders of its layers, some going through the stages of the
/// best plan so far.
class nested_order_search {
 public:
  nested_order_search(const profile& model, const nested_machines& machines, const nested_graph_options& options)
      : model_(model),
        machines_(machines),
        options_(options),
        orders_(model, options.seed),
        stage_of_(model.layers.size()) {}

  /// Returns the best plan found.
  [[nodiscard]] std::optional<nested_graph_plan> run() {
    constexpr std::size_t drawn = 4;  // per turn
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
    // Where each device must have a stage, no fewer points suffice.
    std::size_t most = points_in_time(machines_, order.size());
    const std::size_t devices = devices_in(machines_);
    if (machines_.straight && !machines_.at_most && most < devices) most = devices;
    graph_states points = with_fewer_points(states_of_order(model_, order), most, kept);
    const nested_search search(points.states, machines_, false);
    if (search.least() == no_nested_plan || (best_ && search.least() >= best_->cut.value)) return false;
    best_ = nested_graph_plan{{}, search.told()};
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
  std::vector<std::size_t> stage_of_;  // in the best plan
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
    return answer::optimal({std::move(*all), std::move(*best)});
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
  const bool proved = found->cut.value <= seconds + error;
  found->cut.bound = proved ? found->cut.value : seconds > error ? seconds - error : 0;
  return proved ? answer::optimal(std::move(*found)) : answer::feasible(std::move(*found));
}

}  // namespace stagecut::inline STAGECUT_ABI
