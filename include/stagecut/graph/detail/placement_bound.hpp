// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/graph/detail/communication_elements.hpp>
#include <stagecut/graph/detail/rows.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Lower bound on the cut of any placement, by connectivity: in a class, no two elements can be
/// separated for less than t. If a class exceeds one device, it is split, which cuts t. If it needs at least r devices,
/// each of them is separated from the others for t or more, and each cut counts for two: r t / 2.
///
/// Scans of the graph in maximum-adjacency order give lower bounds on the cut between neighbours; those that t does not
/// separate are merged, and the scan is repeated. Classes that are too small weaken the bound but keep it valid.
///
/// Source: Nagamochi and Ibaraki, SIAM J. Discrete Mathematics 5(1), 1992.
class placement_bound {
 public:
  using ticks = communication_elements::ticks;

  /// @param elements  must outlive this object
  explicit placement_bound(const communication_elements& elements) : elements_(elements), class_of_(elements.size()) {
    for (std::size_t e = 0; e < elements.size(); ++e) {
      for (const auto& link : elements.links(e)) {
        if (link.to > e && link.weight != 0) all_.push_back({e, link.to, link.weight});
      }
    }
  }

  /// The bound; if stopped, the best so far. A scan takes O(m log m); large graphs get fewer scans.
  [[nodiscard]] ticks run(const function_ref<bool()>& stop) {
    if (elements_.size() < 2 || elements_.devices() < 2) return 0;
    std::vector<ticks> tries;  // in falling order
    const auto [best, high] = first_scan(tries);
    bound_ = best;
    std::size_t first = 0;
    std::size_t last = high;
    while (first < last && work_ < most_work && !(stop && stop())) {
      const std::size_t at = first + (last - first) / 2;
      try_class(tries[at]) ? last = at : first = at + 1;
    }
    // As t falls, classes need more devices: values next to it are tried too.
    for (std::size_t i = last; i < tries.size() && i < last + 12 && work_ < most_work && !(stop && stop()); ++i) {
      try_class(tries[i]);
    }
    return bound_;
  }

 private:
  struct edge {
    std::size_t a = 0;
    std::size_t b = 0;
    ticks weight = 0;
  };

  static constexpr std::size_t most_work = 4000000;

  /// The bound by one scan of the graph, and the first position in `tries`, all values of t that it meets, that gives
  /// one.
  std::pair<ticks, std::size_t> first_scan(std::vector<ticks>& tries) {
    std::vector<edge> met;
    scan(elements_.size(), all_, [&](std::size_t a, std::size_t b, ticks t) { met.push_back({a, b, t}); });
    std::sort(met.begin(), met.end(), [](const edge& x, const edge& y) {
      return std::tuple(y.weight, x.a, x.b) < std::tuple(x.weight, y.a, y.b);
    });
    std::vector<std::size_t> into(elements_.size());
    std::iota(into.begin(), into.end(), std::size_t{0});
    std::vector<communication_elements::weights> held;
    for (std::size_t e = 0; e < elements_.size(); ++e) held.push_back(elements_.of(e));
    std::vector<std::size_t> members(elements_.size(), 1);
    ticks best = 0;
    ticks needed = 1;
    std::size_t begins = graph_operator::none;
    for (std::size_t i = 0; i < met.size(); ++i) {
      const std::size_t a = root(into, met[i].a);
      const std::size_t b = root(into, met[i].b);
      if (a != b) {
        into[a] = b;
        held[b].add(held[a]);
        members[b] += members[a];
        needed = std::max(needed, devices_for(held[b], members[b]));
      }
      if (i + 1 < met.size() && met[i + 1].weight == met[i].weight) continue;
      tries.push_back(met[i].weight);
      best = std::max(best, bound_of(met[i].weight, needed));
      if (best != 0 && begins == graph_operator::none) begins = tries.size() - 1;
    }
    return {best, std::min(begins, tries.size())};
  }

  /// The least number of devices of a class.
  [[nodiscard]] ticks devices_for(const communication_elements::weights& held, std::size_t members) const {
    const auto devices = [](ticks weight, ticks each) { return each == 0 ? 1 : (weight - 1) / each + 1; };
    ticks most = std::max(devices(held.variables, elements_.most().variables),
                          devices(held.operations, elements_.most().operations));
    const std::size_t beside = elements_.size() - members;
    if (!elements_.may_empty() && elements_.devices() > beside) {
      most = std::max(most, static_cast<ticks>(elements_.devices() - beside));
    }
    return most;
  }
  [[nodiscard]] static ticks bound_of(ticks t, ticks devices) {
    return devices < 2 ? 0 : t / 2 * devices + (t % 2 * devices + 1) / 2;
  }

  /// Updates the bound with the classes of a t; false if each fits on one device.
  bool try_class(ticks t) {
    std::iota(class_of_.begin(), class_of_.end(), std::size_t{0});
    std::vector<edge> edges = all_;
    std::size_t classes = elements_.size();
    for (;;) {
      std::vector<std::size_t> into(classes);
      std::iota(into.begin(), into.end(), std::size_t{0});
      scan(classes, edges, [&](std::size_t a, std::size_t b, ticks parted) {
        if (parted >= t) into[root(into, a)] = root(into, b);
      });
      work_ += 1 + edges.size() + classes;
      std::vector<std::size_t> number(classes, classes);
      std::size_t count = 0;
      for (std::size_t c = 0; c < classes; ++c) {
        const std::size_t to = root(into, c);
        if (number[to] == classes) number[to] = count++;
      }
      const auto now = [&](std::size_t c) { return number[root(into, c)]; };
      for (std::size_t& each : class_of_) each = now(each);
      if (count == classes) break;
      for (edge& each : edges) each = {now(each.a), now(each.b), each.weight};
      classes = count;
      unite(edges);
    }
    std::vector<communication_elements::weights> held(classes);
    std::vector<std::size_t> members(classes);
    for (std::size_t e = 0; e < class_of_.size(); ++e) {
      held[class_of_[e]].add(elements_.of(e));
      ++members[class_of_[e]];
    }
    ticks needed = 1;
    for (std::size_t c = 0; c < classes; ++c) needed = std::max(needed, devices_for(held[c], members[c]));
    bound_ = std::max(bound_, bound_of(t, needed));
    return needed > 1;
  }

  static std::size_t root(std::vector<std::size_t>& into, std::size_t c) {
    while (into[c] != c) c = into[c] = into[into[c]];
    return c;
  }
  /// Sums parallel edges, and drops loops.
  static void unite(std::vector<edge>& edges) {
    std::erase_if(edges, [](const edge& each) { return each.a == each.b; });
    for (edge& each : edges) each = {std::min(each.a, each.b), std::max(each.a, each.b), each.weight};
    std::sort(edges.begin(), edges.end(),
              [](const edge& x, const edge& y) { return std::tuple(x.a, x.b) < std::tuple(y.a, y.b); });
    std::size_t count = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (count != 0 && edges[count - 1].a == edges[i].a && edges[count - 1].b == edges[i].b) {
        edges[count - 1].weight += edges[i].weight;
      } else {
        edges[count++] = edges[i];
      }
    }
    edges.resize(count);
  }

  /// Visits vertices in maximum-adjacency order; reports for every edge a lower bound on the cut between its ends.
  template <class Tell>
  static void scan(std::size_t vertices, const std::vector<edge>& edges, const Tell& tell) {
    const auto end = [&](std::size_t i) { return i % 2 == 0 ? edges[i / 2].a : edges[i / 2].b; };
    const rows<std::size_t> edges_of(vertices, 2 * edges.size(), end, [](std::size_t i) { return i; });
    std::vector<ticks> attached(vertices);
    std::vector<bool> done(vertices);
    std::priority_queue<std::pair<ticks, std::size_t>> queue;
    for (std::size_t begin = 0; begin < vertices; ++begin) {
      if (!done[begin]) queue.emplace(0, begin);
      while (!queue.empty()) {
        const auto [known, v] = queue.top();
        queue.pop();
        if (done[v]) continue;
        done[v] = true;
        for (const std::size_t i : edges_of[v]) {
          const std::size_t u = end(i ^ 1U);
          if (done[u]) continue;
          attached[u] += edges[i / 2].weight;
          queue.emplace(attached[u], u);
          tell(v, u, attached[u]);
        }
      }
    }
  }

  const communication_elements& elements_;
  std::vector<edge> all_{};
  std::vector<std::size_t> class_of_;
  ticks bound_ = 0;
  std::size_t work_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
