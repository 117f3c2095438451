// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// The cut whose stages have about these shares of all work, one item each at least.
/// @param shares  of every stage, above 0
[[nodiscard]] inline std::vector<std::uint32_t> cut_by_shares(const stagecut::engine::chain_ticks& chain,
                                                              const std::vector<std::int64_t>& shares) {
  double all = 0;
  for (const std::int64_t each : shares) all += static_cast<double>(each);
  const auto before = [&](std::size_t i) { return chain.row(0, 0)[i] + chain.row(1, 0)[i] + chain.row(2, 0)[i]; };
  const double work = before(chain.items);
  std::vector<std::uint32_t> points(chain.stages + 1);
  double sum = 0;
  std::size_t i = 0;
  for (std::size_t s = 1; s < chain.stages; ++s) {
    sum += static_cast<double>(shares[s - 1]);
    const std::size_t last = chain.items - (chain.stages - s);
    for (++i; i < last && before(i) * all < sum * work;) ++i;
    points[s] = static_cast<std::uint32_t>(i);
  }
  points[chain.stages] = static_cast<std::uint32_t>(chain.items);
  return points;
}

/// Cuts of unlike kinds: stages that are even, or rise or fall along the model, and along the stages of a rank.
[[nodiscard]] inline std::vector<std::vector<std::uint32_t>> tilted_cuts(const stagecut::engine::chain_ticks& chain,
                                                                         const schedule& order) {
  const auto stages = stagecut::engine::stages_of_ranks(order);
  std::vector<std::int64_t> place(chain.stages);
  std::vector<std::int64_t> beside(chain.stages);
  for (const auto& of_rank : stages) {
    for (std::size_t j = 0; j < of_rank.size(); ++j) {
      place[of_rank[j]] = static_cast<std::int64_t>(j);
      beside[of_rank[j]] = static_cast<std::int64_t>(of_rank.size());
    }
  }
  // From -1000 to 1000.
  const auto along = [](std::int64_t i, std::int64_t n) { return n < 2 ? 0 : 1000 * (2 * i - (n - 1)) / (n - 1); };
  const auto count = static_cast<std::int64_t>(chain.stages);
  std::vector<std::vector<std::uint32_t>> result;
  std::vector<std::int64_t> shares(chain.stages);
  for (const std::int64_t by_model : {0, 2, -2}) {
    for (const std::int64_t by_rank : {0, 2, -2}) {
      for (std::int64_t s = 0; s < count; ++s) {
        const auto i = static_cast<std::size_t>(s);
        shares[i] = 8000 + by_model * along(s, count) + by_rank * along(place[i], beside[i]);
      }
      result.push_back(detail::cut_by_shares(chain, shares));
    }
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
