// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/memory_bounds.hpp>
#include <stagecut/makespan/detail/memory_repair.hpp>
#include <stagecut/makespan/detail/memory_rows.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds an allowed cut, or proves that there is none, if ranks have several stages and their rules are sums
/// (`cut_rules::moments`). Finds cuts by memory prices and by moving items; proves by branching on the points that a
/// cut may have. See docs/makespan.md, A first cut.
class memory_cut {
 public:
  memory_cut(const schedule& order, const engine::cut_rules& rules, std::size_t items, engine::search_clock& clock)
      : order_(order),
        rules_(rules),
        clock_(clock),
        rows_(order, rules, items),
        bounds_(rows_, items, order.stages(), rules.memory_limit()),
        repair_(rows_, order.stages(), rules.memory_limit(), clock) {}

  /// Feasible: with `points`. Infeasible: proved. Unknown: the rules are not sums of memory, there are too many
  /// possible stages, or the time or `most_parts` parts of the search did not suffice.
  [[nodiscard]] state find(std::size_t most_parts) {
    if (!applies() || !rows_.build(clock_) || !rows_.add_first() || rows_.rows().empty()) return state::unknown;
    std::vector<part> parts;
    parts.push_back(whole());
    std::size_t restart = first_restart;
    for (seen_ = 0; !parts.empty(); ++seen_) {
      if (clock_.look() || seen_ == most_parts) return state::unknown;
      if (seen_ == restart) {  // another region may have a cut that is found soon
        parts.assign(1, whole());
        restart *= 3;
      }
      part now = std::move(parts.back());
      parts.pop_back();
      const verdict here = examine(now);
      if (here == verdict::found) return state::feasible;
      if (here == verdict::gave_up) return state::unknown;
      if (here == verdict::open) split(std::move(now), parts);
    }
    return state::infeasible;
  }

  std::vector<std::size_t> points{};  ///< the cut found

 private:
  /// A set of cuts with some points, and prices of the rows that bound them well.
  struct part {
    std::vector<char> open;
    std::vector<double> prices;
  };
  static constexpr std::size_t first_restart = 32;
  enum class verdict : std::uint8_t { none, open, found, gave_up };

  [[nodiscard]] part whole() const { return {bounds_.all_points(), std::vector<double>(rows_.rows().size(), 1)}; }

  /// Whether the rules are sums of numbers for which rounding is negligible.
  [[nodiscard]] bool applies() const {
    for (std::size_t r = 0; r < order_.ranks(); ++r) {
      if (!rows_.stages_of(r).empty() && rules_.moments(r) == nullptr) return false;
    }
    return rules_.memory_limit() > 0x1p-900;
  }

  [[nodiscard]] verdict examine(part& now) {
    if (!bounds_.narrow(now.open) || !bounds_.items_fit()) return verdict::none;
    if (seen_ == 0) {
      price(now);
      if (const verdict of = repair(100); of != verdict::open) return of;
    }
    if (const verdict of = adjust(now, seen_ == 0 ? 100 : 12); of != verdict::open) return of;
    if (seen_ % 4 == 0) {
      if (const verdict of = repair(seen_ == 0 ? 3000 : 1000); of != verdict::open) return of;
    }
    const double least = price(now);
    if (bounds_.exceeds(least, sum_of(now.prices))) return verdict::none;
    return bounds_.close(now.open, sum_of(now.prices)) && !bounds_.narrow(now.open) ? verdict::none : verdict::open;
  }

  /// Improves the prices for up to `rounds` rounds, and keeps the best.
  [[nodiscard]] verdict adjust(part& now, std::size_t rounds) {
    std::vector<double> best_prices;
    double best = -1;
    double step = 0.5;
    std::size_t worse = 0;
    for (std::size_t i = 0; i < rounds; ++i) {
      const double least = price(now);
      const double all = sum_of(now.prices);
      if (bounds_.exceeds(least, all)) return verdict::none;
      if (fits()) {
        if (const verdict of = take(bounds_.path()); of != verdict::open) return of;
        continue;
      }
      if (least / all > best) {
        best = least / all;
        best_prices = now.prices;
        worse = 0;
      } else if (++worse == 3) {
        step *= 0.6;
        worse = 0;
      }
      change(now.prices, least / all, step);
    }
    if (!best_prices.empty()) now.prices = std::move(best_prices);
    return verdict::open;
  }

  /// The bound of a part, with a price for every row.
  double price(part& now) {
    clock_.work(bounds_.choices());
    now.prices.resize(rows_.rows().size(), sum_of(now.prices) / static_cast<double>(now.prices.size() + 1));
    return bounds_.price(now.prices);
  }

  /// Raises the price of rows above the bound, and lowers the price of rows below it.
  void change(std::vector<double>& prices, double bound, double step) const {
    const std::vector<double>& sums = bounds_.sums();
    double most = 0;
    for (const double each : sums) {
      const double by = each < bound ? bound - each : each - bound;
      most = std::max(most, by);
    }
    if (most == 0) return;
    for (std::size_t q = 0; q < prices.size(); ++q) prices[q] *= 1 + step * (sums[q] - bound) / most;
    const double sum = sum_of(prices);
    for (double& each : prices) each = each < 1e-12 * sum ? 0 : each / sum;
  }

  /// Whether the cut of the last bound satisfies the rows.
  [[nodiscard]] bool fits() const {
    for (const double sum : bounds_.sums()) {
      if (sum > rules_.memory_limit()) return false;
    }
    return true;
  }

  [[nodiscard]] verdict repair(std::size_t moves) {
    repaired_ = bounds_.path();
    clock_.work(moves * order_.stages());
    const bool done = repair_(repaired_, moves, repairs_ < 2 || repairs_ % 4 == 0);
    ++repairs_;
    return done ? take(repaired_) : verdict::open;
  }

  /// Keeps a cut that satisfies the rows, if it is allowed; else adds rows that it violates.
  [[nodiscard]] verdict take(const std::vector<std::size_t>& cut) {
    if (!engine::allowed_cut(order_, rules_, cut)) return rows_.add_broken(cut) ? verdict::open : verdict::gave_up;
    points = cut;
    return verdict::found;
  }

  /// Splits a part in two by the position of a point of the fullest row. Checks a single cut once more, unless that was
  /// done.
  void split(part now, std::vector<part>& parts) {
    const std::vector<std::size_t>& path = bounds_.path();
    const std::size_t width = path.back() + 1;
    std::size_t at = 0;
    std::size_t widest = 1;
    const auto consider = [&](std::size_t s) {
      std::size_t open = 0;
      for (std::size_t x = 0; x < width; ++x) open += now.open[s * width + x] != 0 ? 1U : 0U;
      if (open > widest) at = s, widest = open;
    };
    for (const std::size_t t : rows_.rows()[fullest()].tables) {
      consider(rows_.tables()[t].stage);
      consider(rows_.tables()[t].stage + 1);
    }
    for (std::size_t s = 1; s < order_.stages() && widest == 1; ++s) consider(s);
    if (widest == 1) {
      bool looked_at = !fits();
      for (std::size_t s = 0; s < path.size(); ++s) looked_at = looked_at && now.open[s * width + path[s]] != 0;
      if (!looked_at) parts.push_back(std::move(now));
      return;
    }
    std::size_t middle = at * width;  // half of the positions are at or before it
    for (std::size_t left = (widest + 1) / 2;; ++middle) {
      if (now.open[middle] != 0 && --left == 0) break;
    }
    const bool first = (path[at] <= middle - at * width) != (seen_ >= first_restart && random_.below(4) == 0);
    part other = now;
    for (std::size_t x = at * width; x < (at + 1) * width; ++x) ((x <= middle) == first ? other : now).open[x] = 0;
    parts.push_back(std::move(other));
    parts.push_back(std::move(now));
  }

  /// The row that the cut of the last bound exceeds most.
  [[nodiscard]] std::size_t fullest() const {
    const std::vector<double>& sums = bounds_.sums();
    std::size_t row = 0;
    for (std::size_t q = 0; q < sums.size(); ++q) row = sums[q] > sums[row] ? q : row;
    return row;
  }

  [[nodiscard]] static double sum_of(const std::vector<double>& of) {
    double sum = 0;
    for (const double each : of) sum += each;
    return sum;
  }

  const schedule& order_;
  const engine::cut_rules& rules_;
  engine::search_clock& clock_;
  memory_rows rows_;
  memory_bounds bounds_;
  memory_repair repair_;
  std::size_t seen_ = 0;  // parts
  std::size_t repairs_ = 0;
  random_bits random_{4, 0, 0};
  std::vector<std::size_t> repaired_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
