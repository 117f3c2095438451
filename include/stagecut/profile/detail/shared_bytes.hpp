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

/// The bytes of the tied parameters of a stage, each name counted once: as the first layer of the stage that has it says.
///
/// They are added as whole multiples of a power of two, at most 2^-61 of their sum; fractions are rounded down to one. So
/// a sum depends on no order, a wider stage never has less where all layers say the same of a name, and whole bytes are
/// exact up to a sum of 2^53.
///
/// Built in O(t log n) for t tied parameters, then each stage in O(log n) steps; O(t log n) numbers are kept.
///
/// A layer counts unless an earlier one of the stage has the name: if the one before it that has it stands before the
/// stage. These are the layers before the end of the stage whose predecessors stand before its begin, without all layers
/// before its begin. Predecessors are split by their bits, the highest first: a wavelet matrix (Claude, Navarro and
/// Ordonez, 2015) with sums.
class shared_bytes {
 public:
  /// None.
  shared_bytes() = default;

  /// @param bytes_of  `bytes_of(TIED)`: of one copy, not negative
  /// @throws          invalid_input naming the layer at which the sum overflows
  template <class BytesOf>
  shared_bytes(const profile& model, const BytesOf& bytes_of) {
    struct known {
      std::size_t next;  // behind the last layer that has it
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

  /// Those of the layers `[first, last)`.
  [[nodiscard]] double operator()(std::size_t first, std::size_t last) const;

  /// Steps of the longest question: at most the digits of n.
  [[nodiscard]] std::size_t steps() const noexcept { return levels_.size(); }
  /// Numbers that are kept.
  [[nodiscard]] std::size_t numbers() const noexcept;

 private:
  struct tie {
    std::size_t layer;
    std::size_t previous;  // behind the layer before it that has the same; 0: none
    double bytes;
  };
  struct split {
    std::size_t zeros;  // of those before a place, how many have a 0 for this bit
    std::uint64_t sum;  // of these
  };
  struct level {
    std::vector<split> before{};
    std::size_t zeros = 0;  // of all
  };
  struct point {
    std::size_t previous;
    std::uint64_t units;
  };

  /// No more than 2^62 units.
  void set_unit(double total);

  /// One point for those of a layer with one predecessor.
  void gather(const std::vector<tie>& ties, std::size_t layers);

  /// Puts those with a 0 for bit `l` before those with a 1.
  void divide(std::vector<point>& points, std::size_t l);

  double unit_ = 1;
  double per_unit_ = 1;
  std::vector<std::size_t> begin_;   // the points of a layer begin there
  std::vector<std::uint64_t> sums_;  // of the points before a place
  std::vector<level> levels_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/shared_bytes.ipp>
#endif
