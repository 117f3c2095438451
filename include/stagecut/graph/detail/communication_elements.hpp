// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/tick_scale.hpp>
#include <stagecut/graph/communication_problem.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/check_operator_figures.hpp>
#include <stagecut/graph/detail/rows.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Weights of operators and edges, for a graph that holds groups, devices (as stages) and edges.
struct communication_weights {
  std::vector<double> variables{};   ///< of each operator
  std::vector<double> operations{};  ///< of each operator
  std::vector<double> edges{};       ///< of each edge
};

/// The indivisible elements, with weights in whole ticks, so that sums are exact.
class communication_elements {
 public:
  using ticks = std::int64_t;
  using element = precedence::element;

  /// The two balanced weights.
  struct weights {
    ticks variables = 0;
    ticks operations = 0;

    void add(const weights& other) { variables += other.variables, operations += other.operations; }
    void remove(const weights& other) { variables -= other.variables, operations -= other.operations; }
    [[nodiscard]] bool within(const weights& most) const {
      return variables <= most.variables && operations <= most.operations;
    }
  };
  /// A link to an element with shared edges, or with a precedence.
  struct link {
    element to = 0;
    std::int32_t order = 0;  ///< 1: `to` may not be on an earlier device; -1: not on a later one; 0: anywhere
    ticks weight = 0;
  };

  communication_elements(const operator_graph& graph, contraction parts, const communication_weights& figures,
                         const communication_request& request);

  [[nodiscard]] std::size_t size() const noexcept { return parts_.elements(); }
  [[nodiscard]] std::size_t devices() const noexcept { return devices_; }
  [[nodiscard]] bool may_empty() const noexcept { return may_empty_; }
  /// Whether edges lead to the same or a later device.
  [[nodiscard]] bool ordered() const noexcept { return ordered_; }
  [[nodiscard]] const contraction& parts() const noexcept { return parts_; }
  [[nodiscard]] const precedence& below() const noexcept { return parts_.below(); }
  [[nodiscard]] const weights& of(std::size_t e) const noexcept { return of_[e]; }
  /// The limits of a device.
  [[nodiscard]] const weights& most() const noexcept { return most_; }
  [[nodiscard]] view<const link> links(std::size_t e) const noexcept { return links_[e]; }
  /// Number of link ends: each link counts at both ends.
  [[nodiscard]] std::size_t link_ends() const noexcept { return links_.entries(); }
  /// The first and the last device on which an element may be.
  [[nodiscard]] std::size_t first(std::size_t e) const noexcept { return first_[e]; }
  [[nodiscard]] std::size_t last(std::size_t e) const noexcept { return last_[e]; }
  /// Whether some elements have a smaller range of devices than others.
  [[nodiscard]] bool any_fixed() const noexcept { return any_fixed_; }

  [[nodiscard]] double communication(ticks count) const { return edge_scale_.figure(count); }
  [[nodiscard]] double variables(ticks count) const { return variable_scale_.figure(count); }
  [[nodiscard]] double operations(ticks count) const { return operation_scale_.figure(count); }

  /// The weight that a placement cuts.
  [[nodiscard]] ticks cut(const std::vector<std::uint32_t>& device_of) const;

 private:
  static engine::tick_scale scale_of(const std::vector<double>& all);
  void choose_ticks(const communication_weights& figures);
  /// A k-th of `all` times 1 + `imbalance`, plus a margin for rounding.
  [[nodiscard]] ticks most_of(ticks all, double imbalance) const;

  void join(const operator_graph& graph, const communication_weights& figures);

  /// Finds the devices allowed for each element: from fixed devices and precedence.
  void fix(const operator_graph& graph);

  contraction parts_;
  std::size_t devices_;
  bool may_empty_;
  bool ordered_;
  bool any_fixed_ = false;
  engine::tick_scale variable_scale_{};
  engine::tick_scale operation_scale_{};
  engine::tick_scale edge_scale_{};
  std::vector<weights> of_{};
  weights most_{};
  rows<link> links_{};
  std::vector<std::size_t> first_{};
  std::vector<std::size_t> last_{};
};

inline communication_elements::communication_elements(const operator_graph& graph, contraction parts,
                                                      const communication_weights& figures,
                                                      const communication_request& request)
    : parts_(std::move(parts)), devices_(request.devices), may_empty_(request.at_most), ordered_(request.contiguous) {
  choose_ticks(figures);
  of_.resize(size());
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    of_[parts_.element_of(v)].add(
        {variable_scale_.nearest(figures.variables[v]), operation_scale_.nearest(figures.operations[v])});
  }
  weights all;
  for (const weights& each : of_) all.add(each);
  most_ = {most_of(all.variables, request.variable_imbalance), most_of(all.operations, request.operation_imbalance)};
  join(graph, figures);
  fix(graph);
}

inline auto communication_elements::cut(const std::vector<std::uint32_t>& device_of) const -> ticks {
  ticks sum = 0;
  for (std::size_t e = 0; e < size(); ++e) {
    for (const link& each : links(e)) sum += each.to > e && device_of[e] != device_of[each.to] ? each.weight : 0;
  }
  return sum;
}

inline engine::tick_scale communication_elements::scale_of(const std::vector<double>& all) {
  double sum = 0;
  for (const double each : all) sum += each;
  return tick_scale_of(sum);
}

inline void communication_elements::choose_ticks(const communication_weights& figures) {
  variable_scale_ = scale_of(figures.variables);
  operation_scale_ = scale_of(figures.operations);
  edge_scale_ = scale_of(figures.edges);
}

inline auto communication_elements::most_of(ticks all, double imbalance) const -> ticks {
  const double most = (1 + imbalance) * (static_cast<double>(all) / static_cast<double>(devices_)) * (1 + 0x1p-40);
  return most < static_cast<double>(all) ? static_cast<ticks>(most) : all;
}

inline void communication_elements::join(const operator_graph& graph, const communication_weights& figures) {
  std::vector<std::pair<element, link>> ends;
  const auto add = [&](element from, element to, std::int32_t order, ticks weight) {
    ends.push_back({from, {to, order, weight}});
    ends.push_back({to, {from, -order, weight}});
  };
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const element from = parts_.element_of(graph.edges[i].from);
    const element to = parts_.element_of(graph.edges[i].to);
    const ticks weight = edge_scale_.nearest(figures.edges[i]);
    if (from != to && weight != 0) add(from, to, 0, weight);
  }
  if (ordered_) {
    for (std::size_t e = 0; e < size(); ++e) {
      for (const element to : below().successors(e)) add(static_cast<element>(e), to, 1, 0);
    }
  }
  std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.first, a.second.to) < std::tuple(b.first, b.second.to);
  });
  std::size_t count = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const bool again =
        count != 0 && ends[count - 1].first == ends[i].first && ends[count - 1].second.to == ends[i].second.to;
    if (!again) {
      ends[count++] = ends[i];
      continue;
    }
    ends[count - 1].second.weight += ends[i].second.weight;
    ends[count - 1].second.order += ends[i].second.order;
  }
  links_ = {size(), count, [&](std::size_t i) { return ends[i].first; }, [&](std::size_t i) { return ends[i].second; }};
}

inline void communication_elements::fix(const operator_graph& graph) {
  first_.assign(size(), 0);
  last_.assign(size(), devices_ - 1);
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    const std::size_t device = graph.operators[v].stage;
    if (device == graph_operator::none) continue;
    const element e = parts_.element_of(v);
    any_fixed_ = true;
    first_[e] = std::max(first_[e], device);
    last_[e] = std::min(last_[e], device);
  }
  if (!ordered_ || !any_fixed_) return;
  const auto order = below().order();
  for (const element e : order) {
    for (const element from : below().predecessors(e)) first_[e] = std::max(first_[e], first_[from]);
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    for (const element to : below().successors(order[i])) last_[order[i]] = std::min(last_[order[i]], last_[to]);
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
