// SPDX-License-Identifier: BSL-1.0
// minimize_range compared with the dynamic program that keeps one pair of heaviest and lightest stage, as in DeepSpeed:
// it is not exact.
//
// Names: range/WHO/DATA/n:ITEMS/k:STAGES.

#include "chains.hpp"
#include "textbook.hpp"

#include <stagecut/sequence/minimize_range.hpp>

#include <algorithm>
#include <limits>

namespace {

struct extremes {
  double least;
  double most;
  [[nodiscard]] double range() const { return most - least; }
  friend bool operator<(const extremes& a, const extremes& b) { return a.range() < b.range(); }
};

double textbook(const stagecut::prefix_sums<double>& sums, std::size_t stages) {
  const auto join = [&](const extremes& before, std::size_t, std::size_t first, std::size_t last) {
    return extremes{std::min(before.least, sums(first, last)), std::max(before.most, sums(first, last))};
  };
  return bench::textbook(sums.size(), stages, extremes{std::numeric_limits<double>::max(), 0}, join).range();
}

using chain = std::vector<double>;
using sums = stagecut::prefix_sums<double>;

void register_all() {
  bench::each_instance("range", {100, 1'000, 10'000}, [](const auto& add, bench::instance of) {
    add("stagecut", [=](const chain&, const sums& s) { return stagecut::minimize_range(s, of.stages)->value; });
    if (bench::quadratic(of)) add("textbook", [=](const chain&, const sums& s) { return textbook(s, of.stages); });
  });
  bench::each_wave("range", [](const sums& s, std::size_t stages, const auto& forbidden) {
    return stagecut::minimize_range(s, stages, forbidden)->cost;
  });
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, register_all); }
