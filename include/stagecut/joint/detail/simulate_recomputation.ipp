// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/simulate_recomputation.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/parts/check_links.hpp>
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL bool splits_backward(const schedule& order) noexcept {
  return has_kind(order, op_kind::backward_input) || has_kind(order, op_kind::backward_weight);
}

STAGECUT_DECL void check_recompute_request(const char* function, const recompute_model& model,
                                           const recompute_request& request) {
  const auto refuse = [&](const std::string& name, const std::string& value, const std::string& requirement) {
    fail(argument_error(function, name, value, requirement));
  };
  check_recompute_model(model);
  check_schedule(request.schedule);
  if (!request.schedule.edges.empty()) refuse("schedule.edges", "{…}", "must be empty: layers are a chain");
  const std::size_t boundaries = request.schedule.stages() - 1;
  if (request.links.size() > 1 && request.links.size() != boundaries) {
    refuse("links.size()", std::to_string(request.links.size()),
           joined({"must be 1 or the number of boundaries, ", boundaries}));
  }
  check_links(function, "links", request.links);
  const std::size_t ranks = request.schedule.ranks();
  if (!request.memory_limit.of_ranks().empty() && request.memory_limit.of_ranks().size() != ranks) {
    refuse("memory_limit.size()", std::to_string(request.memory_limit.of_ranks().size()),
           joined({"must be the number of ranks, ", ranks}));
  }
  const auto check = [&](const std::string& name, double bytes) {
    if (is_finite(bytes) && !is_negative(bytes)) return;
    refuse(name, is_nan(bytes) ? "NaN" : number_text(bytes), "must be finite and not negative");
  };
  if (request.memory_limit.for_all()) check("memory_limit", *request.memory_limit.for_all());
  for (std::size_t r = 0; r < request.memory_limit.of_ranks().size(); ++r) {
    check(joined({"memory_limit[", r, "]"}), request.memory_limit.of_ranks()[r]);
  }
  check("boundary_buffers", request.boundary_buffers);
  if (!is_finite(request.constant)) refuse("constant", number_text(request.constant), "must be finite");
  const auto& limit = request.search.time_limit;
  if (limit && (is_nan(*limit) || is_negative(*limit))) {
    refuse("search.time_limit", std::to_string(*limit), "must not be negative");
  }
}

/// The time of the message after a stage; 0 within a rank.
[[nodiscard]] inline double message_of(const recompute_request& request, std::size_t s, double bytes) noexcept {
  if (request.links.empty() || request.schedule.rank_of[s] == request.schedule.rank_of[s + 1]) return 0;
  return request.links[request.links.size() == 1 ? 0 : s](bytes);
}

STAGECUT_DECL std::vector<double> least_messages(const recompute_model& model, const recompute_request& request) {
  const sent_bytes sent(model, request);
  std::vector<double> result(request.schedule.stages());
  for (std::size_t s = 0; s + 1 < result.size(); ++s) result[s] = message_of(request, s, sent.least[s]);
  return result;
}

/// The bytes of a stage at a moment besides resident ones.
[[nodiscard]] inline double held_bytes(const first_and_last& stage, const held_microbatches& held) noexcept {
  return static_cast<double>(held.in_flight) * stage.activations + static_cast<double>(held.apart) * stage.recomputed +
         (held.recomputed > held.apart ? stage.peak : stage.workspace);
}

STAGECUT_DECL std::size_t next_choice(const layer_type& type, std::vector<std::size_t>& left) noexcept {
  std::size_t best = left.size();
  for (std::size_t r = 0; r < left.size(); ++r) {
    if (left[r] == 0) continue;
    if (best == left.size() || type.choices[r].activations < type.choices[best].activations) best = r;
  }
  --left[best];
  return best;
}

}  // namespace detail

STAGECUT_DECL recompute_run simulate_recomputation(const recompute_model& model, const recompute_request& request,
                                                   const cuts& stages, const std::vector<std::size_t>& choices) {
  constexpr const char* function = "simulate_recomputation";
  detail::check_recompute_request(function, model, request);
  const schedule& order = request.schedule;
  if (stages.stages() != order.stages() || stages.items() != model.layers.size()) {
    detail::fail(argument_error(function, "stages",
                                detail::joined({stages.stages(), " of ", stages.items(), " layers"}),
                                detail::joined({"must be ", order.stages(), " of ", model.layers.size()})));
  }
  if (choices.size() != model.layers.size()) {
    detail::fail(argument_error(function, "choices.size()", std::to_string(choices.size()),
                                detail::joined({"must be the number of layers, ", model.layers.size()})));
  }
  const bool splits = detail::splits_backward(order);
  recompute_run run;
  run.recomputed.resize(order.stages());
  std::vector<detail::first_and_last> takes;
  run.memory.assign(order.ranks(), request.constant);
  for (std::size_t s = 0; s < order.stages(); ++s) {
    detail::first_and_last sum(model, order, s);
    for (std::size_t i = stages[s]; i < stages[s + 1]; ++i) {
      const layer_type& type = model.types[model.layers[i]];
      if (choices[i] >= type.choices.size()) {
        detail::fail(argument_error(function, detail::joined({"choices[", i, "]"}), std::to_string(choices[i]),
                                    detail::joined({"must be below ", type.choices.size()})));
      }
      const recompute_choice& way = type.choices[choices[i]];
      double fastest = way.backward;
      for (const recompute_choice& each : type.choices) fastest = std::min(fastest, each.backward);
      sum.forward += type.forward;
      sum.backward += way.backward;
      sum.weight += way.backward_weight;
      sum.resident += type.resident;
      sum.share(model, type.shared);
      sum.activations += way.activations;
      const double needs = std::max(type.workspace, way.workspace);
      sum.workspace = std::max(sum.workspace, needs);
      sum.peak = std::max(sum.peak, needs + way.recomputed_whole);
      sum.recomputed += way.recomputed_apart;
      run.recomputed[s] += way.backward - fastest;
    }
    run.times.forward.push_back(sum.forward);
    (splits ? run.times.backward_input : run.times.backward)
        .push_back(splits ? sum.backward - sum.weight : sum.backward);
    if (splits) run.times.backward_weight.push_back(sum.weight);
    takes.push_back(sum);
    const bool is_last = s + 1 == order.stages();
    const double crossing =
        (s == 0 ? 0 : detail::sent_at(model, stages[s])) + (is_last ? 0 : detail::sent_at(model, stages[s + 1]));
    run.memory[order.rank_of[s]] += sum.resident + request.boundary_buffers * crossing;
    if (request.links.empty() || is_last) continue;
    run.transfers.forward.push_back(detail::message_of(request, s, detail::sent_at(model, stages[s + 1])));
  }
  run.transfers.backward = run.transfers.forward;
  run.transfers.kind = request.transfers;
  run.makespan = simulate(order, run.times, run.transfers).makespan;
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    double most = 0;
    for (const auto& moment : detail::moments_of_rank(model, order, r)) {
      double held = 0;
      std::size_t v = 0;
      for (std::size_t s = 0; s < order.stages(); ++s) {
        if (order.rank_of[s] == r) held += detail::held_bytes(takes[s], moment[v++]);
      }
      most = std::max(most, held);
    }
    run.memory[r] += most;
  }
  return run;
}

}  // namespace stagecut::inline STAGECUT_ABI
