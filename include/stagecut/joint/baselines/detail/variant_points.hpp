// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/bit_sets.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/joint/baselines/detail/variant_tables.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The order ideals of a graph of layers as points, by increasing work: the layers of each, and the sums of their
/// figures.
class variant_points {
 public:
  /// @throws invalid_input for a cycle, and for more order ideals than `most`
  variant_points(const variant_tables& tables, const precedence& before, std::size_t most);

  /// Sums over the layers of a point, at one tensor-parallel degree.
  struct sums {
    std::int64_t time = 0;  // a lower bound
    std::int64_t cut = 0;   // in addition, if all edges of the layers are cut
    std::int64_t parameters = 0;
    variant_figures fastest{};    // with all layers in the fastest way; without time
    std::int64_t least_one = 0;   // bytes with one microbatch in flight, a lower bound
    std::int64_t least_more = 0;  // bytes of each further one, a lower bound
    std::uint32_t missing = 0;    // layers that do not support this degree

    void add(const sums& other, std::int64_t sign) noexcept;
  };

  [[nodiscard]] std::size_t size() const noexcept { return work_.size() - 1; }
  [[nodiscard]] double work(std::size_t point) const noexcept { return work_[point]; }
  [[nodiscard]] bool holds(std::size_t point, std::size_t layer) const noexcept { return held_.holds(point, layer); }
  [[nodiscard]] bool within(std::size_t inner, std::size_t outer) const noexcept { return held_.within(inner, outer); }

  /// The sums of a stage.
  [[nodiscard]] sums between(std::size_t first, std::size_t last, std::size_t t) const noexcept;

  /// Calls `visit(layer)` for the layers of a stage, ascending.
  template <class Visit>
  void each_layer(std::size_t first, std::size_t last, const Visit& visit) const {
    held_.each_between(first, last, visit);
  }

  /// The first point, at least `from`, with work above `most`.
  [[nodiscard]] std::size_t end_of(double most) const noexcept;

 private:
  [[nodiscard]] static sums of_layer(const variant_tables::divided& each);

  void add(const variant_tables& tables, std::size_t layer, std::size_t from, std::size_t to);

  std::size_t ways_;
  std::vector<double> work_{};
  engine::bit_rows held_{};
  std::vector<sums> sums_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/variant_points.ipp>
#endif
