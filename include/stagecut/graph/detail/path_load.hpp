// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/load_program.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The load of stages of a path, where each element communicates only with its neighbours: the sum of work and
/// messages. Exact, as ticks are whole.
class path_load {
 public:
  using axioms = stagecut::axioms<separable, monge, inverse_monge, stage_invariant>;
  using ticks = operator_costs::ticks;

  /// @param n       number of elements
  /// @param beside  the cost of a stage in addition to them
  path_load(std::size_t n, ticks beside) : work_(n + 1, 0), cut_(n + 1, 0), beside_(beside) {}
  /// Sets the work of an element; in order of elements.
  void put(std::size_t i, ticks work) noexcept { work_[i + 1] = work_[i] + work; }
  /// Adds to the cost of a cut before an element, for either stage.
  void cut(std::size_t i, ticks amount) noexcept { cut_[i] += amount; }

  [[nodiscard]] std::size_t size() const noexcept { return work_.size() - 1; }
  [[nodiscard]] ticks end(std::size_t, std::size_t last) const noexcept { return work_[last] + cut_[last] + beside_; }
  [[nodiscard]] ticks begin(std::size_t, std::size_t first) const noexcept { return work_[first] - cut_[first]; }
  [[nodiscard]] ticks work(std::size_t, std::size_t first, std::size_t last) const noexcept {
    return work_[last] - work_[first];
  }
  [[nodiscard]] ticks operator()(std::size_t first, std::size_t last) const noexcept {
    return end(0, last) - begin(0, first);
  }
  [[nodiscard]] ticks operator()(std::size_t, std::size_t first, std::size_t last) const noexcept {
    return (*this)(first, last);
  }

 private:
  std::vector<ticks> work_;
  std::vector<ticks> cut_;
  ticks beside_ = 0;
};

/// Whether the elements have a single topological order and communicate only with neighbours, and stages are identical
/// with enough memory.
[[nodiscard]] inline bool is_path(const contraction& parts, const operator_costs& costs, const stage_counts& counts) {
  if (counts.cpus != 0 || costs.options().overlap != message_overlap::none || costs.options().memory_limit)
    return false;
  if (operator_set(costs).by_position()) return false;
  const auto order = parts.below().order();
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const auto next = parts.below().successors(order[i]);
    if (next.size() != 1 || next[0] != order[i + 1]) return false;
  }
  for (std::size_t e = 0; e < costs.size(); ++e) {
    if (!costs.of(e).on_accelerator) return false;
  }
  for (std::size_t i = 0; i < costs.nets(); ++i) {
    if (costs.pins(i).size() != 2) return false;
    const auto a = costs.pins(i)[0];
    const auto b = costs.pins(i)[1];
    const auto after_a = parts.below().successors(a);
    const auto after_b = parts.below().successors(b);
    if (!(after_a.size() == 1 && after_a[0] == b) && !(after_b.size() == 1 && after_b[0] == a)) return false;
  }
  return true;
}

/// The load of a contracted graph that is a path.
/// @pre `is_path(parts, costs, …)`
[[nodiscard]] inline path_load path_load_of(const contraction& parts, const operator_costs& costs) {
  path_load result(parts.elements(), costs.constant(0));
  std::vector<std::size_t> position(parts.elements());
  std::size_t count = 0;
  for (const auto e : parts.below().order()) {
    position[e] = count++;
    result.put(position[e], costs.of(e).forward + costs.of(e).backward);
  }
  for (std::size_t i = 0; i < costs.nets(); ++i) {
    const std::size_t a = position[costs.pins(i)[0]];
    const std::size_t b = position[costs.pins(i)[1]];
    result.cut(a < b ? b : a, costs.weight_of(i).forward + costs.weight_of(i).backward);
  }
  return result;
}

/// The least load of a path whose elements are in the order `order`, by a chain partitioner.
[[nodiscard]] inline std::optional<element_stages<path_load::ticks>> least_path_load(
    const path_load& load, view<const precedence::element> order, const stage_counts& counts) {
  std::optional<chain_partition<path_load::ticks>> best;
  for (std::size_t stages = counts.at_most ? 1 : counts.devices; stages <= counts.devices; ++stages) {
    const auto found = minimize_bottleneck(load, stages);
    if (found && (!best || found->value < best->value)) best = *found;
  }
  if (!best) return std::nullopt;
  element_stages<path_load::ticks> result;
  result.value = best->value;
  result.kinds.assign(best->cuts.stages(), 0);
  result.stage_of.resize(order.size());
  for (std::size_t s = 0; s < best->cuts.stages(); ++s) {
    for (std::size_t i = best->cuts[s]; i < best->cuts[s + 1]; ++i) {
      result.stage_of[order[i]] = static_cast<std::uint32_t>(s);
    }
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
