// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/virtual_stages.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/detail/deadline.hpp>
#include <stagecut/core/detail/search_limits.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/chunk_search.hpp>
#include <stagecut/graph/detail/flow_bounds.hpp>
#include <stagecut/graph/detail/load_bounds.hpp>
#include <stagecut/graph/detail/load_work.hpp>
#include <stagecut/graph/detail/explain_infeasible_partition.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/minimize_load.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/graph/stage_figures.hpp>
#include <stagecut/graph/virtual_partition.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The same with one chunk per device.
[[nodiscard]] inline load_request contiguous_request(const virtual_stage_request& request) {
  load_request result{request.devices, request.cpus, request.at_most, request.method, request.load};
  result.search = request.search;
  return result;
}

/// Assigns chunks of a graph's elements to devices.
class chunk_solver {
 public:
  using ticks = operator_costs::ticks;
  using answer = outcome<virtual_partition>;

  chunk_solver(const operator_graph& graph, const virtual_stage_request& request) : graph_(graph), request_(request) {}

  [[nodiscard]] answer run() {
    const contraction parts(graph_);
    const std::size_t n = parts.elements();
    chunks_ = std::min(request_.stages_per_rank, std::max<std::size_t>(n, 1));
    const outcome<graph_partition> begin = contiguous();
    if (begin) best_contiguous_ = begin->value;
    if (is_plain() || (begin && n == 0)) return as_chunks(begin);
    counts_ = {request_.devices, request_.cpus, request_.at_most};
    const operator_costs costs(graph_, parts, repeated_options(), devices() * chunks_);
    if (auto why = explain_infeasible_partition(graph_, parts, costs, counts_)) return answer::infeasible(*std::move(why));
    numbered_ = request_.load.constants.size() > 1 || !request_.load.speeds.empty();
    for (const graph_operator& each : graph_.operators) numbered_ = numbered_ || each.stage != graph_operator::none;
    if (!numbered_) {  // further ones have nothing to hold
      counts_.devices = std::min(counts_.devices, n);
      counts_.cpus = std::min(counts_.cpus, n);
    }
    chunk_search search(parts.below(), costs, counts_, chunks_, request_.search.seed);
    if (begin) start(search, parts, *begin);
    if (begin) rounds_ = begin->statistics.nodes / rounds_in_one();
    asked_ = rounds_ * asked_in_round;
    look(search, costs);
    if (search.best() == nullptr) return answer::unknown({});
    virtual_partition result = described(parts, costs, *search.best());
    const bool proved = search.best()->value <= bound_;
    const double bound = costs.seconds(bound_);
    result.bound = proved || bound > result.value ? result.value : bound;
    return proved ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }

 private:
  [[nodiscard]] std::size_t devices() const noexcept { return counts_.devices + counts_.cpus; }

  /// Whether more than one chunk per device is pointless.
  [[nodiscard]] bool is_plain() const noexcept { return request_.stages_per_rank == 1 || request_.devices + request_.cpus == 1; }

  /// The best with one chunk per device; if more are allowed, in half of the time.
  [[nodiscard]] outcome<graph_partition> contiguous() const {
    load_request one = contiguous_request(request_);
    if (is_plain()) return minimize_load(graph_, one);
    if (one.search.time_limit) *one.search.time_limit /= 2;
    if (one.search.node_limit) {
      const std::size_t most = std::numeric_limits<std::size_t>::max() / rounds_in_one();
      *one.search.node_limit = std::min(*one.search.node_limit, most) * rounds_in_one() / 2;
    }
    const auto tell = [&](search_progress now) {
      now.bound = 0;  // more chunks may need less
      request_.search.progress(now);
    };
    if (request_.search.progress) one.search.progress = tell;
    return minimize_load(graph_, one);
  }

  /// One chunk per device as an answer.
  [[nodiscard]] answer as_chunks(const outcome<graph_partition>& found) const {
    if (found.state() == state::infeasible) return answer::infeasible(found.why());
    if (!found) return answer::unknown(found.why());
    virtual_partition result;
    result.assignment = found->assignment;
    for (std::size_t s = 0; s < found->stages.size(); ++s) result.device_of.push_back(s);
    result.devices = found->stages;
    result.value = result.contiguous_load = found->value;
    result.bound = found->bound;
    result.elements = found->elements;
    result.statistics.nodes = found->statistics.nodes;
    return found.state() == state::optimal ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }

  /// Repeats the options of a device for all its chunks, so that ticks are small enough for these.
  [[nodiscard]] load_options repeated_options() const {
    load_options result = request_.load;
    for (std::vector<double>* const each : {&result.constants, &result.speeds}) {
      const std::size_t size = each->size();
      if (size < 2 && each == &result.constants) continue;
      each->reserve(size * chunks_);
      for (std::size_t i = size; i < size * chunks_; ++i) each->push_back((*each)[i - size]);
    }
    return result;
  }

  void start(chunk_search& search, const contraction& parts, const graph_partition& begin) const {
    element_stages<ticks> from;
    for (const graph_stage& stage : begin.stages) from.kinds.push_back(stage.on_cpu ? 1 : 0);
    const auto add = [&](const std::vector<std::size_t>& stage_of) {
      from.stage_of.clear();
      for (std::size_t e = 0; e < parts.elements(); ++e) {
        from.stage_of.push_back(static_cast<std::uint32_t>(stage_of[parts.operators_of(e)[0]]));
      }
      const std::size_t most = *std::max_element(from.stage_of.begin(), from.stage_of.end());
      if (most < from.kinds.size()) search.know(from);
    };
    add(begin.assignment);
    for (const auto& other : begin.others) add(other);
  }

  /// About how many rounds of `minimize_load` take as long as one here; a time limit is shared by both.
  [[nodiscard]] std::size_t rounds_in_one() const noexcept { return request_.search.time_limit ? 1 : 8; }

  /// A round of a large graph makes more moves than one of a small graph: rounds end at their common budget.
  static constexpr std::size_t asked_in_round = 100;  // each after 1024 moves
  [[nodiscard]] bool spent() {
    ++asked_;
    return !request_.search.time_limit && asked_ >= asked_in_round &&
           spent_all(request_.search, asked_ / asked_in_round - 1);
  }

  [[nodiscard]] bool over() { return end_.over(); }

  void look(chunk_search& search, const operator_costs& costs) {
    const auto stop = [this] { return over() || spent(); };
    const operator_set empty(costs);
    bound_ = weight_bound(empty, counts_);
    const auto best = [&] {
      return search.best() == nullptr ? std::numeric_limits<ticks>::max() : search.best()->value;
    };
    for (std::size_t i = 0; best() > bound_ && !over(); ++i) {
      if (spent_all(request_.search, rounds_)) break;
      if (i == 12 && costs.size() <= 20000) raise(costs, best());
      const ticks before = best();
      search.improve(stop);
      ++rounds_;
      if (best() < before || i % 16 == 15) tell(search, costs);
    }
    if (best() > bound_ && bounds_left_ && costs.size() <= 20000) raise(costs, best());
  }

  /// Improves the bound by minimum cuts, which hold for all sets, including the chunks of one device; it may take a
  /// quarter of the time, or of the rounds if only these are limited.
  void raise(const operator_costs& costs, ticks best) {
    bounds_left_ = false;
    deadline quarter(quarter_of(request_.search.time_limit));
    const std::size_t n = costs.size();
    const std::size_t most = most_work(request_.search, 0.25 * static_cast<double>(rounds_in_one()), n);
    std::size_t work = 0;
    const auto stop = [&] {
      work += work_of_flow(n);
      return over() || work > most || quarter.over();
    };
    flow_bounds bounds(costs, counts_);
    bound_ = std::max(bound_, bounds.cover(bounds.flow(bound_, stop), best, stop));
  }

  void tell(const chunk_search& search, const operator_costs& costs) const {
    if (!request_.search.progress) return;
    const double load = search.best() == nullptr ? 0 : costs.seconds(search.best()->value);
    request_.search.progress({end_.seconds(), load, costs.seconds(bound_), rounds_});
  }

  [[nodiscard]] virtual_partition described(const contraction& parts, const operator_costs& costs,
                                            placed_chunks best) const {
    if (!numbered_) number_by_use(best);
    virtual_partition result;
    const std::vector<std::uint32_t> chunks = parts.expanded(best.chunk_of);
    result.assignment.assign(chunks.begin(), chunks.end());
    result.device_of.assign(best.device_of.begin(), best.device_of.end());
    const std::size_t used = *std::max_element(best.device_of.begin(), best.device_of.end()) + std::size_t{1};
    best.kinds.resize(used);
    std::vector<std::size_t> on;
    for (const std::uint32_t each : chunks) on.push_back(best.device_of[each]);
    load_options options = request_.load;
    options.in_flight = false;
    result.devices = stage_figures(graph_, on, best.kinds, options);
    const std::size_t last = result.device_of.size();
    std::vector<bool> holds(used);
    for (std::size_t v = 0; v < on.size(); ++v) {
      holds[on[v]] = true;
      const auto more = static_cast<double>(costs.in_flight(chunks[v], last) - 1);
      result.devices[on[v]].memory += more * graph_.operators[v].activations;
    }
    for (std::size_t d = 0; d < used; ++d) {
      if (!holds[d]) result.devices[d].load = 0;
      result.value = std::max(result.value, result.devices[d].load);
    }
    result.contiguous_load = best_contiguous_;
    result.elements = parts.elements();
    result.statistics.nodes = rounds_;
    return result;
  }

  const operator_graph& graph_;
  const virtual_stage_request& request_;
  stage_counts counts_{};
  std::size_t chunks_ = 1;
  bool numbered_ = false;  // whether it matters which device is which
  double best_contiguous_ = 0;
  ticks bound_ = 0;
  bool bounds_left_ = true;
  std::size_t rounds_ = 0;
  std::size_t asked_ = 0;  // whether a round has to end
  deadline end_{request_.search.time_limit, request_.search.stop, request_.search.ended};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<virtual_partition> virtual_stages_fn::operator()(const operator_graph& graph,
                                                                       const virtual_stage_request& request) const {
  if (request.stages_per_rank == 0) detail::fail(argument_error("virtual_stages", "stages_per_rank", "0", "must be at least 1"));
  if (request.stages_per_rank >> 20U != 0) {
    detail::fail(argument_error("virtual_stages", "stages_per_rank", std::to_string(request.stages_per_rank), "must be below 2^20"));
  }
  detail::check_load_request(detail::contiguous_request(request), "virtual_stages");
  return detail::recorded(
      request, [&](const virtual_stage_request& asked) { return detail::chunk_solver(graph, asked).run(); });
}

}  // namespace stagecut::inline STAGECUT_ABI
