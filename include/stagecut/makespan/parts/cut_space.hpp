// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/path_pool.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/cut_search.hpp>
#include <stagecut/makespan/detail/pair_graph.hpp>
#include <stagecut/makespan/detail/path_means.hpp>
#include <stagecut/makespan/detail/stage_graph.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The graph of all cuts up to a makespan, and the search on it.
class cut_space {
 public:
  /// The most edges of a graph: a quarter of a gigabyte.
  static constexpr std::size_t most_edges = std::size_t{1} << 24U;

  cut_space(const engine::chain_ticks& chain, const schedule& order, transfer_kind transfers,
            const engine::stage_layout& layout, const engine::cut_rules& rules, engine::cut_simulator& simulator,
            engine::search_clock& clock)
      : chain_(chain),
        order_(order),
        layout_(layout),
        rules_(rules),
        simulator_(simulator),
        clock_(clock),
        stages_(chain, order, transfers, rules) {}

  /// Builds the graph of all cuts of makespan `most` or less. Returns false, and keeps no graph, if it is too large or
  /// time runs out.
  ///
  /// @param offer  receives cuts found on the way, and their makespans
  bool build(double most, function_ref<void(view<const std::size_t>, double)> offer = {}) {
    search_.reset();
    built_for_ = -1;
    if (tick_ != chain_.tick) {  // pairs are in ticks of another size
      tick_ = chain_.tick;
      pool_.reset();
      pairs_.reset();
      means_.reset();
    }
    bool built = false;
    if (layout_.kind == engine::stage_layout::shape::chain) {
      built = stages_.build(most, most_edges, clock_, graph_);
    } else {
      if (!pairs_) pairs_.emplace(chain_, order_, layout_, rules_);
      if (!means_) means_.emplace(chain_, order_.microbatches * order_.slices, layout_, simulator_, clock_);
      const auto thin = [&](engine::layered_graph& part) { means_->thin(part, most, offer); };
      if (offer) {
        built = pairs_->build(most, most_edges, clock_, graph_, thin);
      } else {
        built = pairs_->build(most, most_edges, clock_, graph_);
      }
    }
    if (!built) return false;
    built_for_ = most;
    const std::size_t capacity = most_lengths / (graph_.nodes.size() + 1);
    const std::size_t paths = capacity < 16 ? 16 : capacity > 256 ? 256 : capacity;
    if (!pool_ || pool_->capacity() != paths) pool_.emplace(chain_, layout_, paths);
    search_.emplace(chain_, order_, layout_, rules_, simulator_, *pool_, clock_);
    return true;
  }

  /// Whether the graph contains all cuts of makespan `most` or less.
  [[nodiscard]] bool holds(double most) const noexcept { return search_ && most <= built_for_; }

  /// The edges of cuts of makespan `most` or less, if the graph contains them; possibly more if time runs out.
  [[nodiscard]] engine::layered_graph within(double most) {
    engine::layered_graph graph = graph_;
    const auto last = static_cast<std::uint32_t>(layout_.steps());
    if (!graph.prune(last, [most](const auto& edge) { return edge.bound > most; })) graph.edges.clear();
    refine(graph, most);
    return graph;
  }

  /// Removes edges that no cut of makespan `most` or less uses from a part of the graph, where the rest tightens
  /// bounds.
  void refine(engine::layered_graph& graph, double most) const {
    if (layout_.kind == engine::stage_layout::shape::chain && stages_.in_flight()) stages_.refine(graph, most, clock_);
  }

  /// Removes the cuts slower than `most`.
  void shrink(double most) {
    if (most >= built_for_) return;
    built_for_ = most;
    graph_ = within(most);
    graph_.compact();
  }

  /// The graph.
  [[nodiscard]] const engine::layered_graph& graph() const noexcept { return graph_; }
  /// Builds the graphs of chains.
  [[nodiscard]] const stage_graph& stages() const noexcept { return stages_; }
  /// The search through parts of the graph.
  /// @pre the graph was built
  [[nodiscard]] cut_search& search() noexcept { return *search_; }

 private:
  // Lengths of all paths at all nodes: a quarter of a gigabyte.
  static constexpr std::size_t most_lengths = std::size_t{1} << 25U;

  const engine::chain_ticks& chain_;
  const schedule& order_;
  const engine::stage_layout& layout_;
  const engine::cut_rules& rules_;
  engine::cut_simulator& simulator_;
  engine::search_clock& clock_;
  stage_graph stages_;
  engine::layered_graph graph_{};
  double built_for_ = -1;  // the makespan
  double tick_ = 0;        // tick of what was learned
  std::optional<pair_graph> pairs_{};
  std::optional<path_means> means_{};
  std::optional<engine::path_pool> pool_{};
  std::optional<cut_search> search_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
