// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/build_options.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>
#include <stagecut/joint/detail/cut_ranges.hpp>
#include <stagecut/joint/detail/layer_work.hpp>
#include <stagecut/joint/detail/option_annealing.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/option_search.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/detail/start_options.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds a plan with the smallest makespan: builds options with few layers per stage, anneals among them, then builds
/// all options that a better plan may have, and alternates branch and bound with more annealing.
class recompute_search {
 public:
  /// @param messages     lower bounds after every stage, in the user's unit
  /// @param bounds_hold  whether no plan is left out, so that bounds hold for all plans
  recompute_search(const recompute_model& model, const recompute_request& request, const std::vector<double>& messages,
                   bool splits, bool has_messages, bool bounds_hold);

  /// The result.
  enum class found : std::uint8_t { plan, nothing, none_exists };

  /// @param own  a user's own plan that keeps to the request, a further start of annealing; null: none
  found run(const recompute_strategy* own);

  /// Of the best plan.
  /// @{
  [[nodiscard]] const std::vector<std::uint32_t>& counts() const noexcept { return best_.counts; }
  /// The number of layers of every type that a stage runs with every choice: `[type][choice]`.
  [[nodiscard]] std::vector<std::vector<std::size_t>> ways_of(std::size_t stage) const;
  [[nodiscard]] double makespan() const noexcept { return makespan_ * unit_.unit; }
  /// @}
  [[nodiscard]] double bound() const noexcept { return bound_ * unit_.unit; }
  [[nodiscard]] double bound_of_work() const { return least_work() * unit_.unit; }
  [[nodiscard]] double error() const noexcept { return unit_.error; }
  [[nodiscard]] bool proved() const noexcept { return proved_; }
  [[nodiscard]] engine::search_clock& clock() noexcept { return clock_; }
  [[nodiscard]] std::size_t simulations() const noexcept { return simulations_; }

 private:
  static constexpr std::size_t first_ways = 4;
  static constexpr std::size_t rounds_of_way = 3;

  [[nodiscard]] std::size_t stages() const noexcept { return request_.schedule.stages(); }
  [[nodiscard]] std::size_t layers() const noexcept { return model_.layers.size(); }

  /// Finds the first plan, in graphs with ever more options.
  found start();

  /// Ranges of cut points around those of the best plan, or of even stages if there is none yet.
  [[nodiscard]] std::vector<option_builder::range> ranges(std::size_t around) const;

  void anneal(const chosen_options& from, std::size_t rounds);

  /// Anneals among the options around a user's plan, and then from the first plan; the options of the better one
  /// remain.
  void anneal_around(const recompute_strategy& own);

  /// All options near the cut points of such a plan, or, if those are too many, at its own cut points.
  [[nodiscard]] option_graph options_around(const recompute_strategy& own);

  /// Such a plan as options of the graph: those with the same layers that exceed its times least; empty: there are
  /// none.
  [[nodiscard]] std::vector<std::uint32_t> options_of(const recompute_strategy& own);

  /// The times of the backward passes of a stage of such a plan, `[tick_kind]`.
  [[nodiscard]] std::array<double, engine::tick_kinds> passes_of(const recompute_strategy& own, std::size_t rank,
                                                                 std::size_t v) const;

  void take(chosen_options better, double makespan);

  /// Adds all options that a plan as good as the best one may have; where layers differ, as many as time permits, in
  /// ever wider ranges around the best plan.
  void take_all_options();

  /// The same options in another graph, or options that are nowhere slower.
  [[nodiscard]] static std::vector<std::uint32_t> moved(const option_graph& from, const option_graph& to,
                                                        const std::vector<std::uint32_t>& options);

  /// Runs branch and bound, and annealing whenever it has taken twice as long.
  void prove();

  /// Runs annealing alone, where there are too many options.
  void improve();

  /// A lower bound of every plan: its work divided evenly among the ranks, in integer units.
  [[nodiscard]] double least_work() const;

  const recompute_model& model_;
  const recompute_request& request_;
  bool splits_;
  bool bounds_hold_;
  whole_times unit_;
  std::vector<rank_rules> rules_;
  choice_curves curves_;
  engine::search_clock clock_;
  engine::times_simulator simulator_;
  option_graph graph_{};
  recompute_problem problem_{};
  chosen_options best_{};
  chosen_options fresh_{};  // the start of other runs
  double makespan_ = 0;
  double bound_ = 0;
  double own_seconds_ = 0;  // spent around a user's own plan
  bool complete_ = false;
  bool proved_ = false;
  std::uint64_t seed_ = 0;
  std::size_t simulations_ = 0;
};

inline recompute_search::recompute_search(const recompute_model& model, const recompute_request& request,
                                          const std::vector<double>& messages, bool splits, bool has_messages,
                                          bool bounds_hold)
    : model_(model),
      request_(request),
      splits_(splits),
      bounds_hold_(bounds_hold),
      unit_(unit_of(model, messages, request.schedule)),
      rules_(rules_of(model, request, unit_, splits)),
      curves_(model, unit_, splits),
      clock_(request.search),
      simulator_(request.schedule, request.transfers, splits, has_messages) {
  problem_.order = &request.schedule;
  problem_.curves = &curves_;
  problem_.simulator = &simulator_;
  for (const double message : messages) problem_.messages.push_back(unit_.whole(message));
}

inline auto recompute_search::run(const recompute_strategy* own) -> found {
  const found first = start();
  if (first == found::none_exists) return first;
  bound_ = least_work();
  if (own != nullptr) {
    anneal_around(*own);
  } else if (first == found::plan) {
    anneal(best_, rounds_of_way);
  }
  if (best_.options.empty()) return found::nothing;
  take_all_options();
  const std::vector<std::uint32_t> options = start_options(graph_);
  fresh_ = {problem_.counts_of(options), options};
  // Not every run leads to the best plan, so there are several.
  for (std::size_t way = 0; way < first_ways; ++way) anneal(way % 2 == 0 ? fresh_ : best_, rounds_of_way);
  if (complete_) {
    prove();
  } else {
    improve();
  }
  return found::plan;
}

inline std::vector<std::vector<std::size_t>> recompute_search::ways_of(std::size_t stage) const {
  const rank_options& rank = graph_.ranks[request_.schedule.rank_of[stage]];
  std::size_t v = 0;
  while (rank.stage(v) != stage) ++v;
  const std::uint32_t option = best_.options[request_.schedule.rank_of[stage]];
  return curves_.counts_of(rank.classes()[rank.class_of(option)].of[v], rank.point(option, v));
}

inline auto recompute_search::start() -> found {
  const std::vector<option_builder::range> everywhere;
  const std::size_t even = (layers() + stages() - 1) / stages();
  const auto stop = [this] { return clock_.look(); };
  for (std::size_t more = curves_.alike() ? 2 : 1;; more *= 2) {
    const std::size_t longest = even + more < layers() ? even + more : layers();
    const bool all = longest == layers() && (curves_.alike() || more >= layers());
    const bool anywhere = all || curves_.alike();
    option_builder builder(curves_, request_.schedule, rules_, splits_, least_layers_of(request_),
                           curves_.alike() ? longest : layers(), no_time, anywhere ? everywhere : ranges(more), true,
                           stop);
    option_graph graph = builder.build();
    std::vector<std::uint32_t> options;
    if (builder.complete()) options = start_options(graph);
    if (!options.empty()) {
      graph_ = std::move(graph);
      problem_.graph = &graph_;
      take({problem_.counts_of(options), options}, problem_.makespan(problem_.times_of(options)));
      return found::plan;
    }
    if (!builder.complete()) return found::nothing;
    if (all) return found::none_exists;
    if (clock_.look()) return found::nothing;
  }
}

inline std::vector<option_builder::range> recompute_search::ranges(std::size_t around) const {
  std::vector<std::size_t> points;
  if (best_.counts.empty()) {
    points = even_points(model_, unit_, stages());
  } else {
    points.push_back(0);
    for (const std::size_t count : best_.counts) points.push_back(points.back() + count);
  }
  return ranges_around(points, around, layers());
}

inline void recompute_search::anneal(const chosen_options& from, std::size_t rounds) {
  option_annealing search(problem_, clock_, ++seed_);
  search.begin(from);
  constexpr double hottest[] = {0.004, 0.0015, 0.0006};
  const std::size_t options = graph_.options();
  const std::size_t steps = options < 1000 ? 100 * options : 100'000;
  for (std::size_t i = 0; i < rounds && !clock_.over(); ++i) {
    search.run(steps, hottest[i % 3]);
  }
  simulations_ += search.simulations;
  if (best_.options.empty() || search.makespan < makespan_) take(search.best, search.makespan);
}

inline void recompute_search::anneal_around(const recompute_strategy& own) {
  static_cast<void>(clock_.look());
  const double begin = clock_.state.seconds;
  option_graph other = options_around(own);
  chosen_options first;
  const double makespan = makespan_;
  std::swap(graph_, other);
  std::swap(best_, first);
  problem_.graph = &graph_;
  const std::vector<std::uint32_t> options = options_of(own);
  if (!options.empty()) anneal({problem_.counts_of(options), options}, rounds_of_way);
  static_cast<void>(clock_.look());
  own_seconds_ = clock_.state.seconds - begin;
  std::swap(graph_, other);
  std::swap(best_, first);
  const double of_own = makespan_;
  makespan_ = makespan;
  if (!best_.options.empty()) anneal(best_, rounds_of_way);
  if (first.options.empty() || (!best_.options.empty() && makespan_ < of_own)) return;
  graph_ = std::move(other);
  best_ = std::move(first);
  makespan_ = of_own;
}

inline option_graph recompute_search::options_around(const recompute_strategy& own) {
  const auto& limit = request_.search.time_limit;
  static_cast<void>(clock_.look());
  const double begin = clock_.state.seconds;
  const auto stop = [&] { return clock_.look() || (limit && clock_.state.seconds - begin > *limit / 20); };
  const std::vector<std::size_t> points(own.cuts.points().begin(), own.cuts.points().end());
  for (std::size_t around = 1;; --around) {
    option_builder builder(curves_, request_.schedule, rules_, splits_, least_layers_of(request_), layers(), no_time,
                           ranges_around(points, around, layers()), false, stop);
    option_graph graph = builder.build();
    if (builder.complete() || around == 0) return graph;
  }
}

inline std::vector<std::uint32_t> recompute_search::options_of(const recompute_strategy& own) {
  std::vector<std::uint32_t> result;
  for (std::size_t r = 0; r < graph_.ranks.size(); ++r) {
    const rank_options& rank = graph_.ranks[r];
    std::vector<std::uint32_t> of;
    std::vector<double> times;
    for (std::size_t v = 0; v < rank.stages(); ++v) {
      of.push_back(curves_.of(own.cuts[rank.stage(v)], own.cuts[rank.stage(v) + 1]));
      const auto passes = passes_of(own, r, v);
      times.insert(times.end(), passes.begin(), passes.begin() + static_cast<std::ptrdiff_t>(rank.kinds()));
    }
    const std::size_t place = rank.find(of);
    if (place == rank.classes().size()) return {};
    std::uint32_t nearest = rank.classes()[place].first;
    double least = no_time;
    for (std::uint32_t o = nearest; o < rank.classes()[place].last; ++o) {
      double over = 0;
      for (std::size_t j = 0; j < times.size(); ++j) over += std::max(0.0, rank.times(j)[o] - times[j]);
      if (over < least) least = over, nearest = o;
    }
    result.push_back(nearest);
  }
  return result;
}

inline std::array<double, engine::tick_kinds> recompute_search::passes_of(const recompute_strategy& own,
                                                                          std::size_t rank, std::size_t v) const {
  const rank_rules& rules = rules_[rank];
  const std::size_t s = rules.stages[v];
  std::array<double, engine::tick_kinds> result{};
  result[engine::tick_f] = no_time;  // equal for all options with the same layers
  result[engine::tick_b] = rules.own_backward[v];
  result[engine::tick_w] = rules.own_weight[v];
  for (std::size_t i = own.cuts[s]; i < own.cuts[s + 1]; ++i) {
    const recompute_choice& way = model_.types[model_.layers[i]].choices[own.choices[i]];
    const double weight = splits_ ? unit_.whole(way.backward_weight) : 0;
    result[engine::tick_b] += unit_.whole(way.backward) - weight;
    result[engine::tick_w] += weight;
  }
  return result;
}

inline void recompute_search::take(chosen_options better, double makespan) {
  best_ = std::move(better);
  makespan_ = makespan;
  const double here = makespan_ * unit_.unit;
  if (clock_.state.value == 0 || here < clock_.state.value) clock_.state.value = here;
  clock_.tell();
}

inline void recompute_search::take_all_options() {
  const auto passes = static_cast<double>(request_.schedule.microbatches * request_.schedule.slices);
  const std::vector<option_builder::range> everywhere;
  const auto& limit = request_.search.time_limit;
  const auto& nodes = request_.search.node_limit;
  // At most half of the limits: `stop` is called at intervals of some thousand nodes.
  std::size_t asked = 0;
  const std::size_t most_asked = nodes && !limit ? 64 + *nodes / 2000 : ~std::size_t{0};
  const auto stop = [&] {
    return ++asked > most_asked || clock_.look() || (limit && clock_.state.seconds > *limit / 2 + own_seconds_);
  };
  for (std::size_t around = curves_.alike() ? layers() : 2;; around *= 2) {
    const bool all = around >= layers();
    option_builder builder(curves_, request_.schedule, rules_, splits_, least_layers_of(request_), layers(),
                           makespan_ / passes, all ? everywhere : ranges(around), false, stop);
    option_graph wider = builder.build();
    if (!builder.complete()) return;
    best_.options = moved(graph_, wider, best_.options);
    graph_ = std::move(wider);
    makespan_ = problem_.makespan(problem_.times_of(best_.options));
    complete_ = all;
    if (all) return;
  }
}

inline std::vector<std::uint32_t> recompute_search::moved(const option_graph& from, const option_graph& to,
                                                          const std::vector<std::uint32_t>& options) {
  std::vector<std::uint32_t> result;
  for (std::size_t r = 0; r < options.size(); ++r) {
    const rank_options& old = from.ranks[r];
    const rank_options& now = to.ranks[r];
    const rank_options::contents& here = now.classes()[now.find(old.classes()[old.class_of(options[r])].of)];
    std::uint32_t found = here.first;
    for (std::uint32_t o = here.first; o < here.last; ++o) {
      bool covers = true;
      for (std::size_t j = 0; j < now.width(); ++j) covers = covers && now.times(j)[o] <= old.times(j)[options[r]];
      if (covers) found = o;
    }
    result.push_back(found);
  }
  return result;
}

inline void recompute_search::prove() {
  option_search search(problem_, clock_, unit_.step, unit_.error > 0 ? 0x1p-32 : 0);
  search.begin(best_.options);
  std::size_t pause = 64 * option_search::nodes_of_set;
  std::size_t way = 0;
  for (;;) {
    clock_.pause_after(pause);
    proved_ = search.run();
    clock_.resume();
    bound_ = std::max(bound_, search.bound);
    clock_.state.bound = (bounds_hold_ ? bound_ : least_work()) * unit_.unit;
    if (search.makespan < makespan_) take({problem_.counts_of(search.best), search.best}, search.makespan);
    if (proved_ || clock_.look()) break;
    const double before = makespan_;
    anneal(++way % 2 == 0 ? fresh_ : best_, rounds_of_way);
    if (makespan_ < before) search.better(best_.options);
    pause *= 2;
  }
  simulations_ += search.simulations;
}

inline void recompute_search::improve() {
  for (std::size_t round = 0; round < 20 && !clock_.look(); ++round)
    anneal(round % 4 == 3 ? fresh_ : best_, rounds_of_way);
}

inline double recompute_search::least_work() const {
  const auto passes = static_cast<double>(request_.schedule.microbatches * request_.schedule.slices);
  return passes * work_of(model_, unit_, true) / static_cast<double>(request_.schedule.ranks()) * (1 - 0x1p-40);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
