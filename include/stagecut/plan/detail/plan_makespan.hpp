// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/plan/chain_model.hpp>
#include <stagecut/plan/detail/chain_plan.hpp>
#include <stagecut/plan/detail/profile_makespan.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/in_flight.hpp>

namespace stagecut::inline v0::detail {

/// Plans a chain by the makespan of an iteration. See `make_plan`.
[[nodiscard]] inline outcome<plan> plan_makespan(const profile& model, const plan_request& request) {
  check_makespan_request(model, request);
  const double began = seconds_now();
  const layer_blocks blocks = blocks_of(model, request);
  const std::size_t stages = request.devices * request.chunks;
  makespan_request asked;
  asked.order = schedule_of_request(request);
  if (stages > blocks.size()) return outcome<plan>::infeasible(too_many_stages(model, blocks, stages));
  asked.links = links_of(request, asked.order.rank_of);
  asked.transfers = request.transfers;
  asked.limits = request.limits;
  const double bytes = request.memory_per_device.value_or(0) * (1 - request.buffer_fraction);
  if (request.memory_per_device) asked.memory_per_device = bytes;
  const training_memory memory(model, request.memory);
  const std::vector<std::size_t> in_flight = microbatches_in_flight(asked.order);
  check_memory(memory, request, in_flight);
  const chain_model chain(model, request.memory, blocks);
  const std::vector<double> speeds = speeds_of_stages(request, asked.order.rank_of);
  const auto solve = [&](const makespan_request& what) {
    return speeds.empty() ? minimize_makespan(chain, what) : minimize_makespan(with_speeds(chain, speeds), what);
  };
  const auto found = solve(asked);
  if (found.state() == state::infeasible) {
    double end = seconds_now() + 4;
    if (request.limits.time_limit && end > began + *request.limits.time_limit)
      end = began + *request.limits.time_limit;
    const auto fits = [&](double enough) -> std::optional<bool> {
      const double left = end - seconds_now();
      if (left < 0) return std::nullopt;
      // The first cut that fits is enough.
      bool found_one = false;
      const auto watch = [&](const makespan_progress& now) { found_one = found_one || now.makespan > 0; };
      const auto stop = [&] { return found_one || (request.limits.stop && request.limits.stop()); };
      makespan_request easier = asked;
      easier.memory_per_device = enough;
      easier.limits = {};
      easier.limits.time_limit = left;
      easier.limits.progress = watch;
      easier.limits.stop = stop;
      const outcome<makespan_cut> made = solve(easier);
      if (made.state() == state::unknown) return std::nullopt;
      return made.has_value();
    };
    return outcome<plan>::infeasible(request.chunks == 1
                                         ? stage_shortage(model, request, blocks, memory, in_flight, bytes)
                                         : detail::chunks_shortage(request, bytes, fits));
  }
  if (!found) return outcome<plan>::unknown(found.why());
  plan made = plan_of(model, request, asked.order, memory, blocks, *found, found.state());
  return made.objective.state == state::optimal ? outcome<plan>::optimal(std::move(made))
                                                : outcome<plan>::feasible(std::move(made));
}

}  // namespace stagecut::inline v0::detail
