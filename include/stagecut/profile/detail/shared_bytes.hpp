// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/detail/each_tie.hpp>
#include <stagecut/profile/layer.hpp>
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
  [[nodiscard]] double operator()(std::size_t first, std::size_t last) const {
    if (begin_.empty()) return 0;
    std::size_t from = begin_[first];
    std::size_t to = begin_[last];
    const std::size_t behind = first + 1;  // predecessors' ends below this stand before the stage
    std::uint64_t sum = 0;
    if (behind >> levels_.size() != 0) {
      sum = sums_[to] - sums_[from];
    } else {
      for (std::size_t l = levels_.size(); l-- > 0;) {
        const level& here = levels_[l];
        const split& low = here.before[from];
        const split& high = here.before[to];
        if ((behind >> l & 1U) != 0) {
          sum += high.sum - low.sum;
          from += here.zeros - low.zeros;
          to += here.zeros - high.zeros;
        } else {
          from = low.zeros;
          to = high.zeros;
        }
      }
    }
    return static_cast<double>(sum) * unit_;
  }

  /// Steps of the longest question: at most the digits of n.
  [[nodiscard]] std::size_t steps() const noexcept { return levels_.size(); }
  /// Numbers that are kept.
  [[nodiscard]] std::size_t numbers() const noexcept {
    std::size_t count = begin_.size() + sums_.size();
    for (const level& each : levels_) count += 2 * each.before.size();
    return count;
  }

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
  void set_unit(double total) {
    const std::uint64_t digits = std::bit_cast<std::uint64_t>(total) >> 52U;
    const std::uint64_t exponent = digits > 62 ? digits - 61 : 1;
    unit_ = std::bit_cast<double>(exponent << 52U);
    per_unit_ = std::bit_cast<double>((2046 - exponent) << 52U);
  }

  /// One point for those of a layer with one predecessor.
  void gather(const std::vector<tie>& ties, std::size_t layers) {
    std::vector<point> points;
    std::vector<std::size_t> place(layers);  // of a predecessor's point
    std::size_t most = 0;
    for (const tie& each : ties) {
      while (begin_.size() <= each.layer) begin_.push_back(points.size());
      const auto units = static_cast<std::uint64_t>(each.bytes * per_unit_);
      std::size_t& at = place[each.previous];
      if (at < begin_.back() || at >= points.size() || points[at].previous != each.previous) {
        at = points.size();
        points.push_back({each.previous, 0});
      }
      points[at].units += units;
      most = each.previous > most ? each.previous : most;
    }
    begin_.resize(layers + 1, points.size());
    sums_.push_back(0);
    for (const point& each : points) sums_.push_back(sums_.back() + each.units);
    levels_.resize(static_cast<std::size_t>(std::bit_width(most)));
    for (std::size_t l = levels_.size(); l-- > 0;) divide(points, l);
  }

  /// Puts those with a 0 for bit `l` before those with a 1.
  void divide(std::vector<point>& points, std::size_t l) {
    std::vector<point> ones;
    level& made = levels_[l];
    made.before.reserve(points.size() + 1);
    made.before.push_back({0, 0});
    for (const point each : points) {
      split now = made.before.back();
      if ((each.previous >> l & 1U) != 0) {
        ones.push_back(each);
      } else {
        points[now.zeros++] = each;
        now.sum += each.units;
      }
      made.before.push_back(now);
    }
    made.zeros = made.before.back().zeros;
    for (std::size_t i = 0; i < ones.size(); ++i) points[made.zeros + i] = ones[i];
  }

  double unit_ = 1;
  double per_unit_ = 1;
  std::vector<std::size_t> begin_;   // the points of a layer begin there
  std::vector<std::uint64_t> sums_;  // of the points before a place
  std::vector<level> levels_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
