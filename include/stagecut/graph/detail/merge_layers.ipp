// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/merge_layers.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/layer_merger.hpp>
#include <stagecut/graph/detail/load_bounds.hpp>
#include <stagecut/graph/detail/explain_infeasible_partition.hpp>
#include <stagecut/graph/merge_request.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/graph/stage_figures.hpp>
#include <stagecut/graph/weighted_operators.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Merges the layers of one graph, and reports the result.
class layers_merged {
 public:
  using ticks = operator_costs::ticks;
  using answer = outcome<merged_layers>;

  layers_merged(const operator_graph& graph, const merge_request& request)
      : graph_(graph), request_(request), parts_(graph), costs_(graph, parts_, request.load, request.parts) {}

  [[nodiscard]] answer run() const {
    if (graph_.operators.empty()) return answer::optimal({});
    if (auto why = explain_infeasible_partition(graph_, parts_, costs_, {request_.parts, 0, true})) {
      return answer::infeasible(*std::move(why));
    }
    const ticks most = most_work();
    if (auto why = why_too_heavy(most)) return answer::infeasible(*std::move(why));
    layer_merger merger(costs_, parts_.below(), request_.parts, most, request_.most_edges, request_.search.stop);
    merger.run(request_.parts, request_.order);
    if (merger.left() <= request_.parts && request_.at_most) merger.fewer();
    if (merger.stopped()) return answer::unknown({});
    if (merger.left() > request_.parts) {
      return answer::unknown({reason::cause::constraint, merger.left(), request_.parts,
                              joined({merger.left(), " parts are left that may not be merged, and ",
                                      request_.parts, request_.parts == 1 ? " was" : " were", " asked for"}),
                              "allow more parts, heavier ones, or longer searches"});
    }
    return described(merger.part_of(), merger.left(), merger.given_up());
  }

 private:
  [[nodiscard]] ticks most_work() const {
    if (!request_.most_work) return std::numeric_limits<ticks>::max() / 2;
    const double most = std::floor(*request_.most_work / costs_.seconds(1));
    return most < 0x1p61 ? static_cast<ticks>(most) : std::numeric_limits<ticks>::max() / 2;
  }

  [[nodiscard]] std::optional<reason> why_too_heavy(ticks most) const {
    double total = 0;
    for (std::size_t e = 0; e < costs_.size(); ++e) {
      const ticks work = costs_.of(e).forward + costs_.of(e).backward;
      total += static_cast<double>(work);
      if (work <= most) continue;
      return reason{reason::cause::constraint, 0, 0,
                    element_text(graph_, parts_, e) + " is heavier than a part may be"};
    }
    if (total * (1 - 0x1p-40) <= static_cast<double>(most) * static_cast<double>(request_.parts)) return std::nullopt;
    return reason{reason::cause::constraint, 0, 0, "the operators are heavier together than all parts may be",
                  "allow more parts, or heavier ones"};
  }

  [[nodiscard]] answer described(const std::vector<std::uint32_t>& part_of, std::size_t count,
                                 std::size_t given_up) const {
    std::vector<operator_set> sets(count <= 256 ? count : 1, operator_set(costs_));
    const bool checked = count <= 256;  // each takes memory for all nets
    for (std::size_t e = 0; checked && e < part_of.size(); ++e) sets[part_of[e]].add(e);
    ticks load = 0;
    for (std::size_t s = 0; checked && s < count; ++s) {
      const stage_role role{0, s, count};
      load = std::max(load, sets[s].value(role));
      if (sets[s].fits(role)) continue;
      if (sets[s].memory(role) > costs_.limit()) {
        return answer::unknown({reason::cause::memory, engine::floor_bytes(costs_.bytes_of(sets[s].memory(role))),
                                engine::floor_bytes(costs_.bytes_of(costs_.limit())), joined({"part ", s})});
      }
      return answer::unknown({reason::cause::constraint, 0, 0, joined({"part ", s, " has to stand elsewhere"})});
    }
    merged_layers result;
    const std::vector<std::uint32_t> all = parts_.expanded(part_of);
    result.assignment.assign(all.begin(), all.end());
    load_options options = request_.load;
    result.parts = stage_figures(graph_, result.assignment, std::vector<std::uint8_t>(count), options);
    for (const graph_stage& stage : result.parts) result.value = std::max(result.value, stage.load);
    const ticks bound = weight_bound(operator_set(costs_), {request_.parts, 0, true});
    const bool proved = checked && load <= bound;
    result.bound = proved ? result.value : std::min(result.value, costs_.seconds(bound));
    result.elements = parts_.elements();
    result.given_up = given_up;
    return proved ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }

  const operator_graph& graph_;
  const merge_request& request_;
  contraction parts_;
  operator_costs costs_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<merged_layers> merge_layers_fn::operator()(const operator_graph& graph,
                                                                 const merge_request& request) const {
  if (request.parts == 0) detail::fail(argument_error("merge_layers", "parts", "0", "must be at least 1"));
  if (request.most_work && (is_nan(*request.most_work) || is_negative(*request.most_work))) {
    detail::fail(
        argument_error("merge_layers", "most_work", std::to_string(*request.most_work), "must not be negative"));
  }
  if (!request.time_weight) return detail::layers_merged(graph, request).run();
  const operator_graph weighted = weighted_operators(graph, *request.time_weight);
  return detail::layers_merged(weighted, request).run();
}

}  // namespace stagecut::inline STAGECUT_ABI
