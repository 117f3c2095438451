// SPDX-License-Identifier: BSL-1.0
// minimize_total, for costs with different declared properties, and minimize_variance compared with textbooks:
// `textbook` takes O(k n²) costs, `divided` O(k n log n), where optimal beginnings never fall.
//
// Names: PROBLEM/WHO/DATA/n:ITEMS/k:STAGES.

#include "chains.hpp"
#include "textbook.hpp"

#include <stagecut/cost/convex_of.hpp>
#include <stagecut/sequence/minimize_total.hpp>
#include <stagecut/sequence/minimize_variance.hpp>

#include <cmath>

namespace {

using chain = std::vector<double>;
using sums = stagecut::prefix_sums<double>;

double square(double x) { return x * x; }

/// The square root of a sum, as in bulk purchase: decreasing marginal cost.
struct bulk {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::inverse_monge, stagecut::stage_invariant>;
  const sums& of;
  [[nodiscard]] std::size_t size() const { return of.size(); }
  double operator()(std::size_t first, std::size_t last) const { return std::sqrt(of(first, last)); }
};

/// A cost without declared properties: squares, plus one for odd beginnings.
struct odd {
  using axioms = stagecut::axioms<stagecut::stage_invariant>;
  const sums& of;
  [[nodiscard]] std::size_t size() const { return of.size(); }
  double operator()(std::size_t first, std::size_t last) const {
    return square(of(first, last)) + static_cast<double>(first % 2);
  }
};

void register_all() {
  bench::each_instance("variance", {1'000, 10'000, 100'000}, [](const auto& add, bench::instance of) {
    add("stagecut", [=](const chain&, const sums& s) { return stagecut::minimize_variance(s, of.stages)->value; });
    // The mean is known before: summing squares of what is near it cancels nothing.
    const auto variance = [=](const sums& s, auto textbook) {
      const auto k = static_cast<double>(of.stages);
      const double mean = s.prefix(s.size()) / k;
      return textbook([&, mean](std::size_t first, std::size_t last) { return square(s(first, last) - mean); }) / k;
    };
    add("divided", [=](const chain&, const sums& s) {
      return variance(s, [&](const auto& cost) { return bench::divided_textbook(cost).total(s.size(), of.stages); });
    });
    if (!bench::quadratic(of)) return;
    add("textbook", [=](const chain&, const sums& s) {
      return variance(s, [&](const auto& cost) { return bench::textbook_total(s.size(), of.stages, cost); });
    });
  });
  const auto costs = [](const char* problem, std::initializer_list<std::size_t> sizes, auto cost_of) {
    bench::each_instance(problem, sizes, [=](const auto& add, bench::instance of) {
      add("stagecut",
          [=](const chain&, const sums& s) { return stagecut::minimize_total(cost_of(s), of.stages)->cost; });
      if (!bench::quadratic(of)) return;
      add("textbook",
          [=](const chain&, const sums& s) { return bench::textbook_total(s.size(), of.stages, cost_of(s)); });
    });
  };
  costs("squares", {1'000, 10'000}, [](const sums& s) { return stagecut::convex_of(s, square); });
  costs("roots", {1'000, 10'000}, [](const sums& s) { return bulk{s}; });
  costs("any_cost", {100, 1'000}, [](const sums& s) { return odd{s}; });
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, register_all); }
