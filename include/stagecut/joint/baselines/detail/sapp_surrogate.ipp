// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/sapp_surrogate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/build_options.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>
#include <stagecut/joint/detail/cut_ranges.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/detail/explain_infeasible_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// SAPP's objective in two parts: x + max(x, y) of the largest x and the largest y of all ranks, both m times a time.
class sapp_rule {
 public:
  struct parts {
    double first = 0;  ///< x: for all stages of a rank but the last
    double last = 0;   ///< y
  };

  /// @throws argument_error for a schedule that SAPP does not support, and for an unknown level
  sapp_rule(const char* function, const schedule& order, std::size_t level)
      : ranks_(order.ranks()), chunks_(order.stages() / order.ranks()) {
    const auto refuse = [&](const char* name, const std::string& value, const char* requirement) {
      fail(argument_error(function, name, value, requirement));
    };
    if (level > 1) refuse("level", std::to_string(level), "must be 0 or 1");
    bool in_turn = order.stages() % order.ranks() == 0;
    for (std::size_t s = 0; s < order.stages(); ++s) in_turn = in_turn && order.rank_of[s] == s % ranks_;
    if (!in_turn) refuse("order", in_quotes(order.name), "must have the stages of the ranks in turn");
    if (splits_backward(order)) refuse("order", in_quotes(order.name), "must run backward passes whole");
    const std::size_t microbatches = order.microbatches * order.slices;
    count_ = static_cast<double>(microbatches);
    has_two_parts_ = level == 1 && chunks_ > 1 && microbatches == ranks_;
    is_less_ = std::string_view(order.name) == "sapp-less-memory";
  }

  /// How many times passes count.
  [[nodiscard]] double count() const noexcept { return count_; }
  [[nodiscard]] bool has_two_parts() const noexcept { return has_two_parts_; }
  [[nodiscard]] std::size_t chunks() const noexcept { return chunks_; }

  /// The parts of a rank.
  ///
  /// @param times  `times(v, is_backward)`: the pass of the rank's stage v
  /// @param tail   the forward pass of the tail, on the last stage
  template <class Times>
  [[nodiscard]] parts of(std::size_t rank, double tail, const Times& times) const {
    double forward = 0;
    double backward = 0;
    const std::size_t looked_at = has_two_parts_ ? chunks_ - 1 : chunks_;
    for (std::size_t v = 0; v < looked_at; ++v) {
      forward = forward < times(v, false) ? times(v, false) : forward;
      backward = backward < times(v, true) ? times(v, true) : backward;
    }
    if (!has_two_parts_) return {0, count_ * (forward + backward)};
    const double own = rank + 1 == ranks_ ? tail : 0;  // counts in full
    const double last = times(chunks_ - 1, true) + own;
    return {count_ * backward, count_ * last + among_backward(rank) * (times(chunks_ - 1, false) - own)};
  }

  /// The objective for the largest parts.
  [[nodiscard]] double value(const parts& largest) const noexcept {
    return largest.first + (largest.last < largest.first ? largest.first : largest.last);
  }

 private:
  /// How many forward passes of its last stage a rank runs among backward passes, as SAPP counts them for m = p.
  [[nodiscard]] double among_backward(std::size_t rank) const noexcept {
    if (is_less_) return static_cast<double>(rank);
    return rank < ranks_ / 2 ? 0 : static_cast<double>(2 * rank) - static_cast<double>(ranks_ - 1);
  }

  std::size_t ranks_;
  std::size_t chunks_;
  double count_ = 0;
  bool has_two_parts_ = false;
  bool is_less_ = false;
};

/// Finds the optimal plan for SAPP's objective: first among stages of few layers, then among all that may be better.
class sapp_search {
 public:
  sapp_search(const recompute_model& model, const recompute_request& request, const sapp_rule& rule)
      : model_(model),
        request_(request),
        rule_(rule),
        unit_(unit_of(model, {}, request.schedule)),
        rules_(rules_of(model, request, unit_, false)),
        curves_(model, unit_, false),
        tail_(unit_.whole(model.tail.forward)) {}

  /// The result.
  enum class found : std::uint8_t { best, plan, nothing, none_exists };

  found run() {
    const std::size_t stages = request_.schedule.stages();
    const std::size_t even = (layers() + stages - 1) / stages;
    for (std::size_t more = 2; options_.empty(); more *= 2) {
      const std::size_t longest = even + more < layers() ? even + more : layers();
      const bool all = longest == layers() && (curves_.alike() || more >= layers());
      const bool anywhere = all || curves_.alike();
      if (!build(longest, no_time, anywhere ? std::vector<option_builder::range>{} : around_even(more))) {
        return found::nothing;
      }
      solve();
      if (options_.empty() && all) return found::none_exists;
    }
    option_graph first = std::move(graph_);
    if (!build(longest_of(value_), most_of_rank(value_ / rule_.count()), {})) {
      graph_ = std::move(first);
      return found::plan;
    }
    options_.clear();
    solve();
    return found::best;
  }

  /// A lower bound of the objective, in the user's unit.
  [[nodiscard]] double bound_of_work() const {
    double sum = 0;
    const auto add = [&](const layer_type& type) {
      double least = type.choices.empty() ? 0 : no_time;
      for (const recompute_choice& each : type.choices) least = std::min(least, each.backward);
      sum += rule_.has_two_parts() ? 2 * least : type.forward + least;
    };
    for (const std::size_t type : model_.layers) add(model_.types[type]);
    add(model_.head);
    add(model_.tail);
    return sum / static_cast<double>(request_.schedule.stages()) * (1 - 0x1p-40);
  }

  /// Returns the layers of every stage, and the choice of each layer.
  [[nodiscard]] std::pair<cuts, std::vector<std::size_t>> plan() const {
    const std::size_t stages = request_.schedule.stages();
    std::vector<std::size_t> points{0};
    std::vector<std::size_t> choices;
    for (std::size_t s = 0; s < stages; ++s) {
      const std::size_t r = request_.schedule.rank_of[s];
      const rank_options& rank = graph_.ranks[r];
      const std::size_t v = s / request_.schedule.ranks();
      const std::uint32_t content = rank.classes()[rank.class_of(options_[r])].of[v];
      auto left = curves_.counts_of(content, rank.point(options_[r], v));
      points.push_back(points.back() + curves_[content].layers());
      for (std::size_t i = points[s]; i < points[s + 1]; ++i) {
        choices.push_back(next_choice(model_.types[model_.layers[i]], left[model_.layers[i]]));
      }
    }
    return {cuts(points, empty_stages::allowed), std::move(choices)};
  }

 private:
  static constexpr std::size_t most_asked = 2'000;  // calls of `stop`: some seconds

  [[nodiscard]] std::size_t layers() const noexcept { return model_.layers.size(); }

  /// Returns whether all options were built.
  bool build(std::size_t longest, double most, std::vector<option_builder::range> ranges) {
    const auto stop = [this] { return ++asked_ > most_asked || (request_.search.stop && request_.search.stop()); };
    option_builder builder(curves_, request_.schedule, rules_, false, least_layers_of(request_), longest, most,
                           std::move(ranges), false, stop);
    graph_ = builder.build();
    return builder.complete();
  }

  [[nodiscard]] std::vector<option_builder::range> around_even(std::size_t more) const {
    std::vector<std::size_t> points;
    const std::size_t stages = request_.schedule.stages();
    for (std::size_t c = 0; c <= stages; ++c) points.push_back(layers() * c / stages);
    return ranges_around(points, more, layers());
  }

  /// The most layers of a stage in a plan with objective `value` or less.
  [[nodiscard]] std::size_t longest_of(double value) const {
    double least = no_time;
    for (const layer_type& type : model_.types) {
      for (const recompute_choice& each : type.choices) {
        const double here = unit_.whole(each.backward) + (rule_.has_two_parts() ? 0 : unit_.whole(type.forward));
        least = std::min(least, here);
      }
    }
    std::size_t longest = 0;
    while (longest < layers() && static_cast<double>(longest + 1) * least * rule_.count() <= value) ++longest;
    return longest;
  }

  /// The most work of a microbatch on a rank in a plan with objective `value` or less.
  [[nodiscard]] double most_of_rank(double value) const {
    const auto chunks = static_cast<double>(rule_.chunks());
    if (!rule_.has_two_parts()) return chunks * value;
    // Backward passes: x of each stage but the last and y of that, where 2x <= x + max(x, y) = value.
    double share = 0;  // of forward passes among them
    for (const layer_type& type : model_.types) {
      for (const recompute_choice& each : type.choices) {
        const double backward = unit_.whole(each.backward);
        const double forward = unit_.whole(type.forward);
        if (forward > share * backward) share = backward > 0 ? forward / backward : no_time;
      }
    }
    const double most = (1 + share) * chunks / 2 * value * (1 + 0x1p-40) + unit_.whole(model_.head.forward) + tail_;
    return most < no_time ? most : no_time;
  }

  /// Finds the best options of the graph, if it has a path: smallest objective, then shortest backward passes.
  void solve() {
    std::vector<double> firsts = price();
    value_ = no_time;
    for (const double first : firsts) {
      if (2 * first >= value_) break;
      const double here = rule_.value({first, least_last(first)});
      value_ = std::min(value_, here);
    }
    if (value_ >= no_time) return;
    std::vector<double> weights(request_.schedule.stages() * engine::tick_kinds);
    for (std::size_t s = 0; s < request_.schedule.stages(); ++s) weights[s * engine::tick_kinds + engine::tick_b] = 1;
    option_paths paths(graph_);
    double least = no_time;
    for (const double first : firsts) {
      if (2 * first > value_) break;
      auto live = option_paths::all_live(graph_);
      for (std::size_t r = 0; r < live.size(); ++r) {
        for (std::size_t o = 0; o < live[r].size(); ++o) {
          live[r][o] = parts_[r][o].first <= first && first + parts_[r][o].last <= value_ ? 1 : 0;
        }
      }
      paths.price(live, weights);
      const double here = paths.least();
      if (here >= least) continue;
      least = here;
      paths.path(options_);
    }
  }

  /// Computes both parts of all options; returns the values of the first one, sorted.
  std::vector<double> price() {
    std::vector<double> firsts;
    parts_.assign(graph_.ranks.size(), {});
    for (std::size_t r = 0; r < graph_.ranks.size(); ++r) {
      const rank_options& rank = graph_.ranks[r];
      for (std::size_t o = 0; o < rank.size(); ++o) {
        parts_[r].push_back(rule_.of(r, tail_, [&](std::size_t v, bool is_backward) {
          return rank.times(v * rank.kinds() +
                            static_cast<std::size_t>(is_backward ? engine::tick_b : engine::tick_f))[o];
        }));
        firsts.push_back(parts_[r].back().first);
      }
    }
    std::stable_sort(firsts.begin(), firsts.end(), [](double a, double b) { return a < b; });
    std::size_t kept = 0;
    for (const double first : firsts) {
      if (kept == 0 || firsts[kept - 1] != first) firsts[kept++] = first;
    }
    firsts.resize(kept);
    return firsts;
  }

  /// The smallest possible maximum of the second part, over options whose first part is at most `first`.
  [[nodiscard]] double least_last(double first) const {
    std::vector<double> before{0};
    for (std::size_t r = 0; r < graph_.ranks.size(); ++r) {
      std::vector<double> group(graph_.steps[r].groups.size(), no_time);
      for (std::size_t g = 0; g < group.size(); ++g) {
        for (std::uint32_t o = graph_.steps[r].groups[g].first; o < graph_.steps[r].groups[g].last; ++o) {
          const sapp_rule::parts& here = parts_[r][o];
          if (here.first <= first && here.last < group[g]) group[g] = here.last;
        }
      }
      std::vector<double> behind(graph_.nodes[r + 1], no_time);
      for (const option_graph::edge& edge : graph_.steps[r].edges) {
        const double here = before[edge.from] < group[edge.group] ? group[edge.group] : before[edge.from];
        behind[edge.to] = std::min(behind[edge.to], here);
      }
      before = std::move(behind);
    }
    return before.empty() ? no_time : before[0];
  }

  const recompute_model& model_;
  const recompute_request& request_;
  const sapp_rule& rule_;
  whole_times unit_;
  std::vector<rank_rules> rules_;
  choice_curves curves_;
  double tail_;
  option_graph graph_{};
  std::vector<std::vector<sapp_rule::parts>> parts_{};  // [rank][option]
  double value_ = no_time;
  std::vector<std::uint32_t> options_{};
  std::size_t asked_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL double sapp_objective(const recompute_model& model, const recompute_request& request, const cuts& stages,
                                    const std::vector<std::size_t>& choices, std::size_t level) {
  detail::check_recompute_request("sapp_objective", model, request);
  const detail::sapp_rule rule("sapp_objective", request.schedule, level);
  const recompute_run run = simulate_recomputation(model, request, stages, choices);
  detail::sapp_rule::parts largest;
  const std::size_t ranks = request.schedule.ranks();
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto here = rule.of(r, model.tail.forward, [&](std::size_t v, bool is_backward) {
      return (is_backward ? run.times.backward : run.times.forward)[v * ranks + r];
    });
    if (largest.first < here.first) largest.first = here.first;
    if (largest.last < here.last) largest.last = here.last;
  }
  return rule.value(largest) / rule.count();
}

STAGECUT_DECL outcome<sapp_surrogate_plan> minimize_sapp_surrogate(const recompute_model& model,
                                                                   const recompute_request& request,
                                                                   std::size_t level) {
  using answer = outcome<sapp_surrogate_plan>;
  constexpr const char* function = "minimize_sapp_surrogate";
  detail::check_recompute_request(function, model, request);
  const detail::sapp_rule rule(function, request.schedule, level);
  if (detail::least_layers_in_all(request) > model.layers.size()) {
    return answer::infeasible(detail::why_too_few_layers(model, request));
  }
  detail::sapp_search search(model, request, rule);
  using found = detail::sapp_search::found;
  const found what = search.run();
  if (what == found::nothing) return answer::unknown({reason::cause::limit_reached});
  if (what == found::none_exists) return answer::infeasible(detail::explain_infeasible_recomputation(model, request));
  sapp_surrogate_plan plan;
  auto [points, choices] = search.plan();
  plan.cuts = std::move(points);
  plan.choices = std::move(choices);
  const recompute_run run = simulate_recomputation(model, request, plan.cuts, plan.choices);
  plan.makespan = run.makespan;
  plan.memory = run.memory;
  for (const double each : run.recomputed) plan.recomputed += each;
  plan.value = sapp_objective(model, request, plan.cuts, plan.choices, level);
  plan.bound = what == found::best ? plan.value : search.bound_of_work();
  if (plan.bound > plan.value) plan.bound = plan.value;
  return what == found::best ? answer::optimal(std::move(plan)) : answer::feasible(std::move(plan));
}

}  // namespace stagecut::inline STAGECUT_ABI
