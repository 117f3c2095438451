// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/prefix_sums.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "arbitrary.hpp"

// Slow and obvious: the least total by its definition, and random costs that keep the axioms, to compare with.
namespace oracle {

using generator = std::mt19937_64;
using points_t = std::vector<std::size_t>;

inline points_t points_of(const stagecut::cuts& cuts) { return points_t(cuts.points().begin(), cuts.points().end()); }

/// Whether these are the cut points of n items in k non-empty stages.
inline bool valid(const points_t& points, std::size_t n, std::size_t k) {
  bool all = points.size() == k + 1 && points.front() == 0 && points.back() == n;
  for (std::size_t s = 1; all && s < points.size(); ++s) all = points[s - 1] < points[s];
  return all;
}

constexpr auto all_allowed = [](std::size_t, std::size_t, std::size_t) { return true; };

/// The cost of a stage of a model of either form.
template <class Model>
auto price(const Model& cost, std::size_t stage, std::size_t first, std::size_t last) {
  if constexpr (requires { cost(first, last); }) {
    return cost(first, last);
  } else {
    return cost(stage, first, last);
  }
}

/// The first in lexicographic order of the cheapest partitions of the items into `stages` non-empty allowed stages, or
/// into any number of them for 0, with its total; none if there is none. `extra` is added for each stage.
template <class Model, class Constraint, class Cost>
auto least_total(const Model& cost, std::size_t stages, const Constraint& allowed, Cost extra) {
  const std::size_t n = cost.size();
  std::optional<std::pair<points_t, Cost>> best;
  points_t cuts{0};
  const auto extend = [&](const auto& self, Cost before) -> void {
    const std::size_t s = cuts.size() - 1;
    const std::size_t first = cuts.back();
    for (std::size_t last = first + 1; last <= n; ++last) {
      if (stages != 0 && (s + 1 == stages) != (last == n)) continue;
      if (!allowed(s, first, last)) continue;
      const Cost sum = before + price(cost, s, first, last) + extra;
      cuts.push_back(last);
      if (last < n) {
        self(self, sum);
      } else if (!best || sum < best->second || (sum == best->second && cuts < best->first)) {
        best.emplace(cuts, sum);
      }
      cuts.pop_back();
    }
  };
  extend(extend, Cost{});
  return best;
}

/// The least total of k stages by the textbook dynamic program: O(k n²) costs.
template <class Model>
auto total_by_dynamic_program(const Model& cost, std::size_t stages) {
  using cost_type = std::remove_cvref_t<decltype(price(cost, 0, 0, 0))>;
  const std::size_t n = cost.size();
  std::vector<std::optional<cost_type>> best(n + 1);  // of the items [0, i)
  best[0] = cost_type{};
  for (std::size_t s = 0; s < stages; ++s) {
    for (std::size_t i = n + 1; i-- > 0;) {
      std::optional<cost_type> least;
      for (std::size_t j = 0; j < i; ++j) {
        if (!best[j]) continue;
        const cost_type here = *best[j] + price(cost, s, j, i);
        if (!least || here < *least) least = here;
      }
      best[i] = least;
    }
  }
  return *best[n];
}

template <class T>
std::vector<T> random_items(generator& random, std::size_t n) {
  std::vector<T> items(n);
  const std::uint64_t largest = 1 + random() % 12;
  for (T& item : items) item = static_cast<T>(random() % largest) * static_cast<T>(random() % 7 == 0 ? 9 : 1);
  return items;
}

/// Any costs of intervals, or of intervals by stage, from a table.
template <auto Promise, class Cost>
struct table_cost {
  using axioms = stagecut::axioms<Promise>;

  std::size_t items;
  std::size_t stages;  // 0: the same on every stage
  std::vector<Cost> costs;

  table_cost(std::size_t n, std::size_t k) : items(n), stages(k), costs((k == 0 ? 1 : k) * (n + 1) * (n + 1)) {}
  std::size_t size() const { return items; }
  Cost& at(std::size_t s, std::size_t i, std::size_t j) { return costs[(s * (items + 1) + i) * (items + 1) + j]; }
  Cost get(std::size_t s, std::size_t i, std::size_t j) const { return costs[(s * (items + 1) + i) * (items + 1) + j]; }
};

template <auto Promise, class Cost = std::int64_t>
struct interval_table : table_cost<Promise, Cost> {
  explicit interval_table(std::size_t n) : table_cost<Promise, Cost>(n, 0) {}
  Cost operator()(std::size_t i, std::size_t j) const { return this->get(0, i, j); }
};

template <auto Promise, class Cost = std::int64_t>
struct staged_table : table_cost<Promise, Cost> {
  using table_cost<Promise, Cost>::table_cost;
  Cost operator()(std::size_t s, std::size_t i, std::size_t j) const { return this->get(s, i, j); }
};

/// Fills one stage of a table: `sign` > 0 Monge, < 0 inverse Monge, 0 anything. Each pair of items that a stage holds
/// adds to its cost, or takes from it; besides, each end costs something.
template <class Table>
void fill(generator& random, Table& table, std::size_t s, int sign) {
  const std::size_t n = table.items;
  const auto draw = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  if (sign == 0) {
    for (std::size_t i = 0; i <= n; ++i) {
      for (std::size_t j = i; j <= n; ++j) table.at(s, i, j) = draw(20) - 5;
    }
    return;
  }
  const int scarce = 1 + draw(4);
  std::vector<int> begin(n + 1);
  std::vector<int> end(n + 1);
  for (auto& each : begin) each = draw(5) == 0 ? draw(12) - 4 : 0;
  for (auto& each : end) each = draw(5) == 0 ? draw(12) - 4 : 0;
  for (std::size_t width = 0; width <= n; ++width) {
    for (std::size_t i = 0; i + width <= n; ++i) {
      const std::size_t j = i + width;
      auto& pairs = table.at(s, i, j);
      pairs = 0;
      if (width == 0) continue;
      pairs = table.at(s, i + 1, j) + table.at(s, i, j - 1) - (width > 1 ? table.at(s, i + 1, j - 1) : 0);
      if (draw(scarce) == 0) pairs += sign * draw(4);
    }
  }
  for (std::size_t i = 0; i <= n; ++i) {
    for (std::size_t j = i; j <= n; ++j) table.at(s, i, j) += begin[i] + end[j];
  }
}

/// The number of different labels in an interval: submodular.
struct different_labels {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::inverse_monge>;
  std::vector<unsigned> label;

  different_labels(generator& random, std::size_t n) : label(n) {
    for (auto& each : label) each = static_cast<unsigned>(random() % 6);
  }
  std::size_t size() const { return label.size(); }
  int operator()(std::size_t first, std::size_t last) const {
    unsigned seen = 0;
    for (std::size_t i = first; i < last; ++i) seen |= 1U << label[i];
    return __builtin_popcount(seen);
  }
};

/// Limits the units of a second weight per stage.
struct capped_constraint {
  using axioms = stagecut::axioms<stagecut::hereditary>;
  stagecut::prefix_sums<std::int64_t> weight;
  std::vector<std::int64_t> most;

  capped_constraint(generator& random, std::size_t n, std::size_t k) {
    std::vector<std::int64_t> weights(n);
    for (auto& each : weights) each = static_cast<std::int64_t>(random() % 6);
    weight.assign(weights);
    for (std::size_t s = 0; s < k; ++s) most.push_back(static_cast<std::int64_t>(random() % 16));
  }
  bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return weight(first, last) <= most[stage];
  }
};

/// The same cap on every stage.
struct even_cap {
  using axioms = stagecut::axioms<stagecut::hereditary, stagecut::stage_invariant>;
  capped_constraint caps;

  bool operator()(std::size_t, std::size_t first, std::size_t last) const { return caps(0, first, last); }
};

}  // namespace oracle
