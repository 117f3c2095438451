// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/plan_hybrid.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/shared_effort.hpp>
#include <stagecut/joint/compared_hybrid.hpp>
#include <stagecut/joint/detail/best_hybrid.hpp>
#include <stagecut/joint/detail/hybrid_planner.hpp>
#include <stagecut/joint/detail/layer_orders.hpp>
#include <stagecut/joint/detail/rival_hybrids.hpp>
#include <stagecut/joint/detail/target_hybrid.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/graph_stages.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/joint/pipeline_states.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/parts/as_one_chain.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Plans a graph with too many points to use all of them: the best plan from some linear orders of its layers, and then
/// from orders that go through the stages of the best plan.
class ordered_hybrids {
 public:
  /// @param known  a known plan; null: none
  ordered_hybrids(const profile& model, const hybrid_plan_request& request, const plan* known)
      : model_(model), request_(request), orders_(model, 1), effort_(request.pipeline.search) {
    if (known != nullptr) best_ = *known;
  }

  [[nodiscard]] outcome<plan> best() {
    const std::size_t number = orders_.size();
    look(orders_[0], {}, 2 * number);  // even with no limits left: it starts with an even cut
    for (std::size_t i = 1; i < number && !is_over(); ++i) look(orders_[i], {}, 2 * number - i);
    for (std::size_t i = 0; i < number && best_ && !is_over(); ++i) {
      const std::vector<std::size_t> stages = stage_of_layers(*best_);
      look(orders_.through(stages, i), stages, number - i);
    }
    if (!best_) {
      return outcome<plan>::unknown(
          {reason::cause::constraint, 0, 0, "no order of the layers was found that keeps to the memory"});
    }
    objective_value& of = best_->objective;
    const double work = least_iteration(model_, request_, request_.pipeline.microbatches);
    of.bound = work < of.value ? work : of.value;
    of.state = of.bound < of.value ? state::feasible : state::optimal;
    return of.state == state::optimal ? outcome<plan>::optimal(*std::move(best_))
                                      : outcome<plan>::feasible(*std::move(best_));
  }

 private:
  static constexpr std::size_t most_points = 200;  // of an order

  [[nodiscard]] bool is_over() const {
    const auto& stop = request_.pipeline.search.stop;
    return (effort_.is_limited() && !(effort_.left() > 0)) || (stop && stop());
  }

  /// Searches an order, with an equal part of the remaining limits.
  /// @param stages  for every layer, in a plan that must be found again; empty: none
  void look(const std::vector<std::size_t>& order, const std::vector<std::size_t>& stages, std::size_t parts) {
    hybrid_plan_request asked = request_;
    asked.pipeline.search = effort_.share(1 / static_cast<double>(parts));
    std::vector<bool> kept(order.size() + 1);
    for (std::size_t p = 1; !stages.empty() && p < order.size(); ++p) {
      kept[p] = stages[order[p - 1]] != stages[order[p]];
    }
    const std::size_t devices = request_.pipeline.devices;
    const std::size_t most = devices + 1 < most_points ? most_points : devices + 1;
    const graph_states points = with_fewer_points(states_of_order(model_, order), most, kept);
    outcome<plan> found = best_hybrid(
        model_, asked, [&](const device_choices& choices) { return graph_stages(model_, choices, points); },
        best_ && is_iteration(request_) ? __builtin_addressof(*best_) : nullptr);
    if (found && (!best_ || found->objective.value < best_->objective.value)) best_ = *std::move(found);
  }

  const profile& model_;
  const hybrid_plan_request& request_;
  layer_orders orders_;
  engine::shared_effort effort_;
  std::optional<plan> best_{};
};

/// The best plan of a graph.
/// @param known  as for `target_hybrid`
/// @throws not_representable for a framework: frameworks can express only chains
[[nodiscard]] inline outcome<plan> graph_hybrid(const profile& model, const hybrid_plan_request& request,
                                                const plan* known) {
  if (request.target != framework::none) {
    fail(not_representable(entry_of(request.target).name, "it is a graph, and its layers have to be a chain", "model"));
  }
  const outcome<graph_states> all = states_of_graph(model);
  if (!all) return ordered_hybrids(model, request, known).best();
  return best_hybrid(
      model, request, [&](const device_choices& choices) { return graph_stages(model, choices, *all); }, known);
}

STAGECUT_DECL outcome<plan> plan_hybrid_from(const profile& model, const hybrid_plan_request& request,
                                             const plan* known) {
  bool tree = false;
  for (const auto& layer : model.layers) tree = tree || !layer.children.empty();
  if (!tree && !stagecut::is_chain(model)) return graph_hybrid(model, request, known);
  return target_hybrid(as_one_chain("plan_hybrid", model, plan_request()), request, known);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<plan> plan_hybrid(const profile& model, const hybrid_plan_request& request) {
  if (!detail::is_iteration(request)) return detail::plan_hybrid_from(model, request, nullptr);
  return std::move(detail::plans_beside(model, request, true).back().made);
}

}  // namespace stagecut::inline STAGECUT_ABI
