// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>
#include <stagecut/joint/detail/hybrid_rules.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The best plan among those with nearly equal work on equally many devices per stage; none if none of them fits. Fast,
/// whatever the limits of the request.
///
/// @param before  seconds of work before each point, for all points
[[nodiscard]] inline std::optional<hybrid_cut> even_hybrid(const any_stage_options& model,
                                                           const hybrid_request& request,
                                                           const std::vector<double>& before);

/// The fastest option of a stage on `devices` devices with `held` microbatches in flight.
[[nodiscard]] inline std::optional<stage_option> fastest_on(const any_stage_options& model, const stage_query& query,
                                                            std::size_t devices, std::size_t held);

/// The point, from `least` to `most`, before which the work is nearest to `wanted`.
[[nodiscard]] inline std::size_t nearest_point(const std::vector<double>& before, double wanted, std::size_t least,
                                               std::size_t most) {
  std::size_t at = least;
  while (at < most && before[at] < wanted) ++at;
  if (at > least && wanted - before[at - 1] < before[at] - wanted) --at;
  return at;
}

inline std::optional<stage_option> fastest_on(const any_stage_options& model, const stage_query& query,
                                              std::size_t devices, std::size_t held) {
  std::optional<stage_option> best;
  model.each_option(query, [&](const stage_option& option) {
    if (option.devices() != devices || !hybrid_rules::fits_with(option, held, query.memory)) return;
    if (!best || option.forward + option.backward < best->forward + best->backward) best = option;
  });
  return best;
}

/// The plan with `stages` such stages.
[[nodiscard]] inline std::optional<hybrid_cut> even_of(const any_stage_options& model, const hybrid_request& request,
                                                       const std::vector<double>& before, std::size_t stages) {
  hybrid_cut made;
  std::size_t first = 0;
  std::size_t device = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    const std::size_t left = stages - s - 1;
    const double wanted = before.back() * static_cast<double>(s + 1) / static_cast<double>(stages);
    const std::size_t last = left == 0 ? model.size() : nearest_point(before, wanted, first + 1, model.size() - left);
    const std::size_t end = request.devices / stages * (s + 1) + request.devices % stages * (s + 1) / stages;
    stage_query query{first, last, (end - 1) % model.period() + 1};
    query.memory = request.memory_limit.for_all();
    const std::size_t held = left + 1 < request.microbatches ? left + 1 : request.microbatches;
    const std::optional<stage_option> option = fastest_on(model, query, end - device, held);
    if (!option) return std::nullopt;
    made.stages.push_back({first, last, device, *option});
    first = last;
    device = end;
  }
  made.value = iteration_of(made.stages, request.microbatches);
  return made;
}

inline std::optional<hybrid_cut> even_hybrid(const any_stage_options& model, const hybrid_request& request,
                                             const std::vector<double>& before) {
  constexpr std::size_t all_below = 32;
  const std::size_t most = model.size() < request.devices ? model.size() : request.devices;
  std::optional<hybrid_cut> best;
  for (std::size_t stages = 1; stages <= most && request.microbatches > 0; ++stages) {
    if (request.stages && *request.stages != stages) continue;
    if (!request.stages && stages > all_below && request.devices % stages != 0) continue;
    auto made = even_of(model, request, before, stages);
    if (made && (!best || made->value < best->value)) best = std::move(made);
  }
  return best;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
