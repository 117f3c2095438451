// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/tables/pipedream.hpp>
#include <stagecut/joint/baselines/minimize_nested_time.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "random_graphs.hpp"

using namespace stagecut;

namespace {

/// Tries everything.
class enumeration {
 public:
  struct stage {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t replicas = 0;
  };
  struct plan {
    double cost = 0;
    std::vector<stage> stages{};
  };

  enumeration(const pipeline_states& states, const nested_machines& machines) : states_(states), machines_(machines) {}

  /// The best way to run what is between two points on all machines of a level; of equals the first one.
  const std::optional<plan>& best(std::size_t level, std::size_t first, std::size_t end) {
    const auto key = std::tuple(level, first, end);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    std::optional<plan> found;
    std::vector<stage> stages;
    grow(level, {first, end}, first, 0, std::numeric_limits<double>::lowest(), stages, found);
    return known_.emplace(key, found).first->second;
  }

  /// All stages, as the library tells them.
  nested_cut told() {
    const std::size_t top = machines_.levels.size() - 1;
    const double least = best(top, 0, states_.size())->cost;
    nested_cut result{{least, least}};
    nested_stage of{0, 0, std::vector<std::size_t>(top + 1), std::vector<std::size_t>(top + 1)};
    tell(top, 0, states_.size(), of, result.stages);
    return result;
  }

 private:
  struct ends {
    std::size_t first;
    std::size_t last;
  };

  [[nodiscard]] bool holds(std::size_t later, std::size_t point) const {
    if (states_.later.empty()) return later > point;
    const auto& all = states_.later[point];
    return std::find(all.begin(), all.end(), later) != all.end();
  }

  void grow(std::size_t level, ends of, std::size_t point, std::size_t left, double cost, std::vector<stage>& stages,
            std::optional<plan>& found) {
    const bool opens = stages.empty();
    for (std::size_t next = point + 1; next <= of.last; ++next) {
      if (!holds(next, point) && !(machines_.as_published && opens)) continue;
      if (next != of.last && !holds(of.last, next)) continue;
      const std::size_t count = opens ? machines_.levels[level].count : left;
      for (std::size_t r = 1; r <= (machines_.straight ? 1 : count); ++r) {
        for (std::size_t behind = 0; behind + r <= count; ++behind) {
          if (!(opens && machines_.at_most) && behind + r != count) continue;
          if ((next == of.last) != (behind == 0)) continue;
          const auto here = stage_cost(level, of, {point, next, r}, behind);
          if (!here) continue;
          const double all = std::max(cost, *here);
          stages.push_back({point, next, r});
          if (next != of.last) {
            grow(level, of, next, behind, all, stages, found);
          } else if (!found || all < found->cost) {
            found = plan{all, stages};
          }
          stages.pop_back();
        }
      }
    }
  }

  std::optional<double> stage_cost(std::size_t level, ends of, const stage& each, std::size_t behind) {
    const bool opens = each.first == of.first;
    const bool published = machines_.as_published;
    double time = states_.seconds[each.last] - states_.seconds[each.first];
    double width = 1;
    for (std::size_t l = 0; l < level; ++l) width *= static_cast<double>(machines_.levels[l].count);
    if (level > 0) {
      const auto& inner = best(level - 1, each.first, each.last);
      if (!inner) return std::nullopt;
      time = inner->cost;
    }
    const auto r = static_cast<double>(each.replicas);
    const double parameters = states_.parameters[each.last] - states_.parameters[each.first];
    const double kept = states_.activations[each.last] - states_.activations[each.first];
    if (machines_.memory_limit) {
      const double copies = std::ceil(static_cast<double>(behind) / r) + (published ? 0 : 1);
      if (copies * ((kept + parameters) / (published ? 1 : width)) > *machines_.memory_limit) return std::nullopt;
    }
    const double bandwidth = machines_.levels[level].bandwidth;
    if (bandwidth == 0) return time / r;
    double exchange = 4 * (r - 1) * parameters / (bandwidth * r);
    if (published && opens && level > 0) exchange /= static_cast<double>(machines_.levels[level - 1].count);
    double cost = (time + exchange) / r;
    const auto message = [&](std::size_t point) {
      cost = std::max(cost, 2 * states_.output[point] / (bandwidth * r) / machines_.compression);
    };
    if (!machines_.messages) return cost;
    if (!opens) message(each.first);
    if (published ? !opens && each.last != states_.size() : each.last != of.last) message(each.last);
    return cost;
  }

  void tell(std::size_t level, std::size_t first, std::size_t end, nested_stage& of, std::vector<nested_stage>& all) {
    const std::vector<stage> stages = best(level, first, end)->stages;
    for (const stage& each : stages) {
      of.replicas[level] = each.replicas;
      of.first = each.first;
      of.last = each.last;
      if (level == 0) all.push_back(of);
      if (level > 0) tell(level - 1, each.first, each.last, of, all);
      ++of.parts[level];
    }
  }

  const pipeline_states& states_;
  const nested_machines& machines_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::optional<plan>> known_{};
};

pipeline_states draw_states(std::mt19937& dice) {
  for (;;) {
    profile model = joint_tests::drawn_graph(dice, 1 + dice() % 6);
    if (model.edges.empty() || dice() % 3 == 0) {
      model.edges.clear();
      return states_of_chain(model);
    }
    const auto found = states_of_graph(model, {.most_states = 9});
    if (found) return found->states;
  }
}

nested_machines draw_machines(std::mt19937& dice, const pipeline_states& states) {
  nested_machines made;
  const std::size_t levels = 1 + dice() % 3;
  for (std::size_t l = 0; l < levels; ++l) {
    const double bandwidths[] = {0, 0.5, 1, 3, 8};
    made.levels.push_back({1 + dice() % (levels == 1 ? 6 : 4 - levels / 2), bandwidths[dice() % 5]});
  }
  made.at_most = dice() % 2 == 0;
  made.straight = dice() % 4 == 0;
  made.messages = dice() % 4 != 0;
  made.compression = dice() % 3 == 0 ? 3 : 1;
  made.as_published = dice() % 2 == 0;
  if (dice() % 2 == 0) {
    const double all = states.activations.back() + states.parameters.back();
    made.memory_limit = std::floor(all * static_cast<double>(dice() % 17) / 8);
  }
  return made;
}

/// Whether a reason for no plan is true.
void check_reason(const pipeline_states& states, nested_machines machines, const reason& why) {
  if (why.what == reason::cause::more_stages_than_layers) {
    CHECK(machines.straight);
    CHECK(!machines.at_most);
    CHECK(why.needed > why.available);
    return;
  }
  REQUIRE(why.what == reason::cause::memory);
  machines.memory_limit = static_cast<double>(why.needed);
  CHECK(enumeration(states, machines).best(machines.levels.size() - 1, 0, states.size()).has_value());
  machines.memory_limit = static_cast<double>(why.needed) - 1;
  CHECK(!enumeration(states, machines).best(machines.levels.size() - 1, 0, states.size()).has_value());
}

/// The profile of a model of PipeDream's, if there are any.
std::optional<profile> published(const std::string& name) {
  const char* const folder = std::getenv("STAGECUT_WORKLOADS");
  if (folder == nullptr) {
    MESSAGE("skipped: STAGECUT_WORKLOADS is not set");
    return std::nullopt;
  }
  const auto path = std::filesystem::path(folder) / "pipedream" / (name + ".txt");
  if (!std::filesystem::exists(path)) {
    MESSAGE("skipped: there is no ", path.string());
    return std::nullopt;
  }
  return io::parse_pipedream(io::file_text(path.string()), name);
}

constexpr double gigabyte = 1e9;

}  // namespace

TEST_CASE("small models on a few machines, compared with all plans") {
  std::mt19937 dice(51);
  const std::size_t wanted = joint_tests::wanted_cases(400);
  std::size_t infeasible = 0;
  for (std::size_t done = 0; done < wanted; ++done) {
    CAPTURE(done);
    const pipeline_states states = draw_states(dice);
    const nested_machines machines = draw_machines(dice, states);
    enumeration all(states, machines);
    const auto best = all.best(machines.levels.size() - 1, 0, states.size());
    const auto found = minimize_nested_time(states, machines);
    if (!best) {
      ++infeasible;
      REQUIRE(found.state() == state::infeasible);
      check_reason(states, machines, found.why());
      continue;
    }
    REQUIRE(found.state() == state::optimal);
    CHECK(found->value == best->cost);
    CHECK(*found == all.told());
    std::size_t devices = 1;
    for (const machine_level& level : machines.levels) devices *= level.count;
    CHECK((machines.at_most ? found->devices() <= devices : found->devices() == devices));
  }
  MESSAGE(infeasible, " of ", wanted, " infeasible");
}

TEST_CASE("PipeDream's models on its machines take what its planner says") {
  struct row {
    const char* model;
    std::size_t states;
    double seconds[5];
  };
  const row rows[] = {{"vgg16", 40, {.20552, .10383, .05653, .06713, .06577}},
                      {"alexnet", 22, {.03422, .01887, .01887, .01510, .00968}},
                      {"resnet18", 100, {.10000, .05078, .02569, .02349, .01836}},
                      {"squeezenet1_0", 99, {.07441, .03769, .01888, .01862, .01807}},
                      {"resnet50", 240, {.16288, .09201, .04780, .04321, .03199}},
                      {"resnext50", 240, {.20141, .10276, .05575, .05217, .04121}},
                      {"gnmt_large", 1495, {.13713, 0, 0, 0, 0}}};
  const std::vector<machine_level> machines[] = {{{4, gigabyte}},
                                                 {{8, gigabyte}},
                                                 {{16, gigabyte}},
                                                 {{4, 10 * gigabyte}, {4, 1.25 * gigabyte}},
                                                 {{8, 30 * gigabyte}, {2, 3.125 * gigabyte}}};
  for (const row& each : rows) {
    CAPTURE(each.model);
    const auto model = published(each.model);
    if (!model) return;
    const auto points = states_of_graph(*model, {.as_published = true});
    REQUIRE(points.has_value());
    CHECK(points->states.size() == each.states);
    for (std::size_t m = 0; m < 5; ++m) {
      CAPTURE(m);
      if (each.seconds[m] == 0) continue;
      const auto found = minimize_nested_time(points->states, {.levels = machines[m], .as_published = true});
      REQUIRE(found.has_value());
      CHECK(std::round(found->value * 1e5) == std::round(each.seconds[m] * 1e5));
      CHECK(found->devices() == (m == 0 ? 4 : m == 1 ? 8 : 16));
    }
  }
}

TEST_CASE("straight pipelines of PipeDream's models") {
  const auto vgg = published("vgg16");
  if (!vgg) return;
  const auto points = states_of_graph(*vgg, {.as_published = true});
  const nested_machines eight{.levels = {{8, gigabyte}}, .straight = true, .as_published = true};
  const auto found = minimize_nested_time(points->states, eight);
  CHECK(std::round(found->value * 1e5) == 41104);
  CHECK(found->stages.size() == 8);
}

TEST_CASE("a stage has replicas, stages of one level stand inside one of the next, and fewer machines may be better") {
  const pipeline_states states{{0, 6, 8, 10}, {0, 0, 0, 400}, {0, 1, 2, 3}, {0, 0, 0, 0}, {}};
  const auto flat = minimize_nested_time(states, {.levels = {{4, 100}}});
  REQUIRE(flat.has_value());
  // Replicas of the last layer would exchange its parameters.
  CHECK(flat->value == 8.0 / 3);
  CHECK(flat->stages == std::vector<nested_stage>{{0, 2, {3}, {0}}, {2, 3, {1}, {1}}});
  const auto nested = minimize_nested_time(states, {.levels = {{2, 100}, {2, 1}}});
  REQUIRE(nested.has_value());
  CHECK(nested->value == 3);
  CHECK(nested->stages ==
        std::vector<nested_stage>{{0, 1, {2, 1}, {0, 0}}, {1, 2, {1, 1}, {1, 1}}, {2, 3, {1, 1}, {2, 1}}});
  const nested_machines slow{.levels = {{4, 0.001}}, .straight = false, .messages = false};
  const pipeline_states one{{0, 8}, {0, 10}, {0, 0}, {0, 0}, {}};
  CHECK(minimize_nested_time(one, slow)->value > 8);
  nested_machines fewer = slow;
  fewer.at_most = true;
  CHECK(minimize_nested_time(one, fewer)->value == 8);
  CHECK(minimize_nested_time(one, fewer)->devices() == 1);
}

TEST_CASE("why there is no plan") {
  const pipeline_states states{{0, 1, 2}, {0, 10, 30}, {0, 5, 5}, {0, 1, 1}, {}};
  nested_machines machines{.levels = {{4, 1}}, .straight = true};
  const auto few = minimize_nested_time(states, machines);
  REQUIRE(few.state() == state::infeasible);
  CHECK(few.why().text() == "4 stages need at least 4 layers, and there are 2");
  machines.at_most = true;
  machines.memory_limit = 19;
  const auto small = minimize_nested_time(states, machines);
  REQUIRE(small.state() == state::infeasible);
  CHECK(small.why().text() ==
        "a stage needs at least 30 bytes, and a device has 19 bytes; there is a plan for devices of 30 bytes");
  machines.memory_limit = 30;
  CHECK(minimize_nested_time(states, machines)->stages.size() == 2);
}

TEST_CASE("machines that are none are refused") {
  const pipeline_states states{{0, 1}, {0, 1}, {0, 1}, {0, 1}, {}};
  const auto refused = [&](const nested_machines& machines) {
    return refusal<argument_error>([&] { return minimize_nested_time(states, machines); });
  };
  const std::string of = "stagecut::minimize_nested_time: ";
  CHECK(refused({}) == of + "levels.size() = 0, must be at least 1");
  CHECK(refused({.levels = {{1, 1}, {0, 1}}}) == of + "levels[1].count = 0, must be at least 1");
  CHECK(refused({.levels = {{1, -1}}}) == of + "levels[0].bandwidth = -1, must be finite and not negative");
  CHECK(refused({.levels = {{70'000, 1}, {70'000, 1}}}) == of + "levels = 70000 x 70000, must be below 2^32 in all");
  CHECK(refused({.levels = {{2, 1e-320}}}).find("is too slow: a time is not finite") != std::string::npos);
  CHECK(refused({.levels = {{1, 1}}, .compression = 0}) == of + "compression = 0, must be finite and greater than 0");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused({.levels = {{1, 1}}, .memory_limit = nan}) == of + "memory_limit = NaN, must not be negative");
  CHECK(refusal<invalid_input>([&] {
          return minimize_nested_time({}, {.levels = {{1, 1}}});
        }) == "points: 1, must be at least 2");
}
