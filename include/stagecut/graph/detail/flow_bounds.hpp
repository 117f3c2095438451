// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/graph/detail/load_program.hpp>
#include <stagecut/graph/operator_costs.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds the least total weight of a set that contains a given element, over its elements and the nets that it cuts: a
/// minimum cut between source and sink of a network. The source's side is the set. Each element has an edge to the sink
/// with its weight; each net of two elements is an edge between them, in both directions; a larger net is two nodes
/// with an edge of its weight between them, where every element has an unlimited edge to the first and the second has
/// one to every element: it is cut exactly if elements are on both sides (E. L. Lawler, Networks 3(3):275-285, 1973).
class cut_network {
 public:
  using amount = std::int64_t;

  /// @param costs   of the elements and nets; must outlive this object
  /// @param weight  `weight(e)` of an element in the set, more than 2^20 times smaller than the greatest amount
  /// @param net     `net(i)` of a net that is cut
  template <class Weight, class Net>
  cut_network(const operator_costs& costs, const Weight& weight, const Net& net)
      : elements_(costs.size()), nodes_(costs.size() + 2) {
    for (std::size_t e = 0; e < elements_; ++e) {
      join(e, sink(), weight(e), 0);
      join(source(), e, 0, 0);
    }
    for (std::size_t i = 0; i < costs.nets(); ++i) {
      const auto pins = costs.pins(i);
      if (pins.size() == 2) {
        join(pins[0], pins[1], net(i), net(i));
        continue;
      }
      const std::size_t first = nodes_++;
      const std::size_t second = nodes_++;
      join(first, second, net(i), 0);
      for (const auto pin : pins) {
        join(pin, first, unlimited, 0);
        join(second, pin, unlimited, 0);
      }
    }
    build();
  }

  /// The least sum of a set that contains an element.
  [[nodiscard]] amount least(std::size_t e) {
    capacity_[source_arcs_[e]] = unlimited;
    const auto index = get(boost::vertex_index, network_);
    const auto number = get(boost::edge_index, network_);
    const auto of_arcs = [&](auto& values) { return boost::make_iterator_property_map(values.begin(), number); };
    const auto of_nodes = [&](auto& values) { return boost::make_iterator_property_map(values.begin(), index); };
    const amount result = boost::boykov_kolmogorov_max_flow(network_, of_arcs(capacity_), of_arcs(residual_),
                                                            of_arcs(twins_), of_nodes(before_), of_nodes(colors_),
                                                            of_nodes(distances_), index, source(), sink());
    capacity_[source_arcs_[e]] = 0;
    return result;
  }
  /// Whether the set of the last call of `least` contains an element.
  [[nodiscard]] bool holds(std::size_t e) const { return colors_[e] == boost::black_color; }

 private:
  static constexpr amount unlimited = std::numeric_limits<amount>::max() / 4;
  using network = boost::compressed_sparse_row_graph<boost::directedS>;
  using arc_type = boost::graph_traits<network>::edge_descriptor;
  struct arc {
    std::size_t from;
    std::size_t to;
    amount capacity;
    std::size_t twin;  // the number of the reverse arc
  };

  [[nodiscard]] std::size_t source() const noexcept { return elements_; }
  [[nodiscard]] std::size_t sink() const noexcept { return elements_ + 1; }
  void join(std::size_t a, std::size_t b, amount there, amount back) {
    const std::size_t number = arcs_.size();
    arcs_.push_back({a, b, there, number + 1});
    arcs_.push_back({b, a, back, number});
  }

  /// Stores the arcs in rows, node after node.
  void build() {
    std::vector<std::size_t> at(nodes_ + 1);
    for (const arc& each : arcs_) ++at[each.from + 1];
    for (std::size_t v = 0; v < nodes_; ++v) at[v + 1] += at[v];
    std::vector<std::size_t> place(arcs_.size());
    for (std::size_t i = 0; i < arcs_.size(); ++i) place[i] = at[arcs_[i].from]++;
    std::vector<std::pair<std::size_t, std::size_t>> ends(arcs_.size());
    capacity_.resize(arcs_.size());
    source_arcs_.resize(elements_);
    for (std::size_t i = 0; i < arcs_.size(); ++i) {
      ends[place[i]] = {arcs_[i].from, arcs_[i].to};
      capacity_[place[i]] = arcs_[i].capacity;
      if (arcs_[i].from == source()) source_arcs_[arcs_[i].to] = place[i];
    }
    network_ = network(boost::edges_are_sorted, ends.begin(), ends.end(), nodes_);
    std::vector<arc_type> descriptors;
    for (auto [each, last] = boost::edges(network_); each != last; ++each) descriptors.push_back(*each);
    for (std::size_t i = 0; i < arcs_.size(); ++i) twins_.push_back(arc_type());
    for (std::size_t i = 0; i < arcs_.size(); ++i) twins_[place[i]] = descriptors[place[arcs_[i].twin]];
    residual_.resize(arcs_.size());
    colors_.resize(nodes_);
    distances_.resize(nodes_);
    before_.resize(nodes_);
    arcs_ = {};
  }

  std::size_t elements_;
  std::size_t nodes_;
  std::vector<arc> arcs_{};  // until the network is built
  network network_{};
  std::vector<amount> capacity_{};
  std::vector<amount> residual_{};
  std::vector<arc_type> twins_{};
  std::vector<std::size_t> source_arcs_{};
  std::vector<boost::default_color_type> colors_{};
  std::vector<long> distances_{};
  std::vector<arc_type> before_{};
};

/// Bounds on the load from the least cost of sets that contain an element, by minimum cuts.
///
/// *Flow*: the stage of an element costs at least as much as the cheapest set that contains it, whether that may be a
/// stage or not.
///
/// *Cover*: if no stage costs more than B, the work T of the stage of v is limited: for each 0 <= u < 1 it satisfies u
/// T + cut >= g(u, v), the least over all sets that contain v, and T + cut <= B, so T <= (B - g(u, v)) / (1 - u) = t(v,
/// B). The shares w(v) / T(stage of v) sum to the number of stages with work, at most the number K of devices, so each
/// B for which w(v) / t(v, B) sum to more than K is too small.
class flow_bounds {
 public:
  using ticks = operator_costs::ticks;

  flow_bounds(const operator_costs& costs, const stage_counts& counts) : costs_(costs), counts_(counts) {
    for (std::size_t e = 0; e < costs.size(); ++e) {
      work_.push_back(costs.at_best(costs.of(e).forward) + costs.at_best(costs.of(e).backward));
    }
    beside_ = costs.constant(0);
    for (std::size_t s = 1; s < costs.options().constants.size(); ++s) beside_ = std::min(beside_, costs.constant(s));
  }

  /// The flow bound, at least `known`; if stopped, the best so far.
  [[nodiscard]] ticks flow(ticks known, const function_ref<bool()>& stop) {
    const bool overlapped = costs_.options().overlap == message_overlap::full;
    // If the larger of work and cut counts, half of their sum is a bound.
    const auto share = [&](ticks amount) { return overlapped ? amount / 2 : amount; };
    cut_network network(
        costs_, [&](std::size_t e) { return share(work_[e]); },
        [&](std::size_t i) { return share(costs_.weight_of(i).forward + costs_.weight_of(i).backward); });
    std::vector<ticks> most(costs_.size());  // an upper bound for each element
    for (std::size_t e = 0; e < costs_.size(); ++e) {
      most[e] = work_[e];
      for (const operator_costs::link& link : costs_.nets_of(e)) {
        most[e] += costs_.weight_of(link.net).forward + costs_.weight_of(link.net).backward;
      }
    }
    for (const std::size_t e : by_work()) {
      const ticks instead = on_cpu(e);
      if (std::min(most[e] + beside_, instead) <= known) continue;
      if (stop && stop()) break;
      const ticks least = network.least(e);
      known = std::max(known, std::min(least + beside_, instead));
      for (std::size_t other = 0; other < costs_.size(); ++other) {
        if (network.holds(other)) most[other] = std::min(most[other], least);
      }
    }
    return known;
  }

  /// The covering bound, at least `known`, from as many values of u as time allows.
  [[nodiscard]] ticks cover(ticks known, ticks most, const function_ref<bool()>& stop) {
    if (costs_.options().overlap == message_overlap::full) return known;
    for (const std::int64_t part : {0, 8, 16, 4, 32, 2, 12, 64, 6, 24, 10, 48, 14, 20, 96, 128, 192}) {
      if (stop && stop()) break;
      if (!measure(part, stop)) break;
    }
    if (least_.empty()) return known;
    ticks low = known;  // the load is at least this
    for (ticks high = most; low < high;) {
      const ticks middle = low + (high - low) / 2;
      if (too_small(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  static constexpr std::int64_t whole = 256;  // u is a fraction of this
  static constexpr int shift = 12;            // so that multiples do not overflow: bounds are rounded down

  /// The least sums for one u.
  struct measured {
    std::int64_t part;
    std::vector<std::int64_t> least;
  };

  [[nodiscard]] std::vector<std::size_t> by_work() const {
    std::vector<std::size_t> result(costs_.size());
    std::iota(result.begin(), result.end(), std::size_t{0});
    std::stable_sort(result.begin(), result.end(), [&](std::size_t a, std::size_t b) { return work_[a] > work_[b]; });
    return result;
  }
  [[nodiscard]] ticks on_cpu(std::size_t e) const {
    const operator_costs::figures& each = costs_.of(e);
    if (counts_.cpus == 0 || !each.on_cpu) return std::numeric_limits<ticks>::max();
    return each.cpu + beside_;
  }

  [[nodiscard]] bool measure(std::int64_t part, const function_ref<bool()>& stop) {
    cut_network network(
        costs_, [&](std::size_t e) { return (work_[e] >> shift) * part; },
        [&](std::size_t i) { return ((costs_.weight_of(i).forward + costs_.weight_of(i).backward) >> shift) * whole; });
    measured result{part, std::vector<std::int64_t>(costs_.size())};
    if (part != 0) {
      for (std::size_t e = 0; e < costs_.size(); ++e) {
        if (stop && stop()) return false;
        if (work_[e] != 0) result.least[e] = network.least(e);
      }
    }
    least_.push_back(std::move(result));
    return true;
  }

  /// Whether no partition has a load of at most that.
  [[nodiscard]] bool too_small(ticks load) const {
    const double limit = static_cast<double>(load - beside_);
    struct item {
      double share;
      double cpu;
    };
    std::vector<item> items;
    double sum = 0;
    for (std::size_t e = 0; e < costs_.size(); ++e) {
      if (work_[e] == 0) continue;
      double most = limit;
      for (const measured& each : least_) {
        const double least = static_cast<double>(each.least[e]) * (1 << shift) / whole;
        most = std::min(most, (limit - least) * whole / static_cast<double>(whole - each.part));
      }
      const bool fits = most * (1 + 1e-12) >= static_cast<double>(work_[e]);
      const double share = fits ? static_cast<double>(work_[e]) / most : std::numeric_limits<double>::infinity();
      const ticks cpu = on_cpu(e);
      if (cpu != std::numeric_limits<ticks>::max()) {
        items.push_back({share, static_cast<double>(cpu - beside_)});
        if (!fits) continue;  // then it is on a CPU
      } else if (!fits) {
        return true;
      }
      sum += share;
    }
    return sum * (1 - 1e-9) > static_cast<double>(counts_.devices) + relief(items, limit);
  }

  /// The most of the shares that CPUs can take over, with fractions of elements.
  template <class Items>
  [[nodiscard]] double relief(Items& items, double limit) const {
    double room = limit * static_cast<double>(counts_.cpus);
    std::erase_if(items, [](const auto& item) { return item.share == std::numeric_limits<double>::infinity(); });
    std::sort(items.begin(), items.end(),
              [](const auto& a, const auto& b) { return a.cpu / a.share < b.cpu / b.share; });
    double result = 0;
    for (const auto& item : items) {
      if (item.cpu > room) return result + item.share * (item.cpu > 0 ? room / item.cpu : 0);
      room -= item.cpu;
      result += item.share;
    }
    return result;
  }

  const operator_costs& costs_;
  stage_counts counts_;
  std::vector<ticks> work_{};
  ticks beside_ = 0;
  std::vector<measured> least_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
