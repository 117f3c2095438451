// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include <stagecut/graph/operator_costs.hpp>

namespace stagecut::inline v0::detail {

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
      : elements_(costs.size()), network_(costs.size() + 2) {
    for (std::size_t e = 0; e < elements_; ++e) {
      join(e, sink(), weight(e), 0);
      source_edges_.push_back(join(source(), e, 0, 0));
    }
    for (std::size_t i = 0; i < costs.nets(); ++i) {
      const auto pins = costs.pins(i);
      if (pins.size() == 2) {
        join(pins[0], pins[1], net(i), net(i));
        continue;
      }
      const auto first = boost::add_vertex(network_);
      const auto second = boost::add_vertex(network_);
      join(first, second, net(i), 0);
      for (const auto pin : pins) {
        join(pin, first, unlimited, 0);
        join(second, pin, unlimited, 0);
      }
    }
    colors_.resize(boost::num_vertices(network_));
    distances_.resize(colors_.size());
    before_.resize(colors_.size());
  }

  /// The least sum of a set that holds an element.
  [[nodiscard]] amount least(std::size_t e) {
    put(boost::edge_capacity, network_, source_edges_[e], unlimited);
    const auto index = get(boost::vertex_index, network_);
    const amount result = boost::boykov_kolmogorov_max_flow(
        network_, get(boost::edge_capacity, network_), get(boost::edge_residual_capacity, network_),
        get(boost::edge_reverse, network_), boost::make_iterator_property_map(before_.begin(), index),
        boost::make_iterator_property_map(colors_.begin(), index),
        boost::make_iterator_property_map(distances_.begin(), index), index, source(), sink());
    put(boost::edge_capacity, network_, source_edges_[e], 0);
    return result;
  }
  /// Whether an element is in the set that `least` found last.
  [[nodiscard]] bool holds(std::size_t e) const { return colors_[e] == boost::black_color; }

 private:
  static constexpr amount unlimited = std::numeric_limits<amount>::max() / 4;
  using traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using network = boost::adjacency_list<
      boost::vecS, boost::vecS, boost::directedS, boost::no_property,
      boost::property<boost::edge_capacity_t, amount,
                      boost::property<boost::edge_residual_capacity_t, amount,
                                      boost::property<boost::edge_reverse_t, traits::edge_descriptor>>>>;

  [[nodiscard]] std::size_t source() const noexcept { return elements_; }
  [[nodiscard]] std::size_t sink() const noexcept { return elements_ + 1; }
  traits::edge_descriptor join(std::size_t a, std::size_t b, amount there, amount back) {
    const auto forth = boost::add_edge(a, b, network_).first;
    const auto other = boost::add_edge(b, a, network_).first;
    put(boost::edge_capacity, network_, forth, there);
    put(boost::edge_capacity, network_, other, back);
    put(boost::edge_reverse, network_, forth, other);
    put(boost::edge_reverse, network_, other, forth);
    return forth;
  }

  std::size_t elements_;
  network network_;
  std::vector<traits::edge_descriptor> source_edges_{};
  std::vector<boost::default_color_type> colors_{};
  std::vector<long> distances_{};
  std::vector<traits::edge_descriptor> before_{};
};

}  // namespace stagecut::inline v0::detail
