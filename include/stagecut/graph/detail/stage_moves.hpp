// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/engine/seeded.hpp>
#include <stagecut/engine/annealing.hpp>
#include <stagecut/graph/detail/load_program.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Moves single elements between stages: out of the heaviest, the move that minimises the sum of high powers of all
/// loads, even if that increases. A moved element rests for a while.
template <set_cost Set>
class stage_moves {
 public:
  using value_type = set_value_t<Set>;

  /// @param below   which elements may not be on later stages than others
  /// @param empty   the empty set
  /// @param from    a partition that satisfies that
  /// @param counts  of devices
  /// @param random  for the rest periods; the objects must outlive this one
  stage_moves(const precedence& below, const Set& empty, const element_stages<value_type>& from,
              const stage_counts& counts, engine::seeded& random)
      : below_(below),
        stage_of_(from.stage_of),
        kinds_(from.kinds),
        may_empty_(counts.at_most),
        random_(random),
        sets_(from.kinds.size(), empty),
        members_(from.kinds.size()),
        rests_(stage_of_.size()) {
    for (std::size_t e = 0; e < stage_of_.size(); ++e) {
      sets_[stage_of_[e]].add(e);
      members_[stage_of_[e]].push_back(static_cast<precedence::element>(e));
    }
    for (std::size_t s = 0; s < sets_.size(); ++s) values_.push_back(sets_[s].value(role(s)));
    unit_ = static_cast<double>(from.value) > 0 ? static_cast<double>(from.value) : 1;
  }

  /// Moves one element.
  void step() {
    ++time_;
    std::size_t heaviest = 0;
    for (std::size_t s = 1; s < values_.size(); ++s) {
      if (values_[heaviest] < values_[s]) heaviest = s;
    }
    if (members_[heaviest].size() == 1 && !may_empty_) return;
    choice best;
    for (const precedence::element e : members_[heaviest]) {
      if (rests_[e] > time_) continue;
      const auto [least, most] = limits(e);
      for (std::size_t to = least; to <= most; ++to) {
        if (to != heaviest) consider(e, to, best);
      }
    }
    if (best.element != none) move(best.element, best.to);
  }

  /// Moves random elements: simulated annealing of the sum of powers.
  void anneal(std::size_t steps, double hot) {
    engine::annealing heat(hot, steps);
    for (std::size_t i = 0; i < steps; ++i, heat.cool()) {
      const std::size_t e = random_.below(stage_of_.size());
      const auto [least, most] = limits(e);
      const std::size_t from = stage_of_[e];
      if (least == most || (members_[from].size() == 1 && !may_empty_)) continue;
      const std::size_t to = least + random_.below(most - least);
      const double limit = heat.limit(random_);
      move_within(e, to < from ? to : to + 1, limit);
    }
  }

  /// The stage of each element; emptied stages are kept.
  void write(std::vector<std::uint32_t>& stage_of) const { stage_of = stage_of_; }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  struct choice {
    std::size_t element = none;
    std::size_t to = 0;
    double change = std::numeric_limits<double>::infinity();
  };

  [[nodiscard]] stage_role role(std::size_t s) const { return {kinds_[s], s, kinds_.size()}; }
  [[nodiscard]] double power(value_type value) const {
    const double share = static_cast<double>(value) / unit_;
    const double square = share * share;
    const double fourth = square * square;
    return fourth * fourth * fourth;
  }

  /// The stages allowed for an element, at most two away from its own.
  [[nodiscard]] std::pair<std::size_t, std::size_t> limits(std::size_t e) const {
    const std::size_t here = stage_of_[e];
    std::size_t least = here < 2 ? 0 : here - 2;
    std::size_t most = here + 2 < kinds_.size() ? here + 2 : kinds_.size() - 1;
    for (const precedence::element from : below_.predecessors(e)) {
      if (stage_of_[from] > least) least = stage_of_[from];
    }
    for (const precedence::element to : below_.successors(e)) {
      if (stage_of_[to] < most) most = stage_of_[to];
    }
    return {least, most};
  }

  void consider(std::size_t e, std::size_t to, choice& best) {
    const std::size_t from = stage_of_[e];
    sets_[to].add(e);
    const bool fits = set_fits(sets_[to], role(to));
    const value_type there = fits ? sets_[to].value(role(to)) : 0;
    sets_[to].remove(e);
    if (!fits) return;
    sets_[from].remove(e);
    const value_type here = sets_[from].value(role(from));
    sets_[from].add(e);
    const double change = power(here) + power(there) - power(values_[from]) - power(values_[to]);
    if (change < best.change) best = {e, to, change};
  }

  /// Moves an element if that increases the sum of powers by at most `limit`.
  void move_within(std::size_t e, std::size_t to, double limit) {
    const std::size_t from = stage_of_[e];
    sets_[to].add(e);
    if (set_fits(sets_[to], role(to))) {
      const value_type there = sets_[to].value(role(to));
      sets_[from].remove(e);
      const value_type here = sets_[from].value(role(from));
      if (power(here) + power(there) - power(values_[from]) - power(values_[to]) <= limit) {
        values_[from] = here;
        values_[to] = there;
        return enlist(e, to);
      }
      sets_[from].add(e);
    }
    sets_[to].remove(e);
  }

  void move(std::size_t e, std::size_t to) {
    const std::size_t from = stage_of_[e];
    sets_[from].remove(e);
    sets_[to].add(e);
    values_[from] = sets_[from].value(role(from));
    values_[to] = sets_[to].value(role(to));
    enlist(e, to);
    rests_[e] = time_ + 5 + random_.below(8);
  }
  void enlist(std::size_t e, std::size_t to) {
    std::erase(members_[stage_of_[e]], static_cast<precedence::element>(e));
    members_[to].push_back(static_cast<precedence::element>(e));
    stage_of_[e] = static_cast<std::uint32_t>(to);
  }

  const precedence& below_;
  std::vector<std::uint32_t> stage_of_;
  const std::vector<std::uint8_t>& kinds_;
  bool may_empty_;
  engine::seeded& random_;
  std::vector<Set> sets_;
  std::vector<std::vector<precedence::element>> members_;
  std::vector<std::size_t> rests_;  // for each element, until when
  std::vector<value_type> values_{};
  double unit_ = 1;
  std::size_t time_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
