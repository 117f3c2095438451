// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/cost/parts/pipeline_members.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/order_moments.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// A user's constraint, and the memory limits of ranks: one for all, or one for each.
///
/// Where ranks have different limits, `stage_memory` is scaled so that it counts against the largest of them, and
/// slightly reduced: what satisfies the limits, as `allows` and `allows_rank` decide without rounding, satisfies those
/// sums too.
template <class Model, class Constraint>
class model_rules final : public cut_rules {
 public:
  model_rules(const Model& model, const schedule& order, const std::optional<double>& bytes, const Constraint& allowed,
              const std::vector<double>& of_ranks = {})
      : model_(model), allowed_(allowed), bytes_(bytes), rank_of_(order.rank_of) {
    for (const double each : of_ranks) bytes_ = bytes_ && *bytes_ > each ? *bytes_ : each;
    if (!bytes_) return;
    limits_ = of_ranks;
    limits_.resize(order.ranks(), *bytes_);
    held_ = order_moments(order, detail::recomputes(model));
  }

  [[nodiscard]] bool allows(std::size_t s, std::size_t first, std::size_t last) const override {
    if (!allowed_(s, first, last)) return false;
    return !bytes_ || held_alone(s, first, last) <= limits_[rank_of_[s]];
  }

  [[nodiscard]] bool may_be(std::size_t s, std::size_t first, std::size_t last) const override {
    return allowed_(s, first, last);
  }

  [[nodiscard]] bool hopeless(std::size_t s, std::size_t first, std::size_t last) const override {
    if (detail::hopeless(allowed_, s, first, last, allowed_(s, first, last))) return true;
    if constexpr (requires { model_.least_memory(s, first, last, s); }) {
      if (!bytes_) return false;
      for (const detail::held_microbatches& each : held_.alone(s)) {
        const double bytes = model_.least_memory(s, first, last, each.in_flight);
        if (with_recomputed(bytes, s, first, last, each) > limits_[rank_of_[s]]) return true;
      }
      return false;
    } else {
      return false;
    }
  }

  [[nodiscard]] bool allows_rank(std::size_t rank, view<const interval> parts) const override {
    if (!bytes_) return true;
    for (std::size_t k = 0; k < held_.count(rank); ++k) {
      const auto held = held_.moment(rank, k);
      double sum = 0;
      for (std::size_t j = 0; j < parts.size(); ++j) {
        sum += memory(held_.stages(rank)[j], parts[j].first, parts[j].last, held[j]);
      }
      if (sum > limits_[rank]) return false;
    }
    return true;
  }

  [[nodiscard]] bool has_rank_rules() const override { return held_.several(); }

  [[nodiscard]] const detail::held_moments* moments(std::size_t rank) const override {
    return bytes_ ? &held_.of_rank(rank) : nullptr;
  }
  [[nodiscard]] double stage_memory(std::size_t s, std::size_t first, std::size_t last,
                                    detail::held_microbatches held) const override {
    const double bytes = memory(s, first, last, held);
    const double stretched = stretch(s);
    return stretched == 1 ? bytes : bytes * stretched * (1 - 0x1p-40);
  }
  [[nodiscard]] double memory_limit() const override { return bytes_.value_or(0); }

  /// The most that `[first, last)` holds as stage s, where there is a limit; scaled up on a rank with less memory than
  /// the largest limit.
  [[nodiscard]] double held(std::size_t s, std::size_t first, std::size_t last) const {
    return held_alone(s, first, last) * stretch(s);
  }
  /// Whether ranks have different limits.
  [[nodiscard]] bool limits_differ() const noexcept {
    for (const double limit : limits_) {
      if (limit != limits_[0]) return true;
    }
    return false;
  }

 private:
  /// The largest limit divided by the limit of the stage's rank.
  [[nodiscard]] double stretch(std::size_t s) const {
    const double limit = limits_.empty() ? 0 : limits_[rank_of_[s]];
    return limit > 0 && limit != *bytes_ ? *bytes_ / limit : 1;
  }

  /// The most that a stage holds, whatever else is on its rank.
  [[nodiscard]] double held_alone(std::size_t s, std::size_t first, std::size_t last) const {
    double most = 0;
    for (const detail::held_microbatches& each : held_.alone(s)) {
      const double bytes = memory(s, first, last, each);
      most = most < bytes ? bytes : most;
    }
    return most;
  }

  [[nodiscard]] double memory(std::size_t s, std::size_t first, std::size_t last,
                              detail::held_microbatches held) const {
    if constexpr (memory_pipeline_model<Model>) {
      const double bytes = with_recomputed(model_.memory(s, first, last, held.in_flight), s, first, last, held);
      if (!(bytes >= 0)) refuse(bytes, s, first, last, held.in_flight);
      return bytes;
    } else {
      return 0;
    }
  }

  [[nodiscard]] double with_recomputed(double bytes, std::size_t s, std::size_t first, std::size_t last,
                                       detail::held_microbatches held) const {
    if constexpr (detail::has_recomputed<Model>) {
      if (held.recomputed != 0) bytes += static_cast<double>(held.recomputed) * model_.recomputed(s, first, last);
    }
    if constexpr (detail::has_recomputed_apart<Model>) {
      if (held.apart != 0) bytes += static_cast<double>(held.apart) * model_.recomputed_apart(s, first, last);
    }
    return bytes;
  }

  [[noreturn]] static void refuse(double bytes, std::size_t s, std::size_t first, std::size_t last, std::size_t held) {
    detail::fail(invalid_input(detail::joined({"model.memory of layers [", first, ", ", last, ") as stage ", s,
                                               ", with ", held, " microbatches"}),
                               bytes < 0 ? "negative" : "NaN"));
  }

  const Model& model_;
  const Constraint& allowed_;
  std::optional<double> bytes_;              // the largest limit
  std::vector<double> limits_{};             // of every rank, if there are limits
  const std::vector<std::size_t>& rank_of_;  // of every stage
  order_moments held_{};                     // if there is a limit
};

/// `cut_rules` for algorithms that take a constraint. Once the clock has stopped, everything is allowed, so that they
/// end soon; their results are then meaningless.
class stage_rules {
 public:
  stage_rules(const cut_rules& rules, search_clock& clock) : rules_(&rules), clock_(&clock) {}
  [[nodiscard]] bool operator()(std::size_t s, std::size_t first, std::size_t last) const {
    return stopped() || rules_->allows(s, first, last);
  }
  [[nodiscard]] bool hopeless(std::size_t s, std::size_t first, std::size_t last) const {
    return !stopped() && rules_->hopeless(s, first, last);
  }

 private:
  [[nodiscard]] bool stopped() const { return stopped_ = stopped_ || (++asked_ % 64 == 0 && clock_->look()); }

  const cut_rules* rules_;
  search_clock* clock_;
  mutable std::size_t asked_ = 0;
  mutable bool stopped_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
