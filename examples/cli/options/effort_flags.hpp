// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/graph_method.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/core/search_options.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>

/// The kinds of search, which differ in the time per node.
enum class counted_search : std::uint8_t {
  cuts,            ///< of a chain, by the makespan
  schedules,       ///< of a chain, by the makespan of every schedule
  rows,            ///< of a chain, by tables
  recomputation,   ///< of the stages' layers
  devices,         ///< several per stage
  loads,           ///< of a graph
  graph_makespan,  ///< of a graph
  placements       ///< of a graph, by least communication
};

/// Whether the default objective of `plan_graph` is the iteration time.
[[nodiscard]] inline bool by_iteration(const stagecut::profile& model, const stagecut::plan_request& request) {
  using stagecut::transfer_kind;
  const bool moves = request.transfers == transfer_kind::link || request.transfers == transfer_kind::latency;
  const bool plain = request.stages_per_rank == 1 && request.cpus == 0 && request.speeds.empty() && request.by == stagecut::measure::time &&
                     request.method == stagecut::graph_method::automatic &&
                     request.schedule == stagecut::schedule_kind::one_forward_one_backward;
  const auto timed = [](const stagecut::layer& each) { return each.time() > 0; };
  return request.objective == stagecut::plan_objective::automatic && request.microbatches != 0 && plain && moves &&
         std::any_of(model.layers.begin(), model.layers.end(), timed);
}

/// The search that `make_plan` runs.
/// @param any_schedule  whether each schedule is tried
/// @param in_a_row      whether the stages of a graph have to form a row
[[nodiscard]] inline counted_search search_of(const stagecut::profile& model, const stagecut::plan_request& request,
                                              bool any_schedule, bool in_a_row) {
  using of = stagecut::plan_objective;
  using method = stagecut::graph_method;
  if (request.method == method::communication) return counted_search::placements;
  const bool makespan = request.objective == of::makespan || (request.objective == of::automatic &&
                                                              request.microbatches != 0 && !model.inference);
  const bool chain = in_a_row || stagecut::is_chain(model);
  const bool as_graph = !chain || request.method != method::automatic || request.cpus != 0 || request.at_most;
  if (!as_graph && makespan) return any_schedule ? counted_search::schedules : counted_search::cuts;
  if (!as_graph) return counted_search::rows;
  return request.objective == of::makespan || by_iteration(model, request) ? counted_search::graph_makespan : counted_search::loads;
}

/// The default number of schedules to evaluate: about two seconds on a core of 2024.
/// @param passes  forward passes per schedule
[[nodiscard]] inline std::size_t usual_orders(std::size_t passes) {
  return std::max<std::size_t>(2000, 90'000'000 / std::max<std::size_t>(passes, 1));
}

/// The search limits as options: seconds, nodes, or both.
struct effort_flags {
  std::optional<double> time_limit;
  std::optional<std::size_t> node_limit;
  bool counts = false;  // reports at the end, on stderr, the nodes of all searches

  effort_flags() = default;
  effort_flags(const effort_flags&) = delete;
  effort_flags& operator=(const effort_flags&) = delete;
  ~effort_flags() {
    if (counts) fmt::print(stderr, "{} nodes\n", spent_);
  }

  /// Sets the limits of a search. The default is a number of nodes, about ten seconds or less on a core of 2024, and no
  /// time limit: the same input gives the same plan on every machine, whatever its load.
  /// @param layers  of the model
  void ask(counted_search what, std::size_t layers, stagecut::plan_request& request) {
    if (counts) request.search.nodes_spent = &spent_;
    request.search.time_limit = time_limit;
    request.search.node_limit = node_limit;
    if (!time_limit && !node_limit) request.search.node_limit = usual_nodes(what, layers, request);
  }

  /// Whether a search has a time limit, so that the remaining seconds are known.
  [[nodiscard]] static bool is_timed(const stagecut::plan_request& request) { return request.search.time_limit.has_value(); }

 private:
  static std::size_t usual_nodes(counted_search what, std::size_t layers, const stagecut::plan_request& request) {
    // A node of a pipeline with many passes takes longer: simulation time grows with them.
    const auto devices = static_cast<double>(request.devices);
    const double passes = devices * static_cast<double>(request.stages_per_rank) * static_cast<double>(request.microbatches);
    const auto operators = static_cast<double>(layers);
    const auto at_least = [](double least, double nodes) { return static_cast<std::size_t>(std::max(least, nodes)); };
    switch (what) {
      case counted_search::recomputation: return 5'000'000;
      case counted_search::devices: return static_cast<std::size_t>(8e6 / (1 + operators / 200));
      case counted_search::rows: return 1'000'000;
      case counted_search::placements: return at_least(1000, std::min(4e6, 1e11 / (operators * operators * (8 + devices))));
      case counted_search::loads: return at_least(2, 6e5 / (600 + 2 * operators) / (request.stages_per_rank == 1 ? 1 : 15));
      case counted_search::graph_makespan: return at_least(1000, 1e8 / (200 + passes + operators / 5));
      case counted_search::cuts:
      case counted_search::schedules: break;
    }
    const bool orders = request.schedule == stagecut::schedule_kind::synthesized;
    return at_least(1000, 1e6 / (1.5 + passes / 430) / (what == counted_search::schedules || orders ? 10 : 1));
  }

  std::size_t spent_ = 0;
};
