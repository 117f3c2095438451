// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/joint/baselines/detail/nested_prices.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The smallest costs of one level, for what lies between a point and an end, by the number of its machines. Filled
/// from the last point to the first one, for a range of ends at once: the innermost loop runs over ends, or over
/// machines if there is one end.
class nested_level {
 public:
  using place = nested_prices::place;

  /// For plans that end at the points `[low, high)`.
  nested_level(const nested_prices& prices, std::size_t low, std::size_t high)
      : prices_(prices), low_(low), ends_(high - low), machines_(prices.count() - 1) {
    rows_.resize(prices.points());
  }

  /// Adds a point at which a stage other than the first one begins; all greater points must be known.
  void add(std::size_t first) {
    std::vector<double>& row = rows_[first];
    row.assign(machines_ * ends_, no_nested_plan);
    prices_.each_end(first, false, [&](std::size_t last) {
      close(first, last, row);
      if (last + 1 >= low_ + ends_) return;  // no end lies after it
      for (std::size_t r = 1; r < machines_ && r <= prices_.most_replicas(); ++r) {
        const auto price = prices_(first, last, r, {false, false});
        if (ends_ == 1 && !prices_.counts_behind()) {
          relax(&row[r], rows_[last].data(), 0, machines_ - r, price.value);
          continue;
        }
        for (std::size_t m = r + 1; m <= machines_; ++m) {
          const double cost = prices_(price, r, m - r);
          if (cost == no_nested_plan) continue;
          relax(&row[(m - 1) * ends_], &rows_[last][(m - r - 1) * ends_], end_behind(last), ends_, cost);
        }
      }
    });
  }

  /// Computes the costs of whole plans that begin at a point, by end; greater points must be known.
  void open(std::size_t first, double* costs) const {
    for (std::size_t c = 0; c < ends_; ++c) costs[c] = no_nested_plan;
    prices_.each_end(first, true, [&](std::size_t last) {
      if (last >= low_ && last < low_ + ends_) {
        each_count(prices_.count(), [&](std::size_t r) { take(costs[last - low_], whole(first, last, r)); });
      }
      if (last + 1 >= low_ + ends_ || rows_[last].empty()) return;
      each_opening(first, last, [&](std::size_t, std::size_t behind, double cost) {
        relax(costs, &rows_[last][(behind - 1) * ends_], end_behind(last), ends_, cost);
        return true;
      });
    });
  }

  /// A stage of a plan of this level.
  struct stage {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t replicas = 0;
  };

  /// The plan between two points that costs at most `most`; ties: the smallest points, then the fewest replicas.
  [[nodiscard]] std::vector<stage> told(std::size_t first, std::size_t end, double most) const {
    std::vector<stage> plan;
    std::size_t left = 0;
    prices_.each_end(first, true, [&](std::size_t last) {
      if (!plan.empty() || last > end) return;
      if (last == end) {
        each_count(prices_.count(), [&](std::size_t r) {
          if (plan.empty() && whole(first, end, r) <= most) plan.push_back({first, end, r});
        });
      } else if (!rows_[last].empty()) {
        each_opening(first, last, [&](std::size_t r, std::size_t behind, double cost) {
          if (cost > most || of(last, behind, end) > most) return true;
          plan.push_back({first, last, r});
          left = behind;
          return false;
        });
      }
    });
    while (left > 0) {
      plan.push_back(next(plan.back().last, end, left, most));
      left -= plan.back().replicas;
    }
    return plan;
  }

 private:
  static void take(double& least, double cost) { least = std::min(least, cost); }

  [[nodiscard]] double of(std::size_t first, std::size_t machines, std::size_t end) const {
    return rows_[first][(machines - 1) * ends_ + (end - low_)];
  }

  /// The first end after a point.
  [[nodiscard]] std::size_t end_behind(std::size_t point) const { return point < low_ ? 0 : point + 1 - low_; }

  /// `to[i] = min(to[i], max(cost, from[i]))` for i in `[first, last)`.
  static void relax(double* to, const double* from, std::size_t first, std::size_t last, double cost) {
    for (std::size_t i = first; i < last; ++i) {
      const double larger = from[i] < cost ? cost : from[i];
      to[i] = std::min(to[i], larger);
    }
  }

  /// Calls `visit(replicas)` for the numbers of machines that a single stage may have, from 1 on if `at_most`.
  template <class Visit>
  void each_count(std::size_t machines, const Visit& visit) const {
    const std::size_t least = prices_.at_most() ? 1 : machines;
    for (std::size_t r = least; r <= machines && r <= prices_.most_replicas(); ++r) visit(r);
  }

  /// Calls `visit(replicas, machines behind, cost)` for the first stages that a plan may have until it returns false.
  template <class Visit>
  void each_opening(std::size_t first, std::size_t last, const Visit& visit) const {
    for (std::size_t r = 1; r <= machines_ && r <= prices_.most_replicas(); ++r) {
      const auto price = prices_(first, last, r, {true, false});
      if (price.value == no_nested_plan) return;
      for (std::size_t m = prices_.at_most() ? 1 : prices_.count() - r; m <= prices_.count() - r; ++m) {
        const double cost = prices_(price, r, m);
        if (cost != no_nested_plan && !visit(r, m, cost)) return;
      }
    }
  }

  [[nodiscard]] double whole(std::size_t first, std::size_t last, std::size_t replicas) const {
    return prices_(prices_(first, last, replicas, {true, true}), replicas, 0);
  }

  [[nodiscard]] double closing(std::size_t first, std::size_t last, std::size_t replicas) const {
    return prices_(prices_(first, last, replicas, {false, true}), replicas, 0);
  }

  /// The last stage of a plan.
  void close(std::size_t first, std::size_t last, std::vector<double>& row) const {
    if (last < low_ || last >= low_ + ends_) return;
    for (std::size_t r = 1; r <= machines_ && r <= prices_.most_replicas(); ++r) {
      take(row[(r - 1) * ends_ + (last - low_)], closing(first, last, r));
    }
  }

  /// The next stage of a plan that costs at most `most`.
  [[nodiscard]] stage next(std::size_t first, std::size_t end, std::size_t machines, double most) const {
    std::optional<stage> found;
    prices_.each_end(first, false, [&](std::size_t last) {
      if (found || last > end) return;
      if (last == end && machines <= prices_.most_replicas() && closing(first, end, machines) <= most) {
        found = {first, end, machines};
      }
      if (last == end || rows_[last].empty()) return;
      for (std::size_t r = 1; r < machines && r <= prices_.most_replicas() && !found; ++r) {
        const double cost = prices_(prices_(first, last, r, {false, false}), r, machines - r);
        if (cost <= most && of(last, machines - r, end) <= most) found = {first, last, r};
      }
    });
    return *found;
  }

  const nested_prices& prices_;
  std::size_t low_;
  std::size_t ends_;
  std::size_t machines_;                     // of a part of a plan, at most
  std::vector<std::vector<double>> rows_{};  // for every point: by machines, then ends
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
