// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/merged_items.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/sequence/best_stages.hpp>
#include <stagecut/sequence/block_partition.hpp>
#include <stagecut/sequence/fewest_stages.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/minimize_bottleneck_then.hpp>
#include <stagecut/sequence/minimize_leximax.hpp>
#include <stagecut/sequence/minimize_objective.hpp>
#include <stagecut/sequence/minimize_range.hpp>
#include <stagecut/sequence/minimize_total.hpp>
#include <stagecut/sequence/minimize_variance.hpp>
#include <stagecut/testing/check_axioms.hpp>
#include <stagecut/testing/check_constraint.hpp>
#include <stagecut/testing/check_objective.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "liars.hpp"

// Every algorithm of the room on one model: what comes out is well formed, and true where nobody lied.
namespace liars {

using stagecut::empty_stages;

/// Fails unless there is a cut into k stages, or a reason why there is none.
template <class Answer>
bool sound(const stagecut::outcome<Answer>& answer, std::size_t items, std::size_t stages,
           empty_stages empty = empty_stages::forbidden) {
  if (!answer) {
    require(answer.state() == stagecut::state::infeasible);
    require(answer.why().what != stagecut::reason::cause::limit_reached && !answer.why().text().empty());
    return false;
  }
  require(answer.state() == stagecut::state::optimal || answer.state() == stagecut::state::feasible);
  const auto points = answer->cuts.points();
  require(points.size() == stages + 1 && points[0] == 0 && points[stages] == items);
  for (std::size_t s = 0; s < stages; ++s) {
    require(points[s] < points[s + 1] || (points[s] == points[s + 1] && empty == empty_stages::allowed));
  }
  return true;
}

template <class T>
double number(const T& cost) {
  if constexpr (std::is_same_v<T, rank>) {
    return cost.value;
  } else {
    return static_cast<double>(cost);
  }
}

/// What the costs of stages come to.
/// @{
using costs = std::vector<double>;
inline double worst(const costs& all) { return *std::max_element(all.begin(), all.end()); }
inline double sum(const costs& all) {
  double result = 0;
  for (const double each : all) result += each;
  return result;
}
inline double spread(const costs& all) { return worst(all) - *std::min_element(all.begin(), all.end()); }
inline double variance(const costs& all) {
  const double mean = sum(all) / static_cast<double>(all.size());
  double result = 0;
  for (const double each : all) result += (each - mean) * (each - mean);
  return result / static_cast<double>(all.size());
}
inline costs descending(costs all) {
  std::sort(all.begin(), all.end(), std::greater<>());
  return all;
}
/// @}

/// The least value of any cut into allowed stages.
template <class Model, class Rule, class Value>
auto least(const Model& model, std::size_t stages, const Rule& allowed, empty_stages empty, const Value& value) {
  std::optional<decltype(value(costs()))> best;
  const std::size_t gap = empty == empty_stages::allowed ? 0 : 1;
  costs all;
  const auto extend = [&](const auto& self, std::size_t first) -> void {
    const std::size_t s = all.size();
    if (s == stages) {
      auto here = value(all);
      if (!best || here < *best) best = std::move(here);
      return;
    }
    for (std::size_t last = s + 1 == stages ? model.size() : first + gap; last <= model.size(); ++last) {
      if (last < first + gap || !allowed(s, first, last)) continue;
      all.push_back(number(stagecut::detail::price(model, s, first, last)));
      self(self, last);
      all.pop_back();
    }
  };
  extend(extend, 0);
  return best;
}

/// One model, a number of stages, and a rule that the stages keep to.
template <class Model, class Rule>
struct calls {
  const Model& model;
  std::size_t stages;
  const Rule& allowed;
  bool honest;  ///< of model and rule; only then is the answer known

  using cost_type = stagecut::cost_t<Model>;
  static constexpr bool numbers = stagecut::arithmetic<cost_type>;
  [[nodiscard]] std::size_t items() const { return model.size(); }

  /// Checks an answer whose true value is `value` of the costs.
  template <class Answer, class Read, class Value>
  void check(const Answer& answer, const Read& read, const Value& value,
             empty_stages empty = empty_stages::forbidden) const {
    const bool any = sound(answer, items(), stages, empty);
    if (!honest) return;
    const auto best = least(model, stages, allowed, empty, value);
    require(best.has_value() == any);
    if (any) require(read(answer->value) == *best);
  }
  template <class Answer, class Value>
  void check(const Answer& answer, const Value& value, empty_stages empty = empty_stages::forbidden) const {
    check(
        answer, [](const auto& cost) { return number(cost); }, value, empty);
  }

  void bottleneck() const {
    check(stagecut::minimize_bottleneck(model, stages, allowed), worst);
    if constexpr (std::is_same_v<Rule, stagecut::detail::no_constraint>) {
      check(stagecut::minimize_bottleneck(model, stages), worst);
      if constexpr (stagecut::monotone_cost<Model>) {
        stagecut::bottleneck_workspace<cost_type> workspace;
        for (std::size_t k = stages; k > 0; k /= 2) {
          sound(stagecut::minimize_bottleneck(model, k, workspace), items(), k);
        }
        check(stagecut::minimize_bottleneck(model, stages, workspace), worst);
      }
    }
  }
  void bottleneck_of_some_empty() const {
    check(stagecut::minimize_bottleneck(model, stages, allowed, empty_stages::allowed), worst, empty_stages::allowed);
  }
  void leximax() const {
    const auto read = [](const auto& all) {
      costs result;
      for (const auto& each : all) result.push_back(number(each));
      return result;
    };
    check(stagecut::minimize_leximax(model, stages, allowed), read, descending);
  }
  void objectives() const {
    check(stagecut::minimize_objective(model, stages, stagecut::bottleneck{}, allowed), worst);
    if constexpr (numbers) {
      check(
          stagecut::minimize_objective(model, stages, stagecut::in_order{stagecut::total_cost{}, stagecut::bottleneck{}},
                                       allowed),
          [](const auto& pair) { return std::pair(number(pair.first), number(pair.second)); },
          [](const costs& all) {
            // As added up in the type of the costs.
            const double whole = sum(all);
            return std::pair(number(as_cost<cost_type>(static_cast<std::int64_t>(whole))), worst(all));
          });
    }
  }
  void then() const {
    const auto second = [&](const auto& within) {
      return stagecut::minimize_objective(model, stages, stagecut::leximax{}, within);
    };
    const auto answer = stagecut::minimize_bottleneck_then(model, stages, second, allowed);
    if (!answer) {
      require(answer.state() == stagecut::state::infeasible && !answer.why().text().empty());
    } else {
      const auto points = answer->best.cuts.points();
      require(points.size() == stages + 1 && points[stages] == items());
    }
    if (honest)
      require(answer.has_value() == least(model, stages, allowed, empty_stages::forbidden, worst).has_value());
  }
  void fewest(const cost_type& most) const {
    if constexpr (stagecut::interval_cost<Model> && stagecut::promises<Rule, stagecut::stage_invariant>) {
      const auto answer = stagecut::fewest_stages(model, most, allowed);
      sound(answer, items(), answer ? answer->value : 0);
    }
    const auto solve = [&](std::size_t k) { return stagecut::minimize_bottleneck(model, k, allowed); };
    const auto value = [](std::size_t, const auto& found) { return found.value; };
    const auto best = stagecut::best_stages(1, stages, solve, value);
    if (best)
      sound(stagecut::outcome<std::remove_cvref_t<decltype(best->answer)>>::optimal(best->answer), items(),
            best->stages);
  }
  template <class Extra>
  void total(const Extra& extra) const {
    try {
      const auto answer = stagecut::minimize_total(model, stages, allowed);
      if constexpr (std::is_same_v<Rule, stagecut::detail::no_constraint>) {
        sound(stagecut::minimize_total(model, stages), items(), stages);
      }
      check(answer, sum);
    } catch (const stagecut::invalid_input&) {
      // The total is out of range.
      if (honest)
        require(*least(model, stages, allowed, empty_stages::forbidden, sum) >
                number(std::numeric_limits<cost_type>::max()));
    }
    if constexpr (stagecut::invariant_number_cost<Model> && stagecut::promises<Rule, stagecut::stage_invariant>) {
      try {
        const auto answer = stagecut::minimize_total(model, stagecut::per_stage{extra}, allowed);
        if (answer) sound(answer, items(), answer->cuts.stages());
        if constexpr (std::is_same_v<Rule, stagecut::detail::no_constraint>) {
          const auto free = stagecut::minimize_total(model, stagecut::per_stage{extra});
          if (free) sound(free, items(), free->cuts.stages());
        }
        require(stagecut::is_finite(extra));
      } catch (const stagecut::argument_error&) {
        require(!stagecut::is_finite(extra));
      } catch (const stagecut::invalid_input&) {
      }
    }
  }
  void sums() const {
    if constexpr (stagecut::additive_cost<Model>) {
      check(stagecut::minimize_range(model, stages, allowed), spread);
      const auto level = stagecut::minimize_variance(model, stages, allowed);
      if (sound(level, items(), stages) && honest) {
        const double best = *least(model, stages, allowed, empty_stages::forbidden, variance);
        require(level->value <= best + 1e-9 * (1 + best) && level->value >= best - 1e-9 * (1 + best));
      }
      if constexpr (std::is_same_v<Rule, stagecut::detail::no_constraint>) {
        sound(stagecut::minimize_variance(model, stages), items(), stages);
        const auto blocks = stagecut::block_partition(model, stages);
        if (sound(blocks, items(), stages) && honest) require(!(blocks->value < blocks->bound));
      }
    }
  }
};

/// Whether the checks of promises find those that keep them, or end.
template <class Model>
void check_promises(const Model& model, std::size_t stages, bool honest, fuzz_bytes& bytes) {
  const std::size_t intervals = bytes.below(60);
  if constexpr (stagecut::interval_cost<Model>) {
    const auto report = stagecut::testing::check_axioms(model, intervals);
    require(report || !honest);
    require(!report.text().empty());
  } else {
    const auto report = stagecut::testing::check_axioms(model, stages, intervals);
    require(report || !honest);
  }
  using cost_type = stagecut::cost_t<Model>;
  std::vector<cost_type> some;
  for (std::size_t i = 0; i < 3; ++i) some.push_back(any_cost<cost_type>(bytes));
  static_cast<void>(stagecut::testing::check_objective(stagecut::bottleneck{}, some));
  static_cast<void>(stagecut::testing::check_objective(stagecut::leximax{}, some));
  if constexpr (stagecut::arithmetic<cost_type>) {
    static_cast<void>(stagecut::testing::check_objective(stagecut::total_cost{}, some));
    static_cast<void>(stagecut::testing::check_objective(stagecut::cost_range{}, some));
  }
}

/// One algorithm, by the next byte.
template <class Model, class Rule>
void call_any(const Model& model, std::size_t stages, const Rule& allowed, bool honest, fuzz_bytes& bytes) {
  using cost_type = stagecut::cost_t<Model>;
  const calls<Model, Rule> all{model, stages, allowed, honest && model.size() <= 12};
  switch (bytes.below(8)) {
    case 0: return all.bottleneck();
    case 1: return all.bottleneck_of_some_empty();
    case 2: return all.leximax();
    case 3: return all.objectives();
    case 4: return all.then();
    case 5: {
      const auto most = any_cost<cost_type>(bytes);
      if constexpr (stagecut::number_cost<Model>) {
        if (stagecut::is_nan(most)) return;  // it is refused
      }
      return all.fewest(most);
    }
    case 6:
      if constexpr (stagecut::number_cost<Model>) all.total(any_cost<cost_type>(bytes));
      return;
    default: return all.sums();
  }
}

/// One of those whose method depends on what the rule promises.
template <class Model, class Rule>
void call_some(const Model& model, std::size_t stages, const Rule& allowed, bool honest, fuzz_bytes& bytes) {
  const calls<Model, Rule> all{model, stages, allowed, honest && model.size() <= 12};
  if (bytes.one_in(2)) return all.bottleneck();
  if constexpr (stagecut::number_cost<Model>) {
    if (bytes.one_in(2)) return all.total(any_cost<stagecut::cost_t<Model>>(bytes));
  }
  all.bottleneck_of_some_empty();
}

/// The one whose method depends on a bound.
template <class Model>
void call_within(const Model& model, std::size_t stages, stagecut::cost_t<Model> bound, bool honest) {
  const stagecut::at_most<Model> cap(model, bound);
  const calls<Model, stagecut::at_most<Model>> all{model, stages, cap, honest && model.size() <= 12};
  all.check(stagecut::minimize_range(model, stages, cap), spread);
}

/// A model whose calls are those of others: under any rule; of devices of different speeds, and of blocks.
template <class Model>
void call_more(const Model& model, std::size_t stages, bool honest, fuzz_bytes& bytes) {
  const std::size_t n = model.size();
  const permissions told = make_permissions(bytes, n, stages, bytes.one_in(2));
  switch (bytes.below(4)) {
    case 0: return call_any(model, stages, keeping{told}, honest && told.keeps && told.hereditary, bytes);
    case 1: return call_any(model, stages, telling{told}, honest && told.keeps, bytes);
    case 2:
      static_cast<void>(stagecut::testing::check_constraint(keeping{told}, n, stages, 30));
      require(stagecut::testing::check_constraint(telling{told}, n, stages, 30) || !told.keeps);
      return;
    default: break;
  }
  std::vector<std::size_t> forbidden;
  for (std::size_t i = bytes.below(4); i-- > 0 && n > 1;) forbidden.push_back(1 + bytes.below(n - 1));
  const stagecut::forbidden_cuts cuts(n, forbidden);
  if (bytes.one_in(2)) {
    const stagecut::merged_items blocks(model, cuts);
    sound(stagecut::minimize_bottleneck(blocks, stages), blocks.size(), stages);
    return;
  }
  if constexpr (stagecut::number_cost<Model>) {
    std::vector<double> speeds;
    for (std::size_t s = 0; s < stages; ++s) speeds.push_back(1 + static_cast<double>(bytes.below(3)));
    const stagecut::at_speeds fast(model, speeds);
    sound(stagecut::minimize_bottleneck(fast, stages, cuts), n, stages);
    sound(stagecut::minimize_total(fast, stages, cuts), n, stages);
  }
}

/// A model, under a rule by the next byte.
template <class Model>
void call(const Model& model, std::size_t stages, bool honest, fuzz_bytes& bytes) {
  const std::size_t n = model.size();
  switch (bytes.below(4)) {
    case 0: return check_promises(model, stages, honest, bytes);
    case 1:
      if constexpr (stagecut::additive_cost<Model>) {
        const auto bound = any_cost<stagecut::cost_t<Model>>(bytes);
        if (!stagecut::is_nan(bound)) call_within(model, stages, bound, honest);
      } else {
        const permissions kept = make_permissions(bytes, n, stages, true);
        call_some(model, stages, keeping{kept}, honest && kept.keeps, bytes);
      }
      return;
    default: return call_any(model, stages, stagecut::detail::no_constraint{}, honest, bytes);
  }
}

/// A model in all its calls.
template <class Model>
struct full {};

/// What a model says, its items and stages, by the next bytes.
template <class Model, class Use>
void fuzz_with(fuzz_bytes& bytes, const Use& use) {
  const bool long_one = bytes.one_in(16);
  const std::size_t n = long_one ? bytes.below(64) : bytes.below(11);
  const std::size_t k = 1 + bytes.below(long_one && n > 4 ? 5 : n + 2);
  const auto said =
      make_answers<stagecut::cost_t<Model>>(bytes, n, k, Model::axioms::bits, stagecut::overlapped_cost<Model>);
  use(Model{said}, k, said.honest());
}

template <class Model>
void fuzz_model(fuzz_bytes& bytes, std::type_identity<Model>) {
  fuzz_with<Model>(bytes, [&](const Model& model, std::size_t k, bool honest) { call(model, k, honest, bytes); });
}
template <class Model>
void fuzz_model(fuzz_bytes& bytes, std::type_identity<full<Model>>) {
  const bool more = bytes.one_in(2);
  fuzz_with<Model>(bytes, [&](const Model& model, std::size_t k, bool honest) {
    more ? call_more(model, k, honest, bytes) : call(model, k, honest, bytes);
  });
}

/// One of several models.
template <class... Models>
void fuzz_one_of(fuzz_bytes& bytes) {
  std::size_t which = bytes.below(sizeof...(Models));
  const auto use = [&](auto fuzz) {
    if (which-- == 0) fuzz(bytes);
  };
  (use([](fuzz_bytes& rest) { fuzz_model(rest, std::type_identity<Models>()); }), ...);
}

}  // namespace liars
