// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/pair_bounds.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Limits the length of the second of a rank's two stages. Checks learned paths first, and runs the full list of the
/// rank's ops now and then, depending on its recent success; so some stages that are too long may remain.
class pair_limits {
 public:
  /// Lowers `widest` to the last second stage for which no known bound is above `most`. False: there is none from
  /// `least` on.
  ///
  /// @param end      `end(width)`, the node after u with a second stage of that width; bounds do not fall with the
  ///                 width
  /// @param widest   initially the largest possible width
  /// @param choices  is raised by the number of choices examined
  template <class End>
  bool narrow(pair_bounds& bounds, const engine::layered_graph::node& u, const End& end, double most, std::size_t least,
              std::size_t& widest, std::size_t& choices) {
    const auto above = [&](std::size_t width) {
      ++choices;
      return bounds.above(u, end(width), most);
    };
    for (;;) {
      if (widest < least) return false;
      if (above(widest)) {  // bisection for the first one above
        std::size_t low = least;
        while (low < widest) {
          const std::size_t middle = low + (widest - low) / 2;
          if (above(middle)) {
            widest = middle;
          } else {
            low = middle + 1;
          }
        }
        if (widest == least) return false;
        --widest;
      }
      if (!asked(bounds, u, end(widest), most, choices)) return true;
    }
  }

  /// Whether a known bound for one edge is above `most`; says nothing about wider second stages.
  bool above(pair_bounds& bounds, const engine::layered_graph::node& u, const engine::layered_graph::node& v,
             double most, std::size_t& choices) {
    return bounds.above(u, v, most) || asked(bounds, u, v, most, choices);
  }

 private:
  /// Whether the full list was run, and is above.
  bool asked(pair_bounds& bounds, const engine::layered_graph::node& u, const engine::layered_graph::node& v,
             double most, std::size_t& choices) {
    if (++unasked_ < pause_) return false;
    unasked_ = 0;
    choices += 16;
    const bool is = bounds.learn(u, v, most);
    if (is) {
      pause_ = pause_ > 1 ? pause_ / 2 : 1;
    } else if (++in_vain_ == 16) {
      in_vain_ = 0;
      pause_ = pause_ < 256 ? 2 * pause_ : pause_;
    }
    return is;
  }

  std::size_t unasked_ = 0;  // consecutive checks without the full list
  std::size_t pause_ = 1;    // the number of them after which the full list is run
  std::size_t in_vain_ = 0;  // runs that taught nothing
};

/// The cuts of a chain with two stages per rank as a layered graph with one step per rank: see `stage_layout`.
class pair_graph {
 public:
  pair_graph(const engine::chain_ticks& chain, const schedule& order, const engine::stage_layout& layout,
             const engine::cut_rules& rules)
      : chain_(chain),
        layout_(layout),
        rules_(rules),
        vee_(layout.kind == engine::stage_layout::shape::vee),
        bounds_(chain, order, layout) {}

  /// As `stage_graph::build`, for any makespan.
  ///
  /// @param all  whether all cuts are wanted; else some if there are any
  bool build_untimed(bool all, std::size_t most_edges, engine::search_clock& clock, engine::layered_graph& graph) {
    timed_ = false;
    all_cuts_ = all;
    return build_now(engine::no_ticks, most_edges, clock, graph);
  }

  /// As `stage_graph::build`.
  ///
  /// @param thin  receives the parts of the graph, one per cut point between the first stages of the ranks and the
  ///              second ones if there is such a point, and removes what no cut of makespan `most` or less uses; or
  ///              none
  bool build(double most, std::size_t most_edges, engine::search_clock& clock, engine::layered_graph& graph,
             function_ref<void(engine::layered_graph&)> thin = {}) {
    timed_ = all_cuts_ = true;
    thin_ = thin;
    const bool built = build_now(most, most_edges, clock, graph);
    thin_ = {};
    return built;
  }

 private:
  bool build_now(double most, std::size_t most_edges, engine::search_clock& clock, engine::layered_graph& graph) {
    graph = {};
    graph.nodes.push_back({0, {0, 0, 0}});
    grid_.assign((chain_.items + 1) * (chain_.items + 1), 0);
    most_ = most;
    std::vector<engine::layered_graph> parts;
    std::size_t edges = 0;
    const std::size_t p = layout_.ranks;
    const auto n = static_cast<std::uint32_t>(chain_.items);
    const auto try_one = [&](const engine::layered_graph::node& begin) {
      engine::layered_graph part;
      part.nodes.push_back(begin);
      if (!expand(part, most_edges, clock)) return false;
      if (thin_ && !part.edges.empty()) {
        thin_(part);
        part.compact();
      }
      if (part.edges.empty()) return true;
      edges += part.edges.size();
      parts.push_back(std::move(part));
      return edges <= most_edges;
    };
    if (vee_) {
      if (!try_one({0, {0, 0, n}})) return false;
    } else {
      // From the middle outward, where a path is found soon.
      const auto ranks = static_cast<std::uint32_t>(p);
      const std::uint32_t middle = n / 2;
      for (std::uint32_t by = 0; by <= n && (all_cuts_ || parts.empty()); ++by) {
        if (by <= middle && middle - by >= ranks && !try_one({1, {middle - by, 0, middle - by}})) return false;
        const std::uint32_t x = middle + by;
        if (by != 0 && x + ranks <= n && !try_one({1, {x, 0, x}})) return false;
      }
    }
    if (!vee_) {
      engine::join_graphs(parts, static_cast<std::uint32_t>(layout_.steps()), graph);
      return true;
    }
    if (!parts.empty()) graph = parts[0];
    graph.index();
    return true;
  }

  /// Adds all successors of the first node of a graph.
  bool expand(engine::layered_graph& graph, std::size_t most_edges, engine::search_clock& clock) {
    std::size_t begin = 0;
    const auto first = graph.nodes[0].step;
    const auto last = static_cast<std::uint32_t>(layout_.steps());
    for (std::uint32_t step = first; step < last; ++step) {
      const std::size_t end = graph.nodes.size();
      for (std::size_t u = begin; u < end; ++u) {
        if (clock.look() || graph.edges.size() > most_edges) return false;
        clock.work(follow(graph, static_cast<std::uint32_t>(u)));
      }
      for (std::size_t v = end; v < graph.nodes.size(); ++v) place(graph.nodes[v]) = 0;
      begin = end;
      if (begin == graph.nodes.size()) break;
    }
    if (!graph.prune(last, [](const auto&) { return false; })) graph.edges.clear();
    if (timed_ && !set_bounds(graph, clock)) return false;
    graph.compact();
    return true;
  }

  /// Sets the bounds of edges that were checked by learned paths only, and removes those above `most`. False: time ran
  /// out.
  bool set_bounds(engine::layered_graph& graph, engine::search_clock& clock) {
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
      if (i % 64 == 0 && clock.look()) return false;
      engine::layered_graph::edge& each = graph.edges[i];
      const auto& u = graph.nodes[each.from];
      const auto& v = graph.nodes[each.to];
      const double busy = bounds_.busy(u, v);
      each.bound = bounds_(u, v);
      if (each.bound < busy) each.bound = busy;
    }
    clock.work(graph.edges.size());
    const auto last = static_cast<std::uint32_t>(layout_.steps());
    if (!graph.prune(last, [this](const auto& edge) { return edge.bound > most_; })) graph.edges.clear();
    return true;
  }

  std::uint32_t& place(const engine::layered_graph::node& v) { return grid_[v.cut[1] * (chain_.items + 1) + v.cut[2]]; }

  /// Adds the edges of a node; returns the number of choices examined.
  std::size_t follow(engine::layered_graph& graph, std::uint32_t from) {
    std::size_t choices = 0;
    const engine::layered_graph::node u = graph.nodes[from];
    const std::size_t r = layout_.stage(u.step, 0);
    const std::size_t left = layout_.ranks - 1 - r;  // later ranks
    const std::size_t x = u.cut[0];
    // The range of the end of the first of the two stages.
    const std::size_t lowest = !vee_ && left == 0 ? x : u.cut[1] + 1;
    const std::size_t highest = vee_ ? u.cut[2] - (2 * left + 1) : x - left;
    widest_ = chain_.items;
    for (std::size_t a = lowest; a <= highest; ++a) {
      if (!rules_.allows(r, u.cut[1], a)) {
        if (rules_.hopeless(r, u.cut[1], a)) break;
        continue;
      }
      const bool any = follow_first(graph, from, static_cast<std::uint32_t>(a), choices);
      if (!any && left != 0) break;  // a longer first stage takes no less, unless the second gets shorter for it
    }
    return choices;
  }

  /// Adds those whose first stage ends at a. Returns whether any is fast enough, allowed or not.
  bool follow_first(engine::layered_graph& graph, std::uint32_t from, std::uint32_t a, std::size_t& choices) {
    const engine::layered_graph::node u = graph.nodes[from];
    const std::size_t r = layout_.stage(u.step, 0);
    const std::size_t left = layout_.ranks - 1 - r;
    const std::size_t n = chain_.items;
    // The second stage grows to the right or to the left.
    const std::size_t least = left == 0 ? (vee_ ? u.cut[2] - a : n - u.cut[2]) : 1;
    const std::size_t widest = left == 0 ? least : vee_ ? u.cut[2] - a - 2 * left : n - left - u.cut[2];
    if (timed_ && bounds_.steady()) {
      widest_ = widest_ < widest ? widest_ : widest;
      const auto end = [&](std::size_t width) { return behind(u, a, width); };
      if (!limits_.narrow(bounds_, u, end, most_, least, widest_, choices)) return false;
      for (std::size_t width = least; width <= widest_; ++width) {
        if (!add(graph, from, behind(u, a, width))) break;
      }
      choices += (widest_ - least) / 16 + 1;
      return true;
    }
    bool any = false;
    for (std::size_t width = least; width <= widest; ++width) {
      const engine::layered_graph::node v = behind(u, a, width);
      if (timed_ && bounds_.busy(u, v) > most_) break;
      any = true;
      ++choices;
      const bool above = timed_ && limits_.above(bounds_, u, v, most_, choices);
      if (!above && !add(graph, from, v)) break;
    }
    return any;
  }

  /// The node after u if its first stage ends at a and the second has this width.
  [[nodiscard]] engine::layered_graph::node behind(const engine::layered_graph::node& u, std::size_t a,
                                                   std::size_t width) const {
    const std::size_t b = vee_ ? u.cut[2] - width : u.cut[2] + width;
    return {u.step + 1, {u.cut[0], static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)}};
  }

  /// Adds an edge, if it is allowed and the later ranks can run the rest. False: no wider second stage is allowed.
  bool add(engine::layered_graph& graph, std::uint32_t from, const engine::layered_graph::node& v) {
    const engine::layered_graph::node u = graph.nodes[from];
    const std::size_t r = layout_.stage(u.step, 0);
    if (timed_ && bounds_.rest_is_too_much(v, layout_.ranks - 1 - r, most_)) return true;
    const interval parts[2] = {layout_.part(0, u, v), layout_.part(1, u, v)};
    const std::size_t second = layout_.stage(u.step, 1);
    if (!rules_.allows(second, parts[1].first, parts[1].last)) {
      return vee_ || !rules_.hopeless(second, parts[1].first, parts[1].last);
    }
    if (!rules_.allows_rank(r, view<const interval>(parts, 2))) return true;
    std::uint32_t& to = place(v);
    if (to == 0) {
      to = static_cast<std::uint32_t>(graph.nodes.size());
      graph.nodes.push_back(v);
    }
    graph.edges.push_back({from, to, 0});
    return true;
  }

  const engine::chain_ticks& chain_;
  const engine::stage_layout& layout_;
  const engine::cut_rules& rules_;
  bool vee_;
  bool timed_ = true;
  bool all_cuts_ = true;
  double most_ = 0;
  function_ref<void(engine::layered_graph&)> thin_{};
  pair_bounds bounds_;
  pair_limits limits_{};
  std::size_t widest_ = 0;             // the second stage for the previous first one
  std::vector<std::uint32_t> grid_{};  // the node of two cut points, in the current step
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
