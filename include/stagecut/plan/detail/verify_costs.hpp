// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/check_notes.hpp>
#include <stagecut/plan/detail/verified_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// The stage costs that a plan's objective saw.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Seconds of a message over a link.
[[nodiscard]] inline double message_seconds(const link_speed& link, double bytes) noexcept {
  return link.bandwidth == 0 ? link.latency : link.latency + bytes / link.bandwidth;
}

/// The contribution of a layer to its stage, if that is no time; unset: the profile does not have it.
[[nodiscard]] inline std::optional<double> measured_layer(const verified_plan& all, std::size_t i) {
  const std::string& of = all.made.objective.of;
  if (of == "layers") return 1;
  if (of != "parameters") return std::nullopt;
  double bytes = all.model.layers[i].parameters;
  for (const tied_parameters& tied : all.model.layers[i].tied) bytes += tied.bytes;
  return bytes;
}

/// Seconds of the messages at the ends of a stage of a chain, in one direction.
struct stage_ends {
  double received = 0;
  double sent = 0;
};
[[nodiscard]] inline stage_ends ends_of_stage(const verified_plan& all, std::size_t s) {
  const std::vector<link_speed>& links = all.made.messages.links;
  stage_ends result;
  for (std::size_t e = 0; e < all.edges.size(); ++e) {
    const planned_edge& each = all.edges[e];
    if (all.made.stages[each.from].device == all.made.stages[each.to].device) continue;  // within a device
    const double seconds = message_seconds(links[links.size() == 1 ? 0 : e], each.bytes);
    if (each.to == s) result.received += seconds;
    if (each.from == s) result.sent += seconds;
  }
  return result;
}

/// Whether the objective counts two stages as one.
[[nodiscard]] inline bool count_as_one(const verified_plan& all, std::size_t a, std::size_t b) {
  return a == b || (has_virtual_stages(all.made) && all.made.stages[a].device == all.made.stages[b].device);
}

/// Whether gradients go back along the edges of a model: unless it has backward layers.
[[nodiscard]] inline bool gradients_go_back(const profile& model) noexcept {
  bool any = false;
  bool apart = false;
  for (const auto& layer : model.layers) {
    any = any || layer.backward > 0;
    apart = apart || layer.is_backward;
  }
  return any && !apart;
}

/// The link over which a plan's time of sending is computed; unset: none is known.
[[nodiscard]] inline std::optional<link_speed> link_of_all(const verified_plan& all) {
  return all.made.messages.links.empty() ? all.model.machine.link : std::optional(all.made.messages.links[0]);
}

/// What a stage receives and sends, every edge of the model by itself: seconds over one link for all, both directions;
/// or bytes, forward.
/// @pre the objective is of `sent bytes`, or of `sent time`, and a link is known
[[nodiscard]] inline double handed_over(const verified_plan& all, std::size_t s) {
  const bool timed = all.made.objective.of == "sent time";
  const link_speed link = timed ? *link_of_all(all) : link_speed{};
  const double ways = gradients_go_back(all.model) ? 2 : 1;
  double sum = 0;
  for (const auto& [from, to] : all.flow) {
    if (all.stage_of[from] == all.stage_of[to] || (all.stage_of[from] != s && all.stage_of[to] != s)) continue;
    const double bytes = all.figures[from].output;
    sum += timed ? ways * message_seconds(link, bytes) : bytes;
  }
  return sum;
}

/// Seconds of the tensors that enter or leave a stage of a graph, each once per stage regardless of how many others it
/// joins, over one link for all, by pass: a gradient takes as long as its tensor, unless the model has backward layers,
/// whose outputs are the gradients.
struct stage_tensors {
  double forward = 0;
  double backward = 0;
};
[[nodiscard]] inline stage_tensors tensors_of_stage(const verified_plan& all, std::size_t s) {
  const link_speed& link = all.made.messages.links[0];
  const bool gradients = gradients_go_back(all.model);
  std::vector<char> counted(all.stage_of.size());
  stage_tensors result;
  for (const auto& [from, to] : all.flow) {
    const std::size_t a = all.stage_of[from];
    const std::size_t b = all.stage_of[to];
    if (counted[from] != 0 || count_as_one(all, a, s) == count_as_one(all, b, s)) continue;
    counted[from] = 1;
    const double seconds = message_seconds(link, all.figures[from].output);
    (all.model.layers[from].is_backward ? result.backward : result.forward) += seconds;
    if (gradients) result.backward += seconds;
  }
  return result;
}

/// Whether a plan's schedule runs I and W, and no whole backward pass.
[[nodiscard]] inline bool runs_parts_alone(const plan& made) {
  const schedule_entry* const entry = find_schedule(made.schedule.name);
  if (entry != nullptr) return entry->splits_backward && entry->kind != schedule_kind::dualpipev;
  bool parts = false;
  bool whole = false;
  for (const auto& rank : made.schedule.orders) {
    for (const auto& op : rank) {
      parts = parts || op.kind == op_kind::backward_input;
      whole = whole || op.kind == op_kind::backward;
    }
  }
  return parts && !whole;
}

/// The seconds of a stage, with those that count as one with it.
[[nodiscard]] inline stage_seconds seconds_as_one(const verified_plan& all, std::size_t s) {
  stage_seconds result = all.seconds[s];
  for (std::size_t other = 0; other < all.stages() && has_virtual_stages(all.made); ++other) {
    if (other == s || !count_as_one(all, other, s)) continue;
    result.forward += all.seconds[other].forward;
    result.backward += all.seconds[other].backward;
    result.both += all.seconds[other].both;
  }
  return result;
}

/// The time of a stage as an objective sees it: with messages that occupy it, or that take longer than its computing;
/// in a graph, longer than a pass of it.
[[nodiscard]] inline double timed_cost(const verified_plan& all, std::size_t s) {
  const message_model& messages = all.made.messages;
  const stage_seconds here = detail::seconds_as_one(all, s);
  const std::string& objective = all.made.objective.name;
  if (objective == "iteration" || objective == "stage-time" || objective == "pipeline-latency") return here.both;
  const bool parts = all.made.objective.name == "makespan" && here.splits && detail::runs_parts_alone(all.made);
  const double both = parts ? here.forward + here.backward_input + here.backward_weight : here.both;
  if (all.made.objective.name == "time-per-token") {
    const bool any = !messages.links.empty() && all.made.devices > 1;
    return any ? both + detail::ends_of_stage(all, s).sent : both;
  }
  const bool silent = messages.links.empty() || messages.kind == "latency" || all.made.devices == 1;
  if (silent || all.made.stages[s].on_cpu || all.made.objective.name == "makespan") return both;
  const bool blocking = messages.kind == "blocking";
  const auto larger = [](double a, double b) { return a < b ? b : a; };
  if (all.made.edges.empty() || messages.links.size() != 1) {
    const auto [received, sent] = detail::ends_of_stage(all, s);
    const double ways = all.model.inference ? 1 : 2;  // gradients come back
    return blocking ? both + ways * (received + sent) : larger(both, larger(received, sent));
  }
  const auto [there, back] = detail::tensors_of_stage(all, s);
  if (blocking) return both + there + back;
  return larger(here.forward, there) + larger(here.backward, back);
}

/// Why the costs of the stages cannot be computed; empty: they can.
[[nodiscard]] inline std::string unknown_cost(const verified_plan& all) {
  const objective_value& objective = all.made.objective;
  if (objective.name.empty()) return "it does not give the objective";
  if (objective.name == "communication") {
    if (objective.of == "sent bytes" || (objective.of == "sent time" && link_of_all(all))) return {};
    return joined({"it does not give the link of ", in_quotes(objective.of)});
  }
  if (objective.of != "time" && !detail::measured_layer(all, 0)) {
    return joined({"the profile does not define ", in_quotes(objective.of), " of a layer"});
  }
  if (objective.of != "time") return {};
  const bool links = !all.made.messages.links.empty() && objective.name != "makespan";
  if (links && !all.edges_hold) return "its messages are not those of the profile";
  for (const stage_seconds& seconds : all.seconds) {
    if (seconds.unknown[0] != '\0') return seconds.unknown;
  }
  return {};
}

/// Computes the costs of all stages, and compares them.
inline void verify_costs(verified_plan& all, check_notes& notes) {
  if (const std::string why = detail::unknown_cost(all); !why.empty()) return notes.not_checked("", why);
  double whole = 0;
  for (std::size_t s = 0; s < all.stages(); ++s) {
    double cost = 0;
    if (all.made.objective.name == "communication") {
      cost = detail::handed_over(all, s);
    } else if (all.made.objective.of == "time") {
      cost = detail::timed_cost(all, s);
    } else {
      for (const std::size_t i : all.layers[s]) cost += detail::measured_layer(all, i).value_or(0);
    }
    all.costs.push_back(cost);
    whole += cost;
  }
  for (std::size_t s = 0; s < all.stages(); ++s) {
    notes.compare(stage_text(s), "its cost is not the cost of its layers", all.made.stages[s].cost, all.costs[s],
                  whole);
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
