// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/moving_stages.hpp>
#include <stagecut/graph/detail/stage_order.hpp>
#include <stagecut/graph/detail/stage_simulator.hpp>
#include <stagecut/graph/detail/warm_up_climb.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The quality of a plan: fields compare in order.
struct plan_value {
  std::size_t empty = 0;  ///< stages that must not be empty
  double overflow = 0;    ///< bytes above the memory of devices
  double makespan = 0;    ///< seconds
  double spread = 0;      ///< of the work of stages: the sum of squares

  /// Whether the plan is valid.
  [[nodiscard]] bool fits() const noexcept { return empty == 0 && !(overflow > 0); }

  /// Whether it is better than another one by more than rounding, or equal with more even stages.
  [[nodiscard]] bool better_than(const plan_value& other) const noexcept;

 private:
  static bool same(double a, double b) noexcept;
};

/// A plan under change: stages, their order, and warm-up counts.
struct plan_point {
  moving_stages stages;
  std::vector<std::size_t> order{};    ///< stages by position
  std::vector<std::size_t> warm_up{};  ///< of each position
  plan_value value{};
};

/// Prices plans.
class plan_pricer {
 public:
  plan_pricer(std::size_t microbatches, bool one_at_a_time, std::optional<double> memory, bool may_be_empty,
              std::vector<bool> pinned)
      : memory_(memory),
        may_be_empty_(may_be_empty),
        order_(std::move(pinned)),
        simulator_(microbatches, one_at_a_time),
        climb_(simulator_) {}
  plan_pricer(const plan_pricer&) = delete;
  plan_pricer& operator=(const plan_pricer&) = delete;

  /// How the warm-up counts are found.
  enum class counts { kept, improved, screened, chosen, exhausted };

  /// Prices a plan whose stages have changed; adjusts its order and counts.
  /// @return  whether there is an order
  [[nodiscard]] bool price(plan_point& of, counts how);

  /// Number of simulations so far.
  [[nodiscard]] std::size_t runs() const noexcept { return climb_.runs; }

 private:
  /// @param warm_up  is adjusted and written; may be empty if counts are not kept or improved
  [[nodiscard]] double makespan(std::vector<std::size_t>& warm_up, counts how);

  void look_at(const moving_stages& stages, std::size_t s, std::size_t place, plan_value& value);

  std::optional<double> memory_;
  bool may_be_empty_;
  stage_order order_;
  stage_simulator simulator_;
  warm_up_climb climb_;
  std::vector<std::size_t> most_{};  // of each position
  std::vector<std::size_t> other_{};
};

inline bool plan_value::better_than(const plan_value& other) const noexcept {
  if (empty != other.empty) return empty < other.empty;
  if (!same(overflow, other.overflow)) return overflow < other.overflow;
  if (!same(makespan, other.makespan)) return makespan < other.makespan;
  return !same(spread, other.spread) && spread < other.spread;
}

inline bool plan_value::same(double a, double b) noexcept {
  const double d = a < b ? b - a : a - b;
  return d <= 0x1p-40 * (a < b ? b : a);
}

inline bool plan_pricer::price(plan_point& of, counts how) {
  const moving_stages& stages = of.stages;
  if (!order_.find(of.order, [&](std::size_t a, std::size_t b) { return stages.before(a, b); })) return false;
  stages.load(simulator_, of.order);
  of.value = {};
  most_.resize(of.order.size());
  for (std::size_t i = 0; i < of.order.size(); ++i) look_at(stages, of.order[i], i, of.value);
  climb_.limit(most_);
  of.value.makespan = makespan(of.warm_up, how);
  return true;
}

inline double plan_pricer::makespan(std::vector<std::size_t>& warm_up, counts how) {
  if (how == counts::screened) return climb_.screen(warm_up, most_);
  if (how == counts::chosen && warm_up.empty()) return climb_.choose(warm_up, most_);
  climb_.repair(warm_up, most_);
  if (how == counts::kept) return climb_.price(warm_up);
  const double improved = climb_.improve(warm_up, most_);
  if (how == counts::improved) return improved;
  if (how == counts::exhausted && climb_.exhaust(warm_up, most_)) return climb_.price(warm_up);
  const double chosen = climb_.choose(other_, most_);
  if (chosen < improved) warm_up = other_;
  return chosen < improved ? chosen : improved;
}

inline void plan_pricer::look_at(const moving_stages& stages, std::size_t s, std::size_t place, plan_value& value) {
  const double load = simulator_.forward[place] + simulator_.backward[place];
  value.spread += load * load;
  if (stages.members(s) == 0 && !may_be_empty_) ++value.empty;
  const auto most =
      warm_up_climb::most_of(stages.resident(s), stages.activations(s), memory_, simulator_.microbatches());
  most_[place] = most.value_or(0);
  if (!most) value.overflow += stages.resident(s) + stages.activations(s) - *memory_;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
