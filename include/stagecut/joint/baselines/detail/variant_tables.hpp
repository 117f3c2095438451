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

/// The figures of a graph of layers, in whole units, by layer and by number of devices among which it is divided.
struct variant_tables {
  /// A layer divided among a number of devices.
  struct divided {
    std::vector<variant_figures> variants{};  // time beyond the least one
    std::vector<double> more_parameters{};    // of each variant, bytes beyond the least; empty: all exchange the same
    std::vector<std::vector<std::int64_t>>
        more_cut{};                   // of each variant, time beyond the least of each edge that is cut, of
                                      // those in, then out; empty: all send the same
    std::vector<std::int64_t> cut{};  // likewise the least time
    std::int64_t time = 0;            // of the fastest variant
    std::int64_t parameters = 0;      // of the one with the least
    std::size_t alike = 0;            // the number of its group

    [[nodiscard]] bool exists() const noexcept { return !variants.empty(); }
    [[nodiscard]] bool varies() const noexcept { return !more_parameters.empty() || !more_cut.empty(); }
  };

  engine::tick_scale times{}, bytes{}, parameters{};
  std::vector<std::size_t> ways{};                     // ascending
  std::vector<std::vector<divided>> layers{};          // by layer, then as `ways`
  std::vector<std::vector<std::size_t>> neighbours{};  // the other end of each edge in, then of each out
  std::vector<std::int64_t> work{};                    // seconds of a device that a layer takes at least
  std::vector<std::vector<variant_figures>> groups{};  // layers with these figures may be exchanged

  explicit variant_tables(const variant_graph& graph);

 private:
  [[nodiscard]] static double at(const std::vector<double>& bytes, std::size_t i) noexcept {
    return i < bytes.size() ? bytes[i] : 0;
  }

  void list_edges(const variant_graph& graph);

  /// Seconds in which the bytes cross an edge both ways, with those among devices.
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
