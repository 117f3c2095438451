// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/pending/disjoint_sets.hpp>
#include <boost/property_map/vector_property_map.hpp>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/dag_partition.hpp>
#include <stagecut/graph/detail/dag_multilevel.hpp>
#include <stagecut/graph/detail/multilevel_load.hpp>
#include <stagecut/graph/weighted_dag.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What `multilevel` makes small.
enum class dag_objective : std::uint8_t {
  cut,  ///< the weight of all edges between parts, which are balanced
  load  ///< the heaviest part, with the outputs that it pays for
};

/// Into what `multilevel` cuts a graph, and how long it looks. What is not said stays at its default.
struct multilevel_request {
  std::size_t parts = 2;                         ///< how many
  dag_objective objective = dag_objective::cut;  ///< what is made small
  /// Of `cut`: no part weighs more than 1 + `imbalance` times the average, rounded down, but as much as that rounded up.
  double imbalance = 0.03;
  std::size_t trials = 1;              ///< with other numbers of chance each; the best stays
  std::uint64_t seed = 1;              ///< of these
  std::optional<double> time_limit{};  ///< seconds after which no other method or trial begins; unset: none
  function_ref<bool()> stop{};         ///< asked there as well; true: none begins
};

/// See `multilevel`.
struct multilevel_fn {
  /// See `multilevel`.
  [[nodiscard]] outcome<dag_partition> operator()(const weighted_dag& graph, const multilevel_request& request) const {
    check(request);
    if (graph.size() < request.parts) {
      return answer::infeasible({reason::cause::more_stages_than_layers, request.parts, graph.size()});
    }
    return request.objective == dag_objective::load ? least_load(graph, request) : least_cut(graph, request);
  }

 private:
  using answer = outcome<dag_partition>;

  /// More vertices are not cut in two again and again, which takes long.
  static constexpr std::size_t most_bisected = 200000;

  static void check(const multilevel_request& request) {
    const auto refuse = [](const char* what, const std::string& value, const char* requirement) {
      detail::fail(argument_error("multilevel", what, value, requirement));
    };
    if (request.parts == 0) refuse("parts", "0", "must be at least 1");
    if (request.trials == 0) refuse("trials", "0", "must be at least 1");
    if (!is_finite(request.imbalance) || is_negative(request.imbalance)) {
      refuse("imbalance", std::to_string(request.imbalance), "must be finite and not negative");
    }
    if (request.time_limit && !(*request.time_limit >= 0)) {
      refuse("time_limit", std::to_string(*request.time_limit), "must not be negative");
    }
  }

  /// What a part may weigh.
  static std::int64_t most_weight(const weighted_dag& graph, const multilevel_request& request) {
    const auto parts = static_cast<std::int64_t>(request.parts);
    if (1 + request.imbalance >= static_cast<double>(request.parts)) return graph.weight();
    // Only what is above the average is in real numbers.
    const std::int64_t average = graph.weight() / parts;
    const std::int64_t left = graph.weight() % parts;
    const double more = request.imbalance * static_cast<double>(graph.weight()) + static_cast<double>(left);
    const std::int64_t most = average + static_cast<std::int64_t>(more / static_cast<double>(parts));
    return std::clamp(most, average + (left != 0 ? 1 : 0), graph.weight());
  }

  /// No partition cuts less: each part has a vertex, so that all parts but one of each component are joined to it or to
  /// each other by an edge that is cut; their number times the lightest edge. 0 where a part may be empty.
  static std::int64_t least_cut_of(const weighted_dag& graph, const multilevel_request& request, std::int64_t most) {
    const auto parts = static_cast<std::int64_t>(request.parts);
    const std::int64_t others = parts - 1;
    if (others == 0 || most > (graph.weight() - 1) / others) return 0;  // fewer parts hold all
    // Maps of a class of Boost, as its functions for plain pointers are hidden once a graph of Boost is included.
    using number_of = boost::vector_property_map<std::size_t>;
    boost::disjoint_sets<number_of, number_of> joined(number_of{}, number_of{});
    for (std::size_t v = 0; v < graph.size(); ++v) joined.make_set(v);
    auto components = static_cast<std::int64_t>(graph.size());
    std::int64_t lightest = graph.weight();
    bool any = false;
    for (std::size_t v = 0; v < graph.size(); ++v) {
      graph.flat().out.each(v, [&](detail::dag_vertex to, std::int64_t weight) {
        lightest = !any || weight < lightest ? weight : lightest;
        any = true;
        const std::size_t a = joined.find_set(v);
        const std::size_t b = joined.find_set(std::size_t{to});
        if (a == b) return;
        joined.link(a, b);
        --components;
      });
    }
    return components > others ? 0 : (parts - components) * lightest;
  }

  static answer least_cut(const weighted_dag& graph, const multilevel_request& request) {
    const std::int64_t most = most_weight(graph, request);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (graph.flat().weight[i] <= most) continue;
      return answer::infeasible(
          {reason::cause::constraint, 0, 0,
           detail::joined({"vertex ", graph.order()[i], " weighs ", std::to_string(graph.flat().weight[i]),
                           ", and one of ", request.parts, " parts may weigh ", std::to_string(most)})});
    }
    if (most >= graph.weight()) {
      return answer::optimal(measure_partition(graph, std::vector<std::size_t>(graph.size(), 0), request.parts));
    }
    detail::dag_parts best;
    const auto keep = [&](detail::dag_parts found) {
      if (best.most.empty() || found.better_than(best)) best = std::move(found);
    };
    const double begin = detail::seconds_now();
    const std::vector<std::int64_t> limits(request.parts, most);
    for (std::size_t i = 0; i < request.trials && !over(request, begin, i); ++i) {
      detail::dag_multilevel trial(graph.flat(), limits, request.seed + i);
      const bool small = graph.size() <= most_bisected;
      if (small) keep(trial.by_bisection(graph.size() <= 2000 ? 6 : 3));
      if (!small || !over(request, begin, 1)) keep(trial.by_merging(small ? &best : nullptr));
    }
    if (best.excess() > 0) return answer::unknown({reason::cause::limit_reached});
    dag_partition result = described(graph, best.part, request.parts);
    result.bound = std::min(least_cut_of(graph, request, most), result.cut);
    return result.bound == result.cut ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }

  static answer least_load(const weighted_dag& graph, const multilevel_request& request) {
    const double begin = detail::seconds_now();
    const detail::dag_nets nets = detail::nets_of_outputs(graph.flat(), graph.outputs());
    detail::multilevel_load search(graph.flat(), nets, request.parts, 0);
    const auto late = [&] { return over(request, begin, 1); };
    for (std::size_t i = 0; i < request.trials && !over(request, begin, i); ++i) {
      search.run(request.seed + i, graph.size() <= most_bisected, late);
    }
    if (search.best().part.empty()) return answer::unknown({reason::cause::limit_reached});
    dag_partition result = described(graph, search.best().part, request.parts);
    result.bound = search.bound();
    return result.bound == result.load() ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }

  /// Whether nothing may begin, but for the first.
  static bool over(const multilevel_request& request, double begin, std::size_t begun) {
    if (begun == 0) return false;
    return (request.stop && request.stop()) ||
           (request.time_limit && detail::seconds_now() - begin >= *request.time_limit);
  }

  static dag_partition described(const weighted_dag& graph, const std::vector<std::uint32_t>& part, std::size_t parts) {
    std::vector<std::size_t> part_of(part.size());
    for (std::size_t i = 0; i < part.size(); ++i) part_of[graph.order()[i]] = part[i];
    return measure_partition(graph, part_of, parts);
  }
};

/// Cuts a large graph into parts so that every edge leads to the same or a later part, by merging vertices, cutting orders
/// of them, and moving single vertices on every level of merging.
///
/// @param graph    a `weighted_dag`
/// @param request  how many parts, what is to be small, and how long to look
/// @return         optimal where it equals the bound; feasible, with the bound; infeasible where a vertex is heavier than a
///                 part may be, or there are fewer vertices than parts; unknown if no parts were found that are balanced
/// @throws         argument_error for a request that makes no sense
///
/// A cut is found in two ways, and the better one is kept: the graph is cut in two again and again, each time by the best
/// of many orders of it, which is made better by moves within a hierarchy of merged vertices; or it is merged first, and
/// orders of what is left are cut by dynamic programming. The first is left out for more than 200,000 vertices. A load is
/// found by cutting orders, among them such as keep to the parts of a small cut. Orders along the directions in which the
/// graph is long decide how good either is: docs/graph_methods.md, "Large graphs". Of `load`, no part is empty; of `cut`,
/// parts may be where weights allow it.
///
/// O((n + m) log k) for each order and level. Same request, same answer on every machine, but for limits of time.
///
/// Source: C. M. Fiduccia and R. M. Mattheyses, A linear-time heuristic for improving network partitions, DAC 1982, for
/// the moves; J. Herrmann et al., Multilevel algorithms for acyclic partitioning of directed acyclic graphs, SISC 2019, for
/// the problem; the orders, and merging without a search, are described in docs/graph_methods.md.
inline constexpr multilevel_fn multilevel{};

}  // namespace stagecut::inline STAGECUT_ABI
