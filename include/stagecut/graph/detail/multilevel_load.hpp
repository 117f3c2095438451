// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/seeded.hpp>
#include <stagecut/graph/detail/dag_multilevel.hpp>
#include <stagecut/graph/detail/dag_orders.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>
#include <stagecut/graph/detail/guided_orders.hpp>
#include <stagecut/graph/detail/order_loads.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The nets of a graph whose parts pay for the outputs of vertices.
[[nodiscard]] inline dag_nets nets_of_outputs(const flat_dag& graph, view<const dag_weight> outputs) {
  dag_nets result;
  std::vector<dag_vertex> row;
  for (std::size_t v = 0; v < outputs.size(); ++v) {
    if (outputs[v] == 0 || graph.out[v].size() == 0) continue;
    row.assign(1, static_cast<dag_vertex>(v));
    row.insert(row.end(), graph.out[v].begin(), graph.out[v].end());
    result.pins.push_back(row);
    result.weight.push_back(outputs[v]);
  }
  result.nets_of = result.pins.holding(graph.size());
  return result;
}

/// Searches for parts with a light heaviest part: by orders of the graph, and by orders that keep the parts of a small
/// cut, or of the best parts found, contiguous; cutting such an order is at least as good as those parts.
class multilevel_load {
 public:
  /// @param graph   with vertex weights
  /// @param nets    for which parts pay; both must outlive this object
  /// @param parts   number of parts, none of them empty
  /// @param beside  the additional cost of each part
  /// @param memory  limit that no part exceeds; null: none
  multilevel_load(const flat_dag& graph, const dag_nets& nets, std::size_t parts, dag_weight beside,
                  const dag_memory* memory = nullptr)
      : graph_(graph), parts_(parts), orders_(graph, nets, parts, beside, memory) {}

  /// Searches until nothing is left to try or `over` returns true.
  /// @param all  whether to include slow attempts
  void run(std::uint64_t seed, bool all, const function_ref<bool()>& over) {
    engine::seeded random(seed);
    const auto consider = [&](const dag_order& order) { orders_.improve(order, best_); };
    for (std::size_t i = 0; i < plain_orders && !(i > 0 && over()); ++i) {
      consider(plain_order(graph_, i));
    }
    if (!all || over()) return;
    guided_orders guided(graph_, random);
    for (std::size_t i = 0; i < guided.size() && !over(); ++i) guided.each_order(i, consider);
    if (over()) return;
    const auto most = static_cast<dag_weight>(1.03 * static_cast<double>(orders_.bound()));
    const dag_parts cut = dag_multilevel(graph_, std::vector<dag_weight>(parts_, most), seed).by_bisection(3);
    keep_to(cut.part, guided, over);
    for (std::size_t i = 0; i < 4 && !over(); ++i) {
      const dag_weight before = best_.load;
      keep_to(best_.part, guided, over);
      if (best_.load == before) break;
    }
  }

  /// The best parts; empty if none were found.
  [[nodiscard]] const order_loads::found& best() const noexcept { return best_; }
  /// Lower bound: no parts are lighter.
  [[nodiscard]] dag_weight bound() const { return std::min(orders_.bound(), best_.load); }
  /// The load of each part.
  [[nodiscard]] std::vector<dag_weight> loads(const std::vector<std::uint32_t>& part) const {
    return orders_.loads(part);
  }

 private:
  /// Tries orders that go through parts one after the other.
  void keep_to(std::vector<std::uint32_t> part, guided_orders& guided, const function_ref<bool()>& over) {
    if (part.empty()) return;
    const auto consider = [&](const dag_order& order) { orders_.improve(by_part(order, part, parts_), best_); };
    for (std::size_t i = 0; i < plain_orders; ++i) consider(plain_order(graph_, i));
    for (std::size_t i = 0; i < guided.size() && !over(); i += 3) guided.each_order(i, consider);
  }

  const flat_dag& graph_;
  std::size_t parts_;
  order_loads orders_;
  order_loads::found best_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
