// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_lanes.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/rank_stages.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/engine/tempering.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/slot_program.hpp>
#include <stagecut/schedule/task_graph.hpp>
#include <stagecut/search/detail/chain_rules.hpp>
#include <stagecut/search/detail/chain_walk.hpp>
#include <stagecut/search/detail/host_walks.hpp>
#include <stagecut/search/detail/system.hpp>
#include <stagecut/search/tempering_options.hpp>

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <stagecut/search/detail/cuda_walks.cuh>
#endif

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// The cut whose stages have about these shares of all work, with at least one item each.
/// @param shares  per stage, above 0
[[nodiscard]] inline std::vector<std::uint32_t> cut_by_shares(const stagecut::engine::chain_ticks& chain,
                                                              const std::vector<std::int64_t>& shares) {
  double all = 0;
  for (const std::int64_t share : shares) all += static_cast<double>(share);
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

/// Diverse cuts: with even stages, or stages that grow or shrink along the model, and along the stages of a rank.
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

/// The chain implementation for a policy: `host_walks` or `cuda_walks`.
template <class Policy>
using walks_t = decltype(detail::walks_of(static_cast<const system_t<Policy>*>(nullptr)));

/// A cut and its makespan in ticks.
struct timed_cut {
  std::vector<std::uint32_t> points{};
  double makespan = 0;
};

/// The temperatures of a ladder, geometric, from the coldest on, as shares of a makespan. Uses only products and
/// halving: the same on every machine.
[[nodiscard]] inline std::vector<double> geometric_ladder(const tempering_options& options, std::size_t rungs) {
  const auto highest = [&](double ratio) {
    double heat = options.coldest;
    for (std::size_t t = 1; t < rungs && heat <= options.hottest; ++t) heat *= ratio;
    return heat;
  };
  double low = 1;
  double high = options.hottest / options.coldest;
  for (double middle = low + (high - low) / 2; low < middle && middle < high; middle = low + (high - low) / 2) {
    (highest(middle) <= options.hottest ? low : high) = middle;
  }
  std::vector<double> result{options.coldest};
  while (result.size() < rungs) result.push_back(result.back() * low);
  return result;
}

/// The chains of a problem on the system of a policy, in independent ladders of temperatures.
template <class Policy>
class tempered_chains {
  using system = system_t<Policy>;
  using walks = walks_t<Policy>;

 public:
  static constexpr std::size_t longest_ladder = 64;

  /// @param best    chains begin there and at diverse cuts, in turn; it must be allowed
  /// @param starts  points of such cuts; empty: those from `tilted_cuts`
  tempered_chains(const tempering_options& options, const stagecut::engine::cut_problem& problem, const timed_cut& best,
                  view<const std::vector<std::size_t>> starts = {})
      : options_(options),
        chains_(options.chains == 0 ? walks::usual_chains : options.chains),
        rungs_(chains_ < longest_ladder ? chains_ : longest_ladder),
        ticks_(problem.chain),
        graph_(problem.order, {.transfers = problem.transfers, .with_transfers = ticks_.has_messages}),
        program_(graph_),
        durations_(ticks_, graph_, program_),
        rules_(problem.order, problem.rules, ticks_.items, widest_stage(best)),
        ranks_(problem.order),
        walks_(ticks_, program_, durations_, chains_) {
    if (rules_.fits()) begin(problem.order, best, starts);
  }

  /// Whether the rules fit into tables.
  [[nodiscard]] bool fits() const noexcept { return rules_.fits(); }
  /// The number of cuts simulated per round.
  [[nodiscard]] std::size_t round_size() const noexcept { return chains_ * options_.steps; }

  /// Lets the coldest chain of every other ladder continue from a cut, if it is better.
  void add(const timed_cut& cut) {
    const std::vector<std::uint32_t> chain_at = system::read(chain_at_, chains_);
    const std::vector<double> values = system::read(values_, chains_);
    std::vector<std::size_t> worse;
    for (std::size_t t = 0; t < chains_; t += 2 * rungs_) {
      if (cut.makespan < values[chain_at[t]]) worse.push_back(chain_at[t]);
    }
    place(worse, cut);
  }

  /// Runs some rounds. Returns whether it found a better cut that the rules of this call allow, in `best`.
  bool run(const Policy& policy, std::size_t rounds, const stagecut::engine::cut_problem& problem, timed_cut& best) {
    turn_.rounds = rounds;
    turn_.round.step = rounds_ * options_.steps;
    turn_.round.known = best.makespan;
    turn_.exchange.round = rounds_;
    rounds_ += rounds;
    walks_(policy, turn_);
    stuck_ += rounds;
    const bool better = take(problem, best);
    if (better) stuck_ = 0;
    if (stuck_ >= patience) restart(best);
    return better;
  }

 private:
  static constexpr std::size_t patience = 10'000;  // rounds without a better cut until a ladder restarts

  /// Restarts all chains of the next ladder at a cut.
  void restart(const timed_cut& best) {
    const std::size_t ladders = chains_ / rungs_;
    std::vector<std::size_t> ladder(rungs_);
    for (std::size_t t = 0; t < rungs_; ++t) ladder[t] = restarts_ % ladders * rungs_ + t;
    ++restarts_;
    stuck_ = patience - patience / ladders;
    place(ladder, best);
  }

  [[nodiscard]] static std::size_t widest_stage(const timed_cut& cut) {
    std::size_t most = 0;
    for (std::size_t s = 0; s + 1 < cut.points.size(); ++s) {
      most = std::max<std::size_t>(most, cut.points[s + 1] - cut.points[s]);
    }
    return most;
  }

  /// Sets the points of all chains, and everything derived from them or constant.
  void begin(const schedule& order, const timed_cut& best, view<const std::vector<std::size_t>> others) {
    std::vector<std::vector<std::uint32_t>> starts{best.points};
    for (const auto& cut : others) {
      starts.emplace_back(cut.begin(), cut.end());
      if (!may_be(starts.back())) starts.pop_back();
    }
    for (auto& cut : detail::tilted_cuts(ticks_, order)) {
      if (others.empty() && may_be(cut)) starts.push_back(std::move(cut));
    }
    std::vector<std::uint32_t> points;
    std::vector<double> heats;
    std::vector<std::uint32_t> chain_at;
    std::vector<double> ladder = detail::geometric_ladder(options_, rungs_);
    for (double& each : ladder) each *= best.makespan;
    for (std::size_t c = 0; c < chains_; ++c) {
      const auto& start = starts[c % starts.size()];
      points.insert(points.end(), start.begin(), start.end());
      heats.push_back(ladder[c % rungs_]);
      chain_at.push_back(static_cast<std::uint32_t>(c));
    }
    system::write(points_, points);
    system::write(values_, std::vector<double>(chains_, -1.0));
    system::write(heats_, heats);
    system::write(best_points_, points);
    system::write(best_makespans_, std::vector<double>(chains_));
    system::write(chain_at_, chain_at);
    system::write(ladder_, ladder);
    const auto logarithms = memory_(view<const double>(stagecut::engine::minus_logarithms));
    turn_.round.seed = 2 * options_.seed + 1;
    turn_.round.steps = options_.steps;
    turn_.walk = {rules_.placed(memory_),
                  ranks_.placed(memory_),
                  logarithms,
                  best.makespan,
                  {points_.data(), values_.data(), heats_.data(), best_points_.data(), best_makespans_.data(),
                   best.points.size()}};
    turn_.exchange = {logarithms,    ladder_.data(),       rungs_, chain_at_.data(), values_.data(),
                      heats_.data(), 2 * options_.seed + 2};
  }

  [[nodiscard]] bool may_be(const std::vector<std::uint32_t>& points) const {
    for (std::size_t s = 0; s + 1 < points.size(); ++s) {
      if (!rules_.seen().may_be(s, points[s], points[s + 1])) return false;
    }
    return true;
  }

  /// Sets chains to a cut.
  void place(const std::vector<std::size_t>& chains, const timed_cut& cut) {
    if (chains.empty()) return;
    std::vector<std::uint32_t> points = system::read(points_, points_.size());
    std::vector<double> values = system::read(values_, chains_);
    for (const std::size_t c : chains) {
      std::copy(cut.points.begin(), cut.points.end(),
                points.begin() + static_cast<std::ptrdiff_t>(c * cut.points.size()));
      values[c] = -1;
    }
    system::write(points_, points);
    system::write(values_, values);
  }

  /// Finds the best cut of a run that is allowed and beats `best`.
  bool take(const stagecut::engine::cut_problem& problem, timed_cut& best) const {
    const std::vector<double> makespans = system::read(best_makespans_, chains_);
    std::vector<std::size_t> better;
    for (std::size_t c = 0; c < chains_; ++c) {
      if (makespans[c] < best.makespan) better.push_back(c);
    }
    if (better.empty()) return false;
    std::stable_sort(better.begin(), better.end(),
                     [&](std::size_t a, std::size_t b) { return makespans[a] < makespans[b]; });
    const std::vector<std::uint32_t> points = system::read(best_points_, best_points_.size());
    const std::size_t width = best.points.size();
    for (const std::size_t c : better) {
      const std::vector<std::size_t> cut(points.begin() + static_cast<std::ptrdiff_t>(c * width),
                                         points.begin() + static_cast<std::ptrdiff_t>((c + 1) * width));
      if (!stagecut::engine::allowed_cut(problem.order, problem.rules, cut)) continue;
      best.points.assign(cut.begin(), cut.end());
      best.makespan = makespans[c];
      return true;
    }
    return false;
  }

  tempering_options options_;
  std::size_t chains_;
  std::size_t rungs_;
  stagecut::engine::chain_ticks ticks_;
  task_graph graph_;
  slot_program program_;
  stagecut::engine::stage_durations durations_;
  chain_rules rules_;
  stagecut::engine::rank_stages ranks_;
  walks walks_;
  typename system::memory memory_{};
  // Per chain; see `chain_states`.
  typename system::template array<std::uint32_t> points_{};
  typename system::template array<double> values_{};
  typename system::template array<double> heats_{};
  typename system::template array<std::uint32_t> best_points_{};
  typename system::template array<double> best_makespans_{};
  // See `heat_exchange`.
  typename system::template array<std::uint32_t> chain_at_{};
  typename system::template array<double> ladder_{};
  chain_turn turn_{};
  std::uint64_t rounds_ = 0;
  std::size_t stuck_ = 0;  // rounds without a better cut
  std::size_t restarts_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
