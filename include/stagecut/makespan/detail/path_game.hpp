// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/makespan/detail/layered_graph.hpp>
#include <stagecut/makespan/detail/point_domains.hpp>
#include <stagecut/makespan/detail/point_rows.hpp>
#include <stagecut/makespan/detail/row_bounds.hpp>

namespace stagecut::inline v0::detail {

/// Weighs paths so that the least of their weighted sum, over the cuts of a domain, is large: a bound that no single path
/// gives. See docs/makespan.md, Bounds, Combinations.
///
/// Whatever the weights, as long as their sum is 1 the bound is one. They are those of a game: one player chooses a path,
/// the other a cut, and the length of the path in the cut goes from the second to the first. Both learn by regret matching,
/// among the paths and cuts known so far; then each is given its best answer to what the other has learned: the cut that is
/// least in the weighted sum, and the critical path of the times that the weighted cuts have in the mean.
class path_game {
 public:
  static constexpr std::size_t lanes = point_rows::lanes;

  explicit path_game(row_bounds& bounds) : bounds_(bounds) {}

  /// The factors of the best combination and its least value.
  /// @{
  std::vector<double> factors{};
  double bound = 0;
  /// @}
  /// The weight of row 0 in it, the combination that was there.
  double carried = 0;
  /// The cuts of the game, and their weights of late.
  /// @{
  std::vector<std::vector<std::size_t>> cuts{};
  std::vector<double> cut_weights{};
  /// @}

  /// Begins with the cuts known that lie in a domain.
  void begin(const point_rows& rows, const point_domains& domains) {
    std::size_t kept = 0;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      if (!inside(cuts[c], domains)) continue;
      if (kept != c) cuts[kept].swap(cuts[c]);
      ++kept;
    }
    cuts.resize(kept);
    lengths_.resize(kept);
    for (std::size_t c = 0; c < kept; ++c) rows.measure(cuts[c], lengths_[c]);
    path_regrets_.assign(rows.groups() * lanes, 0);
    cut_regrets_.assign(kept, 0);
    cut_weights.clear();
    factors.clear();
    bound = -no_ticks;
  }

  /// One step: the combination of rows as the players weigh them, its bound, and the cut for which that is least, which joins
  /// the game. Returns whether the cut is a new one.
  bool step(const point_rows& rows, const point_domains& domains) {
    if (cuts.empty()) {
      path_weights_.assign(rows.groups() * lanes, 0);
      path_weights_[0] = 1;
    } else {
      play(rows.size());
    }
    normalise(rows.size());
    combine(rows);
    const double here = bounds_.least(now_, domains, cut_);
    if (here > bound || factors.empty()) bound = here, factors = now_, carried = path_weights_[0];
    for (const auto& each : cuts) {
      if (each == cut_) return false;
    }
    if (cuts.size() == most_cuts) forget();
    cuts.push_back(cut_);
    lengths_.emplace_back();
    rows.measure(cut_, lengths_.back());
    cut_regrets_.push_back(0);
    return true;
  }

  /// A row was added, or another took its place.
  void update(const point_rows& rows, std::size_t row) {
    path_regrets_.resize(rows.groups() * lanes);
    path_regrets_[row] = 0;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      lengths_[c].resize(rows.groups() * lanes);
      lengths_[c][row] = rows.length(row, cuts[c]);
    }
  }

  /// How much a row counted of late.
  [[nodiscard]] double weight(std::size_t row) const { return row < path_weights_.size() ? path_weights_[row] : 0; }

 private:
  static constexpr std::size_t most_cuts = 80;
  static constexpr std::size_t rounds = 8;  // of play, in a step

  [[nodiscard]] static bool inside(const std::vector<std::size_t>& points, const point_domains& domains) {
    for (std::size_t j = 1; j < domains.low.size(); ++j) {
      if (points[j] < domains.low[j] || points[j] > domains.high[j]) return false;
    }
    return true;
  }

  /// Regret matching (Hart and Mascolell 2000), where negative regrets are forgotten and later rounds count more.
  void play(std::size_t rows) {
    const std::size_t padded = (rows + lanes - 1) / lanes * lanes;
    path_weights_.assign(padded, 0);
    cut_weights.assign(cuts.size(), 0);
    paths_.resize(padded);
    sums_.resize(padded);
    answers_.resize(cuts.size());
    share(cut_regrets_, answers_);
    for (std::size_t round = 1; round <= rounds; ++round) {
      share(path_regrets_, paths_);
      double mean = 0;
      costs_.resize(cuts.size());
      for (std::size_t c = 0; c < cuts.size(); ++c) {
        costs_[c] = product(lengths_[c], paths_, padded);
        mean += answers_[c] * costs_[c];
      }
      for (std::size_t c = 0; c < cuts.size(); ++c) {
        const double regret = cut_regrets_[c] + mean - costs_[c];
        cut_regrets_[c] = regret < 0 ? 0 : regret;
      }
      share(cut_regrets_, answers_);
      for (double& each : sums_) each = 0;
      for (std::size_t c = 0; c < cuts.size(); ++c) {
        if (answers_[c] == 0) continue;
        const double* const from = lengths_[c].data();
        for (std::size_t k = 0; k < padded; ++k) sums_[k] += answers_[c] * from[k];
      }
      mean = 0;
      for (std::size_t k = 0; k < rows; ++k) mean += paths_[k] * sums_[k];
      for (std::size_t k = 0; k < rows; ++k) {
        const double regret = path_regrets_[k] + sums_[k] - mean;
        path_regrets_[k] = regret < 0 ? 0 : regret;
      }
      const auto counts = static_cast<double>(round);
      for (std::size_t k = 0; k < rows; ++k) path_weights_[k] += counts * paths_[k];
      for (std::size_t c = 0; c < cuts.size(); ++c) cut_weights[c] += counts * answers_[c];
    }
    double sum = 0;
    for (const double each : cut_weights) sum += each;
    for (double& each : cut_weights) each /= sum;
  }

  /// In proportion to regrets.
  static void share(const std::vector<double>& regrets, std::vector<double>& weights) {
    double sum = 0;
    for (const double each : regrets) sum += each;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = sum > 0 ? regrets[i] / sum : 1 / static_cast<double>(weights.size());
    }
  }
  [[nodiscard]] static double product(const std::vector<double>& a, const std::vector<double>& b, std::size_t size) {
    double sum[lanes] = {};
    for (std::size_t k = 0; k < size; k += lanes) {
      for (std::size_t l = 0; l < lanes; ++l) sum[l] += a[k + l] * b[k + l];
    }
    double all = 0;
    for (const double each : sum) all += each;
    return all;
  }

  /// Makes the sum of the weights 1: whole multiples of 2^-30, so that it is not seen how a compiler rounds in between.
  void normalise(std::size_t size) {
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k) sum += path_weights_[k];
    double left = 1;
    std::size_t heaviest = 0;
    for (std::size_t k = 0; k < path_weights_.size(); ++k) {
      if (k >= size) {
        path_weights_[k] = 0;
        continue;
      }
      path_weights_[k] = static_cast<double>(static_cast<std::int64_t>(path_weights_[k] / sum * 0x1p30)) * 0x1p-30;
      left -= path_weights_[k];
      heaviest = path_weights_[heaviest] < path_weights_[k] ? k : heaviest;
    }
    path_weights_[heaviest] += left;  // exact, and not below 0
  }

  void combine(const point_rows& rows) {
    now_.resize(rows.length());
    for (std::size_t i = 0; i < rows.length(); ++i) {
      double sum[lanes] = {};
      for (std::size_t g = 0; g < rows.groups(); ++g) {
        const double* const group = rows.group(g, i);
        for (std::size_t l = 0; l < lanes; ++l) sum[l] += group[l] * path_weights_[g * lanes + l];
      }
      now_[i] = 0;
      for (const double each : sum) now_[i] += each;
    }
  }

  /// Gives up the cut that counts least.
  void forget() {
    std::size_t least = 0;
    for (std::size_t c = 0; c < cuts.size(); ++c) least = cut_weights[c] < cut_weights[least] ? c : least;
    cuts[least].swap(cuts.back());
    lengths_[least].swap(lengths_.back());
    cut_regrets_[least] = cut_regrets_.back();
    cut_weights[least] = cut_weights.back();
    cuts.pop_back();
    lengths_.pop_back();
    cut_regrets_.pop_back();
    cut_weights.pop_back();
  }

  row_bounds& bounds_;
  std::vector<std::vector<double>> lengths_{};  // [cut][row]
  std::vector<double> path_regrets_{};
  std::vector<double> cut_regrets_{};
  std::vector<double> path_weights_{};
  std::vector<double> paths_{};
  std::vector<double> answers_{};
  std::vector<double> costs_{};
  std::vector<double> sums_{};
  std::vector<double> now_{};
  std::vector<std::size_t> cut_{};
};

}  // namespace stagecut::inline v0::detail
