// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/makespan/detail/chain_ticks.hpp>
#include <stagecut/makespan/detail/path_game.hpp>
#include <stagecut/makespan/detail/point_domains.hpp>

namespace stagecut::inline v0::detail {

/// Where a domain is split: places up to `place` on one side, those behind it on the other.
struct domain_split {
  std::size_t point = 0;
  std::size_t place = 0;
};

/// Chooses where to split.
class domain_splits {
 public:
  /// The point, at the item, that the cuts of a game are least of one mind about: the smaller share of those that have the
  /// item before the point or behind it, times what the item takes. If they are of one mind about all, the widest domain in
  /// its middle.
  ///
  /// @pre  the domains have more than one cut
  [[nodiscard]] domain_split choose(const chain_ticks& chain, const path_game& game, const point_domains& domains) {
    double most = 0;
    domain_split best;
    for (std::size_t j = 1; j < chain.stages; ++j) {
      const std::size_t low = domains.low[j];
      const double all = share_out(game, j, low, domains.high[j]);
      double before = 0;
      for (std::size_t y = low; y < domains.high[j]; ++y) {
        before += shares_[y - low];
        const double behind = all - before;
        const double score = (before < behind ? before : behind) * chain.item_load(j, y);
        if (score > most) most = score, best = {j, y};
      }
    }
    return best.point != 0 ? best : widest(domains);
  }

 private:
  /// The shares of the cuts that have the point at each place; returns their sum.
  double share_out(const path_game& game, std::size_t point, std::size_t low, std::size_t high) {
    shares_.assign(high - low + 1, 0);
    double all = 0;
    for (std::size_t c = 0; c < game.cut_weights.size(); ++c) {
      const std::size_t y = game.cuts[c][point];
      if (y < low || y > high) continue;
      shares_[y - low] += game.cut_weights[c];
      all += game.cut_weights[c];
    }
    return all;
  }

  [[nodiscard]] static domain_split widest(const point_domains& domains) {
    domain_split best;
    std::size_t width = 0;
    for (std::size_t j = 1; j < domains.low.size(); ++j) {
      const std::size_t here = domains.high[j] - domains.low[j];
      if (here > width) width = here, best = {j, domains.low[j] + here / 2};
    }
    return best;
  }

  std::vector<double> shares_{};
};

}  // namespace stagecut::inline v0::detail
