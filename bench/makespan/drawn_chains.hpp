// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "layer_shifting.hpp"
#include "plain_annealing.hpp"

#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/schedule/simulation.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// Random chains, for schedules with several stages per device.
namespace bench {

/// A chain: times, and the memory of its items.
struct chain {
  baseline::layer_times times{};
  std::vector<double> resident{};     ///< per item
  std::vector<double> activations{};  ///< per item, for one microbatch
};

/// The chain as the library's model.
class chain_model : public stagecut::item_times {
 public:
  explicit chain_model(const chain& of)
      : item_times(of.times.forward, of.times.backward, of.times.weight, of.times.message),
        resident_(of.resident),
        activations_(of.activations) {}

  /// See `pipeline_model`. Monotone in the stage: the minimum over all stages at least as wide.
  /// @{
  [[nodiscard]] double memory(std::size_t, std::size_t first, std::size_t last, std::size_t in_flight) const {
    return resident_(first, last) + static_cast<double>(in_flight) * activations_(first, last);
  }
  [[nodiscard]] double least_memory(std::size_t s, std::size_t first, std::size_t last, std::size_t in_flight) const {
    return memory(s, first, last, in_flight);
  }
  /// @}

 private:
  stagecut::prefix_sums<double> resident_;
  stagecut::prefix_sums<double> activations_;
};

/// Adds messages over links to a chain: per cut point, from half of `time` to one and a half, in units of the mean
/// stage time.
inline void add_messages(chain& to, double time, std::size_t stages, std::uint64_t seed) {
  double sum = 0;
  for (const auto* each : {&to.times.forward, &to.times.backward}) {
    for (const double passes : *each) sum += passes;
  }
  baseline::random_numbers random(seed + 1000);
  const double mean = time * sum / static_cast<double>(stages);
  for (std::size_t i = 0; i < to.times.forward.size(); ++i) {
    to.times.message.push_back(std::round(mean * (0.5 + random.draw())));
  }
  to.times.transfers = stagecut::transfer_kind::link;
}

/// A chain of integers with lognormal item times. The gradient of the weights takes the excess of the backward over the
/// forward pass.
inline chain lognormal_chain(std::size_t items, double sigma, std::uint64_t seed) {
  chain made;
  baseline::random_numbers random(seed);
  for (std::size_t i = 0; i < items; ++i) {
    const double forward = std::round(1000 * std::exp(sigma * random.normal()));
    const double more = std::round(1000 * std::exp(sigma * random.normal()));
    made.times.forward.push_back(forward);
    made.times.backward.push_back(forward + more);
    made.times.weight.push_back(more);
  }
  made.resident.assign(items, 0);
  made.activations.assign(items, 0);
  return made;
}

/// A chain of integers: forward passes differ by a factor of up to `spread`, and a backward pass takes one to three
/// times its forward pass.
inline chain spread_chain(std::size_t items, double spread, std::uint64_t seed) {
  chain made;
  baseline::random_numbers random(seed);
  for (std::size_t i = 0; i < items; ++i) {
    const double forward = std::round(1000 * std::pow(spread, random.draw()));
    const double backward = std::round(forward * (1 + 2 * random.draw()));
    made.times.forward.push_back(forward);
    made.times.backward.push_back(backward);
    made.times.weight.push_back(std::round(backward * (0.3 + 0.3 * random.draw())));
  }
  made.resident.assign(items, 0);
  made.activations.assign(items, 0);
  return made;
}

}  // namespace bench
