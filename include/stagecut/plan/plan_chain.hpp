// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/merged_items.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/plan/detail/chain_plan.hpp>
#include <stagecut/plan/detail/objective_cut.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/memory_shortage.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>

namespace stagecut::inline v0 {

/// See `plan_chain`.
struct plan_chain_fn {
  /// See `plan_chain`.
  [[nodiscard]] outcome<plan> operator()(const profile& model, const plan_request& request) const {
    detail::check_bottleneck_request(model, request);
    const layer_blocks blocks = detail::blocks_of(model, request);
    const std::size_t stages = request.devices * request.chunks;
    if (stages > blocks.size()) return outcome<plan>::infeasible(detail::too_many_stages(model, blocks, stages));
    const training_memory memory(model, request.memory);
    const std::vector<std::size_t> in_flight = microbatches_kept(request);
    detail::check_memory(memory, request, in_flight);

    plan result;
    const auto cost = layer_costs(model, request, memory, result.objective.of);
    const bool timed = request.by == measure::time && result.objective.of == "time";
    auto found = cut(model, request, blocks, cost, timed, memory, in_flight);
    if (!found) return outcome<plan>::infeasible(found.why());
    result.cuts = blocks.expand(found->cuts);
    result.objective.name = to_string(request.objective);
    result.objective.value = found->value;
    result.objective.bound = found->bound;
    result.objective.state = found.state();
    describe(result, model, request, found->costs, memory, in_flight);
    return found.state() == state::optimal ? outcome<plan>::optimal(std::move(result))
                                           : outcome<plan>::feasible(std::move(result));
  }

 private:
  /// Microbatches in flight, of every stage; empty if that is not known.
  static std::vector<std::size_t> microbatches_kept(const plan_request& request) {
    std::vector<std::size_t> result = request.in_flight;
    if (result.empty() && request.chunks > 1 && detail::is_predictable(request)) {
      return microbatches_in_flight(
          interleaved_one_forward_one_backward(request.devices, request.chunks, request.microbatches));
    }
    const bool by_name = request.schedule != schedule_kind::gpipe || request.microbatches != 0;
    if (result.empty() && request.chunks == 1 && (by_name || request.memory_per_device)) {
      return microbatches_in_flight(request.schedule, request.devices, request.microbatches);
    }
    for (std::size_t& each : result) {
      if (request.microbatches != 0 && request.microbatches < each) each = request.microbatches;
    }
    return result;
  }

  /// What every layer adds to the cost of its stage, and what that is called.
  static std::vector<double> layer_costs(const profile& model, const plan_request& request,
                                         const training_memory& memory, std::string& of) {
    const std::size_t n = model.layers.size();
    const auto each = [n](auto&& value) {
      std::vector<double> result(n);
      for (std::size_t i = 0; i < n; ++i) result[i] = value(i);
      return result;
    };
    const auto total = [](const std::vector<double>& values) { return prefix_sums(values).prefix(values.size()); };
    if (request.by == measure::layers) return of = "layers", std::vector<double>(n, 1);
    if (request.by == measure::weights) return of = request.weights_name, request.weights;

    auto time = each([&](std::size_t i) {
      return model.layers[i].forward +
             detail::backward_of(model.layers[i], request.memory.checkpoint, request.microbatches);
    });
    const double all_time = total(time);
    if (request.by == measure::time_and_memory) {
      of = "time and memory";
      const auto bytes = each([&](std::size_t i) { return memory.weight(i); });
      const double all_bytes = total(bytes);
      const auto share = [](double part, double all) { return all > 0 ? part / all : 0; };
      return each([&](std::size_t i) {
        return request.time_weight * share(time[i], all_time) + (1 - request.time_weight) * share(bytes[i], all_bytes);
      });
    }
    const bool by_time = request.by == measure::time;
    if (by_time && (all_time > 0 || model.weights_only)) return of = "time", time;
    of = "parameters";
    auto parameters = each([&](std::size_t i) {
      double bytes = model.layers[i].parameters;
      for (const auto& tied : model.layers[i].tied) bytes += tied.bytes;
      return bytes;
    });
    if (total(parameters) > 0) return parameters;
    const char* const what = by_time ? "a time, and none has parameters" : "parameters";
    detail::fail(invalid_input("model", detail::joined("no layer has ", what)));
  }

  using answer = outcome<detail::objective_cut>;

  /// Cuts the blocks of layers that share a stage.
  static answer cut(const profile& model, const plan_request& request, const layer_blocks& blocks,
                    const std::vector<double>& layer_cost, bool timed, const training_memory& memory,
                    const std::vector<std::size_t>& in_flight) {
    const std::size_t stages = request.devices * request.chunks;
    const prefix_sums layers(layer_cost);
    const merged_items cost(layers, blocks.layers());
    const double bytes = request.memory_per_device.value_or(0) * (1 - request.buffer_fraction);
    const memory_cap cap(memory, in_flight, bytes);
    const blocks_constraint allowed(blocks, cap);
    const bool each_alone = blocks.size() == layers.size();
    if (request.by == measure::layers && detail::is_bottleneck(request.objective) && each_alone) {
      const auto uniform = uniform_cuts(blocks.size(), stages);
      detail::objective_cut result{
          uniform->cuts, static_cast<double>(uniform->cost), static_cast<double>(uniform->cost), {}};
      for (std::size_t s = 0; s < stages; ++s) {
        const interval items = uniform->cuts.stage(s);
        result.costs.push_back(static_cast<double>(items.size()));
        if (!request.memory_per_device || allowed(s, items.first, items.last)) continue;
        const double needed = memory(blocks[items.first], blocks[items.last], in_flight[s]).total();
        return answer::infeasible(
            {reason::cause::memory, detail::whole_bytes(needed), static_cast<std::size_t>(detail::floor_bytes(bytes)),
             detail::joined("stage ", std::to_string(s)), "cut by time or parameters instead, it may fit"});
      }
      return answer::optimal(std::move(result));
    }
    const auto best = [&](const auto& within) {
      return timed ? detail::best_by_time(cost, model, request, blocks, within)
                   : detail::best_by_objective(cost, stages, request, within);
    };
    if (!request.memory_per_device) return best(detail::no_constraint());
    auto found = best(allowed);
    if (found) return found;
    const auto needs = [&](std::size_t devices) {
      return request.in_flight.empty() ? microbatches_in_flight(request.schedule, devices, request.microbatches)
                                       : std::vector<std::size_t>();
    };
    return answer::infeasible(memory_shortage(model, blocks, memory, in_flight, bytes, needs, detail::limits_of(request)));
  }

  static void describe(plan& result, const profile& model, const plan_request& request,
                       const std::vector<double>& costs, const training_memory& memory,
                       const std::vector<std::size_t>& in_flight) {
    detail::describe(result, model, request, memory, loop_placement(request.devices, request.chunks), in_flight);
    for (std::size_t s = 0; s < result.cuts.stages(); ++s) result.stages[s].cost = costs[s];
    if (request.microbatches == 0) return;
    const char* const name = request.in_flight.empty() ? to_string(request.schedule) : "in-flight";
    result.schedule = {request.chunks > 1 ? "interleaved" : name, request.microbatches};
    if (detail::is_predictable(request)) detail::predict(result, false);
  }
};

/// Plans a chain of layers: cuts it into `devices * chunks` stages whose heaviest is as light as possible, or by another
/// `plan_objective`, within the memory of a device, and says what each of them takes.
///
/// @param model    a chain, which `as_chain` makes of a graph; layers of one group, and those between parameters that
///                 are colocated, share a stage
/// @param request  the pipeline, what to cut by, and the memory there is. Where stages are cut by time, a stage takes
///                 that of its device, and over links it takes what the messages at its ends take, if that is more, or
///                 both if they block: the gradients that come back are messages as large
/// @return         optimal; or infeasible, with the layer or stage that does not fit, the bytes, and what would do. The
///                 plan predicts the iteration if `microbatches` is known and it has no more than
///                 2^20 forward passes
/// @throws         argument_error for a request that makes no sense, and for a schedule that cannot run its microbatches;
///                 invalid_input if the model has nothing to be cut
///                 by or a sum overflows
///
/// Exact for the measure that was asked for: see `minimize_bottleneck`, `minimize_leximax`, `minimize_range` and
/// `minimize_variance`. Stage s stands on device s mod `devices`.
inline constexpr plan_chain_fn plan_chain{};

}  // namespace stagecut::inline v0
