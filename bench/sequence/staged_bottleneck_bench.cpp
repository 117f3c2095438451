// SPDX-License-Identifier: BSL-1.0
// minimize_bottleneck, for costs with different declared properties, compared with the dynamic program.
//
// Names: PROBLEM/WHO/DATA/n:ITEMS/k:STAGES.

#include "chains.hpp"
#include "textbook.hpp"

#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/overlapped_cuts.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

namespace {

using chain = std::vector<double>;
using sums = stagecut::prefix_sums<double>;

/// Every third device is slow, the next twice as fast, then half again.
std::vector<double> speeds(std::size_t stages) {
  std::vector<double> result(stages);
  for (std::size_t s = 0; s < stages; ++s) result[s] = s % 3 == 0 ? 1 : s % 3 == 1 ? 2 : 1.5;
  return result;
}

/// The bytes sent after an item: mostly few, occasionally as many as three items take.
const chain& bytes(std::size_t items) {
  static chain now;
  if (now.size() != items) {
    std::uint64_t state = items;
    now.resize(items);
    for (double& each : now) each = bench::draw(state) < 0.1 ? 3 * bench::draw(state) : 0.5 * bench::draw(state);
  }
  return now;
}

stagecut::cut_times times(std::size_t items) { return {bytes(items), {stagecut::link_speed{0.05, 1}}}; }

/// A stage also reads the bytes that the previous item sent: monotone to the right only.
auto received(const sums& s) {
  const auto cost = [&s, &sent = bytes(s.size())](std::size_t first, std::size_t last) {
    return first == last ? 0 : s(first, last) + (first == 0 ? 0 : sent[first - 1]);
  };
  return stagecut::right_monotone(s.size(), cost);
}

/// The same, without declared properties.
auto unpromised(const sums& s) {
  const auto cost = [&s, &sent = bytes(s.size())](std::size_t first, std::size_t last) {
    return s(first, last) + (first == 0 ? 0 : sent[first - 1]) + (last == s.size() || last == 0 ? 0 : sent[last - 1]);
  };
  return stagecut::axiom<0>{}(s.size(), cost);
}

void register_all() {
  const auto costs = [](const char* problem, std::initializer_list<std::size_t> sizes, auto cost_of) {
    bench::each_instance(problem, sizes, [=](const auto& add, bench::instance of) {
      add("stagecut", [=](const chain&, const sums& s) {
        return stagecut::minimize_bottleneck(cost_of(s, of.stages), of.stages)->cost;
      });
      if (!bench::quadratic(of)) return;
      add("textbook", [=](const chain&, const sums& s) {
        return bench::textbook_bottleneck(s.size(), of.stages, cost_of(s, of.stages));
      });
    });
  };
  using stagecut::added_cuts;
  using stagecut::at_speeds;
  using stagecut::overlapped_cuts;
  costs("speeds", {100, 1'000, 10'000}, [](const sums& s, std::size_t k) { return at_speeds(s, speeds(k)); });
  costs("added_cuts", {100, 1'000, 10'000}, [](const sums& s, std::size_t) { return added_cuts(s, times(s.size())); });
  costs("overlapped_cuts", {100, 1'000, 10'000},
        [](const sums& s, std::size_t) { return overlapped_cuts(s, times(s.size())); });
  costs("right_monotone", {100, 1'000, 10'000}, [](const sums& s, std::size_t) { return received(s); });
  costs("any_cost", {100, 1'000}, [](const sums& s, std::size_t) { return unpromised(s); });
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, register_all); }
