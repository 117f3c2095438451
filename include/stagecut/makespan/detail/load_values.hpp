// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/makespan/detail/memory_rows.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The possible loads of a rank's stages, or of a single stage, for one microbatch, if there are few values: for chains
/// of mostly equal items.
class load_values {
 public:
  /// Omits loads of a rank that are only possible above its memory limit.
  load_values(const engine::chain_ticks& chain, const schedule& order, const held_memory& held)
      : chain_(chain),
        held_(held),
        ranks_(order.ranks()),
        stages_of_(engine::stages_of_ranks(order)),
        stages_(order.stages()),
        others_(order.stages()) {
    for (std::size_t s = 0; s < order.stages() && order.stages() > order.ranks(); ++s) stages_of_.push_back({s});
    values_.resize(stages_of_.size());
    for (std::size_t g = 0; g < stages_of_.size(); ++g) {
      const bool limited = g < order.ranks() && held.any(g);
      table sums;
      sums.push_back({0, 0});
      for (const std::size_t s : stages_of_[g]) {
        if (sums.empty() && !limited) break;
        table loads = loads_of(s, limited);
        if (!sums.empty()) sums = sums_with(sums, loads);
        if (limited) stages_[s] = std::move(loads);
      }
      for (const entry& sum : sums) {
        if (!limited || sum.held <= held.limit()) values_[g].push_back(sum.load);
      }
      if (limited && !values_[g].empty()) add_others(g);
    }
  }

  /// Ranks come first, then stages, if they differ from ranks.
  /// @{
  [[nodiscard]] std::size_t groups() const noexcept { return stages_of_.size(); }
  [[nodiscard]] std::size_t ranks() const noexcept { return ranks_; }
  /// @}
  /// The stages of a group.
  [[nodiscard]] const std::vector<std::size_t>& stages_of(std::size_t group) const { return stages_of_[group]; }
  /// All possible values, ascending, in ticks; empty: too many.
  [[nodiscard]] const std::vector<double>& values(std::size_t group) const { return values_[group]; }
  /// The possible loads of a stage, with lower bounds on its memory from `held`; by load. Empty: unknown or too many.
  /// @{
  struct entry {
    double load;
    double held;
  };
  using table = std::vector<entry>;
  [[nodiscard]] const table& of_stage(std::size_t s) const { return stages_[s]; }
  /// The same for the other stages of its rank together.
  [[nodiscard]] const table& of_others(std::size_t s) const { return others_[s]; }
  /// @}
  /// The memory limit of a rank.
  [[nodiscard]] double limit() const { return held_.limit(); }
  /// The load of a group in a cut.
  [[nodiscard]] double load(std::size_t group, view<const std::size_t> points) const {
    double sum = 0;
    for (const std::size_t s : stages_of_[group]) sum += chain_.load(s, points[s], points[s + 1]);
    return sum;
  }

 private:
  static constexpr std::size_t most = 500;  // values

  /// Inserts an entry in order. False: there are too many.
  [[nodiscard]] static bool insert(table& to, const entry& added) {
    const std::size_t at =
        detail::gallop(0, to.size(), to.size(), [&](std::size_t i) { return to[i].load >= added.load; });
    if (at < to.size() && to[at].load == added.load) {
      if (added.held < to[at].held) to[at].held = added.held;
      return true;
    }
    to.push_back(added);
    for (std::size_t i = to.size() - 1; i > at; --i) to[i] = to[i - 1];
    to[at] = added;
    return to.size() <= most;
  }

  /// The possible loads of stage s, with memory lower bounds if `limited`; empty: too many values.
  [[nodiscard]] table loads_of(std::size_t s, bool limited) const {
    table result;
    const std::size_t behind = chain_.stages - 1 - s;
    for (std::size_t first = s; first + behind < chain_.items; ++first) {
      if (s == 0 && first > 0) break;
      const std::size_t least = behind == 0 ? chain_.items : first + 1;
      for (std::size_t last = least; last + behind <= chain_.items; ++last) {
        const double held = limited ? held_.sums(s)[last] - held_.sums(s)[first] + held_.own(s) : 0;
        if (!insert(result, {chain_.load(s, first, last), held})) return {};
      }
    }
    return result;
  }

  /// Adds the sums over all stages of a rank but one, for each of them.
  void add_others(std::size_t rank) {
    for (const std::size_t s : stages_of_[rank]) {
      others_[s].clear();
      others_[s].push_back({0, 0});
      for (const std::size_t other : stages_of_[rank]) {
        if (other != s && !others_[s].empty()) others_[s] = sums_with(others_[s], stages_[other]);
      }
    }
  }

  [[nodiscard]] static table sums_with(const table& a, const table& b) {
    table result;
    for (const entry& left : a) {
      for (const entry& right : b) {
        if (!insert(result, {left.load + right.load, left.held + right.held})) return {};
      }
    }
    return result;
  }

  const engine::chain_ticks& chain_;
  const held_memory& held_;
  std::size_t ranks_;
  std::vector<std::vector<std::size_t>> stages_of_;  // per group
  std::vector<table> stages_;
  std::vector<table> others_;
  std::vector<std::vector<double>> values_{};  // per group
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
