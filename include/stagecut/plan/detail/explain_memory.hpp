// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/plan/detail/choice_comparison.hpp>
#include <stagecut/plan/detail/explained_plan.hpp>
#include <stagecut/plan/detail/plan_makespan.hpp>
#include <stagecut/plan/detail/with_target.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulation.hpp>

// A plan made again, with its own memory and with more and less of it.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Makes a plan again by the makespan, as far as it tells what was asked for.
class plan_again {
 public:
  plan_again(const explained_plan& of, double makespan, const explain_options& options) : of_(of), makespan_(makespan) {
    const plan& made = of.made();
    const bool proved = made.objective.name == "makespan" && made.objective.state == state::optimal;
    limited_ = made.memory.per_device || !made.memory.of_devices.empty();
    why_ = ask(options);
    if (why_.empty() && (limited_ || !proved)) same_ = cut_with(1);
  }

  /// The plan cut anew within the same memory; null: there is none.
  [[nodiscard]] const plan* same() const noexcept { return same_ && same_->has_value() ? &**same_ : nullptr; }

  [[nodiscard]] memory_price price() const {
    memory_price result;
    const plan& made = of_.made();
    result.unknown = !limited_ ? "the plan has no limit of memory"
                     : made.objective.name != "makespan"
                         ? joined({"it is cut by the ", made.objective.name, ", not by the makespan"})
                     : !why_.empty()       ? why_
                     : has_other_rules()   ? "it keeps to rules that it does not tell, and is not the best without"
                     : !of_.knows_memory() ? "the memory of its stages is not that of its layers"
                                           : "";
    if (!result.unknown.empty()) return result;
    bool proved = same_->state() == state::optimal;
    const auto cut = [&](double share) -> std::optional<double> {
      const outcome<plan> found = cut_with(share);
      proved = proved && (found.state() == state::optimal || found.state() == state::infeasible);
      return found ? std::optional(iteration_of(*found)) : std::nullopt;
    };
    result.as_is = same() == nullptr ? makespan_ : least(iteration_of(*same()), makespan_);
    result.more = least(cut(1.01), result.as_is);
    result.less = cut(0.99);
    if (of_.fits(made, of_.order(), 0.99)) result.less = least(result.less, makespan_);
    result.proved = proved;
    return result;
  }

 private:
  [[nodiscard]] static double least(const std::optional<double>& a, double b) { return a && *a < b ? *a : b; }

  /// When the iteration of that cut ends.
  [[nodiscard]] double iteration_of(const plan& found) const {
    plan changed = of_.made();
    changed.cuts = found.cuts;
    for (std::size_t s = 0; s < changed.stages.size(); ++s) of_.remake(changed, s);
    return explained_plan::makespan_of(changed, of_.order());
  }

  /// Whether the plan is said to be the best, and there is a better one.
  [[nodiscard]] bool has_other_rules() const {
    const objective_value& said = of_.made().objective;
    return said.state == state::optimal && same() != nullptr && clearly_above(said.value, same()->objective.value);
  }

  /// Writes the request down; why that cannot be.
  [[nodiscard]] std::string ask(const explain_options& options) {
    const plan& made = of_.made();
    const search_limits& limits = options.limits;
    if (!limits.time_limit && !limits.node_limit) return "nothing was to be cut anew";
    const schedule_entry* const entry = find_schedule(made.schedule.name);
    if (entry == nullptr) return "its schedule is an order of its own";
    request_ = of_.like();
    request_.objective = plan_objective::makespan;
    request_.devices = made.devices;
    request_.chunks = made.chunks;
    request_.microbatches = made.schedule.microbatches;
    request_.schedule = entry->kind;
    request_.group = made.schedule.group;
    request_.target = options.target;
    if (entry->takes == shape_figure::in_flight) {
      request_.schedule = schedule_kind::one_forward_one_backward;
      for (const planned_stage& each : made.stages) request_.in_flight.push_back(each.in_flight);
    }
    request_.optimizer = made.memory.optimizer;
    request_.memory_per_device = made.memory.per_device;
    request_.memory_of_devices = made.memory.of_devices;
    if (!request_.memory_of_devices.empty()) request_.memory_per_device.reset();
    request_.buffer_fraction = made.memory.buffer_fraction;
    request_.links = made.messages.links;
    if (const auto* const kind = stagecut::find_name(transfer_kind_words, made.messages.kind)) {
      request_.transfers = kind->value;
    }
    request_.limits = limits;
    std::string why = detail::target_obstacle(made.profile, request_);
    if (why.empty()) why = detail::shape_obstacle(made.profile, request_);
    return why.empty() ? makespan_obstacle(made.profile, request_) : why;
  }

  [[nodiscard]] outcome<plan> cut_with(double share) const {
    plan_request asked = request_;
    if (asked.memory_per_device) *asked.memory_per_device *= share;
    for (double& each : asked.memory_of_devices) each *= share;
    return detail::plan_makespan(of_.made().profile, asked);
  }

  const explained_plan& of_;
  double makespan_;
  plan_request request_{};
  bool limited_ = false;  // by memory
  std::string why_{};     // why it cannot be cut anew
  std::optional<outcome<plan>> same_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
