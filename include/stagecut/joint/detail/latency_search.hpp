// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/latency_program.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The greatest nonnegative double below `limit` for which `holds`, a monotone predicate that is true below some value;
/// unset: it is false even for 0.
template <class Holds>
[[nodiscard]] std::optional<double> greatest_double(double limit, const Holds& holds) {
  if (!(limit > 0) || !holds(0.0)) return std::nullopt;
  auto low = ordered_bits(0.0);
  auto high = ordered_bits(limit);
  while (high - low > 1) {
    const auto middle = low + (high - low) / 2;
    (holds(from_ordered_bits<double>(middle)) ? low : high) = middle;
  }
  return from_ordered_bits<double>(low);
}

/// Lowers the threshold for the largest stage from where it excludes nothing to where nothing better can exist.
///
/// Write S for the sum of a cut, K for the microbatches less one, E for what would be exposed if the largest stage were
/// as long as the threshold. The dynamic program finds all Pareto-optimal pairs (S, E) of cuts within the threshold. A
/// lower threshold allows fewer cuts and hides less, so its pairs are dominated by these. So a cut whose largest stage
/// takes x, within the threshold, costs at least (S + K x) + E of some pair, as computed, since rounding is monotone.
/// The next threshold is the largest x for which that is below the best cost so far: nothing between is better. It is
/// below the largest stage of a found cut if that cut has the E of its pair, so always if nothing is exposed; otherwise
/// the search checks whether a cut has a stage as long as the threshold, and so the E of its pair.
///
/// A `Program` has `label_type`, `run`, `found`, `greatest`, `largest_within` and `cut_of` as `latency_program`; the
/// stages of its cuts have an `option`.
template <class Program>
class latency_search {
 public:
  using label_type = typename Program::label_type;
  using cut_type = decltype(std::declval<Program&>().cut_of(std::declval<const label_type&>()));

  /// @param least  lower bound of the largest stage and of the sum of any cut
  latency_search(Program& program, length_terms terms, std::size_t microbatches, double least,
                 engine::search_clock& clock)
      : program_(program),
        terms_(terms),
        clock_(clock),
        factor_(static_cast<double>(microbatches - 1)),
        least_largest_(least * (1 - 0x1p-30)) {
    bound_ = (least_largest_ + factor_ * least_largest_) * (1 - 0x1p-30);
  }

  /// Runs to the end, or to a limit.
  void run() {
    if (seed()) is_proved_ = descend();
    if (has_first_ && (!has_cut() || first_cost_ < cost_)) {  // stopped before anything better was found
      best_ = std::move(first_);
      cost_ = first_cost_;
    }
    if (is_proved_ && has_cut()) bound_ = cost_;
    if (has_cut() && !(cost_ <= std::numeric_limits<double>::max())) {
      fail(invalid_input("stages", "the pipeline takes longer than a double holds"));
    }
    tell();
  }

  /// Whether a cut was found; if not, and it is proved, none exists.
  [[nodiscard]] bool has_cut() const noexcept { return !best_.empty(); }
  /// Whether the search completed.
  [[nodiscard]] bool is_proved() const noexcept { return is_proved_; }
  /// The best cut found, its cost, the lower bound of all costs, and the number of dynamic programs run.
  /// @{
  [[nodiscard]] cut_type& best() noexcept { return best_; }
  [[nodiscard]] double cost() const noexcept { return cost_; }
  [[nodiscard]] double bound() const noexcept { return bound_; }
  [[nodiscard]] std::size_t searches() const noexcept { return searches_; }
  /// @}

 private:
  /// Finds some cut with low thresholds, so that later runs prune most; false: a limit was reached.
  bool seed() {
    double threshold = least_largest_ * 1.25;
    for (int tries = 0; tries < 4 && threshold > 0; ++tries, threshold *= 2) {
      if (!program_.run(threshold, std::nullopt, factor_ * least_largest_)) return false;
      ++searches_;
      each_candidate([&](const label_type& label) {
        cut_type cut = program_.cut_of(label);
        const double cost = cost_of(cut);
        if (has_first_ && !(cost < first_cost_)) return;
        first_ = std::move(cut);
        first_cost_ = cost;
        has_first_ = true;
      });
      if (has_first_) break;
    }
    return true;
  }

  /// Costs from this value on need not be found. Costs equal to the first cut's are kept, so that ties are settled
  /// as if the first cut had not been searched.
  [[nodiscard]] std::optional<double> less_than() const {
    std::optional<double> limit;
    if (has_cut()) limit = cost_;
    if (has_first_ && (!limit || first_cost_ < *limit)) limit = next_above(first_cost_);
    return limit;
  }

  /// Lowers the threshold to the end; false: a limit was reached.
  bool descend() {
    double threshold = std::numeric_limits<double>::max();
    for (;;) {
      if (!program_.run(threshold, less_than(), factor_ * least_largest_)) return false;
      ++searches_;
      if (program_.found().empty()) return true;
      take_found(threshold);
      const double greatest = program_.greatest();
      const double limit = greatest < threshold ? next_above(greatest) : threshold;
      const auto next = greatest_double(limit, [&, most = *less_than()](double x) { return least_cost(x) < most; });
      if (!next || *next < least_largest_) return true;
      const double bound = least_cost(least_largest_) * (1 - 0x1p-30);
      bound_ = std::max(bound_, bound);
      tell();
      threshold = program_.largest_within(*next);
    }
  }

  [[nodiscard]] static double next_above(double x) noexcept {
    return x < std::numeric_limits<double>::max() ? from_ordered_bits<double>(ordered_bits(x) + 1) : x;
  }

  /// A lower bound of the cost of a cut within the threshold whose largest stage takes `largest`.
  [[nodiscard]] double least_cost(double largest) const {
    std::optional<double> least;
    for (const label_type& label : program_.found()) {
      const double here = (label.sum + factor_ * largest) + label.exposed;
      if (!least || here < *least) least = here;
    }
    return least.value_or(0);
  }

  /// Visits the labels that may have the smallest cost: if nothing is exposed, the one with the smallest sum, on the
  /// fewest devices.
  template <class Visit>
  void each_candidate(const Visit& visit) const {
    const label_type* least = nullptr;
    for (const label_type& label : program_.found()) {
      if (terms_.all_reduce) {
        visit(label);
      } else if (least == nullptr || label.sum < least->sum ||
                 (label.sum == least->sum && label.devices < least->devices)) {
        least = __builtin_addressof(label);
      }
    }
    if (least != nullptr) visit(*least);
  }

  /// Takes the best of the found cuts, if it is better.
  void take_found(double threshold) {
    each_candidate([&](const label_type& label) {
      const double largest = label.is_below ? least_largest_ : threshold;
      if (has_cut() && terms_.all_reduce && !((label.sum + factor_ * largest) + label.exposed < cost_)) return;
      take(program_.cut_of(label));
    });
  }

  void take(cut_type stages) {
    const double cost = cost_of(stages);
    if (has_cut() && !(cost < cost_)) return;
    best_ = std::move(stages);
    cost_ = cost;
  }

  [[nodiscard]] double cost_of(const cut_type& stages) const {
    double sum = 0;
    double largest = 0;
    for (std::size_t i = stages.size(); i-- > 0;) {
      sum = terms_.summed(stages[i].option) + sum;
      const double here = terms_.largest(stages[i].option);
      largest = std::max(largest, here);
    }
    double exposed = 0;
    for (std::size_t i = terms_.all_reduce ? stages.size() : 0; i-- > 0;) {
      exposed = length_terms::exposed(stages[i].option, exposed, i == 0, largest);
    }
    return (sum + factor_ * largest) + exposed;
  }

  void tell() {
    const double cost = has_first_ && (!has_cut() || first_cost_ < cost_) ? first_cost_ : cost_;
    if (bound_ > cost && (has_first_ || has_cut())) bound_ = cost;
    clock_.state.value = cost;
    clock_.state.bound = bound_;
    clock_.tell();
  }

  Program& program_;
  length_terms terms_;
  engine::search_clock& clock_;
  double factor_;
  double least_largest_;  // lower bound of the largest stage
  cut_type first_{};
  double first_cost_ = 0;
  bool has_first_ = false;
  cut_type best_{};
  double cost_ = 0;
  double bound_ = 0;
  std::size_t searches_ = 0;
  bool is_proved_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
