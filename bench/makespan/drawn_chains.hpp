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

// Chains drawn at random, for schedules with several stages a device.
namespace bench {

/// A chain: times, and the memory that its items take.
struct chain {
  baseline::layer_times times{};
  std::vector<double> resident{};     ///< of every item
  std::vector<double> activations{};  ///< of every item, for one microbatch
};

/// Such a chain as the library asks for it.
class chain_model : public stagecut::item_times {
 public:
  explicit chain_model(const chain& of)
      : item_times(of.times.forward, of.times.backward, of.times.weight, of.times.message),
        resident_(of.resident),
        activations_(of.activations) {}

  /// See `pipeline_model`. It never falls when a stage grows: it is the least of all that are as wide or wider, too.
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

/// Gives a chain messages over links: by the cut, from half of `time` to one and a half, of the mean of the stages'
/// times.
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

/// A chain of whole numbers, the times of its items lognormal. The gradients of the weights are what a backward pass
/// takes longer than the forward pass.
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

/// A chain of whole numbers: the longest forward pass up to `spread` times as long as the shortest, a backward pass one
/// to three times as long as its forward pass.
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
