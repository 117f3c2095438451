// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/hybrid_bounds.hpp>
#include <stagecut/joint/detail/hybrid_builder.hpp>
#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>
#include <stagecut/joint/detail/stages_search.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds the plan of least makespan over all numbers of stages: graphs of the plans that end by a target, which grows from a
/// bound to the best makespan known, then branch and bound where a better plan may be. See docs/hybrid.md, "The search".
class hybrid_search {
 public:
  /// @param options  of all stages, as far as they can be of use
  /// @param few      stages at least
  /// @param many     stages at most
  /// @param known    makespan of a plan that is known
  hybrid_search(const hybrid_options& options, const hybrid_limits& rules, std::size_t few, std::size_t many,
                engine::search_clock& clock, double known = beyond_time)
      : makespan(known),
        options_(options),
        rules_(rules),
        few_(few),
        many_(many),
        clock_(clock),
        builder_(options, rules),
        bounds_(options, rules),
        least_(many + 1, 0) {}

  hybrid_plan best{};  // of no stages: none is better than what was known
  double makespan;
  std::size_t simulations = 0;
  std::size_t looked_at = 0;

  /// Whether no plan was left out because there were too many.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  /// No plan has less.
  [[nodiscard]] double bound() const;

  /// Looks for plans that end by `most` and proves what it can. @return whether there may be none: then `makespan` is as it was
  void run(double most);

 private:
  static constexpr std::size_t first_edges = 400'000;
  static constexpr std::size_t most_edges = 6'000'000;

  /// Of every number of stages a bound, by the devices that stages need which are all fast enough. False: it was stopped.
  bool find_least(double most);

  /// Looks for a plan of p stages that ends by a target.
  void look_for(std::size_t p, double target);

  void take(hybrid_plan plan, double here);

  void tell();

  /// All plans that end before the best one, of every number of stages, the one of the least bound in turn.
  void prove();

  const hybrid_options& options_;
  const hybrid_limits& rules_;
  std::size_t few_;
  std::size_t many_;
  engine::search_clock& clock_;
  hybrid_builder builder_;
  hybrid_bounds bounds_;
  bool complete_ = true;
  std::vector<double> least_;  // no plan of so many stages has less
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/hybrid_search.ipp>
#endif
