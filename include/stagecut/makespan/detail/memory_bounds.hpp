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

/// What cuts whose points are among some hold at least, by `memory_rows`: docs/makespan.md, Bounds, Memory of ranks.
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

  /// Which points a cut may have: of every s the n + 1 of its begin, then those of its end. At first all.
  [[nodiscard]] std::vector<char> all_points() const { return std::vector<char>((stages_ + 1) * width_, 1); }

  /// Leaves the points, and the choices between them, that a cut of them may have as far as single rows tell. False:
  /// there is no such cut.
  [[nodiscard]] bool narrow(std::vector<char>& open) {
    most_.assign(rows_.tables().size(), ceiling_);
    for (int round = 0;; ++round) {
      collect(open);
      if (live_.empty() || open[0] == 0) return false;
      if (!tighten() || round == most_rounds) return true;
    }
  }

  /// Whether the ranks have room for all items, each for as many as the rows of that rank let its stages have if these
  /// may be the lightest of their lengths.
  [[nodiscard]] bool items_fit() {
    const std::size_t items = width_ - 1;
    std::vector<double> lightest(rows_.tables().size() * width_, infinity);  // of every table and length
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

  /// What the rows come to at least, each times its price, whatever the cut; `path` is then the cut of that.
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

  /// Whether such a sum is too much, for prices of that sum.
  [[nodiscard]] bool exceeds(double least, double prices) const { return least > ceiling_ * prices; }

  /// Closes the points of cuts that come to too much with the prices of `price`, of that sum. Whether there are any.
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

  /// The points of the cut that `price` found.
  [[nodiscard]] const std::vector<std::size_t>& path() const noexcept { return points_; }
  /// What the rows come to with it.
  [[nodiscard]] const std::vector<double>& sums() const noexcept { return sums_; }
  /// How many choices are left.
  [[nodiscard]] std::size_t choices() const noexcept { return live_.size(); }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  // Sums round. Those of as many numbers as a cut has stages and rows are off by less.
  static constexpr double margin = 1e-12;
  static constexpr int most_rounds = 8;

  struct live {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t choice;
  };

  /// The choices between open points that lie on a path; other points are closed.
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
    std::size_t kept = live_.size();  // what leads to the end moves to the back
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

  /// Takes from the limit what the other stages of a row hold at least. Whether a choice is too large for what is left.
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

  /// The most items that stages with these tables have within the limit; 0: none at all.
  [[nodiscard]] std::size_t most_items(const std::vector<std::size_t>& of, const std::vector<double>& lightest) const {
    std::vector<double> sum(width_, infinity);  // of so many items in the stages so far
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
  std::vector<double> least_to_;    // the end of every stage, by point
  std::vector<double> least_from_;  // there
  std::vector<std::size_t> into_;   // the choice by which the least comes there
  std::vector<std::size_t> begin_;  // of every stage, its first choice that is left
  std::size_t past_ = 0;
  std::vector<live> live_{};     // the choices that are left, by stage and first item
  std::vector<double> costs_{};  // of each
  std::vector<double> most_{};   // that a choice may hold, of every table
  std::vector<char> reached_{};
  std::vector<double> sums_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
