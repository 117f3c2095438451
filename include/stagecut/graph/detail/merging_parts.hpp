// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <stagecut/graph/operator_costs.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The figures of parts under merging, each with only the nets that it cuts, so that total memory is proportional to
/// the pins.
class merging_parts {
 public:
  using ticks = operator_costs::ticks;

  /// The figures of a part.
  struct figures {
    ticks forward = 0;
    ticks backward = 0;
    operator_costs::net cut{};
    ticks resident = 0;
    ticks activations = 0;
    ticks workspace = 0;
    std::size_t stage = graph_operator::none;
    bool stands = true;  // on an accelerator, and not fixed to two stages

    [[nodiscard]] ticks work() const noexcept { return forward + backward; }
  };

  /// @param devices  memory is computed for the first of these; the objects must outlive this one
  merging_parts(const operator_costs& costs, std::size_t devices)
      : costs_(costs), in_flight_(costs.in_flight(0, devices)), nets_(costs.size()), shared_(costs.size()) {
    for (std::size_t e = 0; e < costs.size(); ++e) {
      const operator_costs::figures& each = costs.of(e);
      figures of{each.forward,     each.backward,  {},         each.resident,
                 each.activations, each.workspace, each.stage, each.on_accelerator};
      for (const operator_costs::link& each_net : costs.nets_of(e)) {
        nets_[e].push_back({each_net.net, 1});
        add_net(of.cut, each_net.net, 1);
      }
      shared_[e].assign(costs.shared_by(e).begin(), costs.shared_by(e).end());
      for (const std::uint32_t i : shared_[e]) of.resident += costs.shared_bytes(i);
      parts_.push_back(of);
    }
  }

  [[nodiscard]] const figures& of(std::size_t part) const noexcept { return parts_[part]; }

  /// The figures of two parts merged. O(fewer nets, with the log of more).
  [[nodiscard]] figures together(std::size_t a, std::size_t b) const {
    const figures& x = parts_[a];
    const figures& y = parts_[b];
    figures result{x.forward + y.forward,
                   x.backward + y.backward,
                   {x.cut.forward + y.cut.forward, x.cut.backward + y.cut.backward, x.cut.buffers + y.cut.buffers},
                   x.resident + y.resident,
                   x.activations + y.activations,
                   std::max(x.workspace, y.workspace),
                   x.stage != graph_operator::none ? x.stage : y.stage,
                   x.stands && y.stands};
    if (x.stage != graph_operator::none && y.stage != graph_operator::none && x.stage != y.stage) result.stands = false;
    for_both(
        nets_[a], nets_[b], [](const link& each) { return each.net; },
        [&](const link& here, const link& there) {
          add_net(result.cut, here.net, here.pins + there.pins == costs_.pins(here.net).size() ? -2 : -1);
        });
    for_both(
        shared_[a], shared_[b], [](std::uint32_t each) { return each; },
        [&](std::uint32_t i, std::uint32_t) { result.resident -= costs_.shared_bytes(i); });
    return result;
  }

  /// Its load at profiled speed, without constants of stages.
  [[nodiscard]] ticks load(const figures& of) const noexcept {
    if (costs_.options().overlap == message_overlap::none) return of.work() + of.cut.forward + of.cut.backward;
    return std::max(of.forward, of.cut.forward) + std::max(of.backward, of.cut.backward);
  }

  /// Whether memory suffices, without buffers, which a larger part may need fewer of, and it has a device.
  [[nodiscard]] bool may_grow(const figures& of) const noexcept {
    return of.stands && of.resident + in_flight_ * of.activations + of.workspace <= costs_.limit();
  }

  /// Merges two parts.
  void merge(std::size_t kept, std::size_t gone) {
    parts_[kept] = together(kept, gone);
    std::vector<link> all;
    const std::vector<link>& x = nets_[kept];
    const std::vector<link>& y = nets_[gone];
    all.reserve(x.size() + y.size());
    for (std::size_t i = 0, j = 0; i < x.size() || j < y.size();) {
      link each{};
      if (j == y.size() || (i < x.size() && x[i].net <= y[j].net)) {
        each = x[i++];
        if (j < y.size() && y[j].net == each.net) each.pins += y[j++].pins;
      } else {
        each = y[j++];
      }
      if (each.pins < costs_.pins(each.net).size()) all.push_back(each);
    }
    nets_[kept] = std::move(all);
    nets_[gone] = {};
    std::vector<std::uint32_t> held;
    std::set_union(shared_[kept].begin(), shared_[kept].end(), shared_[gone].begin(), shared_[gone].end(),
                   std::back_inserter(held));
    shared_[kept] = std::move(held);
    shared_[gone] = {};
  }

 private:
  /// Pins of a net in a part that does not hold all of them.
  struct link {
    std::uint32_t net;
    std::uint32_t pins;
  };

  void add_net(operator_costs::net& sum, std::size_t net, ticks times) const {
    sum.forward += times * costs_.weight_of(net).forward;
    sum.backward += times * costs_.weight_of(net).backward;
    sum.buffers += times * costs_.weight_of(net).buffers;
  }

  /// Visits common keys of both rows, in ascending order.
  template <class Row, class Key, class Visit>
  static void for_both(const Row& a, const Row& b, const Key& key, const Visit& visit) {
    const Row& fewer = a.size() < b.size() ? a : b;
    const Row& more = a.size() < b.size() ? b : a;
    auto at = more.begin();
    for (const auto& each : fewer) {
      at = std::lower_bound(at, more.end(), key(each), [&](const auto& x, auto k) { return key(x) < k; });
      if (at != more.end() && key(*at) == key(each)) visit(each, *at);
    }
  }

  const operator_costs& costs_;
  ticks in_flight_;
  std::vector<figures> parts_{};
  std::vector<std::vector<link>> nets_;             // of each part, by number
  std::vector<std::vector<std::uint32_t>> shared_;  // of each part, by number
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
