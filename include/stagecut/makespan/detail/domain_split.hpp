// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/makespan/detail/limit_rows.hpp>
#include <stagecut/makespan/detail/load_values.hpp>
#include <stagecut/makespan/detail/point_domains.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Where a domain is split: places up to `place` on one side, those behind it on the other.
struct domain_split {
  std::size_t point = 0;
  std::size_t place = 0;
  double score = 0;  ///< about how much it may raise bounds
};

/// Cuts and their weights, of sum 1; cuts behind the last weight have none.
struct mixed_cuts {
  const std::vector<std::vector<std::size_t>>& points;
  const std::vector<double>& weights;
};

/// Chooses where to split.
class domain_splits {
 public:
  /// The point, at the item, that the cuts are least of one mind about: the smaller share of those that have the
  /// item before the point or behind it, times what the item takes. If they are of one mind about all, the widest domain in
  /// its middle.
  ///
  /// @pre  the domains have more than one cut
  [[nodiscard]] domain_split choose(const engine::chain_ticks& chain, const mixed_cuts& cuts,
                                    const point_domains& domains) {
    double most = 0;
    domain_split best;
    for (std::size_t j = 1; j < chain.stages; ++j) {
      const std::size_t low = domains.low[j];
      const double all = share_out(cuts, j, low, domains.high[j]);
      double before = 0;
      for (std::size_t y = low; y < domains.high[j]; ++y) {
        before += shares_[y - low];
        const double behind = all - before;
        const double score = (before < behind ? before : behind) * chain.item_load(j, y);
        if (score > most) most = score, best = {j, y, score};
      }
    }
    return best.point != 0 ? best : widest(domains);
  }

  /// The rank or stage whose load, in the mean of the cuts, is furthest from all that it can have within the
  /// limits; and those below and above it. On transformers, ranks bring most, and then stages, so they count more.
  [[nodiscard]] static load_split choose(const load_values& loads, const std::vector<load_limit>& limits,
                                         const mixed_cuts& cuts) {
    load_split best;
    for (std::size_t g = 0; g < loads.groups(); ++g) {
      const std::vector<double>& values = loads.values(g);
      double mean = 0;
      for (std::size_t c = 0; c < cuts.weights.size() && !values.empty(); ++c) {
        mean += cuts.weights[c] * loads.load(g, cuts.points[c]);
      }
      for (const load_limit& each : limits) {
        if (each.group == g && (each.at_most ? mean >= each.load : mean <= each.load)) mean = -1;
      }
      for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        if (mean <= values[i] || mean >= values[i + 1]) continue;
        const double below = mean - values[i];
        const double above = values[i + 1] - mean;
        const double score = (g < loads.ranks() ? 4 : 2) * (below < above ? below : above);
        if (score > best.score) best = {g, values[i], values[i + 1], score};
      }
    }
    return best;
  }

 private:
  /// The shares of the cuts that have the point at each place; returns their sum.
  double share_out(const mixed_cuts& cuts, std::size_t point, std::size_t low, std::size_t high) {
    shares_.assign(high - low + 1, 0);
    double all = 0;
    for (std::size_t c = 0; c < cuts.weights.size(); ++c) {
      const std::size_t y = cuts.points[c][point];
      if (y < low || y > high) continue;
      shares_[y - low] += cuts.weights[c];
      all += cuts.weights[c];
    }
    return all;
  }

  [[nodiscard]] static domain_split widest(const point_domains& domains) {
    domain_split best;
    std::size_t width = 0;
    for (std::size_t j = 1; j < domains.low.size(); ++j) {
      const std::size_t here = domains.high[j] - domains.low[j];
      if (here > width) width = here, best = {j, domains.low[j] + here / 2, 0};
    }
    return best;
  }

  std::vector<double> shares_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
