// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/makespan/detail/memory_rows.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Lower bounds on the memory of cuts with points in a given set, by `memory_rows`: docs/makespan.md, Bounds, Memory of
/// ranks.
class memory_bounds {
 public:
  memory_bounds(const memory_rows& rows, std::size_t items, std::size_t stages, double limit)
      : rows_(rows),
        width_(items + 1),
        stages_(stages),
        ceiling_(limit * (1 + margin + 0x1p-50 * static_cast<double>(stages))),
        points_(stages + 1),
        least_to_((stages + 1) * width_),
        least_from_((stages + 1) * width_),
        into_((stages + 1) * width_),
        begin_(stages + 1) {}

  /// The points that a cut may have: per s, n + 1 for its begin, then those of its end. Initially all.
  [[nodiscard]] std::vector<char> all_points() const { return std::vector<char>((stages_ + 1) * width_, 1); }

  /// Removes points, and choices between them, that single rows exclude. False: no cut is left.
  [[nodiscard]] bool narrow(std::vector<char>& open) {
    most_.assign(rows_.tables().size(), ceiling_);
    for (int round = 0;; ++round) {
      collect(open);
      if (live_.empty() || open[0] == 0) return false;
      if (!tighten() || round == most_rounds) return true;
    }
  }

  /// Whether all items fit into the ranks' memory, if each rank takes the most items that its rows allow with the
  /// lightest stages of each length.
  [[nodiscard]] bool items_fit() {
    const std::size_t items = width_ - 1;
    std::vector<double> lightest(rows_.tables().size() * width_, infinity);  // per table and length
    for (std::size_t t = 0; t < rows_.tables().size(); ++t) {
      const std::size_t s = rows_.tables()[t].stage;
      for (std::size_t i = begin_[s]; i < begin_[s + 1]; ++i) {
        const std::size_t length = live_[i].to - live_[i].from - width_;
        double& best = lightest[t * width_ + length];
        const double here = rows_.bytes(t, live_[i].choice);
        best = std::min(best, here);
      }
    }
    std::vector<std::size_t> room(rows_.ranks(), items);
    for (const auto& row : rows_.rows()) {
      const std::size_t most = most_items(row.tables, lightest);
      room[row.rank] = std::min(room[row.rank], most);
    }
    std::size_t all = 0;
    for (std::size_t r = 0; r < room.size(); ++r) all += rows_.stages_of(r).empty() ? 0 : room[r];
    return all >= items;
  }

  /// The minimum over all cuts of the sum of rows times prices; `path` is then the cut that attains it.
  double price(view<const double> prices) {
    set_costs(prices);
    least_to_.assign(least_to_.size(), infinity);
    least_to_[0] = 0;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      const double here = least_to_[live_[i].from] + costs_[i];
      if (here < least_to_[live_[i].to]) least_to_[live_[i].to] = here, into_[live_[i].to] = i;
    }
    std::size_t at = stages_ * width_ + width_ - 1;
    const double least = least_to_[at];
    points_[stages_] = width_ - 1;
    sums_.assign(rows_.rows().size(), 0);
    for (std::size_t s = stages_; s-- > 0;) {
      const live& here = live_[into_[at]];
      at = here.from;
      points_[s] = at - s * width_;
    }
    for (std::size_t q = 0; q < sums_.size(); ++q) sums_[q] = rows_.sum(q, points_);
    return least;
  }

  /// Whether such a minimum exceeds the limit, for prices with sum `prices`.
  [[nodiscard]] bool exceeds(double least, double prices) const { return least > ceiling_ * prices; }

  /// Closes the points that only cuts above the limit have, with the prices of `price`, of sum `prices`. Returns
  /// whether there are any.
  bool close(std::vector<char>& open, double prices) {
    least_from_.assign(least_from_.size(), infinity);
    least_from_.back() = 0;
    for (std::size_t i = live_.size(); i-- > 0;) {
      const double here = least_from_[live_[i].to] + costs_[i];
      if (here < least_from_[live_[i].from]) least_from_[live_[i].from] = here;
    }
    bool any = false;
    for (std::size_t at = 0; at < open.size(); ++at) {
      if (open[at] == 0 || !exceeds(least_to_[at] + least_from_[at], prices)) continue;
      open[at] = 0;
      any = true;
    }
    return any;
  }

  /// The points of the cut from `price`.
  [[nodiscard]] const std::vector<std::size_t>& path() const noexcept { return points_; }
  /// The sum of each row for that cut.
  [[nodiscard]] const std::vector<double>& sums() const noexcept { return sums_; }
  /// The number of remaining choices.
  [[nodiscard]] std::size_t choices() const noexcept { return live_.size(); }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  // Sums round. The error for as many numbers as a cut has stages and rows is smaller.
  static constexpr double margin = 1e-12;
  static constexpr int most_rounds = 8;

  struct live {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t choice;
  };

  /// Collects the choices between open points that lie on a path; closes other points.
  void collect(std::vector<char>& open) {
    live_.clear();
    reached_.assign(open.size(), 0);
    reached_[0] = open[0];
    for (std::size_t s = 0; s < stages_; ++s) {
      begin_[s] = live_.size();
      for (std::size_t first = 0; first < width_; ++first) {
        const std::size_t from = s * width_ + first;
        if (reached_[from] == 0) continue;
        rows_.each_choice(s, first, [&](std::size_t last, std::size_t choice) {
          const std::size_t to = (s + 1) * width_ + last;
          if (open[to] == 0) return;
          for (const std::size_t t : rows_.tables_of(s)) {
            if (rows_.bytes(t, choice) > most_[t]) return;
          }
          reached_[to] = 1;
          live_.push_back(
              {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(choice)});
        });
      }
    }
    begin_[stages_] = live_.size();
    const char end = reached_.back();
    open.assign(open.size(), 0);
    open.back() = end;
    std::size_t kept = live_.size();  // choices that lead to the end move to the back
    for (std::size_t s = stages_; s-- > 0;) {
      const std::size_t past = s + 1 == stages_ ? live_.size() : past_;
      past_ = begin_[s];
      for (std::size_t i = past; i-- > begin_[s];) {
        if (open[live_[i].to] == 0) continue;
        open[live_[i].from] = 1;
        live_[--kept] = live_[i];
      }
      begin_[s] = kept;
    }
    live_.erase(live_.begin(), live_.begin() + static_cast<std::ptrdiff_t>(kept));
    for (std::size_t& each : begin_) each -= kept;
  }

  /// Subtracts from the limit the lower bounds of the other stages of a row. Returns whether a choice exceeds the rest.
  [[nodiscard]] bool tighten() {
    std::vector<double> least(rows_.tables().size(), infinity);
    std::vector<double> greatest(rows_.tables().size());
    for (std::size_t t = 0; t < least.size(); ++t) {
      const std::size_t s = rows_.tables()[t].stage;
      for (std::size_t i = begin_[s]; i < begin_[s + 1]; ++i) {
        const double here = rows_.bytes(t, live_[i].choice);
        least[t] = std::min(least[t], here);
        greatest[t] = here > greatest[t] ? here : greatest[t];
      }
    }
    bool any = false;
    for (const auto& row : rows_.rows()) {
      double sum = 0;
      for (const std::size_t t : row.tables) sum += least[t];
      for (const std::size_t t : row.tables) {
        const double room = ceiling_ - (sum - least[t]);
        if (room < most_[t]) most_[t] = room;
        any = any || room < greatest[t];
      }
    }
    return any;
  }

  /// The most items that stages with these tables have within the limit; 0: none fit.
  [[nodiscard]] std::size_t most_items(const std::vector<std::size_t>& of, const std::vector<double>& lightest) const {
    std::vector<double> sum(width_, infinity);  // per number of items in the stages so far
    sum[0] = 0;
    std::size_t most = 0;
    for (const std::size_t t : of) {
      std::vector<double> next(width_, infinity);
      std::size_t longest = 0;
      for (std::size_t length = 1; length < width_; ++length) {
        const double own = lightest[t * width_ + length];
        if (!(own < infinity)) continue;
        for (std::size_t before = 0; before <= most && before + length < width_; ++before) {
          const double here = sum[before] + own;
          if (here > ceiling_ || !(here < next[before + length])) continue;
          next[before + length] = here;
          longest = longest < before + length ? before + length : longest;
        }
      }
      sum.swap(next);
      most = longest;
    }
    return most;
  }

  void set_costs(view<const double> prices) {
    std::vector<double> of_table(rows_.tables().size());
    for (std::size_t q = 0; q < prices.size(); ++q) {
      for (const std::size_t t : rows_.rows()[q].tables) of_table[t] += prices[q];
    }
    costs_.assign(live_.size(), 0);
    for (std::size_t t = 0; t < of_table.size(); ++t) {
      const std::size_t s = rows_.tables()[t].stage;
      if (of_table[t] == 0) continue;
      for (std::size_t i = begin_[s]; i < begin_[s + 1]; ++i) {
        costs_[i] += of_table[t] * rows_.bytes(t, live_[i].choice);
      }
    }
  }

  const memory_rows& rows_;
  std::size_t width_;
  std::size_t stages_;
  double ceiling_;
  std::vector<std::size_t> points_;
  std::vector<double> least_to_;    // to the end of every stage, by point
  std::vector<double> least_from_;  // from there
  std::vector<std::size_t> into_;   // the choice that attains the minimum there
  std::vector<std::size_t> begin_;  // per stage, its first remaining choice
  std::size_t past_ = 0;
  std::vector<live> live_{};     // the remaining choices, by stage and first item
  std::vector<double> costs_{};  // per choice
  std::vector<double> most_{};   // the most that a choice may hold, per table
  std::vector<char> reached_{};
  std::vector<double> sums_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
