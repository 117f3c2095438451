// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/pareto_front.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The problem of building a pipeline of stages with replicas.
struct hybrid_limits {
  std::size_t devices = 1;
  std::size_t microbatches = 1;
  bool at_most = false;
  std::optional<double> memory{};
};

/// Builds graphs of all plans with a given number of stages that may finish in time.
class hybrid_builder {
 public:
  hybrid_builder(const hybrid_options& options, const hybrid_limits& rules) : options_(options), rules_(rules) {}

  /// Builds a graph whose paths include all plans with `stages` stages that end by `most`. False: it has more than
  /// `most_edges`, or the clock stopped it.
  bool build(std::size_t stages, double most, std::size_t most_edges, engine::search_clock& clock, hybrid_graph& graph);

  /// The microbatches that a stage keeps if `left` stages are left, itself included.
  [[nodiscard]] double in_flight(std::size_t left) const noexcept {
    return static_cast<double>(left < rules_.microbatches ? left : rules_.microbatches);
  }

  /// Finds the fewest devices that the part after a point needs for each number of stages, if no stage is too slow for
  /// an end by `most`: see `need`. False: the clock stopped it.
  bool find_needs(std::size_t stages, double most, engine::search_clock& clock);

  /// The devices that `stages` stages need, as found by the last `find_needs`.
  [[nodiscard]] std::size_t need(std::size_t stages) const noexcept { return needs_[stages * options_.points()]; }

 private:
  static constexpr std::uint32_t too_many = ~std::uint32_t{0};

  [[nodiscard]] bool fits(const stage_option& option, std::size_t left) const noexcept {
    return !rules_.memory || bytes_with(option, in_flight(left)) <= *rules_.memory;
  }
  [[nodiscard]] bool is_fast(const stage_option& option, double most) const noexcept {
    return static_cast<double>(rules_.microbatches) * (option.forward + option.backward) <= most;
  }

  /// For every stage the options that fit with a given number of stages left, without those dominated on the same
  /// number of devices.
  struct fitting {
    std::vector<std::uint32_t> options{};
    std::vector<std::uint32_t> first{};  // of every stage, in the order of the table
  };

  [[nodiscard]] const fitting& fitting_of(std::size_t left);

  [[nodiscard]] bool covers(std::uint32_t a, std::uint32_t b) const noexcept;

  /// Keeps an option unless another one is nowhere slower, and drops those that are nowhere faster.
  void take(std::vector<std::uint32_t>& chosen, std::size_t begin, std::uint32_t option) const;

  /// Adds the edges of a node.
  void grow(hybrid_graph& graph, const fitting& chosen, std::uint32_t u, std::size_t left, double most);

  const hybrid_options& options_;
  const hybrid_limits& rules_;
  std::vector<std::uint32_t> needs_{};
  std::vector<fitting> fitting_{};   // by microbatches in flight
  std::vector<std::uint32_t> at_{};  // nodes of the next step, plus 1
  std::vector<double> trips_{};      // for every node: the shortest round trip through the stages before
};

inline bool hybrid_builder::build(std::size_t stages, double most, std::size_t most_edges, engine::search_clock& clock,
                                  hybrid_graph& graph) {
  graph = {};
  graph.steps = static_cast<std::uint32_t>(stages);
  if (!find_needs(stages, most, clock)) return false;
  const std::size_t end = options_.points() - 1;
  const std::size_t k = rules_.devices;
  for (std::size_t left = rules_.at_most ? 0 : k; left <= k; ++left) {
    if (left >= needs_[stages * options_.points()]) graph.nodes.push_back({0, 0, static_cast<std::uint32_t>(left)});
  }
  trips_.assign(graph.nodes.size(), 0);
  std::size_t begin = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    const std::size_t behind = graph.nodes.size();
    at_.assign((end + 1) * (k + 1), 0);
    const fitting& chosen = fitting_of(stages - s);
    for (std::size_t u = begin; u < behind; ++u) {
      if (clock.look() || graph.edges.size() > most_edges) return false;
      const std::size_t before = graph.edges.size();
      grow(graph, chosen, static_cast<std::uint32_t>(u), stages - s, most);
      clock.work((options_.stages_from(graph.nodes[u].point).size() + graph.edges.size() - before) / 8);
    }
    begin = behind;
  }
  graph.index();
  graph.prune([](const auto&) { return false; });
  return true;
}

inline bool hybrid_builder::find_needs(std::size_t stages, double most, engine::search_clock& clock) {
  const std::size_t points = options_.points();
  needs_.assign((stages + 1) * points, too_many);
  needs_[points - 1] = 0;
  for (std::size_t left = 1; left <= stages; ++left) {
    if (clock.look()) return false;
    clock.work(options_.size() / 8);
    for (std::size_t a = 0; a + 1 < points; ++a) {
      std::uint32_t& best = needs_[left * points + a];
      for (const hybrid_options::stage& stage : options_.stages_from(a)) {
        const std::uint32_t behind = needs_[(left - 1) * points + stage.last];
        if (behind == too_many) continue;
        for (std::size_t o = stage.begin; o < stage.end; ++o) {  // by devices
          const std::size_t all = behind + options_[o].devices();
          if (all >= best) break;
          if (fits(options_[o], left) && is_fast(options_[o], most)) best = static_cast<std::uint32_t>(all);
        }
      }
    }
  }
  return true;
}

inline auto hybrid_builder::fitting_of(std::size_t left) -> const fitting& {
  const std::size_t number = left < rules_.microbatches ? left : rules_.microbatches;
  if (fitting_.size() <= number) fitting_.resize(number + 1);
  fitting& result = fitting_[number];
  if (!result.first.empty()) return result;
  for (std::size_t a = 0; a + 1 < options_.points(); ++a) {
    for (const hybrid_options::stage& stage : options_.stages_from(a)) {
      result.first.push_back(static_cast<std::uint32_t>(result.options.size()));
      std::size_t begin = result.options.size();  // of those on the same number of devices
      for (std::uint32_t o = stage.begin; o < stage.end; ++o) {
        if (!fits(options_[o], left)) continue;
        const std::size_t end = result.options.size();
        if (begin < end && options_[result.options[begin]].devices() != options_[o].devices()) begin = end;
        take(result.options, begin, o);
      }
    }
  }
  result.first.push_back(static_cast<std::uint32_t>(result.options.size()));
  return result;
}

inline bool hybrid_builder::covers(std::uint32_t a, std::uint32_t b) const noexcept {
  const stage_option& x = options_[a];
  const stage_option& y = options_[b];
  return x.forward <= y.forward && x.backward <= y.backward && x.message <= y.message && x.all_reduce <= y.all_reduce;
}

inline void hybrid_builder::take(std::vector<std::uint32_t>& chosen, std::size_t begin, std::uint32_t option) const {
  engine::add_to_front(
      chosen, option, [this](std::uint32_t a, std::uint32_t b) { return covers(a, b); }, begin);
}

inline void hybrid_builder::grow(hybrid_graph& graph, const fitting& chosen, std::uint32_t u, std::size_t left,
                                 double most) {
  const hybrid_graph::node here = graph.nodes[u];
  const std::size_t points = options_.points();
  const view<const hybrid_options::stage> stages = options_.stages_from(here.point);
  const std::size_t number = options_.number_of(here.point);
  const double before = trips_[u];
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const hybrid_options::stage& each = stages[i];
    const std::uint32_t need = needs_[(left - 1) * points + each.last];
    if (need == too_many) continue;
    for (std::uint32_t c = chosen.first[number + i]; c < chosen.first[number + i + 1]; ++c) {
      const stage_option& option = options_[chosen.options[c]];
      const std::size_t own = option.devices();
      if (own + need > here.devices) break;
      if (left == 1 && own != here.devices) continue;
      const std::size_t behind = here.devices - own;
      if (options_.period() > 1 && (rules_.devices - behind) % options_.period() != each.position) continue;
      const double message = here.step == 0 ? 0 : option.message;
      const double pair = option.forward + option.backward;
      if (before + 2 * message + static_cast<double>(rules_.microbatches) * pair > most) continue;
      std::uint32_t& to = at_[each.last * (rules_.devices + 1) + behind];
      const double trip = before + 2 * message + pair;
      if (to == 0) {
        graph.nodes.push_back({here.step + 1, each.last, static_cast<std::uint32_t>(behind)});
        trips_.push_back(trip);
        to = static_cast<std::uint32_t>(graph.nodes.size());
      }
      if (trip < trips_[to - 1]) trips_[to - 1] = trip;
      graph.edges.push_back({u, to - 1, chosen.options[c], 0});
    }
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
