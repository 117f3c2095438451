// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/cut_and_schedule_request.hpp>
#include <stagecut/makespan/detail/cut_of_order.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds the best numbers of microbatches in flight, and the best cut for each. Starts from those of 1F1B, its eager
/// form and GPipe, as far as they fit, and raises and lowers numbers while that helps. If there are few choices, tries
/// all, which proves the best.
template <pipeline_model Model, stage_constraint Constraint>
class in_flight_search {
 public:
  in_flight_search(const Model& model, const cut_and_schedule_request& request, const Constraint& allowed,
                   best_cut_and_schedule& best)
      : model_(model), request_(request), allowed_(allowed), best_(best), stages_(request.rank_of.size()) {}

  /// The reason why no numbers have a cut; unset: there is one.
  [[nodiscard]] std::optional<reason> begin() { return try_counts(counts(stages_, 1)); }

  void run() {
    for (const std::size_t times : {std::size_t{1}, std::size_t{2}, request_.microbatches}) begin_with(times);
    bool better = true;
    while (better && best_.get() && !best_.over()) better = improve();
    if (best_.get() && are_few()) {
      counts made;
      (void)try_all(made);
      if (!best_.over()) best_.raise(least_bound());
    }
  }

  /// Number of cut searches.
  [[nodiscard]] std::size_t rounds() const noexcept { return tried_.size(); }

 private:
  using counts = std::vector<std::size_t>;
  struct tried_counts {
    counts of{};
    double bound = 0;  // infinite: they have no cut
  };

  /// @param times  multiple of the microbatches that 1F1B admits beyond one
  void begin_with(std::size_t times) {
    counts wanted;
    for (std::size_t s = 0; s < stages_; ++s) {
      wanted.push_back(std::min(request_.microbatches, times * (stages_ - 1 - s) + 1));
    }
    // Numbers that do not fit are lowered where most are in flight.
    for (std::size_t most = wanted[0]; most > 0 && !best_.over(); most = std::min(most - 1, most * 7 / 8)) {
      counts lowered = wanted;
      for (std::size_t& each : lowered) each = std::min(each, most);
      if (!try_counts(lowered)) return;
    }
  }

  /// Changes the numbers of the best one by one, and all up to a stage, or from one on; returns whether that helped.
  bool improve() {
    const double before = best_.get()->value;
    const counts now = of_best_;
    for (std::size_t s = 0; s < stages_ && !best_.over(); ++s) {
      change(now, s, s + 1, true);
      change(now, s, s + 1, false);
      if (s > 0) change(now, 0, s + 1, true);
      if (s + 1 < stages_) change(now, s, stages_, false);
    }
    return best_.get()->value < before;
  }

  /// Tries one more, or one less, on stages `[first, last)`, and adjusts others so that numbers do not rise.
  void change(counts of, std::size_t first, std::size_t last, bool more) {
    for (std::size_t s = first; s < last; ++s) {
      if (more && of[s] < request_.microbatches) ++of[s];
      if (!more && of[s] > 1) --of[s];
    }
    for (std::size_t s = first; more && s-- > 0;) of[s] = std::max(of[s], of[s + 1]);
    for (std::size_t s = 1; s < stages_; ++s) of[s] = std::min(of[s], of[s - 1]);
    (void)try_counts(of);
  }

  /// Whether there are at most some ten thousand non-increasing sequences of numbers.
  [[nodiscard]] bool are_few() const {
    double all = 1;
    for (std::size_t s = 1; s <= stages_; ++s) {
      all *= static_cast<double>(request_.microbatches - 1 + s) / static_cast<double>(s);
    }
    return all <= 30000;
  }

  /// Tries all sequences with this prefix; returns whether the smallest of them, with one in flight from there on, fit.
  bool try_all(counts& made) {
    if (made.size() == stages_) return !try_counts(made);
    const std::size_t most = made.empty() ? request_.microbatches : made.back();
    bool some = false;
    for (std::size_t each = 1; each <= most && !best_.over(); ++each) {
      made.push_back(each);
      const bool fits = try_all(made);
      made.pop_back();
      if (!fits) break;
      some = true;
    }
    return some;
  }

  [[nodiscard]] double least_bound() const {
    double least = std::numeric_limits<double>::infinity();
    for (const tried_counts& each : tried_) least = std::min(least, each.bound);
    return least;
  }

  /// The position among those tried, or where they would be inserted.
  [[nodiscard]] std::size_t position_of(const counts& of) const {
    std::size_t least = 0;
    std::size_t most = tried_.size();
    while (least < most) {
      const std::size_t middle = least + (most - least) / 2;
      if (tried_[middle].of < of)
        least = middle + 1;
      else
        most = middle;
    }
    return least;
  }

  /// The reason why they have no cut; unset: they have one, which is searched for unless they were tried before.
  std::optional<reason> try_counts(const counts& of) {
    constexpr double never = std::numeric_limits<double>::infinity();
    const std::size_t at = position_of(of);
    if (at < tried_.size() && tried_[at].of == of) {
      return tried_[at].bound == never ? std::optional<reason>(reason{}) : std::nullopt;
    }
    tried_.insert(tried_.begin() + static_cast<std::ptrdiff_t>(at), {of, 0});
    const double most = best_.get() ? best_.get()->value : never;
    double& bound = tried_[at].bound;
    // Abandons what cannot become the best.
    const auto tell = [&](const search_progress& now) { bound = std::max(bound, now.bound); };
    const auto stop = [&] { return bound >= most || (request_.search.stop && request_.search.stop()); };
    search_options limits = best_.limits(0.1);
    limits.progress = tell;
    limits.stop = stop;
    const schedule order = in_flight_order(of, request_.microbatches);
    const auto found = detail::cut_of_order(model_, request_, allowed_, order, request_.start, limits);
    if (found.state() == state::infeasible) return bound = never, found.why();
    if (!found) return std::nullopt;
    bound = std::max(bound, found->bound);
    if (found->value < most) of_best_ = of;
    best_.keep({{.value = found->value}, found->cuts, order});
    return std::nullopt;
  }

  const Model& model_;
  const cut_and_schedule_request& request_;
  const Constraint& allowed_;
  best_cut_and_schedule& best_;
  std::size_t stages_;
  std::vector<tried_counts> tried_{};  // in lexicographic order
  counts of_best_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
