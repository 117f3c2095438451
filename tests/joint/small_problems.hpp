// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/build_options.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include "random_models.hpp"

namespace joint_tests {

using options = std::vector<std::uint32_t>;

/// An order of any kind that may be asked for: of one stage a rank or several, in turn or down and up, gradients apart or
/// not.
inline stagecut::schedule any_order(std::mt19937& dice, std::size_t most_stages) {
  using stagecut::schedule_kind;
  constexpr schedule_kind kinds[] = {schedule_kind::gpipe,
                                     schedule_kind::one_forward_one_backward,
                                     schedule_kind::eager_one_forward_one_backward,
                                     schedule_kind::interleaved,
                                     schedule_kind::looped_bfs,
                                     schedule_kind::zb_h1,
                                     schedule_kind::zbv,
                                     schedule_kind::interleaved_zero_bubble,
                                     schedule_kind::dualpipev,
                                     schedule_kind::sapp_big,
                                     schedule_kind::sapp_less_memory};
  for (;;) {
    const stagecut::schedule_entry& entry = stagecut::entry_of(kinds[drawn(dice, 0, std::size(kinds) - 1)]);
    stagecut::schedule_shape shape;
    shape.ranks = drawn(dice, 1, 3);
    shape.stages_per_rank = entry.stages_per_rank != 0 ? entry.stages_per_rank : drawn(dice, 2, 3);
    shape.microbatches = drawn(dice, 1, 7);
    if (shape.ranks * shape.stages_per_rank > most_stages) continue;
    try {
      return stagecut::make_schedule(entry.kind, shape);
    } catch (const stagecut::argument_error&) {  // such as fewer microbatches than the kind needs
    }
  }
}

/// A small case with all that there may be: workspaces, gradients apart, messages.
inline small_case any_case(std::mt19937& dice, std::size_t most_types, std::size_t most_stages = 6,
                           std::size_t most_plans = 2000) {
  for (;;) {
    small_case result;
    stagecut::recompute_model& model = result.model;
    result.request.schedule = any_order(dice, most_stages);
    result.request.least_layers = drawn(dice, 0, 1);
    result.request.head_alone = dice() % 4 == 0;
    result.request.tail_alone = dice() % 4 == 0;
    result.request.constant = static_cast<double>(drawn(dice, 0, 3));
    result.request.search.time_limit.reset();
    const std::size_t types = drawn(dice, 1, most_types);
    const std::size_t stages = result.request.schedule.stages();
    const std::size_t n = drawn(dice, std::max(stages, types), stages + 3);
    for (std::size_t t = 0; t < types; ++t) model.types.push_back(drawn_type(dice, drawn(dice, 1, 3)));
    for (std::size_t i = 0; i < n; ++i) {
      model.layers.push_back(dice() % 3 == 0 ? drawn(dice, 0, types - 1) : i * types / n);
    }
    model.head = drawn_type(dice, 1);
    model.tail = drawn_type(dice, 1);
    if (plans_of(result) > most_plans) continue;
    const bool splits = stagecut::has_kind(result.request.schedule, stagecut::op_kind::backward_weight);
    const auto enrich = [&](stagecut::layer_type& type) {
      type.workspace = static_cast<double>(drawn(dice, 0, 4));
      type.sent_bytes = 3;
      for (auto& choice : type.choices) {
        if (dice() % 3 == 0) choice.workspace = static_cast<double>(drawn(dice, 0, 9));
        if (dice() % 3 == 0) {
          choice.recomputed_whole = choice.recomputed_apart = static_cast<double>(drawn(dice, 0, 9));
        }
        if (splits)
          choice.backward_weight = static_cast<double>(drawn(dice, 0, static_cast<std::size_t>(type.forward)));
      }
    };
    for (auto& type : model.types) enrich(type);
    enrich(model.head);
    enrich(model.tail);
    if (dice() % 3 == 0) result.request.links.push_back({1, 2});
    draw_memory(dice, result);
    return result;
  }
}

/// All that the parts of a search share, for a small case.
class workbench {
 public:
  explicit workbench(small_case of, double most = stagecut::detail::no_time)
      : drawn(std::move(of)),
        splits(stagecut::detail::splits_backward(drawn.request.schedule)),
        messages(stagecut::detail::least_messages(drawn.model, drawn.request)),
        unit(stagecut::detail::unit_of(drawn.model, messages, drawn.request.schedule)),
        rules(stagecut::detail::rules_of(drawn.model, drawn.request, unit, splits)),
        curves(drawn.model, unit, splits),
        graph(stagecut::detail::option_builder(curves, drawn.request.schedule, rules, splits,
                                               stagecut::detail::least_layers_of(drawn.request),
                                               drawn.model.layers.size(), most)
                  .build()),
        simulator(drawn.request.schedule, drawn.request.transfers, splits,
                  !drawn.request.links.empty() && drawn.request.schedule.stages() > 1) {
    problem.order = &drawn.request.schedule;
    problem.curves = &curves;
    problem.graph = &graph;
    problem.simulator = &simulator;
    for (const double message : messages) problem.messages.push_back(unit.whole(message));
  }
  workbench(const workbench&) = delete;
  workbench& operator=(const workbench&) = delete;

  small_case drawn;
  bool splits;
  std::vector<double> messages;
  stagecut::detail::whole_times unit;
  std::vector<stagecut::detail::rank_rules> rules;
  stagecut::detail::choice_curves curves;
  stagecut::detail::option_graph graph;
  stagecut::engine::times_simulator simulator;
  stagecut::detail::recompute_problem problem{};

  /// The makespan of options, in whole units.
  [[nodiscard]] double makespan(const options& plan) const { return problem.makespan(problem.times_of(plan)); }

  /// Where a plan cuts the layers.
  [[nodiscard]] std::vector<std::size_t> points_of(const std::vector<std::uint32_t>& counts) const {
    std::vector<std::size_t> points{0};
    for (const std::uint32_t count : counts) points.push_back(points.back() + count);
    return points;
  }

  /// How a plan runs every layer.
  [[nodiscard]] std::vector<std::size_t> choices_of(const options& plan) const {
    std::vector<std::size_t> choices(drawn.model.layers.size());
    const auto points = points_of(problem.counts_of(plan));
    for (std::size_t r = 0; r < plan.size(); ++r) {
      const stagecut::detail::rank_options& rank = graph.ranks[r];
      for (std::size_t v = 0; v < rank.stages(); ++v) {
        auto left = curves.counts_of(rank.classes()[rank.class_of(plan[r])].of[v], rank.point(plan[r], v));
        const std::size_t s = rank.stage(v);
        for (std::size_t i = points[s]; i < points[s + 1]; ++i) {
          const std::size_t t = drawn.model.layers[i];
          choices[i] = stagecut::detail::next_choice(drawn.model.types[t], left[t]);
        }
      }
    }
    return choices;
  }

  /// Whether a plan is one: it has all layers, fits, and takes as long as is said.
  [[nodiscard]] bool is_sound(const options& plan, double told) const {
    const auto points = points_of(problem.counts_of(plan));
    if (points.back() != drawn.model.layers.size()) return false;
    const auto choices = choices_of(plan);
    for (std::size_t r = 0; r < plan.size(); ++r) {
      if (peak_of(drawn, r, points, choices) > drawn.request.memory_limit.for_all().value_or(1e300)) return false;
    }
    return makespan_of(drawn, points, choices) == told * unit.unit;
  }
};

/// The options of all plans of a graph, each once, if there are no more than `most`; else none.
inline std::set<options> all_plans(const stagecut::detail::option_graph& graph, std::size_t most = 5000) {
  std::set<options> result;
  options chosen(graph.ranks.size());
  const std::function<void(std::size_t, std::uint32_t)> next = [&](std::size_t r, std::uint32_t node) {
    if (result.size() > most) return;
    if (r == graph.ranks.size()) {
      result.insert(chosen);
      return;
    }
    for (const auto& edge : graph.steps[r].edges) {
      if (edge.from != node) continue;
      const auto& group = graph.steps[r].groups[edge.group];
      for (chosen[r] = group.first; chosen[r] < group.last; ++chosen[r]) next(r + 1, edge.to);
    }
  };
  if (!graph.nodes.empty() && graph.nodes[0] != 0) next(0, 0);
  if (result.size() > most) result.clear();
  return result;
}

/// One of some plans.
inline const options& any_plan(std::mt19937& dice, const std::set<options>& plans) {
  return *std::next(plans.begin(), static_cast<std::ptrdiff_t>(dice() % plans.size()));
}

/// Whether all options of a plan are live.
inline bool is_live(const std::vector<std::vector<char>>& live, const options& plan) {
  for (std::size_t r = 0; r < plan.size(); ++r) {
    if (live[r][plan[r]] == 0) return false;
  }
  return true;
}

}  // namespace joint_tests
