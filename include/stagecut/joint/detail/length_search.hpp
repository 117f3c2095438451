// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/detail/hybrid_labels.hpp>
#include <stagecut/joint/detail/hybrid_rules.hpp>
#include <stagecut/joint/detail/known_options.hpp>
#include <stagecut/joint/detail/length_program.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/makespan/detail/search_clock.hpp>

namespace stagecut::inline v0::detail {

/// The greatest double below `limit`, none of them negative, for which `holds`, which does for all below one for which it
/// does; unset: not even for 0.
template <class Holds>
[[nodiscard]] std::optional<double> greatest_double(double limit, const Holds& holds) {
  if (!(limit > 0) || !holds(0.0)) return std::nullopt;
  std::uint64_t low = 0;  // of doubles that are not negative, the bits are in their order
  std::uint64_t high = std::bit_cast<std::uint64_t>(limit);
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (holds(std::bit_cast<double>(middle)) ? low : high) = middle;
  }
  return std::bit_cast<double>(low);
}

/// Lowers the threshold for the largest stage from where it hinders nothing down to where nothing better can be.
///
/// Write S for the sum of a cut, K for the microbatches less one, E for what would be exposed if the largest stage were as
/// long as the threshold. The dynamic program finds all pairs (S, E) that no cut within the threshold beats. A lower
/// threshold has fewer cuts, and hides less: its pairs are beaten by these. So a cut of which the largest stage takes x,
/// within the threshold, costs (S + K x) + E of some pair at least, as computed, since rounding keeps the order. The next
/// threshold is the largest x for which that is below the best cost so far: nothing between is better. It is below the
/// largest stage of a cut that was found where that has its E, so always if there is none; else it is tried whether a cut has a
/// stage as long as the threshold, and so the E of its pair.
template <stage_option_model Model>
class length_search {
 public:
  length_search(const Model& model, const hybrid_request& request, length_terms terms,
                std::size_t most_options = known_options<Model>::few)
      : rules_(request, detail::period_of(model)),
        terms_(terms),
        clock_(request.limits),
        program_(model, rules_, terms, clock_, most_options),
        factor_(static_cast<double>(request.microbatches - 1)),
        least_largest_(detail::least_work_of(model, model.size()) / static_cast<double>(request.devices) *
                       (1 - 0x1p-30)) {
    best_.bound = (least_largest_ + factor_ * least_largest_) * (1 - 0x1p-30);
  }

  /// Runs to the end, or to a limit.
  void run() {
    double threshold = std::numeric_limits<double>::max();
    for (;;) {
      const std::optional<double> less_than = has_cut() ? std::optional<double>(best_.cost) : std::nullopt;
      if (!program_.run(threshold, less_than, factor_ * least_largest_)) return;
      ++best_.searches;
      if (program_.found().empty()) break;
      take_found(threshold);
      const double greatest = program_.greatest();
      const double limit = greatest < threshold ? next_above(greatest) : threshold;
      const auto next = greatest_double(limit, [this](double x) { return least_cost(x) < best_.cost; });
      if (!next || *next < least_largest_) break;
      const double bound = least_cost(least_largest_) * (1 - 0x1p-30);
      best_.bound = best_.bound < bound ? bound : best_.bound;
      tell();
      threshold = program_.largest_within(*next);
    }
    is_proved_ = true;
    if (has_cut()) best_.bound = best_.cost;
    if (has_cut() && !(best_.cost <= std::numeric_limits<double>::max())) {
      fail(invalid_input("stages", "the pipeline takes longer than a double holds"));
    }
    tell();
  }

  /// Whether there is a cut; else there is none at all, if it is proved.
  [[nodiscard]] bool has_cut() const noexcept { return !best_.stages.empty(); }
  /// Whether the search ran to its end.
  [[nodiscard]] bool is_proved() const noexcept { return is_proved_; }
  /// The best cut found.
  [[nodiscard]] hybrid_cut& best() noexcept { return best_; }

 private:
  [[nodiscard]] static double next_above(double x) noexcept {
    return x < std::numeric_limits<double>::max() ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) + 1) : x;
  }

  /// What a cut within the threshold costs at least if its largest stage takes `largest`.
  [[nodiscard]] double least_cost(double largest) const {
    std::optional<double> least;
    for (const hybrid_label& label : program_.found()) {
      const double here = (label.sum + factor_ * largest) + label.exposed;
      if (!least || here < *least) least = here;
    }
    return least.value_or(0);
  }

  /// Takes the best of the cuts found, if it is better.
  void take_found(double threshold) {
    const hybrid_label* least = nullptr;
    for (const hybrid_label& label : program_.found()) {
      if (terms_.all_reduce) {
        const double largest = label.is_below ? least_largest_ : threshold;
        if (!has_cut() || (label.sum + factor_ * largest) + label.exposed < best_.cost) take(program_.cut_of(label));
      } else if (least == nullptr || label.sum < least->sum ||
                 (label.sum == least->sum && label.devices < least->devices)) {
        least = __builtin_addressof(label);
      }
    }
    if (least != nullptr) take(program_.cut_of(*least));
  }

  void take(std::vector<hybrid_stage> stages) {
    const double cost = cost_of(stages);
    if (has_cut() && !(cost < best_.cost)) return;
    best_.stages = std::move(stages);
    best_.cost = cost;
  }

  [[nodiscard]] double cost_of(const std::vector<hybrid_stage>& stages) const {
    double sum = 0;
    double largest = 0;
    for (std::size_t i = stages.size(); i-- > 0;) {
      sum = terms_.summed(stages[i].option) + sum;
      const double here = terms_.largest(stages[i].option);
      largest = largest < here ? here : largest;
    }
    double exposed = 0;
    for (std::size_t i = terms_.all_reduce ? stages.size() : 0; i-- > 0;) {
      exposed = length_terms::exposed(stages[i].option, exposed, largest);
    }
    return (sum + factor_ * largest) + exposed;
  }

  void tell() {
    if (best_.bound > best_.cost && has_cut()) best_.bound = best_.cost;
    clock_.state.makespan = best_.cost;
    clock_.state.bound = best_.bound;
    clock_.tell();
  }

  hybrid_rules rules_;
  length_terms terms_;
  search_clock clock_;
  length_program<Model> program_;
  double factor_;
  double least_largest_;  // no cut has a lesser largest stage
  hybrid_cut best_{};
  bool is_proved_ = false;
};

}  // namespace stagecut::inline v0::detail
