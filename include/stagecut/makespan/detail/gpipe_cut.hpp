// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds the optimal cut under GPipe among the paths of a `stage_graph`. With S the sum of all passes and messages of
/// one microbatch, the makespan is S + (m - 1)(max F + max B), where the maxima include messages if a boundary carries
/// one at a time. So one shortest path gives the smallest sum for each pair of maxima that can be optimal: polynomial.
/// See docs/makespan.md, Cuts as paths, GPipe.
class gpipe_cut {
 public:
  gpipe_cut(const engine::chain_ticks& chain, std::size_t microbatches, bool serial, const engine::layered_graph& graph)
      : graph_(graph), rest_(graph.nodes.size()), more_(static_cast<double>(microbatches) - 1) {
    for (const auto& edge : graph.edges) {
      const std::size_t s = graph.nodes[edge.from].step;
      const std::size_t first = graph.nodes[edge.from].cut[1];
      const std::size_t last = graph.nodes[edge.to].cut[1];
      const double f = chain.pass(engine::tick_f, s, first, last);
      const double b = chain.pass(engine::tick_b, s, first, last);
      const double message = chain.message(s, last);
      const double queue = serial ? message : 0;
      times_.push_back({f < queue ? queue : f, b < queue ? queue : b, f + b + 2 * message});
    }
  }

  /// Finds the cut. Returns whether there was enough time; then `makespan`, if below `known`, and `points`, the
  /// lexicographically smallest, are those of the optimal cut.
  bool run(double known, engine::search_clock& clock) {
    makespan = known;
    if (more_ == 0) {  // no queueing
      makespan = shortest(engine::no_ticks, engine::no_ticks);
      walk(engine::no_ticks, engine::no_ticks, makespan);
      points = walked_;
      return true;
    }
    const std::vector<double> slowest = times_of_f();
    const double least_sum = shortest(engine::no_ticks, engine::no_ticks);
    const double least_b = least_maximum(&time::b, engine::no_ticks);
    std::size_t i = 0;
    while (i < slowest.size()) {
      // The smallest maximum of F with which the rest can still match the best.
      const double x = slowest[i];
      const double room = (makespan - least_sum) - more_ * x;
      if (room < more_ * least_b) break;
      const double at_most = room / more_ + 1;  // rounded up, amply
      const double next = least_maximum(&time::f, at_most);
      if (next > x) {
        i = detail::gallop(i, slowest.size(), i, [&](std::size_t at) { return !(slowest[at] < next); });
        continue;
      }
      if (!try_maxima(x, at_most, clock)) return false;
      ++i;
    }
    return true;
  }

  double makespan = 0;
  std::vector<std::size_t> points{};  ///< a cut of that makespan; empty if none was found

 private:
  struct time {
    double f;  // of the stage, or of the message after it
    double b;
    double sum;
  };

  /// The distinct times of F in ascending order.
  [[nodiscard]] std::vector<double> times_of_f() const {
    std::vector<double> all;
    for (const auto& each : times_) all.push_back(each.f);
    std::stable_sort(all.begin(), all.end(), [](double a, double b) { return a < b; });
    std::size_t different = 0;
    for (const double each : all) {
      if (different == 0 || all[different - 1] != each) all[different++] = each;
    }
    all.resize(different);
    return all;
  }

  /// The best cut with no F above `x`, for every largest B of `y` or less. Returns whether there was enough time.
  bool try_maxima(double x, double y, engine::search_clock& clock) {
    for (;;) {
      if (clock.look()) return false;
      const double sum = shortest(x, y);
      if (sum >= engine::no_ticks) return true;
      const double b = walk(x, y, sum);
      const double value = sum + more_ * (x + b);
      if (value < makespan || (value == makespan && (points.empty() || walked_ < points))) {
        makespan = value;
        points = walked_;
      }
      y = b - 1;
    }
  }

  /// The smallest sum with no F above `x` and no B above `y`, from every node.
  double shortest(double x, double y) {
    for (std::size_t u = graph_.nodes.size(); u-- > 0;) {
      double best = graph_.first[u] == graph_.first[u + 1] && is_end(u) ? 0 : engine::no_ticks;
      for (std::uint32_t i = graph_.first[u]; i < graph_.first[u + 1]; ++i) {
        if (times_[i].f > x || times_[i].b > y) continue;
        const double here = times_[i].sum + rest_[graph_.edges[i].to];
        best = std::min(best, here);
      }
      rest_[u] = best;
    }
    return rest_[0];
  }

  /// The smallest maximum of F (or B) with no B above `y`.
  double least_maximum(double time::*what, double y) {
    for (std::size_t u = graph_.nodes.size(); u-- > 0;) {
      double best = is_end(u) ? 0 : engine::no_ticks;
      for (std::uint32_t i = graph_.first[u]; i < graph_.first[u + 1]; ++i) {
        if (times_[i].b > y) continue;
        const double behind = rest_[graph_.edges[i].to];
        const double here = behind < times_[i].*what ? times_[i].*what : behind;
        best = std::min(best, here);
      }
      rest_[u] = best;
    }
    return rest_[0];
  }

  [[nodiscard]] bool is_end(std::size_t u) const { return graph_.nodes[u].step == graph_.nodes.back().step; }

  /// The lexicographically smallest cut of that sum, among those of the last call of `shortest`. Returns its largest B.
  double walk(double x, double y, double sum) {
    walked_.assign(1, 0);
    double most = 0;
    std::uint32_t u = 0;
    double left = sum;
    for (bool moved = true; moved && !is_end(u);) {
      moved = false;
      for (std::uint32_t i = graph_.first[u]; i < graph_.first[u + 1]; ++i) {
        const auto& each = graph_.edges[i];
        if (times_[i].f > x || times_[i].b > y || times_[i].sum + rest_[each.to] > left) continue;
        left -= times_[i].sum;
        most = most < times_[i].b ? times_[i].b : most;
        u = each.to;
        walked_.push_back(graph_.nodes[u].cut[1]);
        moved = true;
        break;
      }
    }
    return most;
  }

  const engine::layered_graph& graph_;
  std::vector<time> times_{};  // per edge
  std::vector<double> rest_;
  double more_;
  std::vector<std::size_t> walked_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
