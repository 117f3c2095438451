// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/interval.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/cost/stage_times.hpp>
#include <stagecut/cost/with_speeds.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/model_rules.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/pair_graph.hpp>
#include <stagecut/makespan/detail/stage_graph.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/task_graph.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "../schedule/oracle.hpp"

/// Random chains with whole times, and the makespans of all their cuts, from the definition.
namespace chains {

using oracle::dice;
using stagecut::makespan_request;
using stagecut::op;
using stagecut::op_kind;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::shape_figure;
using stagecut::transfer_kind;
using points = std::vector<std::size_t>;

/// Lists of times and of bytes; and the fixed times of stages.
class layers : public stagecut::item_times {
 public:
  layers(std::vector<double> forward, std::vector<double> backward, std::vector<double> weight,
         std::vector<double> sent, std::vector<double> fixed = {}, std::vector<double> held = {},
         stagecut::stage_times own = {})
      : item_times(std::move(forward), std::move(backward), std::move(weight), std::move(sent)),
        fixed_(std::move(fixed)),
        held_(std::move(held)),
        own_(std::move(own)) {}

  /// The gradient of the input, which else is what is left of the backward pass.
  void tell_input(std::vector<double> input) { input_ = std::move(input); }
  [[nodiscard]] double backward_input(std::size_t s, std::size_t i) const {
    return input_.empty() ? backward(s, i) - backward_weight(s, i) : input_[i];
  }

  [[nodiscard]] double stage_forward(std::size_t s) const { return of(own_.forward, s); }
  [[nodiscard]] double stage_backward(std::size_t s) const { return of(own_.backward, s); }
  [[nodiscard]] double stage_backward_weight(std::size_t s) const { return of(own_.backward_weight, s); }

  [[nodiscard]] double memory(std::size_t, std::size_t first, std::size_t last, std::size_t microbatches) const {
    double sum = 0;
    for (std::size_t i = first; i < last && i < fixed_.size(); ++i) {
      sum += fixed_[i] + static_cast<double>(microbatches) * held_[i];
    }
    return sum;
  }

 private:
  static double of(const std::vector<double>& list, std::size_t s) { return s < list.size() ? list[s] : 0; }

  std::vector<double> input_{};
  std::vector<double> fixed_;
  std::vector<double> held_;
  stagecut::stage_times own_;
};

/// Some cut points, some stages, or stages of too many items are forbidden.
struct forbidden {
  std::vector<char> cut{};                                   // whether a cut point may not be; empty: all may
  std::vector<std::vector<stagecut::interval>> intervals{};  // that may not be a stage, of every stage; empty: none
  std::size_t most_items = ~std::size_t{0};

  bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    if (last - first > most_items) return false;
    if (!cut.empty() && (cut[first] != 0 || cut[last] != 0)) return false;
    if (intervals.empty()) return true;
    const auto& here = intervals[stage];
    return std::find(here.begin(), here.end(), stagecut::interval{first, last}) == here.end();
  }
  /// A little of what could be said.
  [[nodiscard]] bool hopeless(std::size_t, std::size_t first, std::size_t last) const {
    return last - first > most_items || (!cut.empty() && cut[first] != 0);
  }
};

/// A chain and for what it is cut.
struct chain {
  layers model;
  std::vector<double> speeds{};  // of the stages; empty: all the same
  makespan_request request{};
  std::optional<forbidden> rules{};

  /// `use(model)`, with the speeds.
  template <class Use>
  auto with_model(const Use& use) const {
    if (speeds.empty()) return use(model);
    return use(stagecut::with_speeds<layers>(model, speeds));
  }
};

/// A cut and its makespan.
using valued = std::pair<double, points>;

/// The time of a stage: the sum of its items, plus its fixed time.
/// @{
template <class Model>
[[nodiscard]] double forward_of(const Model& model, std::size_t s, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += model.forward(s, i);
  if constexpr (requires { model.stage_forward(s); }) sum += model.stage_forward(s);
  return sum;
}
template <class Model>
[[nodiscard]] double backward_of(const Model& model, std::size_t s, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += model.backward(s, i);
  if constexpr (requires { model.stage_backward(s); }) sum += model.stage_backward(s);
  return sum;
}
template <class Model>
[[nodiscard]] double input_of(const Model& model, std::size_t s, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) {
    if constexpr (requires { model.backward_input(s, i); }) {
      sum += model.backward_input(s, i);
    } else {
      sum += model.backward(s, i) - model.backward_weight(s, i);
    }
  }
  if constexpr (requires { model.stage_backward(s); }) sum += model.stage_backward(s);
  if constexpr (requires { model.stage_backward_weight(s); }) sum -= model.stage_backward_weight(s);
  return sum;
}
template <class Model>
[[nodiscard]] double weight_of(const Model& model, std::size_t s, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += model.backward_weight(s, i);
  if constexpr (requires { model.stage_backward_weight(s); }) sum += model.stage_backward_weight(s);
  return sum;
}
/// @}

/// What the heaviest stage takes for one microbatch, whose gradients are run apart or not.
template <class Model>
[[nodiscard]] double heaviest_of(const Model& model, const points& cut, bool apart) {
  double most = 0;
  for (std::size_t s = 0; s + 1 < cut.size(); ++s) {
    const double back = apart ? input_of(model, s, cut[s], cut[s + 1]) + weight_of(model, s, cut[s], cut[s + 1])
                              : backward_of(model, s, cut[s], cut[s + 1]);
    most = std::max(most, forward_of(model, s, cut[s], cut[s + 1]) + back);
  }
  return most;
}

/// The durations of a cut.
template <class T>
struct durations {
  stagecut::pass_times<T> times{};
  stagecut::transfer_times<T> transfers{};
};

[[nodiscard]] inline bool splits(const schedule& order) {
  for (const auto& ops : order.orders) {
    for (const auto& op : ops) {
      if (op.kind == op_kind::backward_input) return true;
    }
  }
  return false;
}

/// From what the model says of whole stages.
template <class T, class Model>
[[nodiscard]] durations<T> durations_of(const Model& model, const makespan_request& request, const points& cut) {
  durations<T> result;
  const bool split = splits(request.schedule);
  const std::size_t stages = request.schedule.stages();
  result.transfers.kind = request.transfers;
  for (std::size_t s = 0; s < stages; ++s) {
    result.times.forward.push_back(static_cast<T>(forward_of(model, s, cut[s], cut[s + 1])));
    if (split) {
      result.times.backward_input.push_back(static_cast<T>(input_of(model, s, cut[s], cut[s + 1])));
      result.times.backward_weight.push_back(static_cast<T>(weight_of(model, s, cut[s], cut[s + 1])));
    } else {
      result.times.backward.push_back(static_cast<T>(backward_of(model, s, cut[s], cut[s + 1])));
    }
    if (s + 1 == stages || request.links.empty()) continue;
    const auto& link = request.links[request.links.size() == 1 ? 0 : s];
    const double bytes = model.sent(cut[s + 1]);
    const double time = link.latency + (link.bandwidth == 0 ? 0 : bytes / link.bandwidth);
    result.transfers.forward.push_back(static_cast<T>(time));
    result.transfers.backward.push_back(static_cast<T>(time));
  }
  return result;
}

/// Whether every rank has room at every moment.
template <class Model>
[[nodiscard]] bool has_room(const Model& model, const makespan_request& request, const points& cut) {
  if (!request.memory_limit.for_all()) return true;
  const schedule& order = request.schedule;
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    std::map<std::size_t, std::size_t> held;
    for (std::size_t s = 0; s < order.stages(); ++s) {
      if (order.rank_of[s] == r) held[s] = 0;
    }
    for (const auto& op : order.orders[r]) {
      if (op.kind == op_kind::backward || op.kind == op_kind::backward_weight) --held[op.stage];
      if (op.kind != op_kind::forward) continue;
      ++held[op.stage];
      double sum = 0;
      for (const auto& [s, count] : held) sum += model.memory(s, cut[s], cut[s + 1], count);
      if (sum > *request.memory_limit.for_all()) return false;
    }
  }
  return true;
}

/// Calls `visit` with the points of all cuts of n items.
template <class Visit>
void each_cut(std::size_t n, std::size_t stages, const Visit& visit) {
  if (stages == 0 || stages > n) return;
  points cut(stages + 1);
  for (std::size_t s = 0; s < stages; ++s) cut[s] = s;
  cut[stages] = n;
  for (;;) {
    visit(cut);
    std::size_t s = stages - 1;
    while (s > 0 && cut[s] == n - (stages - s)) --s;
    if (s == 0) return;
    ++cut[s];
    for (std::size_t next = s + 1; next < stages; ++next) cut[next] = cut[next - 1] + 1;
  }
}

/// Simulates cuts of one chain, in numbers of type T.
template <class T>
class simulator_in {
 public:
  explicit simulator_in(const makespan_request& request)
      : request_(request), graph_(request.schedule, {.transfers = request.transfers, .with_transfers = with(request)}) {}

  template <class Model>
  T operator()(const Model& model, const points& cut) {
    const auto of = durations_of<T>(model, request_, cut);
    return graph_.makespan(of.times, of.transfers, workspace_);
  }

 private:
  static bool with(const makespan_request& request) { return !request.links.empty() && request.schedule.stages() > 1; }

  const makespan_request& request_;
  stagecut::task_graph graph_;
  stagecut::simulation_workspace<T> workspace_{};
};
using simulator = simulator_in<std::int64_t>;

/// All cuts that are allowed, by makespan, then by cut points; simulated in numbers of type T.
template <class T = std::int64_t>
[[nodiscard]] std::vector<valued> all_cuts(const chain& of) {
  std::vector<valued> result;
  simulator_in<T> simulate(of.request);
  of.with_model([&](const auto& model) {
    each_cut(model.size(), of.request.schedule.stages(), [&](const points& cut) {
      for (std::size_t s = 0; of.rules && s + 1 < cut.size(); ++s) {
        if (!(*of.rules)(s, cut[s], cut[s + 1])) return;
      }
      if (!has_room(model, of.request, cut)) return;
      result.emplace_back(static_cast<double>(simulate(model, cut)), cut);
    });
    return 0;
  });
  std::sort(result.begin(), result.end());
  return result;
}

/// The cut of smallest makespan with the smallest bottleneck, then the lexicographically smallest; from all cuts in
/// `all_cuts`, at least one.
[[nodiscard]] inline points best_of(const chain& of, const std::vector<valued>& all) {
  return of.with_model([&](const auto& model) {
    const points* best = &all[0].second;
    double least = heaviest_of(model, *best, splits(of.request.schedule));
    for (const auto& [makespan, cut] : all) {
      if (makespan > all[0].first) break;
      const double here = heaviest_of(model, cut, splits(of.request.schedule));
      if (here < least) best = &cut, least = here;
    }
    return *best;
  });
}

/// Up to how much; some of them for what takes longer.
struct sizes {
  std::size_t items = 14;
  std::size_t ranks = 5;
  std::size_t microbatches = 12;
  std::size_t chunks = 0;  // of kinds that have any number; 0: 2 or 3
};

/// One of the kinds, or one of those that `fits(entry)`.
/// @{
[[nodiscard]] inline schedule_kind any_kind(dice& random) {
  return stagecut::schedules[random.below(stagecut::schedules_made_by_shape)].kind;
}
template <class Fits>
[[nodiscard]] schedule_kind any_kind(dice& random, const Fits& fits) {
  for (;;) {
    const schedule_kind kind = any_kind(random);
    if (fits(stagecut::entry_of(kind))) return kind;
  }
}
/// @}

/// A schedule of the kind with at most `items` stages.
[[nodiscard]] inline schedule random_order(dice& random, schedule_kind kind, const sizes& most) {
  for (;;) {
    stagecut::schedule_shape shape;
    const stagecut::schedule_entry& entry = stagecut::entry_of(kind);
    shape.ranks = random.from(1, most.ranks);
    shape.microbatches = random.from(1, most.microbatches);
    shape.stages_per_rank = entry.stages_per_rank != 0 ? entry.stages_per_rank : most.chunks != 0 ? most.chunks : random.from(2, 3);
    if (shape.ranks * shape.stages_per_rank > most.items) continue;
    if (entry.takes == shape_figure::slices) shape.slices = random.from(1, 3);
    if (entry.takes == shape_figure::group && random.once_in(2)) {
      shape.group = random.from(shape.ranks, most.microbatches);
    }
    for (std::size_t r = 0; entry.takes == shape_figure::in_flight && r < shape.ranks; ++r) {
      shape.in_flight.push_back(r == 0 ? random.from(1, most.microbatches) : random.from(1, shape.in_flight[r - 1]));
    }
    try {
      return stagecut::make_schedule(kind, shape);
    } catch (const stagecut::argument_error&) {  // such as fewer microbatches than the kind needs
    }
  }
}

/// The components of a random chain in addition to its layers.
struct ingredients {
  bool messages = true;
  bool speeds = true;
  bool memory = true;
  bool rules = true;
  bool constants = true;
};

/// Fixed times of stages, divisible by all speeds: all the same, all different, mostly zero, or large for the last.
[[nodiscard]] inline stagecut::stage_times random_constants(dice& random, const schedule& order) {
  const std::size_t stages = order.stages();
  const std::size_t how = random.below(4);
  const auto time = [&] { return static_cast<double>(6 * random.from(1, 30)); };
  const double same[] = {time(), time()};
  stagecut::stage_times result;
  for (std::size_t s = 0; s < stages; ++s) {
    const bool last = s + 1 == stages;
    const bool none = (how == 2 && !random.once_in(3)) || (how == 3 && !last);
    const double by = how == 3 ? 20 : 1;
    result.forward.push_back(none ? 0 : how == 0 ? same[0] : by * time());
    result.backward.push_back(none ? 0 : how == 0 ? same[1] : by * time());
    if (splits(order)) {
      const auto most = static_cast<std::size_t>(result.backward[s]) / 6;
      result.backward_weight.push_back(6 * static_cast<double>(random.below(most + 1)));
    }
  }
  if (random.once_in(4)) result.forward.clear();
  return result;
}

/// A chain for that schedule.
[[nodiscard]] inline chain random_chain(dice& random, const schedule& order, std::size_t most_items,
                                        const ingredients& with) {
  const std::size_t stages = order.stages();
  const std::size_t n = random.from(stages, std::max(stages, most_items));
  // Divisible by all speeds and bandwidths.
  const bool spread = random.once_in(3);
  const auto time = [&] {
    if (random.once_in(10)) return 0.0;
    return static_cast<double>(6 * (spread && random.once_in(3) ? random.from(1, 200) : random.from(1, 20)));
  };
  std::vector<double> lists[6];
  const std::size_t backward = random.below(3);
  for (std::size_t i = 0; i < n; ++i) {
    lists[0].push_back(time());
    lists[1].push_back(backward == 0 ? 2 * lists[0][i] : time());
    if (splits(order)) {
      const auto most = static_cast<std::size_t>(lists[1][i]) / 6;
      lists[2].push_back(6 * static_cast<double>(random.once_in(2) ? most / 2 : random.below(most + 1)));
    }
    lists[3].push_back(4 * static_cast<double>(random.below(25)));
    lists[4].push_back(static_cast<double>(random.below(10)));
    lists[5].push_back(static_cast<double>(random.below(10)));
  }
  stagecut::stage_times own;
  if (with.constants && random.once_in(2)) own = random_constants(random, order);
  chain result{layers(lists[0], lists[1], lists[2], lists[3], lists[4], lists[5], own), {}, {}, {}};
  dice more = random;  // what it draws changes nothing else
  if (splits(order) && more.once_in(3)) {
    std::vector<double> input;
    for (std::size_t i = 0; i < n; ++i) input.push_back(6 * static_cast<double>(more.below(30)));
    result.model.tell_input(std::move(input));
  }
  result.request.schedule = order;
  result.request.search.time_limit.reset();
  if (with.messages && !random.once_in(3)) {
    result.request.transfers = static_cast<transfer_kind>(random.below(4));
    const std::size_t scale = random.once_in(3) ? 200 : 20;
    const bool cut_dependent = random.once_in(2);
    const std::size_t links = random.once_in(2) ? 1 : stages - 1;
    for (std::size_t b = 0; b < links; ++b) {
      stagecut::link_speed link{static_cast<double>(random.below(scale)), 0};
      if (cut_dependent) link.bandwidth = static_cast<double>(std::size_t{1} << random.below(3));
      result.request.links.push_back(link);
    }
  }
  if (with.speeds && random.once_in(4)) {
    for (std::size_t s = 0; s < stages; ++s) result.speeds.push_back(static_cast<double>(random.from(1, 3)));
  }
  if (with.memory && order.slices == 1 && random.once_in(3)) {
    const auto average = static_cast<std::size_t>(result.model.memory(0, 0, n, 1 + order.microbatches / 3));
    result.request.memory_limit = static_cast<double>(random.from(average / order.ranks(), 2 * average + 1));
  }
  if (!with.rules || !random.once_in(4)) return result;
  result.rules.emplace();
  switch (random.below(3)) {
    case 0:
      result.rules->cut.resize(n + 1);
      for (std::size_t y = 1; y < n; ++y) result.rules->cut[y] = random.once_in(4) ? 1 : 0;
      break;
    case 1:
      result.rules->intervals.resize(stages);
      for (auto& interval : result.rules->intervals) {
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t first = random.below(n);
          interval.push_back({first, random.from(first + 1, n)});
        }
      }
      break;
    default: result.rules->most_items = random.from(n / stages, n);
  }
  return result;
}

/// From 10^-by to 10^by, all magnitudes as often, and sometimes nothing.
[[nodiscard]] inline double any_magnitude(dice& random, double by) {
  return random.once_in(6) ? 0 : std::pow(10, by * (2 * random.fraction() - 1)) * (1 + random.fraction());
}

/// A chain for that schedule whose times, messages or speeds differ by up to 2 * `powers` powers of ten.
[[nodiscard]] inline chain rough_chain(dice& random, const schedule& order, std::size_t most_items,
                                       double powers = 20) {
  chain result = random_chain(random, order, most_items, {});
  const std::size_t n = result.model.size();
  const double by[] = {random.once_in(2) ? 0.3 : random.fraction() * powers, random.once_in(2) ? 0.3 : powers,
                       random.once_in(2) ? 0.3 : powers};
  std::vector<double> lists[6];
  for (std::size_t i = 0; i < n; ++i) {
    lists[0].push_back(any_magnitude(random, by[0]));
    lists[1].push_back(random.once_in(2) ? 2 * lists[0][i] : any_magnitude(random, by[0]));
    if (splits(order)) {
      lists[2].push_back(random.once_in(2) ? lists[1][i] / 2 : std::min(any_magnitude(random, by[0]), lists[1][i]));
    }
    lists[3].push_back(any_magnitude(random, by[1]));
    lists[4].push_back(result.model.memory(0, i, i + 1, 0));
    lists[5].push_back(result.model.memory(0, i, i + 1, 1) - lists[4][i]);
  }
  stagecut::stage_times own;
  for (std::size_t s = 0; s < order.stages() && random.once_in(2); ++s) {
    own.forward.push_back(any_magnitude(random, by[0]));
    own.backward.push_back(any_magnitude(random, by[0]));
    if (splits(order)) own.backward_weight.push_back(own.backward[s] / 2);
  }
  result.model = layers(lists[0], lists[1], lists[2], lists[3], lists[4], lists[5], own);
  for (auto& link : result.request.links) {
    link = {any_magnitude(random, by[1]), random.once_in(2) ? 0 : any_magnitude(random, by[1])};
  }
  if (!result.speeds.empty() || random.once_in(2)) {
    result.speeds.assign(order.stages(), 1);
    for (double& speed : result.speeds)
      speed = random.once_in(2) ? 1 : std::pow(10, by[2] * (2 * random.fraction() - 1));
  }
  return result;
}

/// What the library says.
[[nodiscard]] inline stagecut::outcome<stagecut::makespan_cut> solve(const chain& of) {
  return of.with_model([&](const auto& model) {
    return of.rules ? stagecut::minimize_makespan(model, of.request, *of.rules)
                    : stagecut::minimize_makespan(model, of.request);
  });
}

/// The same, helped by somebody.
template <stagecut::cut_heuristic Heuristic>
[[nodiscard]] stagecut::outcome<stagecut::makespan_cut> solve(const chain& of, const Heuristic& heuristic) {
  return of.with_model([&](const auto& model) {
    return of.rules ? stagecut::minimize_makespan(model, of.request, *of.rules, heuristic)
                    : stagecut::minimize_makespan(model, of.request, heuristic);
  });
}

[[nodiscard]] inline points points_of(const stagecut::cuts& of) { return {of.points().begin(), of.points().end()}; }

/// All that bounds and searches are made of, of one chain.
template <class Model>
struct workbench {
  workbench(const chain& of, const Model& model)
      : request(of.request),
        rules(of.rules ? *of.rules : forbidden{}),
        ticks(model, request.schedule, request.links),
        checked(model, request.schedule, request.memory_limit.for_all(), rules),
        layout(request.schedule),
        simulate(ticks, request.schedule, request.transfers) {}

  const makespan_request& request;
  forbidden rules;
  stagecut::engine::chain_ticks ticks;
  stagecut::engine::model_rules<Model, forbidden> checked;
  stagecut::engine::stage_layout layout;
  stagecut::engine::cut_simulator simulate;
  stagecut::engine::search_clock clock{request.search};

  /// The graph of all cuts of that makespan or less.
  [[nodiscard]] stagecut::engine::layered_graph graph(double most, bool timed = true) {
    stagecut::engine::layered_graph result;
    constexpr std::size_t most_edges = std::size_t{1} << 22U;
    if (layout.kind == stagecut::engine::stage_layout::shape::chain) {
      const stagecut::detail::stage_graph stages(ticks, request.schedule, request.transfers, checked);
      // Without any limit bounds are not computed.
      (void)stages.build(most < stagecut::engine::no_ticks ? most : stagecut::engine::no_ticks / 2, most_edges, clock,
                         result);
    } else {
      stagecut::detail::pair_graph pairs(ticks, request.schedule, layout, checked);
      (void)(timed ? pairs.build(most, most_edges, clock, result)
                   : pairs.build_untimed(true, most_edges, clock, result));
    }
    return result;
  }
};

/// Calls `use(workbench)`.
template <class Use>
void with_workbench(const chain& of, const Use& use) {
  of.with_model([&](const auto& model) {
    workbench<std::remove_cvref_t<decltype(model)>> bench(of, model);
    use(bench);
    return 0;
  });
}

/// How many paths a graph has.
[[nodiscard]] inline double paths_of(const stagecut::engine::layered_graph& graph, std::size_t last) {
  if (graph.first.empty()) return 0;
  std::vector<double> paths(graph.nodes.size());
  for (std::size_t u = graph.nodes.size(); u-- > 0;) {
    if (graph.nodes[u].step == last) paths[u] = 1;
    for (std::size_t i = graph.first[u]; i < graph.first[u + 1]; ++i) paths[u] += paths[graph.edges[i].to];
  }
  return paths[0];
}

/// A path of a graph that stands for a cut: its edges; empty: there is none.
[[nodiscard]] inline std::vector<std::size_t> path_of(const stagecut::engine::layered_graph& graph,
                                                      const stagecut::engine::stage_layout& layout, const points& cut) {
  std::vector<std::size_t> result;
  if (graph.first.empty()) return result;
  std::size_t u = 0;
  while (graph.nodes[u].step != layout.steps()) {
    const std::size_t before = result.size();
    for (std::size_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
      const auto& from = graph.nodes[u];
      const auto& to = graph.nodes[graph.edges[i].to];
      bool fits = layout.width(from.step) != 0 || to.cut[0] == cut[layout.ranks];
      for (std::size_t j = 0; j < layout.width(from.step); ++j) {
        const std::size_t s = layout.stage(from.step, j);
        fits = fits && layout.part(j, from, to) == stagecut::interval{cut[s], cut[s + 1]};
      }
      if (!fits) continue;
      result.push_back(i);
      u = graph.edges[i].to;
      break;
    }
    if (result.size() == before) return {};
  }
  return result;
}

}  // namespace chains
