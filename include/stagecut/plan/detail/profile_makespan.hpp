// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/plan/chain_model.hpp>
#include <stagecut/plan/detail/chain_plan.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/memory_shortage.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline v0 {

/// Why the makespan of a request is nothing that can be minimised, in a few words; empty if it is. What is
/// wrong by itself, a schedule that is not made for these numbers say, is refused when it is asked.
[[nodiscard]] inline std::string makespan_obstacle(const profile& model, const plan_request& request) {
  if (request.microbatches == 0) return "the number of microbatches is not known";
  if (request.devices == 0 || request.chunks == 0) return "there is no device, or no stage on it";
  if (request.by != measure::time) return "stages are measured by something else than time";
  bool timed = false;
  for (const layer& each : model.layers) timed = timed || each.time() > 0;
  if (!timed) return "no layer has a time";
  if (request.memory.checkpoint == checkpointing::except_last) {
    return "the last microbatch takes less time than the others";
  }
  if (!detail::is_predictable(request)) return "there are more than 2^20 forward passes";
  return "";
}

namespace detail {

/// The schedule that a request means.
[[nodiscard]] inline schedule schedule_of_request(const plan_request& request) {
  schedule_kind kind = request.schedule;
  if (request.chunks > 1) kind = entry_of(kind).with_chunks;
  if (!request.in_flight.empty()) kind = schedule_kind::in_flight;
  schedule_shape shape;
  shape.ranks = request.devices;
  shape.chunks = request.chunks;
  shape.microbatches = request.microbatches;
  shape.in_flight = request.in_flight;
  return make_schedule(kind, shape);
}

/// Whether a request keeps what it computes again from I to W: memory is not reckoned for that.
[[nodiscard]] inline bool recomputes_apart(const plan_request& request) {
  return request.memory.checkpoint == checkpointing::always && request.in_flight.empty() &&
         entry_of(request.schedule).splits_backward;
}

/// Refuses a request whose makespan cannot be minimised.
inline void check_makespan_request(const profile& model, const plan_request& request) {
  check_request("make_plan", model, request);
  const auto refuse = [](const char* argument, const std::string& value, const std::string& requirement) {
    fail(argument_error("make_plan", argument, value, requirement));
  };
  if (needs_more(entry_of(request.schedule))) {
    refuse("schedule", to_string(request.schedule), "is not one that a chain is planned for");
  }
  if (recomputes_apart(request)) {
    refuse("memory.checkpoint", "always",
           joined("needs a schedule that runs B as one, not ", to_string(request.schedule)));
  }
  double all = 0;
  for (const layer& each : model.layers) {
    all += each.forward + backward_of(each, request.memory.checkpoint, request.microbatches);
  }
  for (std::size_t d = 0; d < request.speeds.size(); ++d) {
    if (is_finite(all / request.speeds[d])) continue;
    refuse(joined("speeds[", std::to_string(d), "]").c_str(), number_text(request.speeds[d]),
           "must run the model in a finite time");
  }
  if (const std::string why = makespan_obstacle(model, request); !why.empty()) {
    fail(argument_error("make_plan", "request", joined("{…}: ", why), "has no makespan to be minimised"));
  }
}

/// Why one of several requests cannot be planned; empty if it can be tried.
[[nodiscard]] inline std::string shape_obstacle(const profile& model, const plan_request& request) {
  if (!request.in_flight.empty()) {
    const bool fits = request.in_flight.size() == request.devices && request.chunks == 1 &&
                      request.schedule == schedule_kind::one_forward_one_backward;
    if (!fits) return "the numbers in flight are for another schedule or other devices";
  } else if (!has_shape(request.schedule, request.devices, request.chunks, request.microbatches)) {
    return "the schedule is not made for these numbers";
  }
  if (!request.speeds.empty() && request.speeds.size() != request.devices) {
    return "the speeds are those of another number of devices";
  }
  if (request.topology && request.topology->devices() < request.devices) return "the topology has fewer devices";
  if (request.links.size() > 1 && request.links.size() + 1 != request.devices * request.chunks) {
    return "the links are those of another number of stages";
  }
  if (recomputes_apart(request)) return "the schedule runs B in two parts, between which what is computed again stays";
  bool splits = true;
  for (const layer& each : model.layers) splits = splits && each.backward_weight;
  if (!splits && entry_of(request.schedule).splits_backward) {
    return "the model does not tell the gradient of the weights, which the schedule runs apart";
  }
  return "";
}

/// Why no cut fits into the memory of devices that have several stages each; `fits(bytes)` says of another memory whether
/// a cut does, or unset if that takes too long.
template <class Fits>
[[nodiscard]] reason chunks_shortage(const plan_request& request, double bytes, const Fits& fits) {
  double low = bytes;  // too few
  double high = 2 * bytes;
  std::optional<bool> enough = fits(high);
  for (int doubled = 0; enough == false && doubled < 20; ++doubled) low = high, high *= 2, enough = fits(high);
  const bool any = enough == true;
  while (any && enough && high - low > 0.005 * low + 1) {
    const double middle = floor_bytes(low + (high - low) / 2);
    enough = fits(middle);
    if (enough) (*enough ? high : low) = middle;
  }
  return {
      reason::cause::memory, whole_bytes(low + 1), static_cast<std::size_t>(floor_bytes(bytes)),
      joined("the fullest of ", devices_text(request.devices), " of ", std::to_string(request.chunks), " stages each"),
      any ? joined(bytes_text(whole_bytes(high)), " would do") : std::string()};
}

/// Why no cut fits into memory, with a stage on each device.
[[nodiscard]] inline reason stage_shortage(const profile& model, const plan_request& request,
                                           const layer_blocks& blocks, const training_memory& memory,
                                           const std::vector<std::size_t>& in_flight, double bytes) {
  const auto needs = [&](std::size_t devices) {
    const bool known = entry_of(request.schedule).most_in_flight != nullptr && request.in_flight.empty();
    return known ? microbatches_in_flight(request.schedule, devices, request.microbatches)
                 : std::vector<std::size_t>();
  };
  return memory_shortage(model, blocks, memory, in_flight, bytes, needs, detail::limits_of(request));
}

/// A plan with the cuts that were found.
[[nodiscard]] inline plan plan_of(const profile& model, const plan_request& request, const schedule& order,
                                  const training_memory& memory, const layer_blocks& blocks, const makespan_cut& found,
                                  stagecut::state proved) {
  plan result;
  result.cuts = blocks.expand(found.cuts);
  describe(result, model, request, memory, order.rank_of, microbatches_in_flight(order));
  for (planned_stage& stage : result.stages) stage.cost = stage.forward + stage.backward;
  result.schedule = {order.name, request.microbatches};
  bool splits = false;
  for (const auto& rank : order.orders) {
    for (const op& each : rank) splits = splits || each.kind == op_kind::backward_input;
  }
  predict(result, splits);
  // Both are sums of the same times, in another order: what was proved says more of them than a difference in rounding.
  const double value = *result.makespan;
  const double bound = found.bound < value ? found.bound : value;
  const bool optimal = proved == state::optimal && value - bound <= value * 0x1p-30;
  result.objective = {"makespan", "time", value, bound, optimal ? state::optimal : state::feasible};
  return result;
}

}  // namespace detail
}  // namespace stagecut::inline v0
