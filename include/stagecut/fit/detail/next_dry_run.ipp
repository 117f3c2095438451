// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/fit/next_dry_run.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/fit/detail/check_peaks.hpp>
#include <stagecut/fit/detail/memory_unknowns.hpp>
#include <stagecut/fit/detail/singular_values.hpp>
#include <stagecut/profile/dry_runs.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The layers of a rank, all with one choice: for given numbers of layers the determinant of the information matrix is
/// convex in the numbers of a rank's layers per choice, so the best runs have one choice on each rank.
struct rank_load {
  std::size_t layers = 1;
  std::size_t choice = 0;
};
using run_loads = std::vector<rank_load>;  // for every rank

/// The possible dry runs of a pipeline, and the unknowns that they must determine.
struct dry_run_space {
  std::size_t ranks = 0;
  std::size_t layers = 0;
  std::size_t most_layers = 0;  // of a rank
  std::size_t choices = 0;
  std::vector<double> in_flight{};
  std::vector<memory_unknown> unknowns{};

  /// Overwrites `of` with the peak of a rank, reusing its memory.
  void set_peak(rank_peak& of, std::size_t rank, const rank_load& load) const {
    of.rank = rank;
    of.layers = load.layers;
    of.kept.assign(choices, 0);
    of.kept[load.choice] = in_flight[rank] * static_cast<double>(load.layers);
    of.has_head = rank == 0;
    of.has_tail = rank + 1 == ranks;
  }
  [[nodiscard]] rank_peak peak(std::size_t run, std::size_t rank, const rank_load& load) const {
    rank_peak made{.run = run};
    set_peak(made, rank, load);
    return made;
  }
  [[nodiscard]] std::vector<rank_peak> peaks(const std::vector<run_loads>& runs, std::size_t first_run) const {
    std::vector<rank_peak> made;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (std::size_t r = 0; r < ranks; ++r) made.push_back(peak(first_run + i, r, runs[i][r]));
    }
    return made;
  }
  /// All possible loads of every rank: their equations have the rank of arbitrarily many runs.
  [[nodiscard]] std::vector<rank_peak> all_peaks() const {
    const std::size_t others = ranks - 1;
    const std::size_t least = layers > others * most_layers ? layers - others * most_layers : 1;
    std::vector<rank_peak> made;
    for (std::size_t r = 0; r < ranks; ++r) {
      for (std::size_t c = 0; c < choices; ++c) {
        made.push_back(peak(0, r, {least, c}));
        made.push_back(peak(0, r, {most_layers, c}));
      }
    }
    return made;
  }
};

/// Pseudorandom numbers from a seed, the same on every machine.
///
/// Source: G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014 (SplitMix).
class dry_run_dice {
 public:
  explicit dry_run_dice(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t count) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((z ^ (z >> 31U)) % count);
  }

 private:
  std::uint64_t state_;
};

/// Searches for runs whose information matrix has the largest determinant: such a design is D-optimal, with the smallest
/// confidence region. Exchanges the loads of one or two ranks while that helps.
///
/// Source: V. V. Fedorov, Theory of Optimal Experiments, 1972, chapter 3 (exchange); T. J. Mitchell, Technometrics
/// 16(2):203-210, 1974.
class dry_run_exchange {
 public:
  /// @param existing  peaks that are measured in any case
  dry_run_exchange(const dry_run_space& space, const std::vector<rank_peak>& existing, std::uint64_t seed)
      : space_(space), dice_(seed), scales_(Eigen::VectorXd::Ones(count())) {
    for (const rank_peak& peak : space.all_peaks()) {
      for (Eigen::Index j = 0; j < count(); ++j) {
        const double times = unknown(j).times(peak);
        if (times > scales_[j]) scales_[j] = times;
      }
    }
    constexpr double ridge = 1e-9;  // ranks designs that do not determine all unknowns
    existing_ = ridge * Eigen::MatrixXd::Identity(count(), count());
    for (const rank_peak& peak : existing) add(existing_, peak, 1);
  }

  /// The best result of several searches.
  /// @param known  starting runs of one search, completed with random ones; the other searches start with random runs
  [[nodiscard]] std::vector<run_loads> operator()(std::size_t runs, std::vector<run_loads> known = {}) {
    // Large designs are easy: many choices are about as good.
    const std::size_t searches = runs * space_.ranks <= 64 ? 12 : 2;
    std::vector<run_loads> best;
    double best_value = 0;
    for (std::size_t i = 0; i < searches; ++i) {
      runs_ = std::exchange(known, {});
      while (runs_.size() < runs) runs_.push_back(random_run());
      climb();
      if (i == 0 || value_ > best_value + least_gain) best_value = value_, best = runs_;
    }
    return best;
  }

 private:
  static constexpr double least_gain = 1e-9;
  struct exchange {
    std::size_t rank;
    rank_load by;
  };

  [[nodiscard]] Eigen::Index count() const { return static_cast<Eigen::Index>(space_.unknowns.size()); }
  [[nodiscard]] const memory_unknown& unknown(Eigen::Index j) const {
    return space_.unknowns[static_cast<std::size_t>(j)];
  }
  /// Adds a peak to an information matrix, or subtracts it.
  void add(Eigen::MatrixXd& to, const rank_peak& peak, double sign) {
    row_.resize(count());
    for (Eigen::Index j = 0; j < count(); ++j) row_[j] = unknown(j).times(peak) / scales_[j];
    for (Eigen::Index j = 0; j < count(); ++j) to.col(j) += sign * row_[j] * row_;
  }
  void add(Eigen::MatrixXd& to, std::size_t rank, const rank_load& load, double sign) {
    space_.set_peak(peak_, rank, load);
    add(to, peak_, sign);
  }

  /// The logarithm of the determinant, by Cholesky decomposition, which overwrites `information`.
  static double log_determinant(Eigen::MatrixXd& information) {
    double sum = 0;
    for (Eigen::Index k = 0; k < information.cols(); ++k) {
      const double pivot = information(k, k);
      sum += std::log(pivot > 1e-300 ? pivot : 1e-300);
      for (Eigen::Index j = k + 1; j < information.cols() && pivot > 0; ++j) {
        const double by = information(j, k) / pivot;
        for (Eigen::Index i = j; i < information.cols(); ++i) information(i, j) -= by * information(i, k);
      }
    }
    return sum;
  }

  run_loads random_run() {
    run_loads made(space_.ranks);
    for (rank_load& load : made) load.choice = dice_.below(space_.choices);
    for (std::size_t left = space_.layers - space_.ranks; left > 0;) {
      rank_load& to = made[dice_.below(space_.ranks)];
      const std::size_t room = space_.most_layers - to.layers;
      if (room == 0) continue;
      const std::size_t more = 1 + dice_.below(room < left ? room : left);
      to.layers += more;
      left -= more;
    }
    return made;
  }

  void set_information() {
    information_ = existing_;
    for (const run_loads& run : runs_) {
      for (std::size_t r = 0; r < space_.ranks; ++r) add(information_, r, run[r], 1);
    }
    scratch_ = information_;
    value_ = log_determinant(scratch_);
  }

  /// Performs an exchange if it helps.
  template <std::size_t n>
  bool try_it(std::size_t run, const exchange (&moves)[n]) {
    scratch_ = information_;
    for (const auto& [rank, by] : moves) {
      add(scratch_, rank, runs_[run][rank], -1);
      add(scratch_, rank, by, 1);
    }
    if (!(log_determinant(scratch_) > value_ + least_gain)) return false;
    const run_loads before = runs_[run];
    const double value = value_;
    for (const auto& [rank, by] : moves) runs_[run][rank] = by;
    set_information();
    if (value_ > value + least_gain) return true;
    runs_[run] = before;  // the gain was a rounding error in a difference of large numbers
    set_information();
    return false;
  }

  bool try_choices(std::size_t run, std::size_t rank) {
    bool better = false;
    for (std::size_t c = 0; c < space_.choices; ++c) {
      rank_load other = runs_[run][rank];
      if (std::exchange(other.choice, c) != c) better = try_it(run, {{rank, other}}) || better;
    }
    return better;
  }

  /// Swaps the loads of two ranks, and moves layers to the second: one, and as many as possible.
  bool try_pair(std::size_t run, std::size_t from, std::size_t to) {
    bool better = try_it(run, {{from, runs_[run][to]}, {to, runs_[run][from]}});
    for (const bool all : {true, false}) {
      rank_load less = runs_[run][from];
      rank_load more = runs_[run][to];
      const std::size_t room = space_.most_layers - more.layers;
      const std::size_t most = less.layers - 1 < room ? less.layers - 1 : room;
      if (most == 0) return better;
      const std::size_t moved = all ? most : 1;
      less.layers -= moved;
      more.layers += moved;
      better = try_it(run, {{from, less}, {to, more}}) || better;
    }
    return better;
  }

  void climb() {
    constexpr std::size_t most_sweeps = 50;
    constexpr std::size_t most_partners = 16;
    set_information();
    bool better = true;
    for (std::size_t sweep = 0; sweep < most_sweeps && better; ++sweep) {
      better = false;
      for (std::size_t run = 0; run < runs_.size(); ++run) {
        for (std::size_t r = 0; r < space_.ranks; ++r) {
          better = try_choices(run, r) || better;
          const bool few = space_.ranks <= most_partners;
          for (std::size_t i = 0; i < (few ? space_.ranks : most_partners); ++i) {
            const std::size_t other = few ? i : dice_.below(space_.ranks);
            if (other != r) better = try_pair(run, r, other) || better;
          }
        }
      }
    }
  }

  const dry_run_space& space_;
  dry_run_dice dice_;
  Eigen::VectorXd scales_;  // the largest coefficient of each unknown in a peak, so that all columns have equal weight
  Eigen::MatrixXd existing_{};
  std::vector<run_loads> runs_{};
  rank_peak peak_{};
  Eigen::VectorXd row_{};
  Eigen::MatrixXd information_{};
  Eigen::MatrixXd scratch_{};
  double value_ = 0;
};

[[noreturn]] inline void refuse_dry_run(std::string_view what, std::size_t value, std::string_view requirement) {
  fail(argument_error("next_dry_run", joined({"request.", what}), std::to_string(value), requirement));
}

/// The space of runs that a request allows.
[[nodiscard]] inline dry_run_space space_of(const dry_run_request& request) {
  const auto& [ranks, layers, choices, runs, most_layers, in_flight, seed] = request;
  if (ranks < 2)
    refuse_dry_run("ranks", ranks, "must be at least 2: on one rank, head and tail cannot be distinguished");
  if (layers < ranks) refuse_dry_run("layers", layers, joined({"must be at least the number of ranks, ", ranks}));
  check_choices(choices);
  const std::size_t mean = (layers - 1) / ranks + 1;
  const std::size_t others = ranks - 1;  // hold at least one layer each
  std::size_t most = most_layers == 0 ? 2 * mean : most_layers;
  if (most < mean) refuse_dry_run("most_layers", most, joined({"must be at least ", mean, ": all layers have a rank"}));
  if (most > layers - others) most = layers - others;
  dry_run_space space{ranks, layers, most, choices.size(), in_flight};
  for (std::size_t r = 0; r < ranks && in_flight.empty(); ++r) {
    space.in_flight.push_back(static_cast<double>(ranks - r));
  }
  if (space.in_flight.size() != ranks) {
    refuse_dry_run("in_flight.size()", in_flight.size(), joined({"must be 0 or the number of ranks, ", ranks}));
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    const double kept = space.in_flight[r];
    if (is_finite(kept) && kept > 0) continue;
    fail(argument_error("next_dry_run", joined({"request.in_flight[", r, "]"}),
                        is_nan(kept) ? "NaN" : number_text(kept), "must be finite and above 0"));
  }
  return space;
}

[[nodiscard]] inline std::vector<rank_peak> with_both(std::vector<rank_peak> first,
                                                      const std::vector<rank_peak>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

[[nodiscard]] inline singular_values singular_values_with(const std::vector<rank_peak>& peaks,
                                                          view<const memory_unknown> unknowns) {
  return singular_values_of(equations_of(peaks, unknowns).columns);
}

/// Sets the unknowns: with the constant, if any runs determine it.
/// @return  whether they do
[[nodiscard]] inline bool set_unknowns(dry_run_space& space, const dry_run_request& request, const dry_runs& existing) {
  const std::vector<rank_peak> all = with_both(space.all_peaks(), existing.peaks);
  for (const bool constant : {true, false}) {
    space.unknowns = memory_unknowns(space.choices, constant, true, true);
    const auto undetermined = undetermined_groups(singular_values_with(all, space.unknowns), space.unknowns);
    if (undetermined.empty()) return constant;
    if (constant) continue;
    refuse_dry_run("layers", request.layers,
                   joined({"must be others, or ranks: whatever the runs, ",
                           undetermined_text(view(undetermined.front()), request.choices)}));
  }
  return false;
}

/// The fewest runs that determine all unknowns, at least as many as the equations require.
[[nodiscard]] inline std::vector<run_loads> fewest_runs(const dry_run_space& space, dry_run_exchange& search,
                                                        const std::vector<rank_peak>& existing) {
  const std::size_t unknowns = space.unknowns.size();
  std::size_t known = 0;
  if (!existing.empty()) known = static_cast<std::size_t>(singular_values_with(existing, space.unknowns).rank());
  std::size_t runs = (unknowns - known + space.ranks - 1) / space.ranks;
  for (runs += runs == 0 ? 1 : 0; runs <= unknowns + 1; ++runs) {
    std::vector<run_loads> found = search(runs);
    const std::vector<rank_peak> all = with_both(existing, space.peaks(found, 0));
    if (singular_values_with(all, space.unknowns).rank() == static_cast<Eigen::Index>(unknowns)) return found;
  }
  refuse_dry_run("runs", runs, "would determine all parts, but none were found: try another seed");
}

}  // namespace detail

STAGECUT_DECL dry_run_design next_dry_run_fn::operator()(const dry_run_request& request,
                                                         const dry_runs& existing) const {
  detail::dry_run_space space = detail::space_of(request);
  if (!existing.peaks.empty()) {
    detail::check_peaks(existing);
    if (existing.choices != request.choices) {
      detail::refuse_dry_run("choices.size()", request.choices.size(), "must be the choices of the runs that exist");
    }
  }
  dry_run_design design;
  design.constant_determined = detail::set_unknowns(space, request, existing);
  detail::dry_run_exchange search(space, existing.peaks, request.seed);
  std::vector<detail::run_loads> found = detail::fewest_runs(space, search, existing.peaks);
  design.least_runs = found.size();
  if (request.runs != 0 && request.runs < found.size()) {
    detail::refuse_dry_run("runs", request.runs,
                           detail::joined({"must be at least ", found.size(), " to determine ", space.unknowns.size(),
                                           " unknowns, or 0"}));
  }
  if (request.runs > found.size()) found = search(request.runs, std::move(found));

  std::size_t first_run = 0;
  for (const rank_peak& peak : existing.peaks) first_run = peak.run < first_run ? first_run : peak.run + 1;
  design.to_measure = {request.choices, space.peaks(found, first_run)};
  const auto all = detail::with_both(existing.peaks, design.to_measure.peaks);
  design.condition = detail::singular_values_with(all, space.unknowns).condition();
  for (const detail::run_loads& ranks : found) {
    dry_run& made = design.runs.emplace_back();
    for (const auto& [layers, choice] : ranks) {
      made.layers.push_back(layers);
      made.counts.emplace_back(space.choices).at(choice) = layers;
    }
  }
  return design;
}

}  // namespace stagecut::inline STAGECUT_ABI
