// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/parts/each_tie.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The bytes of the tied parameters of a stage, counting each name once, with the bytes of its first layer in the stage.
///
/// Sums use integer multiples of a power of two, at most 2^-61 of the total; fractions are rounded down. So sums do not
/// depend on the order, a wider stage never has less if all layers give the same bytes for a name, and whole bytes are
/// exact up to a sum of 2^53.
///
/// Construction takes O(t log n) for t tied parameters, a query O(log n) steps; memory holds O(t log n) numbers.
///
/// A layer counts unless an earlier layer of the stage has the name, which means that the previous layer with the name is
/// before the stage. The sum is over the layers before the end of the stage whose predecessors are before its start,
/// minus all layers before its start. Predecessors are split by their bits, the highest first: a wavelet matrix (Claude,
/// Navarro and Ordonez, 2015) with sums.
class shared_bytes {
 public:
  /// No parameters.
  shared_bytes() = default;

  /// @param bytes_of  `bytes_of(TIED)`: bytes of one copy, not negative
  /// @throws          invalid_input naming the layer at which the sum overflows
  template <class BytesOf>
  shared_bytes(const profile& model, const BytesOf& bytes_of) {
    struct known {
      std::size_t next;  // after the last layer with the name
      double most;
    };
    std::vector<known> names;
    std::vector<tie> ties;
    double total = 0;
    detail::each_tie(model, [&](std::size_t layer, const tied_parameters& tied, std::size_t name) {
      if (name == names.size()) names.push_back({0, 0});
      known& before = names[name];
      const double bytes = bytes_of(tied);
      if (before.next <= layer && bytes > 0) ties.push_back({layer, before.next, bytes});
      before.next = layer + 1;
      if (!(bytes > before.most)) return;
      total += bytes - before.most;
      before.most = bytes;
      if (!is_finite(total))
        fail(invalid_input(layer_text(model, layer), "the sum of tied parameters is out of range"));
    });
    if (ties.empty()) return;
    set_unit(total);
    gather(ties, model.layers.size());
  }

  /// The bytes of the layers `[first, last)`.
  [[nodiscard]] double operator()(std::size_t first, std::size_t last) const;

  /// Steps of the longest query: at most the binary digits of n.
  [[nodiscard]] std::size_t steps() const noexcept { return levels_.size(); }
  /// Numbers in memory.
  [[nodiscard]] std::size_t numbers() const noexcept;

 private:
  struct tie {
    std::size_t layer;
    std::size_t previous;  // one past the previous layer with the same name; 0: none
    double bytes;
  };
  struct split {
    std::size_t zeros;  // number of previous points with a 0 in this bit
    std::uint64_t sum;  // of these points
  };
  struct level {
    std::vector<split> before{};
    std::size_t zeros = 0;  // of all points
  };
  struct point {
    std::size_t previous;
    std::uint64_t units;
  };

  /// Sets the unit, with at most 2^62 units in total.
  void set_unit(double total);

  /// Creates one point for the ties of a layer with the same predecessor.
  void gather(const std::vector<tie>& ties, std::size_t layers);

  /// Moves points with a 0 in bit `l` before those with a 1.
  void divide(std::vector<point>& points, std::size_t l);

  double unit_ = 1;
  double per_unit_ = 1;
  std::vector<std::size_t> begin_;   // where the points of each layer begin
  std::vector<std::uint64_t> sums_;  // of the points before each
  std::vector<level> levels_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/shared_bytes.ipp>
#endif
