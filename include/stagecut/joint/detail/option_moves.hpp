// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A new option for a rank.
struct option_change {
  std::uint32_t rank;
  std::uint32_t option;
};

/// Chooses random moves of a plan: layers that move between stages, in the same way on several ranks in a row where
/// that may leave the rest unchanged, and other ways to run the same layers.
class option_moves {
 public:
  explicit option_moves(const recompute_problem& problem) : problem_(problem) {}

  /// Chooses a move; returns whether it changes anything.
  bool propose(const chosen_options& now, random_bits& dice);

  /// The move: new options of some ranks,
  [[nodiscard]] const std::vector<option_change>& changes() const noexcept { return changes_; }
  /// and the layers of every stage, if they change; else empty.
  [[nodiscard]] const std::vector<std::uint32_t>& counts() const noexcept { return wanted_; }

 private:
  bool other_way(std::size_t rank, random_bits& dice);

  void swap_counts(std::size_t a, std::size_t b);

  /// Moves a layer between two stages of a rank, in the same way on some ranks in a row.
  bool shift_inside(std::size_t rank, std::size_t some, random_bits& dice);

  bool shift_between(std::size_t rank, random_bits& dice);

  /// Finds options of the ranks whose contents changed; returns whether there are any.
  bool take_counts(random_bits& dice);

  /// An option of a class: a random one, or the one whose backward passes are nearest to those of a given option.
  std::uint32_t like(const rank_options& rank, const rank_options::contents& from, std::uint32_t old,
                     random_bits& dice);

  const recompute_problem& problem_;
  const chosen_options* now_ = nullptr;
  std::vector<option_change> changes_{};
  std::vector<std::uint32_t> wanted_{};
  std::vector<std::uint32_t> cut_{};
  std::vector<std::uint32_t> of_{};
  std::vector<char> touched_{};
};

inline bool option_moves::propose(const chosen_options& now, random_bits& dice) {
  now_ = &now;
  changes_.clear();
  wanted_.clear();
  const double kind = dice.fraction();
  const std::size_t ranks = problem_.graph->ranks.size();
  const std::size_t rank = dice.below(ranks);
  if (kind < 0.25) return other_way(rank, dice);
  if (kind < 0.35) {
    const std::size_t some = 2 + dice.below(2);
    for (std::size_t i = 0; i < some && rank + i < ranks; ++i) other_way(rank + i, dice);
    return !changes_.empty();
  }
  wanted_ = now_->counts;
  if (kind < 0.45) {
    if (rank + 1 == ranks) return false;
    swap_counts(rank, rank + 1);
  } else if (kind < 0.65 && problem_.graph->ranks[rank].stages() > 1) {
    if (!shift_inside(rank, 1 + dice.below(8), dice)) return false;
  } else {
    if (!shift_between(rank, dice)) return false;
    if (dice.fraction() < 0.3 && !shift_inside(dice.below(ranks), 1, dice)) return false;
  }
  return take_counts(dice);
}

inline bool option_moves::other_way(std::size_t rank, random_bits& dice) {
  const rank_options& all = problem_.graph->ranks[rank];
  const std::uint32_t old = now_->options[rank];
  const rank_options::contents& here = all.classes()[all.class_of(old)];
  if (here.last - here.first < 2) return false;
  auto chosen = static_cast<std::uint32_t>(here.first + dice.below(here.last - here.first - 1));
  if (chosen >= old) ++chosen;
  changes_.push_back({static_cast<std::uint32_t>(rank), chosen});
  return true;
}

inline void option_moves::swap_counts(std::size_t a, std::size_t b) {
  const rank_options& of_a = problem_.graph->ranks[a];
  const rank_options& of_b = problem_.graph->ranks[b];
  for (std::size_t v = 0; v < of_a.stages() && v < of_b.stages(); ++v) {
    std::swap(wanted_[of_a.stage(v)], wanted_[of_b.stage(v)]);
  }
}

inline bool option_moves::shift_inside(std::size_t rank, std::size_t some, random_bits& dice) {
  const std::size_t stages = problem_.graph->ranks[rank].stages();
  if (stages < 2) return true;
  const std::size_t a = dice.below(stages);
  std::size_t b = dice.below(stages - 1);
  if (b >= a) ++b;
  for (std::size_t r = rank; r < rank + some && r < problem_.graph->ranks.size(); ++r) {
    const rank_options& here = problem_.graph->ranks[r];
    if (here.stages() != stages || wanted_[here.stage(a)] == 0) return false;
    --wanted_[here.stage(a)];
    ++wanted_[here.stage(b)];
  }
  return true;
}

inline bool option_moves::shift_between(std::size_t rank, random_bits& dice) {
  const std::size_t ranks = problem_.graph->ranks.size();
  if (ranks < 2) return false;
  std::size_t other = dice.below(ranks - 1);
  if (other >= rank) ++other;
  if (dice.fraction() < 0.5) other = rank + 1 == ranks || (rank > 0 && dice.fraction() < 0.5) ? rank - 1 : rank + 1;
  const rank_options& from = problem_.graph->ranks[rank];
  const rank_options& to = problem_.graph->ranks[other];
  if (from.stages() == 0 || to.stages() == 0) return false;
  const std::size_t a = from.stage(dice.below(from.stages()));
  const std::size_t b = to.stage(dice.below(to.stages()));
  if (wanted_[a] == 0) return false;
  --wanted_[a];
  ++wanted_[b];
  return true;
}

inline bool option_moves::take_counts(random_bits& dice) {
  const std::vector<std::size_t>& rank_of = problem_.order->rank_of;
  touched_.assign(problem_.graph->ranks.size(), 0);
  std::uint32_t old_first = 0;
  std::uint32_t first = 0;
  cut_.resize(rank_of.size() + 1);
  for (std::size_t s = 0; s < rank_of.size(); ++s) {
    if (s != 0 && !problem_.curves->may_cut(first)) return false;
    const bool same = wanted_[s] == now_->counts[s] && (first == old_first || problem_.curves->alike());
    if (!same) touched_[rank_of[s]] = 1;
    cut_[s] = first;
    first += wanted_[s];
    old_first += now_->counts[s];
  }
  cut_.back() = first;
  for (std::size_t r = 0; r < touched_.size(); ++r) {
    if (touched_[r] == 0) continue;
    const rank_options& here = problem_.graph->ranks[r];
    of_.resize(here.stages());
    for (std::size_t v = 0; v < here.stages(); ++v) {
      of_[v] = problem_.curves->of(cut_[here.stage(v)], cut_[here.stage(v) + 1]);
    }
    const std::size_t place = here.find(of_);
    if (place == here.classes().size()) return false;
    if (place == here.class_of(now_->options[r])) continue;
    changes_.push_back({static_cast<std::uint32_t>(r), like(here, here.classes()[place], now_->options[r], dice)});
  }
  return true;
}

inline std::uint32_t option_moves::like(const rank_options& rank, const rank_options::contents& from, std::uint32_t old,
                                        random_bits& dice) {
  if (dice.fraction() < 0.4) return static_cast<std::uint32_t>(from.first + dice.below(from.last - from.first));
  std::uint32_t best_option = from.first;
  double least = no_time;
  for (std::uint32_t o = from.first; o < from.last; ++o) {
    double off = 0;
    for (std::size_t j = 0; j < rank.width(); ++j) {
      const double by = rank.times(j)[o] - rank.times(j)[old];
      off += by < 0 ? -by : by;
    }
    if (off < least) least = off, best_option = o;
  }
  return best_option;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
