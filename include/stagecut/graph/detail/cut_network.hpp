// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>

#include <stagecut/graph/operator_costs.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds, of all sets that hold an element, the least sum of weights of elements in it and nets cut by it: a smallest cut
/// between source and sink of a network. The source's side is the set. Each element has an edge to the sink with its
/// weight; each net of two elements is an edge between them, both ways; of more, two nodes with an edge of its weight
/// between them, where every element leads to the first and the second to every element without limit: it is cut exactly
/// if elements stand on both sides (E. L. Lawler, Networks 3(3):275-285, 1973).
class cut_network {
 public:
  using amount = std::int64_t;

  /// @param costs   what the elements and nets take; must outlive this object
  /// @param weight  `weight(e)` of an element in the set, above 2^20 times less than the greatest amount
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

  /// The least sum of a set that holds an element.
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
  /// Whether an element is in the set that `least` found last.
  [[nodiscard]] bool holds(std::size_t e) const { return colors_[e] == boost::black_color; }

 private:
  static constexpr amount unlimited = std::numeric_limits<amount>::max() / 4;
  using network = boost::compressed_sparse_row_graph<boost::directedS>;
  using arc_type = boost::graph_traits<network>::edge_descriptor;
  struct arc {
    std::size_t from;
    std::size_t to;
    amount capacity;
    std::size_t twin;  // the number of the arc back
  };

  [[nodiscard]] std::size_t source() const noexcept { return elements_; }
  [[nodiscard]] std::size_t sink() const noexcept { return elements_ + 1; }
  void join(std::size_t a, std::size_t b, amount there, amount back) {
    const std::size_t number = arcs_.size();
    arcs_.push_back({a, b, there, number + 1});
    arcs_.push_back({b, a, back, number});
  }

  /// Puts the arcs in rows, node after node.
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

}  // namespace stagecut::inline STAGECUT_ABI::detail
