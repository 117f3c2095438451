// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/makespan/makespan_problem.hpp>
#include <stagecut/makespan/remaining_cuts.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The data of the search in what it hands to backends, for the search and for the library's own backends.
struct problem_access {
  [[nodiscard]] static makespan_problem problem(const engine::cut_problem& problem,
                                                engine::cut_simulator& simulator) noexcept {
    return {problem, simulator};
  }
  [[nodiscard]] static remaining_cuts cuts(const engine::layered_graph& graph, const engine::stage_layout& layout,
                                           std::size_t items) noexcept {
    return {graph, layout, items};
  }
  [[nodiscard]] static const engine::cut_problem& of(const makespan_problem& problem) noexcept {
    return *problem.problem_;
  }
  [[nodiscard]] static const engine::layered_graph& graph(const remaining_cuts& cuts) noexcept { return *cuts.graph_; }
  [[nodiscard]] static const engine::stage_layout& layout(const remaining_cuts& cuts) noexcept { return *cuts.layout_; }
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
