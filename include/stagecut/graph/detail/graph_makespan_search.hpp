// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/graph_makespan_bound.hpp>
#include <stagecut/graph/detail/graph_plan_point.hpp>
#include <stagecut/graph/detail/linear_starts.hpp>
#include <stagecut/graph/detail/moving_stages.hpp>
#include <stagecut/graph/detail/operator_links.hpp>
#include <stagecut/graph/detail/plan_moves.hpp>
#include <stagecut/graph/graph_makespan_request.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Searches for a plan with a short makespan: prices the given assignments, and moves elements between stages of the
/// best.
class graph_makespan_search {
 public:
  graph_makespan_search(const operator_graph& graph, const contraction& elements, const graph_makespan_request& request,
                        std::vector<bool> pinned, double bound);

  /// Prices an assignment, and keeps it if it is one of the best.
  /// @pre `make_stage_pipeline` accepts it, and it splits no element
  void offer(view<const std::size_t> stage_of);

  /// Improves the best assignment offered.
  /// @pre at least one was offered
  void run();

  /// The best plan so far.
  [[nodiscard]] const plan_point& best() const noexcept { return kept_[0]; }
  [[nodiscard]] std::size_t simulations() const noexcept { return pricer_.runs(); }

 private:
  static constexpr std::size_t most_kept = 6;

  [[nodiscard]] bool proved() const noexcept;

  [[nodiscard]] bool over();

  void tell();

  /// Perturbs plans and improves them again; the perturbed plan need not be the best.
  void kick();

  /// Moves elements while the plan improves; adjusts the counts after each round of moves.
  void descend(plan_point& point);

  /// Swaps pairs of elements of two stages; in large graphs, random pairs.
  bool try_swaps(plan_point& point);

  /// Moves some elements to random stages.
  void disturb(plan_point& point);

  void shuffle(std::vector<std::size_t>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random_.remainder(i)]);
  }

  const operator_graph& graph_;
  const contraction& elements_;
  const graph_makespan_request& request_;
  operator_links links_;
  plan_pricer pricer_;
  engine::search_clock clock_;
  random_bits random_;
  double bound_;
  std::vector<bool> fixed_;          // elements that must stay where they are
  std::vector<std::size_t> free_{};  // the others
  plan_moves moves_;
  std::vector<plan_point> kept_{};  // the best that were offered, in order
};

inline graph_makespan_search::graph_makespan_search(const operator_graph& graph, const contraction& elements,
                                                    const graph_makespan_request& request, std::vector<bool> pinned,
                                                    double bound)
    : graph_(graph),
      elements_(elements),
      request_(request),
      links_(graph),
      pricer_(request.microbatches, request.transfers == transfer_kind::link, request.memory_limit.for_all(),
              request.at_most, pinned),
      clock_(request.search),
      random_(request.search.seed),
      bound_(bound),
      fixed_(elements.elements()),
      moves_(elements, pricer_, fixed_) {
  for (std::size_t e = 0; e < fixed_.size(); ++e) {
    for (const std::size_t v : elements.operators_of(e)) {
      if (graph.operators[v].stage != graph_operator::none) fixed_[e] = true;
    }
    if (!fixed_[e]) free_.push_back(e);
  }
  clock_.state.bound = bound;
}

inline void graph_makespan_search::offer(view<const std::size_t> stage_of) {
  if (!kept_.empty() && over()) return;
  plan_point point{moving_stages(graph_, links_, elements_, stage_of, request_.devices)};
  for (std::size_t s = 0; s < request_.devices; ++s) point.order.push_back(s);
  static_cast<void>(pricer_.price(point, plan_pricer::counts::screened));
  if (kept_.size() == most_kept) {  // a different warm-up rarely shortens an iteration by more
    plan_value hoped = point.value;
    hoped.makespan *= 0.9;
    if (kept_.back().value.better_than(hoped)) return;
  }
  static_cast<void>(pricer_.price(point, plan_pricer::counts::chosen));
  std::size_t place = kept_.size();
  while (place > 0 && point.value.better_than(kept_[place - 1].value)) --place;
  if (place >= most_kept) return;
  if (place > 0 && !kept_[place - 1].value.better_than(point.value)) return;  // a duplicate
  kept_.insert(kept_.begin() + static_cast<std::ptrdiff_t>(place), std::move(point));
  if (kept_.size() > most_kept) kept_.pop_back();
  if (place == 0) tell();
}

inline void graph_makespan_search::run() {
  for (plan_point& point : kept_) {
    if (proved()) return;
    descend(point);
    if (point.value.better_than(best().value)) std::swap(point, kept_[0]), tell();
  }
  kick();
  static_cast<void>(pricer_.price(kept_[0], plan_pricer::counts::exhausted));
}

inline bool graph_makespan_search::proved() const noexcept {
  return best().value.fits() && best().value.makespan <= bound_ * (1 + 2 * graph_makespan_bound::rounding);
}

inline bool graph_makespan_search::over() {
  clock_.state.nodes = clock_.state.evaluations = pricer_.runs();
  return clock_.over();
}

inline void graph_makespan_search::tell() {
  if (!best().value.fits()) return;
  clock_.state.value = best().value.makespan;
  clock_.state.nodes = clock_.state.evaluations = pricer_.runs();
  clock_.tell();
}

inline void graph_makespan_search::kick() {
  plan_point current = best();
  for (std::size_t kick = 0, since = 0; kick < request_.kicks && !proved() && !over(); ++kick) {
    plan_point changed = current;
    disturb(changed);
    descend(changed);
    if (!current.value.better_than(changed.value) || random_.remainder(16) == 0) current = changed;
    if (changed.value.better_than(best().value)) {
      kept_[0] = std::move(changed);
      tell();
      since = 0;
    } else if (++since % 12 == 0) {
      current = kept_[random_.remainder(kept_.size())];
    }
  }
}

inline void graph_makespan_search::descend(plan_point& point) {
  static_cast<void>(pricer_.price(point, plan_pricer::counts::chosen));
  for (bool better = true; better && !over();) {
    better = false;
    shuffle(free_);
    for (const std::size_t e : free_) {
      for (std::size_t to = 0; to < request_.devices && !over(); ++to) {
        if (to == point.stages.stage_of_element(e)) continue;
        if (moves_.alone(point, e, to) || moves_.with_others(point, e, to)) better = true;
      }
    }
    if (!better && try_swaps(point)) better = true;
    plan_value before = point.value;
    static_cast<void>(pricer_.price(point, plan_pricer::counts::chosen));
    if (point.value.better_than(before)) better = true;
  }
}

inline bool graph_makespan_search::try_swaps(plan_point& point) {
  bool better = false;
  const std::size_t n = free_.size();
  const bool all = n <= 64;
  const std::size_t pairs = all ? n * n : 4096;
  for (std::size_t i = 0; i < pairs && !over(); ++i) {
    const std::size_t a = free_[all ? i / n : random_.remainder(n)];
    const std::size_t b = free_[all ? i % n : random_.remainder(n)];
    const std::size_t from = point.stages.stage_of_element(a);
    const std::size_t to = point.stages.stage_of_element(b);
    if (from < to && moves_.swap(point, a, b)) better = true;
  }
  return better;
}

inline void graph_makespan_search::disturb(plan_point& point) {
  if (free_.empty()) return;
  for (std::size_t wanted = 1 + random_.remainder(4), tries = 0; wanted > 0 && tries < 100; ++tries) {
    const std::size_t e = free_[random_.remainder(free_.size())];
    const std::size_t to = random_.remainder(request_.devices);
    const std::size_t from = point.stages.stage_of_element(e);
    if (from == to) continue;
    point.stages.move(e, to);
    if (pricer_.price(point, plan_pricer::counts::kept)) {
      --wanted;
    } else {
      point.stages.move(e, from);
    }
  }
  static_cast<void>(pricer_.price(point, plan_pricer::counts::kept));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
