// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/makespan/detail/path_game.hpp>
#include <stagecut/makespan/detail/point_rows.hpp>
#include <stagecut/makespan/detail/point_times.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The critical paths that bounded something of late, as rows; row 0 is a combination of others, of whoever asks.
class path_memory {
 public:
  static constexpr std::size_t most = 96;

  explicit path_memory(const point_times& times) : times_(times), rows_(times) {
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
  void use(std::size_t row) {
    if (row != 0) paths_.use(row - 1) += 1;
  }

  /// Keeps the critical path of what was simulated last, in the place of the one least used if there are too many. Returns
  /// its place; 0: it was there.
  std::size_t keep(const engine::cut_simulator& simulator, const path_game& game) {
    simulator.count_critical(counts_);
    times_.factors(counts_, factors_);
    if (paths_.find(factors_) < paths_.size()) return 0;
    for (std::size_t k = 0; k < paths_.size() && paths_.is_full(); ++k) {
      paths_.use(k) = 0.98 * paths_.use(k) + 10 * game.weight(k + 1);
    }
    const std::size_t place = 1 + paths_.add(factors_, 4).row;
    rows_.set(place, factors_);
    return place;
  }

 private:
  const point_times& times_;
  point_rows rows_;
  engine::critical_path_pool paths_{most - 1};  // the factors of rows but the first
  std::vector<double> counts_{};
  std::vector<double> factors_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
