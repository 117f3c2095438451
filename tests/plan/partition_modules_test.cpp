// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/partition_modules.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/profile/flatten_modules.hpp>

#include "../refusal.hpp"
#include "module_trees.hpp"

using stagecut::module_partition;
using stagecut::module_request;
using stagecut::partition_modules;
using stagecut::profile;

namespace {

using numbers = std::vector<std::size_t>;

numbers devices_of_leaves(const module_partition& made) {
  numbers result;
  for (const std::size_t i : made.leaves) result.push_back(made.assignment[i]);
  return result;
}

doctest::Approx near(double x) { return doctest::Approx(x).epsilon(2e-6); }

void check_worked(const module_request& request, const numbers& devices, double most, double chain, double gap) {
  const auto made = partition_modules(encoder_decoder(), request);
  REQUIRE(made);
  CHECK(made.state() == stagecut::state::feasible);
  CHECK(devices_of_leaves(*made) == devices);
  CHECK(made->value == near(most));
  CHECK(made->chain_load == near(chain));
  CHECK(std::abs(100 * made->excess_over_chain() - gap) <= .005);
  CHECK(made->bound <= made->value);
}

/// The method restated with sets of layers and recursion, for models of 64 bytes and 64 seconds: costs are integers,
/// 256 for the whole model.
class by_definition {
 public:
  by_definition(const profile& model, int quarters, std::size_t devices)
      : model_(model),
        parent_(model.layers.size(), model.layers.size()),
        quarters_(quarters),
        device(model.layers.size()) {
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      for (const std::size_t child : model.layers[i].children) parent_[child] = i;
    }
    std::size_t root = 0;
    while (parent_[root] != model.layers.size()) ++root;
    visit(root);
    find_groups();
    join();
    for (const std::size_t i : order) of_layer[i] = cost(i);
    for (const std::size_t i : order) {
      if (set_[i] == i) whole_[i] = whole(i);
    }
    numbers all(devices);
    for (std::size_t d = 0; d < devices; ++d) all[d] = d;
    place(set_[root], all);
  }

 private:
  void visit(std::size_t i) {
    order.push_back(i);
    for (const std::size_t child : model_.layers[i].children) visit(child);
  }

  /// The group of every layer, its own or its parent's.
  void find_groups() {
    for (const std::size_t i : order) {
      group_[i] = model_.layers[i].group;
      if (group_[i].empty() && parent_[i] != model_.layers.size()) group_[i] = group_[parent_[i]];
    }
  }

  bool belong(std::size_t a, std::size_t b) const {
    if (!group_[a].empty() && group_[a] == group_[b]) return true;
    for (const auto& one : model_.layers[a].tied) {
      for (const auto& other : model_.layers[b].tied) {
        if (one.name == other.name) return true;
      }
    }
    return false;
  }

  /// Sets of layers that belong together, by the layer of each that runs first.
  void join() {
    for (const std::size_t i : order) set_[i] = i;
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::size_t a : order) {
        for (const std::size_t b : order) {
          if (set_[a] == set_[b] || !belong(a, b)) continue;
          const auto at = [&](std::size_t i) { return std::find(order.begin(), order.end(), i); };
          const std::size_t first = at(set_[a]) < at(set_[b]) ? set_[a] : set_[b];
          const std::size_t gone = first == set_[a] ? set_[b] : set_[a];
          for (auto& [layer, set] : set_) set = set == gone ? first : set;
          changed = true;
        }
      }
    }
  }

  long cost(std::size_t i) {
    const stagecut::layer& each = model_.layers[i];
    double bytes = each.parameters;
    for (const auto& tied : each.tied) {
      if (counted_.insert(tied.name).second) bytes += tied.bytes;
    }
    return quarters_ * static_cast<long>(bytes) + (4 - quarters_) * static_cast<long>(each.forward);
  }

  numbers held(std::size_t set) const {
    numbers result;
    for (const std::size_t i : order) {
      if (set_.at(i) == i && parent_[i] != model_.layers.size() && set_.at(parent_[i]) == set) result.push_back(i);
    }
    return result;
  }

  long whole(std::size_t set) const {
    long sum = 0;
    for (const std::size_t i : order) sum += set_.at(i) == set ? of_layer.at(i) : 0;
    for (const std::size_t each : held(set)) sum += whole(each);
    return sum;
  }

  void place(std::size_t set, const numbers& devices) {
    for (const std::size_t i : order) {
      if (set_[i] == set) device[i] = devices[0];
    }
    deal(held(set), devices);
  }

  void deal(const numbers& sets, const numbers& devices) {
    if (sets.size() <= 1 || devices.size() == 1) {
      for (const std::size_t set : sets) place(set, devices);
      return;
    }
    std::vector<numbers> segments = cut(sets, std::min(sets.size(), devices.size()));
    std::vector<long> costs;
    for (const numbers& segment : segments) {
      costs.push_back(0);
      for (const std::size_t each : segment) costs.back() += whole_.at(each);
    }
    std::vector<numbers> own(segments.size());
    for (const std::size_t d : devices) {
      std::size_t best = 0;
      for (std::size_t s = 0; s < costs.size(); ++s) {
        const long here = costs[s] * static_cast<long>(own[best].size() + 1);
        const long there = costs[best] * static_cast<long>(own[s].size() + 1);
        if (here > there || (here == there && own[s].empty() && !own[best].empty())) best = s;
      }
      own[best].push_back(d);
    }
    for (std::size_t s = 0; s < segments.size(); ++s) deal(segments[s], own[s].empty() ? numbers{devices[0]} : own[s]);
  }

  /// Of all cuts the best, of those the one whose last segment is the longest, and so on to the front.
  std::vector<numbers> cut(const numbers& sets, std::size_t segments) const {
    if (segments == 1) return {sets};
    std::vector<numbers> best;
    long least = 0;
    for (std::size_t first = segments - 1; first < sets.size(); ++first) {
      const auto middle = sets.begin() + static_cast<std::ptrdiff_t>(first);
      std::vector<numbers> here = cut(numbers(sets.begin(), middle), segments - 1);
      here.emplace_back(middle, sets.end());
      long most = 0;
      for (const numbers& segment : here) {
        long sum = 0;
        for (const std::size_t each : segment) sum += whole_.at(each);
        most = std::max(most, sum);
      }
      if (best.empty() || most < least) best = here, least = most;
    }
    return best;
  }

  const profile& model_;
  numbers parent_;
  long quarters_;
  std::vector<std::string> group_ = std::vector<std::string>(model_.layers.size());
  std::map<std::size_t, long> whole_;
  std::map<std::size_t, std::size_t> set_;
  std::set<std::string> counted_;

 public:
  numbers order;
  numbers device;
  std::map<std::size_t, long> of_layer;
};

/// The heaviest stage of the best cut of all.
double best_cut(const std::vector<double>& costs, std::size_t first, std::size_t stages) {
  double sum = 0;
  if (stages == 1) {
    for (std::size_t i = first; i < costs.size(); ++i) sum += costs[i];
    return sum;
  }
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t last = first + 1; last + stages - 1 <= costs.size(); ++last) {
    sum += costs[last - 1];
    best = std::min(best, std::max(sum, best_cut(costs, last, stages - 1)));
  }
  return best;
}

/// What must hold of the figures of any answer.
void check_figures_of(const profile& model, const module_partition& made, std::size_t devices) {
  profile flat = stagecut::flatten_modules(model);
  REQUIRE(made.leaves.size() == flat.layers.size());
  std::vector<double> loads(devices);
  std::size_t run = 0;
  double of_run = 0;
  for (std::size_t at = 0; at < made.leaves.size(); ++at) {
    REQUIRE(model.layers[made.leaves[at]].name == flat.layers[at].name);
    const std::size_t device = made.assignment[made.leaves[at]];
    loads[device] += made.costs[at];
    if (at > 0 && device != made.assignment[made.leaves[at - 1]]) ++run, of_run = 0;
    of_run += made.costs[at];
    REQUIRE(run < made.runs.size());
    REQUIRE(made.runs[run].device == device);
    REQUIRE((made.runs[run].first <= at && at < made.runs[run].last));
    if (at + 1 == made.runs[run].last) REQUIRE(made.runs[run].cost == of_run);
  }
  REQUIRE(run + 1 == made.runs.size());
  REQUIRE(made.loads == loads);
  REQUIRE(made.value == *std::max_element(loads.begin(), loads.end()));
  const double chain = best_cut(made.costs, 0, devices);
  REQUIRE(made.chain_load == chain);
  REQUIRE(made.excess_over_chain() == doctest::Approx((made.value - chain) / chain));
  std::set<std::size_t> used;
  for (const auto& each : made.runs) used.insert(each.device);
  if (used.size() == made.runs.size()) REQUIRE(made.value >= chain);
  for (std::size_t at = 0; at < made.leaves.size(); ++at) {
    const bool heavy = std::count(made.heavy.begin(), made.heavy.end(), made.leaves[at]) == 1;
    REQUIRE(heavy == (made.costs[at] * static_cast<double>(devices) > 1));
  }
}

/// The least that the heaviest device can have, of all ways to deal out layers that may be apart.
long best_of_all(const std::vector<long>& apart, std::size_t at, std::vector<long>& loads) {
  if (at == apart.size()) return *std::max_element(loads.begin(), loads.end());
  long best = std::numeric_limits<long>::max();
  for (long& load : loads) {
    const bool fresh = load == 0;
    load += apart[at];
    best = std::min(best, best_of_all(apart, at + 1, loads));
    load -= apart[at];
    if (fresh) break;
  }
  return best;
}

}  // namespace

TEST_CASE("an encoder and a decoder are dealt out as worked by hand") {
  check_worked({.devices = 4}, {0, 2, 2, 2, 2, 0, 0, 1, 1, 3, 3, 0}, .445614, .277193, 60.76);
  check_worked({.devices = 2}, {1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}, .635263, .524386, 21.14);
  check_worked({.devices = 3}, {1, 1, 1, 1, 1, 0, 0, 0, 2, 2, 2, 0}, .395789, .364737, 8.51);
  check_worked({.devices = 4, .time_weight = 0}, {3, 2, 2, 2, 2, 0, 0, 0, 1, 1, 1, 0}, .394737, .263158, 50);

  const auto made = partition_modules(encoder_decoder(), {.devices = 4});
  CHECK(made->loads[0] == near(.445614));
  CHECK(made->loads[1] == near(.159649));
  CHECK(made->loads[2] == near(.235088));
  CHECK(made->loads[3] == near(.159649));
  CHECK(made->chain_cuts == stagecut::cuts{0, 3, 7, 10, 12});
  CHECK(made->costs[0] == near(.129649));
  CHECK(made->costs[11] == near(.156316));
  CHECK(made->runs.size() == 6);
  CHECK(made->runs[0] == stagecut::module_run{0, 1, 0, made->costs[0]});
  CHECK(made->runs[1].device == 2);
  CHECK(made->runs[1].cost == near(.235088));
  CHECK(made->runs[3] == stagecut::module_run{7, 9, 1, made->loads[1]});
  CHECK(made->runs[5].cost == near(.156316));
  CHECK(numbers(made->assignment.begin(), made->assignment.begin() + 5) == numbers{0, 0, 2, 0, 0});
  CHECK(made->heavy.empty());
  CHECK(made->bound == near(.25));
}

TEST_CASE("of equal claims to a device one without any goes first, so that no device is left empty for it") {
  profile model;
  model.layers = {module_of("model", 0, 0, {1, 2}), module_of("large", 4, 0), module_of("small", 2, 0)};
  const auto made = partition_modules(model, {.devices = 2});
  CHECK(made->assignment == numbers{0, 0, 1});
  CHECK(made->value == near(2. / 3));
  CHECK(made.state() == stagecut::state::optimal);
  // Shared parameters alone are a claim, too: a layer that has nothing else gets a device.
  model.layers = {module_of("model", 0, 0, {1, 2, 3}), module_of("embedding", 0, 0), module_of("body", 8, 0),
                  module_of("head", 0, 0)};
  for (const std::size_t i : {1, 3}) model.layers[i].tied.push_back({"word", 4, {}, {}});
  const auto tied = partition_modules(model, {.devices = 2});
  CHECK(tied->assignment == numbers{0, 1, 0, 1});
  CHECK(tied->loads[0] == near(2. / 3));
}

TEST_CASE("small trees are dealt out as the definition says, and no figure is another") {
  std::mt19937 random(20261127);
  int optimal = 0;
  int shared = 0;
  int several_runs = 0;
  for (int round = 0; round < 2000; ++round) {
    const profile model = random_modules(random);
    const std::size_t leaves = stagecut::flatten_modules(model).layers.size();
    const int quarters = static_cast<int>(below(random, 5));
    for (std::size_t devices = 1; devices <= std::min<std::size_t>(leaves + 1, 6); ++devices) {
      const auto made = partition_modules(model, {.devices = devices, .time_weight = 1 - quarters / 4.0});
      if (devices > leaves) {
        CHECK(made.state() == stagecut::state::infeasible);
        CHECK(made.why().what == stagecut::reason::cause::more_stages_than_layers);
        continue;
      }
      REQUIRE(made);
      const by_definition expected(model, quarters, devices);
      REQUIRE(made->assignment == expected.device);
      for (std::size_t at = 0; at < leaves; ++at) {
        REQUIRE(made->costs[at] == static_cast<double>(expected.of_layer.at(made->leaves[at])) / 256);
      }
      check_figures_of(model, *made, devices);
      std::map<std::string, std::size_t> device_of;
      for (std::size_t i = 0; i < model.layers.size(); ++i) {
        for (const auto& tied : model.layers[i].tied) {
          const auto [known, fresh] = device_of.insert({tied.name, made->assignment[i]});
          REQUIRE(known->second == made->assignment[i]);
          if (!fresh) ++shared;
        }
      }
      optimal += made.state() == stagecut::state::optimal ? 1 : 0;
      several_runs += made->runs.size() > devices ? 1 : 0;
      if (devices == 1) {
        CHECK(made->runs.size() == 1);
        CHECK(made->excess_over_chain() == doctest::Approx(0));
        CHECK(made.state() == stagecut::state::optimal);
      }
    }
  }
  CHECK(optimal > 500);
  CHECK(shared > 500);
  CHECK(several_runs > 200);
}

TEST_CASE("the bound is not above the best way of all to deal out modules") {
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    const profile model = random_modules(random);
    profile untied = model;  // with a module for each layer
    for (auto& layer : untied.layers) {
      layer.tied.clear();
      layer.group = {};
    }
    const std::size_t leaves = stagecut::flatten_modules(untied).layers.size();
    const std::size_t devices = 1 + below(random, std::min<std::size_t>(leaves, 4));
    const auto made = partition_modules(untied, {.devices = devices, .time_weight = .5});
    REQUIRE(made);
    double whole = 0;
    std::vector<long> apart;
    for (const double cost : made->costs) {
      apart.push_back(static_cast<long>(cost * (1L << 52U)));
      whole += cost;
    }
    CHECK(whole == doctest::Approx(1));
    std::vector<long> loads(devices);
    const double best = static_cast<double>(best_of_all(apart, 0, loads)) / (1L << 52U);
    REQUIRE(made->bound <= best);
    REQUIRE(best <= made->value);
    if (made.state() == stagecut::state::optimal) REQUIRE(made->value == best);
  }
}

TEST_CASE("layers that share parameters are dealt out where the first of them stands, and hold what they hold") {
  profile model = encoder_decoder();
  for (const std::size_t i : {1U, 4U}) model.layers[i].tied = {{"word", 12, {}, {}}};
  const auto tied = partition_modules(model, {.devices = 4, .time_weight = 0});
  REQUIRE(tied);
  CHECK(tied->assignment[1] == tied->assignment[4]);
  CHECK(tied->costs[0] == near(24.0 / 88));  // counts there, once
  CHECK(tied->costs[11] == near(12.0 / 88));

  // The head stands with the model itself, and so on its first device, whatever it weighs.
  model = encoder_decoder();
  for (const std::size_t i : {0U, 4U}) model.layers[i].tied = {{"all", 1000, {}, {}}};
  const auto root = partition_modules(model, {.devices = 3, .time_weight = 0});
  REQUIRE(root);
  CHECK(root->assignment[4] == 0);
  CHECK(root->leaves.size() == 13);
  CHECK(root->heavy == numbers{0});
  CHECK(root->bound == near(1012.0 / 1076));

  // What a group holds is not taken apart.
  model = encoder_decoder();
  model.layers[3].group = std::string("whole");
  const auto whole = partition_modules(model, {.devices = 4});
  REQUIRE(whole);
  for (std::size_t d = 9; d < 15; ++d) CHECK(whole->assignment[d] == whole->assignment[3]);
  CHECK(whole->bound == near(.478947));
}

TEST_CASE("what counts as memory is asked for, and what no layer has does not count") {
  profile model;
  model.layers = {module_of("model", 0, 0, {1, 2}), module_of("a", 1, 2), module_of("b", 3, 2)};
  model.layers[1].activations = 8;
  const auto share = [&](const module_request& request) { return partition_modules(model, request)->costs[0]; };
  CHECK(share({.devices = 2, .time_weight = 0}) == .25);
  CHECK(share({.devices = 2, .time_weight = 1}) == .5);
  CHECK(share({.devices = 2, .time_weight = .5}) == .375);
  CHECK(share({.devices = 2, .time_weight = 0, .parameter_multiplier = 3}) == .25);
  CHECK(share({.devices = 2, .time_weight = 0, .parameter_multiplier = 2, .activations = true}) == .625);
  for (auto& layer : model.layers) layer.forward = 0;
  CHECK(share({.devices = 2, .time_weight = .5}) == .25);
  model.layers[1].forward = model.layers[2].backward = 1;  // both passes count
  for (auto& layer : model.layers) layer.parameters = 0;
  CHECK(share({.devices = 2}) == .5);
}

TEST_CASE("deep trees need no deep stack, and wide ones no square of time") {
  profile model;
  constexpr std::size_t depth = 100000;
  for (std::size_t i = 0; i < depth; ++i) model.layers.push_back(module_of("m", 1, 0, {i + 1}));
  model.layers.push_back(module_of("leaf", 1, 0));
  const auto deep = partition_modules(model, {.devices = 2});
  REQUIRE(deep);
  CHECK(deep->loads == std::vector<double>{deep->loads[0], 0});  // there is nothing to deal out
  model.layers.assign(1, module_of("model", 0, 0, {1}));
  for (std::size_t i = 1; i < 50001; ++i) {
    if (i > 1) model.layers[0].children.push_back(i);
    model.layers.push_back(module_of("leaf", 1, 1));
  }
  const auto wide = partition_modules(model, {.devices = 100});
  REQUIRE(wide);
  CHECK(wide->runs.size() == 100);
  CHECK(wide.state() == stagecut::state::optimal);
}

TEST_CASE("what cannot be dealt out is refused") {
  const auto refused = [](const profile& model, const module_request& request = {.devices = 2}) {
    return refusal([&] { return partition_modules(model, request); });
  };
  const profile model = encoder_decoder();
  CHECK(refused(model, {.devices = 0}) == "stagecut::partition_modules: devices = 0, must be at least 1");
  CHECK(refused(model, {.time_weight = 1.5}) == "stagecut::partition_modules: time_weight = 1.5, must be from 0 to 1");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused(model, {.time_weight = nan}).starts_with("stagecut::partition_modules: time_weight = "));
  CHECK(refused(model, {.parameter_multiplier = -1}) ==
        "stagecut::partition_modules: parameter_multiplier = -1, must be finite and not negative");
  const auto changed = [&](std::size_t i, auto change) {
    profile other = model;
    change(other.layers[i]);
    return refused(other);
  };
  using stagecut::layer;
  CHECK(changed(4, [](layer& each) { each.stage = 1; }) ==
        "layer 4 (\"head\"): has a fixed stage, and modules are placed by their cost alone");
  CHECK(changed(4, [](layer& each) { each.accelerator = false; }) ==
        "layer 4 (\"head\"): does not run on an accelerator");
  CHECK(changed(1, [&](layer& each) { each.parameters = nan; }) ==
        "layer 1 (\"embed\"): parameters = NaN, must be finite and not negative");
  CHECK(changed(14, [](layer& each) { each.is_backward = true, each.backward = each.forward, each.forward = 0; }) ==
        "layer 14 (\"d5\"): is of the backward pass, and modules are placed with theirs");
  CHECK(changed(4, [](layer& each) { each.children.push_back(0); }) ==
        "layer 0 (\"model\"): \"model\" -> \"head\" -> \"model\" is a cycle of children");
  CHECK(changed(0, [](layer& each) { each.children.pop_back(); }) ==
        "layer 4 (\"head\"): is no child, nor is layer 0 (\"model\"): a module tree has one root");
  CHECK(refused(profile{}) == "model: has no layers");
  profile nothing = model;
  for (auto& each : nothing.layers) each.forward = 0;
  CHECK(refused(nothing, {.time_weight = 1}) == "model: no layer has a time");
  for (auto& each : nothing.layers) each.parameters = 0;
  CHECK(refused(nothing) == "model: no layer has a time or bytes of parameters");
  profile huge = model;
  huge.layers[1].parameters = huge.layers[4].parameters = 1.5e308;
  CHECK(refused(huge) == "layer 4 (\"head\"): the sum of times or bytes up to it is out of range");

  const auto none = partition_modules(model, {.devices = 13});
  CHECK(none.state() == stagecut::state::infeasible);
  CHECK(none.why().text() == "13 stages need at least 13 layers, and there are 12");
}
