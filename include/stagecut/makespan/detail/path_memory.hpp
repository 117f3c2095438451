// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/makespan/detail/path_game.hpp>
#include <stagecut/makespan/detail/point_rows.hpp>
#include <stagecut/makespan/detail/point_times.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The critical paths that bounded something of late, as rows; row 0 is a combination of others, of whoever asks.
class path_memory {
 public:
  static constexpr std::size_t most = 96;

  explicit path_memory(const point_times& times) : times_(times), rows_(times), uses_(1) {
    rows_.set(0, std::vector<double>(rows_.length(), 0));
  }

  [[nodiscard]] const point_rows& rows() const noexcept { return rows_; }

  /// Makes these factors row 0; of none, zeros, which are a bound, too.
  void set_combination(const std::vector<double>& factors) {
    if (factors.empty()) {
      rows_.set(0, std::vector<double>(rows_.length(), 0));
    } else {
      rows_.set(0, factors);
    }
  }

  /// A row has bounded something.
  void use(std::size_t row) { uses_[row] += 1; }

  /// Keeps the critical path of what was simulated last, in the place of the one least used if there are too many. Returns
  /// its place; 0: it was there.
  std::size_t keep(const engine::cut_simulator& simulator, const path_game& game) {
    simulator.count_critical(counts_);
    times_.factors(counts_, factors_);
    for (std::size_t k = 1; k < rows_.size(); ++k) {
      std::size_t same = 0;
      while (same < factors_.size() && rows_.factor(k, same) == factors_[same]) ++same;
      if (same == factors_.size()) return 0;
    }
    std::size_t place = rows_.size();
    if (place == most) {
      place = 1;
      for (std::size_t k = 1; k < most; ++k) {
        uses_[k] = 0.98 * uses_[k] + 10 * game.weight(k);
        place = uses_[k] < uses_[place] ? k : place;
      }
    }
    rows_.set(place, factors_);
    uses_.resize(rows_.size());
    uses_[place] = 4;
    return place;
  }

 private:
  const point_times& times_;
  point_rows rows_;
  std::vector<double> uses_;  // of every row, of late
  std::vector<double> counts_{};
  std::vector<double> factors_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
