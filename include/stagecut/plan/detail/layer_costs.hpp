// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

// The contribution of a layer to its stage.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Seconds of a layer's backward pass, with checkpointing's recomputation; the mean over the microbatches.
[[nodiscard]] inline double backward_of(const layer& each, checkpointing checkpoint, std::size_t microbatches) {
  const auto m = static_cast<double>(microbatches);
  switch (checkpoint) {
    case checkpointing::never: return each.backward;
    case checkpointing::always: return each.backward + each.forward;
    case checkpointing::except_last: break;
  }
  return each.backward + (m > 0 ? each.forward * ((m - 1) / m) : each.forward);
}

/// Seconds of each layer, both passes, as a request runs them.
[[nodiscard]] inline std::vector<double> layer_seconds(const profile& model, const plan_request& request) {
  std::vector<double> result;
  result.reserve(model.layers.size());
  for (const auto& layer : model.layers) {
    result.push_back(layer.forward + backward_of(layer, request.memory_accounting.checkpoint, request.microbatches));
  }
  return result;
}

/// The sum of a list, rounded as in `prefix_sums`.
/// @throws invalid_input naming the first value that is negative or not finite, or at which the sum is out of range
[[nodiscard]] inline double sum_of(const std::vector<double>& values) {
  return prefix_sums(values).prefix(values.size());
}

/// W of a layer's share of the time, and 1 - W of its share of the memory.
/// @throws invalid_input as `sum_of`, for the seconds and for the bytes
[[nodiscard]] inline std::vector<double> weighted_shares(const std::vector<double>& seconds, double time_weight,
                                                         const training_memory& memory) {
  std::vector<double> bytes(seconds.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = memory.weight(i);
  const double all_seconds = sum_of(seconds);
  const double all_bytes = sum_of(bytes);
  const auto share = [](double part, double all) { return all > 0 ? part / all : 0; };
  std::vector<double> result(seconds.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = time_weight * share(seconds[i], all_seconds) + (1 - time_weight) * share(bytes[i], all_bytes);
  }
  return result;
}

/// Bytes of the parameters of each layer, shared ones in every layer that has them.
[[nodiscard]] inline std::vector<double> parameter_bytes(const profile& model) {
  std::vector<double> result;
  result.reserve(model.layers.size());
  for (const auto& layer : model.layers) {
    double bytes = layer.parameters;
    for (const tied_parameters& tied : layer.tied) bytes += tied.bytes;
    result.push_back(bytes);
  }
  return result;
}

/// The contribution of each layer to the cost of its stage, and the name of that cost.
struct layer_costs {
  std::vector<double> values{};
  std::string of{};
};

/// The costs by which a request measures stages.
/// @throws invalid_input if no layer has such a cost, and as `sum_of`
[[nodiscard]] inline layer_costs measured_costs(const profile& model, const plan_request& request,
                                                const training_memory& memory) {
  if (request.by == measure::layers) return {std::vector<double>(model.layers.size(), 1), "layers"};
  if (request.by == measure::weights) return {request.weights, request.weights_name};
  std::vector<double> seconds = layer_seconds(model, request);
  const double all = sum_of(seconds);
  if (request.by == measure::time_and_memory) {
    return {weighted_shares(seconds, request.time_weight, memory), "time and memory"};
  }
  const bool by_time = request.by == measure::time;
  if (by_time && (all > 0 || model.weights_only)) return {std::move(seconds), "time"};
  std::vector<double> parameters = parameter_bytes(model);
  if (sum_of(parameters) > 0) return {std::move(parameters), "parameters"};
  const char* const what = by_time ? "a time, and none has parameters" : "parameters";
  fail(invalid_input("model", joined({"no layer has ", what})));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
