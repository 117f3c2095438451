// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/engine/matrix_game.hpp>
#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The smallest weighted sum of durations over the plans of a graph. With a weight for every stage and kind, the length
/// of a path through an iteration, or of a mean of such paths, is a sum over edges: no plan finishes before the
/// smallest sum.
class hybrid_rows {
 public:
  explicit hybrid_rows(const hybrid_options& options) : options_(options) {}

  /// Returns the smallest sum; `beyond_time` if the graph has no plan.
  double least(const hybrid_graph& graph, const std::vector<double>& weights);

  /// Returns the options of a plan with the smallest sum, as the last `least` computed it. @pre there is one
  void least_plan(const hybrid_graph& graph, std::vector<std::uint32_t>& options) const;

  /// Raises the bounds of edges to the smallest sum over plans through them, as the last `least` computed it.
  void raise(hybrid_graph& graph);

 private:
  void price(const hybrid_graph& graph, const std::vector<double>& weights);

  const hybrid_options& options_;
  std::vector<double> cost_{};    // for every edge
  std::vector<double> behind_{};  // for every node
  std::vector<double> before_{};
};

/// Weights critical paths so that the smallest weighted sum over the plans of a graph is large: a bound stronger than
/// that from any single path. Like `path_combination_bound`: one player chooses a path, the other a plan, and both learn.
class hybrid_combination_bound {
 public:
  static constexpr std::size_t most_paths = 160;

  /// @param paths  critical ones, `[s * hybrid_kinds + kind]`: kept across graphs
  hybrid_combination_bound(const hybrid_options& options, engine::critical_path_pool& paths,
                           engine::times_simulator& simulator, std::size_t stages)
      : options_(options), paths_(paths), simulator_(simulator), stages_(stages), rows_(options) {}

  /// The weights of the best combination, by stage and kind, and its smallest sum.
  std::vector<double> weights{};
  double bound = 0;
  /// The points, devices and times of the stages of a plan: edge numbers change when a graph is pruned.
  struct stage_keys {
    double point;    // after the stage
    double devices;  // left after it
    double passes;   // both passes of the stage
  };
  /// A plan found so far.
  struct met_plan {
    std::vector<std::uint32_t> edges;  // of the graph at that time
    std::vector<stage_keys> keys;
    std::vector<double> times;
  };
  std::vector<met_plan> plans{};
  std::vector<double> shares{};  // their weights

  [[nodiscard]] stage_keys keys_of(const hybrid_graph& graph, const hybrid_graph::edge& each) const;

  /// Runs some steps on a graph; `offer(edges, makespan)` is called with plans, and returns whether to stop.
  ///
  /// @param enough  stops when the bound exceeds this
  template <class Offer>
  void run(const hybrid_graph& graph, std::size_t steps, double enough, const Offer& offer) {
    plans.clear();
    game_.values.clear();
    bound = 0;
    weights.clear();
    if (paths_.size() == 0) paths_.add(round_trip());
    game_.begin(paths_.size());
    double before = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      combine();
      const double here = rows_.least(graph, now_) * (1 - 0x1p-40);
      if (here > bound || weights.empty()) bound = here, weights = now_;
      if (bound > enough) break;
      rows_.least_plan(graph, plan_);
      if (add_plan(graph, offer)) break;
      if (step % 4 == 3) add_mean();
      if (step % 40 == 39) {
        if (bound - before < 0.01 * (enough - bound)) break;
        before = bound;
      }
    }
    shares = game_.column_weights;
    shares.resize(plans.size(), 0);
  }

  /// Raises the bounds of edges by the best combination.
  void raise(hybrid_graph& graph);

 private:
  /// The path of a microbatch down and up again.
  [[nodiscard]] std::vector<double> round_trip() const;

  /// Combines paths by the players' weights, normalised to sum 1.
  void combine();

  template <class Offer>
  bool add_plan(const hybrid_graph& graph, const Offer& offer) {
    std::vector<double> times(stages_ * hybrid_kinds);
    for (std::size_t s = 0; s < stages_; ++s) {
      times_of(options_[graph.edges[plan_[s]].option], times.data() + s * hybrid_kinds);
    }
    const double makespan = simulator_.run(times.data());
    const bool stops = offer(plan_, makespan);
    simulator_.count_critical(counts_);
    add_row();
    for (const auto& plan : plans) {
      if (plan.edges == plan_) return stops;
    }
    game_.make_room(plans);
    plans.push_back({plan_, keys_of(graph), std::move(times)});
    game_.add_column();
    game_.values.back().assign(engine::matrix_game::padded(paths_.size()), 0);
    for (std::size_t k = 0; k < paths_.size(); ++k) game_.values.back()[k] = paths_.length(k, plans.back().times);
    return stops;
  }

  [[nodiscard]] std::vector<stage_keys> keys_of(const hybrid_graph& graph) const;

  /// Adds the critical path of the weighted mean of plans.
  void add_mean();

  void add_row();

  const hybrid_options& options_;
  engine::critical_path_pool& paths_;
  engine::times_simulator& simulator_;
  std::size_t stages_;
  hybrid_rows rows_;
  engine::matrix_game game_{};
  std::vector<double> now_{};
  std::vector<std::uint32_t> plan_{};
  std::vector<double> counts_{};
  std::vector<double> mean_{};
};

inline double hybrid_rows::least(const hybrid_graph& graph, const std::vector<double>& weights) {
  price(graph, weights);
  return graph.least([this](std::size_t i, double behind) { return cost_[i] + behind; }, behind_);
}

inline void hybrid_rows::least_plan(const hybrid_graph& graph, std::vector<std::uint32_t>& options) const {
  std::uint32_t u = 0;
  for (std::uint32_t v = 0; v < graph.nodes.size() && graph.nodes[v].step == 0; ++v) {
    if (behind_[v] < behind_[u]) u = v;
  }
  options.clear();
  while (graph.nodes[u].step != graph.steps) {
    std::uint32_t next = graph.first[u];
    double best = beyond_time;
    for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
      const double here = cost_[i] + behind_[graph.edges[i].to];
      if (here < best) best = here, next = i;
    }
    options.push_back(next);
    u = graph.edges[next].to;
  }
}

inline void hybrid_rows::raise(hybrid_graph& graph) {
  before_.assign(graph.nodes.size(), beyond_time);
  for (std::size_t u = 0; u < graph.nodes.size(); ++u) {
    if (graph.nodes[u].step == 0) before_[u] = 0;
    for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
      hybrid_graph::edge& each = graph.edges[i];
      const double here = before_[u] + cost_[i];
      double& to = before_[each.to];
      to = std::min(to, here);
      const double through = (here + behind_[each.to]) * (1 - 0x1p-40);  // sums were rounded
      each.bound = std::max(each.bound, through);
    }
  }
}

inline void hybrid_rows::price(const hybrid_graph& graph, const std::vector<double>& weights) {
  cost_.resize(graph.edges.size());
  for (std::size_t i = 0; i < cost_.size(); ++i) {
    const hybrid_graph::edge& each = graph.edges[i];
    const stage_option& o = options_[each.option];
    const double* const here = weights.data() + graph.nodes[each.from].step * hybrid_kinds;
    cost_[i] = here[hybrid_forward] * o.forward + here[hybrid_backward] * o.backward +
               here[hybrid_message] * o.message + here[hybrid_all_reduce] * o.all_reduce;
  }
}

inline auto hybrid_combination_bound::keys_of(const hybrid_graph& graph, const hybrid_graph::edge& each) const
    -> stage_keys {
  const hybrid_graph::node& behind = graph.nodes[each.to];
  const stage_option& option = options_[each.option];
  return {static_cast<double>(behind.point), static_cast<double>(behind.devices), option.forward + option.backward};
}

inline void hybrid_combination_bound::raise(hybrid_graph& graph) {
  (void)rows_.least(graph, weights);
  rows_.raise(graph);
}

inline std::vector<double> hybrid_combination_bound::round_trip() const {
  std::vector<double> counts(stages_ * hybrid_kinds, 0);
  for (std::size_t s = 0; s < stages_; ++s) {
    counts[s * hybrid_kinds + hybrid_forward] = counts[s * hybrid_kinds + hybrid_backward] = 1;
    counts[s * hybrid_kinds + hybrid_message] = s == 0 ? 0 : 2;
  }
  return counts;
}

inline void hybrid_combination_bound::combine() {
  std::vector<double> shares_of(paths_.size(), 0);
  if (plans.empty()) {
    for (std::size_t k = 0; k < shares_of.size(); ++k) shares_of[k] = 1 / static_cast<double>(shares_of.size());
  } else {
    game_.play(paths_.size(), 0, 0);
    game_.row_shares(0, paths_.size(), shares_of);
    double all = 0;
    for (const double share : shares_of) all += share;
    if (all > 1) {
      for (double& share : shares_of) share *= 1 - 0x1p-20;
    }
  }
  now_.assign(stages_ * hybrid_kinds, 0);
  for (std::size_t k = 0; k < shares_of.size(); ++k) {
    paths_.use(k) = 0.98 * paths_.use(k) + shares_of[k];
    if (shares_of[k] == 0) continue;
    for (std::size_t j = 0; j < now_.size(); ++j) now_[j] += shares_of[k] * paths_.counts(k)[j];
  }
}

inline auto hybrid_combination_bound::keys_of(const hybrid_graph& graph) const -> std::vector<stage_keys> {
  std::vector<stage_keys> result;
  for (const std::uint32_t i : plan_) result.push_back(keys_of(graph, graph.edges[i]));
  return result;
}

inline void hybrid_combination_bound::add_mean() {
  if (game_.column_weights.size() != plans.size()) return;
  mean_.assign(stages_ * hybrid_kinds, 0);
  for (std::size_t c = 0; c < plans.size(); ++c) {
    for (std::size_t j = 0; j < mean_.size(); ++j) mean_[j] += game_.column_weights[c] * plans[c].times[j];
  }
  (void)simulator_.run(mean_.data());
  simulator_.count_critical(counts_);
  add_row();
}

inline void hybrid_combination_bound::add_row() {
  const auto [row, is_new] = paths_.add(counts_);
  if (!is_new) return;
  game_.set_row(paths_.size(), row, [&](std::size_t c) { return paths_.length(row, plans[c].times); });
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
