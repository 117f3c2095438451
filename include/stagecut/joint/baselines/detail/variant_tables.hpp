// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/tick_scale.hpp>
#include <stagecut/joint/baselines/detail/variant_ways.hpp>
#include <stagecut/profile/variant_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The figures of a graph of layers, in integer units, by layer and tensor-parallel degree.
struct variant_tables {
  /// A layer at one tensor-parallel degree.
  struct divided {
    std::vector<variant_figures> variants{};  // time beyond the smallest
    std::vector<double> more_parameters{};    // per variant, bytes beyond the smallest; empty: all exchange the same
    std::vector<std::vector<std::int64_t>>
        more_cut{};                   // of each variant, time beyond the least of each edge that is cut, of
                                      // those in, then out; empty: all send the same
    std::vector<std::int64_t> cut{};  // the smallest time of each edge
    std::int64_t time = 0;            // of the fastest variant
    std::int64_t parameters = 0;      // of the one with the least
    std::size_t alike = 0;            // the number of its group

    [[nodiscard]] bool exists() const noexcept { return !variants.empty(); }
    [[nodiscard]] bool varies() const noexcept { return !more_parameters.empty() || !more_cut.empty(); }
  };

  engine::tick_scale times{}, bytes{}, parameters{};
  std::vector<std::size_t> ways{};                     // ascending
  std::vector<std::vector<divided>> layers{};          // by layer, then as `ways`
  std::vector<std::vector<std::size_t>> neighbours{};  // the other end of each incoming, then of each outgoing edge
  std::vector<std::int64_t> work{};                    // lower bound of a layer's device seconds
  std::vector<std::vector<variant_figures>> groups{};  // layers with these figures are interchangeable

  explicit variant_tables(const variant_graph& graph);

 private:
  [[nodiscard]] static double at(const std::vector<double>& bytes, std::size_t i) noexcept {
    return i < bytes.size() ? bytes[i] : 0;
  }

  void list_edges(const variant_graph& graph);

  /// Seconds in which the bytes of an edge, and the transfers among devices, cross it in both directions.
  [[nodiscard]] double crossing(const variant_graph& graph, std::size_t v, const run_variant& one, std::size_t e) const;

  void choose_units(const variant_graph& graph);

  [[nodiscard]] divided tabulate(const variant_graph& graph, std::size_t v, const divided_layer& from);

  [[nodiscard]] std::size_t group_of(const std::vector<variant_figures>& figures);

  std::vector<std::vector<double>> in_{}, out_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/variant_tables.ipp>
#endif
