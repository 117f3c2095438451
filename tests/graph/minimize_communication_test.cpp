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
  for (const communication_edge& edge : problem.edges)
    sum += device_of[edge.from] == device_of[edge.to] ? 0 : edge.weight;
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
      if (problem.group[u] != none && problem.group[u] == problem.group[v] && device_of[u] != device_of[v])
        return false;
    }
  }
  const auto k = static_cast<double>(request.devices);
  for (std::size_t d = 0; d < request.devices; ++d) {
    if (variables[d] > (1 + request.variable_imbalance) * all_variables / k * (1 + 1e-9)) return false;
    if (operations[d] > (1 + request.operation_imbalance) * all_operations / k * (1 + 1e-9)) return false;
    if (!used[d] && !request.at_most) return false;
  }
  return std::all_of(problem.edges.begin(), problem.edges.end(), [&](const communication_edge& edge) {
    return !request.contiguous || device_of[edge.from] <= device_of[edge.to];
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
  CHECK(found->value == least);
  CHECK(found->bound == least);
  CHECK(found->assignment == digits(first));
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
    for (std::size_t& group : problem.group) group = random.one_in(2) ? random.below(3) : none;
  }
  if (random.one_in(3)) {
    problem.device.assign(n, none);
    for (std::size_t& device : problem.device) device = random.one_in(3) ? random.below(request.devices) : none;
  }
  return problem;
}

communication_request random_request(oracle::chance& random) {
  communication_request request = request_of(2 + random.below(3), 0, 0, random.one_in(2));
  request.variable_imbalance = 0.125 * static_cast<double>(random.below(12));
  request.operation_imbalance = 0.125 * static_cast<double>(random.below(12));
  request.at_most = random.one_in(3);
  request.search.time_limit.reset();
  request.search.seed = random.below(5);
  return request;
}

/// A graph of layers whose operators take what some of the layer before hand over.
communication_problem layered(std::size_t layers, std::size_t width, std::uint64_t seed) {
  oracle::chance random(seed);
  communication_problem problem;
  for (std::size_t v = 0; v < layers * width; ++v) {
    problem.variables.push_back(static_cast<double>(random.below(10)));
    for (int i = 0; i < 2 && v >= width; ++i) {
      problem.edges.push_back(
          {(v / width - 1) * width + random.below(width), v, 1 + static_cast<double>(random.below(9))});
    }
  }
  return problem;
}

}  // namespace

TEST_CASE("the least communication of ten operators is that of all placements") {
  communication_problem problem = ten_operators();
  check_known(problem, request_of(2, 0.3, 0.3, false), 4, "0000111100", 3);
  check_known(problem, request_of(2, 0.3, 0.3, true), 5, "0000001111", 3);
  check_known(problem, request_of(2, 0.1, 0.2, false), 9, "0011110011", 1);
  check_known(problem, request_of(3, 0.3, 0.3, false), 7, "0011002211", 2);
  CHECK(enumerate(problem, request_of(2, 0.3, 0.3, true)).all == 6);
  problem.group = {0, none, none, none, none, none, none, none, none, 0};
  check_known(problem, request_of(2, 0.3, 0.3, false), 4, "0000111100", 3);
  check_known(problem, request_of(2, 0.1, 0.2, false), 10, "0011110010", 2);
  check_known(problem, request_of(3, 0.3, 0.3, false), 8, "0011222210", 1);
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
  CHECK(why(2, 0.1, 0.2) ==
        "no cut keeps to the constraint: no placement on 2 devices holds at most 8.8 of the variables "
        "and 6 of the operations on each with edges to the same or a later one" +
            remedy);
  CHECK(why(3, 0.3, 0.3) ==
        "no cut keeps to the constraint: no placement on 3 devices holds at most 6.93333 of the "
        "variables and 4.33333 of the operations on each with edges to the same or a later one" +
            remedy);
  problem.group = {0, none, none, none, none, none, none, none, none, 0};
  CHECK(
      why(2, 0.3, 0.3) ==
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
    REQUIRE(found->value == known.least);
    REQUIRE(found->bound == known.least);
    REQUIRE(found->assignment == known.best[0]);
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
    request.search.node_limit = 0;
    request.rounds = random.below(6);
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
    REQUIRE(may_stand(problem, request, found->assignment));
    REQUIRE(found->value == cut_of(problem, found->assignment));
    REQUIRE(found->bound <= known.least);
    if (found.state() == state::optimal) REQUIRE(found->value == known.least);
    proved += found.state() == state::optimal ? 1 : 0;
    bounded += found->bound > 0 ? 1 : 0;
  }
  CHECK(proved > 200);
  CHECK(bounded > 200);
  CHECK(missed < all / 50);
}

TEST_CASE("a large graph is placed, the same again, and its bound is of connectivity") {
  const communication_problem problem = layered(80, 25, 7);
  for (const bool contiguous : {true, false}) {
    communication_request request = request_of(4, 0.1, 0.1, contiguous);
    request.rounds = 20;
    const auto found = minimize_communication(problem, request);
    REQUIRE(found.state() == state::feasible);
    CHECK(may_stand(problem, request, found->assignment));
    CHECK(found->value == cut_of(problem, found->assignment));
    CHECK(found->bound > 0);
    CHECK(found->gap() == (found->value - found->bound) / found->bound);
    CHECK(found->statistics.evaluations == 20);
    CHECK(found->statistics.nodes == 0);
    CHECK(minimize_communication(problem, request)->assignment == found->assignment);
  }
}

TEST_CASE("the devices of a chain are its stages where little is handed over") {
  communication_problem problem;
  problem.variables.assign(3000, 1);
  for (std::size_t v = 1; v < 3000; ++v) problem.edges.push_back({v - 1, v, v % 250 == 0 ? 1.0 : 9.0});
  for (const bool contiguous : {true, false}) {
    const auto found = minimize_communication(problem, request_of(12, 0.1, 0.1, contiguous));
    REQUIRE(found);
    CHECK(found->value == 11);
  }
}

TEST_CASE("why operators cannot be placed") {
  communication_problem problem = ten_operators();
  communication_request request = request_of(2, 0.3, 0.3, true);
  const auto why = [&] {
    const auto found = minimize_communication(problem, request);
    REQUIRE(found.state() == state::infeasible);
    CHECK(enumerate(problem, request).all == 0);
    return found.why().text();
  };
  const std::string begin = "no cut keeps to the constraint: ";
  problem.variables[3] = 40;
  CHECK(why() ==
        begin +
            "operator 3 weighs 40 in variables, and a device takes at most 36.4; allow more imbalance, or fewer "
            "devices");
  problem.variables[3] = 0;
  problem.group = {5, 5, 5, 5, 5, 5, 5, none, none, none};
  CHECK(why() ==
        begin +
            "operator 0 and the 6 that share its device weigh 13 in variables, and a device takes at most 10.4; "
            "allow more imbalance, or fewer devices");
  problem.group = {1, 2, none, 1, 2, none, none, none, none, none};
  problem.device = {none, none, 1, none, 0, none, none, none, none, none};
  CHECK(why() ==
        begin +
            "operator 2 has to stand on device 1, and operator 4, which shares it, on device 0: a group closes "
            "the cycle 0 -> 1 -> 2 -> 3, of group 1 as 0");
  problem.group.clear();
  problem.device = {none, none, 1, none, none, none, none, 0, none, none};
  CHECK(why() ==
        begin + "operator 2 has to stand on device 1, and operator 7, to which edges lead from it, on device 0");
  problem.device = {none, none, 5, none, none, none, none, 0, none, none};
  CHECK(minimize_communication(problem, request).why().text() == begin + "operator 2 has to stand on device 5 of 2");
  problem.device.clear();
  request = request_of(11, 7, 7, true);
  CHECK(minimize_communication(problem, request).why().what == stagecut::reason::cause::more_stages_than_layers);
}

TEST_CASE("two groups close a cycle together") {
  communication_problem problem;
  problem.variables = {5, 1, 5, 1};
  problem.edges = {{0, 1}, {2, 3}};
  problem.group = {0, 1, 1, 0};
  const auto found = minimize_communication(problem, request_of(2, 0.3, 0.3, true));
  CHECK(found.why().place ==
        "operator 0 and the 3 that share its device weigh 12 in variables, and a device takes at most 7.8: a group "
        "closes "
        "the cycle 0 -> 1, of group 1 as 2, 2 -> 3, of group 0 as 0");
  CHECK(minimize_communication(problem, request_of(2, 0.3, 0.3, false))->value == 2);
}

TEST_CASE("no operators, one device, no edges") {
  communication_problem problem;
  communication_request request = request_of(2, 0, 0, true);
  CHECK(minimize_communication(problem, request).state() == state::infeasible);
  request.at_most = true;
  CHECK(minimize_communication(problem, request).state() == state::optimal);
  problem.variables = {1, 1};
  request = request_of(1, 0, 0, true);
  CHECK(minimize_communication(problem, request)->assignment == devices{0, 0});
  request = request_of(2, 0, 0, false);
  CHECK(minimize_communication(problem, request)->assignment == devices{0, 1});
  CHECK(minimize_communication(problem, request)->gap() == 0);
}

TEST_CASE("a search that is stopped says what it has, and a bound that holds") {
  const communication_problem problem = layered(12, 5, 3);
  communication_request request = request_of(4, 0.3, 0.3, false);
  request.search.node_limit = 200;
  const auto found = minimize_communication(problem, request);
  REQUIRE(found.state() == state::feasible);
  CHECK(found->statistics.nodes == 200);
  const auto stop = [] { return true; };
  request.search.stop = stop;
  std::size_t told = 0;
  const auto tell = [&](const stagecut::search_progress& now) { told = now.evaluations; };
  request.search.progress = tell;
  const auto stopped = minimize_communication(problem, request);
  CHECK(stopped.state() != state::infeasible);
  CHECK(told == 1);
  if (stopped) CHECK(may_stand(problem, request, stopped->assignment));
}

TEST_CASE("what makes no sense is refused") {
  const communication_problem good = ten_operators();
  const auto problem_with = [&](const auto& change) {
    communication_problem problem = good;
    change(problem);
    return refusal([&] { return minimize_communication(problem, request_of(2, 0.3, 0.3, true)); });
  };
  const auto request_with = [&](const auto& change) {
    communication_request request = request_of(2, 0.3, 0.3, true);
    change(request);
    return refusal([&] { return minimize_communication(good, request); });
  };
  CHECK(problem_with([](auto& p) { p.variables[4] = -1; }) ==
        "operator 4: variables = -1.000000, must be finite and not negative");
  CHECK(problem_with([](auto& p) { p.edges[2].weight = std::numeric_limits<double>::infinity(); }) ==
        "edge 2: weight = inf, must be finite and not negative");
  CHECK(problem_with([](auto& p) { p.edges[2].to = 10; }) == "edge 2: there is no operator 10");
  CHECK(problem_with([](auto& p) { p.group = {1}; }) ==
        "stagecut::minimize_communication: problem.group.size() = 1, must be the number of variables, 10");
  CHECK(problem_with([](auto& p) { p.edges.push_back({9, 0}); }).find("is a cycle of") != std::string::npos);
  CHECK(request_with([](auto& r) { r.devices = 0; }) ==
        "stagecut::minimize_communication: devices = 0, must be at least 1");
  CHECK(request_with([](auto& r) { r.variable_imbalance = -0.1; }) ==
        "stagecut::minimize_communication: variable_imbalance = -0.100000, must be finite and not negative");
  CHECK(request_with([](auto& r) { r.search.time_limit = -1; }).find("search.time_limit") != std::string::npos);
}

TEST_CASE("a cycle is no hindrance where edges lead anywhere") {
  communication_problem problem = ten_operators();
  problem.edges.push_back({9, 0, 2});
  CHECK(minimize_communication(problem, request_of(2, 0.3, 0.3, false))->value ==
        enumerate(problem, request_of(2, 0.3, 0.3, false)).least);
}
