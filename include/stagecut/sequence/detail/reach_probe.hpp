// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/sequence/detail/probe.hpp>
#include <stagecut/sequence/detail/reach_chain.hpp>
#include <stagecut/sequence/detail/rightmost_end.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether a chain can be cut into stages that cost at most `bound` each, if the longest stage need not be the best:
/// stages differ, or a cost is not monotone on both sides. From the end of the chain, computes for every stage all items
/// with which it can begin. See `probe` for the rest; docs/chains.md, "Stages that differ", for the reasons.
template <class Model, class Constraint>
class reach_probe {
 public:
  using chain_type = reach_chain<Model, Constraint>;
  using cost_type = typename chain_type::cost_type;

  reach_probe(const chain_type& chain, const cost_type& bound, cost_type enough, reach_sets& where)
      : chain_(chain), bound_(bound), next_(std::move(enough)), where_(where), stages_(where.stages()) {}

  [[nodiscard]] verdict<cost_type> run(cost_type least) {
    limit();
    bool greedy = false;
    if constexpr (chain_type::worked) {
      if (!reach_left()) return {false, std::move(next_)};
      greedy = can_be_lowest();
      if (!greedy && !reach_right()) return {false, std::move(next_)};
    }
    if (!greedy && !go_back()) return {false, std::move(next_)};
    cost_type costliest = std::move(least);
    for (std::size_t s = 0; s < stages_; ++s) {
      where_.cut[s + 1] = greedy ? where_.lowest[s + 1] : end_of(s, where_.cut[s]);
      cost_type here = chain_.cost(s, where_.cut[s], where_.cut[s + 1]);
      if (costliest < here) costliest = std::move(here);
    }
    return {true, std::move(costliest)};
  }

 private:
  /// Whether a stage is within the bound. Records the smallest cost that is not.
  bool within(std::size_t s, std::size_t first, std::size_t last) {
    return chain_.allowed(s, first, last) && keeps(chain_.beside_messages(s, first, last));
  }
  /// Whether it can be, by the monotone lower bound.
  bool may_be_within(std::size_t s, std::size_t first, std::size_t last) {
    return chain_.allowed(s, first, last) && keeps(chain_.work(s, first, last));
  }
  bool keeps(cost_type here) {
    if (here <= bound_) return true;
    detail::lower_to(next_, std::move(here));
    return false;
  }

  /// Whether a message over the boundary before stage s is within the bound.
  bool message(std::size_t s, std::size_t item) {
    if constexpr (chain_type::overlapped) {
      if (s != 0 && s != stages_) return keeps(chain_.model.message(s - 1, item));
    }
    return true;
  }

  /// Sets the first items of every stage that its neighbours allow.
  void limit() {
    where_.highest[0] = where_.lowest[0] = 0;
    for (std::size_t s = 1; s < stages_; ++s) {
      where_.lowest[s] = chain_.gap * s;
      where_.highest[s] = where_.items() - chain_.gap * (stages_ - s);
    }
  }

  /// Computes how far left stages reach if some may be empty; returns whether they reach the first item.
  bool reach_left() {
    for (std::size_t s = stages_; s-- > 1;) {
      const std::size_t last = where_.lowest[s + 1];
      const std::size_t least = where_.lowest[s];
      where_.lowest[s] =
          detail::gallop(least, last, where_.cut[s], [&](std::size_t first) { return may_be_within(s, first, last); });
      if (where_.lowest[s] > where_.highest[s]) return false;
    }
    return may_be_within(0, 0, where_.lowest[1]);
  }

  /// Whether these are valid cut points: no others are further left.
  bool can_be_lowest() {
    for (std::size_t s = 0; s < stages_; ++s) {
      const std::size_t first = where_.lowest[s];
      const std::size_t last = where_.lowest[s + 1];
      if (first == last && (chain_.gap != 0 || !within(s, first, last))) return false;
      if (!message(s, first)) return false;
      if constexpr (separable_cost<Model>) {
        if (!keeps(chain_.cost(s, first, last))) return false;
      }
    }
    return true;
  }

  /// Computes how far right stages reach if some may be empty.
  bool reach_right() {
    for (std::size_t s = 0; s + 1 < stages_; ++s) {
      const std::size_t from = where_.highest[s];
      where_.highest[s + 1] = detail::rightmost_end(
          from, where_.highest[s + 1], from, [&](std::size_t last) { return may_be_within(s, from, last); });
      if (where_.highest[s + 1] < where_.lowest[s + 1]) return false;
    }
    return true;
  }

  bool go_back() {
    for (std::size_t s = stages_; s-- > 0;) {
      where_.begins[s].assign(where_.highest[s] - where_.lowest[s] + 1, 0);
      bool any = false;
      if constexpr (chain_type::right) {
        any = by_nearest(s);
      } else if constexpr (separable_cost<Model> && std::same_as<Constraint, no_constraint>) {
        any = by_cheapest_end(s);
      } else {
        any = by_ends(s);
      }
      if (!any) return false;
    }
    return true;
  }

  /// The first item from `item` on with which the next stage can begin; items() + 1 if there is none.
  std::size_t nearest(std::size_t s, std::size_t item) const {
    if (item < where_.lowest[s + 1]) item = where_.lowest[s + 1];
    while (item <= where_.highest[s + 1] && !where_.at(s + 1, item)) ++item;
    return item <= where_.highest[s + 1] ? item : where_.items() + 1;
  }

  /// For right-monotone costs: the nearest end is best.
  bool by_nearest(std::size_t s) {
    bool any = false;
    std::size_t end = nearest(s, where_.highest[s] + chain_.gap);
    for (std::size_t first = where_.highest[s] + 1; first-- > where_.lowest[s];) {
      if (where_.at(s + 1, first + chain_.gap)) end = first + chain_.gap;
      if (end > where_.items() || !message(s, first) || !within(s, first, end)) continue;
      where_.begins[s][first - where_.lowest[s]] = 1;
      any = true;
    }
    return any;
  }

  /// For separable costs without a constraint: the end that adds the least is best.
  bool by_cheapest_end(std::size_t s) {
    bool any = false;
    const auto& model = chain_.model;
    using end_type = decltype(detail::separable_end(model, s, 0));
    end_type cheapest{};
    bool known = false;
    const auto add = [&](std::size_t end) {
      if (!where_.at(s + 1, end)) return;
      const end_type here = detail::separable_end(model, s, end);
      if (!known || here < cheapest) cheapest = here;
      known = true;
    };
    for (std::size_t end = where_.highest[s + 1]; end > where_.highest[s] + chain_.gap; --end) add(end);
    for (std::size_t first = where_.highest[s] + 1; first-- > where_.lowest[s];) {
      add(first + chain_.gap);
      if (!known) continue;
      if (!keeps(static_cast<cost_type>(detail::difference(cheapest, detail::separable_begin(model, s, first)))))
        continue;
      where_.begins[s][first - where_.lowest[s]] = 1;
      any = true;
    }
    return any;
  }

  /// For left-monotone costs: each end is valid for all first items from one on.
  bool by_ends(std::size_t s) {
    std::vector<char>& begins = where_.begins[s];
    std::vector<std::size_t> opened(begins.size() + 1);  // ends whose first items begin here
    std::vector<std::size_t> closed(begins.size() + 1);  // ends whose first items end before here
    const std::size_t lowest = where_.lowest[s];
    for (std::size_t end = nearest(s, lowest + chain_.gap); end <= where_.items(); end = nearest(s, end + 1)) {
      const std::size_t beyond = end - chain_.gap + 1;
      const std::size_t first =
          detail::gallop(lowest, beyond, lowest, [&](std::size_t i) { return within(s, i, end); });
      if (first - lowest >= begins.size()) continue;
      ++opened[first - lowest];
      ++closed[beyond - lowest < begins.size() ? beyond - lowest : begins.size()];
    }
    bool any = false;
    std::size_t open = 0;
    for (std::size_t i = 0; i < begins.size(); ++i) {
      open += opened[i];
      open -= closed[i];
      begins[i] = open != 0 ? 1 : 0;
      any = any || open != 0;
    }
    return any;
  }

  /// The smallest end of stage s within the bound.
  std::size_t end_of(std::size_t s, std::size_t first) {
    const std::size_t end = nearest(s, first + chain_.gap);
    if constexpr (!chain_type::right) {
      for (std::size_t other = end; other <= where_.items(); other = nearest(s, other + 1)) {
        if (chain_.allowed(s, first, other) && chain_.cost(s, first, other) <= bound_) return other;
      }
    }
    return end;
  }

  const chain_type& chain_;
  const cost_type& bound_;
  cost_type next_;
  reach_sets& where_;
  std::size_t stages_;
};

/// See `reach_probe`, and the other `probe`s.
///
/// With monotone work O(k log n) calls of cost and constraint, and two for every item in the window of a cut point; for a
/// right-monotone or separable cost O(k n); for a left-monotone cost O(k n log n).
template <class Model, class Constraint, class Cost = cost_t<Model>>
[[nodiscard]] verdict<Cost> probe(const reach_chain<Model, Constraint>& chain, const Cost& bound, Cost least,
                                  Cost enough, reach_sets& where) {
  return reach_probe<Model, Constraint>(chain, bound, std::move(enough), where).run(std::move(least));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
