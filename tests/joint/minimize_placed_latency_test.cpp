// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/baselines/minimize_placed_latency.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"

using namespace stagecut;

namespace {

std::size_t cases_wanted(std::size_t usual) {
  return std::getenv("STAGECUT_CASES") ? std::strtoul(std::getenv("STAGECUT_CASES"), nullptr, 10) : usual;
}

using counts = std::vector<std::size_t>;

struct placed_on_machines {
  std::size_t first, last;
  counts devices;
};

/// What a cut costs, by the formula.
double length_of(const placed_layers& layers, const placed_request& request,
                 const std::vector<placed_on_machines>& stages) {
  double sum = 0;
  double largest = 0;
  std::vector<double> exchanges;
  for (std::size_t s = stages.size(); s-- > 0;) {
    const placed_on_machines& stage = stages[s];
    const auto devices = std::accumulate(stage.devices.begin(), stage.devices.end(), 0.0);
    const auto parts = std::count_if(stage.devices.begin(), stage.devices.end(), [](std::size_t n) { return n > 0; });
    const double time = (layers.times[stage.last] - layers.times[stage.first]) / devices;
    double message = 0;
    if (s + 1 < stages.size()) {
      const counts& to = stages[s + 1].devices;
      const auto spread = std::count_if(to.begin(), to.end(), [](std::size_t n) { return n > 0; });
      double elsewhere = 0;
      for (std::size_t i = 0; i < to.size(); ++i) elsewhere += to[i] > 0 ? 0.0 : static_cast<double>(stage.devices[i]);
      const double bytes = layers.messages[stage.last];
      message = spread > 1       ? bytes * (1 / request.machines.collective)
                : elsewhere == 0 ? bytes * (1 / request.machines.inside)
                                 : bytes * (elsewhere / devices / request.machines.across);
    }
    double exchange = 0;
    const double bytes = layers.parameters[stage.last] - layers.parameters[stage.first];
    if (devices > 1) {
      const double share = 2 * ((devices - 1) / devices);
      const double links = std::floor(devices / 2);
      exchange = bytes * (parts > 1 ? share / request.machines.collective : share / request.machines.inside / links);
    }
    sum = (time + 2 * message) + sum;
    largest = std::max({largest, time, 2 * message});
    exchanges.insert(exchanges.begin(), exchange);
  }
  double exposed = 0;
  for (std::size_t s = 0; request.all_reduce && s < stages.size(); ++s) {
    double here = exchanges[s];
    for (std::size_t i = 0; i < s; ++i) here -= largest;
    exposed = std::max(exposed, here);
  }
  return (sum + static_cast<double>(request.microbatches - 1) * largest) + exposed;
}

/// Tries all cuts, replicas and placements, on machines that are not sorted but for the rule of placements.
class all_placed {
 public:
  all_placed(const placed_layers& layers, const placed_request& request) : layers_(layers), request_(request) {
    counts none(request.machines.count);
    extend(layers.times.size() - 1, none, none);
  }
  std::optional<double> best{};

 private:
  void extend(std::size_t last, const counts& taken, const counts& placed) {
    const std::size_t all = request_.machines.count * request_.machines.devices;
    const std::size_t used = std::accumulate(taken.begin(), taken.end(), std::size_t{0});
    if (last == 0) {
      if (!request_.at_most && used < all) return;
      const double here = length_of(layers_, request_, {stages_.rbegin(), stages_.rend()});
      best = std::min(best.value_or(here), here);
      return;
    }
    std::vector<std::size_t> order(taken.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return taken[a] != taken[b] ? taken[a] > taken[b] : placed[a] > placed[b];
    });
    for (std::size_t first = 0; first < last; ++first) {
      if (!layers_.begins.empty() && std::count(layers_.begins[last].begin(), layers_.begins[last].end(), first) == 0) {
        continue;
      }
      for (std::size_t devices = 1; used + devices <= all; ++devices) {
        for (int how = 0; how < 3; ++how) {
          counts more(taken.size());
          std::size_t left = devices;
          if (how == 2) {
            while (left > 0) {
              for (const std::size_t i : order) {
                if (left > 0 && taken[i] + more[i] < request_.machines.devices) ++more[i], --left;
              }
            }
          }
          for (int fresh = how; fresh < 2; ++fresh) {  // 0: those begun first, 1: fresh ones alone
            for (const std::size_t i : order) {
              if ((taken[i] == 0) != (fresh == 1)) continue;
              more[i] = std::min(left, request_.machines.devices - taken[i]);
              left -= more[i];
            }
          }
          if (left > 0) continue;
          counts next = taken;
          for (std::size_t i = 0; i < next.size(); ++i) next[i] += more[i];
          stages_.push_back({first, last, more});
          extend(first, next, more);
          stages_.pop_back();
        }
      }
    }
  }

  const placed_layers& layers_;
  const placed_request& request_;
  std::vector<placed_on_machines> stages_;
};

}  // namespace

TEST_CASE("small models on machines, compared with all placements") {
  std::mt19937 dice(61);
  for (std::size_t done = 0; done < cases_wanted(150); ++done) {
    CAPTURE(done);
    placed_layers layers;
    layers.times = layers.parameters = layers.messages = {0};
    const std::size_t range = dice() % 2 == 0 ? 4 : 40;
    for (std::size_t i = 1 + dice() % 4; i > 0; --i) {
      layers.times.push_back(layers.times.back() + static_cast<double>(1 + dice() % range));
      layers.parameters.push_back(layers.parameters.back() + static_cast<double>(dice() % (2 * range)));
      layers.messages.push_back(static_cast<double>(dice() % range));
    }
    if (dice() % 3 == 0) {
      layers.begins.resize(layers.times.size());
      for (std::size_t i = 1; i < layers.begins.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (dice() % 3 > 0) layers.begins[i].push_back(j);
        }
      }
    }
    placed_request request;
    request.machines = {1 + dice() % 3, 1 + dice() % 3, 8, 1, 2};
    if (request.machines.count * request.machines.devices > 6) request.machines.count = 2;
    request.microbatches = 1 + dice() % 6;
    request.at_most = dice() % 2 == 0;
    request.all_reduce = dice() % 4 != 0;
    const all_placed all(layers, request);
    const auto found = minimize_placed_latency(layers, request);
    if (!all.best) {
      CHECK(found.state() == state::infeasible);
      continue;
    }
    REQUIRE(found.state() == state::optimal);
    CHECK(found->value == *all.best);
    CHECK(found->bound == found->value);
    std::vector<placed_on_machines> stages;
    counts taken(request.machines.count);
    for (const placed_stage& stage : found->stages) {
      stages.push_back({stage.first, stage.last, stage.of_machine});
      for (std::size_t i = 0; i < taken.size(); ++i) taken[i] += stage.of_machine[i];
    }
    CHECK(length_of(layers, request, stages) == found->value);
    for (const std::size_t each : taken) CHECK(each <= request.machines.devices);
    for (const std::size_t nodes : {0U, 1U, 5U}) {
      placed_request limited = request;
      limited.search.node_limit = nodes;
      const auto stopped = minimize_placed_latency(layers, limited);
      if (!stopped) CHECK(stopped.state() == state::unknown);
      if (!stopped) continue;
      CHECK(stopped->bound <= *all.best);
      CHECK(stopped->value >= *all.best);
    }
  }
}

TEST_CASE("two stages, each on a machine of its own, where gradients across machines would take long") {
  placed_layers layers;
  layers.times = layers.parameters = layers.messages = {0};
  for (int i = 0; i < 8; ++i) {
    layers.times.push_back(layers.times.back() + 0x1p-5);
    layers.parameters.push_back(layers.parameters.back() + 1e8);
    layers.messages.push_back(1e6);
  }
  placed_request request;
  request.machines = {2, 8};
  request.microbatches = 32;
  const auto found = minimize_placed_latency(layers, request);
  REQUIRE(found.state() == state::optimal);
  REQUIRE(found->stages.size() == 2);
  CHECK(found->stages[0].last == 4);
  CHECK(found->stages[0].of_machine == counts{8, 0});
  CHECK(found->stages[1].of_machine == counts{0, 8});
  CHECK(found->stages[0].option.message == 0);
  CHECK(found->stages[1].option.message == doctest::Approx(1e-3));
  CHECK(found->stages[1].option.all_reduce == doctest::Approx(4e8 * 1.75 / 100e9));
}

TEST_CASE("layers and machines that make no sense are refused") {
  placed_layers layers{{0, 1}, {0, 1}, {0, 0}, {}};
  placed_request request;
  const auto refused = [&] { return refusal([&] { return minimize_placed_latency(layers, request); }); };
  request.microbatches = 0;
  CHECK(refused() == "stagecut::minimize_placed_latency: request.microbatches = 0, must be at least 1");
  request = {};
  request.machines.count = 0;
  CHECK(refused() == "stagecut::minimize_placed_latency: machines.count = 0, must be from 1 to 1024");
  request = {};
  request.machines.across = 0;
  CHECK(refused() == "stagecut::minimize_placed_latency: machines.across = 0.000000, must be above 0 bytes a second");
  request = {};
  layers.times = {1, 0};
  CHECK(refused() == "point 1: has less before it than a point before");
  layers.times = {0, -1};
  CHECK(refused() == "point 1: has a figure that is negative or not finite");
  layers.times = {0};
  CHECK(refused() == "layers.times: there is no layer");
  layers.times = {0, 1, 2};
  CHECK(refused() == "layers: times, parameters and messages must be of as many points");
  layers = {{0, 1}, {0, 1}, {0, 0}, {{}, {1}}};
  CHECK(refused() == "point 1: a stage that ends there begins there or behind it");
}
