// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/incumbent.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/whole_ticks.hpp>
#include <stagecut/makespan/detail/cut_search.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/parts/cut_space.hpp>
#include <stagecut/makespan/parts/problem_access.hpp>
#include <stagecut/makespan/search_backends.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds the best cut of a graph of cuts, and decides whether any is below a makespan, with the help of the request's
/// enumerator and bound provider.
class destructive_bounding {
 public:
  destructive_bounding(const engine::chain_ticks& chain, const makespan_request& request,
                       const engine::stage_layout& layout, const engine::cut_rules& rules,
                       engine::cut_simulator& simulator, cut_space& space, engine::search_clock& clock,
                       engine::incumbent& best)
      : chain_(chain),
        request_(request),
        order_(request.schedule),
        layout_(layout),
        rules_(rules),
        simulator_(simulator),
        space_(space),
        clock_(clock),
        best_(best) {}

  /// The cut with the smallest bottleneck bound is often the best one.
  void take_bound_cut(const engine::layered_graph& graph) {
    const std::vector<std::uint32_t> path = graph.least_path();
    if (path.size() != layout_.steps() + 1) return;
    std::vector<std::size_t> points(chain_.stages + 1);
    points.back() = chain_.items;
    for (std::size_t t = 0; t + 1 < path.size(); ++t) {
      const auto& u = graph.nodes[path[t]];
      for (std::size_t j = 0; j < layout_.width(t); ++j) {
        points[layout_.stage(t, j)] = layout_.part(j, u, graph.nodes[path[t + 1]]).first;
      }
    }
    if (engine::allowed_cut(order_, rules_, points)) best_.offer(points, simulator_(points));
  }

  /// Proves that no cut has makespan `most` or less, or finds one: docs/makespan.md, The search.
  void attempt(double most, std::size_t nodes) {
    engine::layered_graph graph = space_.within(most);
    if (clock_.look() || exhaust(graph, most)) return;
    const auto better = [&](view<const std::size_t> points, double value) {
      best_.offer(points, value);
      return value - 1;
    };
    const auto left =
        graph.edges.empty() ? cut_search::result::none : space_.search()(graph, most, nodes, true, better);
    if (left == cut_search::result::none) raise_above(most);
  }

  /// Starts anew, with ticks of another size.
  void restart() {
    claimed_ = 0;
    asked_ = false;
  }

  /// Asks the bound provider, if any. A trusted one raises the bound; what another one claims is remembered for
  /// `attempt_claimed`. Asks only once.
  void ask_for_bound() {
    const bound_provider& provider = request_.backends.bound_provider;
    if (asked_ || !provider || best_.proved() || clock_.look()) return;
    asked_ = true;
    double seconds = std::numeric_limits<double>::infinity();
    if (request_.search.time_limit) seconds = (*request_.search.time_limit - clock_.state.seconds) / 4;
    const double end = detail::seconds_now() + seconds;
    const auto stop = [&] { return clock_.look() || detail::seconds_now() >= end; };
    const engine::cut_problem problem{chain_, order_, request_.transfers, rules_};
    const bound_call call{.problem = problem_access::problem(problem, simulator_),
                          .bound = best_.bound() * chain_.tick,
                          .value = best_.makespan() * chain_.tick,
                          .seconds = seconds,
                          .stop = stop};
    // Makespans are whole ticks. The bound may be too large by some roundings of its computation.
    const double claimed = engine::whole_ticks_up(provider(call) / chain_.tick * (1 - 0x1p-51));
    clock_.state.evaluations = simulator_.simulations;
    if (!(claimed > best_.bound())) return;  // nothing new, or NaN
    if (provider.trusted) {
      best_.raise(claimed);
    } else {
      claimed_ = claimed;
    }
  }

  /// Attempts to prove the claim of a bound provider that is not trusted, up to a makespan.
  void attempt_claimed(double most, std::size_t nodes) {
    const double target = claimed_ - 1 < most ? claimed_ - 1 : most;
    if (claimed_ > best_.bound() && target >= best_.bound()) attempt(target, nodes);
  }

  /// Attempts a 32nd of the way from the bound to the best, an eighth, half and all of it: low targets finish soon, and
  /// what they teach makes the last one easy.
  void attempt_all(std::size_t nodes) {
    space_.shrink(best_.makespan());
    attempt_claimed(best_.makespan() - 1, nodes);
    for (const double part : {32.0, 8.0, 2.0, 1.0}) {
      if (best_.proved() || clock_.look()) return;
      const double gap = best_.makespan() - 1 - best_.bound();
      attempt(best_.bound() + engine::whole_ticks(gap / part), nodes);
    }
  }

 private:
  /// Raises the bound: no cut takes `most` or less, except the known ones.
  void raise_above(double most) { best_.raise((most < best_.makespan() - 1 ? most : best_.makespan() - 1) + 1); }

  /// Lets the enumerator, if any, evaluate all cuts of a graph. Returns whether it did, and is trusted.
  bool exhaust(const engine::layered_graph& graph, double most) {
    const cut_enumerator& enumerator = request_.backends.enumerator;
    if (!enumerator || graph.edges.empty()) return false;
    double seconds = std::numeric_limits<double>::infinity();
    if (request_.search.time_limit) seconds = *request_.search.time_limit - clock_.state.seconds;
    const engine::cut_problem problem{chain_, order_, request_.transfers, rules_};
    const double last = most < best_.makespan() - 1 ? most : best_.makespan() - 1;
    const auto stop = [this] { return clock_.look(); };
    std::vector<std::size_t> points(chain_.stages + 1);
    const enumeration_call call{.problem = problem_access::problem(problem, simulator_),
                                .cuts = problem_access::cuts(graph, layout_, chain_.items),
                                .most = last * chain_.tick,
                                .seconds = seconds,
                                .stop = stop};
    const enumeration_answer answer = enumerator(call, points);
    clock_.state.evaluations = simulator_.simulations;
    if (answer == enumeration_answer::none && enumerator.trusted) return raise_above(last), true;
    return answer == enumeration_answer::found && take(points) && enumerator.trusted;
  }

  /// Takes the cut that an enumerator found, if it is a cut and allowed; from a trusted one no other cut is better.
  /// Returns whether it was taken.
  bool take(view<const std::size_t> points) {
    if (!engine::is_cut(points, chain_.items) || !engine::allowed_cut(order_, rules_, points)) return false;
    const double makespan = simulator_(points);
    best_.offer(points, makespan);
    if (request_.backends.enumerator.trusted) best_.raise(makespan);
    clock_.state.evaluations = simulator_.simulations;
    return true;
  }

  const engine::chain_ticks& chain_;
  const makespan_request& request_;
  const schedule& order_;
  const engine::stage_layout& layout_;
  const engine::cut_rules& rules_;
  engine::cut_simulator& simulator_;
  cut_space& space_;
  engine::search_clock& clock_;
  engine::incumbent& best_;
  double claimed_ = 0;  // by a bound provider that is not trusted, in ticks
  bool asked_ = false;  // whether the bound provider was asked
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
