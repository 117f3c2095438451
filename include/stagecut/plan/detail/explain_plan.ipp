// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/explain_plan.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/plan/detail/choice_comparison.hpp>
#include <stagecut/plan/detail/explain_changes.hpp>
#include <stagecut/plan/detail/explain_prices.hpp>
#include <stagecut/plan/detail/explained_plan.hpp>
#include <stagecut/plan/detail/plan_makespan.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/parts/with_target.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>

// A recut plan, with its own memory and with more and less of it.
namespace stagecut::inline STAGECUT_ABI::detail {

// Where the time of a simulated iteration goes.

/// The makespan of each device: its own work, and its idle time by cause. Its imbalance is the mean device's plus the
/// amount by which its own work is below the mean.
[[nodiscard]] inline std::vector<makespan_parts> parts_of_devices(const makespan_parts& mean,
                                                                  const simulation<double>& run) {
  std::vector<makespan_parts> result;
  for (const rank_use<double>& rank : run.ranks) {
    makespan_parts own = mean;
    own.work = rank.busy;
    own.imbalance += mean.work - rank.busy;
    result.push_back(own);
  }
  return result;
}

/// The critical path of a chain of stages, by what is on it.
class path_sums {
 public:
  path_sums(const schedule& order, const pass_times<double>& times, const simulation<double>& run)
      : order_(order), times_(times), with_(order.stages() * order.microbatches, order.stages()) {
    for (const auto& rank : order.orders) {
      for (std::size_t i = 0; i + 1 < rank.size(); ++i) {
        if (rank[i].with_next) with_[pass_at(rank[i + 1])] = rank[i].stage;
      }
    }
    result_.stages.resize(order.stages());
    result_.messages.resize(order.stages() == 0 ? 0 : order.stages() - 1);
    for (const timed_op<double>& op : run.critical_path) add(op.what, op.end - op.start);
  }

  [[nodiscard]] const critical_path_shares& shares() const noexcept { return result_; }

 private:
  [[nodiscard]] std::size_t pass_at(const op& each) const noexcept {
    return each.stage * order_.microbatches + each.microbatch;
  }

  void add(const op& what, double seconds) {
    if (is_transfer(what.kind)) {
      const std::size_t other = other_end(what).stage;
      result_.messages[what.stage < other ? what.stage : other] += seconds;
      return;
    }
    path_share& share = result_.stages[what.stage];
    // An F that runs together with the pass after it is counted with that one.
    const bool back = what.kind == op_kind::backward || what.kind == op_kind::backward_input;
    const std::size_t together = back ? with_[pass_at(what)] : order_.stages();
    if (together != order_.stages()) {
      double forward = times_.forward[together];
      if (seconds < forward) forward = seconds;
      result_.stages[together].forward += forward;
      seconds -= forward;
    }
    switch (what.kind) {
      case op_kind::forward: share.forward += seconds; break;
      case op_kind::backward: share.backward += seconds; break;
      case op_kind::backward_input: share.backward_input += seconds; break;
      case op_kind::backward_weight: share.backward_weight += seconds; break;
      default: share.update += seconds; break;
    }
  }

  const schedule& order_;
  const pass_times<double>& times_;
  std::vector<std::size_t> with_;  // for a backward pass, the stage of the F that runs with it; none: `stages()`
  critical_path_shares result_{};
};

/// Recuts a plan for the least makespan, from the request as far as the plan records it.
class plan_again {
 public:
  plan_again(const explained_plan& of, double makespan, const explain_options& options) : of_(of), makespan_(makespan) {
    const plan& made = of.made();
    const bool proved = made.objective.name == "makespan" && made.objective.state == state::optimal;
    limited_ = static_cast<bool>(made.memory.memory_limit);
    why_ = ask(options);
    if (why_.empty() && (limited_ || !proved)) same_ = cut_with(1);
  }

  /// The plan recut within the same memory; null: none.
  [[nodiscard]] const plan* same() const noexcept { return same_ && same_->has_value() ? &**same_ : nullptr; }

  [[nodiscard]] memory_price price() const {
    memory_price result;
    const plan& made = of_.made();
    result.unknown = !limited_ ? "the plan has no limit of memory"
                     : made.objective.name != "makespan"
                         ? joined({"it is cut by the ", made.objective.name, ", not by the makespan"})
                     : !why_.empty()       ? why_
                     : has_other_rules()   ? "it keeps to rules that it does not list, and is not the best without"
                     : !of_.knows_memory() ? "the memory of its stages is not the memory of its layers"
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

  /// The end of the iteration of that cut.
  [[nodiscard]] double iteration_of(const plan& found) const {
    plan changed = of_.made();
    changed.cuts = found.cuts;
    for (std::size_t s = 0; s < changed.stages.size(); ++s) of_.remake(changed, s);
    return explained_plan::makespan_of(changed, of_.order());
  }

  /// Whether the plan claims to be the best although there is a better one.
  [[nodiscard]] bool has_other_rules() const {
    const objective_value& said = of_.made().objective;
    return said.state == state::optimal && same() != nullptr && clearly_above(said.value, same()->objective.value);
  }

  /// Reconstructs the request; returns why it cannot.
  [[nodiscard]] std::string ask(const explain_options& options) {
    const plan& made = of_.made();
    const search_options& limits = options.search;
    if (!limits.time_limit && !limits.node_limit) return "nothing was to be cut anew";
    const schedule_entry* const entry = find_schedule(made.schedule.name);
    if (entry == nullptr) return "its schedule is an order of its own";
    request_ = of_.like();
    request_.objective = plan_objective::makespan;
    request_.devices = made.devices;
    request_.stages_per_rank = made.stages_per_rank;
    request_.microbatches = made.schedule.microbatches;
    request_.schedule = entry->kind;
    request_.group = made.schedule.group;
    request_.target = options.target;
    if (entry->takes == shape_figure::in_flight) {
      request_.schedule = schedule_kind::one_forward_one_backward;
      for (const planned_stage& stage : made.stages) request_.in_flight.push_back(stage.in_flight);
    }
    request_.optimizer = made.memory.optimizer;
    request_.memory_limit = made.memory.memory_limit;
    request_.buffer_fraction = made.memory.buffer_fraction;
    request_.links = made.messages.links;
    if (const auto* const kind = stagecut::find_name(transfer_kind_names, made.messages.kind)) {
      request_.transfers = kind->value;
    }
    request_.search = limits;
    std::string why = detail::target_obstacle(made.profile, request_);
    if (why.empty()) why = detail::shape_obstacle(made.profile, request_);
    return why.empty() ? makespan_obstacle(made.profile, request_) : why;
  }

  [[nodiscard]] outcome<plan> cut_with(double share) const {
    plan_request asked = request_;
    asked.memory_limit = asked.memory_limit.scaled(share);
    return detail::plan_makespan(of_.made().profile, asked);
  }

  const explained_plan& of_;
  double makespan_;
  plan_request request_{};
  bool limited_ = false;  // by memory
  std::string why_{};     // why it cannot be recut
  std::optional<outcome<plan>> same_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::string explanation_obstacle(const plan& made) {
  if (made.profile.inference) return "it is of inference, which has no iteration";
  if (!made.edges.empty() || !made.assignment.empty() || !made.profile.edges.empty()) {
    return "it is of a graph, and only chains of layers are explained";
  }
  if (made.schedule.slices != 1) return "its sequences are cut into slices, and whole microbatches are explained";
  if (made.schedule.microbatches == 0) return "the number of its microbatches is not known, so its iteration is not";
  const std::size_t stages = made.cuts.stages();
  if (stages == 0 || made.stages.size() != stages || made.cuts.items() != made.profile.layers.size()) {
    return "its cuts are not those of its layers and stages";
  }
  if (!made.speeds.empty() && made.speeds.size() != made.devices) return "its speeds are not those of its devices";
  for (const double speed : made.speeds) {
    if (!is_finite(speed) || !(speed > 0)) return "a speed of its devices is not above 0 and finite";
  }
  for (const planned_stage& stage : made.stages) {
    if (stage.on_cpu) return "it has a stage on a CPU, and only chains on accelerators are explained";
    if (stage.device >= made.devices) return "it has a stage on a device that is none of its own";
  }
  for (const auto& layer : made.profile.layers) {
    if (!layer.children.empty()) return "its profile is a tree of modules, not a chain";
  }
  return "";
}

STAGECUT_DECL plan_explanation explain_plan_fn::operator()(const plan& made, const explain_options& options) const {
  if (const std::string why = explanation_obstacle(made); !why.empty()) {
    detail::fail(argument_error("explain_plan", "made", detail::in_quotes(made.profile.name),
                                detail::joined({"cannot be explained: ", why})));
  }
  plan_request asked;
  asked.target = options.target;
  asked.devices = made.devices;
  asked.stages_per_rank = made.stages_per_rank;
  detail::check_target_model(made.profile, asked);
  const detail::explained_plan of(made);
  const pass_times<double> times = times_of(of.made(), has_kind(of.order(), op_kind::backward_input));
  const transfer_times<double> transfers = transfers_of(of.made());
  const simulation<double> run = simulate(of.order(), times, transfers);
  plan_explanation result;
  result.makespan = run.makespan;
  result.parts = split_makespan(of.order(), times, transfers);
  result.devices = detail::parts_of_devices(result.parts, run);
  result.path = detail::path_sums(of.order(), times, run).shares();
  result.less = detail::price_list(of, options.search).prices();
  const detail::plan_again again(of, run.makespan, options);
  result.memory = again.price();
  result.cut_proved = made.objective.name == "makespan" && made.objective.state == state::optimal;
  std::vector<double> work;
  for (const makespan_parts& parts : result.devices) work.push_back(parts.work);
  detail::change_list changes(of, run.makespan, options.target, options.search);
  result.changes = changes.best(options.most_changes, again.same(), work);
  result.all_changes = changes.complete();
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
