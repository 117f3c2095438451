// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/makespan/detail/point_times.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Paths, or combinations of paths, as factors of `point_times`, stored in interleaved groups of eight.
class point_rows {
 public:
  static constexpr std::size_t lanes = 8;

  explicit point_rows(const point_times& times) : times_(times), length_(1 + (times.stages() - 1) * times.width()) {}

  /// Number of rows.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Number of groups of eight; missing rows of the last are 0.
  [[nodiscard]] std::size_t groups() const noexcept { return (size_ + lanes - 1) / lanes; }
  /// Number of factors of a row.
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

  /// Sets row `place`, or adds it if `place == size()`.
  void set(std::size_t place, const std::vector<double>& factors) {
    if (place == size_) ++size_;
    factors_.resize(groups() * length_ * lanes);
    for (std::size_t i = 0; i < length_; ++i) factors_[at(place, i)] = factors[i];
  }

  /// Keeps the first rows only.
  void shrink(std::size_t size) {
    for (std::size_t row = size; row < size_; ++row) {
      for (std::size_t i = 0; i < length_; ++i) factors_[at(row, i)] = 0;
    }
    size_ = size;
    factors_.resize(groups() * length_ * lanes);
  }

  /// A factor of a row.
  [[nodiscard]] double factor(std::size_t row, std::size_t i) const noexcept { return factors_[at(row, i)]; }
  /// Factor `i` of the eight rows of a group.
  [[nodiscard]] const double* group(std::size_t g, std::size_t i) const noexcept {
    return factors_.data() + (g * length_ + i) * lanes;
  }

  /// The length of a path in a cut.
  [[nodiscard]] double length(std::size_t row, view<const std::size_t> points) const {
    double sum = factor(row, 0);
    std::size_t i = 1;
    for (std::size_t j = 1; j < times_.stages(); ++j) {
      for (std::size_t f = 0; f < times_.width(); ++f, ++i) sum += factor(row, i) * times_.at(j, f)[points[j]];
    }
    return sum;
  }

  /// The length of every path in a cut: `lengths[row]`, of `8 * groups()`.
  void measure(view<const std::size_t> points, double* lengths) const {
    for (std::size_t g = 0; g < groups(); ++g) {
      double* const to = lengths + g * lanes;
      for (std::size_t l = 0; l < lanes; ++l) to[l] = group(g, 0)[l];
      std::size_t i = 1;
      for (std::size_t j = 1; j < times_.stages(); ++j) {
        for (std::size_t f = 0; f < times_.width(); ++f, ++i) {
          const double time = times_.at(j, f)[points[j]];
          const double* const factors = group(g, i);
          for (std::size_t l = 0; l < lanes; ++l) to[l] += factors[l] * time;
        }
      }
    }
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t row, std::size_t i) const noexcept {
    return (row / lanes * length_ + i) * lanes + row % lanes;
  }

  const point_times& times_;
  std::size_t length_;
  std::size_t size_ = 0;
  std::vector<double> factors_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
