// SPDX-License-Identifier: BSL-1.0
// minimize_leximax compared with the dynamic program over sorted lists of stages, and with minimize_bottleneck, which
// finds its first value.
//
// Names: leximax/WHO/DATA/n:ITEMS/k:STAGES.

#include "chains.hpp"
#include "textbook.hpp"

#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/minimize_leximax.hpp>

#include <algorithm>
#include <functional>

namespace {

using chain = std::vector<double>;
using sums = stagecut::prefix_sums<double>;

double textbook(const sums& of, std::size_t stages) {
  const auto join = [&](chain heaviest, std::size_t, std::size_t first, std::size_t last) {
    const double stage = of(first, last);
    heaviest.insert(std::upper_bound(heaviest.begin(), heaviest.end(), stage, std::greater<>()), stage);
    return heaviest;
  };
  return bench::textbook(of.size(), stages, chain(), join).front();
}

void register_all() {
  bench::each_instance("leximax", {100, 1'000, 10'000}, [](const auto& add, bench::instance of) {
    add("stagecut",
        [=](const chain&, const sums& s) { return stagecut::minimize_leximax(s, of.stages)->value.front(); });
    add("bottleneck", [=](const chain&, const sums& s) { return stagecut::minimize_bottleneck(s, of.stages)->value; });
    if (of.items == 100) add("textbook", [=](const chain&, const sums& s) { return textbook(s, of.stages); });
  });
  bench::each_wave("leximax", [](const sums& s, std::size_t stages, const auto& forbidden) {
    return stagecut::minimize_leximax(s, stages, forbidden)->cost.front();
  });
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, register_all); }
