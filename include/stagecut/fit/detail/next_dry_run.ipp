// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/fit/next_dry_run.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/fit/detail/check_peaks.hpp>
#include <stagecut/fit/detail/dry_run_exchange.hpp>
#include <stagecut/fit/detail/dry_run_space.hpp>
#include <stagecut/fit/detail/memory_unknowns.hpp>
#include <stagecut/fit/detail/singular_values.hpp>
#include <stagecut/profile/dry_runs.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

[[noreturn]] inline void refuse_dry_run(std::string_view what, std::size_t value, std::string_view requirement) {
  fail(argument_error("next_dry_run", joined({"request.", what}), std::to_string(value), requirement));
}

/// What a request allows.
[[nodiscard]] inline dry_run_space space_of(const dry_run_request& request) {
  const auto& [ranks, layers, choices, runs, most_layers, in_flight, seed] = request;
  if (ranks < 2) refuse_dry_run("ranks", ranks, "must be at least 2: of one rank head and tail cannot be told apart");
  if (layers < ranks) refuse_dry_run("layers", layers, joined({"must be at least the number of ranks, ", ranks}));
  check_choices(choices);
  const std::size_t mean = (layers - 1) / ranks + 1;
  const std::size_t others = ranks - 1;  // hold a layer each at least
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

/// Sets what is to be told: the constant as well, where any runs tell it.
/// @return  whether they do
[[nodiscard]] inline bool set_unknowns(dry_run_space& space, const dry_run_request& request, const dry_runs& existing) {
  const std::vector<rank_peak> all = with_both(space.all_peaks(), existing.peaks);
  for (const bool constant : {true, false}) {
    space.unknowns = memory_unknowns(space.choices, constant, true, true);
    const auto untold = untold_groups(singular_values_with(all, space.unknowns), space.unknowns);
    if (untold.empty()) return constant;
    if (constant) continue;
    refuse_dry_run(
        "layers", request.layers,
        joined({"must be others, or ranks: whatever the runs, ", untold_text(view(untold.front()), request.choices)}));
  }
  return false;
}

/// The fewest runs that tell all, as many as there are equations for at least.
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
  refuse_dry_run("runs", runs, "would tell all, but none were found: another seed may help");
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
  design.constant_told = detail::set_unknowns(space, request, existing);
  detail::dry_run_exchange search(space, existing.peaks, request.seed);
  std::vector<detail::run_loads> found = detail::fewest_runs(space, search, existing.peaks);
  design.least_runs = found.size();
  if (request.runs != 0 && request.runs < found.size()) {
    detail::refuse_dry_run(
        "runs", request.runs,
        detail::joined({"must be at least ", found.size(), " to tell ", space.unknowns.size(), " unknowns, or 0"}));
  }
  if (request.runs > found.size()) found = search(request.runs, std::move(found));

  std::size_t first_run = 0;
  for (const rank_peak& each : existing.peaks) first_run = each.run < first_run ? first_run : each.run + 1;
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
