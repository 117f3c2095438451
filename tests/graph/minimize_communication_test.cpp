// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/minimize_communication.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../refusal.hpp"
#include "random_problems.hpp"

using stagecut::communication_edge;
using stagecut::communication_partition;
using stagecut::communication_problem;
using stagecut::communication_request;
using stagecut::graph_operator;
using stagecut::invalid_input;
using stagecut::minimize_communication;
using stagecut::outcome;
using stagecut::state;

namespace {

constexpr std::size_t none = graph_operator::none;
using devices = std::vector<std::size_t>;

/// Ten operators whose least communication is known by hand.
communication_problem ten_operators() {
  communication_problem problem;
  problem.variables = {4, 0, 3, 0, 2, 0, 4, 0, 3, 0};
  problem.edges = {{0, 1, 3}, {1, 2, 1}, {2, 3, 3}, {1, 4, 2}, {4, 5, 3}, {3, 6, 1},
                   {5, 6, 2}, {6, 7, 3}, {7, 8, 1}, {8, 9, 3}, {0, 9, 2}};
  return problem;
}

double cut_of(const communication_problem& problem, const devices& device_of) {
  double sum = 0;
  for (const communication_edge& each : problem.edges) sum += device_of[each.from] == device_of[each.to] ? 0 : each.weight;
  return sum;
}

/// Whether operators may stand so, by the words of the problem.
bool may_stand(const communication_problem& problem, const communication_request& request, const devices& device_of) {
  const std::size_t n = device_of.size();
  std::vector<double> variables(request.devices);
  std::vector<double> operations(request.devices);
  std::vector<bool> used(request.devices);
  double all_variables = 0;
  double all_operations = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const double work = problem.operations.empty() ? 1 : problem.operations[v];
    variables[device_of[v]] += problem.variables[v];
    operations[device_of[v]] += work;
    used[device_of[v]] = true;
    all_variables += problem.variables[v];
    all_operations += work;
    if (!problem.device.empty() && problem.device[v] != none && problem.device[v] != device_of[v]) return false;
    for (std::size_t u = 0; u < v && !problem.group.empty(); ++u) {
      if (problem.group[u] != none && problem.group[u] == problem.group[v] && device_of[u] != device_of[v]) return false;
    }
  }
  const auto k = static_cast<double>(request.devices);
  for (std::size_t d = 0; d < request.devices; ++d) {
    if (variables[d] > request.variable_imbalance * all_variables / k * (1 + 1e-9)) return false;
    if (operations[d] > request.operation_imbalance * all_operations / k * (1 + 1e-9)) return false;
    if (!used[d] && !request.at_most) return false;
  }
  return std::all_of(problem.edges.begin(), problem.edges.end(), [&](const communication_edge& each) {
    return !request.contiguous || device_of[each.from] <= device_of[each.to];
  });
}

/// All placements that cut least, in lexicographic order.
struct enumerated {
  double least = std::numeric_limits<double>::infinity();
  std::vector<devices> best{};
  std::size_t all = 0;
};
enumerated enumerate(const communication_problem& problem, const communication_request& request) {
  enumerated result;
  devices device_of(problem.variables.size());
  for (;;) {
    if (may_stand(problem, request, device_of)) {
      ++result.all;
      const double cut = cut_of(problem, device_of);
      if (cut < result.least) result.least = cut, result.best.clear();
      if (cut == result.least) result.best.push_back(device_of);
    }
    std::size_t at = device_of.size();
    while (at > 0 && device_of[at - 1] + 1 == request.devices) device_of[--at] = 0;
    if (at == 0) return result;
    ++device_of[at - 1];
  }
}

/// How many there are but for the names of devices.
std::size_t unlike(std::vector<devices> all) {
  for (devices& each : all) {
    std::vector<std::size_t> name(16, none);
    std::size_t next = 0;
    for (std::size_t& d : each) {
      if (name[d] == none) name[d] = next++;
      d = name[d];
    }
  }
  std::sort(all.begin(), all.end());
  return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
}

communication_request request_of(std::size_t k, double variables, double operations, bool contiguous) {
  communication_request request;
  request.devices = k;
  request.variable_imbalance = variables;
  request.operation_imbalance = operations;
  request.contiguous = contiguous;
  return request;
}

devices digits(const std::string& text) {
  devices result;
  for (const char c : text) result.push_back(static_cast<std::size_t>(c - '0'));
  return result;
}

/// Checks one case of the ten operators against all placements, and against what is known.
void check_known(const communication_problem& problem, const communication_request& request, double least,
                 const std::string& first, std::size_t ties) {
  const enumerated known = enumerate(problem, request);
  CHECK(known.least == least);
  CHECK(known.best[0] == digits(first));
  CHECK((request.contiguous ? known.best.size() : unlike(known.best)) == ties);
  const auto found = minimize_communication(problem, request);
  REQUIRE(found.state() == state::optimal);
  CHECK(found->communication == least);
  CHECK(found->bound == least);
  CHECK(found->device_of == digits(first));
}

communication_problem random_problem(oracle::chance& random, const communication_request& request) {
  communication_problem problem;
  const std::size_t n = 2 + random.below(request.devices > 3 ? 4 : 5);
  const bool whole = !random.one_in(4);
  for (std::size_t v = 0; v < n; ++v) problem.variables.push_back(random.figure(4, whole));
  if (random.one_in(2)) {
    for (std::size_t v = 0; v < n; ++v) problem.operations.push_back(random.figure(3, whole));
  }
  const std::size_t often = 1 + random.below(3);
  for (std::size_t v = 0; v < n; ++v) {
    for (std::size_t u = v + 1; u < n; ++u) {
      if (!random.one_in(often + 1)) continue;
      const bool turned = !request.contiguous && random.one_in(3);
      problem.edges.push_back({turned ? u : v, turned ? v : u, static_cast<double>(random.below(5))});
      if (random.one_in(6)) problem.edges.push_back(problem.edges.back());
    }
  }
  if (random.one_in(3)) {
    problem.group.assign(n, none);
    for (std::size_t& each : problem.group) each = random.one_in(2) ? random.below(3) : none;
  }
  if (random.one_in(3)) {
    problem.device.assign(n, none);
    for (std::size_t& each : problem.device) each = random.one_in(3) ? random.below(request.devices) : none;
  }
  return problem;
}

communication_request random_request(oracle::chance& random) {
  communication_request request = request_of(2 + random.below(3), 1, 1, random.one_in(2));
  request.variable_imbalance = 1 + 0.125 * static_cast<double>(random.below(12));
  request.operation_imbalance = 1 + 0.125 * static_cast<double>(random.below(12));
  request.at_most = random.one_in(3);
  request.limits.time_limit.reset();
  request.limits.seed = random.below(5);
  return request;
}

/// A graph of layers whose operators take what some of the layer before hand over.
communication_problem layered(std::size_t layers, std::size_t width, std::uint64_t seed) {
  oracle::chance random(seed);
  communication_problem problem;
  for (std::size_t v = 0; v < layers * width; ++v) {
    problem.variables.push_back(static_cast<double>(random.below(10)));
    for (int i = 0; i < 2 && v >= width; ++i) {
      problem.edges.push_back({(v / width - 1) * width + random.below(width), v, 1 + static_cast<double>(random.below(9))});
    }
  }
  return problem;
}

}  // namespace

TEST_CASE("the least communication of ten operators is that of all placements") {
  communication_problem problem = ten_operators();
  check_known(problem, request_of(2, 1.3, 1.3, false), 4, "0000111100", 3);
  check_known(problem, request_of(2, 1.3, 1.3, true), 5, "0000001111", 3);
  check_known(problem, request_of(2, 1.1, 1.2, false), 9, "0011110011", 1);
  check_known(problem, request_of(3, 1.3, 1.3, false), 7, "0011002211", 2);
  CHECK(enumerate(problem, request_of(2, 1.3, 1.3, true)).all == 6);
  problem.group = {0, none, none, none, none, none, none, none, none, 0};
  check_known(problem, request_of(2, 1.3, 1.3, false), 4, "0000111100", 3);
  check_known(problem, request_of(2, 1.1, 1.2, false), 10, "0011110010", 2);
  check_known(problem, request_of(3, 1.3, 1.3, false), 8, "0011222210", 1);
}

TEST_CASE("ten operators that cannot be placed so") {
  communication_problem problem = ten_operators();
  const auto why = [&](std::size_t k, double variables, double operations) {
    const communication_request request = request_of(k, variables, operations, true);
    CHECK(enumerate(problem, request).all == 0);
    const auto found = minimize_communication(problem, request);
    CHECK(found.state() == state::infeasible);
    return found.why().text();
  };
  const std::string remedy = "; allow more imbalance, or devices that are not contiguous";
  CHECK(why(2, 1.1, 1.2) == "no cut keeps to the constraint: no placement on 2 devices holds at most 8.8 of the variables "
                            "and 6 of the operations on each with edges to the same or a later one" + remedy);
  CHECK(why(3, 1.3, 1.3) == "no cut keeps to the constraint: no placement on 3 devices holds at most 6.93333 of the "
                            "variables and 4.33333 of the operations on each with edges to the same or a later one" +
                                remedy);
  problem.group = {0, none, none, none, none, none, none, none, none, 0};
  CHECK(why(2, 1.3, 1.3) ==
        "no cut keeps to the constraint: operator 0 and the 9 that share its device weigh 16 in variables, and a device "
        "takes at most 10.4: a group closes the cycle 0 -> 1 -> 2 -> 3 -> 6 -> 7 -> 8 -> 9, of group 0 as 0; allow more "
        "imbalance, or fewer devices");
}

TEST_CASE("the least communication is that of all placements, and the first of those that have it") {
  int solved = 0;
  int infeasible = 0;
  for (std::uint64_t seed = 1; seed <= 2000 * static_cast<std::uint64_t>(oracle::times_as_many()); ++seed) {
    oracle::chance random(seed);
    const communication_request request = random_request(random);
    const communication_problem problem = random_problem(random, request);
    const enumerated known = enumerate(problem, request);
    CAPTURE(seed);
    const auto found = minimize_communication(problem, request);
    REQUIRE(found.state() == (known.all == 0 ? state::infeasible : state::optimal));
    if (known.all == 0) {
      REQUIRE_FALSE(found.why().text().empty());
      ++infeasible;
      continue;
    }
    ++solved;
    REQUIRE(found->communication == known.least);
    REQUIRE(found->bound == known.least);
    REQUIRE(found->device_of == known.best[0]);
  }
  CHECK(solved > 700);
  CHECK(infeasible > 200);
}

TEST_CASE("what is found without the exact search may stand so, and its bound holds") {
  int proved = 0;
  int bounded = 0;
  int missed = 0;
  int all = 0;
  for (std::uint64_t seed = 1; seed <= 2000 * static_cast<std::uint64_t>(oracle::times_as_many()); ++seed) {
    oracle::chance random(seed);
    communication_request request = random_request(random);
    const communication_problem problem = random_problem(random, request);
    request.limits.node_limit = 0;
    request.limits.round_limit = random.below(6);
    const enumerated known = enumerate(problem, request);
    CAPTURE(seed);
    const auto found = minimize_communication(problem, request);
    if (known.all == 0) {
      REQUIRE_FALSE(found.has_value());
      continue;
    }
    REQUIRE(found.state() != state::infeasible);
    ++all;
    if (!found) {
      ++missed;
      continue;
    }
    REQUIRE(may_stand(problem, request, found->device_of));
    REQUIRE(found->communication == cut_of(problem, found->device_of));
    REQUIRE(found->bound <= known.least);
    if (found.state() == state::optimal) REQUIRE(found->communication == known.least);
    proved += found.state() == state::optimal ? 1 : 0;
    bounded += found->bound > 0 ? 1 : 0;
  }
  CHECK(proved > 200);
  CHECK(bounded > 200);
  CHECK(missed < all / 50);
}

TEST_CASE("a large graph is placed, and its bound is of connectivity") {
  const communication_problem problem = layered(400, 25, 7);
  for (const bool contiguous : {true, false}) {
    communication_request request = request_of(4, 1.1, 1.1, contiguous);
    const auto found = minimize_communication(problem, request);
    REQUIRE(found.state() == state::feasible);
    CHECK(may_stand(problem, request, found->device_of));
    CHECK(found->communication == cut_of(problem, found->device_of));
    CHECK(found->bound > 0);
    CHECK(minimize_communication(problem, request)->device_of == found->device_of);
  }
}
