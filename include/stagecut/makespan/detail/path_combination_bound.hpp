// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/matrix_game.hpp>
#include <stagecut/makespan/detail/point_domains.hpp>
#include <stagecut/makespan/detail/point_rows.hpp>
#include <stagecut/makespan/detail/row_bounds.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Weighs paths so that the minimum of their weighted sum over the cuts of a domain is large: a bound that no single
/// path gives. See docs/makespan.md, Bounds, Domains.
///
/// Any weights of sum 1 give a bound. The weights come from a game: one player chooses a path, the other a cut, and the
/// second pays the first the length of the path in the cut. Both learn among the paths and cuts known so far; then each
/// receives its best response to the other's mixed strategy: the cut that minimizes the weighted sum, and the critical
/// path of the mean times of the weighted cuts.
///
/// A limit is a row that is at most 0 for the wanted cuts. Any non-negative price times it may be added to a
/// combination of paths. In the game its value is offset by the current bound: above it where a cut violates the limit.
class path_combination_bound {
 public:
  static constexpr std::size_t lanes = point_rows::lanes;

  explicit path_combination_bound(row_bounds& bounds) : bounds_(bounds) {}

  /// The factors of the best combination and its minimum.
  /// @{
  std::vector<double> factors{};
  double bound = 0;
  /// @}
  /// The weight in it of row 0, the previous combination.
  double carried = 0;
  /// The sum of the prices of limits in it.
  double priced = 0;
  /// The cuts of the game.
  std::vector<std::vector<std::size_t>> cuts{};

  /// The recent weights of cuts, of sum 1; empty before the second step.
  [[nodiscard]] const std::vector<double>& cut_weights() const noexcept { return game_.column_weights; }

  /// Starts with the known cuts that lie in a domain.
  ///
  /// @param limits  may be empty; fixed during the game
  /// @param known   a bound for the wanted cuts
  void begin(const point_rows& rows, const point_rows& limits, const point_domains& domains, double known) {
    limits_ = &limits;
    known_ = known;
    std::size_t kept = 0;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      if (!inside(cuts[c], domains)) continue;
      if (kept != c) cuts[kept].swap(cuts[c]);
      ++kept;
    }
    cuts.resize(kept);
    game_.values.resize(kept);
    for (std::size_t c = 0; c < kept; ++c) measure(rows, c);
    game_.begin(limits_->size() + rows.size());
    factors.clear();
    bound = -engine::no_ticks;
  }

  /// One step: the combination of rows with the players' weights, its bound, and the cut that attains it, which joins
  /// the game. Returns whether the cut is new.
  bool step(const point_rows& rows, const point_domains& domains) {
    if (cuts.empty()) {
      game_.row_weights.assign(padded(rows), 0);
      game_.row_weights[limits_->size()] = 1;
    } else {
      game_.play(limits_->size() + rows.size(), limits_->size(), even());
    }
    normalise(rows.size());
    combine(rows);
    const double here = bounds_.least(now_, domains, cut_);
    if (here > bound || factors.empty()) bound = here, factors = now_, carried = shares_[0], priced = priced_now_;
    for (const auto& cut : cuts) {
      if (cut == cut_) return false;
    }
    game_.make_room(cuts);
    cuts.push_back(cut_);
    game_.add_column();
    measure(rows, cuts.size() - 1);
    return true;
  }

  /// Updates a row that was added or replaced.
  void update(const point_rows& rows, std::size_t row) {
    game_.set_row(limits_->size() + rows.size(), limits_->size() + row,
                  [&](std::size_t c) { return rows.length(row, cuts[c]); });
  }

  /// The game value of the limit that the cuts violate most on average; -`no_ticks` without limits.
  [[nodiscard]] double above_limits() const {
    double most = -engine::no_ticks;
    for (std::size_t k = 0; k < limits_->size(); ++k) {
      double sum = even();
      for (std::size_t c = 0; c < cut_weights().size(); ++c) sum += cut_weights()[c] * game_.values[c][k];
      most = std::max(most, sum);
    }
    return most;
  }

  /// The recent weight of a row.
  [[nodiscard]] double weight(std::size_t row) const { return row < shares_.size() ? shares_[row] : 0; }

 private:
  static constexpr double least_share = 0x1p-7;  // of paths among all rows: prices stay below its inverse

  [[nodiscard]] static bool inside(const std::vector<std::size_t>& points, const point_domains& domains) {
    for (std::size_t j = 1; j < domains.low.size(); ++j) {
      if (points[j] < domains.low[j] || points[j] > domains.high[j]) return false;
    }
    return true;
  }

  /// The game value of a limit that is met exactly.
  [[nodiscard]] double even() const { return bound > known_ ? bound : known_; }

  /// Rows of the game, limits first.
  [[nodiscard]] std::size_t padded(const point_rows& rows) const {
    return engine::matrix_game::padded(limits_->size() + rows.size());
  }

  void measure(const point_rows& rows, std::size_t c) {
    std::vector<double>& to = game_.values[c];
    to.assign(padded(rows), 0);
    lengths_.resize(lanes * (limits_->groups() > rows.groups() ? limits_->groups() : rows.groups()));
    limits_->measure(cuts[c], lengths_.data());
    for (std::size_t k = 0; k < limits_->size(); ++k) to[k] = lengths_[k];
    rows.measure(cuts[c], lengths_.data());
    for (std::size_t k = 0; k < rows.size(); ++k) to[limits_->size() + k] = lengths_[k];
  }

  /// Normalizes the weights of paths to sum 1. Those of limits become prices, on the same scale.
  void normalise(std::size_t rows) {
    const std::size_t first = limits_->size();
    shares_.assign(engine::matrix_game::padded(rows), 0);
    const double paths = game_.row_shares(first, rows, shares_);
    double left = 1;
    std::size_t heaviest = 0;
    for (std::size_t k = 0; k < rows; ++k) {
      left -= shares_[k];
      heaviest = shares_[heaviest] < shares_[k] ? k : heaviest;
    }
    shares_[heaviest] += left;  // exact, and not below 0
    double all = 0;
    for (std::size_t k = 0; k < first; ++k) all += game_.row_weights[k];
    all += paths;
    const double unit = paths < all * least_share ? all * least_share : paths;
    prices_.assign(limits_->groups() * lanes, 0);
    priced_now_ = 0;
    for (std::size_t k = 0; k < first; ++k) priced_now_ += prices_[k] = game_.row_weights[k] / unit;
  }

  void combine(const point_rows& rows) {
    now_.assign(rows.length(), 0);
    add(*limits_, prices_);
    add(rows, shares_);
  }
  void add(const point_rows& rows, const std::vector<double>& weights) {
    for (std::size_t i = 0; i < rows.length(); ++i) {
      double sum[lanes] = {};
      for (std::size_t g = 0; g < rows.groups(); ++g) {
        const double* const group = rows.group(g, i);
        for (std::size_t l = 0; l < lanes; ++l) sum[l] += group[l] * weights[g * lanes + l];
      }
      for (const double each : sum) now_[i] += each;
    }
  }

  row_bounds& bounds_;
  const point_rows* limits_ = nullptr;
  double known_ = 0;
  engine::matrix_game game_{};    // rows: limits and paths; columns: cuts
  std::vector<double> shares_{};  // of paths, of sum 1
  std::vector<double> prices_{};  // of limits
  double priced_now_ = 0;
  std::vector<double> lengths_{};
  std::vector<double> now_{};
  std::vector<std::size_t> cut_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
